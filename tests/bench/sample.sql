CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, country TEXT, plan TEXT, created_at TEXT, deleted_at TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users(id), status TEXT, total_cents INTEGER, currency TEXT, placed_at TEXT, shipped_at TEXT);
CREATE TABLE order_items (order_id INTEGER, product_id INTEGER, quantity INTEGER, unit_cents INTEGER, PRIMARY KEY (order_id, product_id));
CREATE TABLE products (id INTEGER PRIMARY KEY, sku TEXT, title TEXT, category_id INTEGER, price_cents INTEGER, stock INTEGER, attributes TEXT);
CREATE TABLE categories (id INTEGER PRIMARY KEY, parent_id INTEGER, name TEXT);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, user_id INTEGER, assignee_id INTEGER, subject TEXT, body TEXT, priority INTEGER, state TEXT, opened_at TEXT, closed_at TEXT);
CREATE TABLE comments (id INTEGER PRIMARY KEY, ticket_id INTEGER, author_id INTEGER, body TEXT, created_at TEXT);
CREATE TABLE readings (sensor_id INTEGER, taken_at INTEGER, value REAL, quality INTEGER);
CREATE TABLE sensors (id INTEGER PRIMARY KEY, site TEXT, model TEXT, unit TEXT, installed_at TEXT);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, user_id INTEGER, number TEXT, due_on TEXT, paid_on TEXT, amount REAL, tax REAL);
CREATE TABLE sessions (token TEXT PRIMARY KEY, user_id INTEGER, ip TEXT, agent TEXT, started_at INTEGER, ended_at INTEGER);
CREATE TABLE events (id INTEGER PRIMARY KEY, user_id INTEGER, kind TEXT, payload TEXT, at INTEGER);
SELECT id, name, email FROM users WHERE email = 'kenji@example.jp';
SELECT * FROM users WHERE country = 'DE' AND plan = 'team' ORDER BY created_at DESC LIMIT 21;
SELECT COUNT(*) FROM orders WHERE status = 'paid';
SELECT COUNT(*) AS n, AVG(total_cents) / 100.0 AS mean FROM orders WHERE placed_at >= '2021-01-01' AND placed_at < '2021-07-01';
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'paid' GROUP BY u.id ORDER BY spent DESC LIMIT 89;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'JP' AND T2.total_cents > 4100;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 19
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 81 AND 81000 AND stock > 0 ORDER BY price_cents, title;
SELECT c.name, COUNT(p.id) FROM categories c LEFT JOIN products p ON p.category_id = c.id GROUP BY c.id, c.name;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 12;;
SELECT subject, priority FROM tickets WHERE state = 'open' AND assignee_id IS NULL ORDER BY priority DESC, opened_at;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%re: [urgent]%' LIMIT 80;
SELECT strftime('%Y-%m', opened_at) AS month, COUNT(*) AS opened, SUM(CASE WHEN state = 'closed' THEN 1 ELSE 0 END) AS closed FROM tickets GROUP BY month ORDER BY month;
SELECT AVG(julianday(closed_at) - julianday(opened_at)) AS days FROM tickets WHERE closed_at IS NOT NULL AND priority >= 4;
SELECT sensor_id, MIN(value), MAX(value), AVG(value) FROM readings WHERE taken_at > unixepoch('now', '-9 days') GROUP BY sensor_id;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 24;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 8 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 19;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 72.5;
SELECT number, amount + tax AS gross FROM invoices WHERE paid_on IS NULL AND due_on < date('now') ORDER BY due_on;
SELECT number, ROUND((amount + tax) * 0.92, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'enterprise');
SELECT DISTINCT country FROM users WHERE deleted_at IS NULL ORDER BY 1;
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2023-05-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 3800000;
SELECT kind, COUNT(*) FROM events WHERE user_id = ? AND at BETWEEN ? AND ? GROUP BY kind;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 69;
SELECT payload ->> '$.referrer' AS referrer, COUNT(*) FROM events WHERE payload -> '$.new' = 'true' GROUP BY 1;
SELECT p.title, je.value FROM products AS p, json_each(p.attributes) AS je WHERE je.key = 'color' AND je.value <> 'black';
SELECT "name", "email" FROM "users" WHERE "country" = 'DE' ORDER BY "created_at";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-76' OR `sku` LIKE 'B-76%';
SELECT token, ip FROM sessions WHERE user_id = :user AND ended_at IS NULL AND agent NOT LIKE '%bot%';
select name, name from users where lower(name) like 'an%' and id != 17 limit 5;
SELECT o.id, o.total_cents, u.email FROM orders o, users u WHERE o.user_id = u.id AND o.shipped_at IS NULL AND o.currency = 'EUR';
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2021-02-18'
ORDER BY id;;
SELECT CASE WHEN total_cents < 1000 THEN 'small' WHEN total_cents < 10000 THEN 'medium' ELSE 'large' END AS size, COUNT(*) FROM orders GROUP BY size;
SELECT name || ' <' || email || '>' AS address FROM users WHERE email IS NOT NULL AND length(name) > 4 ORDER BY name COLLATE NOCASE;
SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM orders) AS orders, (SELECT COUNT(*) FROM tickets WHERE state = 'waiting') AS tickets;
SELECT sku, title FROM products WHERE category_id IN (6, 59, 159, 259) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 15 ORDER BY placed_at;
SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name;
SELECT country, plan, COUNT(*) AS n FROM users GROUP BY country, plan HAVING n >= 5 ORDER BY n DESC, country;
SELECT id, name, email FROM users WHERE email = 'ana.lima@example.com';
SELECT * FROM users WHERE country = 'US' AND plan = 'team' ORDER BY created_at DESC LIMIT 49;
SELECT COUNT(*) AS n, AVG(total_cents) / 100.0 AS mean FROM orders WHERE placed_at >= '2025-01-01' AND placed_at < '2025-07-01';
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'shipped' GROUP BY u.id ORDER BY spent DESC LIMIT 16;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'US' AND T2.total_cents > 7400;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 10
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 10 AND 10000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 48;;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%50% off%' LIMIT 97;
SELECT AVG(julianday(closed_at) - julianday(opened_at)) AS days FROM tickets WHERE closed_at IS NOT NULL AND priority >= 3;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 19;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 96;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 69.5;
SELECT number, ROUND((amount + tax) * 0.43, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'free');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2024-06-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 4700000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 34;
SELECT "name", "email" FROM "users" WHERE "country" = 'JP' ORDER BY "created_at";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-80' OR `sku` LIKE 'B-80%';
select name, country from users where lower(name) like 'an%' and id != 53 limit 9;
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2026-02-12'
ORDER BY id;;
SELECT name || ' <' || email || '>' AS address FROM users WHERE email IS NOT NULL AND length(name) > 8 ORDER BY name COLLATE NOCASE;
SELECT sku, title FROM products WHERE category_id IN (2, 40, 140, 240) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 20 ORDER BY placed_at;
SELECT id, name, email FROM users WHERE email = 'o.brien@example.org';
SELECT * FROM users WHERE country = 'BR' AND plan = 'free' ORDER BY created_at DESC LIMIT 13;
SELECT COUNT(*) FROM orders WHERE status = 'refunded';
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'cancelled' GROUP BY u.id ORDER BY spent DESC LIMIT 36;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'DE' AND T2.total_cents > 7900;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 15
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 56 AND 56000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 73;;
SELECT subject, priority FROM tickets WHERE state = 'waiting' AND assignee_id IS NULL ORDER BY priority DESC, opened_at;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%invoice%' LIMIT 71;
SELECT AVG(julianday(closed_at) - julianday(opened_at)) AS days FROM tickets WHERE closed_at IS NOT NULL AND priority >= 6;
SELECT sensor_id, MIN(value), MAX(value), AVG(value) FROM readings WHERE taken_at > unixepoch('now', '-5 days') GROUP BY sensor_id;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 42;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 67;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 75.5;
SELECT number, ROUND((amount + tax) * 0.62, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'enterprise');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2023-07-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 1200000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 21;
SELECT "name", "email" FROM "users" WHERE "country" = 'JP' ORDER BY "name";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-96' OR `sku` LIKE 'B-96%';
select name, created_at from users where lower(name) like 'an%' and id != 89 limit 9;
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2024-01-13'
ORDER BY id;;
SELECT name || ' <' || email || '>' AS address FROM users WHERE email IS NOT NULL AND length(name) > 9 ORDER BY name COLLATE NOCASE;
SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM orders) AS orders, (SELECT COUNT(*) FROM tickets WHERE state = 'closed') AS tickets;
SELECT sku, title FROM products WHERE category_id IN (6, 58, 158, 258) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 90 ORDER BY placed_at;
SELECT country, plan, COUNT(*) AS n FROM users GROUP BY country, plan HAVING n >= 2 ORDER BY n DESC, country;
SELECT * FROM users WHERE country = 'DE' AND plan = 'free' ORDER BY created_at DESC LIMIT 48;
SELECT COUNT(*) FROM orders WHERE status = 'shipped';
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'refunded' GROUP BY u.id ORDER BY spent DESC LIMIT 66;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'DE' AND T2.total_cents > 4000;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 92
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 78 AND 78000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 44;;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%50% off%' LIMIT 70;
SELECT AVG(julianday(closed_at) - julianday(opened_at)) AS days FROM tickets WHERE closed_at IS NOT NULL AND priority >= 2;
SELECT sensor_id, MIN(value), MAX(value), AVG(value) FROM readings WHERE taken_at > unixepoch('now', '-3 days') GROUP BY sensor_id;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 14;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 53;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 74.5;
SELECT number, ROUND((amount + tax) * 0.10, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'free');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2024-02-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 5700000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 66;
SELECT "name", "email" FROM "users" WHERE "country" = 'IN' ORDER BY "country";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-59' OR `sku` LIKE 'B-59%';
select name, created_at from users where lower(name) like 'an%' and id != 39 limit 3;
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2024-07-12'
ORDER BY id;;
SELECT sku, title FROM products WHERE category_id IN (6, 63, 163, 263) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 37 ORDER BY placed_at;
SELECT country, plan, COUNT(*) AS n FROM users GROUP BY country, plan HAVING n >= 8 ORDER BY n DESC, country;
SELECT id, name, email FROM users WHERE email = 'x@y.z';
SELECT * FROM users WHERE country = 'BR' AND plan = 'enterprise' ORDER BY created_at DESC LIMIT 29;
SELECT COUNT(*) AS n, AVG(total_cents) / 100.0 AS mean FROM orders WHERE placed_at >= '2024-01-01' AND placed_at < '2024-07-01';
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'paid' GROUP BY u.id ORDER BY spent DESC LIMIT 91;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'IN' AND T2.total_cents > 4300;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 99
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 73 AND 73000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 14;;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%O''Brien%' LIMIT 55;
SELECT sensor_id, MIN(value), MAX(value), AVG(value) FROM readings WHERE taken_at > unixepoch('now', '-4 days') GROUP BY sensor_id;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 22;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 8 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 48;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 76.5;
SELECT number, ROUND((amount + tax) * 0.64, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'team');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2026-11-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 9300000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 71;
SELECT "name", "email" FROM "users" WHERE "country" = 'US' ORDER BY "created_at";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-39' OR `sku` LIKE 'B-39%';
select name, email from users where lower(name) like 'an%' and id != 71 limit 5;
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2026-03-13'
ORDER BY id;;
SELECT sku, title FROM products WHERE category_id IN (4, 95, 195, 295) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 42 ORDER BY placed_at;
SELECT country, plan, COUNT(*) AS n FROM users GROUP BY country, plan HAVING n >= 3 ORDER BY n DESC, country;
SELECT * FROM users WHERE country = 'BR' AND plan = 'team' ORDER BY created_at DESC LIMIT 59;
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'refunded' GROUP BY u.id ORDER BY spent DESC LIMIT 43;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'DE' AND T2.total_cents > 8100;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 22
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 66 AND 66000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 21;;
SELECT subject, priority FROM tickets WHERE state = 'closed' AND assignee_id IS NULL ORDER BY priority DESC, opened_at;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%re: [urgent]%' LIMIT 21;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 99;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 32;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 25.5;
SELECT number, ROUND((amount + tax) * 0.40, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'free');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2022-04-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 9200000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 85;
SELECT "name", "email" FROM "users" WHERE "country" = 'FR' ORDER BY "email";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-46' OR `sku` LIKE 'B-46%';
select name, email from users where lower(name) like 'an%' and id != 95 limit 4;
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2020-08-18'
ORDER BY id;;
SELECT sku, title FROM products WHERE category_id IN (8, 65, 165, 265) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 96 ORDER BY placed_at;
SELECT * FROM users WHERE country = 'IN' AND plan = 'enterprise' ORDER BY created_at DESC LIMIT 90;
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'paid' GROUP BY u.id ORDER BY spent DESC LIMIT 19;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'IN' AND T2.total_cents > 5500;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 89
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 40 AND 40000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 61;;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%re: [urgent]%' LIMIT 54;
SELECT AVG(julianday(closed_at) - julianday(opened_at)) AS days FROM tickets WHERE closed_at IS NOT NULL AND priority >= 9;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 86;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 96;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 59.5;
SELECT number, ROUND((amount + tax) * 0.46, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'team');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2022-07-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 1500000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 14;
SELECT "name", "email" FROM "users" WHERE "country" = 'US' ORDER BY "name";
SELECT `title`, `stock` FROM `products` WHERE `sku` = 'A-91' OR `sku` LIKE 'B-91%';
select name, created_at from users where lower(name) like 'an%' and id != 40 limit 3;
-- orders of one day
SELECT id, status
FROM orders
WHERE date(placed_at) = '2023-02-15'
ORDER BY id;;
SELECT name || ' <' || email || '>' AS address FROM users WHERE email IS NOT NULL AND length(name) > 3 ORDER BY name COLLATE NOCASE;
SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM orders) AS orders, (SELECT COUNT(*) FROM tickets WHERE state = 'open') AS tickets;
SELECT sku, title FROM products WHERE category_id IN (7, 28, 128, 228) AND price_cents % 100 = 99;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE user_id = 92 ORDER BY placed_at;
SELECT country, plan, COUNT(*) AS n FROM users GROUP BY country, plan HAVING n >= 4 ORDER BY n DESC, country;
SELECT * FROM users WHERE country = 'DE' AND plan = 'enterprise' ORDER BY created_at DESC LIMIT 19;
SELECT u.name, SUM(o.total_cents) AS spent FROM users AS u INNER JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'refunded' GROUP BY u.id ORDER BY spent DESC LIMIT 82;
SELECT T1.name, T2.placed_at FROM users AS T1 INNER JOIN orders AS T2 ON T1.id = T2.user_id WHERE T1.country = 'FR' AND T2.total_cents > 9600;
SELECT p.title, SUM(i.quantity) AS sold
  FROM order_items AS i
  JOIN products AS p ON p.id = i.product_id
 GROUP BY p.id
HAVING sold > 60
 ORDER BY sold DESC;;
SELECT title, price_cents FROM products WHERE price_cents BETWEEN 93 AND 93000 AND stock > 0 ORDER BY price_cents, title;
WITH RECURSIVE tree(id, name, depth) AS (
  SELECT id, name, 0 FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name, tree.depth + 1 FROM categories AS c JOIN tree ON c.parent_id = tree.id
)
SELECT printf('%*s%s', depth * 2, '', name) FROM tree ORDER BY depth, name LIMIT 23;;
SELECT t.id, t.subject, (SELECT COUNT(*) FROM comments c WHERE c.ticket_id = t.id) AS replies FROM tickets t WHERE t.subject LIKE '%O''Brien%' LIMIT 25;
SELECT sensor_id, MIN(value), MAX(value), AVG(value) FROM readings WHERE taken_at > unixepoch('now', '-2 days') GROUP BY sensor_id;
SELECT s.site, r.taken_at, r.value FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id WHERE r.value > (SELECT AVG(value) * 1.5 FROM readings WHERE sensor_id = r.sensor_id) LIMIT 33;
SELECT taken_at, value, AVG(value) OVER (PARTITION BY sensor_id ORDER BY taken_at ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS smooth FROM readings WHERE sensor_id = 13;
SELECT name, RANK() OVER (ORDER BY total DESC) AS place FROM (SELECT u.name, SUM(i.amount) AS total FROM users u JOIN invoices i ON i.user_id = u.id GROUP BY u.id) WHERE total > 60.5;
SELECT number, ROUND((amount + tax) * 0.69, 2) AS fee FROM invoices WHERE user_id IN (SELECT id FROM users WHERE plan = 'team');
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id) AND u.created_at < '2024-12-01';
SELECT id FROM users EXCEPT SELECT user_id FROM sessions WHERE started_at > 4000000;
SELECT json_extract(payload, '$.path') AS path, COUNT(*) AS hits FROM events WHERE kind = 'view' GROUP BY path ORDER BY hits DESC LIMIT 54;

-- The sample database of --demo: a small shop. Amounts are cents; times are seconds since 1970, UTC.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    country TEXT NOT NULL DEFAULT 'DE',
    joined_at INTEGER NOT NULL
);
CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
    retired_at INTEGER
) WITHOUT ROWID;
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE RESTRICT,
    ordered_at INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'sent', 'returned'))
);
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    sku TEXT NOT NULL REFERENCES products (sku),
    quantity INTEGER NOT NULL,
    price_cents INTEGER NOT NULL,
    total_cents INTEGER GENERATED ALWAYS AS (quantity * price_cents) VIRTUAL,
    PRIMARY KEY (order_id, line)
);
CREATE INDEX orders_by_customer ON orders (customer_id, ordered_at);
CREATE INDEX open_orders ON orders (ordered_at) WHERE status = 'open';
CREATE VIEW revenue_by_month AS
    SELECT strftime('%Y-%m', ordered_at, 'unixepoch') AS month, sum(total_cents) AS revenue_cents
    FROM orders JOIN order_lines ON order_id = id
    WHERE status IN ('paid', 'sent')
    GROUP BY month;
-- Reading this view would rewrite the statistics tables: the guard blocks it.
CREATE VIEW tune_up AS SELECT * FROM pragma_optimize;

INSERT INTO customers (id, name, email, country, joined_at) VALUES
    (1, 'Ada Byron', 'ada@example.com', 'GB', 1735689600),
    (2, 'Grace Murray', 'grace@example.com', 'US', 1738368000),
    (3, 'Émilie du Châtelet', 'emilie@example.com', 'FR', 1740787200),
    (4, 'Konrad Zuse', 'konrad@example.com', 'DE', 1743465600),
    (5, '森 あかり', 'akari@example.com', 'JP', 1746057600);
INSERT INTO products (sku, title, price_cents, retired_at) VALUES
    ('BOOK-1', 'Notes on engines', 2490, NULL),
    ('BOOK-2', 'A compiler in a weekend', 1990, NULL),
    ('MUG-1', 'Mug', 900, NULL),
    ('PEN-1', 'Fountain pen', 4500, 1748736000);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO orders (id, customer_id, ordered_at, status)
    SELECT i, 1 + i * 7 % 5, 1746057600 + i * 43200,
        CASE WHEN i > 290 THEN 'open' WHEN i % 20 = 0 THEN 'returned' WHEN i % 3 = 0 THEN 'paid' ELSE 'sent' END
    FROM n;
INSERT INTO order_lines (order_id, line, sku, quantity, price_cents)
    SELECT id, 1, 'BOOK-1', 1, 2490 FROM orders WHERE id % 2 = 0
    UNION ALL SELECT id, 1, 'BOOK-2', 1 + id % 3, 1990 FROM orders WHERE id % 2 = 1
    UNION ALL SELECT id, 2, 'MUG-1', 2, 900 FROM orders WHERE id % 5 = 0
    UNION ALL SELECT id, 3, 'PEN-1', 1, 4500 FROM orders WHERE id % 7 = 0;
ANALYZE;

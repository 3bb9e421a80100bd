PRAGMA table_info(orders);
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE customer = ?1;
VALUES (1, 'one'), (2, 'two')

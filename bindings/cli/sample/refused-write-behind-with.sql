WITH old AS (SELECT id FROM orders WHERE year < 2020)
DELETE FROM orders WHERE id IN (SELECT id FROM old)

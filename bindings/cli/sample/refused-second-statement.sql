SELECT name FROM customers WHERE id = 7 /* harmless so far */; DROP TABLE customers

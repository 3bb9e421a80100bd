-- What the best customers bought; note the words that only look like statements.
WITH best AS (
    SELECT customer, sum(amount) AS total
    FROM orders
    WHERE status <> 'DROP; DELETE' -- a string is no statement
    GROUP BY customer
    ORDER BY total DESC
    LIMIT 10
)
SELECT c.name, b.total, rank() OVER (ORDER BY b.total DESC) AS "replace"
FROM best AS b JOIN customers AS c ON c.id = b.customer;

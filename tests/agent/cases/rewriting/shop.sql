-- A shop whose SQL is changed in words: two times, one status, a value of two columns (Georgia).
CREATE TABLE countries (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, birth_country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), ordered_on DATE NOT NULL, status TEXT NOT NULL, total NUMERIC NOT NULL);
CREATE TABLE visits (id INTEGER PRIMARY KEY, started_at DATE NOT NULL, ended_at DATE NOT NULL, pages INTEGER NOT NULL);
INSERT INTO customers (id, name, country, birth_country)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
SELECT i, 'Customer ' || i, CASE i % 4 WHEN 0 THEN 'Norway' WHEN 1 THEN 'Sweden' WHEN 2 THEN 'Georgia' ELSE 'New Zealand' END, CASE i % 3 WHEN 0 THEN 'Georgia' WHEN 1 THEN 'Chile' END FROM n;
INSERT INTO orders (id, customer_id, ordered_on, status, total)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
SELECT i, 1 + i % 30, date('2024-01-01', '+' || (i * 2) || ' days'), CASE i % 5 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'open' ELSE 'paid' END, 10 + i % 90 FROM n;
INSERT INTO visits (id, started_at, ended_at, pages) SELECT id, ordered_on, ordered_on, id % 9 FROM orders;
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, category_id INTEGER NOT NULL REFERENCES categories (id), title TEXT NOT NULL, introduced_on DATE NOT NULL);
CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id), product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER NOT NULL, amount NUMERIC NOT NULL);
INSERT INTO categories VALUES (1, 'Tents'), (2, 'Lamps'), (3, 'Knives');
INSERT INTO products SELECT id, id % 3 + 1, 'Product ' || id, date('2022-01-01', '+' || id || ' days') FROM customers;
INSERT INTO order_lines SELECT id, id, id % 30 + 1, 1 + id % 3, total FROM orders;

CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE DOMAIN money_amount AS numeric(12, 2);
CREATE TABLE customers (
    id integer PRIMARY KEY, name varchar(80) NOT NULL, country varchar(40), credit numeric(20, 4),
    born date, seen timestamp, is_member boolean, photo bytea);
CREATE TABLE orders (
    id serial PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers (id),
    ordered_at timestamp NOT NULL, amount money_amount NOT NULL);
CREATE TABLE order_lines (
    order_id integer NOT NULL REFERENCES orders, line integer NOT NULL, product varchar(80),
    PRIMARY KEY (order_id, line));
CREATE TABLE line_notes (
    id integer PRIMARY KEY, order_id integer, line integer, note text,
    FOREIGN KEY (order_id, line) REFERENCES order_lines (order_id, line));
CREATE TABLE "Odd ""Table; --" ("select" integer, "Größe x" varchar(20), "a.b" varchar(20));
CREATE VIEW big_spenders AS
    SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
CREATE SCHEMA archive;
CREATE TABLE archive.old_orders (
    id integer PRIMARY KEY, customer_id integer REFERENCES customers (id), mood mood, tags text[]);
CREATE TABLE archive.by_year (year integer, amount numeric) PARTITION BY LIST (year);
CREATE TABLE archive.by_year_2025 PARTITION OF archive.by_year FOR VALUES IN (2025);
COMMENT ON TABLE orders IS 'What customers bought';
COMMENT ON COLUMN orders.amount IS 'In euros';
INSERT INTO customers VALUES
    (1, 'Anna', 'Norway', 100.5, '1980-02-29', '2026-01-01 10:00:00', true, '\x00ff'),
    (2, 'O''Brien', 'Ireland', NULL, NULL, NULL, false, NULL),
    (3, 'Søren', 'Norway', 0, '1999-12-31', '2026-01-02 11:30:00', true, NULL);
INSERT INTO orders (customer_id, ordered_at, amount)
VALUES (1, '2026-01-01 10:00:00', 12.5), (1, '2026-01-03 10:00:00', 7.25), (3, '2026-02-01 09:00:00', 99.99);
INSERT INTO order_lines VALUES (1, 1, 'Tent'), (1, 2, 'Mug'), (2, 1, 'Mug');
INSERT INTO line_notes VALUES (1, 1, 2, 'blue');
INSERT INTO "Odd ""Table; --" VALUES (1, 'small', 'x'), (2, 'large', NULL);
INSERT INTO archive.old_orders VALUES (1, 1, 'glad', '{a,b}');
ANALYZE;

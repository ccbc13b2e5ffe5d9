CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, country VARCHAR, credit DECIMAL(20, 4),
    born DATE, seen TIMESTAMP, is_member BOOLEAN, photo BLOB);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, ordered_at TIMESTAMP NOT NULL, amount DECIMAL(12, 2) NOT NULL,
    FOREIGN KEY (customer_id) REFERENCES customers (id));
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL, line INTEGER NOT NULL, product VARCHAR,
    PRIMARY KEY (order_id, line), FOREIGN KEY (order_id) REFERENCES orders (id));
CREATE TABLE line_notes (
    id INTEGER PRIMARY KEY, order_id INTEGER, line INTEGER, note VARCHAR,
    FOREIGN KEY (order_id, line) REFERENCES order_lines (order_id, line));
CREATE TABLE "Odd ""Table; --" ("select" INTEGER, "Größe x" VARCHAR, "a.b" VARCHAR);
CREATE VIEW big_spenders AS
    SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
CREATE SEQUENCE numbers;
CREATE SCHEMA archive;
CREATE TABLE archive.old_orders (id INTEGER PRIMARY KEY, customer_id INTEGER, mood mood, tags VARCHAR[]);
COMMENT ON TABLE orders IS 'What customers bought';
COMMENT ON COLUMN orders.amount IS 'In euros';
INSERT INTO customers VALUES
    (1, 'Anna', 'Norway', 100.5, '1980-02-29', '2026-01-01 10:00:00', true, '\x00\xff'),
    (2, 'O''Brien', 'Ireland', NULL, NULL, NULL, false, NULL),
    (3, 'Søren', 'Norway', 0, '1999-12-31', '2026-01-02 11:30:00', true, NULL);
INSERT INTO orders VALUES (1, 1, '2026-01-01 10:00:00', 12.5), (2, 1, '2026-01-03 10:00:00', 7.25), (3, 3, '2026-02-01 09:00:00', 99.99);
INSERT INTO order_lines VALUES (1, 1, 'Tent'), (1, 2, 'Mug'), (2, 1, 'Mug');
INSERT INTO line_notes VALUES (1, 1, 2, 'blue');
INSERT INTO "Odd ""Table; --" VALUES (1, 'small', 'x'), (2, 'large', NULL);
INSERT INTO archive.old_orders VALUES (1, 1, 'glad', ['a', 'b']);

CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, country VARCHAR(40), credit DECIMAL(20, 4),
    born DATE, seen TIMESTAMP, is_member BOOLEAN, photo BLOB);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
    ordered_at TIMESTAMP NOT NULL, amount DECIMAL(12, 2) NOT NULL);
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders, line INTEGER NOT NULL, product VARCHAR(80),
    PRIMARY KEY (order_id, line));
CREATE TABLE line_notes (
    id INTEGER PRIMARY KEY, order_id INTEGER, line INTEGER, note TEXT,
    FOREIGN KEY (order_id, line) REFERENCES order_lines (order_id, line));
CREATE TABLE "Odd ""Table; --" ("select" INTEGER, "Größe x" VARCHAR(20), "a.b" VARCHAR(20));
CREATE VIEW big_spenders AS
    SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
INSERT INTO customers VALUES
    (1, 'Anna', 'Norway', 100.5, '1980-02-29', '2026-01-01 10:00:00', 1, x'00ff'),
    (2, 'O''Brien', 'Ireland', NULL, NULL, NULL, 0, NULL),
    (3, 'Søren', 'Norway', 0, '1999-12-31', '2026-01-02 11:30:00', 1, NULL);
INSERT INTO orders VALUES (1, 1, '2026-01-01 10:00:00', 12.5), (2, 1, '2026-01-03 10:00:00', 7.25), (3, 3, '2026-02-01 09:00:00', 99.99);
INSERT INTO order_lines VALUES (1, 1, 'Tent'), (1, 2, 'Mug'), (2, 1, 'Mug');
INSERT INTO line_notes VALUES (1, 1, 2, 'blue');
INSERT INTO "Odd ""Table; --" VALUES (1, 'small', 'x'), (2, 'large', NULL);

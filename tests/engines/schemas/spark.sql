CREATE TABLE customers (
    id int NOT NULL, name string NOT NULL, country string, credit decimal(20, 4),
    born date, seen timestamp, is_member boolean, photo binary) USING parquet;
CREATE TABLE orders (
    id int NOT NULL, customer_id int NOT NULL, ordered_at timestamp NOT NULL,
    amount decimal(12, 2) NOT NULL COMMENT 'In euros') USING parquet COMMENT 'What customers bought';
CREATE TABLE order_lines (order_id int NOT NULL, line int NOT NULL, product string) USING parquet;
CREATE TABLE line_notes (id int, order_id int, line int, note string) USING parquet;
CREATE TABLE odd_table (`select` int, `Größe x` string, `a.b` string) USING parquet;
CREATE VIEW big_spenders AS
    SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
CREATE TABLE archive.old_orders (id int, customer_id int, mood string) USING parquet;
INSERT INTO customers VALUES
    (1, 'Anna', 'Norway', 100.5, DATE '1980-02-29', TIMESTAMP '2026-01-01 10:00:00', true, x'00ff'),
    (2, 'O\'Brien', 'Ireland', NULL, NULL, NULL, false, NULL),
    (3, 'Søren', 'Norway', 0, DATE '1999-12-31', TIMESTAMP '2026-01-02 11:30:00', true, NULL);
INSERT INTO orders VALUES
    (1, 1, TIMESTAMP '2026-01-01 10:00:00', 12.5), (2, 1, TIMESTAMP '2026-01-03 10:00:00', 7.25),
    (3, 3, TIMESTAMP '2026-02-01 09:00:00', 99.99);
INSERT INTO order_lines VALUES (1, 1, 'Tent'), (1, 2, 'Mug'), (2, 1, 'Mug');
INSERT INTO line_notes VALUES (1, 1, 2, 'blue');
INSERT INTO odd_table VALUES (1, 'small', 'x'), (2, 'large', NULL);
INSERT INTO archive.old_orders VALUES (1, 1, 'glad');
ANALYZE TABLE customers COMPUTE STATISTICS

CREATE TABLE customers (
    id Int32, name String, country LowCardinality(Nullable(String)), credit Nullable(Decimal(20, 4)),
    born Nullable(Date32), seen Nullable(DateTime64(6, 'UTC')), is_member Nullable(Bool), photo Nullable(FixedString(2)))
    ENGINE = MergeTree ORDER BY id;
CREATE TABLE orders (
    id Int32, customer_id Int32, ordered_at DateTime('UTC'), amount Decimal(12, 2) COMMENT 'In euros')
    ENGINE = MergeTree ORDER BY id COMMENT 'What customers bought';
CREATE TABLE order_lines (order_id Int32, line Int32, product String) ENGINE = MergeTree ORDER BY (order_id, line);
CREATE TABLE line_notes (id Int32, order_id Int32, line Int32, note String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE `Odd "Table; --` (`select` Int32, `Größe x` String, `a.b` Nullable(String)) ENGINE = MergeTree ORDER BY `select`;
CREATE VIEW big_spenders AS
    SELECT c.name AS name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
CREATE TABLE archive.old_orders (id Int32, customer_id Int32, mood Nullable(String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO customers VALUES
    (1, 'Anna', 'Norway', 100.5, '1980-02-29', '2026-01-01 10:00:00', true, unhex('00ff')),
    (2, 'O''Brien', 'Ireland', NULL, NULL, NULL, false, NULL),
    (3, 'Søren', 'Norway', 0, '1999-12-31', '2026-01-02 11:30:00', true, NULL);
INSERT INTO orders VALUES
    (1, 1, '2026-01-01 10:00:00', 12.5), (2, 1, '2026-01-03 10:00:00', 7.25), (3, 3, '2026-02-01 09:00:00', 99.99);
INSERT INTO order_lines VALUES (1, 1, 'Tent'), (1, 2, 'Mug'), (2, 1, 'Mug');
INSERT INTO line_notes VALUES (1, 1, 2, 'blue');
INSERT INTO `Odd "Table; --` VALUES (1, 'small', 'x'), (2, 'large', NULL);
INSERT INTO archive.old_orders VALUES (1, 1, 'glad')

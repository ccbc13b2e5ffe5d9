CREATE TABLE customers (
    id int PRIMARY KEY, name varchar(80) NOT NULL, country varchar(40), credit decimal(20, 4),
    born date, seen datetime, is_member boolean, photo blob);
CREATE TABLE orders (
    id int AUTO_INCREMENT PRIMARY KEY, customer_id int NOT NULL,
    ordered_at datetime NOT NULL, amount decimal(12, 2) NOT NULL COMMENT 'In euros',
    FOREIGN KEY (customer_id) REFERENCES customers (id)) COMMENT 'What customers bought';
CREATE TABLE order_lines (
    order_id int NOT NULL, line int NOT NULL, product varchar(80),
    PRIMARY KEY (order_id, line), FOREIGN KEY (order_id) REFERENCES orders (id));
CREATE TABLE line_notes (
    id int PRIMARY KEY, order_id int, line int, note text,
    FOREIGN KEY (order_id, line) REFERENCES order_lines (order_id, line));
CREATE TABLE `Odd "Table; --` (`select` int, `Größe x` varchar(20), `a.b` varchar(20));
CREATE VIEW big_spenders AS
    SELECT c.name, SUM(o.amount) AS total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
CREATE TABLE archive.old_orders (id int PRIMARY KEY, customer_id int, mood enum('glad', 'sad'));
INSERT INTO customers VALUES
    (1, 'Anna', 'Norway', 100.5, '1980-02-29', '2026-01-01 10:00:00', true, x'00ff'),
    (2, 'O''Brien', 'Ireland', NULL, NULL, NULL, false, NULL),
    (3, 'Søren', 'Norway', 0, '1999-12-31', '2026-01-02 11:30:00', true, NULL);
INSERT INTO orders (customer_id, ordered_at, amount)
VALUES (1, '2026-01-01 10:00:00', 12.5), (1, '2026-01-03 10:00:00', 7.25), (3, '2026-02-01 09:00:00', 99.99);
INSERT INTO order_lines VALUES (1, 1, 'Tent'), (1, 2, 'Mug'), (2, 1, 'Mug');
INSERT INTO line_notes VALUES (1, 1, 2, 'blue');
INSERT INTO `Odd "Table; --` VALUES (1, 'small', 'x'), (2, 'large', NULL);
INSERT INTO archive.old_orders VALUES (1, 1, 'glad');
ANALYZE TABLE customers;

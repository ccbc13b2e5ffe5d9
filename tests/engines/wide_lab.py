"""A PostgreSQL source of some 300 tables, four of them with a million rows: what an index of values meets at work.

A business (customers, orders, products, shipments and what they belong to) among hundreds of tables of another kind.
Made by the server itself; it takes about a minute on two cores.
"""

from __future__ import annotations

from typing import Any

# Tables beside the business's own: twelve modules of as many tables.
MODULES = ("adm", "audit", "cfg", "crm", "doc", "fin", "hr", "inv", "log", "mkt", "ops", "web")
TABLES_EACH = 24
CUSTOMERS = 50_000
COUNTRIES = ("Norway", "Sweden", "Denmark", "Finland", "France", "Germany", "New Zealand", "Japan")

BUSINESS = """
CREATE TABLE regions (id int, name text NOT NULL);
CREATE TABLE customers (id int, name text, email text, country text, segment text, region_id int,
  note text, joined_on date);
CREATE TABLE suppliers (id int, name text, country text);
CREATE TABLE products (id int, name text, category text, supplier_id int, price numeric(10,2));
CREATE TABLE sales (id int, customer_id int, ordered_at timestamp, channel text,
  status text, amount numeric(10,2), reference text);
CREATE TABLE sale_lines (id int, sale_id int, product_id int, quantity int,
  amount numeric(10,2), discount_code text);
CREATE TABLE shipments (id int, sale_id int, shipped_at timestamp, carrier text, state text, tracking text);
CREATE TABLE page_views (id int, customer_id int, seen_at timestamp, device text, path text);
"""

KEYS = """
ALTER TABLE regions ADD PRIMARY KEY (id);
ALTER TABLE customers ADD PRIMARY KEY (id);
ALTER TABLE suppliers ADD PRIMARY KEY (id);
ALTER TABLE products ADD PRIMARY KEY (id);
ALTER TABLE sales ADD PRIMARY KEY (id);
ALTER TABLE sale_lines ADD PRIMARY KEY (id);
ALTER TABLE shipments ADD PRIMARY KEY (id);
ALTER TABLE page_views ADD PRIMARY KEY (id);
ALTER TABLE customers ADD FOREIGN KEY (region_id) REFERENCES regions;
ALTER TABLE products ADD FOREIGN KEY (supplier_id) REFERENCES suppliers;
ALTER TABLE sales ADD FOREIGN KEY (customer_id) REFERENCES customers;
ALTER TABLE sale_lines ADD FOREIGN KEY (sale_id) REFERENCES sales;
ALTER TABLE sale_lines ADD FOREIGN KEY (product_id) REFERENCES products;
ALTER TABLE shipments ADD FOREIGN KEY (sale_id) REFERENCES sales;
ALTER TABLE page_views ADD FOREIGN KEY (customer_id) REFERENCES customers;
"""

ROWS = """
INSERT INTO regions SELECT i, 'Region ' || i FROM generate_series(1, 12) i;
INSERT INTO customers SELECT i, 'Customer ' || i, 'c' || i || '@example.com', (ARRAY[{countries}])[1 + i % 8],
  (ARRAY['Retail', 'Wholesale', 'Public'])[1 + i % 3], 1 + i % 12, 'Met at fair ' || i, date '2020-01-01' + i % 1500
  FROM generate_series(1, {customers}) i;
INSERT INTO suppliers SELECT i, 'Supplier ' || i, (ARRAY['Norway', 'Italy', 'Spain'])[1 + i % 3] FROM generate_series(1, 60) i;
INSERT INTO products SELECT i, 'Product ' || i, (ARRAY['Chairs', 'Tables', 'Lamps', 'Beds'])[1 + i % 4], 1 + i % 60, 5 + i % 200
  FROM generate_series(1, 800) i;
INSERT INTO sales SELECT i, 1 + i % {customers}, timestamp '2023-01-01' + i % 1000 * interval '1 day',
  (ARRAY['web', 'shop', 'phone'])[1 + i % 3], (ARRAY['paid', 'open', 'cancelled'])[1 + i % 3], i % 900, 'S-' || i
  FROM generate_series(1, {million}) i;
INSERT INTO sale_lines SELECT i, 1 + i % {million}, 1 + i % 800, 1 + i % 5, i % 400, CASE WHEN i % 50 = 0 THEN 'SPRING' END
  FROM generate_series(1, {million}) i;
INSERT INTO shipments SELECT i, i, timestamp '2023-01-02' + i % 1000 * interval '1 day', (ARRAY['Nordpost', 'Rapid'])[1 + i % 2],
  (ARRAY['delivered', 'lost'])[1 + (i % 100 = 0)::int], 'T' || i FROM generate_series(1, {million}) i;
INSERT INTO page_views SELECT i, 1 + i % {customers}, timestamp '2024-01-01' + i * interval '20 seconds',
  (ARRAY['phone', 'laptop'])[1 + i % 2], '/page/' || i % 5000 FROM generate_series(1, {million}) i;
"""

MODULE = """
CREATE TABLE {name} (id int PRIMARY KEY, code text, label text, kind text, remark text, changed_at timestamp{points});
INSERT INTO {name} SELECT i, upper('{name}') || '-' || i, 'Entry ' || i, (ARRAY['active', 'old', 'draft'])[1 + i % 3],
  'Remark ' || md5(i::text), timestamp '2022-01-01' + i * interval '1 hour'{pointed} FROM generate_series(1, {rows}) i;
"""


def make(
    connection: Any, *, million: int = 1_000_000, each: int = TABLES_EACH, customers: int = CUSTOMERS
) -> int:
    """Make the tables in the database a connection is of; gives their number. `million` is the rows of the four large ones.

    Every twelfth of the others is empty, and every eleventh has a twentieth of a million.
    """
    countries = ", ".join(f"'{name}'" for name in COUNTRIES)
    connection.execute(BUSINESS)
    connection.execute(ROWS.format(countries=countries, customers=customers, million=million))
    connection.execute(KEYS)  # behind the rows: checked one by one they take ten times as long
    made = 8
    for module in MODULES:
        for number in range(each):
            made += 1
            before = f"{module}_t{number - 1:02}"
            rows = 0 if made % 12 == 0 else million // 20 if made % 11 == 0 else 300
            has_parent = number % 3 == 1 and (made - 1) % 12 != 0
            connection.execute(
                MODULE.format(
                    name=f"{module}_t{number:02}",
                    points=f", parent_id int REFERENCES {before}" if has_parent else "",
                    pointed=", 1 + i % 300" if has_parent else "",
                    rows=rows,
                )
            )
    connection.execute("ANALYZE")
    return made

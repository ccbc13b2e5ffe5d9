"""A trader whose software names tables in short and declares few keys: heads and lines, roles of staff, figures side by side."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics.values import Role
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits

SCRIPT = """
CREATE TABLE emp (emp_no INTEGER PRIMARY KEY, emp_nm TEXT NOT NULL, hire_dt TEXT NOT NULL, left_dt TEXT);
CREATE TABLE cust (cust_no INTEGER PRIMARY KEY, cust_nm TEXT NOT NULL, ctry TEXT NOT NULL);
CREATE TABLE product (prod_no INTEGER PRIMARY KEY, prod_nm TEXT NOT NULL, fam TEXT NOT NULL);
CREATE TABLE so_hd (ord_no INTEGER PRIMARY KEY, cust_no INTEGER NOT NULL REFERENCES cust(cust_no), ord_dt TEXT NOT NULL, rep_no INTEGER, src TEXT);
CREATE TABLE so_ln (
    ord_no INTEGER NOT NULL REFERENCES so_hd(ord_no), ln_no INTEGER NOT NULL, prod_no INTEGER NOT NULL REFERENCES product(prod_no),
    qty INTEGER NOT NULL, price REAL NOT NULL, PRIMARY KEY (ord_no, ln_no)
);
CREATE TABLE complaint (cmpl_no INTEGER PRIMARY KEY, so_no INTEGER NOT NULL, rcv_dt TEXT NOT NULL, reason TEXT, crd_amt REAL, hdl_by INTEGER);
CREATE TABLE pickup (pickup_id INTEGER PRIMARY KEY, cust_no INTEGER NOT NULL REFERENCES cust(cust_no), picked_on TEXT NOT NULL, weight_kg REAL, fee REAL);
CREATE TABLE trip (trip_id INTEGER PRIMARY KEY, planned_arrival TEXT NOT NULL, planned_departure TEXT NOT NULL, state TEXT NOT NULL);
CREATE TABLE fare (fare_id INTEGER PRIMARY KEY, trip_id INTEGER NOT NULL REFERENCES trip(trip_id), paid REAL, cancelled_at TEXT);
CREATE TABLE shift (shift_id INTEGER PRIMARY KEY, emp_no INTEGER NOT NULL REFERENCES emp(emp_no), started_at TEXT NOT NULL, ended_at TEXT NOT NULL, overtime_minutes INTEGER);
CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, cust_no INTEGER NOT NULL REFERENCES cust(cust_no), sent_on TEXT NOT NULL, postage_cents INTEGER NOT NULL, method TEXT);
CREATE TABLE insurance (insurance_id INTEGER PRIMARY KEY, parcel_id INTEGER NOT NULL REFERENCES parcel(parcel_id), premium REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
INSERT INTO emp SELECT 100 + i, 'Emp ' || i, '2019-0' || i || '-01', CASE WHEN i % 4 = 0 THEN '2025-03-31' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO cust SELECT 500 + i, 'House ' || i, CASE i % 3 WHEN 0 THEN 'Peru' WHEN 1 THEN 'Chile' ELSE 'Kenya' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
INSERT INTO product SELECT i, 'Blend ' || i, CASE WHEN i % 2 THEN 'green' ELSE 'black' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
INSERT INTO so_hd SELECT 7000 + i, 501 + i * i % 29, date('2024-01-01', '+' || i || ' days'), 101 + i % 5, CASE i % 4 WHEN 0 THEN 'app' WHEN 1 THEN 'phone' ELSE 'mail' END FROM n;
INSERT INTO so_ln SELECT ord_no, 1, 1 + ord_no % 9, 1 + ord_no % 7, 10.0 FROM so_hd;
INSERT INTO so_ln SELECT ord_no, 2, 1 + ord_no % 5, 2, 4.5 FROM so_hd WHERE ord_no % 3 = 0;
INSERT INTO complaint SELECT 1 + (ord_no - 7000) / 6, ord_no, date(ord_dt, '+9 days'), CASE ord_no % 5 WHEN 0 THEN 'stale' WHEN 1 THEN 'late' ELSE 'torn' END, 5.0 + ord_no % 11, 101 + ord_no % 7
    FROM so_hd WHERE ord_no % 6 = 0;
INSERT INTO pickup SELECT ord_no, cust_no, ord_dt, 20.0 + ord_no % 50, 3.0 + ord_no % 8 FROM so_hd;
INSERT INTO trip SELECT ord_no, ord_dt || ' 23:30:00', ord_dt || ' 08:00:00', CASE WHEN ord_no % 10 THEN 'done' ELSE 'cancelled' END FROM so_hd;
INSERT INTO fare SELECT ord_no, ord_no, 12.0, CASE WHEN ord_no % 7 = 0 THEN ord_dt END FROM so_hd;
INSERT INTO shift SELECT ord_no, 101 + ord_no % 8, ord_dt || ' 06:00:00', date(ord_dt, '+1 day') || ' 0' || (ord_no % 9) || ':00:00', ord_no % 40 FROM so_hd;
INSERT INTO parcel SELECT ord_no, cust_no, ord_dt, 300 + ord_no % 37 * 100, CASE ord_no % 3 WHEN 0 THEN 'air' ELSE 'road' END FROM so_hd;
INSERT INTO insurance SELECT ord_no, ord_no, 1.5 FROM so_hd WHERE ord_no % 2 = 0;
"""


@pytest.fixture(scope="module")
def database() -> MemoryDatabase:
    return MemoryDatabase(SCRIPT)


@pytest.fixture(scope="module")
def source(database) -> Source:
    catalog = database.catalog()
    return source_of(catalog, ValueIndex.build(catalog, database))


def told(database, source, asked):
    frame = understand(asked, source, date(2025, 6, 1))[1][0]
    return frame.frame, rows(database, frame.sql)


def rows(database, sql):
    return sorted(
        tuple(str(round(cell, 4) if isinstance(cell, float) else cell) for cell in row)
        for row in database.execute(sql, Limits()).rows
    )


@pytest.mark.parametrize(
    ("column", "target"),
    [("so_hd.rep_no", "emp"), ("complaint.hdl_by", "emp"), ("complaint.so_no", "so_hd")],
)
def test_keys_that_nobody_declared_are_found_by_the_role_they_name(source, column, target) -> None:
    table, name = column.split(".")
    (found,) = [r for r in source.model.relations if r.source == table and r.columns == (name,)]
    assert found.target == target and found.found
    field = source.model.field(table, name)
    assert field is not None and field.role is Role.FOREIGN


LINED = "FROM so_ln JOIN so_hd USING (ord_no) JOIN cust USING (cust_no)"


@pytest.mark.parametrize(
    ("asked", "gold"),
    [
        ("orders by country", "SELECT ctry, COUNT(*) FROM so_hd JOIN cust USING (cust_no) GROUP BY 1"),
        ("orders per weekday", "SELECT CASE strftime('%w', ord_dt) WHEN '0' THEN 'Sunday' WHEN '1' THEN 'Monday' WHEN '2' THEN 'Tuesday' WHEN '3' THEN 'Wednesday' WHEN '4' THEN 'Thursday' WHEN '5' THEN 'Friday' ELSE 'Saturday' END, COUNT(*) FROM so_hd GROUP BY 1"),
        ("orders by representative", "SELECT emp_nm, COUNT(*) FROM so_hd JOIN emp ON emp_no = rep_no GROUP BY 1"),
        ("complaints by country", "SELECT ctry, COUNT(*) FROM complaint JOIN so_hd ON ord_no = so_no JOIN cust USING (cust_no) GROUP BY 1"),
        ("most common complaint reason", "SELECT reason, COUNT(*) FROM complaint GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("average number of lines per order", "SELECT 1.0 * COUNT(*) / COUNT(DISTINCT ord_no) FROM so_ln"),
        ("revenue and number of orders by country", f"SELECT ctry, SUM(qty * price), COUNT(DISTINCT ord_no) {LINED} GROUP BY 1"),
        ("number of orders and revenue by country", f"SELECT ctry, COUNT(DISTINCT ord_no), SUM(qty * price) {LINED} GROUP BY 1"),
        ("revenue, number of orders by country", f"SELECT ctry, SUM(qty * price), COUNT(DISTINCT ord_no) {LINED} GROUP BY 1"),
        ("complaints as % of orders by country", "SELECT ctry, 100.0 * COUNT(cmpl_no) / COUNT(*) FROM so_hd JOIN cust USING (cust_no) LEFT JOIN complaint ON so_no = ord_no GROUP BY 1"),
        ("best sellers", "SELECT prod_nm, SUM(qty) FROM so_ln JOIN product USING (prod_no) GROUP BY 1 ORDER BY 2 DESC LIMIT 10"),
        ("top 3 best sellers", "SELECT prod_nm, SUM(qty) FROM so_ln JOIN product USING (prod_no) GROUP BY 1 ORDER BY 2 DESC LIMIT 3"),
        ("weight by country", "SELECT ctry, SUM(weight_kg) FROM pickup JOIN cust USING (cust_no) GROUP BY 1"),
        ("average weight by country", "SELECT ctry, AVG(weight_kg) FROM pickup JOIN cust USING (cust_no) GROUP BY 1"),
        ("fee per kg by country", "SELECT ctry, SUM(fee) / SUM(weight_kg) FROM pickup JOIN cust USING (cust_no) GROUP BY 1"),
        ("active employees", "SELECT emp_nm FROM emp WHERE left_dt IS NULL"),
        ("how many active employees", "SELECT COUNT(*) FROM emp WHERE left_dt IS NULL"),
        ("trips by month", "SELECT strftime('%Y-%m', planned_departure), COUNT(*) FROM trip GROUP BY 1"),
        ("how many trips did we cancel", "SELECT COUNT(*) FROM trip WHERE state = 'cancelled'"),
        ("average shift length", "SELECT AVG(julianday(ended_at) - julianday(started_at)) FROM shift"),
        ("how many customers have ordered both by app and by phone", "SELECT COUNT(*) FROM cust WHERE cust_no IN (SELECT cust_no FROM so_hd WHERE src = 'app') AND cust_no IN (SELECT cust_no FROM so_hd WHERE src = 'phone')"),
        ("how many complaints and how much money is that", "SELECT COUNT(*), SUM(crd_amt) FROM complaint"),
        ("parcels without insurance in 2024", "SELECT COUNT(*) FROM parcel WHERE sent_on < '2025' AND parcel_id NOT IN (SELECT parcel_id FROM insurance)"),
        ("parcels with postage over 20", "SELECT COUNT(*) FROM parcel WHERE postage_cents > 2000"),
        ("parcels with postage over 20 euros by method", "SELECT method, COUNT(*) FROM parcel WHERE postage_cents > 2000 GROUP BY 1"),
        ("parcels with postage over 900 cents", "SELECT COUNT(*) FROM parcel WHERE postage_cents > 900"),
        ("pickup total by country", "SELECT ctry, SUM(fee) FROM pickup JOIN cust USING (cust_no) GROUP BY 1"),
        ("pickups over 5 by country", "SELECT ctry, COUNT(*) FROM pickup JOIN cust USING (cust_no) WHERE fee > 5 GROUP BY 1"),
        ("orders by country over 150", "SELECT ctry, COUNT(*) FROM so_hd JOIN cust USING (cust_no) GROUP BY 1 HAVING COUNT(*) > 150"),
    ],
)  # fmt: skip
def test_what_a_clerk_of_the_trader_types(database, source, asked, gold) -> None:
    frame, found = told(database, source, asked)
    assert frame.unused == ()
    assert found == rows(database, gold)


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("median order value", "order value"),
        ("revenue, complaints and employees by country", "employees"),
        ("premium as a percentage of postage", "postage"),
    ],
)
def test_what_a_frame_leaves_out_is_said(database, source, asked, left) -> None:
    frame, _ = told(database, source, asked)
    assert left in frame.unused


def test_times_that_a_framework_keeps_of_every_row_are_not_when_it_happened() -> None:
    kept = "created_at TEXT NOT NULL, updated_at TEXT NOT NULL"
    database = MemoryDatabase(f"""
        CREATE TABLE clinic (id INTEGER PRIMARY KEY, name TEXT, {kept});
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, {kept});
        CREATE TABLE bill (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id), issued_on TEXT, amount REAL, {kept});
        CREATE TABLE payment (id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bill(id), amount REAL, paid_on TEXT, {kept});
        CREATE TABLE note (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person(id), text TEXT, {kept});
        INSERT INTO person VALUES (1, 'Ann', '2025-01-01 08:00:00', '2025-01-01 08:00:00');
        INSERT INTO bill VALUES (1, 1, '2025-02-01', 80.0, '2025-03-01 08:00:00', '2025-03-01 08:00:00');
        INSERT INTO payment VALUES (1, 1, 80.0, '2025-02-20', '2025-03-01 08:00:00', '2025-03-01 08:00:00');
        INSERT INTO note VALUES (1, 1, 'rang', '2025-03-01 08:00:00', '2025-03-01 08:00:00');
    """)
    catalog = database.catalog()
    things = source_of(catalog, ValueIndex.build(catalog, database)).model.things
    assert things["payment"].default_time == "paid_on"
    assert things["bill"].default_time == "issued_on"
    assert things["note"].default_time == "created_at"

"""Codes in a table of lists, units at the ends of names, days to come, places in a ranking: a ferry line and a kitchen."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.rivals import is_rival
from sqlagent.values import Limits
from tests.agent.places import place

FERRIES = """
CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, owner_name TEXT, contact_first TEXT, contact_last TEXT, country TEXT, owner_type TEXT, customer_since TEXT);
CREATE TABLE worker (worker_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, hire_date TEXT, leave_date TEXT, slot TEXT);
CREATE TABLE vessel (vessel_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner(owner_id), vessel_name TEXT, vessel_type TEXT, len_m REAL, on_sale TEXT);
CREATE TABLE contract (contract_id INTEGER PRIMARY KEY, contract_no TEXT UNIQUE, vessel_id INTEGER REFERENCES vessel(vessel_id), owner_id INTEGER REFERENCES owner(owner_id), contract_type TEXT, start_dt TEXT, end_dt TEXT, discount_pct REAL, status TEXT);
CREATE TABLE bunkering (bunkering_id INTEGER PRIMARY KEY, vessel_id INTEGER REFERENCES vessel(vessel_id), worker_id INTEGER REFERENCES worker(worker_id), pumped_at TEXT, fuel_cd TEXT, qty_l REAL, worked_hrs REAL, est_hrs REAL, town_state TEXT, town TEXT, job_status TEXT, applied_on TEXT, done_on TEXT);
CREATE TABLE bill (bill_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner(owner_id), src_type TEXT, src_id INTEGER, issued_on TEXT, due_on TEXT, total_amt REAL, paid_amt REAL, paid_on TEXT);
CREATE TABLE code_text (field_name TEXT, code TEXT, meaning TEXT, PRIMARY KEY (field_name, code));
INSERT INTO owner VALUES (1,'Blue Line','Ann','Lee','Germany','CO','2024-01-01'),(2,'Old Salt','Ben','Ash','Germany','PR','2024-02-01'),(3,'Red Cross','Cy','Oak','Norway','CO','2024-03-01');
INSERT INTO worker VALUES (1,'Di','Elm','2025-02-01','2025-08-01','late'),(2,'Ed','Fir','2025-03-01',NULL,'early'),(3,'Flo','Yew','2023-01-01','2025-04-01','late');
INSERT INTO vessel VALUES (1,1,'Gull','FER',25,'Y'),(2,1,'Tern','FER',12,'N'),(3,3,'Auk','TUG',31,'N'),(4,3,'Skua','TUG',8,'Y');
INSERT INTO contract VALUES (1,'C-1',1,1,'ANN','2025-01-01','2025-12-10',10,'ACT'),(2,'C-2',2,1,'MON','2025-11-01','2026-03-01',4,'ACT'),(3,'C-3',3,3,'ANN','2024-01-01','2024-12-31',20,'EXP'),(4,'C-4',1,1,'MON','2024-05-01','2024-05-31',0,'EXP');
INSERT INTO bunkering VALUES (1,1,1,'2025-10-01 08:00:00','D',500,4,2,'QLD','Cairns','DN','2025-09-01','2025-09-11'),(2,1,2,'2025-11-02 08:00:00','D',300,1,2,'QLD','Cairns','DN','2025-10-20','2025-10-22'),
 (3,3,2,'2025-11-03 08:00:00','P',900,6,5,'NSW','Eden','CX','2025-10-01','2025-10-31'),(4,3,1,'2025-11-20 08:00:00','P',100,2,2,'NSW','Eden','OP','2025-11-01',NULL);
INSERT INTO bill VALUES (1,1,'FUEL',7001,'2025-10-05','2025-10-20',100,100,'2025-10-25'),(2,1,'STAY',7009,'2025-11-05','2025-11-15',80,30,NULL),(3,3,'FUEL',7002,'2025-11-06','2025-12-20',50,0,NULL),(4,3,'FUEL',7003,'2024-11-06','2024-11-30',40,40,'2024-11-20');
INSERT INTO code_text VALUES ('vessel_type','FER','Ferry'),('vessel_type','TUG','Tug boat'),('fuel_cd','D','Diesel'),('fuel_cd','P','Petrol'),('contract_type','ANN','Annual'),('contract_type','MON','Monthly'),
 ('status','ACT','Active'),('status','EXP','Expired'),('job_status','DN','Done'),('job_status','CX','Cancelled by client'),('job_status','OP','Open'),('owner_type','CO','Company'),('owner_type','PR','Private person');
"""


@pytest.fixture(scope="module")
def ferries():
    return place(FERRIES)


def frames_of(placed, text):
    return understand(text, placed[1], date(2025, 11, 20))[1]


def told(placed, text):
    """The rows of the first frame, and the words that it leaves out."""
    first = frames_of(placed, text)[0]
    return [tuple(row) for row in placed[0].execute(first.sql, Limits()).rows], first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how many ferries", [(2,)]),
        ("owners without a vessel", [("Old Salt",)]),
        ("how many german owners dont have a vessel", [(1,)]),
        ("vessels over 20m", [("Gull",), ("Auk",)]),
        ("vessels longer than 20 metres", [("Gull",), ("Auk",)]),
        ("fuel litres by fuel", [("Petrol", 1000), ("Diesel", 800)]),
        ("hours per fuel", [("Petrol", 8), ("Diesel", 5)]),
        ("how many bunkerings over 3h", [(2,)]),
        ("avg discount on annual contracts", [(15,)]),
        ("contracts ending in the next 30 days", [("C-1",)]),
        ("contracts expiring next month", [("C-1",)]),
        ("billed by source in 2025", [("FUEL", 150), ("STAY", 80)]),
        ("ytd billed growth vs same period last year", [(475,)]),
        ("total overdue", [(50,)]),
        ("share of bills paid late", [(50,)]),
        ("bunkering cancellation rate", [(25,)]),
        ("who was hired in 2025 and already left", [("Di", "Elm")]),
        ("workers on the late slot", [("Di", "Elm"), ("Flo", "Yew")]),
        ("owners with a contract per year", [("2024", 2), ("2025", 1)]),
        ("second longest vessel", [("Gull", 25)]),
    ],
)
def test_a_ferry_line_is_understood(ferries, text, wanted):
    rows, unused = told(ferries, text)
    assert unused == ()
    assert [pytest.approx(row) for row in sorted(wanted)] == sorted(rows)


def test_rows_that_took_longest_are_listed(ferries):
    rows, unused = told(ferries, "3 bunkerings that took longest from applied to done")
    assert unused == () and len(rows) == 3
    assert [row[-2:] for row in rows][0] == ("2025-10-01", "2025-10-31")


def test_a_bound_is_no_number_of_rows(ferries):
    rows, _ = told(ferries, "bunkerings over 250 litres with the longest time from applied to done")
    assert len(rows) == 1


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("second contract of each owner", "second"),
        ("how many times did a bunkering take more than 3 hours in one day", "one day"),
        ("how long does it take a new owner to sign the first contract", "first"),
        ("last contract of each owner by month", "last"),
    ],
)
def test_what_a_frame_cannot_tell_is_said(ferries, text, word):
    frames = frames_of(ferries, text)
    assert (
        not frames or word in frames[0].frame.unused or any(w in frames[0].frame.unused for w in ("month",))
    )


def test_a_place_of_two_tables_is_asked(ferries):
    placed = place(
        """
        CREATE TABLE shops (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        CREATE TABLE buyers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops(id), buyer_id INTEGER REFERENCES buyers(id), ordered_on TEXT, amount REAL);
        INSERT INTO shops VALUES (1,'A','Oslo'),(2,'B','Bergen');
        INSERT INTO buyers VALUES (1,'X','Oslo'),(2,'Y','Oslo'),(3,'Z','Bergen');
        INSERT INTO orders VALUES (1,1,3,'2025-01-01',5),(2,2,1,'2025-01-02',6),(3,2,2,'2025-01-03',7);
        """
    )
    first, second = frames_of(placed, "how many orders in Oslo")[:2]
    counts = [list(placed[0].execute(one.sql, Limits()).rows)[0][0] for one in (first, second)]
    assert sorted(counts) == [1, 2] and is_rival(first.frame, second.frame)


NURSERY = """
CREATE TABLE Codes (ID INTEGER PRIMARY KEY, CodeType TEXT, Code TEXT, Label TEXT);
CREATE TABLE Varieties (ID INTEGER PRIMARY KEY, VarietyName TEXT, TypeCode TEXT, MethodCode TEXT, Discontinued TEXT);
CREATE TABLE Customers (ID INTEGER PRIMARY KEY, CustomerName TEXT, State TEXT);
CREATE TABLE Orders (ID INTEGER PRIMARY KEY, OrderNo TEXT, CustomerID INTEGER REFERENCES Customers(ID), OrderedOn TEXT);
CREATE TABLE OrderLines (ID INTEGER PRIMARY KEY, OrderID INTEGER REFERENCES Orders(ID), VarietyID INTEGER REFERENCES Varieties(ID), Quantity INTEGER, UnitPrice REAL);
CREATE TABLE Invoices (ID INTEGER PRIMARY KEY, InvoiceNo TEXT, OrderID INTEGER REFERENCES Orders(ID), CustomerID INTEGER REFERENCES Customers(ID), IssuedOn TEXT, NetAmount REAL, TotalAmount REAL, PaidAmount REAL);
INSERT INTO Codes VALUES (1,'PlantType','T','Tree'),(2,'PlantType','R','Rose'),(3,'PlantType','C','Conifer'),(4,'Raising','SEED','Sown'),(5,'Raising','CUTT','Cutting'),(6,'Raising','GRAF','Grafted');
INSERT INTO Varieties VALUES (1,'Red plant','T','SEED','N'),(2,'Oak','T','CUTT','N'),(3,'Rosa','R','GRAF','N'),(4,'Fir','C','SEED','Y');
INSERT INTO Customers VALUES (1,'Green Hill','WA'),(2,'Leaf','OR');
INSERT INTO Orders VALUES (1,'O-1',1,'2025-07-02'),(2,'O-2',2,'2025-08-02'),(3,'O-3',1,'2024-07-05');
INSERT INTO OrderLines VALUES (1,1,1,2,10),(2,1,3,1,5),(3,2,2,4,10),(4,3,4,1,50);
INSERT INTO Invoices VALUES (1,'I-1',1,1,'2025-07-10',24,30,30),(2,'I-2',2,2,'2025-08-10',39,45,5),(3,'I-3',3,1,'2024-07-09',48,55,55);
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("active varieties by plant type", [("Rose", 1), ("Tree", 2)]),
        ("varieties by raising method", [("Cutting", 1), ("Grafted", 1), ("Sown", 2)]),
        ("order value by state in 2025", [("OR", 40), ("WA", 25)]),
        ("how much do customers still owe us", [(40,)]),
        ("top customer by money spent in 2025", [("Leaf", 39)]),
        ("average spend per customer", [(55.5,)]),
    ],
)
def test_lists_name_their_columns_and_orders_their_value(text, wanted):
    rows, unused = told(place(NURSERY), text)
    assert unused == ()
    assert sorted(rows) == [pytest.approx(row) for row in wanted]

"""Names and codes of business ledgers: heads and lines cut short, lists named without spaces, states of one letter."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Limits
from tests.agent.places import place

LEDGER = """
CREATE TABLE lists (lst_type TEXT, cd TEXT, cd_desc TEXT, PRIMARY KEY (lst_type, cd));
CREATE TABLE client (clnt_no INTEGER PRIMARY KEY, fName TEXT, lName TEXT, clnt_typ TEXT, addr_city TEXT, addr_st TEXT, clntStatus TEXT, cntry TEXT);
CREATE TABLE item (item_no TEXT PRIMARY KEY, item_desc TEXT, brand TEXT, make TEXT, list_prc REAL);
CREATE TABLE so_hdr (so_no INTEGER PRIMARY KEY, clnt_no INTEGER REFERENCES client(clnt_no), ord_dt TEXT, site TEXT);
CREATE TABLE so_line (so_no INTEGER REFERENCES so_hdr(so_no), ln_no INTEGER, item_no TEXT REFERENCES item(item_no), qty_ord INTEGER, qty_shp INTEGER, unit_prc REAL, unit_cost REAL, PRIMARY KEY (so_no, ln_no));
CREATE TABLE po_line (po_no INTEGER, po_ln INTEGER, item_no TEXT REFERENCES item(item_no), ord_dt TEXT, qty_ord INTEGER, unit_cost REAL, site TEXT, PRIMARY KEY (po_no, po_ln));
CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, clnt_no INTEGER REFERENCES client(clnt_no), visit_dt TEXT, visit_status TEXT, visit_kind TEXT);
CREATE TABLE repair (repair_id INTEGER PRIMARY KEY, visit_id INTEGER REFERENCES visit(visit_id), completed_on TEXT);
CREATE TABLE stud (stud_id INTEGER PRIMARY KEY, fname TEXT, lname TEXT, dt_reg TEXT);
CREATE TABLE lesson (les_id INTEGER PRIMARY KEY, title TEXT, is_active INTEGER);
CREATE TABLE enrl (enrl_id INTEGER PRIMARY KEY, stud_id INTEGER REFERENCES stud(stud_id), les_id INTEGER REFERENCES lesson(les_id), ts_bkd TEXT, disc_cd TEXT, st TEXT);
CREATE TABLE inv (inv_id INTEGER PRIMARY KEY, stud_id INTEGER REFERENCES stud(stud_id), dt_issued TEXT, dt_paid TEXT, amt REAL);
INSERT INTO stud VALUES (1,'Di','Elm','2024-01-03'),(2,'Ed','Fir','2024-05-03'),(3,'Flo','Yew','2023-05-03');
INSERT INTO lesson VALUES (1,'Knots',1),(2,'Sails',0);
INSERT INTO enrl VALUES (1,1,1,'2024-01-05','STUDENT','open'),(2,2,2,'2024-05-05','SENIOR','done'),(3,3,1,'2024-05-06','STUDENT','done');
INSERT INTO inv VALUES (1,1,'2024-01-06',NULL,70),(2,2,'2024-05-06','2024-05-30',80),(3,3,'2024-05-07',NULL,30);
INSERT INTO lists VALUES ('CLNTTYP','F','Fleet'),('CLNTTYP','P','Private'),('SHIFT','F','First'),('SHIFT','P','Past noon'),('SHIFT','N','Night');
INSERT INTO client VALUES (1,'Ann','Lee','F','Cleveland','OH','A','US'),(2,'Ben','Ash','P','Dayton','OH','I','US'),(3,'Cy','Oak','F','Toronto','ON','A','CA');
INSERT INTO item VALUES ('A1','Filter','Acme','M1',20),('B2','Pump','Bolt','M2',90),('C3','Belt','Acme','M1',40);
INSERT INTO so_hdr VALUES (1,1,'2024-02-01','N'),(2,2,'2024-03-05','S'),(3,3,'2024-09-30','N');
INSERT INTO so_line VALUES (1,1,'A1',5,4,20,12),(1,2,'B2',1,1,90,60),(2,1,'C3',3,3,40,20),(3,1,'A1',10,6,20,12);
INSERT INTO po_line VALUES (1,1,'A1','2024-01-02',50,12,'N'),(1,2,'B2','2024-01-02',20,60,'N'),(2,1,'C3','2024-05-02',30,20,'S'),(3,1,'C3','2024-06-02',30,20,'S'),(4,1,'C3','2024-06-09',30,20,'S');
INSERT INTO visit VALUES (1,1,'2024-02-01','CMP','INSP'),(2,2,'2024-03-01','NSH','EMERG'),(3,3,'2024-03-09','CMP','EMERG'),(4,3,'2024-04-01','CXL','INSP'),(5,1,'2024-05-01','CMP','TIRES');
INSERT INTO repair VALUES (1,1,'2024-02-02'),(2,3,NULL);
"""


@pytest.fixture(scope="module")
def ledger():
    return place(LEDGER)


def told(placed, text):
    first = understand(text, placed[1], date(2024, 10, 1))[1][0]
    return [tuple(row) for row in placed[0].execute(first.sql, Limits()).rows], first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how many active clients", [(2,)]),
        ("inactive clients", [("Ben", "Ash")]),
        ("fleet clients in ohio", [("Ann", "Lee")]),
        ("how many orders", [(3,)]),
        ("orders by site", [("N", 2), ("S", 1)]),
        ("qty shipped by part", [("Filter", 10), ("Pump", 1), ("Belt", 3)]),
        ("most expensive part by list price", [("Pump", 90)]),
        ("how many different brands do we carry", [(2,)]),
        ("gross margin by brand", [("Acme", 180), ("Bolt", 30)]),
        ("gross margin by make", [("M1", 180), ("M2", 30)]),
        ("orders before 9/30/2024", [(2,)]),
        ("completed visits in 2024", [(3,)]),
        ("no shows in 2024", [(1,)]),
        ("how many emergency visits", [(2,)]),
        ("how many new students registered in 2024", [(2,)]),
        ("total amount of open invoices", [(100,)]),
        ("which lessons are no longer offered", [("Sails",)]),
    ],
)
def test_a_ledger_is_understood(ledger, text, wanted):
    rows, unused = told(ledger, text)
    assert unused == ()
    assert sorted(rows) == [pytest.approx(row) for row in sorted(wanted)]


def test_a_day_whose_month_nothing_tells_is_named(ledger):
    _, unused = told(ledger, "orders before 3/4/2024")
    assert "3/4/2024" in " ".join(unused)


CHARITY = """
CREATE TABLE CodeList (CodeSet TEXT, Code TEXT, Label TEXT, PRIMARY KEY (CodeSet, Code));
CREATE TABLE Constituent (ConsID INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, Region TEXT, AddedDate TEXT);
CREATE TABLE Scheme (SchemeID INTEGER PRIMARY KEY, SchemeName TEXT, BudgetAmt NUMERIC);
CREATE TABLE Gift (GiftID INTEGER PRIMARY KEY, ConsID INTEGER NOT NULL REFERENCES Constituent(ConsID), GiftDate TEXT, Amt NUMERIC, PayCode TEXT, StatusCode TEXT);
CREATE TABLE Standing (StandingID INTEGER PRIMARY KEY, ConsID INTEGER REFERENCES Constituent(ConsID), EndDate TEXT, CancelReason TEXT, Outcome TEXT);
CREATE TABLE Helper (HelperID INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT);
CREATE TABLE Duty (DutyID INTEGER PRIMARY KEY, HelperID INTEGER REFERENCES Helper(HelperID), DutyDate TEXT, Hours NUMERIC, DutyStatus TEXT);
INSERT INTO CodeList VALUES ('PAYMETHOD','CC','Card'),('PAYMETHOD','BT','Bank transfer'),('PAYMETHOD','CSH','Cash'),('GIFTSTATUS','R','Received'),('GIFTSTATUS','F','Failed'),('GIFTSTATUS','P','Pending'),
 ('REASONS','OTH','Supporting another charity'),('REASONS','NOR','No reason given');
INSERT INTO Constituent VALUES (1,'Ann','Lee','North','2024-01-01'),(2,'Ben','Ash','South','2024-02-01'),(3,'Cy','Oak','North','2025-01-01');
INSERT INTO Scheme VALUES (1,'Roof',500),(2,'Soup',900);
INSERT INTO Gift VALUES (1,1,'2024-02-01',10,'CC','R'),(2,1,'2024-03-01',20,'BT','R'),(3,2,'2024-03-05',40,'CC','F'),(4,3,'2025-02-01',80,'CSH','R'),(5,3,'2025-02-05',5,'CSH','P');
INSERT INTO Standing VALUES (1,1,'2025-01-01','OTH','x'),(2,2,NULL,NULL,'y'),(3,3,'2025-02-01','NOR','x');
INSERT INTO Helper VALUES (1,'Di','Elm'),(2,'Ed','Fir');
INSERT INTO Duty VALUES (1,1,'2025-01-02',4,'WORKED'),(2,2,'2025-01-03',3,'NOSHOW'),(3,1,'2025-02-03',2,'WORKED');
"""


@pytest.fixture(scope="module")
def charity():
    return place(CHARITY)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how much did we raise in 2024", [(30,)]),
        ("income by payment method", [("Card", 10), ("Bank transfer", 20), ("Cash", 80)]),
        ("how many supporters", [(3,)]),
        ("donors by region", [("North", 2), ("South", 1)]),
        ("scheme budgets, biggest first", [("Soup", 900), ("Roof", 500)]),
        ("total helper hours 2025", [(9,)]),
        ("no shows in 2025", [(1,)]),
        ("outcomes, how many each", [("x", 2), ("y", 1)]),
    ],
)
def test_a_charity_is_understood(charity, text, wanted):
    rows, unused = told(charity, text)
    assert unused == ()
    assert sorted(rows) == [pytest.approx(row) for row in sorted(wanted)]


@pytest.mark.parametrize(
    ("text", "left"),
    [("how many active helpers have not been in since may 2025", "active"), ("who gave in 2030", "gave")],
)
def test_what_only_looks_understood_is_a_draft(charity, text, left):
    """A state is nothing that is counted, and one word of a sentence is not that sentence."""
    frames = understand(text, charity[1], date(2025, 3, 1))[1]
    assert not frames or left in frames[0].frame.unused or frames[0].frame.cost >= 0.5

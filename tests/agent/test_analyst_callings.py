"""Names of things: owners who are customers, installations that are jobs, sessions by their type, states by their stored names."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import today_of, understand
from sqlagent.makers.analyst.sampler import DOUBTED, Analysis
from sqlagent.values import Limits, Outcome, Why
from tests.agent.places import place

KENNEL = """
CREATE TABLE owners (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, segment TEXT, registered_at TEXT);
CREATE TABLE staff_members (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, hired_at TEXT);
CREATE TABLE pets (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(id), name TEXT, species TEXT);
CREATE TABLE stays (id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pets(id), keeper_id INTEGER REFERENCES staff_members(id), booked_at TEXT, starts_at TEXT, finished_at TEXT, status TEXT, notes TEXT, rating INTEGER);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(id), issued_at TEXT, subtotal REAL, discount_amount REAL, total_amount REAL);
CREATE TABLE invoice_lines (id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoices(id), quantity INTEGER, line_total REAL);
CREATE TABLE claims (id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoices(id), insurer TEXT, submitted_at TEXT, decided_at TEXT);
INSERT INTO owners VALUES (1,'Ann','Client','key account','2024-01-01'),(2,'Ben','Ash','walk-in','2024-02-01'),(3,'Cy','Oak','key account','2024-02-01');
INSERT INTO staff_members VALUES (1,'Di','User','2024-01-01'),(2,'Ed','Elm','2024-01-01');
INSERT INTO pets VALUES (1,1,'Rex','dog'),(2,2,'Tom','cat'),(3,1,'Ira','dog');
INSERT INTO stays VALUES (1,1,1,'2026-03-01','2026-03-02','2026-03-05','completed','fasted since midnight',5),(2,1,1,'2026-05-01','2026-05-02','2026-05-03','completed','calm',4),
 (3,2,2,'2026-05-03','2026-05-04','2026-05-06','billed',NULL,NULL),(4,3,2,'2026-06-10','2026-08-01',NULL,'planned','calm',NULL);
INSERT INTO invoices VALUES (1,1,'2026-03-05',100,10,90),(2,1,'2026-05-03',50,0,50),(3,2,'2026-06-06',30,5,25);
INSERT INTO invoice_lines VALUES (1,1,1,60),(2,1,2,40),(3,2,1,50),(4,3,1,30);
INSERT INTO claims VALUES (1,1,'Sun','2026-03-06','2026-03-16'),(2,2,'Moon','2026-05-04','2026-05-08');
"""

STUDIO = """
CREATE TABLE Member (MemberId INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, JoinedOn TEXT);
CREATE TABLE ContractState (State TEXT PRIMARY KEY, Label TEXT);
CREATE TABLE Plan (PlanId INTEGER PRIMARY KEY, Name TEXT, OnSale TEXT);
CREATE TABLE Contract (ContractId INTEGER PRIMARY KEY, MemberId INTEGER REFERENCES Member(MemberId), PlanId INTEGER REFERENCES Plan(PlanId), StartDate TEXT, EndDate TEXT, CancelledOn TEXT, State TEXT REFERENCES ContractState(State), Fee REAL);
CREATE TABLE ClassType (ClassTypeId INTEGER PRIMARY KEY, Name TEXT, Level TEXT);
CREATE TABLE ClassSession (ClassSessionId INTEGER PRIMARY KEY, ClassTypeId INTEGER REFERENCES ClassType(ClassTypeId), StartsAt TEXT, Capacity INTEGER);
CREATE TABLE Booking (BookingId INTEGER PRIMARY KEY, ClassSessionId INTEGER REFERENCES ClassSession(ClassSessionId), MemberId INTEGER REFERENCES Member(MemberId), BookedAt TEXT);
CREATE TABLE Crew (CrewId INTEGER PRIMARY KEY, CrewName TEXT, LeadMemberId INTEGER REFERENCES Member(MemberId));
CREATE TABLE Lead (LeadId INTEGER PRIMARY KEY, Source TEXT, Status TEXT, CreatedOn TEXT);
CREATE TABLE Payment (PaymentId INTEGER PRIMARY KEY, MemberId INTEGER REFERENCES Member(MemberId), Method TEXT, PaidOn TEXT, Amount REAL);
CREATE TABLE Invoice (InvoiceId INTEGER PRIMARY KEY, InstallId INTEGER REFERENCES Install(InstallId), IssuedOn TEXT, Amount REAL);
INSERT INTO Lead VALUES (1,'web','won','2026-02-01'),(2,'web','lost','2026-02-02'),(3,'fair','won','2026-03-01'),(4,'web','lost','2026-03-02');
INSERT INTO Payment VALUES (1,1,'card','2026-02-01',10),(2,2,'card','2026-02-03',30),(3,1,'cash','2026-03-01',5);
CREATE TABLE Install (InstallId INTEGER PRIMARY KEY, JobNo TEXT NOT NULL UNIQUE, MemberId INTEGER REFERENCES Member(MemberId), InstalledOn TEXT, Fee REAL);
INSERT INTO Member VALUES (1,'Ann','Lee','2026-01-01'),(2,'Ben','Ash','2026-01-02'),(3,'Cy','Oak','2026-02-01');
INSERT INTO ContractState VALUES ('A','Active'),('C','Cancelled'),('P','Paused');
INSERT INTO Plan VALUES (1,'Basic','Y'),(2,'Gold','N'),(3,'Trial','Y');
INSERT INTO Contract VALUES (1,1,1,'2026-01-01','2026-12-31',NULL,'A',10),(2,2,1,'2026-01-01','2026-03-31','2026-02-15','C',10),(3,3,2,'2026-02-01',NULL,NULL,'A',20);
INSERT INTO ClassType VALUES (1,'Yoga','easy'),(2,'Spin','hard');
INSERT INTO ClassSession VALUES (1,1,'2026-03-01 10:00:00',10),(2,1,'2026-03-02 10:00:00',10),(3,2,'2026-09-01 10:00:00',8);
INSERT INTO Booking VALUES (1,1,1,'2026-02-20 08:00:00'),(2,2,2,'2026-02-21 08:00:00'),(3,2,1,'2026-02-21 09:00:00'),(4,3,1,'2026-03-03 09:00:00');
INSERT INTO Crew VALUES (1,'Bravo',2),(2,'Delta',3);
INSERT INTO Install VALUES (1,'J-1',1,'2026-02-01',5),(2,'J-2',1,'2026-02-02',6),(3,'J-3',2,'2026-03-02',7);
INSERT INTO Invoice VALUES (1,1,'2026-02-05',5),(2,3,'2026-03-03',7);
"""


@pytest.fixture(scope="module")
def kennel():
    return place(KENNEL)


@pytest.fixture(scope="module")
def studio():
    return place(STUDIO)


def told(placed, text):
    """The rows of the first frame, and the words that it leaves out."""
    database, source = placed
    first = understand(text, source, today_of(source, date(2026, 6, 20)))[1][0]
    return list(database.execute(first.sql, Limits()).rows), first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how many customers", [(3,)]),
        ("how many clients have no pet", [(1,)]),
        ("invoiced total in may", [(50,)]),
        ("invoices over 60, number and total", [(1, 90)]),
        ("stays since may", [(3,)]),
        ("completed stays in march", [(1,)]),
        ("avg days from submission to decision", [(7,)]),
        ("invoiced total of each key account", [("Ann", "Client", 140)]),
    ],
)
def test_a_kennel_is_understood(kennel, text, wanted):
    rows, unused = told(kennel, text)
    assert unused == ()
    assert [tuple(row) for row in rows] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("active contracts", [(2,)]),
        ("which class gets the most bookings", [("Yoga", 3)]),
        ("how many classes in march", [(2,)]),
        ("who leads Bravo", [("Ben", "Ash")]),
        ("jobs since march", [(1,)]),
        ("plans nobody ever bought", [("Trial",)]),
        ("jobs without an invoice", [("J-2",)]),
        ("how many jobs without an invoice", [(1,)]),
        ("how many leads in march 2026", [(2,)]),
        ("what % of leads end up won, per source", [("fair", 100), ("web", 100 / 3)]),
    ],
)
def test_a_studio_is_understood(studio, text, wanted):
    rows, unused = told(studio, text)
    assert unused == ()
    assert [tuple(row) for row in rows] == [pytest.approx(row) for row in wanted]


def test_whether_payments_are_added_up_or_counted_is_asked(studio):
    reading, frames = understand("payments by method", studio[1], date(2026, 3, 20))
    assert Analysis(reading, tuple(frames), (), True).outcome()[0] is Outcome.AMBIGUOUS
    assert {one.frame.measures[0].agg for one in frames[:2]} == {"sum", "rows"}


def test_what_became_another_figure_is_said(kennel, studio):
    assert "end" in told(studio, "avg days from start to end of cancelled contracts")[1]
    assert "total" in told(kennel, "discounts by owner, total and % of subtotal")[1]


def test_staff_members_are_staff(kennel):
    assert told(kennel, "staff by last name")[1] == ()


def test_a_bound_before_a_noun_that_became_one_on_a_figure_is_said(kennel):
    _, unused = told(kennel, "avg rating per keeper, only those with 40+ rated stays")
    assert "rated stays" in unused


def test_plans_of_tomorrow_are_no_data_of_today(kennel, studio):
    """The newest stay begins in August, and was booked in June; sessions of September are planned."""
    assert kennel[1].model.newest == "2026-06-10"
    assert studio[1].model.newest == "2026-03-03"


def test_an_answer_that_is_as_likely_wrong_is_a_draft(kennel, monkeypatch):
    reading, frames = understand("how many customers", kennel[1], date(2026, 6, 20))
    sure = Analysis(reading, tuple(frames), (), True)
    assert sure.chance > DOUBTED
    assert (sure.outcome()[0], sure.why) == (Outcome.ANSWERED, "")
    monkeypatch.setattr("sqlagent.makers.analyst.sampler.DOUBTED", sure.chance + 0.01)
    assert (sure.outcome()[0], sure.why) == (Outcome.AMBIGUOUS, Why.UNSURE)
    assert Analysis(reading, tuple(frames), (), True, language="German").why == Why.LANGUAGE

"""Things tradespeople leave unsaid: void documents, stock out and in, placeholder dates, words that look like others."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent import pipeline
from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import DatabaseError
from sqlagent.events import Ended
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.sampler import analyse
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Failure, FailureKind, Limits, LinkedSchema, Outcome, Question
from tests.agent.places import place

HIRE = """
CREATE TABLE Station (StationId INTEGER PRIMARY KEY, StationName TEXT, City TEXT, State TEXT);
CREATE TABLE Vehicle (VehicleId INTEGER PRIMARY KEY, RegNo TEXT, StationId INTEGER REFERENCES Station(StationId), AcquiredOn TEXT, IsActive INTEGER, OutOfService INTEGER, SaleAmount NUMERIC);
CREATE TABLE Staff (StaffId INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, StartDate TEXT);
CREATE TABLE Rental (RentalId INTEGER PRIMARY KEY, VehicleId INTEGER REFERENCES Vehicle(VehicleId), BookedOn TEXT, OutDate TEXT, InDate TEXT, Amount NUMERIC, MaterialCost NUMERIC, LaborCost NUMERIC);
CREATE TABLE Visit (VisitId INTEGER PRIMARY KEY, VehicleId INTEGER REFERENCES Vehicle(VehicleId), VisitedOn TEXT, Status TEXT, EndReason TEXT);
INSERT INTO Station VALUES (1,'North','Leeds','TX'),(2,'South','York','CA');
INSERT INTO Vehicle VALUES (1,'AA1',1,'2024-01-01',1,0,100),(2,'BB2',1,'2024-02-01',1,1,100),(3,'CC3',2,'2025-01-01',0,0,100),(4,'DD4',2,'2025-01-01',1,0,100);
INSERT INTO Staff VALUES (1,'Ann','Lee','2026-04-02');
INSERT INTO Rental VALUES (1,1,'2026-03-30','2026-04-02','2026-04-05',100,10,5),(2,1,'2026-04-01','2026-05-02','2026-05-03',50,10,5),
 (3,2,'2026-04-02','2026-04-20','2026-04-22',30,10,5),(4,3,'2026-04-28','2026-05-05',NULL,20,10,5);
INSERT INTO Visit VALUES (1,1,'2026-04-01','done',NULL),(2,2,'2026-04-02','cancelled','rain'),(3,3,'2026-05-02','cancelled','rain'),(4,3,'2026-05-03','cancelled','snow');
"""

BILLS = """
CREATE TABLE dim_client (client_key INTEGER PRIMARY KEY, client_cd TEXT, client_desc TEXT, mill_nm TEXT);
CREATE TABLE fact_invoice (invoice_key INTEGER PRIMARY KEY, client_key INTEGER REFERENCES dim_client(client_key), invoice_date_key INTEGER, paid_date_key INTEGER, doc_type TEXT, status TEXT, net_amt NUMERIC);
CREATE TABLE fact_rent_transaction (txn_key INTEGER PRIMARY KEY, client_key INTEGER REFERENCES dim_client(client_key), date_key INTEGER, fee_amt NUMERIC, status TEXT);
CREATE TABLE fact_show (show_key INTEGER PRIMARY KEY, client_key INTEGER REFERENCES dim_client(client_key), show_date_key INTEGER);
CREATE TABLE fact_ticket (ticket_key INTEGER PRIMARY KEY, show_key INTEGER REFERENCES fact_show(show_key), sold_date_key INTEGER);
INSERT INTO dim_client VALUES (1,'A1','Acorn','Mill'),(2,'B1','Birch','Mill'),(3,'C1','Cedar','Other');
INSERT INTO fact_invoice VALUES (1,1,20260105,20260110,'INV','paid',100),(2,1,20260205,-1,'INV','open',50),(3,2,20260206,-1,'INV','void',70),(4,2,20260301,20260309,'INV','paid',30);
INSERT INTO fact_rent_transaction VALUES (1,1,20260105,10,'done'),(2,2,20260106,20,'cancelled'),(3,2,20260206,30,'done');
INSERT INTO fact_show VALUES (1,1,20260410),(2,2,20260511);
INSERT INTO fact_ticket VALUES (1,1,20260301),(2,1,20260302),(3,2,20260303);
"""


@pytest.fixture(scope="module")
def hire():
    return place(HIRE)


@pytest.fixture(scope="module")
def bills():
    return place(BILLS)


def frames(source, text):
    return understand(text, source[1], date(2026, 6, 1))[1]


def rows(source, text):
    found = frames(source, text)
    assert found and not found[0].frame.unused, (text, found and found[0].frame.unused)
    return [tuple(row) for row in source[0].execute(found[0].sql, Limits()).rows]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("invoiced per month in 2026", [("2026-01", 100), ("2026-02", 50), ("2026-03", 30)]),
        ("what did we invoice in february 2026", [(50,)]),
        ("share of 2026 invoicing by client", [("Acorn", 83.33), ("Birch", 16.67)]),
        ("how many invoices in february 2026", [(2,)]),
        ("clients without an invoice", [("Cedar",)]),
        ("invoices not paid", [(2,)]),
        ("avg days to pay", [(6.5,)]),
        ("tickets per month by date of the show", [("2026-04", 2), ("2026-05", 1)]),
        ("tickets per month in 2026 by date of the show", [("2026-04", 2), ("2026-05", 1)]),
        ("first day of show", [(20260410,)]),
        ("invoices, number and total", [(3, 180)]),
    ],
)
def test_bills_are_understood(bills, text, wanted):
    found = [
        tuple(round(cell, 2) if isinstance(cell, float) else cell for cell in row)
        for row in rows(bills, text)
    ]
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how many hires in april 2026", [(2,)]),
        ("rentals by month", [("2026-04", 2), ("2026-05", 2)]),
        ("vehicles out of service", [("BB2",)]),
        ("active vehicles that did no rental in april 2026", [("DD4",)]),
        ("reasons for cancelled visits", [("rain", 2), ("snow", 1)]),
        ("margin by month", [("2026-04", 100), ("2026-05", 40)]),
        ("revenue by month", [("2026-04", 130), ("2026-05", 70)]),
        ("rentals with an amount of 50 or over", [(2,)]),
    ],
)
def test_a_car_hire_is_understood(hire, text, wanted):
    assert sorted(rows(hire, text), key=str) == sorted(wanted, key=str)


def test_void_rows_count_as_rows_and_not_as_money_unless_they_are_named(bills):
    first, second = frames(bills, "invoiced 2026")[:2]
    assert "'void'" in first.sql and "void" not in second.sql
    assert "void" not in frames(bills, "how many invoices in 2026")[0].sql
    assert frames(bills, "invoiced 2026, void ones included")[0].sql.count("<> 'void'") == 0
    by_status = frames(bills, "invoiced amount by status")[0]
    assert not by_status.frame.where


def test_cancelled_rows_are_no_money_and_the_sum_with_them_stands_beside(bills):
    catalog = bills[0].catalog()
    index = ValueIndex.build(catalog, bills[0])
    asked = Question("total fees of rent transactions in 2026")
    made = analyse(asked, LinkedSchema(catalog, catalog), index, date(2026, 6, 1))
    assert made.outcome()[0] is Outcome.ANSWERED
    found = [bills[0].execute(one.sql, Limits()).rows for one in made.frames[:2]]
    assert found == [((40,),), ((60,),)]  # 10 and 30 were done, 20 was cancelled


def test_a_model_knows_what_names_and_numbers_mean(hire, bills):
    model = bills[1].model
    paid = model.field("fact_invoice", "paid_date_key")
    assert (paid.role, paid.absent, paid.low) == (Role.TIME, "-1", "")
    assert model.field("fact_invoice", "doc_type").words[0] == "document"
    assert model.things["dim_client"].display == ("client_desc",)
    cars = hire[1].model
    assert cars.things["Vehicle"].kind is Kind.THING
    assert cars.things["Rental"].default_time == "OutDate"
    assert cars.things["Station"].state == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("vehicles with more rentals in q2 2026 than in q1 2026", "than"),
        ("which vehicles had at least one rental in every month of 2026", "in every month"),
        ("which stations rented in april 2026", ""),
        ("hours worked per station", "hours"),
    ],
)
def test_what_a_frame_does_not_hold_is_said(hire, text, word):
    found = frames(hire, text)
    if word:
        assert not found or word in found[0].frame.unused, found[0].sql
    else:
        assert "station" in found[0].sql.lower()


@pytest.mark.parametrize(
    "name", ["transaction", "show", "call", "leading", "unique", "update", "out", "pivot"]
)
def test_a_table_called_by_a_word_of_sql_is_asked(name):
    database, source = place(
        f'CREATE TABLE "fact_{name}" (id INTEGER PRIMARY KEY, day DATE, amount NUMERIC);'
        f"INSERT INTO \"fact_{name}\" VALUES (1,'2026-01-01',5),(2,'2026-02-01',7);"
    )
    found = understand("total amount", source, date(2026, 6, 1))[1]
    assert [tuple(row) for row in database.execute(found[0].sql, Limits()).rows] == [(12,)]


def test_an_answer_whose_first_reading_failed_is_a_draft(bills, monkeypatch):
    def failing(self, sql, limits, *rest, **more):
        if "fact_invoice" in sql and "void" in sql:
            raise DatabaseError(Failure(FailureKind.ERROR, "no such thing"))
        return run(self, sql, limits, *rest, **more)

    run = MemoryDatabase.execute
    monkeypatch.setattr(MemoryDatabase, "execute", failing)
    database = MemoryDatabase(BILLS)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    ended = [
        e
        for e in pipeline.answer(
            Question("invoiced in 2026"), database=database, catalog=catalog, index=index
        )
        if isinstance(e, Ended)
    ]
    answer = ended[0].answer
    assert answer.outcome is Outcome.AMBIGUOUS and "likeliest reading failed" in answer.reason, answer.reason


def test_who_did_nothing_in_a_period_is_left_out_and_not_only_those_rows(bills):
    text = "top 2 clients by invoiced amount who have no invoice in march 2026"
    assert rows(bills, text) == [("Acorn", 150)]
    assert (
        "NOT IN"
        in frames(bills, "invoiced amount by client for clients without invoices in march 2026")[0].sql
    )


def test_names_of_old_systems_in_one_piece_are_read():
    database, source = place(
        "CREATE TABLE CUSTMAST (CUSTNO INTEGER, CUSTNM TEXT, CUSTTYP TEXT, OPNDT INTEGER);"
        "CREATE TABLE INVHDR (INVNO INTEGER, CUSTNO INTEGER, INVDT INTEGER, NETAMT NUMERIC, INVST TEXT);"
        "INSERT INTO CUSTMAST VALUES (1,'Acorn','T',20240101),(2,'Birch','C',20240201);"
        "INSERT INTO INVHDR VALUES (1,1,20260105,10,'P'),(2,1,20260205,20,'P'),(3,2,20260206,40,'O');"
    )
    found = understand("invoiced by customer 2026", source, date(2026, 6, 1))[1]
    assert not found[0].frame.unused
    assert [tuple(row) for row in database.execute(found[0].sql, Limits()).rows] == [
        ("Birch", 40),
        ("Acorn", 30),
    ]
    assert source.model.things["INVHDR"].default_time == "INVDT"
    assert source.model.field("INVHDR", "INVST").words == ("invoic", "status")


def test_words_for_figures_are_nouns_and_periods_have_one_preposition(hire):
    from sqlagent.makers.analyst.telling import told

    assert told(frames(hire, "visited since may 2026")[0].frame).count("in since") == 0


OPTICIAN = """
CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, branch_name TEXT);
CREATE TABLE stock_item (item_id INTEGER PRIMARY KEY, item_type TEXT, qty_on_hand INTEGER);
CREATE TABLE glasses_order (order_id INTEGER PRIMARY KEY, branch_id INTEGER REFERENCES branch(branch_id), remake_of_order_id INTEGER REFERENCES glasses_order(order_id),
 ordered_on TEXT, promised_on TEXT, ready_on TEXT, order_total NUMERIC);
INSERT INTO branch VALUES (1,'North');
INSERT INTO stock_item VALUES (1,'frame',0),(2,'frame',4),(3,'lens',0);
INSERT INTO glasses_order VALUES (1,1,NULL,'2026-01-01','2026-01-08','2026-01-07',100),(2,1,1,'2026-01-02','2026-01-09','2026-01-12',50),(3,1,NULL,'2026-02-01','2026-02-08',NULL,30);
"""


@pytest.fixture(scope="module")
def optician():
    return place(OPTICIAN)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("average order value by branch", [("North", 60)]),
        ("orders ready later than promised", [(1,)]),
    ],
)
def test_an_optician_is_understood(optician, text, wanted):
    assert rows(optician, text) == wanted


@pytest.mark.parametrize(
    ("text", "word"),
    [("frames out of stock", "out of stock"), ("average order total of who came more than once", "once")],
)
def test_how_often_and_what_has_run_out_is_no_figure_of_a_row(optician, text, word):
    found = frames(optician, text)
    assert not found or word in found[0].frame.unused, found[0].sql

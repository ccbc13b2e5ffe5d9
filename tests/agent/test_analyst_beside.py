"""The built-in analyst and words that stand by each other: a time before its grain, two columns that differ, a share of all."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers import analyst
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source
from sqlagent.method import linking
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits, Outcome, Question

TODAY = date(2026, 6, 1)

UTILITY = """
CREATE TABLE people (person_id INTEGER PRIMARY KEY, full_name TEXT, mentor_person_id INTEGER REFERENCES people(person_id));
CREATE TABLE leases (
  lease_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES people(person_id), tenant_id INTEGER REFERENCES people(person_id),
  signed_on DATE, state TEXT);
CREATE TABLE invoices (
  invoice_id INTEGER PRIMARY KEY, lease_id INTEGER REFERENCES leases(lease_id), issue_date DATE, due_date DATE, paid_date DATE, state TEXT);
CREATE TABLE invoice_lines (line_id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoices(invoice_id), kind TEXT, amount NUMERIC, quantity_hours NUMERIC);
CREATE TABLE shifts (shift_id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people(person_id), worked_on DATE, worked_hours NUMERIC);
INSERT INTO people VALUES (1,'Ada Holm',NULL),(2,'Bo Lind',1),(3,'Cy Dahl',1);
INSERT INTO leases VALUES (1,1,1,'2024-01-04','running'),(2,2,3,'2024-02-04','running'),(3,1,2,'2025-03-01','ended');
INSERT INTO invoices VALUES (1,1,'2024-12-20','2025-01-10','2025-01-12','paid'),(2,2,'2025-01-20','2025-02-10',NULL,'cancelled'),(3,3,'2025-02-01','2025-02-20','2025-02-10','paid');
INSERT INTO invoice_lines VALUES (1,1,'rent',100,1),(2,1,'heat',20,2),(3,2,'rent',90,1),(4,3,'rent',80,3);
INSERT INTO shifts VALUES (1,1,'2025-01-03',8),(2,2,'2025-02-03',7),(3,3,'2025-03-03',6);
"""


@pytest.fixture(scope="module")
def utility() -> tuple[MemoryDatabase, Source]:
    base = MemoryDatabase(UTILITY)
    catalog = base.catalog()
    index = ValueIndex.build(catalog, base)
    return base, Source(derive(catalog, index), index)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("invoices per issue year", [("2024", 1), ("2025", 2)]),
        ("invoices by due month", [("2025-01", 1), ("2025-02", 2)]),
        ("invoices by due date month", [("2025-01", 1), ("2025-02", 2)]),
        ("invoices by state and issue year", [("cancelled", "2025", 1), ("paid", "2024", 1), ("paid", "2025", 1)]),
        ("total amount per invoice year", [("2024", 120), ("2025", 80)]),
    ],
)  # fmt: skip
def test_a_times_word_before_a_grain_says_whose_grain_it_is(
    utility: tuple[MemoryDatabase, Source], text: str, rows: list[tuple[object, ...]]
) -> None:
    base, source = utility
    _, frames = understand(text, source, TODAY)
    assert frames[0].frame.unused == ()
    assert sorted(base.execute(frames[0].sql, Limits()).rows) == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("how many leases where the tenant is not the owner", [(2,)]),
        ("number of leases where the owner differs from the tenant", [(2,)]),
        ("how many leases have a tenant other than the owner", [(2,)]),
        ("how many invoices whose lease's tenant is not the owner", [(2,)]),
        ("leases where the tenant is not the owner: lease, name of the owner, name of the tenant", [(2, "Bo Lind", "Cy Dahl"), (3, "Ada Holm", "Bo Lind")]),
        ("total amount w/o cancelled invoices", [(200,)]),
        ("people with the name of their mentor", [("Ada Holm", None), ("Bo Lind", "Ada Holm"), ("Cy Dahl", "Ada Holm")]),
        ("paid invoices in % of all invoices by issue year", [("2024", 100.0), ("2025", 50.0)]),
    ],
)  # fmt: skip
def test_what_is_denied_or_shared_is_what_was_said(
    utility: tuple[MemoryDatabase, Source], text: str, rows: list[tuple[object, ...]]
) -> None:
    base, source = utility
    _, frames = understand(text, source, TODAY)
    assert frames[0].frame.unused == ()
    assert sorted(base.execute(frames[0].sql, Limits()).rows) == rows


def test_a_total_that_is_not_a_sum_is_not_answered(utility: tuple[MemoryDatabase, Source]) -> None:
    _, frames = understand("invoices where the amount is not the sum of its lines", utility[1], TODAY)
    assert frames[0].frame.unused


def test_a_word_of_two_tables_columns_is_read_both_ways(utility: tuple[MemoryDatabase, Source]) -> None:
    base, source = utility
    question = Question("hours by month")
    catalog = base.catalog()
    index = ValueIndex.build(catalog, base)
    made = analyst.analyse(question, linking.link(question, catalog, index), index, TODAY)
    assert made.outcome()[0] is Outcome.AMBIGUOUS
    held = {frame.frame.anchor for frame in made.frames[:2]}
    assert held == {"invoice_lines", "shifts"}


def test_a_deed_that_was_not_done_is_compared_with_nothing(utility: tuple[MemoryDatabase, Source]) -> None:
    base, source = utility
    _, frames = understand("invoices issued not paid", source, TODAY)
    assert "IS NULL" in frames[0].sql
    assert frames[0].sql.count("<>") == frames[0].sql.count("<> 'cancelled'")  # a state alone


CLUB = """
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT, email TEXT, town TEXT, is_active INTEGER);
CREATE TABLE passes (pass_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(member_id), start_date DATE, end_date DATE, status TEXT);
INSERT INTO members VALUES (1,'Ada Holm','a@x.org','Kiel',1),(2,'Ada Holm','b@x.org','Bonn',1),(3,'Cy Dahl','b@x.org','Kiel',0),(4,'Di Berg',NULL,'Kiel',1),(5,'Ed Falk',NULL,'Kiel',0);
INSERT INTO passes VALUES (1,1,'2024-01-01',NULL,'A'),(2,2,'2024-02-01',NULL,'S'),(3,3,'2024-03-01','2025-03-01','E'),(4,4,'2025-03-01',NULL,'A'),(5,5,'2025-04-01',NULL,'P');
"""


@pytest.fixture(scope="module")
def club() -> tuple[MemoryDatabase, Source]:
    base = MemoryDatabase(CLUB)
    catalog = base.catalog()
    index = ValueIndex.build(catalog, base)
    return base, Source(derive(catalog, index), index)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("member names that occur more than once", [("Ada Holm", 2)]),
        ("duplicate emails", [("b@x.org", 2)]),
        ("towns that appear at least 4 times", [("Kiel", 4)]),
        ("how many active passes", [(2,)]),
    ],
)
def test_what_occurs_several_times_and_states_of_one_letter(
    club: tuple[MemoryDatabase, Source], text: str, rows: list[tuple[object, ...]]
) -> None:
    base, source = club
    _, frames = understand(text, source, TODAY)
    assert frames[0].frame.unused == ()
    assert list(base.execute(frames[0].sql, Limits()).rows) == rows

"""Words of a practice with appointments: who did not come, who has died, roles of staff, what the greatest few hold, tails behind a dash."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips.changing import changed, chips
from sqlagent.makers.analyst.concentrations import concentrated
from sqlagent.makers.analyst.tails import untailed
from sqlagent.makers.analyst.telling import title
from sqlagent.makers.analyst.telling import told as in_words
from sqlagent.values import Limits
from tests.agent.places import place

PRACTICE = """
CREATE TABLE staff (staff_no INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, started_on TEXT, left_on TEXT);
CREATE TABLE owner (owner_no INTEGER PRIMARY KEY, full_name TEXT, town TEXT);
CREATE TABLE pet (pet_no INTEGER PRIMARY KEY, owner_no INTEGER REFERENCES owner(owner_no), name TEXT, species TEXT, deceased_on TEXT);
CREATE TABLE visit (visit_no INTEGER PRIMARY KEY, pet_no INTEGER REFERENCES pet(pet_no), vet_no INTEGER, status TEXT, booked_at TEXT, appt_at TEXT, arrived_at TEXT, ended_at TEXT);
CREATE TABLE invoice (inv_no INTEGER PRIMARY KEY, owner_no INTEGER REFERENCES owner(owner_no), inv_date TEXT, paid_on TEXT, status TEXT, net REAL, vat REAL, total REAL);
CREATE TABLE item (item_code TEXT PRIMARY KEY, descr TEXT, item_group TEXT, price REAL, is_active INTEGER);
INSERT INTO staff VALUES (11,'Di','Elm','2020-01-01',NULL),(12,'Ed','Fir','2020-01-01','2024-06-30'),(13,'Flo','Yew','2021-01-01',NULL);
INSERT INTO owner VALUES (1,'Ann Lee','York'),(2,'Ben Ash','York'),(3,'Cy Oak','Hull');
INSERT INTO pet VALUES (1,1,'Rex','Dog',NULL),(2,1,'Tom','Cat','2024-05-01'),(3,2,'Max','Dog','2025-01-01'),(4,3,'Ivy','Cat',NULL);
INSERT INTO visit VALUES (1,1,11,'done','2023-12-20 09:00','2024-01-05 10:00','2024-01-05 09:55','2024-01-05 10:20'),
 (2,1,11,'done','2024-01-05 09:00','2024-02-05 10:00','2024-02-05 09:55','2024-02-05 10:20'),
 (3,2,12,'no show','2024-02-05 09:00','2024-03-05 10:00',NULL,NULL),
 (4,3,12,'done','2024-03-05 09:00','2024-04-05 10:00','2024-04-05 09:55','2024-04-05 10:20'),
 (5,4,11,'no show','2024-12-28 09:00','2025-02-05 10:00',NULL,NULL),
 (6,4,13,'done','2025-02-05 09:00','2025-03-05 10:00','2025-03-05 09:55','2025-03-05 10:20');
INSERT INTO invoice VALUES (1,1,'2024-01-05','2024-01-06','issued',600,120,720),(2,2,'2024-04-05',NULL,'issued',300,60,360),(3,3,'2025-03-05',NULL,'issued',100,20,120),(4,1,'2025-03-06',NULL,'draft',0,0,0);
INSERT INTO item VALUES ('A','Scale','dental',40,1),('B','Polish','dental',30,0),('C','Cut','surgery',90,1);
"""


@pytest.fixture(scope="module")
def practice():
    return place(PRACTICE)


def told(placed, text):
    first = understand(text, placed[1], date(2025, 7, 1))[1][0]
    return [tuple(row) for row in placed[0].execute(first.sql, Limits()).rows], first.frame


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # A no-show has no arrival: visits are counted by their appointment.
        ("number of no shows in 2024", [(1,)]),
        ("visits per year", [("2024", 4), ("2025", 2)]),
        # A key that is called by the role of who works there.
        ("visits per vet", [("Di", "Elm", 3), ("Ed", "Fir", 2), ("Flo", "Yew", 1)]),
        # Animals that have died.
        ("living dogs", [("Rex",)]),
        ("how many pets are still alive", [(2,)]),
        ("which pets came in more than once in 2024", [("Rex",)]),
        # Turns of phrase.
        ("whats the biggest invoice we ever issued", [(1, 720)]),
        ("current price list for dental items", [("Scale", 40)]),
        ("issued invoices not paid yet - total by owner", [("Ben Ash", 360), ("Cy Oak", 120)]),
        ("invoices in draft, list them", [(4,)]),
        ("pets w/ species dog", [("Rex",), ("Max",)]),
        ("number of owners per town, names not codes please", [("York", 2), ("Hull", 1)]),
        ("invoices of 2025 - inv date, total", [("2025-03-05", 120), ("2025-03-06", 0)]),
        ("highest visits year", [("2024", 4)]),
        ("which year do people visit most", [("2024", 4)]),
        # The first time of a growth is held against the one before it, which is not shown.
        ("visits by quarter since april 2024, and the change on the quarter before", [("2024-Q2", 1, -2), ("2025-Q1", 2, 1)]),
        ("growth of visits by year in 2025", [("2025", 2, -50)]),
        # When each one's first deed was.
        ("first visit of each pet by year", [("2024", 3), ("2025", 1)]),
        ("how many pets had their first visit in 2025", [(1,)]),
        ("pets by quarter of their first visit", [("2024-Q1", 2), ("2024-Q2", 1), ("2025-Q1", 1)]),
        # The share of the largest few, and a share beside its figure.
        ("what share of net revenue came from our 2 biggest owners", [(90,)]),
        ("net revenue by owner and share of total", [("Ann Lee", 600, 60), ("Ben Ash", 300, 30), ("Cy Oak", 100, 10)]),
    ],
)  # fmt: skip
def test_a_practices_words_are_understood(practice, text, wanted):
    rows, frame = told(practice, text)
    assert (sorted(rows, key=str), frame.unused) == (sorted(wanted, key=str), ())


def test_a_time_that_is_missing_lies_in_no_period(practice):
    _, frame = told(practice, "invoices of march 2025 not paid yet")
    assert [one.op for one in frame.where].count("missing") == 1
    assert all(one.slots[0].field.column != "paid_on" for one in frame.where if one.op == "period")


def test_the_second_of_two_counts_is_not_dropped(practice):
    _, frame = told(practice, "how many visits were no shows, out of how many visits in 2024")
    assert frame.unused


def test_a_concentration_is_told_by_how_many_are_kept(practice):
    _, frame = told(practice, "what share of net revenue comes from our 2 biggest owners")
    assert "as the share of the 2 greatest in the total" in in_words(frame)


def test_a_share_beside_its_figure_and_a_first_deed_are_told_shortly(practice):
    _, beside = told(practice, "net revenue by owner and share of total")
    assert title(beside) == "Net revenue by owner"
    words = [chip.words for chip in chips(beside, practice[1], date(2025, 7, 1))]
    assert "with its share of the total" in words
    plainly = changed(beside, "shown", "remove", practice[1], date(2025, 7, 1)).frame
    assert (plainly.transform, plainly.flags) == ("", ()), "what was said of shares goes with them"
    _, firsts = told(practice, "first visit of each pet by year")
    assert "first of each pet" in in_words(firsts)


def test_chips_of_a_concentration_keep_what_adds_up(practice):
    _, frame = told(practice, "what share of net revenue comes from our 2 biggest owners")
    offered = {
        chip.slot: [one.key for one in chip.alternatives]
        for chip in chips(frame, practice[1], date(2025, 7, 1))
    }
    assert "agg:avg" not in offered["measure:0"] and "agg:max" not in offered["measure:0"]
    assert "top:10" in offered["limit"]
    plainly = changed(frame, "shown", "remove", practice[1], date(2025, 7, 1))
    assert [tuple(row) for row in practice[0].execute(plainly.sql, Limits()).rows] == [
        ("Ann Lee", 600),
        ("Ben Ash", 300),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "what share of orders is paid",
        "top 10 customers by revenue",
        "what percentage of customers ordered twice",
        "share of revenue by country",
    ],
)
def test_other_shares_are_no_concentrations(text):
    assert concentrated(text) is None


@pytest.mark.parametrize(
    "text",
    ["revenue by month - 2024", "orders", "total revenue - by country", "sales: 2024", "check-in times"],
)
def test_other_dashes_are_no_tails(text):
    assert not list(untailed(text))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("stock value by town", "stock"),
        ("how long do pets take to visit again", "again"),
        ("how long until an owner is invoiced again", "again"),
    ],
)
def test_words_that_say_nothing_elsewhere_are_not_dropped_here(practice, text, word):
    found = understand(text, practice[1], date(2025, 7, 1))[1]
    assert not found or word in found[0].frame.unused or found[0].frame.cost >= 0.5


def test_a_word_is_not_mended_into_one_that_names_nothing_either(practice):
    reading, _ = understand("which brands do we stock", practice[1], date(2025, 7, 1))
    assert "brands" in reading.unknown and not reading.mended

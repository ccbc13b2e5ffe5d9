"""Money without rows that are none: cancelled bookings, void invoices, failed payments, and lines of cancelled orders. A lake with boats and a kiosk."""

from __future__ import annotations

import json
from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed, followed
from sqlagent.makers.analyst.chips.changing import asked_again, chips
from sqlagent.makers.analyst.chips.changing import changed as chosen
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.stored_frames import frame_of, plain
from sqlagent.makers.analyst.telling import told
from sqlagent.values import Limits, Outcome
from tests.agent.places import Place, analysed, place, rows

TODAY = date(2025, 6, 1)
LAKE = """
CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, guest_name TEXT, town TEXT);
CREATE TABLE booking (booking_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest, booked_on TEXT, status TEXT, amount REAL);
CREATE TABLE invoice (invoice_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest, issued_on TEXT, state TEXT, total REAL);
CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoice, received_on TEXT, outcome TEXT, paid REAL);
CREATE TABLE hire (hire_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest, out_on TEXT, back_on TEXT, status TEXT, fee REAL);
CREATE TABLE kiosk_order (order_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest, ordered_on TEXT, order_state TEXT);
CREATE TABLE kiosk_order_line (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES kiosk_order, item TEXT, qty INTEGER, unit_price REAL);
CREATE TABLE tender (tender_id INTEGER PRIMARY KEY, sent_on TEXT, status TEXT, tender_amount REAL);
CREATE TABLE inspection (inspection_id INTEGER PRIMARY KEY, inspected_on TEXT, outcome TEXT, cost REAL);
INSERT INTO guest VALUES (1,'Ann','Hull'),(2,'Ben','Leeds'),(3,'Cy','Hull');
INSERT INTO booking VALUES (1,1,'2025-01-05','confirmed',100),(2,1,'2025-01-20','cancelled',200),(3,2,'2025-02-03',NULL,40),(4,2,'2025-02-10','no show',60),(5,3,'2025-03-01','cancelled',80),(6,3,'2025-03-09','confirmed',30);
INSERT INTO invoice VALUES (1,1,'2025-01-06','paid',100),(2,1,'2025-01-21','draft',50),(3,2,'2025-02-04','void',70),(4,2,'2025-02-11','written off',20),(5,3,'2025-03-02','refunded',30),(6,3,'2025-03-10','open',10);
INSERT INTO payment VALUES (1,1,'2025-01-10','succeeded',50),(2,1,'2025-01-11','failed',25),(3,4,'2025-02-12','payment declined',35),(4,6,'2025-03-12','charged back',15),(5,6,'2025-03-20','succeeded',5);
INSERT INTO hire VALUES (1,1,'2025-01-05','2025-01-06','returned',11),(2,2,'2025-01-08','2025-01-09','returned',13),(3,3,'2025-02-01',NULL,'out',7),(4,1,'2025-02-02',NULL,'cancelled',5);
INSERT INTO kiosk_order VALUES (1,1,'2025-01-05','shipped'),(2,2,'2025-01-06','cancelled'),(3,3,'2025-02-06',NULL),(4,1,'2025-02-07','returned');
INSERT INTO kiosk_order_line VALUES (1,1,'tea',2,3),(2,1,'cake',1,4),(3,2,'tea',10,3),(4,3,'cake',2,4),(5,4,'tea',5,3),(6,NULL,'tea',1,3);
INSERT INTO tender VALUES (1,'2025-01-01','accepted',500),(2,'2025-01-02','declined',300),(3,'2025-02-02','sent',40);
INSERT INTO inspection VALUES (1,'2025-01-01','passed',10),(2,'2025-01-02','failed',20);
"""


@pytest.fixture(scope="module")
def lake() -> Place:
    return place(LAKE)


def first(where: Place, text: str) -> Frame:
    frames = understand(text, where[1], TODAY)[1]
    assert frames and not frames[0].frame.unused, text
    return frames[0].frame


def answered(where: Place, text: str) -> list[tuple[object, ...]]:
    first(where, text)
    sql = understand(text, where[1], TODAY)[1][0].sql
    return sorted((tuple(row) for row in where[0].execute(sql, Limits()).rows), key=str)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # a NULL state and a guest who did not come stay
        ("booking amount by month", [("2025-01", 100), ("2025-02", 100), ("2025-03", 30)]),
        ("total booking amount", [(230,)]),
        ("average booking amount", [(57.5,)]),
        ("booking amount by guest", [("Ann", 100), ("Ben", 100), ("Cy", 30)]),
        ("booking amount by town", [("Hull", 130), ("Leeds", 100)]),
        ("top 1 guest by booking amount in march 2025", [("Cy", 30)]),
        # drafts were not issued, what was written off was
        ("invoice total 2025", [(130,)]),
        ("payment amount by month", [("2025-01", 50), ("2025-03", 5)]),
        # a boat that is returned was hired all the same
        ("hire fees by guest", [("Ann", 11), ("Ben", 13), ("Cy", 7)]),
        # lines by the state of their order; a line of no order stays, goods that came back do not
        ("revenue by item", [("cake", 12), ("tea", 9)]),
        ("inspection cost", [(30,)]),
        ("guests with booking amount over 90", [("Ann",), ("Ben",)]),
        # counts and lists are of all
        ("number of bookings by month", [("2025-01", 2), ("2025-02", 2), ("2025-03", 2)]),
        ("how many invoices in 2025", [(6,)]),
        # one who names the state is heard
        ("cancelled booking amount", [(280,)]),
        ("booking amount by status", [("cancelled", 280), ("confirmed", 130), ("no show", 60), (None, 40)]),
        ("booking amount without no shows", [(410,)]),
        ("amount of refunded invoices", [(30,)]),
    ],
)
def test_sums_of_money_leave_out_what_is_none(
    lake: Place, text: str, wanted: list[tuple[object, ...]]
) -> None:
    assert answered(lake, text) == sorted(wanted, key=str)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("total booking amount including cancelled", [(510,)]),
        (
            "booking amount by month with the cancelled ones",
            [("2025-01", 300), ("2025-02", 100), ("2025-03", 110)],
        ),
        ("booking amount by guest, cancelled ones included", [("Ann", 300), ("Ben", 100), ("Cy", 110)]),
        ("booking amount (incl. cancelled) by town", [("Hull", 410), ("Leeds", 100)]),
        ("invoice total 2025 including drafts", [(180,)]),
        ("invoice total 2025 including draft, refunded and void", [(280,)]),
        ("number of bookings including cancelled", [(6,)]),
        ("revenue by item including cancelled orders", [("cake", 12), ("tea", 39)]),
    ],
)
def test_words_bring_them_back(lake: Place, text: str, wanted: list[tuple[object, ...]]) -> None:
    assert answered(lake, text) == wanted


def test_the_reading_that_counts_them_stands_beside(lake: Place) -> None:
    analysis = analysed(lake, "invoice total 2025", TODAY)
    assert analysis.outcome()[0] is Outcome.ANSWERED
    assert [rows(lake, one.sql) for one in analysis.frames[:3]] == [[(130,)], [(280,)], [(210,)]]
    assert "state is not draft or refunded or void" in told(analysis.frames[0].frame)
    assert told(analysis.frames[1].frame).endswith("including draft and refunded and void")
    notes = " ".join(analysis.candidates[0].notes)
    assert "Rows that are draft and refunded and void are no money and are left out" in notes


def test_what_was_asked_for_and_refused_is_a_choice(lake: Place) -> None:
    analysis = analysed(lake, "total tender amount", TODAY)
    assert analysis.outcome()[0] is Outcome.AMBIGUOUS
    assert [rows(lake, one.sql) for one in analysis.frames[:2]] == [[(840,)], [(540,)]]


@pytest.mark.parametrize(
    ("before", "typed", "wanted"),
    [
        ("booking amount by month", "without the cancelled ones", "booking amount by month"),
        ("booking amount by month", "excluding cancelled", "booking amount by month"),
        ("booking amount by month", "with the cancelled ones", "booking amount by month, including cancelled"),
        ("booking amount by month", "include cancelled bookings too", "booking amount by month, including cancelled"),
        ("booking amount by month, including cancelled", "by guest instead", "booking amount by guest, including cancelled"),
        ("booking amount by month, including cancelled", "without cancelled", "booking amount by month"),
        ("invoice total 2025, including draft", "with the void ones too", "invoice total 2025, including draft and void"),
        ("booking amount by month", "by status instead", "booking amount by status"),
        ("booking amount by month", "number of bookings instead", "number of bookings by month"),
        ("booking amount by month", "only cancelled", "booking amount by month for cancelled"),
        ("number of bookings by month, including cancelled", "booking amount instead", "booking amount by month, including cancelled"),
    ],
)  # fmt: skip
def test_follow_ups_keep_bring_back_and_leave_out(lake: Place, before: str, typed: str, wanted: str) -> None:
    assert changed(typed, before, lake[1], TODAY) == wanted
    database, source = lake
    assert followed(typed, before, database.catalog(), source.vocabulary.index, "", TODAY) == wanted
    first(lake, wanted)


def test_what_is_left_out_or_counted_is_a_chip_that_can_be_taken_away(lake: Place) -> None:
    frame = first(lake, "booking amount by month")
    chip = next(one for one in chips(frame, lake[1], TODAY) if "cancelled" in one.words)
    assert (chip.kind, chip.words, chip.removable) == ("filter", "status is not cancelled", True)
    counted = chosen(frame, chip.slot, "remove", lake[1], TODAY)
    assert rows(lake, counted.sql) == [("2025-01", 300), ("2025-02", 100), ("2025-03", 110)]
    assert asked_again(counted.frame, lake[1], TODAY) == "Booking amount by month, including cancelled"
    back = next(one for one in chips(counted.frame, lake[1], TODAY) if "cancelled" in one.words)
    assert (back.words, back.removable) == ("including cancelled", True)
    again = chosen(counted.frame, back.slot, "remove", lake[1], TODAY)
    assert (
        again.frame.where == frame.where
        and asked_again(again.frame, lake[1], TODAY) == "Booking amount by month"
    )


def test_a_chip_that_counts_instead_counts_all_and_a_sum_leaves_out_again(lake: Place) -> None:
    frame = first(lake, "booking amount by month")
    counts = chosen(frame, "measure:0", "rows", lake[1], TODAY)
    assert rows(lake, counts.sql) == [("2025-01", 2), ("2025-02", 2), ("2025-03", 2)]
    summed = chosen(counts.frame, "measure:0", "concept:revenue", lake[1], TODAY)
    assert rows(lake, summed.sql) == [("2025-01", 100), ("2025-02", 100), ("2025-03", 30)]


def test_figures_of_two_tables_each_leave_out_their_own(lake: Place) -> None:
    frame = first(lake, "booking amount and invoice total by month")
    sql = understand("booking amount and invoice total by month", lake[1], TODAY)[1][0].sql
    assert rows(lake, sql) == [("2025-01", 100, 100), ("2025-02", 100, 20), ("2025-03", 30, 10)]
    chip = next(one for one in chips(frame, lake[1], TODAY) if one.slot == "off")
    assert chip.words == "without cancelled and draft and refunded and void" and chip.removable


def test_a_stored_frame_keeps_what_it_leaves_out(lake: Place) -> None:
    for text in ("booking amount by month", "booking amount by month including cancelled"):
        frame = first(lake, text)
        stored = json.loads(json.dumps(plain(frame, lake[1].model)))
        assert told(frame_of(stored, lake[1].model)) == told(frame)


KITCHEN = """
CREATE TABLE meal_order (order_id INTEGER PRIMARY KEY, ordered_at TEXT, promised_at TEXT, delivered_at TEXT, status TEXT, delivery_fee REAL);
INSERT INTO meal_order VALUES (1,'2025-01-05 10:00','2025-01-05 10:40','2025-01-05 10:50','delivered',2),(2,'2025-01-06 10:00','2025-01-06 10:40','2025-01-06 10:30','delivered',6),
  (3,'2025-02-05 10:00','2025-02-05 10:40',NULL,'cancelled',3),(4,'2025-02-06 10:00','2025-02-06 10:40','2025-02-06 10:50','delivered',2);
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("share of late deliveries per month", [("2025-01", 50), ("2025-02", 100)]),
        ("late deliveries per month", [("2025-01", 1), ("2025-02", 1)]),
        ("delivery fees per month", [("2025-01", 8), ("2025-02", 2)]),
        ("how much were deliveries in 2025", [(10,)]),
    ],
)
def test_deeds_are_counted_beside_what_they_cost(text: str, wanted: list[tuple[object, ...]]) -> None:
    assert answered(place(KITCHEN), text) == wanted

"""Times of day: "after 6pm", "in the evening", by moments and by columns of times."""

from __future__ import annotations

from datetime import date

import pytest
import sqlglot

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.semantics.values import Form
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst import clocks, telling
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips import chips
from sqlagent.makers.analyst.dialects import WRITTEN, Dialect
from sqlagent.makers.analyst.lexicon import OPERATORS
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.stored_frames import FrameError, frame_of, plain
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits

SCHOOL = """
CREATE TABLE rooms (room_id INTEGER PRIMARY KEY, room_name TEXT);
CREATE TABLE calls (call_id INTEGER PRIMARY KEY, room_id INTEGER REFERENCES rooms(room_id), opened_at TIMESTAMP, status TEXT);
CREATE TABLE concerts (concert_id INTEGER PRIMARY KEY, room_id INTEGER REFERENCES rooms(room_id), held_on DATE, starts TEXT, price NUMERIC);
CREATE TABLE shifts (shift_id INTEGER PRIMARY KEY, room_id INTEGER REFERENCES rooms(room_id), worked_on DATE, part TEXT);
INSERT INTO rooms VALUES (1,'Red'),(2,'Blue');
INSERT INTO calls VALUES (1,1,'2026-01-05 05:30:00','open'),(2,1,'2026-01-05 11:59:00','open'),(3,2,'2026-01-06 18:00:00','closed'),
 (4,2,'2026-01-07 23:10:00','closed'),(5,1,'2026-01-08 12:00:00','closed'),(6,2,'2026-01-09 03:00:00','open');
INSERT INTO concerts VALUES (1,1,'2026-01-05','11:00',10),(2,1,'2026-01-06','19:30',20),(3,2,'2026-01-07','20:00',30),(4,2,'2026-01-08','17:59',40);
INSERT INTO shifts VALUES (1,1,'2026-01-05','morning'),(2,1,'2026-01-06','evening'),(3,2,'2026-01-07','evening');
"""


@pytest.fixture(scope="module")
def school():
    database = MemoryDatabase(SCHOOL)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    return database, Source(derive(catalog, index), index)


def first(school, text):
    reading, found = understand(text, school[1], date(2026, 6, 1))
    assert found, reading.unknown
    assert not found[0].frame.unused, found[0].frame.unused
    return found[0]


def figure(school, text):
    return school[0].execute(first(school, text).sql, Limits()).rows[0][-1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("calls after 6pm", 2),
        ("calls before 9:30", 2),
        ("number of calls from 11 to 1pm", 2),
        ("how many calls between 10pm and 6am", 3),
        ("calls in the morning", 2),
        ("calls opened in the evening", 2),
        ("calls at night", 2),
        ("open calls before noon", 3),
        ("calls opened in january 2026 after 18:00", 2),
        ("calls not in the morning", 4),
        ("share of calls opened before 12pm", 50.0),
        ("concerts after 6pm", 2),
        ("evening concerts", 2),
        ("average price of concerts before 18:00", 25),
        ("evening shifts", 2),
    ],
)
def test_a_part_of_the_day_restricts(school, text, wanted):
    assert figure(school, text) == wanted


def test_each_thing_has_its_own_share_at_hours(school):
    found = first(school, "share of calls opened before noon by room")
    rows = dict(school[0].execute(found.sql, Limits()).rows)
    assert rows == {"Red": pytest.approx(200 / 3), "Blue": pytest.approx(100 / 3)}


def test_what_the_source_stores_as_a_word_stays_a_value(school):
    assert "shifts.part = 'evening'" in first(school, "evening shifts").sql


def test_days_without_hours_leave_the_time_of_day_out_and_say_so(school):
    _, found = understand("shifts after 6pm", school[1], date(2026, 6, 1))
    assert not found or "time of day" in found[0].frame.unused


@pytest.mark.parametrize("text", ["calls after 5 days", "concerts over 20", "calls between 2025 and 2026"])
def test_other_numbers_are_no_times_of_day(school, text):
    _, found = understand(text, school[1], date(2026, 6, 1))
    assert all(c.op != "clock" for one in found for c in one.frame.where)


def test_the_part_of_the_day_is_told_and_may_be_changed(school):
    frame = first(school, "calls after 6pm").frame
    assert "opened at from 18:00" in telling.title(frame)
    filters = next(chip for chip in chips(frame, school[1], date(2026, 6, 1)) if chip.kind == "filter")
    assert "in the morning" in [option.words for option in filters.alternatives]


def test_a_stored_frame_with_a_broken_time_is_refused(school):
    model = school[1].model
    stored = plain(first(school, "calls after 6pm").frame, model)
    assert frame_of(stored, model).where[0].values == ("18:00", "24:00")
    for broken in (["18:00"], ["18:00", "25:00"], ["18:00' OR 1=1", "24:00"]):
        stored["frame"]["where"][0]["values"] = broken
        with pytest.raises(FrameError):
            frame_of(stored, model)


def test_the_lexicon_and_the_chips_cut_the_day_alike():
    for words, ends in clocks.PARTS.items():
        assert OPERATORS[words] == ("clock", "-".join(ends))


@pytest.mark.parametrize("dialect", WRITTEN)
@pytest.mark.parametrize("form", [Form.MOMENT, Form.TEXT_MOMENT, Form.SECONDS, None])
def test_hours_are_written_in_every_dialect(dialect, form):
    for ends in (("18:00", "24:00"), ("22:00", "06:30"), ("00:00", "12:00")):
        sql = Dialect(dialect).in_hours("t.x", form, *ends)
        assert sqlglot.parse_one(f"SELECT {sql} FROM t", dialect=dialect)

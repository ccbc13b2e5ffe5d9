"""A frame's chips: what may take the place of each, that all of it can be asked, and that nothing else is taken."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from zlib import crc32

import pytest
import sqlglot

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import FrameError
from sqlagent.language.personal import looks_personal
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips import REMOVE, asked_again, changed, chips
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.telling import period as period_words
from sqlagent.makers.analyst.telling import title
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits

CASES = Path(__file__).parent / "cases" / "analyst"
QUESTIONS = [json.loads(line) for line in (CASES / "questions.jsonl").read_text().splitlines()]
TODAY = date(2026, 1, 5)
SOME = 6  # choices of each chip that are tried, any of them but always the same
LIMITS = Limits(5, 1_000, 200, 1_000_000)


@pytest.fixture(scope="module")
def sources():
    made = {}
    for name in ("cafes", "workshop", "garden"):
        database = MemoryDatabase((CASES / f"{name}.sql").read_text())
        index = ValueIndex.build(database.catalog(), database)
        made[name] = (database, Source(derive(database.catalog(), index), index))
    return made


def frame(sources, question: str, name: str = "garden"):
    _, found = understand(question, sources[name][1], TODAY)
    return found[0].frame


def chip(frame, source, slot: str):
    return next(one for one in chips(frame, source, TODAY) if one.slot == slot)


def words(one) -> list[str]:
    return [alternative.words for alternative in one.alternatives]


def pick(frame, source, slot: str, said: str):
    """Choose by words, as a person does."""
    chosen = next(a for a in chip(frame, source, slot).alternatives if a.words == said)
    return changed(frame, slot, chosen.key, source, TODAY)


@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: f"{case['db']}: {case['question']}")
def test_every_choice_runs_is_another_statement_and_can_be_told(sources, case):
    database, source = sources[case["db"]]
    own = frame(sources, case["question"], case["db"])
    found = chips(own, source, TODAY)
    assert found
    before = understand(case["question"], source, TODAY)[1][0].sql
    for one in found:
        assert one.words
        keys = [a.key for a in one.alternatives]
        assert len(keys) == len(set(keys))
        assert one.removable == (REMOVE in keys)
        for number, alternative in enumerate(
            sorted(one.alternatives, key=lambda a: crc32(a.key.encode()))[:SOME]
        ):
            done = changed(own, one.slot, alternative.key, source, TODAY)
            assert done.sql != before
            assert done.said
            database.execute(done.sql, LIMITS)
            if not number:
                assert chips(done.frame, source, TODAY), "what was changed can be changed again"


def test_a_figure_is_summed_up_otherwise_or_is_another_one(sources):
    _, source = sources["garden"]
    own = frame(sources, "revenue by category 2025")
    offered = words(chip(own, source, "measure:0"))
    assert "average revenue" in offered
    assert "median revenue" in offered
    assert "margin" in offered
    done = pick(own, source, "measure:0", "average revenue")
    assert done.sql.count("AVG(") >= 1
    assert done.said == "average revenue instead of revenue"
    assert title(done.frame) == "Average revenue by category, 2025"


def test_groups_are_other_columns_things_and_grains_the_nearest_first(sources):
    _, source = sources["garden"]
    own = frame(sources, "revenue by category 2025")
    offered = words(chip(own, source, "by:0"))
    assert {"month", "quarter", "year"} <= set(offered)
    assert "customer" in offered
    assert "category" not in offered
    monthly = pick(own, source, "by:0", "month")
    assert monthly.said == "by month instead of category"
    assert title(monthly.frame) == "Revenue by month, 2025"
    dated = monthly.frame.by[0]
    twice = title(replace(monthly.frame, by=(dated, dated), where=()))
    assert "by month and month" not in twice, "two times are told apart, or told in full"
    assert "week" in words(chip(monthly.frame, source, "by:0"))


def test_a_period_is_another_year_a_part_of_it_or_all_time(sources):
    database, source = sources["garden"]
    own = frame(sources, "revenue by category 2025")
    one = chip(own, source, "where:0")
    assert (one.kind, one.words, one.removable) == ("period", "2025", True)
    assert "Q1 2025" in words(one)
    assert "March 2025" in words(one)
    assert "2024" in words(one)
    done = pick(own, source, "where:0", "2024")
    assert done.said == "period changed to 2024"
    assert "2024-01-01" in done.sql
    assert "2025-01-01" in done.sql
    whole = changed(own, "where:0", REMOVE, source, TODAY)
    assert "OrderDate" not in whole.sql
    rows = database.execute(whole.sql, LIMITS).rows
    assert sum(row[1] for row in rows) > sum(row[1] for row in database.execute(done.sql, LIMITS).rows)


def test_a_period_goes_by_another_time_of_the_same_rows(sources):
    _, source = sources["garden"]
    own = frame(sources, "revenue by category 2025")
    others = [w for w in words(chip(own, source, "where:0")) if w.startswith("by ")]
    assert any("ship date" in w for w in others)
    done = pick(own, source, "where:0", next(w for w in others if "ship date" in w))
    assert "ShipDate" in done.sql
    assert "OrderDate" not in done.sql


def test_a_filter_is_another_stored_value_its_opposite_or_gone(sources):
    database, source = sources["garden"]
    own = frame(sources, "custmers from Leeds or York")
    one = chip(own, source, "where:0")
    assert any(w.endswith("is not Leeds or York") for w in words(one))
    other = pick(own, source, "where:0", "Leeds")
    assert "'Leeds'" in other.sql
    assert "York" not in other.sql
    less = database.execute(other.sql, LIMITS).rows
    everybody = database.execute(changed(own, "where:0", REMOVE, source, TODAY).sql, LIMITS).rows
    assert 0 < len(less) < len(everybody)


@pytest.mark.parametrize("stored", ["north\nwest", "north\r\nwest", "north\rwest"], ids=ascii)
def test_a_stored_value_of_two_lines_is_chosen_however_its_line_end_is_sent(stored):
    """A browser sends every line end of a form as carriage return and line feed."""
    regions = [("south", "east", stored)[n % 3] for n in range(60)]
    script = "CREATE TABLE stalls (id INTEGER PRIMARY KEY, region TEXT, fee NUMERIC);" + "".join(
        f"INSERT INTO stalls VALUES ({n}, '{region}', {n}.5);" for n, region in enumerate(regions)
    )
    database = MemoryDatabase(script)
    index = ValueIndex.build(database.catalog(), database)
    source = Source(derive(database.catalog(), index), index)
    own = understand("total fee where region is south", source, TODAY)[1][0].frame
    assert f"value:{stored}" in [one.key for one in chip(own, source, "where:0").alternatives]
    for sent in (stored, "north\r\nwest"):
        done = changed(own, "where:0", f"value:{sent}", source, TODAY)
        rows = database.execute(done.sql, LIMITS).rows
        assert [float(row[0]) for row in rows] == [sum(n + 0.5 for n in range(2, 60, 3))]
    with pytest.raises(FrameError):
        changed(own, "where:0", "value:north west", source, TODAY)


def test_with_and_without_change_places(sources):
    database, source = sources["cafes"]
    own = frame(sources, "drinks never sold", "cafes")
    done = changed(own, "where:0", "not", source, TODAY)
    assert "NOT IN" not in done.sql
    drinks = database.execute("SELECT COUNT(*) FROM dim_drink", LIMITS).rows[0][0]
    never = understand("drinks never sold", source, TODAY)[1][0].sql
    both = [len(database.execute(sql, LIMITS).rows) for sql in (never, done.sql)]
    assert sum(both) == drinks


def test_the_first_few_are_more_fewer_all_or_from_the_other_end(sources):
    database, source = sources["garden"]
    own = frame(sources, "top 3 customers by revenue in 2025")
    assert chip(own, source, "limit").words == "3 largest"
    assert "LIMIT 5" in pick(own, source, "limit", "5 largest").sql
    assert "DESC" not in pick(own, source, "limit", "3 smallest").sql.rpartition("ORDER BY")[2]
    whole = changed(own, "limit", REMOVE, source, TODAY)
    assert "LIMIT" not in whole.sql
    assert len(database.execute(whole.sql, LIMITS).rows) > 3


def test_groups_filters_periods_and_shares_are_added(sources):
    _, source = sources["garden"]
    own = frame(sources, "revenue by category 2025")
    more = chip(own, source, "add")
    assert {"month", "customer", "top 5", "as a share of the total"} <= set(words(more))
    assert {a.group for a in more.alternatives} >= {"Group by", "Group by time", "Only the first", "Show"}
    done = pick(own, source, "add", "month")
    assert [c.slot for c in chips(done.frame, source, TODAY) if c.kind == "group"] == ["by:0", "by:1"]
    shared = pick(own, source, "add", "as a share of the total")
    assert chip(shared.frame, source, "shown").words == "as a share of the total"
    back = changed(shared.frame, "shown", REMOVE, source, TODAY)
    assert back.sql == understand("revenue by category 2025", source, TODAY)[1][0].sql


def test_removing_the_only_group_leaves_one_figure(sources):
    database, source = sources["garden"]
    own = frame(sources, "top 3 customers by revenue in 2025")
    done = changed(own, "by:0", REMOVE, source, TODAY)
    assert len(database.execute(done.sql, LIMITS).rows) == 1
    assert not [c for c in chips(done.frame, source, TODAY) if c.kind in ("limit", "order", "group")]


def test_figures_of_two_tables_share_their_period_and_each_can_go(sources):
    _, source = sources["cafes"]
    both = frame(sources, "sales and marketing spend by month 2025", "cafes")
    assert len({m.anchor for m in both.measures}) == 2
    assert chip(both, source, "period").words == "2025"
    done = pick(both, source, "period", "2024")
    assert [m.where[0].period.first.year for m in done.frame.measures] == [2024, 2024]
    alone = changed(both, "measure:1", REMOVE, source, TODAY)
    assert len(alone.frame.measures) == 1
    assert alone.sql.count("SELECT") == 1


def test_what_would_lose_a_part_of_the_question_is_not_offered(sources):
    _, source = sources["garden"]
    top = frame(sources, "top 3 customers by revenue in 2025")
    assert not [w for w in words(chip(top, source, "measure:0")) if "median" in w], (
        "a median knows no first few"
    )
    for question in ("top 3 customers by revenue in 2025", "revenue by category 2025"):
        own = frame(sources, question)
        for one in chips(own, source, TODAY):
            for alternative in one.alternatives[::2]:
                new = changed(own, one.slot, alternative.key, source, TODAY)
                if new.frame.limit is not None:
                    assert f"LIMIT {new.frame.limit}" in new.sql, alternative


@pytest.mark.parametrize("slot", ["measure:0", "by:0", "where:0", "add", "by:9", "nonsense", ""])
@pytest.mark.parametrize("key", ["", "nonsense", "value:'; DROP TABLE x --", "period:1:2", "by:", "remove "])
def test_only_what_is_offered_is_taken(sources, slot, key):
    _, source = sources["garden"]
    with pytest.raises(FrameError, match="cannot be chosen here any more"):
        changed(frame(sources, "revenue by category 2025"), slot, key, source, TODAY)


PERSONS = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, client_name TEXT, email TEXT, phone TEXT, city TEXT, tier TEXT);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(client_id), visited_on DATE,
    referrer TEXT, fee DECIMAL(8,2));
"""


def test_values_of_single_persons_are_never_offered():
    script = PERSONS
    for n in range(120):
        tier = ("gold", "silver", "plain")[n % 3]
        referrer = ("web", "friend", "someone@else.example")[n % 3]
        script += f"INSERT INTO clients VALUES ({n}, 'Ada Byron {n}', 'ada{n}@mail.example', '+44 20 7946 0{n:03}', 'Leeds', '{tier}');"
        script += f"INSERT INTO visits VALUES ({n}, {n}, '2025-0{n % 9 + 1}-11', '{referrer}', {n}.5);"
    database = MemoryDatabase(script)
    index = ValueIndex.build(database.catalog(), database)
    source = Source(derive(database.catalog(), index), index)
    for question in (
        "fees by referrer 2025",
        "visits of Ada Byron 7",
        "visits where referrer is web",
        "clients",
    ):
        _, found = understand(question, source, TODAY)
        for one in chips(found[0].frame, source, TODAY):
            for alternative in one.alternatives:
                assert not looks_personal(alternative.words), (question, alternative)
                assert "Ada" not in alternative.words or one.slot.startswith("where"), (question, alternative)
                assert not alternative.key.startswith("value:Ada")
    _, found = understand("visits where referrer is web", source, TODAY)
    offered = [w for one in chips(found[0].frame, source, TODAY) if one.kind == "filter" for w in words(one)]
    assert "friend" in offered
    assert not [w for w in offered if "@" in w]


def test_choices_are_written_in_every_dialect(sources):
    for dialect in ("postgres", "mysql", "duckdb"):
        for case in QUESTIONS[::17]:
            _, source = sources[case["db"]]
            made = derive(sources[case["db"]][0].catalog(), source.vocabulary.index)
            other = Source(_spoken(made, dialect), source.vocabulary.index)
            _, found = understand(case["question"], other, TODAY)
            for one in chips(found[0].frame, other, TODAY):
                for alternative in one.alternatives[::3]:
                    done = changed(found[0].frame, one.slot, alternative.key, other, TODAY)
                    assert sqlglot.parse_one(done.sql, dialect=dialect)


def _spoken(model, dialect: str):
    return replace(model, dialect=dialect)


def test_periods_are_said_as_people_say_them(sources):
    own = frame(sources, "revenue by category in march 2025")
    period = next(c.period for c in own.where if c.period is not None)
    assert period_words(period) == "March 2025"


@pytest.mark.parametrize(
    ("question", "slot", "said"),
    [
        ("revenue by category 2025", "by:0", "month"),
        ("revenue by category 2025", "where:0", "2024"),
        ("revenue by category 2025", "add", "top 5"),
        ("top 3 customers by revenue in 2025", "limit", "5 largest"),
        ("top 3 customers by revenue in 2025", "by:0", "category"),
    ],
)
def test_what_a_changed_frame_is_told_as_is_read_as_that_frame(sources, question, slot, said):
    _, source = sources["garden"]
    done = pick(frame(sources, question), source, slot, said)
    text = asked_again(done.frame, source, TODAY)
    assert text
    assert understand(text, source, TODAY)[1][0].sql == done.sql


def test_what_cannot_be_told_as_a_question_is_told_as_none(sources):
    _, source = sources["garden"]
    done = pick(frame(sources, "revenue by category 2025"), source, "measure:0", "smallest revenue")
    assert asked_again(done.frame, source, TODAY) == ""

"""Texts and names that were found to break the analyst: endless runs, endless numbers, names without words, names of people."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from sqlagent import pipeline
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.events import Ended
from sqlagent.language.personal import is_personal_column
from sqlagent.makers import analyst, following
from sqlagent.makers.analyst import answering, marking
from sqlagent.makers.analyst.answering import UNWRITTEN, understand
from sqlagent.makers.analyst.changing.intending import intent
from sqlagent.makers.analyst.changing.search import changed, followed
from sqlagent.makers.analyst.phrasing import condensed
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.questions_to_verify import LONGEST
from sqlagent.makers.analyst.reads import LENGTH, MOST, MOST_OF_A_CHANGE, Reads, sharing
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.makers.analyst.telling import told
from sqlagent.makers.following import stand_alone
from sqlagent.testing import MemoryDatabase, ScriptedLlm
from sqlagent.values import Limits, Outcome, Question, Turn

SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), ordered_on TEXT, amount REAL, status TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO customers SELECT i, 'Name ' || i, CASE i % 3 WHEN 0 THEN 'Norway' WHEN 1 THEN 'Chile' ELSE 'Peru' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 660)
INSERT INTO orders SELECT i, i % 40 + 1, date('2024-01-01', '+' || CAST(i * 1.5 AS INTEGER) || ' days'), i % 90 + 10, CASE i % 4 WHEN 0 THEN 'open' ELSE 'shut' END FROM n;
"""


@pytest.fixture(scope="module")
def source() -> Source:
    return opened(SCRIPT)[1]


def opened(script: str) -> tuple[MemoryDatabase, Source]:
    database = MemoryDatabase(script)
    catalog = database.catalog()
    return database, source_of(catalog, ValueIndex.build(catalog, database))


@pytest.mark.parametrize(
    "text",
    [
        "a sort by" + " " * 1_900 + ")",
        "orders," + " " * 1_900 + "a",
        "orders" + "," * 1_900 + ")",
        "orders" + ", " * 950 + ")",
        "orders sort by\u00a0" + "\n" * 1_900 + ")",
    ],
    ids=repr,
)
def test_endless_runs_are_read_as_one(source, text):
    """Patterns took time by the third power of a run: minutes, where a test may take two of them in all."""
    understand(text, source, date(2026, 1, 5))
    followed(text, "amount by country", MemoryDatabase(SCRIPT).catalog(), source.vocabulary.index)


@pytest.mark.parametrize("number", ["1" * 310, "9" * 400, "9" * 400 + "k"])
def test_a_number_without_end_is_no_number(source, number):
    _, found = understand(f"orders over {number}", source, date(2026, 1, 5))
    assert not found or found[0].frame.unused


@pytest.mark.parametrize("name", ["_", "__", "$", "%", "-", "..", " ", "\N{GRINNING FACE}"])
def test_a_table_whose_name_has_no_words_harms_no_other(name):
    script = f"CREATE TABLE \"{name}\" (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO \"{name}\" VALUES (1, 'x'), (2, 'y');"
    database, _ = opened(SCRIPT + script)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    *_, ended = pipeline.answer(Question("orders by status"), database=database, catalog=catalog, index=index)
    assert isinstance(ended, Ended)
    assert ended.answer.outcome is Outcome.ANSWERED


def test_a_year_that_is_not_over_is_held_against_as_much_of_the_one_before(source):
    newest = date.fromisoformat(source.model.newest)
    _, found = understand(f"amount growth {newest.year}", source, newest)
    said = told(found[0].frame)
    assert found[0].frame.unused == ()
    assert f"to {newest.year}-01-01 to {newest.isoformat()}" in said
    assert f"from {newest.year - 1}-01-01 to {newest.replace(year=newest.year - 1).isoformat()}" in said


def test_a_year_that_is_over_is_held_against_a_whole_one(source):
    _, found = understand("amount growth 2025", source, date(2026, 9, 1))
    assert "from 2024 to 2025" in told(found[0].frame)


@pytest.mark.parametrize("typed", ["how many orders?", "how many orders was that?"])
def test_a_bare_count_is_of_what_was_asked_before(typed):
    database, source = opened(SCRIPT)
    catalog = database.catalog()
    turn = Turn("amount by country in 2025", "")
    text = stand_alone(typed, (turn,), catalog, None, index=source.vocabulary.index).text
    _, found = understand(text, source, date(2026, 1, 5))
    assert "2025-01-01" in found[0].sql
    assert "COUNT(*)" in found[0].sql


def test_what_chips_say_is_shown_to_no_language_model():
    """A value chosen from a menu was never typed: below `rows` a model is shown none of it."""
    catalog = MemoryDatabase(SCRIPT).catalog()
    sql = "SELECT COUNT(*) FROM orders JOIN customers ON customers.id = customer_id WHERE country = 'Norway'"
    turn = Turn("number of orders by month", sql, "Number of orders by month, Norway")
    llm = ScriptedLlm("How many orders are there by weekday?")
    stand_alone("and by weekday?", (turn,), catalog, llm, privacy="schema")
    assert llm.requests
    assert not any("Norway" in message.text for request in llm.requests for message in request.messages)


def test_what_chips_say_is_what_a_follow_up_goes_on_from():
    database, source = opened(SCRIPT)
    turn = Turn("number of orders by month", "", "number of orders by month, Norway")
    text = stand_alone(
        "by status instead", (turn,), database.catalog(), None, index=source.vocabulary.index
    ).text
    assert "Norway" in text


def test_who_a_person_is_does_not_hang_on_what_an_owner_calls_a_column():
    script = "CREATE TABLE orders (id INTEGER PRIMARY KEY, sales_rep TEXT, handled_by TEXT, status TEXT, ordered_on TEXT);"
    _, source = opened(script)
    personal = {f.column for f in source.model.fields["orders"] if source.is_personal(f)}
    assert personal == {"sales_rep", "handled_by"}
    renamed = replace(source.model.field("orders", "sales_rep"), words=("label",))
    assert source.is_personal(renamed)
    assert not is_personal_column({"order"}, ["custom", "type"])


ROWS = ", ".join(
    f"('{what}', '2026-0{month}-1{day}', {day + month}, {month * 1.5})"
    for what in ("Pear", "Plum", "Fig")
    for month in range(1, 6)
    for day in range(9)
)
FRUIT = f'CREATE TABLE fruit (Product TEXT, Sold_on TEXT, Qty INTEGER, "Price €" REAL); INSERT INTO fruit VALUES {ROWS};'


@pytest.mark.parametrize("text", ["sales by product", "sum of Qty by Product", "total qty per product"])
def test_names_that_sql_takes_in_quotes_alone_and_short_names_are_answered(text):
    """ "Price €" stood without its quotes where two readings were told apart: that ended the run."""
    database = MemoryDatabase(FRUIT)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    ended = list(pipeline.answer(Question(text), database=database, catalog=catalog, index=index))[-1]
    assert isinstance(ended, Ended)
    assert ended.answer.outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS), ended.answer.reason
    assert len(ended.answer.rows.rows) == 3


def test_a_word_between_two_values_is_one_of_their_column_once():
    """It was a column's name too, and had become a value beside the first of them: the second did not find it any more."""
    script = """
    CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, balance INTEGER);
    CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, pace TEXT);
    INSERT INTO players VALUES (1, 'Ann', 7), (2, 'Bo', 9);
    INSERT INTO teams VALUES (1, 'Red', 'Slow'), (2, 'Blue', 'Balance'), (3, 'Green', 'Fast'), (4, 'Grey', 'Fast');
    """
    _, found = understand("number of teams slow or balance or fast", opened(script)[1], date(2026, 1, 5))
    assert found


def test_groups_that_are_shown_once_though_they_are_asked_for_twice_are_in_order():
    """Two groups of one label, and years behind them: the order of the shares looked for a label that was not there."""
    database, source = opened(SCRIPT)
    _, found = understand("amount by country and year as a share of the total", source, date(2026, 1, 5))
    frame = found[0].frame
    country, year = frame.by
    sql = Planner(source.model).sql(replace(frame, by=(country, country, year)))
    assert 'ORDER BY "year"' in sql
    assert database.execute(sql, Limits()).rows == database.execute(found[0].sql, Limits()).rows


def broken(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let the planner run into an error the first times that it writes a frame."""
    written, left = Planner._written, [times]

    def failing(self: Planner, frame: Any) -> str:
        left[0] -= 1
        if left[0] >= 0:
            raise IndexError("amount by country")
        return written(self, frame)

    monkeypatch.setattr(Planner, "_written", failing)


def ended(database: MemoryDatabase, source: Source, text: str) -> Ended:
    catalog, index = database.catalog(), source.vocabulary.index
    last = list(pipeline.answer(Question(text), database=database, catalog=catalog, index=index))[-1]
    assert isinstance(last, Ended)
    return last


def test_an_error_in_the_planner_ends_in_a_draft_and_an_entry_of_the_log_without_words(monkeypatch, caplog):
    database, source = opened(SCRIPT)
    assert ended(database, source, "amount by country").answer.outcome is Outcome.ANSWERED
    assert marking.marks("amount by country", database.catalog(), source.vocabulary.index)
    broken(monkeypatch, 10_000)
    answer = ended(database, source, "amount by country").answer
    assert answer.outcome is Outcome.AMBIGUOUS
    assert "draft" in answer.reason
    assert not marking.marks("amount by country", database.catalog(), source.vocabulary.index)
    assert "The analyst failed: IndexError at test_analyst_hostile.py" in caplog.text
    assert "country" not in caplog.text


def test_a_reading_behind_one_that_could_not_be_written_is_a_draft(monkeypatch, source):
    """The first of two readings fails: the second one is not called the answer."""
    assert len(understand("top customers", source, date(2026, 1, 5))[1]) == 3
    broken(monkeypatch, 1)
    _, found = understand("top customers", source, date(2026, 1, 5))
    assert found
    assert [one.doubt for one in found] == [UNWRITTEN] * len(found)


@pytest.mark.parametrize("where", ["read", "framed"])
def test_an_error_in_reading_ends_in_a_draft_and_no_marks(monkeypatch, where):
    database, source = opened(SCRIPT)

    def failing(*_: object) -> None:
        raise KeyError("amount")

    monkeypatch.setattr(answering, where, failing)
    turn = Turn("amount by country in 2025", "")
    index = source.vocabulary.index
    assert ended(database, source, "amount by country").answer.outcome is Outcome.AMBIGUOUS
    assert not marking.marks("amount by country", database.catalog(), index)
    assert stand_alone("by status", (turn,), database.catalog(), None, index=index).text


REWORDED = (
    "the 5 customers with the most orders and who spent the most, ",
    "sold less in 2025 than in 2024 - number, customer, amount and where do they live ",
    "what share of amount comes from our top 10 customers how many of each, ",
    "with more than 5 orders of each month in euros by how many percent did ",
    "price of drop ",
)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are read."""
    texts: list[str] = []
    planned = answering._planned

    def counting(text: str, *more: Any) -> Any:
        texts.append(text)
        return planned(text, *more)

    monkeypatch.setattr(answering, "_planned", counting)
    return texts


@pytest.mark.parametrize("characters", [300, 2_000])
@pytest.mark.parametrize("words", [*REWORDED, "".join(REWORDED)], ids=range(6))
def test_a_question_and_its_follow_up_are_read_within_their_budgets(source, counted, words, characters):
    """963 characters of such turns of phrase were read 1,281 times: 33 s."""
    text = (words * 2_000)[:characters]
    _, found = understand(text, source, date(2026, 1, 5))
    assert sum(1 + len(one) // LENGTH for one in counted) <= MOST
    assert len(set(counted)) == len(counted)
    counted.clear()
    changed(text, "amount by country in 2025", source, date(2026, 1, 5))
    assert sum(1 + len(one) // LENGTH for one in counted) <= MOST_OF_A_CHANGE


def test_a_question_with_wordings_left_unread_is_a_draft(monkeypatch, source):
    """The question as it stands is read all the same."""
    text = "the 3 customers with the most orders and where do they live"
    whole = understand(text, source, date(2026, 1, 5))[1]
    assert not whole[0].doubt
    with sharing(2):
        _, found = understand(text, source, date(2026, 1, 5))
    assert found
    assert {one.doubt for one in found} == {answering.UNREAD}


def test_reads_are_kept_for_the_question_as_it_stands():
    reads = Reads(3)
    with reads.keeping("a"):
        assert [reads.takes("a"), reads.takes("a")] == [True, False]
    assert reads.is_short
    assert [reads.takes("a"), reads.takes("a"), reads.takes("a")] == [True, True, False]


def patterns() -> Iterator[tuple[str, re.Pattern[str], list[Callable[[str], object]]]]:
    """Every compiled pattern of the analyst and of what is typed after an answer, with the ways in which its module uses it."""
    modules = [following, *(importlib.import_module(one.name) for one in pkgutil.walk_packages(analyst.__path__, analyst.__name__ + "."))]  # fmt: skip
    for module in modules:
        text = inspect.getsource(module)
        for name, value in vars(module).items():
            for pattern in compiled(value):
                ways = re.findall(
                    rf"\b{name}\.(search|match|fullmatch|sub|subn|finditer|split|findall)\(", text
                )
                ways = ways or re.findall(r"\.(search|match|fullmatch|finditer)\(", text) or ["search"]
                plain = {way if way in ("search", "match", "fullmatch") else "findall" for way in ways}
                yield f"{module.__name__}.{name}", pattern, [getattr(pattern, way) for way in plain]


def compiled(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    for one in (
        value if isinstance(value, tuple | list) else value.values() if isinstance(value, dict) else ()
    ):
        yield from compiled(one)


def test_no_pattern_takes_more_than_a_multiple_of_the_square_of_a_text():
    """Measured against a pattern that goes over all pairs of places of a text once. "show me " twenty times was read in a million ways.

    Runs of spaces and marks are no part of it: `condensed` leaves none, as the next test holds.
    """

    def taken(use: Callable[[str], object], text: str) -> float:
        start = time.process_time()
        use(text)
        return time.process_time() - start

    most = 20 * min(taken(re.compile(r"\s+b").search, " " * 2_000) for _ in range(5))
    slow = []
    for name, pattern, ways in patterns():
        words = dict.fromkeys(re.findall(r"(?<![\\a-zA-Z])[a-zA-Z]{2,}", pattern.pattern))
        length = LONGEST if name.endswith("._WORDINGS") else 2_000
        for unit in (*words, "a", "1", "a,", "a-", "a and", "the", "show me", "(", "'a"):
            for size in (
                24,
                length,
            ):  # what takes twice as long for each word more would never come to an end at once
                text = (f"{unit} " * size)[:size]
                if any(taken(use, text) > most and taken(use, text) > most for use in ways):
                    slow.append((name, unit))
                    break
    assert not slow


def test_runs_of_spaces_and_marks_are_gone_before_patterns_see_them():
    text = "sales ,  ,  ,by \n\n month" + " " * 500 + ";;;"
    assert condensed(text) == "sales ,by month ;"
    assert intent(f"by   month{' ' * 900}instead").text == "by month"
    start = time.process_time()
    assert following.chart_of_question("a" + " " * 1_900 + "b")[1] == ""
    assert time.process_time() - start < 0.5


def test_a_stored_entry_that_ends_in_a_percent_sign_is_no_share():
    colours = ["red%;blue", "blue", "red%", "green;red%", "blue;green", "green", "blue;red%"]
    rows = ", ".join(f"({number}, 'Item {number}', '{text}')" for number, text in enumerate(colours * 2))
    database, source = opened(f"CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, colours TEXT); INSERT INTO items VALUES {rows};")  # fmt: skip
    _, found = understand("how many items are red%", source, date(2026, 1, 5))
    assert database.execute(found[0].sql, Limits()).rows == ((8,),)
    _, found = understand("what % of items are red%", source, date(2026, 1, 5))
    assert database.execute(found[0].sql, Limits()).rows == ((pytest.approx(100 * 8 / 14),),)


@pytest.mark.parametrize("text", ["amount range", "What is the amount range by country?"])
def test_a_range_is_from_the_lowest_to_the_highest(source, text):
    _, found = understand(text, source, date(2026, 1, 5))
    assert not found[0].frame.unused
    assert "MIN(orders.amount)" in found[0].sql
    assert "MAX(orders.amount)" in found[0].sql
    assert ("country" in found[0].sql) == ("country" in text)


def test_beside_an_answer_stand_other_readings_only():
    """The ranking found two likely groups and listed both as choices; the analyst then called the first one the answer."""
    script = """
    CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, kind_id INTEGER REFERENCES kinds (id), price REAL, cost REAL);
    INSERT INTO kinds VALUES (1, 'Books'), (2, 'Tents');
    INSERT INTO products VALUES (1, 'Atlas', 1, 40, 20), (2, 'Novel', 1, 12, 5), (3, 'Dome', 2, 300, 150), (4, 'Tunnel', 2, 250, 160);
    """
    answer = ended(*opened(script), "most expensive product in each kind").answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.readings
    assert answer.sql not in [one.sql for one in answer.readings]


@pytest.mark.parametrize("text", ["orders " * 250, "orders of customers by country " * 60])
def test_names_beyond_number_are_not_held_against_each_other(source, text):
    """Each was held against each: 285 names took minutes on a source of 150 tables."""
    with sharing() as reads:
        found = understand(text, source, date(2026, 1, 1))[1]
    assert reads.is_short and all(one.doubt for one in found)


def test_the_last_day_of_calendars_is_no_error(source):
    assert understand("orders since 9999-12-31", source, date(2026, 1, 1))[0].items

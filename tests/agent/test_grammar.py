"""The built-in generator answers questions about schemas it has never seen."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlglot

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import Cancelled
from sqlagent.evaluation.bench_catalog import large
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.method.linking import link
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Candidate, Catalog, Column, ForeignKey, Kind, Limits, Question, Table
from tests.lengths import many

CASES = Path(__file__).parent / "cases" / "grammar"
LINES: list[dict[str, Any]] = [
    json.loads(line)
    for path in sorted(CASES.glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.strip()
]
SCRIPTS = {line["schema"]: line["script"] for line in LINES if "script" in line}
QUESTIONS = [line for line in LINES if "question" in line]


class Source:
    """A schema of the cases, in memory."""

    def __init__(self, script: str) -> None:
        self.database = MemoryDatabase(script)
        self.catalog = self.database.catalog()
        self.index = ValueIndex.build(self.catalog, self.database)
        self.sampler = GrammarSampler(self.index)

    def ask(self, text: str, **options: Any) -> list[Candidate]:
        """Candidates for a question, best first."""
        question = Question(text)
        linked = link(question, self.catalog, self.index)
        return list(self.sampler.sample(question, linked, count=options.pop("count", 8), **options))

    def rows(self, sql: str, ordered: bool) -> Any:
        """Rows as they compare: a list, or a bag."""
        rows = [tuple(r) for r in self.database.execute(sql, Limits()).rows]
        return rows if ordered else Counter(rows)


@pytest.fixture(scope="module")
def sources() -> dict[str, Source]:
    return {name: Source(script) for name, script in SCRIPTS.items()}


@pytest.mark.parametrize("case", QUESTIONS, ids=[q["question"][:70] for q in QUESTIONS])
def test_the_question_is_answered(case: dict[str, Any], sources: dict[str, Source]) -> None:
    source = sources[case["schema"]]
    found = source.ask(case["question"])
    ordered = "order by" in case["sql"].lower()
    wanted = source.rows(case["sql"], ordered)
    first = case.get("within", 1)
    answers = [source.rows(c.sql, ordered) for c in found[:first]]
    assert wanted in answers, [c.sql for c in found[:3]]


def test_candidates_are_distinct_scored_and_explained(sources: dict[str, Source]) -> None:
    found = sources["zoo"].ask("How many animals does each keeper look after?")
    assert len({c.sql for c in found}) == len(found) > 2
    scores = [c.score for c in found]
    assert scores == sorted(scores, reverse=True)
    assert all(c.notes and c.family == "grammar" for c in found)
    assert any("COUNT" in note for note in found[0].notes)


def test_waves_continue_and_do_not_repeat(sources: dict[str, Source]) -> None:
    whole = sources["zoo"].ask("Which keepers are older than 30?", count=8)
    first = sources["zoo"].ask("Which keepers are older than 30?", count=4)
    second = sources["zoo"].ask("Which keepers are older than 30?", count=4, start=4)
    assert [c.sql for c in whole] == [c.sql for c in first + second]


def test_a_later_round_searches_wider(sources: dict[str, Source]) -> None:
    first = sources["zoo"].ask("Which keepers are older than 30?", count=100)
    later = sources["zoo"].ask(
        "Which keepers are older than 30?", count=100, round=1, feedback=("names missing",)
    )
    assert {c.sql for c in first} < {c.sql for c in later}
    assert {c.round for c in later} == {1}


def test_a_stopped_run_stops(sources: dict[str, Source]) -> None:
    flag = threading.Event()
    flag.set()
    with pytest.raises(Cancelled):
        sources["zoo"].ask("How many keepers are there?", cancelled=flag)


def test_a_question_about_nothing_gives_nothing_and_names_the_words(sources: dict[str, Source]) -> None:
    source = sources["zoo"]
    question = Question("Which quarks decay into gluons?")
    linked = link(question, source.catalog, source.index)
    assert linked.links == ()
    assert linked.unlinked == ("quarks", "decay", "gluons")
    assert list(source.sampler.sample(question, linked, count=8)) == []


ODD = [
    "", " ", "?", "...", "SELECT * FROM animals", "'; DROP TABLE keepers; --", "¿Cuántos animales hay?", "動物は何匹いますか",
    "😀" * 500, "a" * 10_000, "how many " * 1_500, "and or not both neither " * 300, "1 2 3 4 5 6 7 8 9 " * 200,
    "names names names names names names names names names names of keepers keepers keepers", "\x00\ufffe\u202e",
    "\"unclosed quote of keepers", "in 99999999999999999999999999 or -0.000000000000001", "last 99999 years", "'" * 3_000,
]  # fmt: skip


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_any_text_is_read_without_an_error_and_in_bounded_time(text: str, sources: dict[str, Source]) -> None:
    begun = time.process_time()
    for candidate in sources["zoo"].ask(text):
        sqlglot.parse_one(candidate.sql, read="sqlite")
    assert time.process_time() - begun < 5.0


def test_random_words_are_read_without_an_error(sources: dict[str, Source]) -> None:
    random = Random(20261120)
    words = ["how", "many", "keepers", "animals", "name", "age", "than", "not", "and", "or", "most", "'Leo'", "5",
             "per", "month", "the", "without", "2024", "average", "?", ",", "%", "é", "\t", "oldest", "each"]  # fmt: skip
    for _ in range(many(25, 60)):
        text = " ".join(random.choice(words) for _ in range(random.randrange(1, 14)))
        for candidate in sources["zoo"].ask(text, count=3):
            sqlglot.parse_one(candidate.sql, read="sqlite")


TONGUES = (
    "Wie viele Tiere hat jeder Pfleger?", "Combien d'animaux y a-t-il ?", "Сколько животных у смотрителя?", "كم عدد الحيوانات؟ ١٢",
    "有多少动物", "कितने जानवर हैं २०२४", "จำนวนสัตว์", "몇 마리의 동물", "SELECT name FROM keepers WHERE age > 30; DROP TABLE keepers",
    "WITH a AS (SELECT 1) SELECT * FROM a -- keepers", "older than ➋ or ² or ½ or Ⅻ", "in ²⁰²⁴ and ٢٠٢٤", "-- /* ' \" ; \\",
)  # fmt: skip
PLANES = ((32, 127), (32, 127), (0xA0, 0x24FF), (0x2500, 0x30FF), (0x1F300, 0x1FAFF), (0, 0x110000))


def _random_text(random: Random, number: int) -> str:
    """Letters and signs of one script or of all; one in 20 is or holds a sentence, one in 1,000 is very long."""
    low, high = random.choice(PLANES)
    length = 10_000 if number % 1_000 == 999 else random.randrange(1, 25)
    noise = "".join(chr(random.randrange(low, high)) for _ in range(length))
    return random.choice(TONGUES) + " " + noise[:9] if number % 20 == 0 else noise


def _time_of_random_texts(source: Source, count: int) -> tuple[float, float]:
    """Seconds of the processor for so many random texts: in all, and of the slowest."""
    random, begun, slowest = Random(2026), time.process_time(), 0.0
    for number in range(count):
        text, at = _random_text(random, number), time.process_time()
        assert len(source.ask(text)) <= 8
        slowest = max(slowest, time.process_time() - at)
    return time.process_time() - begun, slowest


def test_random_texts_are_read_without_an_error(sources: dict[str, Source]) -> None:
    _, slowest = _time_of_random_texts(sources["zoo"], many(1_000, 2_000))
    assert slowest < 2.0


def _column(name: str, kind: Kind = Kind.TEXT) -> Column:
    return Column(name, str(kind), kind)


def _first(catalog: Catalog, text: str) -> str:
    question = Question(text)
    found = list(GrammarSampler(None).sample(question, link(question, catalog, None), count=1))
    return found[0].sql if found else ""


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_odd_names_are_quoted_in_every_dialect(dialect: str) -> None:
    table = Table("Order", (_column("group"), _column("Unit Price", Kind.NUMBER), _column('he said "hi"')))
    catalog = Catalog(dialect, (table,))
    for text in ("What is the average unit price of each group?", "Show the group of all orders"):
        sql = _first(catalog, text)
        tree = sqlglot.parse_one(sql, read=dialect)
        assert {c.name for c in tree.find_all(sqlglot.exp.Column)} <= {"group", "Unit Price", 'he said "hi"'}
        assert [t.name for t in tree.find_all(sqlglot.exp.Table)] == ["Order"]


def test_a_catalog_without_keys_still_answers() -> None:
    pets = Table(
        "pets", (_column("pet_id", Kind.INTEGER), _column("name"), _column("owner_id", Kind.INTEGER))
    )
    owners = Table("owners", (_column("owner_id", Kind.INTEGER), _column("owner_name")))
    sql = _first(Catalog("sqlite", (pets, owners)), "How many pets does each owner have?")
    assert "JOIN" in sql and "COUNT(*)" in sql


def test_the_same_table_in_two_schemas_is_told_apart() -> None:
    def made(schema: str) -> Table:
        return Table("visits", (_column("id", Kind.INTEGER), _column("city")), schema=schema)

    sql = _first(
        Catalog("postgres", (made("north"), made("south"))), "How many visits are there in each city?"
    )
    assert "north.visits" in sql or "south.visits" in sql


def test_an_employee_table_may_point_at_itself() -> None:
    key = ForeignKey(("boss_id",), "staff", ("id",))
    columns = (
        _column("id", Kind.INTEGER),
        _column("name"),
        _column("boss_id", Kind.INTEGER),
        _column("pay", Kind.NUMBER),
    )
    staff = Table("staff", columns, primary_key=("id",), foreign_keys=(key,))
    assert "AVG(pay)" in _first(Catalog("sqlite", (staff,)), "What is the average pay of the staff?")


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("Names of fleet vehicles with amount above the average", "fleet_vehicle"),
        ("List the name and status of hotel rooms with a quantity over 30, sorted by name.", "hotel_room"),
        ("Which 5 plant products have the highest amount?", "plant_product"),
    ],
)
def test_a_table_named_in_full_is_found_among_a_thousand_with_the_same_columns(text: str, table: str) -> None:
    tree = sqlglot.parse_one(_first(large(), text), read="sqlite")
    assert {found.name for found in tree.find_all(sqlglot.exp.Table)} == {table}


def test_a_catalog_of_a_thousand_tables_is_answered_in_time() -> None:
    tables = tuple(
        Table(
            f"record_{n}",
            (_column("id", Kind.INTEGER), *(_column(f"field_{n}_{k}") for k in range(9))),
            primary_key=("id",),
        )
        for n in range(999)
    )
    wanted = Table("planets", (_column("id", Kind.INTEGER), _column("name"), _column("mass", Kind.NUMBER)))
    catalog = Catalog("sqlite", (*tables, wanted), version="thousand")
    _first(catalog, "How many planets are there?")
    begun = time.process_time()
    assert "MAX(mass)" in _first(catalog, "What is the maximum mass of the planets?")
    assert time.process_time() - begun < 2.0

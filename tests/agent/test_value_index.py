"""Stored values are found by what people type, and an index keeps."""

from __future__ import annotations

import pytest

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.testing import MemoryDatabase
from sqlagent.values import ColumnRef

SCRIPT = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, country TEXT, harbour TEXT);
INSERT INTO city VALUES (1, 'Oslo', 'Norway', 'Y'), (2, 'São Paulo', 'Brazil', 'N'),
  (3, 'Saint-Étienne', 'France', 'N'), (4, 'New York', 'United States', 'Y'), (5, NULL, '', 'Y');
"""


@pytest.fixture(scope="module")
def index() -> ValueIndex:
    database = MemoryDatabase(SCRIPT)
    return ValueIndex.build(database.catalog(), database)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("oslo", "Oslo"),
        ("sao paulo", "São Paulo"),
        ("saint etienne", "Saint-Étienne"),
        ("NEW YORK", "New York"),
        ("Norwey", "Norway"),
        ("american", "United States"),
        ("York", "New York"),
    ],
)
def test_what_people_type_finds_the_stored_value(index: ValueIndex, words: str, value: str) -> None:
    assert index.search(words)[0].value == value


def test_exact_matches_score_highest(index: ValueIndex) -> None:
    assert index.search("Oslo")[0].score == 1.0
    assert 0.8 < index.search("Oslos")[0].score < 1.0


@pytest.mark.parametrize("words", ["", "   ", "?!", "zzzz qqqq", "x" * 5_000, "\x00", "😀"])
def test_what_nothing_resembles_finds_nothing(index: ValueIndex, words: str) -> None:
    assert index.search(words) == []


def test_an_index_kept_as_bytes_is_equal_when_it_comes_back(index: ValueIndex) -> None:
    again = ValueIndex.from_bytes(index.to_bytes())
    assert again.search("oslo") == index.search("oslo")
    assert len(again) == len(index)
    assert again.flags() == index.flags()


@pytest.mark.parametrize("data", [b"", b"junk", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_other_bytes_are_refused_with_a_plain_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        ValueIndex.from_bytes(data)


def test_columns_of_yes_and_no_are_known(index: ValueIndex) -> None:
    assert index.flags() == {("city", "harbour"): ("Y", "N")}


def test_a_bound_on_values_holds() -> None:
    rows = ", ".join(f"({n}, 'name {n}')" for n in range(500))
    database = MemoryDatabase(f"CREATE TABLE t (id INTEGER, name TEXT); INSERT INTO t VALUES {rows};")
    index = ValueIndex.build(database.catalog(), database, per_column=100)
    assert len(index) == 100


def test_no_time_left_keeps_what_was_read() -> None:
    database = MemoryDatabase(SCRIPT)
    assert len(ValueIndex.build(database.catalog(), database, seconds=-1)) == 0


def test_values_begin_with_what_was_typed(index: ValueIndex) -> None:
    assert [m.value for m in index.texts("new")] == ["New York"]
    assert index.search("Oslo")[0].column == ColumnRef("city", "name")

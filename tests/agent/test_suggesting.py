"""Suggestions before and while a question is typed: questions of many kinds, names in words, stored values."""

from __future__ import annotations

import pytest

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.grammar.completing import complete
from sqlagent.makers.grammar.suggesting import suggest
from sqlagent.pipeline import answer
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Column, ColumnRef, Kind, Outcome, Question, Table

# One table, as a file somebody uploads makes it: no keys, no word of the lists of kinds and measures.
BIRDS = """
CREATE TABLE sightings (place TEXT, species TEXT, wingspan REAL, seen_on DATE);
INSERT INTO sightings VALUES ('Lista', 'Osprey', 1.6, '2024-01-02'), ('Lista', 'Merlin', 0.6, '2024-01-09'),
  ('Røst', 'Osprey', 1.7, '2024-03-01'), ('Røst', 'Puffin', 0.5, '2024-03-02');
"""

LIBRARY = """
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, category TEXT, price REAL);
CREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (id),
  book_id INTEGER REFERENCES books (id), lent_on DATE, status TEXT);
INSERT INTO members VALUES (1, 'Ann', 'Bergen', 30), (2, 'Bob', 'Oslo', 41), (3, 'Cy', 'Oslo', 22);
INSERT INTO books VALUES (1, 'Dune', 'novel', 9.5), (2, 'Atlas', 'maps', 30), (3, 'Emma', 'novel', 7);
INSERT INTO loans VALUES (1, 1, 1, '2024-01-02', 'back'), (2, 2, 2, '2024-02-03', 'out'),
  (3, 2, 1, '2024-02-04', 'back'), (4, 3, 3, '2024-03-05', 'out');
"""


@pytest.mark.parametrize("script", [BIRDS, LIBRARY], ids=["one uploaded table", "three tables with keys"])
def test_every_suggested_question_is_answered(script: str) -> None:
    database = MemoryDatabase(script)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    found = suggest(catalog, index)
    assert len(found) >= 4
    for text in found:
        end = list(answer(Question(text), database=database, catalog=catalog, index=index))[-1]
        assert end.answer.outcome is Outcome.ANSWERED, text
        assert end.answer.rows.rows, text


@pytest.mark.parametrize("script", [BIRDS, LIBRARY], ids=["one uploaded table", "three tables with keys"])
@pytest.mark.parametrize("kind", ["How many", " in each ", " per month", "highest"])
def test_what_can_be_counted_ranked_and_followed_is_suggested(script: str, kind: str) -> None:
    database = MemoryDatabase(script)
    catalog = database.catalog()
    assert [text for text in suggest(catalog, ValueIndex.build(catalog, database), 6) if kind in text]


def test_many_tables_do_not_fill_the_list_with_one_kind() -> None:
    columns = (Column("id", kind=Kind.INTEGER), Column("country", kind=Kind.TEXT))
    catalog = Catalog(
        "sqlite",
        tuple(Table(name, columns, primary_key=("id",)) for name in ("cats", "dogs", "cows", "hens")),
    )
    found = suggest(catalog, limit=4)
    assert sum(" in each " in text for text in found) == 2


def test_rows_without_a_name_are_not_ranked() -> None:
    lines = Table("order_lines", (Column("id", kind=Kind.INTEGER), Column("quantity", kind=Kind.INTEGER)))
    named = Table("goods", (Column("title", kind=Kind.TEXT), Column("price", kind=Kind.NUMBER)))
    found = [text for text in suggest(Catalog("sqlite", (lines, named))) if "highest" in text]
    assert found == ["Which five goods have the highest price?"]


@pytest.mark.parametrize(
    ("table", "asked"),
    [("person", "people"), ("Category", "categories"), ("order_line", "order lines"), ("staff", "staff")],
)
def test_a_table_named_after_one_is_asked_about_as_many(table: str, asked: str) -> None:
    catalog = Catalog(
        "sqlite", (Table(table, (Column("id", kind=Kind.INTEGER), Column("note", kind=Kind.TEXT))),)
    )
    assert suggest(catalog) == (f"How many {asked} are there?",)


def index_of(*texts: str) -> ValueIndex:
    return ValueIndex([ColumnRef("city", "country")], [(text, [0]) for text in texts])


CITY = Catalog("sqlite", (Table("city", (Column("country"), Column("unit_price"), Column("priced_at"))),))


@pytest.mark.parametrize(
    ("typed", "text", "kind", "start"),
    [
        ("cities in norw", "Norway", "value", 10),
        ("cities in new y", "New York", "value", 10),
        ("highest price", "unit price", "column", 8),
        ("highest unit_pr", "unit price", "column", 8),
        ("how many cit", "city", "table", 9),
        ("cities in cote d'iv", "Côte d'Ivoire", "value", 10),
    ],
)
def test_the_last_words_are_completed(typed: str, text: str, kind: str, start: int) -> None:
    found = complete(typed, CITY, index_of("Norway", "New York", "Côte d'Ivoire"))
    assert (text, kind, start) in [(c.text, c.kind, c.start) for c in found]


def test_a_name_that_begins_so_comes_before_one_that_holds_it() -> None:
    assert [c.text for c in complete("by pric", CITY)] == ["priced at", "unit price"]


@pytest.mark.parametrize("typed", ["", "a", "per country", "city ", "norway", "norw?", "zz", "%%%"])
def test_what_is_whole_or_unknown_is_left_alone(typed: str) -> None:
    assert complete(typed, CITY, index_of("Norway")) == ()


def test_names_leave_room_for_values() -> None:
    columns = tuple(Column(f"nor_{n}") for n in range(30))
    catalog = Catalog("sqlite", (Table("t", columns),))
    kinds = [c.kind for c in complete("nor", catalog, index_of(*(f"Nor{n}" for n in range(30))))]
    assert kinds == ["column"] * 4 + ["value"] * 4


class Watched(list[str]):
    """A list that counts the looks into it."""

    looks = 0

    def __getitem__(self, place):
        """Count, and give what is there."""
        Watched.looks += 1
        return super().__getitem__(place)


def test_completing_looks_at_few_of_many_values() -> None:
    index = index_of(*(f"value number {n}" for n in range(60_000)), "zebra")
    complete("zeb", CITY, index)
    index._sorted = Watched(index._sorted)
    assert [c.text for c in complete("how many zeb", CITY, index)] == ["zebra"]
    assert 0 < Watched.looks < 100, "it is found by halving: some 17 looks a word"
    assert isinstance(index._sorted, Watched), "the order is worked out once"

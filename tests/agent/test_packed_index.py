"""A value index column by column: the same facts, texts, chips and examples; no words are found in it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from sqlagent.adapters.sqlite import SqliteDatabase
from sqlagent.catalog.packed_index import PackedIndex
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst import example_questions
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips import chips
from sqlagent.makers.analyst.source import source_of
from sqlagent.values import Catalog
from sqlagent.values import ColumnRef as C

TODAY = date(2026, 6, 15)


@pytest.fixture(scope="module")
def both(shop_file: Path) -> tuple[Catalog, ValueIndex, PackedIndex]:
    """The shop with its values, whole and by column."""
    database = SqliteDatabase(str(shop_file))
    catalog = database.catalog()
    whole = ValueIndex.build(catalog, database)
    database.close()
    return catalog, whole, PackedIndex.from_bytes(whole.to_bytes())


def test_every_column_is_as_in_the_whole_index(both) -> None:
    _, whole, packed = both
    assert len(packed) == len(whole) > 0
    assert packed.columns() == whole.columns()
    assert all(packed.texts_of(ref) == whole.texts_of(ref) for ref in whole.columns())
    assert packed.sizes() == whole.sizes()
    assert packed.flags() == whole.flags()
    assert packed.worded() == whole.worded()
    assert packed.facts == whole.facts
    assert (packed.version, packed.progress) == (whole.version, whole.progress)


def test_columns_of_yes_and_no_are_known() -> None:
    whole = ValueIndex([C("a", "is_new"), C("a", "kind")], [("Y", [0]), ("N", [0]), ("x", [1]), ("y", [1])])
    packed = PackedIndex.from_bytes(whole.to_bytes())
    assert packed.flags() == whole.flags() == {("a", "is_new"): ("Y", "N")}


def test_no_words_are_found_in_it_and_it_says_so(both) -> None:
    _, whole, packed = both
    assert whole.finds_words and whole.lookup("Norway")
    assert not packed.finds_words
    assert not packed.lookup("Norway") and not packed.texts("Nor") and not packed.search("Norway")


@pytest.mark.parametrize(
    "question",
    ["revenue by category 2025", "revenue in Norway by month 2025", "orders by channel", "unsold products"],
)
def test_chips_and_their_choices_are_the_same(both, question: str) -> None:
    catalog, whole, packed = both
    _, found = understand(question, source_of(catalog, whole), TODAY)
    frame = found[0].frame
    made = chips(frame, source_of(catalog, packed), TODAY)
    assert made == chips(frame, source_of(catalog, whole), TODAY)
    assert any(chip.alternatives for chip in made)


def test_example_questions_of_it_are_understood_whole(both) -> None:
    catalog, whole, packed = both
    told = example_questions(catalog, packed, lambda sql: True, 10)
    assert len(told) == 10
    for text in told:
        _, found = understand(text, source_of(catalog, whole), TODAY)
        assert found and not found[0].frame.unused, text


@pytest.mark.parametrize("data", [b"", b"x" * 40, b"\x78\x9c\x03\x00\x00\x00\x00\x01"])
def test_bytes_of_something_else_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        PackedIndex.from_bytes(data)

"""Example values of columns: which are shown, and that asking for them never hurts."""

from dataclasses import replace

from sqlagent.catalog.examples import FEW, with_examples
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.catalog.value_reading import Progress
from sqlagent.prompts.rendering.schema import schema_text
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Column, ColumnRef, Kind, LinkedSchema, Table

SHOP = """
CREATE TABLE orders (id INTEGER, status TEXT, note TEXT, photo BLOB, "Unit Price" REAL);
CREATE TABLE empty (x TEXT);
"""
ROWS = "".join(
    f"INSERT INTO orders VALUES ({i}, '{'sent' if i % 3 else 'lost'}', 'note {i}', x'00', NULL);"
    for i in range(50)
)


def examples(database: MemoryDatabase, **how: float) -> dict[str, tuple[str, ...]]:
    catalog = database.catalog()
    linked = with_examples(LinkedSchema(catalog, catalog), database, **how)
    assert linked.catalog == linked.full
    return {c.name: c.examples for t in linked.catalog.tables for c in t.columns}


def test_few_values_are_all_shown_and_many_by_three() -> None:
    found = examples(MemoryDatabase(SHOP + ROWS))
    assert found["status"] == ("sent", "lost") and len(found["status"]) <= FEW
    assert found["id"] == ("0", "1", "2") and found["note"] == ("note 0", "note 1", "note 2")


def test_bytes_nulls_and_empty_tables_show_nothing() -> None:
    found = examples(MemoryDatabase(SHOP + ROWS))
    assert found["photo"] == found["Unit Price"] == found["x"] == ()


def test_a_table_is_read_once_by_one_statement() -> None:
    database = MemoryDatabase(SHOP + ROWS)
    examples(database)
    examples(database)
    assert len(database.executed) == 2


def test_a_table_that_cannot_be_read_goes_without() -> None:
    database = MemoryDatabase(SHOP + ROWS, failures={'"orders"': "locked"})
    assert examples(database)["status"] == ()


def test_no_time_means_no_examples() -> None:
    assert examples(MemoryDatabase(SHOP + ROWS), seconds=0)["status"] == ()


RARE = SHOP + "".join(
    f"INSERT INTO orders VALUES ({i}, '{'sent' if i < 240 else 'lost'}', 'note {i}', x'00', NULL);"
    for i in range(250)
)


def test_an_index_that_read_a_column_whole_shows_its_rare_values_too() -> None:
    database = MemoryDatabase(RARE)
    catalog = database.catalog()
    linked = LinkedSchema(catalog, catalog)
    index = ValueIndex.build(catalog, database)
    first, whole = (
        schema_text(with_examples(linked, database, known).catalog, "rows") for known in (None, index)
    )
    assert "status TEXT; in 200 rows: 'sent'" in first
    assert "status TEXT; all: 'lost', 'sent'" in whole
    assert "note TEXT; e.g." in whole, "more than a few are never listed"
    assert "'lost'" not in schema_text(with_examples(linked, database, index).catalog, "masked")


def test_an_index_that_read_a_column_in_part_or_long_ago_claims_nothing() -> None:
    database = MemoryDatabase(RARE)
    catalog = database.catalog()
    linked = LinkedSchema(catalog, catalog)
    status = next(t for t in catalog.tables if t.name == "orders").key
    for texts, progress in (
        ([("lost", [0])], None),
        ([("sent", [0]), ("lost", [0])], Progress(parts=frozenset({ColumnRef(status, "status")}))),
    ):
        index = ValueIndex([ColumnRef(status, "status")], texts, progress=progress)
        told = schema_text(with_examples(linked, database, index).catalog, "rows")
        assert "status TEXT; in 200 rows: 'sent'" in told


def test_a_table_that_was_not_reached_in_time_shows_what_the_index_knows() -> None:
    database = MemoryDatabase(RARE)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    told = with_examples(LinkedSchema(catalog, catalog), database, index, seconds=0).catalog
    assert "status TEXT; all: 'lost', 'sent'" in schema_text(told, "rows")


def test_codes_that_the_comment_lists_with_their_labels_are_not_listed_again() -> None:
    labelled = Column("state", "TEXT", Kind.TEXT, comment="codes: A = Open, B = Shut", examples=("A", "B"))
    table = Table("t", (labelled,))
    for column, is_listed in (
        (replace(labelled, has_all_examples=True, is_read_whole=True), False),
        (replace(labelled, has_all_examples=True, is_read_whole=True, examples=("A", "B", "C")), True),
        (labelled, True),
    ):
        text = schema_text(Catalog("sqlite", (replace(table, columns=(column,)),)), "rows")
        assert ("'A'" in text) is is_listed

"""Example values of columns: which are shown, and that asking for them never hurts."""

from sqlagent.catalog.examples import FEW, with_examples
from sqlagent.testing import MemoryDatabase
from sqlagent.values import LinkedSchema

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

"""The schema told to a language model: what is known of it, and what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlagent.catalog.examples import with_examples
from sqlagent.prompts import rendering
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Column, ForeignKey, Kind, LinkedSchema, Table

BANK = """
CREATE TABLE district (id INTEGER PRIMARY KEY, A2 TEXT, A11 INTEGER, q1 REAL, remark TEXT, photo BLOB);
CREATE TABLE loan (id INTEGER PRIMARY KEY, district_id INTEGER REFERENCES district (id), status TEXT, paid TEXT, kind TEXT);
CREATE TABLE later (x TEXT);
CREATE TABLE locked (y TEXT);
INSERT INTO district VALUES (1, 'Praha', 12541, 1.5, NULL, NULL), (2, 'Brno', 9000, 2.5, '', NULL);
""" + "".join(
    f"INSERT INTO loan VALUES ({i}, 1, '{'ABCD'[i % 4]}', '{'YN'[i % 2]}', 'kind {i % 2}');"
    for i in range(300)
)


def linked(**how: float) -> LinkedSchema:
    database = MemoryDatabase(BANK, failures={'"locked"': "no"})
    catalog = database.catalog()
    return with_examples(LinkedSchema(catalog, catalog), database, **how)


def line(text: str, column: str) -> str:
    return next(x.strip() for x in text.splitlines() if x.strip().startswith(f"{column} "))


@pytest.fixture(scope="module")
def at_rows() -> str:
    return rendering.schema_text(linked().catalog, "rows")


def test_a_column_without_any_meaning_says_so_and_one_with_a_name_does_not(at_rows: str) -> None:
    assert line(at_rows, "A2").startswith("A2 TEXT; -- meaning not recorded; all: ")
    assert "meaning" not in line(at_rows, "q1") + line(at_rows, "remark") + line(at_rows, "id")
    catalog = linked().catalog
    table = catalog.tables[0]
    said = replace(table, columns=(replace(table.columns[1], comment="name of the district"),))
    text = rendering.schema_text(Catalog("sqlite", (said,)), "schema")
    assert "-- name of the district" in text and "not recorded" not in text


def test_lists_of_values_say_whether_they_are_complete(at_rows: str) -> None:
    assert "all: 'Praha', 'Brno'" in line(at_rows, "A2"), "the whole table was read"
    assert "in 200 rows: 'kind 0', 'kind 1'" in line(at_rows, "kind"), "only the first rows were"
    many = Column("note", "TEXT", Kind.TEXT, examples=("a", "b", "c"))
    assert "e.g. 'a', 'b', 'c'" in rendering.schema_text(Catalog("sqlite", (Table("t", (many,)),)), "rows")


def test_codes_whose_labels_nobody_knows_are_called_so(at_rows: str) -> None:
    assert "codes, meaning not recorded" in line(at_rows, "status")
    assert "codes" not in line(at_rows, "paid") + line(at_rows, "kind")


def test_empty_tables_and_tables_that_were_not_read_are_told_apart(at_rows: str) -> None:
    assert "Table later -- no rows" in at_rows and "Table locked -- values not read" in at_rows
    assert "no value in any row" in line(at_rows, "remark") and "no value" not in line(at_rows, "photo")
    unread = rendering.schema_text(linked(seconds=0).catalog, "rows")
    assert unread.count("values not read") == 4 and "no rows" not in unread


def test_what_was_seen_of_rows_is_not_told_at_level_schema() -> None:
    catalog = linked().catalog
    told = rendering.schema_text(catalog, "schema")
    for words in ("no rows", "not read", "no value", "Praha", "codes", "all:"):
        assert words not in told
    masked = rendering.schema_text(catalog, "masked")
    assert "like 'Aaaaa'" in masked and "Praha" not in masked and "Table later -- no rows" in masked


@pytest.mark.parametrize("privacy", ["schema", "masked", "rows"])
def test_the_legend_explains_what_is_shown_and_nothing_else(privacy: str) -> None:
    cards, ddl = (rendering.system_message(linked(), privacy, style).text for style in ("cards", "ddl"))
    assert "`a -> t.b`" in cards and "->" not in ddl
    assert "REFERENCES district (id)" in ddl
    for text in (cards, ddl):
        assert ("`all:` lists every value" in text) is (privacy == "rows")
        assert ("shows the form of values" in text) is (privacy == "masked")
        assert text == rendering.system_message(linked(), privacy, "cards" if text is cards else "ddl").text


def test_create_table_has_no_comma_before_its_end() -> None:
    keyed = Table(
        "t",
        (Column("a", "INTEGER", comment="first"), Column("b", "INTEGER")),
        primary_key=("a", "b"),
        foreign_keys=(ForeignKey(("b",), "u", ("id",)),),
    )
    plain = Table("u", (Column("id", "INTEGER"), Column("x", "TEXT", comment="last")))
    text = rendering.schema_text(Catalog("sqlite", (keyed, plain)), "rows", "ddl")
    lines = text.splitlines()
    for before, end in zip(lines, lines[1:], strict=False):
        if end == ");":
            assert not before.partition(" --")[0].rstrip().endswith(",")
    assert "a INTEGER, -- first" in text and "x TEXT -- last\n);" in text
    MemoryDatabase(text)

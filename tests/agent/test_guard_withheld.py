"""Tables and columns that are withheld: no statement reads them, in whatever form it asks.

`attacks.jsonl` is refused in every dialect that has the syntax, `plain.jsonl` passes. Statements that pass run on two databases
that differ only in withheld data: the rows must be the same.
"""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from pathlib import Path

import duckdb
import pytest

from sqlagent.guard import Passed, Policy, Refusal, Withheld, check, narrowed
from sqlagent.values import Catalog, Column, ColumnRef, Correction, ForeignKey, Subject, Table

CASES = Path(__file__).parent / "cases/withheld"
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "spark", "clickhouse")
STAFF = ("id", "name", "pay", "team")
TABLES = (
    Table("staff", tuple(map(Column, STAFF)), foreign_keys=(ForeignKey(("team",), "teams", ("id",)),)),
    Table("teams", (Column("id"), Column("name"))),
    Table("bands", (Column("id"), Column("pay"))),
    Table("fired", (Column("id"), Column("name"))),
)
SECRET = Withheld(frozenset(["fired"]), frozenset([ColumnRef("staff", "pay")]))


def catalog(dialect: str) -> Catalog:
    return Catalog(dialect, TABLES, "v1")


def cases(name: str) -> list[tuple[str, str]]:
    """Each case with each dialect that it is one of."""
    rows = [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text().splitlines()]
    return [
        (dialect, row["sql"])
        for row in rows
        for dialect in row.get("only", DIALECTS)
        if dialect not in row.get("but", ())
    ]


def decide(dialect: str, sql: str) -> Passed | Refusal:
    return check(sql, catalog(dialect), Policy(withheld=SECRET))


@pytest.mark.parametrize(("dialect", "sql"), cases("attacks"))
def test_no_form_of_a_statement_reads_what_is_withheld(dialect, sql):
    refused = decide(dialect, sql)
    assert isinstance(refused, Refusal), f"{dialect} let through: {sql}"
    said = f"{refused.what} {refused.why} {refused.advice}".lower()
    for name in ("fired", "pay"):
        assert name in sql.lower() or name not in said, "a name that was not typed"


@pytest.mark.parametrize(("dialect", "sql"), cases("plain"))
def test_plain_statements_beside_it_pass(dialect, sql):
    found = decide(dialect, sql)
    assert isinstance(found, Passed), f"{dialect}: {found}"


def test_the_attacks_are_ones_that_would_run_without_the_rule():
    runs = [sql for dialect, sql in cases("attacks") if dialect == "duckdb"]
    passed = [sql for sql in runs if isinstance(check(sql, catalog("duckdb")), Passed)]
    assert len(passed) > len(runs) / 2, "most of them are no attack at all"


def test_nothing_withheld_changes_nothing():
    whole = catalog("sqlite")
    assert narrowed(whole, Withheld()) is whole and not Withheld() and Withheld().key == ""
    assert isinstance(check("SELECT * FROM staff", whole, Policy()), Passed)


def test_a_narrowed_catalog_holds_no_word_of_what_is_withheld():
    said = (
        Correction(Subject.DESCRIPTION, "staff", "pay", told="What they earn"),
        Correction(Subject.DESCRIPTION, "fired", told="Who left"),
        Correction(Subject.DESCRIPTION, "teams", told="Not the fired"),
        Correction(Subject.SYNONYM, "teams", value="crews"),
    )
    keyed = Table(
        "bonus", (Column("id"), Column("who")), foreign_keys=(ForeignKey(("who",), "fired", ("id",)),)
    )
    made = narrowed(Catalog("sqlite", (*TABLES, keyed), "v1", corrections=said), SECRET)
    assert "fired" not in repr(made.tables) and [c.name for c in made.tables[0].columns] == [
        "id",
        "name",
        "team",
    ]
    assert [one.value for one in made.corrections] == ["crews"]
    assert made.version != "v1" and made.tables[0].foreign_keys, "other keys stay"
    by_team = Withheld(columns=frozenset([ColumnRef("staff", "team")]))
    assert not narrowed(catalog("sqlite"), by_team).tables[0].foreign_keys


def test_schemas_are_told_apart_only_where_they_are_written():
    two = Catalog(
        "postgres",
        (
            Table("staff", (Column("id"), Column("pay")), "hr"),
            Table("staff", (Column("id"), Column("pay")), "public"),
        ),
        default_schema="public",
    )
    rule = Policy(withheld=Withheld(frozenset(["hr.staff"])))
    assert isinstance(check("SELECT pay FROM public.staff", two, rule), Passed)
    for sql in ("SELECT pay FROM hr.staff", "SELECT pay FROM staff", 'SELECT pay FROM "hr"."staff"'):
        assert isinstance(check(sql, two, rule), Refusal), sql


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_a_table_with_a_dot_in_its_name_is_found_by_its_rule(dialect):
    year = Catalog(
        dialect,
        (Table("staff.2024", (Column("id"), Column("pay")), "public"),),
        default_schema="public",
    )
    rule = Policy(withheld=Withheld(columns=frozenset([ColumnRef("public.staff.2024", "pay")])))
    for sql in (
        'SELECT * FROM "staff.2024"',
        'SELECT * FROM public."staff.2024"',
        'SELECT x FROM "staff.2024" x',
    ):
        assert isinstance(check(sql, year, rule), Refusal), sql
    assert isinstance(check('SELECT id FROM public."staff.2024"', year, rule), Passed)


def test_a_name_that_postgres_cuts_is_not_taken_for_another_one():
    long = "p" * 63
    whole = Catalog("postgres", (Table("staff", (Column("id"), Column(long))),), "v1")
    rule = Policy(withheld=Withheld(columns=frozenset([ColumnRef("staff", long)])))
    sql = f"SELECT (SELECT {long}x FROM staff LIMIT 1) AS v FROM (SELECT 1 AS {long}x) AS y"
    assert isinstance(check(sql, whole, rule), Refusal)


def test_a_shown_column_called_like_the_key_of_a_table_is_read():
    keyed = Catalog("sqlite", (Table("staff", (Column("oid"), Column("pay"))),), "v1")
    rule = Policy(withheld=SECRET)
    assert isinstance(check("SELECT oid FROM staff", keyed, rule), Passed)
    assert isinstance(check("SELECT rowid FROM staff", keyed, rule), Refusal)


def test_words_about_a_table_are_left_out_where_they_say_a_withheld_one_of_a_schema():
    said = (Correction(Subject.DESCRIPTION, "hr.teams", told="Not the fired"),)
    tables = (Table("teams", (Column("id"),), "hr"), Table("fired", (Column("id"),), "hr"))
    made = narrowed(Catalog("postgres", tables, "v1", corrections=said), Withheld(frozenset(["hr.fired"])))
    assert not made.corrections


def statements(count: int) -> list[str]:
    """Make up statements of parts in every combination of a seeded draw, most of them attacks."""
    rng = random.Random(16)
    columns = [
        "id",
        "name",
        "pay",
        "team",
        "s.id",
        "s.pay",
        "s.name",
        "*",
        "s.*",
        "t.*",
        "b.pay",
        "b.*",
        "x.id",
        "x.*",
        "x.pay",
        "count(*)",
        "s",
        "staff",
        "max(pay)",
        "max(s.id)",
    ]
    sources = [
        "staff", "staff AS s", "teams AS t", "bands AS b", "staff s JOIN bands b ON b.id = s.id",
        "staff s JOIN teams t USING (name)", "bands b JOIN staff s USING (pay)", "bands b NATURAL JOIN staff s",
        "(SELECT id, name FROM staff) AS x", "(SELECT * FROM staff) AS x", "(SELECT * FROM bands) AS x",
        "(SELECT s.id FROM staff s) AS x JOIN staff s ON s.id = x.id", "fired", "fired AS x", "teams t, staff s",
        "(teams t JOIN staff s ON s.team = t.id)", "(staff) AS x",
    ]  # fmt: skip
    ends = [
        "",
        " WHERE pay > 3",
        " WHERE s.pay > b.pay",
        " ORDER BY pay",
        " ORDER BY 1",
        " GROUP BY 1",
        " WHERE EXISTS (SELECT pay FROM bands)",
        " WHERE id IN (SELECT id FROM fired)",
        " GROUP BY pay",
    ]
    heads = [
        "",
        "",
        "WITH x AS (SELECT * FROM bands) ",
        "WITH x AS (SELECT id, team AS pay FROM staff) ",
        "WITH y AS (SELECT pay FROM staff) ",
    ]
    made = set()
    while len(made) < count:
        shown = ", ".join(rng.sample(columns, rng.choice((1, 1, 2))))
        made.add(f"{rng.choice(heads)}SELECT {shown} FROM {rng.choice(sources)}{rng.choice(ends)}")
    return sorted(made)


ROWS = {
    "staff": [
        [(1, "Ann", 10, 1), (2, "Ben", 20, 2), (3, "Cy", 30, 1)],
        [(1, "Ann", 7, 1), (2, "Ben", 1, 2), (3, "Cy", 2, 1)],
    ],
    "teams": [[(1, "North"), (2, "Ann")]] * 2,
    "bands": [[(1, 10), (2, 30)]] * 2,
    "fired": [[(1, "Dee")], [(9, "Eve"), (3, "Flo")]],
}


def databases(engine):
    """Two databases that differ in nothing but what is withheld."""
    made = []
    for side in (0, 1):
        database = engine()
        database.execute("CREATE TABLE staff (id INTEGER, name TEXT, pay INTEGER, team INTEGER)")
        database.execute("CREATE TABLE teams (id INTEGER, name TEXT)")
        database.execute("CREATE TABLE bands (id INTEGER, pay INTEGER)")
        database.execute("CREATE TABLE fired (id INTEGER, name TEXT)")
        for table, rows in ROWS.items():
            for row in rows[side]:
                database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        made.append(database)
    return made


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_what_passes_tells_nothing_of_what_is_withheld(dialect):
    engines = {"sqlite": lambda: sqlite3.connect(":memory:"), "duckdb": lambda: duckdb.connect(":memory:")}
    one, other = databases(engines[dialect])
    ran = told = 0
    known = [sql for of, sql in cases("plain") if of == dialect]
    for sql in itertools.chain(known, statements(3_000)):
        found = decide(dialect, sql)
        if not isinstance(found, Passed):
            continue
        try:
            rows = sorted(map(repr, one.execute(found.sent).fetchall()))
        except (sqlite3.Error, duckdb.Error):
            continue
        ran += 1
        told += bool(rows)
        assert rows == sorted(map(repr, other.execute(found.sent).fetchall())), found.sent
    assert ran > 100 and told > 50, (ran, told)

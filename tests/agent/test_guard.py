"""The guard, case by case: what must pass passes, what must not is refused and says why."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from sqlglot import exp

from sqlagent.guard import KINDS, Passed, Policy, Refusal, check, never_allowed
from sqlagent.guard.lists import DIALECTS, LISTED, lists, reason_of
from sqlagent.values import Catalog, Column, Table

CASES = Path(__file__).parent / "cases" / "guard"
HOSTILE = Path(__file__).parents[1] / "engines" / "cases" / "hostile.jsonl"
# Functions somebody made: what they write the read-only session refuses (tests/engines), which the guard cannot know.
OF_ONES_OWN = {"archive.wipe", "wipe_all", "library.wipe_all", "bytecode"}
SYSTEM_NAMES = {"mysql": "library"}


def columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name) for name in names)


def library(dialect: str) -> Catalog:
    """The tables that the cases are about."""
    tables = [
        Table("members", columns("id", "name", "joined_on", "email")),
        Table(
            "books",
            columns("id", "title", "genre", "shelf", "price", "published", "details", "labels", "info"),
        ),
        Table(
            "loans",
            columns("id", "member_id", "book_id", "lent_on", "returned_on", "fine", "status"),
        ),
        Table("shelves", columns("id", "parent_id", "title")),
        Table("Odd Table", columns("Odd Column", "another one", "Mixed Case", "select")),
        Table("notes_fts", columns("body")),
        Table("crosstab_of_loans", columns("member_id"), is_view=True),
    ]
    if dialect == "postgres":
        tables.append(Table("loans", columns("id", "member_id"), schema="archive"))
        tables.append(Table("old_fines", columns("id"), schema="archive"))
    return Catalog(dialect, tuple(tables), default_schema=SYSTEM_NAMES.get(dialect, ""))


def cases() -> list[object]:
    found = []
    for name in (*LISTED, "other"):
        for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            dialect = case.get("dialect", name)
            found.append(pytest.param(dialect, case, id=f"{dialect}: {case['why']}"))
    return found


@pytest.mark.parametrize(("dialect", "case"), cases())
def test_a_statement_is_decided_as_its_case_says(dialect: str, case: dict[str, object]) -> None:
    sql = str(case["sql"])
    decided = check(sql, library(dialect))
    assert isinstance(decided, Passed) == case["allow"], decided
    if isinstance(decided, Refusal):
        assert decided.what and decided.why and decided.advice
        assert decided.position is None or 0 <= decided.position <= len(sql)
        assert str(case.get("says", "")) in f"{decided.what} {decided.why} {decided.advice}"


HIDDEN = {
    "postgres": ("pg_sleep(1)", "query_to_xml('SELECT 1', true, true, '')", "(SELECT max(rolpassword) FROM pg_authid)"),
    "sqlite": ("load_extension('x')", "(SELECT max(data) FROM sqlite_dbpage)", '"writefile"(1, 2)'),
    "mysql": ("SLEEP(1)", "`load_file`('x')", "(SELECT max(authentication_string) FROM mysql.user)"),
    "spark": ("reflect('a', 'b')", "`java_method`('a', 'b')", "(SELECT max(value) FROM text.`/etc/passwd`)"),
    "clickhouse": ("file('/etc/passwd')", "(SELECT max(name) FROM system.users)", "(SELECT a FROM url('x', 'CSV', 'a String'))"),
    "duckdb": ("getenv('HOME')", "(SELECT max(a) FROM 'x.csv')", "(FROM read_text('x') SELECT content)"),
}  # fmt: skip
PLACES = (
    "SELECT {}",
    "SELECT 1 + {} AS n FROM books",
    "SELECT * FROM books WHERE price > {}",
    "SELECT * FROM books WHERE id IN (1, {})",
    "SELECT * FROM books WHERE price BETWEEN 1 AND {}",
    "SELECT * FROM books WHERE EXISTS (SELECT {})",
    "SELECT * FROM books WHERE title LIKE {}",
    "SELECT count(*) FROM books GROUP BY {}",
    "SELECT genre FROM books GROUP BY genre HAVING max(price) > {}",
    "SELECT * FROM books ORDER BY {}",
    "SELECT * FROM books LIMIT {}",
    "SELECT * FROM books LIMIT 1 OFFSET {}",
    "SELECT * FROM books JOIN loans ON {} IS NULL",
    "SELECT CASE WHEN price = 1 THEN {} ELSE 2 END FROM books",
    "SELECT coalesce(price, {}) FROM books",
    "SELECT sum(price) OVER (PARTITION BY {}) FROM books",
    "SELECT sum(price) OVER w FROM books WINDOW w AS (ORDER BY {})",
    "SELECT CAST({} AS char(5))",
    "WITH a AS (SELECT {}) SELECT * FROM a",
    "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT {} FROM a) SELECT * FROM a",
    "SELECT * FROM (SELECT {} AS x) AS t",
    "SELECT 1 UNION ALL SELECT {}",
    "(SELECT {})",
    "EXPLAIN SELECT {}",
    "SELECT -{}",
    "SELECT NOT {}",
    "SELECT max({}) FROM books",
    "SELECT count(DISTINCT {}) FROM books",
    "SELECT 'a' || {}",
    "SELECT {} IS NOT NULL",
    "SELECT (1, {}) = (1, 2)",
)


@pytest.mark.parametrize("dialect", LISTED)
@pytest.mark.parametrize("place", PLACES)
def test_nothing_hides_wherever_an_expression_may_stand(dialect: str, place: str) -> None:
    catalog = library(dialect)
    for hidden in HIDDEN[dialect]:
        assert isinstance(check(place.format(hidden), catalog), Refusal), hidden
    assert not isinstance(check(place.format("3"), catalog), Refusal), "the place itself is fine"


SOURCES = {
    "postgres": ("pg_shadow", "secrets", "pg_read_file('x')", "\"pg_ls_dir\"('.')"),
    "sqlite": ("dbstat", "secrets", "pragma_database_list", "fsdir('.')"),
    "mysql": ("mysql.user", "secrets", "information_schema.processlist"),
    "duckdb": ("'x.csv'", '"x.csv"', "x.csv", '"/tmp/x".csv', "glob('*')", "df", "duckdb_secrets()"),
}
STANDS = (
    "SELECT * FROM {}",
    "SELECT * FROM books, {}",
    "SELECT * FROM books JOIN {} ON 1 = 1",
    "SELECT * FROM books LEFT JOIN {} AS b ON 1 = 1",
    "SELECT * FROM (SELECT * FROM {}) AS t",
    "SELECT * FROM books WHERE id IN (SELECT 1 FROM {})",
    "SELECT (SELECT count(*) FROM {})",
    "WITH a AS (SELECT * FROM {}) SELECT * FROM a",
    "WITH a AS (SELECT 1), b AS (SELECT * FROM {}) SELECT * FROM a",
    "SELECT 1 UNION SELECT 1 FROM {}",
    "SELECT 1 FROM books ORDER BY (SELECT count(*) FROM {})",
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM {}) THEN 1 END",
    "EXPLAIN SELECT * FROM {}",
    "SELECT * FROM books CROSS JOIN {} AS x",
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("stand", STANDS)
def test_no_source_outside_the_catalog_is_read_wherever_it_stands(dialect: str, stand: str) -> None:
    catalog = library(dialect)
    for source in SOURCES[dialect]:
        assert isinstance(check(stand.format(source), catalog), Refusal), source
    assert isinstance(check(stand.format("loans"), catalog), Passed), "the place itself is fine"


def test_duckdb_reads_no_file_wherever_sql_has_a_place_for_one() -> None:
    places = (CASES / "duckdb_places.txt").read_text("utf-8").splitlines()
    assert len(places) > 60
    for place in places:
        sql = place.replace("@", "(FROM 'x.csv' SELECT a LIMIT 1)")
        assert isinstance(check(sql, library("duckdb")), Refusal), sql


def test_a_cte_is_seen_only_where_it_is_visible() -> None:
    catalog = library("duckdb")
    assert isinstance(check("WITH f AS (SELECT 1) SELECT * FROM f", catalog), Passed)
    assert isinstance(check("SELECT * FROM (WITH f AS (SELECT 1) FROM f) t, f", catalog), Refusal)
    assert isinstance(check("WITH f AS (FROM f) FROM f", catalog), Refusal)
    assert isinstance(check("WITH RECURSIVE f AS (FROM f) FROM f", catalog), Refusal)


def test_an_unknown_name_is_refused_with_the_nearest_real_ones_and_its_place() -> None:
    sql = "SELECT b.titel FROM books AS b"
    refused = check(sql, library("postgres"))
    assert isinstance(refused, Refusal)
    assert (refused.kind, refused.name, refused.nearest) == ("column", "titel", ("title",))
    assert refused.position == sql.index("titel")


def test_a_refusal_points_at_the_second_statement() -> None:
    refused = check("SELECT 1; DROP TABLE books", library("sqlite"))
    assert isinstance(refused, Refusal)
    assert refused.position == 10


def test_what_runs_is_what_was_written_without_what_follows_the_statement() -> None:
    passed = check("/* why */ SELECT /* all */ 1 ; -- done\n", library("sqlite"))
    assert isinstance(passed, Passed)
    assert passed.sql == "/* why */ SELECT /* all */ 1"
    assert passed.sent == "SELECT   1"


def test_an_administrator_may_allow_further_functions() -> None:
    policy = Policy(functions=frozenset({"Score_Of", "archive.rank_of"}))
    catalog = library("postgres")
    assert isinstance(check("SELECT score_of(id) FROM books", catalog, policy), Passed)
    assert isinstance(check("SELECT archive.rank_of(id) FROM books", catalog, policy), Passed)
    assert isinstance(check("SELECT archive.score_of(id) FROM books", catalog, policy), Refusal)
    assert isinstance(check("SELECT pg_sleep(1)", catalog, policy), Refusal)
    misspelt = check("SELECT scor_of(id) FROM books", catalog, policy)
    assert isinstance(misspelt, Refusal)
    assert misspelt.advice.startswith("Did you mean score_of? ")


def test_an_allowed_function_may_stand_where_rows_come_from_and_be_one_the_parser_knows() -> None:
    policy = Policy(functions=frozenset({"fines_of", "soundex_of", "approx_quantiles"}))
    for sql in ("SELECT * FROM fines_of(3)", "SELECT approx_quantiles(price, 3) FROM books"):
        assert isinstance(check(sql, library("postgres")), Refusal), sql
        assert isinstance(check(sql, library("postgres"), policy), Passed), sql


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_acts_stays_refused_whatever_an_administrator_allows(dialect: str) -> None:
    hostile = [json.loads(line) for line in HOSTILE.read_text("utf-8").splitlines()]
    texts = [case["sql"] for case in hostile if case["engine"] == dialect]
    texts += [
        case["sql"]
        for line in (CASES / f"{dialect}.jsonl").read_text("utf-8").splitlines()
        if not (case := json.loads(line))["allow"]
    ]
    catalog = library(dialect)
    refused = [sql for sql in texts if isinstance(check(sql, catalog), Refusal)]
    assert len(refused) > 40
    for sql in refused:
        called = {name.lower() for name in re.findall(r"([\w$.]+)[\"`\]]?\s*\(", sql)}
        if not called & OF_ONES_OWN:
            assert isinstance(check(sql, catalog, Policy(functions=frozenset(called))), Refusal), sql


@pytest.mark.parametrize(
    ("function", "dialect", "says"),
    [
        ("pg_sleep", "postgres", "waits"),
        ("pg_catalog.pg_read_server_files", "postgres", "reads files"),
        ("LO_EXPORT", "postgres", "writes files"),
        ("sleep", "mysql", "waits"),
        ("load_extension", "sqlite", "loads or runs code"),
        ("pragma_writable_schema", "sqlite", "changes settings"),
        ("read_csv_auto", "duckdb", "reads files"),
        ("binary_upgrade_set_next_pg_type_oid", "postgres", "writes to the database"),
        ("RI_FKey_cascade_del", "postgres", "writes to the database"),
        ("pg_get_functiondef", "postgres", "tells about the server"),
        ("wsrep_sync_wait_upto_gtid", "mysql", "locks"),
        ("export_database", "duckdb", "writes files"),
        ("duckdb_functions", "duckdb", "tells about the server"),
        ("BlobToFile", "sqlite", "writes files"),
        ("a.b.c", "postgres", "not a function's name"),
        ("pg sleep", "postgres", "not a function's name"),
        ("select", "postgres", "a word of SQL"),
    ],
)
def test_a_function_that_acts_cannot_be_allowed_and_the_reason_is_told(function, dialect, says) -> None:
    assert says in never_allowed(function, dialect)
    assert not never_allowed("app.vat_of", dialect)


SWITCHED = {
    "explain": ("postgres", "EXPLAIN SELECT 1"),
    "explain_analyze": ("postgres", "EXPLAIN ANALYZE SELECT 1"),
    "describe": ("duckdb", "SUMMARIZE books"),
    "show": ("mysql", "SHOW TABLES"),
    "pragma": ("sqlite", "PRAGMA table_info(books)"),
    "system_tables": ("postgres", "SELECT relname FROM pg_class"),
    "version": ("postgres", "SELECT version()"),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_administrator_may_switch_a_debatable_kind_off(kind: str) -> None:
    dialect, sql = SWITCHED[kind]
    assert isinstance(check(sql, library(dialect)), Passed)
    refused = check(sql, library(dialect), Policy(refused=frozenset({kind})))
    assert isinstance(refused, Refusal)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "EXPLAIN FORMAT=JSON ANALYZE SELECT 1"),
        ("mysql", "EXPLAIN FORMAT = TREE\tANALYZE SELECT 1"),
        ("duckdb", "EXPLAIN (FORMAT = JSON ANALYZE) SELECT 1"),
        ("duckdb", "EXPLAIN (FORMAT=JSON, ANALYZE) SELECT 1"),
    ],
)
def test_a_format_hides_no_analyze(dialect: str, sql: str) -> None:
    passed = check(sql, library(dialect))
    assert isinstance(passed, Passed) and passed.runs
    refused = check(sql, library(dialect), Policy(refused=frozenset({"explain_analyze"})))
    assert isinstance(refused, Refusal)


def test_schemas_of_the_search_path_need_not_be_named() -> None:
    catalog = library("postgres")
    assert isinstance(check("SELECT id FROM old_fines", catalog), Refusal)
    policy = Policy(search_path=("archive",))
    assert isinstance(check("SELECT id FROM old_fines", catalog, policy), Passed)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_node_on_the_list_is_one_that_the_parser_knows(dialect: str) -> None:
    unknown = {name for name in lists(dialect).nodes if not hasattr(exp, name)}
    assert not unknown


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_function_that_is_known_to_act_is_on_a_list(dialect: str) -> None:
    allowed = lists(dialect)
    # SQLite's glob() compares texts, and some pragma_ functions describe a table
    compares = {name for name in allowed.functions if name == "glob" or name.startswith("pragma_")}
    acting = {name for name in (allowed.functions | allowed.words) - compares if reason_of(name)}
    assert not acting - ({"glob"} if dialect == "sqlite" else set())


def test_a_known_function_is_refused_with_its_own_reason() -> None:
    refused = check("SELECT pg_sleep(1)", library("postgres"))
    assert isinstance(refused, Refusal)
    assert refused.why == "It waits, and holds the connection meanwhile."
    # One that the parser has a node for is no less a function with a reason.
    refused = check("SELECT * FROM read_csv('/etc/passwd')", library("duckdb"))
    assert isinstance(refused, Refusal)
    assert refused.what == "The function read_csv may not be called."
    assert refused.why == "It reads files or lists folders of the server."


ODD_NAMES = ('we"ird', "my.table", "two words", "Größe", "表", "select", "UPPER", "back`tick", "x.csv")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ODD_NAMES)
def test_tables_and_columns_of_any_spelling_are_found(dialect: str, name: str) -> None:
    catalog = Catalog(dialect, (Table(name, columns(name)),))
    quoted = exp.Identifier(this=name, quoted=True).sql(dialect)
    assert isinstance(check(f"SELECT {quoted}.{quoted} FROM {quoted}", catalog), Passed)
    refused = check(f"SELECT 1 FROM {exp.Identifier(this=name + 'x', quoted=True).sql(dialect)}", catalog)
    assert isinstance(refused, Refusal) and refused.kind == "table"


def test_postgres_names_are_compared_as_postgres_reads_them() -> None:
    catalog = Catalog("postgres", (Table("Orders", columns("Total", "id")),))
    assert isinstance(check('SELECT "Total", ID FROM "Orders"', catalog), Passed)
    refused = check("SELECT 1 FROM Orders", catalog)
    assert isinstance(refused, Refusal) and refused.advice == 'Write "Orders" in double quotes.'
    refused = check('SELECT Total FROM "Orders"', catalog)
    assert isinstance(refused, Refusal) and refused.advice == 'Write "Total" in double quotes.'


def test_a_table_is_looked_for_in_the_schema_that_is_written() -> None:
    catalog = library("postgres")
    assert isinstance(check("SELECT id FROM archive.old_fines", catalog), Passed)
    assert isinstance(check("SELECT id FROM PUBLIC.books", catalog), Passed)
    assert isinstance(check("SELECT id FROM archive.books", catalog), Refusal)
    assert isinstance(check("SELECT title FROM archive.loans", catalog), Refusal)


@pytest.mark.parametrize("length", [60_000, 5_000_000])
def test_a_text_of_any_length_is_decided_at_once(length: int) -> None:
    refused = check("SELECT " + "1," * (length // 2) + "1", library("sqlite"))
    assert isinstance(refused, Refusal) and "characters long" in refused.what


def test_a_function_that_somebody_made_is_never_taken_for_the_engines_own() -> None:
    catalog = replace(library("postgres"), routines=("round", "mood", "substring"), types=("status",))
    passed = check("SELECT round(price, 1), id AS round FROM books WHERE round(price) > 1", catalog)
    assert isinstance(passed, Passed)
    assert passed.sent == (
        "SELECT pg_catalog.round(price, 1), id AS round FROM books WHERE pg_catalog.round(price) > 1"
    )
    assert passed.sql.startswith("SELECT round(price, 1)")
    assert passed.built.place(passed.sent.index("WHERE")) == passed.sql.index("WHERE")
    assert isinstance(check("SELECT substring(title, 1, 2) FROM books", catalog), Refusal)
    assert isinstance(check("SELECT genre::status FROM books", catalog), Passed)
    assert isinstance(check("SELECT genre::mood FROM books", catalog), Refusal)
    allowed = check("SELECT round(price) FROM books", catalog, Policy(functions=frozenset({"round"})))
    assert isinstance(allowed, Passed)
    assert allowed.sent == "SELECT round(price) FROM books"
    for dialect in ("duckdb", "mysql"):
        made = replace(library(dialect), routines=("round",))
        assert isinstance(check("SELECT round(price) FROM books", made), Refusal)


def test_an_operator_that_somebody_made_is_refused() -> None:
    catalog = replace(library("postgres"), routines=("+",))
    assert isinstance(check("SELECT price + 1 FROM books", catalog), Refusal)
    assert isinstance(check("SELECT price - 1, -price FROM books", catalog), Passed)


def odd(*made: Column, **told: tuple[str, ...]) -> Catalog:
    """The library with one more table, of columns whose types somebody made."""
    catalog = library("postgres")
    return replace(catalog, tables=(*catalog.tables, Table("odd", (Column("id", "integer"), *made))), **told)


def test_a_column_whose_domain_runs_code_is_shown_but_not_filled_from_a_text() -> None:
    catalog = odd(Column("a", "evil_dom"), checked=("evil_dom",), acting=("odd.*",), routines=("evil_dom",))
    for sql in (
        "SELECT lag(a, 1, 'x') OVER () FROM odd",
        "SELECT a FROM odd UNION ALL SELECT 'x'",
        "SELECT COALESCE((SELECT a FROM odd), 'x')",
        "SELECT COALESCE(odd, '(1,x)') FROM odd",
        "SELECT COALESCE(t.*, '(1,x)') FROM odd AS t",
        "SELECT to_json(t) FROM odd AS t",
        "SELECT COALESCE(y, 'x') FROM odd AS q(x, y)",
        "WITH q(x, y) AS (SELECT * FROM odd) SELECT COALESCE(y, 'x') FROM q",
        "WITH q AS (SELECT * FROM odd UNION ALL SELECT 1, 'x') SELECT * FROM q",
        "SELECT * FROM odd EXCEPT SELECT 1, 'x'",
        "SELECT COALESCE(b, 'x') FROM (SELECT a AS b FROM odd) AS q",
        "SELECT CASE WHEN id = 1 THEN a ELSE 'x' END FROM odd",
        "SELECT array_append(array_agg(a), 'x') FROM odd",
    ):
        assert isinstance(check(sql, catalog), Refusal), sql
    for sql in (
        "SELECT a FROM odd WHERE a = 'x'",
        "SELECT a::text, a AS b FROM odd ORDER BY a",
        "SELECT lower(a), count(DISTINCT a) FROM odd WHERE a LIKE 'x%' GROUP BY a",
        "SELECT * FROM odd",
        "WITH q AS (SELECT id, a FROM odd) SELECT id, a FROM q",
        "SELECT COALESCE(a::text, 'x') FROM odd",
        "SELECT to_json(l) FROM loans AS l",
    ):
        assert isinstance(check(sql, catalog), Passed), sql


def test_a_table_with_a_type_that_runs_code_is_not_read() -> None:
    catalog = odd(Column("mood", "app.mood"), acting=("app.mood", "odd.*"))
    refused = check("SELECT id FROM odd", catalog)
    assert isinstance(refused, Refusal)
    assert "column mood" in refused.why
    assert isinstance(check("SELECT title FROM books", catalog), Passed)


def test_rows_that_somebody_made_a_cast_or_an_operator_for_are_not_taken_as_a_whole() -> None:
    catalog = replace(library("postgres"), routines=("date",), acting=("books.*",))
    assert isinstance(check("SELECT title::date FROM books", catalog), Refusal)
    assert isinstance(check("SELECT CAST(title AS date) FROM books", catalog), Refusal)
    assert isinstance(check("SELECT upper(b) FROM books AS b", catalog), Refusal)
    assert isinstance(check("SELECT 'x' || B.* FROM books AS b", catalog), Refusal)
    assert isinstance(check("SELECT a.* = b.* FROM books a, books b", catalog), Refusal)
    assert isinstance(check("SELECT upper(b.title), b.* FROM books AS b", catalog), Passed)


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_what_is_called_for_words_of_sql_stops_everything(dialect: str) -> None:
    refused = check("SELECT 1", replace(library(dialect), unseen=("the operator =",)))
    assert isinstance(refused, Refusal)
    assert refused.what == "Somebody made the operator = in this database."


def test_duckdb_calls_a_macro_behind_a_dot_too() -> None:
    catalog = replace(library("duckdb"), routines=("length",))
    for call in (
        "length('a')",
        "main.length('a')",
        "'a'.length()",
        "title.length()",
        "[1].length()",
        "b.title.length()",
    ):
        assert isinstance(check(f"SELECT {call} FROM books AS b", catalog), Refusal), call
    assert isinstance(check("SELECT title.lower() FROM books", catalog), Passed)


@pytest.mark.parametrize(
    "after",
    ["main.'hidden'", "'hidden'", "main.\"books\".'x'", "true", "current_user", "null", "5", "x'aa'", "?"],
)
def test_only_brackets_and_names_of_tables_stand_after_in(after: str) -> None:
    for sql in (f"SELECT 'a' IN {after}", f"SELECT 1 FROM books WHERE title NOT IN {after}"):
        assert isinstance(check(sql, library("sqlite")), Refusal), sql
    for good in ("('a')", "books", "main.books", "main.[books]", '"books"', "json_each('[1]')"):
        assert isinstance(check(f"SELECT 'a' IN {good}", library("sqlite")), Passed), good


@pytest.mark.parametrize(
    "dialect", ["tsql", "spark", "snowflake", "mysql", "duckdb", "sqlite", "oracle", "drill"]
)
def test_a_name_of_more_than_three_parts_is_no_table(dialect: str) -> None:
    for name in ("a.b.c.hidden", "a.b.c.d.e", "a.b.c.books"):
        assert isinstance(check(f"SELECT * FROM {name}", library(dialect)), Refusal), name
        assert isinstance(check(f"SELECT 1 FROM books JOIN {name} ON 1 = 1", library(dialect)), Refusal), name


def test_names_of_tables_are_compared_exactly_where_the_server_does() -> None:
    catalog = replace(library("mysql"), exact_names=True)
    assert isinstance(check("SELECT title FROM books", catalog), Passed)
    assert isinstance(check("SELECT TITLE FROM books AS B", catalog), Passed)
    for sql in ("SELECT title FROM BOOKS", "WITH hidden AS (SELECT 1) SELECT * FROM HIDDEN"):
        assert isinstance(check(sql, catalog), Refusal), sql
    assert isinstance(check("SELECT title FROM BOOKS", library("mysql")), Passed)
    assert isinstance(
        check("SELECT title FROM BOOKS", replace(library("postgres"), dialect="clickhouse")), Refusal
    )


@pytest.mark.parametrize(
    "dialect", ["oracle", "snowflake", "exasol", "materialize", "risingwave", "dremio", "postgres"]
)
def test_a_quoted_cte_frees_no_table_of_another_spelling(dialect: str) -> None:
    catalog = replace(library("postgres"), dialect=dialect)
    for sql in (
        'WITH "Hidden" AS (SELECT 1 AS a) SELECT * FROM hidden',
        'SELECT * FROM "Books"',
        'WITH "boo\u212a_hidden" AS (SELECT 1 AS a) SELECT * FROM book_hidden',
    ):
        assert isinstance(check(sql, catalog), Refusal), sql
    for sql in (
        "SELECT * FROM BOOKS",
        "WITH q AS (SELECT 1 AS a) SELECT * FROM Q",
        'WITH "Q" AS (SELECT 1 AS a) SELECT * FROM "Q"',
    ):
        assert isinstance(check(sql, catalog), Passed), sql


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "mysql", "postgres", "trino"])
def test_letters_beyond_ascii_are_not_lowered(dialect: str) -> None:
    quote = "`" if dialect == "mysql" else '"'
    sql = f"WITH {quote}boo\u212a_hidden{quote} AS (SELECT 1 AS a) SELECT * FROM book_hidden"
    assert isinstance(check(sql, replace(library("sqlite"), dialect=dialect)), Refusal)


def test_clickhouse_takes_names_after_in_for_tables() -> None:
    catalog = replace(library("postgres"), dialect="clickhouse")
    for sql in ("SELECT 1 IN hidden FROM books AS hidden", "SELECT 'x' IN title FROM books"):
        assert isinstance(check(sql, catalog), Refusal), sql
    assert isinstance(check("SELECT title IN ('x') FROM books", catalog), Passed)


@pytest.mark.parametrize("dialect", ["teradata", "exasol", "drill", "spark", "snowflake"])
def test_no_name_reaches_another_server(dialect: str) -> None:
    assert isinstance(check("SELECT * FROM books@x", replace(library("postgres"), dialect=dialect)), Refusal)


def test_a_schema_of_postgres_is_compared_as_it_is_quoted_and_its_own_tables_come_first() -> None:
    catalog = library("postgres")
    assert isinstance(check('SELECT id FROM "ARCHIVE".old_fines', catalog), Refusal)
    assert isinstance(check('SELECT id FROM "archive".old_fines', catalog), Passed)
    hidden = replace(catalog, tables=(*catalog.tables, Table("pg_authid", (Column("rolpassword"),))))
    assert isinstance(check("SELECT rolpassword FROM pg_authid", hidden), Refusal)
    assert isinstance(check("SELECT rolpassword FROM public.pg_authid", hidden), Passed)


def test_a_table_whose_definition_calls_somebodys_code_is_not_read() -> None:
    catalog = replace(library("postgres"), planned=("books", "archive.old_fines"))
    for sql in (
        "SELECT title FROM books",
        "SELECT id FROM archive.old_fines",
        "SELECT 1 FROM loans JOIN books ON true",
    ):
        assert isinstance(check(sql, catalog), Refusal), sql
    assert isinstance(check("SELECT id FROM loans", catalog), Passed)


@pytest.mark.parametrize("dialect", ["oracle", "snowflake"])
def test_a_quoted_function_of_the_long_tail_is_another_one(dialect: str) -> None:
    catalog = replace(library("postgres"), dialect=dialect)
    assert isinstance(check("SELECT upper(title) FROM books", catalog), Passed)
    assert isinstance(check('SELECT "upper"(title) FROM books', catalog), Refusal)


@pytest.mark.parametrize("name", ["+", "~~", "count_star", "list_value", "date_part"])
def test_a_macro_that_duckdb_calls_for_syntax_stops_everything(name: str) -> None:
    catalog = replace(library("duckdb"), routines=(name,))
    refused = check("SELECT 1 + 1", catalog)
    assert isinstance(refused, Refusal)
    assert name in refused.what
    assert isinstance(check("SELECT 1 + 1", replace(catalog, routines=("net_of",))), Passed)


def test_a_name_behind_a_dot_is_no_function_whatever_its_source_seems_to_be() -> None:
    catalog = replace(library("postgres"), called=("pg_read_file", "upper"), routines=("evil",))
    for sql in (
        "SELECT g.pg_read_file FROM (SELECT 1 AS pg_read_file) g",
        "SELECT (SELECT trim.pg_read_file FROM trim('x')) FROM (SELECT 1 AS pg_read_file) trim",
        "SELECT b.evil FROM (SELECT 1 AS evil) AS b",
        'SELECT b."pg_read_file" FROM books AS b',
    ):
        assert isinstance(check(sql, catalog), Refusal), sql
    for sql in (
        "SELECT pg_read_file FROM (SELECT 1 AS pg_read_file) g",
        "SELECT g.upper FROM (SELECT 1 AS upper) g",
    ):
        assert isinstance(check(sql, catalog), Passed), sql


def test_names_that_postgres_cuts_to_one_are_refused() -> None:
    long = "a" * 62
    assert isinstance(check(f"SELECT {long}bx AS b, {long}by FROM books", library("postgres")), Refusal)
    twice = f"SELECT title AS {long}{long} FROM books ORDER BY {long}{long}"
    assert isinstance(check(twice, library("postgres")), Passed)


def test_names_are_not_spelled_in_escapes() -> None:
    assert isinstance(check('SELECT U&"\\0074itle" FROM books', library("postgres")), Refusal)
    assert isinstance(check('SELECT id & "id" FROM books', library("postgres")), Passed)


@pytest.mark.parametrize("dialect", ["mysql", "sqlite", "duckdb"])
def test_numbers_to_the_base_of_sixteen_pass_in_any_case(dialect: str) -> None:
    assert isinstance(check("SELECT 0xFF, 0x1f FROM books", library(dialect)), Passed)


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        ("SELEC country FROM customers", "Did you mean SELECT?"),
        ("wiht a AS (SELECT 1) SELECT 1 FROM a", "Did you mean WITH?"),
        ("SELECT country FORM customers", "“FORM”: did you mean FROM?"),
        ("SELECT country FROM customers GRUOP BY country", "“GRUOP”: did you mean GROUP?"),
        ("FETCH country FROM customers", "Ask for rows with a SELECT (or WITH ... SELECT)."),
        (
            "SELECT country FROM customers WHERE country > :from GROUP BY country",
            "Give the value another name, for instance :from_value.",
        ),
        (
            "SELECT 'FORM' country country country",
            "Check the spelling, brackets and quotes near the marked place.",
        ),
    ],
)
def test_a_misspelt_word_of_sql_is_named_in_the_advice(sql: str, advice: str) -> None:
    found = check(sql, Catalog("sqlite", (Table("customers", (Column("country"),)),)))
    assert isinstance(found, Refusal) and found.advice == advice

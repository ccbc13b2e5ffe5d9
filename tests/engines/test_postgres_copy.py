"""Rows by COPY are the rows of `execute`: as columns, in a stored file, within limits; and as CSV."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mirror.exports.defusing import LIVE, PLAIN_NUMBER, defused
from sqlagent.adapters import postgres, postgres_copy
from sqlagent.errors import DatabaseError, StatementFailed, Unreachable
from sqlagent.ports import ColumnStream, CsvStreaming, SourceDatabase
from sqlagent.values import FailureKind, Limits
from tests.engines.columns import MANY, assert_same, by_column
from tests.engines.postgres_lab import PostgresLab

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/engines/cases"
CASES = [json.loads(line) for line in (FOLDER / "copied.jsonl").read_text().splitlines()]
HOSTILE = [
    json.loads(line) for line in (FOLDER / "hostile.jsonl").read_text().splitlines() if '"postgres"' in line
]
FEW = Limits(10, 3)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> PostgresLab:
    made = PostgresLab(tmp_path_factory.mktemp("copied"))
    with closing(made.server.connect(made.database)) as db:
        db.execute(
            """CREATE TYPE feeling AS ENUM ('fine', 'so, "so"'); CREATE DOMAIN small AS int CHECK (VALUE < 9)"""
        )
        db.execute("CREATE TABLE numbers AS SELECT i, 'n' || i AS t FROM generate_series(1, 200000) AS i")
        db.execute("GRANT SELECT ON numbers TO PUBLIC")
        db.execute("CREATE SEQUENCE only_here; GRANT ALL ON SEQUENCE only_here TO PUBLIC")
    return made


@pytest.fixture
def database(lab: PostgresLab) -> Iterator[SourceDatabase]:
    opened = lab.connect()
    yield opened
    opened.close()


@pytest.fixture(params=[2_000_000, 1], ids=["one block", "a block a row"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_copy, "BLOCK_BYTES", request.param)


# ---------------------------------------------------------------- the same rows


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_columns_hold_what_rows_hold(case: dict[str, str], database: SourceDatabase, tmp_path: Path) -> None:
    assert_same(database, case["sql"], tmp_path)


def test_what_goes_by_rows_is_no_column_stream(database: SourceDatabase) -> None:
    for case in CASES:
        with database.stream(case["sql"], MANY) as stream:
            assert isinstance(stream, ColumnStream) is ("by rows" not in case["what"]), case["what"]


@pytest.mark.parametrize("zone", ["Europe/Oslo", "Asia/Kolkata", "UTC", "GMT"])
def test_moments_keep_the_offset_of_the_sessions_zone(
    zone: str, lab: PostgresLab, database: SourceDatabase, tmp_path: Path
) -> None:
    sql = "SELECT x::timestamptz FROM (VALUES ('2026-01-01 10:00+02'), ('2026-07-01 10:00+02'), (NULL)) AS v (x)"
    with closing(lab.server.connect(lab.database)) as db:
        db.execute(f"ALTER ROLE writer SET TimeZone = '{zone}'")
    try:
        assert_same(database, sql, tmp_path)
    finally:
        with closing(lab.server.connect(lab.database)) as db:
            db.execute("ALTER ROLE writer RESET TimeZone")


def test_a_server_of_another_encoding_gives_columns_and_no_csv(lab: PostgresLab, tmp_path: Path) -> None:
    with closing(lab.server.connect()) as db:
        db.execute("DROP DATABASE IF EXISTS latin")
        db.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    database = lab.connect(database="latin")
    sql = "SELECT x, 'x' || x AS y FROM (VALUES ('Ærø'), (NULL), ('')) AS v (x)"
    assert_same(database, sql, tmp_path)
    assert isinstance(database, CsvStreaming)
    with database.stream_csv(sql, MANY, live=LIVE, plain=PLAIN_NUMBER) as lines:
        assert lines is None


@pytest.mark.parametrize(
    "refused", ["STDOUT (FORMAT parquet)", "STDOUT (FORMAT csv, UNKNOWN)", "'/dev/null'"]
)
def test_a_server_that_takes_no_copy_gives_its_rows_all_the_same(
    refused: str, database: SourceDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy(sql: str, options: str = "") -> str:
        return f"COPY ({sql}) TO {refused}"

    monkeypatch.setattr(postgres, "copy_sql", copy)
    monkeypatch.setattr(
        postgres_copy, "copy_sql", lambda sql: "COPY (\nSELECT 1\n) TO STDOUT (FORMAT parquet)"
    )
    assert_same(database, "SELECT 7 AS i, 1.50 AS n, 'a' AS t, NULL::date AS d", tmp_path)
    rows, stream = by_column(database, "SELECT i, t FROM numbers ORDER BY i", Limits(30, 2_500, 3))
    assert (len(rows), rows[-1], stream.truncated) == (2_500, (2_500, "n25…"), True)
    assert stream.cut_cells == 2_500 - 99
    with pytest.raises(StatementFailed, match="division by zero"):
        by_column(database, "SELECT 1 / (i - i) FROM numbers")
    with pytest.raises(StatementFailed, match="read-only"):
        by_column(database, "SELECT nextval('only_here')")
    assert isinstance(database, CsvStreaming)
    with database.stream_csv("SELECT 1", MANY, live=LIVE, plain=PLAIN_NUMBER) as lines:
        assert lines is None


def _quoted(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


_words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
_odd = st.sampled_from([",", '"', "\r\n", "\\.", "\ufeff", "NULL", "\\N", "", "t", "1", " "])
_scaled = st.decimals(
    allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9
).map(str)
TYPES = {
    "text": st.one_of(_words, _odd),
    "int4": st.integers(-(2**31), 2**31 - 1).map(str),
    "int8": st.integers(-(2**63), 2**63 - 1).map(str),
    "float8": st.floats(allow_subnormal=True).map(repr),
    "numeric(14,2)": st.one_of(_scaled, st.just("NaN")),
    "numeric": st.one_of(_scaled, st.decimals(allow_infinity=True).filter(lambda d: not d.is_snan()).map(lambda d: str(d).lstrip("-") if d.is_nan() else str(d))),
    "bool": st.sampled_from("tf"),
    "date": st.one_of(st.dates().map(str), st.sampled_from(["infinity", "0044-03-15 BC"])),
    "timestamp": st.one_of(st.datetimes().map(str), st.just("-infinity")),
    "timestamptz": st.datetimes(datetime(2, 1, 1)).map("{}+00".format),
    "bytea": st.binary(max_size=5).map(lambda b: "\\x" + b.hex()),
    "jsonb": st.one_of(st.integers(), st.booleans(), st.lists(st.integers(), max_size=3)).map(json.dumps),
    "text[]": st.sampled_from(["{}", "{a,NULL}", '{"a,b",""}']),
    "uuid": st.uuids().map(str),
}  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A SELECT of made-up rows, a type a column, NULLs among them."""
    types = draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, max_size=4))
    cells = [st.one_of(st.none(), TYPES[name]) for name in types]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=8))
    values = ", ".join(
        "(" + ", ".join("NULL" if c is None else _quoted(c) for c in row) + ")" for row in rows
    )
    shown = ", ".join(f"c{n}::{name}" for n, name in enumerate(types))
    names = ", ".join(f"c{n}" for n in range(len(types)))
    return f"SELECT {shown} FROM (VALUES {values}) AS v ({names})"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), st.sampled_from([1, 40, 2_000_000]))
def test_columns_of_made_up_tables_hold_what_rows_hold(
    lab: PostgresLab, tmp_path: Path, sql: str, block: int
) -> None:
    database = lab.connect()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres_copy, "BLOCK_BYTES", block)
        try:
            assert_same(database, sql, tmp_path)
        except StatementFailed as error:
            assert "out of range" in str(error) or "overflow" in str(error)
    database.close()


# ---------------------------------------------------------------- the same limits


TEXTS = """SELECT repeat('ø', i) AS a, CASE WHEN i % 3 > 0 THEN repeat('y', i) END AS b, i AS c,
           decode(repeat('ff', i), 'hex') AS d, to_jsonb(repeat('z', i)) AS e, to_jsonb(ARRAY[i, i]) AS f
           FROM generate_series(1, 30) AS i"""


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(
    "limits",
    [Limits(9, 29), Limits(9, 30), Limits(9, 31), Limits(9, 1), Limits(9, 99, 7), Limits(9, 20, 1),
     Limits(9, 99, 99, 500), Limits(9, 99, 5, 300), Limits(9, 99, 99, 1), Limits(9, 10, 99, 10**9)],
    ids=lambda limits: f"{limits.rows} {limits.cell_chars} {limits.total_chars}",
)  # fmt: skip
def test_limits_cut_columns_where_they_cut_rows(database: SourceDatabase, limits: Limits) -> None:
    wanted = database.execute(TEXTS, limits)
    rows, stream = by_column(database, TEXTS, limits)
    assert (tuple(rows), stream.truncated, stream.cut_cells) == (
        wanted.rows,
        wanted.truncated,
        wanted.cut_cells,
    )


@pytest.mark.usefixtures("blocks")
def test_the_cells_that_reach_the_bound_are_the_last(database: SourceDatabase) -> None:
    sql = "SELECT x FROM (VALUES ('ab'), ('c'), (NULL)) AS v (x)"
    for most, kept in ((0, 0), (2, 1), (3, 2), (4, 3)):
        limits = Limits(9, 9, 9, most)
        wanted = database.execute(sql, limits)
        rows, stream = by_column(database, sql, limits)
        assert (tuple(rows), stream.truncated) == (wanted.rows, wanted.truncated)
        assert len(rows) == kept


def drain_columns(database: SourceDatabase, sql: str, limits: Limits) -> int:
    with database.stream(sql, limits) as stream:
        batches = stream.column_batches() if isinstance(stream, ColumnStream) else ([b] for b in stream)
        return sum(len(batch[0]) for batch in batches)


def drain_csv(database: SourceDatabase, sql: str, limits: Limits) -> int:
    assert isinstance(database, CsvStreaming)
    with database.stream_csv(sql, limits, live=LIVE, plain=PLAIN_NUMBER) as lines:
        return sum(map(len, lines or ()))


WAYS = pytest.mark.parametrize("drain", [drain_columns, drain_csv])
Drain = Callable[[SourceDatabase, str, Limits], int]


@WAYS
def test_the_deadline_holds_while_rows_are_copied(database: SourceDatabase, drain: Drain) -> None:
    started = time.monotonic()
    with pytest.raises(StatementFailed, match=r"stopped after 0.4 seconds") as caught:
        drain(database, "SELECT i, pg_sleep(0.01)::text FROM generate_series(1, 9000) AS i", Limits(0.4))
    assert caught.value.failure.kind is FailureKind.TIMEOUT
    assert time.monotonic() - started < 3


@WAYS
def test_cancel_ends_a_copy_in_the_database(lab: PostgresLab, database: SourceDatabase, drain: Drain) -> None:
    sql, caught = f"{lab.endless} AS copied_cancel", []

    def run() -> None:
        with pytest.raises(StatementFailed) as error:
            drain(database, sql, Limits(20))
        caught.append(error.value.failure.kind)

    thread = threading.Thread(target=run)
    thread.start()
    _until(lambda: lab.in_flight("copied_cancel") == 1)
    database.cancel()
    thread.join(5)
    assert caught == [FailureKind.CANCELLED]
    assert lab.in_flight("copied_cancel") == 0


def test_leaving_ends_a_copy_in_the_database(lab: PostgresLab, database: SourceDatabase) -> None:
    sql = "SELECT a.i AS left_alone, b.t FROM numbers AS a, numbers AS b"
    with database.stream(sql, Limits(60, 10**8)) as stream:
        assert isinstance(stream, ColumnStream)
        next(iter(stream.column_batches()))
    _until(lambda: lab.in_flight("left_alone") == 0)


@WAYS
def test_a_connection_lost_while_rows_are_copied_is_said_in_words(
    lab: PostgresLab, database: SourceDatabase, drain: Drain
) -> None:
    caught = []

    def run() -> None:
        with pytest.raises(Unreachable, match="connection to .* was lost while the statement ran") as error:
            drain(database, f"{lab.endless} AS copied_lost", Limits(20))
        caught.append(error.value)

    thread = threading.Thread(target=run)
    thread.start()
    _until(lambda: lab.in_flight("copied_lost") == 1)
    lab.look("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%copied_lost%'")
    thread.join(5)
    assert caught
    assert drain(database, "SELECT 1", FEW)


@WAYS
def test_a_statement_that_fails_halfway_says_why(database: SourceDatabase, drain: Drain) -> None:
    with pytest.raises(StatementFailed, match="division by zero"):
        drain(database, "SELECT 1 / (5000 - i) FROM generate_series(1, 9000) AS i", MANY)
    with pytest.raises(StatementFailed, match='column "nothing" does not exist') as caught:
        drain(database, "SELECT nothing FROM numbers", MANY)
    assert caught.value.failure.position == 7


def test_no_hostile_statement_has_an_effect_by_copy(tmp_path_factory: pytest.TempPathFactory) -> None:
    fresh = PostgresLab(tmp_path_factory.mktemp("hostile"))
    before = fresh.state()
    database = fresh.connect()
    texts = [case["sql"].replace("{watch}", str(fresh.watch)) for case in HOSTILE]
    copied = [sql for sql in texts if postgres_copy.copy_sql(sql)]  # the others go by rows: test_net.py
    assert len(copied) >= 20
    for sql in copied:
        for drain in (drain_columns, drain_csv):
            with suppress(DatabaseError):
                drain(database, sql, Limits(0.3, 100))
    assert fresh.state() == before


@pytest.mark.parametrize(
    "sql",
    ["SELECT 1) TO PROGRAM 'touch {watch}/x' --", "SELECT 1\n) TO '{watch}/x'; --", "SELECT 1; SELECT 2",
     "SELECT 1 /*", "SELECT 'a", "SELECT (1", "SELECT 1 --\r) TO '{watch}/x'", "SELECT $a$ $b$) TO '{watch}/x' --"],
)  # fmt: skip
def test_nothing_gets_out_of_the_brackets(lab: PostgresLab, sql: str) -> None:
    database = lab.connect(user="owner")
    for drain in (drain_columns, drain_csv):
        with pytest.raises(StatementFailed):
            drain(database, sql.replace("{watch}", str(lab.watch)), FEW)
    assert lab.files() == []


# ---------------------------------------------------------------- lines of CSV


def as_csv(database: SourceDatabase, sql: str, limits: Limits = MANY) -> tuple[bytes, Any]:
    assert isinstance(database, CsvStreaming)
    with database.stream_csv(sql, limits, live=LIVE, plain=PLAIN_NUMBER) as lines:
        assert lines is not None
        return b"".join(lines), lines


def test_csv_keeps_null_from_empty_and_leaves_numbers_and_times_alone(database: SourceDatabase) -> None:
    sql = """SELECT -5 AS a, -1.50 AS b, NULL::text AS c, '' AS d, true AS e, false AS f, NULL::bool AS g,
             date '1899-12-31' AS h, timestamp '2026-01-01 10:00:00.5' AS i, 'a "b", c' AS j, '=1+1' AS k,
             'a'::char(3) AS l, x::feeling AS m, '10.0.0.1'::inet AS n,
             date '-infinity' AS o, timestamp 'infinity' AS p, NULL::timestamptz AS q FROM (VALUES ('fine')) AS v (x) -- ;"""
    text, lines = as_csv(database, sql)
    assert text.decode() == (
        '-5,-1.50,,"",true,false,,1899-12-31,2026-01-01 10:00:00.5,"a ""b"", c","\'=1+1","a  ","fine","10.0.0.1",\'-infinity,infinity,\n'
    )
    assert (lines.columns[:3], lines.row_count, lines.truncated, lines.cut_cells) == (
        ("a", "b", "c"),
        1,
        False,
        0,
    )


@pytest.mark.parametrize(
    "sql",
    ["SELECT ARRAY[1]", "SELECT '{}'::json", "SELECT interval '1 day'", "SELECT '\\x00'::bytea",
     "EXPLAIN SELECT 1", "SHOW server_version"],
)  # fmt: skip
def test_what_the_source_would_write_otherwise_does_not_go_as_csv(database: SourceDatabase, sql: str) -> None:
    assert isinstance(database, CsvStreaming)
    with database.stream_csv(sql, MANY, live=LIVE, plain=PLAIN_NUMBER) as lines:
        assert lines is None


_cases = map(json.loads, (ROOT / "tests/exports/cases/formulas.jsonl").read_text().splitlines())
FORMULAS = [case["cell"] for case in _cases if "\0" not in case.get("cell", "\0")]
_signs = st.sampled_from(
    [
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "\n",
        " ",
        "\u3000",
        "＝",
        "＋",
        "－",
        "＠",
        "−",
        "1",
        ".5",
        "e5",
        "%",
        "a",
        "'",
        "\ufeff",
        "\u200b",
    ]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.lists(_signs, max_size=4).map("".join), _words), min_size=5, max_size=60))
def test_the_source_defuses_as_we_do(database: SourceDatabase, texts: list[str]) -> None:
    texts = [*FORMULAS, *texts]
    values = ", ".join(f"({n}, {_quoted(text)})" for n, text in enumerate(texts))
    got, _ = as_csv(database, f"SELECT x FROM (VALUES {values}) AS v (n, x) ORDER BY n")
    cells = [row[0] for row in csv.reader(io.StringIO(got.decode(), newline=""))]
    assert cells == [defused(text) for text in texts]


def test_long_texts_are_cut_before_they_leave_and_counted(database: SourceDatabase) -> None:
    values = "repeat('ø', 10), repeat('ø', 11), repeat('=', 11), repeat('1', 11), '-' || repeat('1', 11), '…'"
    sql = f"SELECT x FROM unnest(ARRAY[{values}]) AS x"
    text, lines = as_csv(database, sql, Limits(9, 6, 10))
    assert text.decode().split() == [
        f'"{cell}"'
        for cell in (
            "ø" * 10,
            "ø" * 10 + "…",
            "'" + "=" * 10 + "…",
            "1" * 10 + "…",
            "'-" + "1" * 9 + "…",
            "…",
        )
    ]
    assert (lines.cut_cells, lines.row_count, lines.truncated) == (4, 6, False)
    text, lines = as_csv(database, sql, Limits(9, 5, 10))
    assert (len(text.splitlines()), lines.row_count, lines.truncated) == (5, 5, True)


def test_the_order_of_a_statement_is_kept_where_workers_share_it(
    lab: PostgresLab, database: SourceDatabase
) -> None:
    sql = "SELECT t, i FROM numbers WHERE i % 2 = 0 ORDER BY i DESC"
    with closing(lab.server.connect(lab.database)) as db:
        db.execute("""ALTER ROLE writer SET parallel_setup_cost = 0; ALTER ROLE writer SET parallel_tuple_cost = 0;
                      ALTER ROLE writer SET min_parallel_table_scan_size = 0; ANALYZE numbers""")
    plan = "\n".join(row[0] for row in database.execute(f"EXPLAIN {sql}", MANY).rows)
    assert "Gather Merge" in plan
    wanted = list(range(200_000, 0, -2))
    rows, _ = by_column(database, sql)
    assert [row[1] for row in rows] == wanted
    text, _ = as_csv(database, sql)
    assert [int(line.rpartition(b",")[2]) for line in text.splitlines()] == wanted


def _until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 5
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)

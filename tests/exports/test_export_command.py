"""`manage.py export`: all rows of a statement to a file, whole or not at all, with an exit code that tells."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import openpyxl
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from mirror.exports import services
from mirror.exports.defusing import defused
from mirror.exports.texts import whole
from mirror.sources.models import Source
from mirror.sources.services import source_test
from tests import warm
from tests.exports.test_round_trips import LETTERS
from tests.exports.test_spreadsheets import CASES
from tests.servers import PASSWORD, postgres_server

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]
COUNTRIES = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC, 1 LIMIT 5"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT i FROM n"


def export(*words: str, sql: str = COUNTRIES, source: str = "shop", **options) -> str:
    """Run the command here, and give its output."""
    said = io.StringIO()
    call_command("export", "--source", source, "--sql", sql, *map(str, words), stderr=said, **options)
    return said.getvalue()


def refused(*words: str, **options) -> tuple[int, str]:
    """The exit code and the words of an export that is not done."""
    with pytest.raises(CommandError) as caught:
        export(*words, **options)
    return caught.value.returncode, str(caught.value)


def started(*words: str) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own, on the store of this test."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
    }
    return warm.Popen(
        [sys.executable, "manage.py", "export", "--source", "shop", *words],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_sql_with_a_parameter_is_told_that_it_needs_a_value(shop, tmp_path):
    sql = "SELECT id FROM orders WHERE id > :least OR id = :one"
    code, said = refused("--out", tmp_path / "out.csv", sql=sql)
    assert (code, said) == (
        2,
        "The SQL needs a value for :least, :one. Write the value itself in its place.",
    )
    assert not (tmp_path / "out.csv").exists()


def test_every_format_holds_the_rows_and_the_number_is_told(shop, tmp_path):
    for format in ("csv", "jsonl", "parquet", "xlsx", "pdf"):
        assert "Wrote 5 rows to " in export("--out", tmp_path / f"out.{format}")
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"))))
    assert rows[0] == ["country", "customers"]
    found = [(country, int(customers)) for country, customers in rows[1:]]
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [tuple(line.values()) for line in lines] == found
    table = pq.read_table(tmp_path / "out.parquet")
    assert list(zip(*table.to_pydict().values(), strict=True)) == found
    page = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0]
    assert list(page.iter_rows(min_row=2, values_only=True)) == found
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF-")
    assert len(list(tmp_path.iterdir())) == 5


def test_sql_comes_from_a_pipe_and_rows_go_to_one(shop):
    process = started("--sql-file", "-", "--format", "jsonl", "--out", "-")
    out, said = process.communicate(COUNTRIES.encode(), timeout=60)
    assert process.returncode == 0, said
    assert len(out.splitlines()) == 5
    assert b"Wrote 5 rows:" in said


def test_rows_can_be_capped_and_that_is_said(shop, tmp_path):
    said = export("--out", tmp_path / "few.csv", "--rows", 3, sql="SELECT * FROM customers")
    assert "Wrote 3 rows" in said
    assert "These are the first 3 rows; there are more." in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--out", "-", "--format", "xlsx"], 2, "cannot be written to standard output"),
        (["--out", "rows.doc"], 2, "Say which --format"),
        (["--out", "/nowhere/rows.csv"], 2, "There is no folder /nowhere"),
        (["--out", "/tmp"], 2, "--format"),
        (["--out", "-", "--format", "csv", "--seconds", "0"], 2, "above 0"),
        (["--out", "-", "--format", "csv", "--user", "nobody"], 2, "no user named 'nobody'"),
    ],
)
def test_a_call_that_makes_no_sense_says_why(shop, words, code, said):
    found = refused(*words)
    assert found[0] == code
    assert said in found[1]


@pytest.mark.parametrize(
    ("sql", "code", "said"),
    [
        ("DELETE FROM customers", 2, "DELETE"),
        ("SELECT 1; SELECT 2", 2, "statement"),
        ("SELECT nothing FROM customers", 2, "nothing"),
        ("", 2, ""),
    ],
)
def test_sql_that_is_refused_leaves_no_file(shop, tmp_path, sql, code, said):
    found = refused("--out", tmp_path / "rows.csv", sql=sql)
    assert found[0] == code
    assert said in found[1]
    assert list(tmp_path.iterdir()) == []


def test_who_does_not_see_a_source_cannot_export_it(shop, alice, bob, charlie, tmp_path):
    for user in ("alice", "bob"):
        export("--out", tmp_path / f"{user}.csv", "--user", user)
    code, said = refused("--out", tmp_path / "charlie.csv", "--user", "charlie")
    assert (code, "no source named 'shop' for charlie. Known sources: none" in said) == (2, True)


def test_a_file_that_is_there_is_replaced_only_when_told(shop, tmp_path):
    out = tmp_path / "rows.csv"
    out.write_text("mine")
    assert refused("--out", out) == (2, f"{out} is there already; --overwrite replaces it.")
    assert out.read_text() == "mine"
    with pytest.raises(CommandError):
        export("--out", out, "--overwrite", sql="SELECT abs(-9223372036854775807 - 1)")
    assert out.read_text() == "mine"
    export("--out", out, "--overwrite")
    assert out.read_text("utf-8-sig").startswith("country,")


def test_a_statement_that_takes_too_long_is_ended_and_leaves_no_file(shop, tmp_path):
    code, said = refused("--out", tmp_path / "rows.csv", "--seconds", 0.3, sql=SLOW)
    assert code == 1
    assert "after 0.3 seconds" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_export_that_is_stopped_ends_in_order_and_leaves_no_file(shop, tmp_path, sent, code):
    process = started("--sql", SLOW, "--out", str(tmp_path / "rows.csv"))
    until = time.monotonic() + 30
    while not list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(sent)
    _, said = process.communicate(timeout=20)
    assert (process.returncode, b"Stopped; no file was written." in said) == (code, True)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- PostgreSQL


def hostile() -> list[str]:
    """The texts of the corpus, and as many of letters that have hurt somebody, without what PostgreSQL cannot hold."""
    made = Random(2026)
    texts = [case["cell"] for case in CASES if "cell" in case]
    texts += ["".join(made.choices(LETTERS, k=made.randint(0, 7))) for _ in range(400)]
    return [whole(text).replace("\0", "") for text in texts]


@pytest.fixture
def erp(alice) -> Source:
    """A real PostgreSQL with the texts that spreadsheets would run."""
    server = postgres_server()
    with server.connect() as db:
        db.execute("DROP TABLE IF EXISTS texts")
        db.execute('CREATE TABLE texts (id int, "=text" text, price numeric, at timestamptz, data jsonb)')
        with db.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO texts VALUES (%s, %s, -1.50, '2024-01-02 03:04:05.5+00', NULL)",
                enumerate(hostile()),
            )
    source = Source(
        owner=alice,
        name="erp",
        engine=Source.Engine.POSTGRES,
        host=server.host,
        port=server.port,
        database="postgres",
        username=server.user,
    )
    source.password = PASSWORD
    source_test(source, alice)
    source.save()
    return source


def test_postgres_writes_csv_itself_by_the_same_rule(erp, tmp_path, monkeypatch):
    sql = 'SELECT id, "=text", price, at FROM texts ORDER BY id'
    export("--out", tmp_path / "direct.csv", source="erp", sql=sql)
    monkeypatch.setattr(services, "CsvStreaming", type("Nobody", (), {}))
    export("--out", tmp_path / "rows.csv", source="erp", sql=sql)
    files = [(tmp_path / name).read_bytes().decode("utf-8-sig") for name in ("direct.csv", "rows.csv")]
    direct, rows = (list(csv.reader(io.StringIO(file, newline=""))) for file in files)
    assert [row[:3] for row in direct] == [row[:3] for row in rows]
    assert direct[1][3] == "2024-01-02 03:04:05.5+00"
    assert [row[1] for row in direct[1:]] == [defused(text) for text in hostile()]
    assert files[0] != files[1], "PostgreSQL puts every text in quotes"


def test_what_postgres_cannot_write_itself_is_written_here(erp, tmp_path):
    export("--out", tmp_path / "rows.csv", source="erp", sql="SELECT data, price FROM texts LIMIT 1")
    assert (tmp_path / "rows.csv").read_text("utf-8-sig") == "data,price\n,-1.50\n"


def test_parquet_from_postgres_has_its_types(erp, tmp_path):
    export("--out", tmp_path / "rows.parquet", source="erp", sql='SELECT id, "=text", price, at FROM texts')
    schema = pq.read_schema(tmp_path / "rows.parquet")
    assert [str(field.type) for field in schema] == [
        "int64",
        "string",
        "decimal128(38, 2)",
        "timestamp[us, tz=UTC]",
    ]

"""Files become tables: read in any spelling, shown, corrected, kept exact, and asked about."""

from __future__ import annotations

import datetime
import io
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from random import Random

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.catalogs import source_catalog
from mirror.sources.models import Source, Upload
from mirror.sources.opening import open_source
from mirror.sources.uploading import (
    upload_add,
    upload_create,
    upload_keep,
    upload_plans,
    upload_read,
    upload_take,
)
from mirror.sources.uploads import FilePlan, LoadError, column_guessing, load, loading, plan_file, plan_table
from mirror.sources.uploads.declared_keys import keys_made
from sqlagent.errors import DatabaseError
from sqlagent.values import Limits
from tests.web.working import read as work
from tests.web.working import visited


def planned(folder: Path, content: bytes, name: str = "orders.csv", **how: str) -> FilePlan:
    """A file as it is guessed."""
    (folder / "0").write_bytes(content)
    plan = FilePlan(name, "0", len(content), **how)
    plan_file(plan, folder)
    return plan


def loaded(folder: Path, plan: FilePlan) -> list[tuple]:
    """The rows of a file's first table, as the read-only adapter gives them."""
    target = folder / "made.duckdb"
    load(target, [(folder / plan.staged, table) for table in plan.tables])
    return read(target, f'SELECT * FROM "{plan.tables[0].name}"')


def read(path: Path, sql: str) -> list[tuple]:
    source = Source(engine=Source.Engine.DUCKDB, database=str(path))
    with closing(open_source(source)) as database:
        return list(database.execute(sql, Limits()).rows)


def kinds(plan: FilePlan, table: int = 0) -> dict[str, str]:
    return {column.name: column.kind for column in plan.tables[table].columns}


# ---------------------------------------------------------------- reading


TEXT = 'city;name;n\nMalmö;"said ""no""; twice\nor more";1\nÅrhus;café;2\n'
ROWS = [("Malmö", 'said "no"; twice\nor more', 1), ("Århus", "café", 2)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter_is_found(tmp_path, delimiter):
    plan = planned(tmp_path, f"a{delimiter}b\n1{delimiter}x y\n2{delimiter}z\n".encode())
    assert plan.delimiter == delimiter
    assert loaded(tmp_path, plan) == [(1, "x y"), (2, "z")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_encoding_is_found_and_cells_may_hold_delimiters_and_line_ends(tmp_path, encoding):
    assert loaded(tmp_path, planned(tmp_path, TEXT.encode(encoding))) == ROWS


def test_rows_of_unequal_length_and_blank_lines_are_taken(tmp_path):
    assert loaded(tmp_path, planned(tmp_path, b"a,b\n1\n\n2,x,3\n")) == [(1, None, None), (2, "x", 3)]


def test_a_title_above_the_headings_is_left_out(tmp_path):
    plan = planned(tmp_path, b"Report for May,,\n\nid,who,when\n1,Ann,2026-05-01\n")
    assert plan.tables[0].header_row == 3
    assert loaded(tmp_path, plan) == [(1, "Ann", datetime.date(2026, 5, 1))]


def test_a_file_without_headings_is_numbered(tmp_path):
    plan = planned(tmp_path, b"1,x\n2,y\n")
    assert list(kinds(plan)) == ["column_1", "column_2"]
    assert loaded(tmp_path, plan) == [(1, "x"), (2, "y")]


def test_moving_the_headings_guesses_again(tmp_path):
    plan = planned(tmp_path, b"a\nb\nc\n")
    plan.tables[0].header_row = 0
    plan_table(tmp_path / plan.staged, plan.tables[0])
    assert loaded(tmp_path, plan) == [("a",), ("b",), ("c",)]


# ---------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["007", "12"], "text", ["007", "12"]),
        (["+47 22", "12"], "text", ["+47 22", "12"]),
        (["9223372036854775807", "-1"], "integer", [9223372036854775807, -1]),
        (["92233720368547758089", "1"], "integer", [92233720368547758089, 1]),
        (["0.10", "12345678901234567890.25"], "decimal", [Decimal("0.10"), Decimal("12345678901234567890.25")]),
        (["1,234.50", "2.00"], "decimal", [Decimal("1234.50"), Decimal("2.00")]),
        (["1.234,5", "2"], "decimal_comma", [Decimal("1234.5"), Decimal("2.0")]),
        (["1.234.567", "12"], "decimal_comma", [Decimal(1234567), Decimal(12)]),
        (["1.5e-7", "2"], "float", [1.5e-7, 2.0]),
        (["1899-12-31", "2026-02-28"], "date", [datetime.date(1899, 12, 31), datetime.date(2026, 2, 28)]),
        (["28.02.2026", "01.03.2026"], "date_dmy", [datetime.date(2026, 2, 28), datetime.date(2026, 3, 1)]),
        (["02/28/2026", "03/01/2026"], "date_mdy", [datetime.date(2026, 2, 28), datetime.date(2026, 3, 1)]),
        (["01/02/2026", "03/04/2026"], "text", ["01/02/2026", "03/04/2026"]),
        (["2026-02-30", "2026-02-28"], "text", ["2026-02-30", "2026-02-28"]),
        (["2026-02-28 14:30", "2026-03-01"], "timestamp",
         [datetime.datetime(2026, 2, 28, 14, 30), datetime.datetime(2026, 3, 1)]),
        (["yes", "no"], "boolean", [True, False]),
        (["1", "0"], "integer", [1, 0]),
        (["-", "1.5"], "text", ["-", "1.5"]),
        (["14:30", "09:05:01"], "time", [datetime.time(14, 30), datetime.time(9, 5, 1)]),
    ],
)  # fmt: skip
def test_a_type_is_guessed_where_it_loses_nothing(tmp_path, cells, kind, values):
    plan = planned(tmp_path, ("x|y\n" + "\n".join(f"{cell}|a" for cell in cells)).encode())
    assert kinds(plan)["x"] == kind
    assert [row[0] for row in loaded(tmp_path, plan)] == values


@pytest.mark.parametrize("rows", [2, 3_000])
def test_points_between_thousands_are_told_by_a_column_with_decimal_commas(tmp_path, rows):
    more = "7,5;12;1.500\n" * rows
    plan = planned(tmp_path, f"price;pieces;kilos\n2.124,43;635;0.250\n7,5;2.132;1.500\n{more}".encode())
    assert kinds(plan) == {"price": "decimal_comma", "pieces": "decimal_comma", "kilos": "decimal"}
    assert [row[1] for row in loaded(tmp_path, plan)][:2] == [635, 2132]


def test_points_that_nothing_tells_from_thousands_are_asked_about(tmp_path):
    plan = planned(tmp_path, b"pieces;kilos\n635;0.250\n2.132;1.500\n")
    assert kinds(plan) == {"pieces": "decimal", "kilos": "decimal"}
    notes = {column.name: column.note for column in plan.tables[0].columns}
    assert "to read 2.132 as two thousand" in notes["pieces"] and not notes["kilos"]


def test_one_cell_after_many_decides_too(tmp_path):
    plan = planned(tmp_path, b"n\n" + b"1\n" * 5_000 + b"n/a\n")
    assert kinds(plan) == {"n": "text"}


def test_cells_that_do_not_fit_are_named_by_row_and_column_and_nothing_is_made(tmp_path):
    plan = planned(tmp_path, b"id,n\n1,5\n2,n/a\n3,1.5\n4,none\n5,-\n")
    plan.tables[0].columns[1].kind = "integer"
    with pytest.raises(LoadError) as caught:
        loaded(tmp_path, plan)
    [problem] = caught.value.problems
    assert (problem.table, problem.column) == ("orders", "n")
    assert "row 3 holds “n/a”, row 4 holds “1.5”, row 5 holds “none” and 1 more" in problem.message
    assert not (tmp_path / "made.duckdb").exists()
    plan.tables[0].is_lenient = True
    assert [row[1] for row in loaded(tmp_path, plan)] == [5, None, None, None, None]


# ---------------------------------------------------------------- workbooks, Parquet, JSON lines


def test_a_workbook_gives_a_table_each_sheet_that_holds_something(tmp_path):
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Orders 2026"
    first.append(["id", "zip", "code", "price", "on", "at", "ok"])
    when = datetime.datetime(2026, 2, 28, 14, 30)
    first.append([1, "00123", "12", 0.1, datetime.date(2026, 2, 28), when, True])
    first.append([2, None, "7", 2, datetime.date(1999, 1, 1), when, False])
    book.create_sheet("Empty")
    book.create_sheet("Notes").append(["only a heading"])
    book.save(tmp_path / "0")
    plan = planned(tmp_path, (tmp_path / "0").read_bytes(), "book.xlsx")
    assert [table.name for table in plan.tables] == ["orders_2026", "notes"]
    assert kinds(plan) == {
        "id": "integer", "zip": "text", "code": "text", "price": "decimal", "on": "date",
        "at": "timestamp", "ok": "boolean",
    }  # fmt: skip
    assert loaded(tmp_path, plan)[0] == (
        1, "00123", "12", Decimal("0.1"), datetime.date(2026, 2, 28), when, True,
    )  # fmt: skip


def test_parquet_keeps_its_own_types(tmp_path):
    table = pa.table({"id": pa.array([2**63 - 1]), "d": pa.array([Decimal("1.10")], pa.decimal128(38, 2))})
    out = io.BytesIO()
    pq.write_table(table, out)
    plan = planned(tmp_path, out.getvalue(), "kept.parquet")
    assert loaded(tmp_path, plan) == [(2**63 - 1, Decimal("1.10"))]


def test_json_lines_keep_numbers_as_written_and_texts_as_texts(tmp_path):
    lines = b'{"a": 1.10, "s": "12", "n": {"x": 1.50}}\n\n{"a": 12345678901234567890.5, "late": true}\n'
    plan = planned(tmp_path, lines, "log.jsonl")
    assert loaded(tmp_path, plan) == [
        (Decimal("1.10"), "12", '{"x": 1.50}', None),
        (Decimal("12345678901234567890.50"), None, None, True),
    ]


def sqlite_file(folder: Path, script: str) -> bytes:
    """Bytes of a SQLite file made by some statements."""
    path = folder / "made.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)
        db.commit()
    return path.read_bytes()


SQLITE = """
CREATE TABLE "Orders 2026" (id INTEGER PRIMARY KEY, zip TEXT, placed TEXT, amount REAL, note BLOB,
    twice AS (amount * 2), thrice AS (amount * 3) STORED);
INSERT INTO "Orders 2026" (id, zip, placed, amount, note)
VALUES (1, '01234', '2026-01-31', 1.5, x'00ff'), (9007199254740993, '', '2026-02-01', 2, NULL);
CREATE TABLE empty (id INTEGER);
CREATE VIEW totals AS SELECT sum(amount) FROM "Orders 2026";
CREATE VIRTUAL TABLE found USING fts5(words);
"""


def test_a_sqlite_file_gives_a_table_each_of_its_tables_and_says_what_is_left_out(tmp_path):
    plan = planned(tmp_path, sqlite_file(tmp_path, SQLITE), "shop.db")
    assert [(table.name, table.row_count) for table in plan.tables] == [("orders_2026", 2)]
    assert kinds(plan) == {
        "id": "integer", "zip": "text", "placed": "date", "amount": "decimal", "note": "text", "thrice": "decimal",
    }  # fmt: skip
    day = datetime.date
    assert loaded(tmp_path, plan) == [
        (1, "01234", day(2026, 1, 31), Decimal("1.5"), None, Decimal("4.5")),
        (9007199254740993, None, day(2026, 2, 1), Decimal("2.0"), None, Decimal("6.0")),
    ]
    assert plan.notes == [
        "Views are left out: totals.",
        "Virtual tables are left out: found.",
        "Orders 2026: computed columns are left out: twice.",
        "Orders 2026: 1 cell holds bytes that are no text. It stays empty.",
    ]


ENDLESS = "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) SELECT v AS type FROM n"


@pytest.mark.parametrize(
    "script",
    [
        # A file may take the name of the pragma that lists its tables.
        "CREATE TABLE pragma_table_list (schema, name, type);"
        "INSERT INTO pragma_table_list VALUES ('main', 'v', 'table'); CREATE VIEW v AS SELECT sqlite_version();",
        f"CREATE VIEW pragma_table_list AS {ENDLESS};",
        # The schema lies about what a view and a virtual table are.
        f"CREATE VIEW v AS {ENDLESS}; PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = 'table';",
        "CREATE TABLE v (a); CREATE VIEW w AS SELECT randomblob(9); PRAGMA writable_schema = ON;"
        "UPDATE sqlite_master SET type = 'table', name = 'v', tbl_name = 'v' WHERE name = 'w';",
        "CREATE VIRTUAL TABLE v USING fts5(words); INSERT INTO v VALUES ('secret');",
    ],
)
def test_nothing_that_a_sqlite_file_would_run_is_run(tmp_path, script):
    plan = planned(
        tmp_path, sqlite_file(tmp_path, f"CREATE TABLE t (a); INSERT INTO t VALUES (1);{script}"), "t.db"
    )
    assert {table.name for table in plan.tables} <= {"t", "pragma_table_list"}
    assert plan.tables or plan.error


def test_names_and_texts_of_a_sqlite_file_are_read_as_they_are_or_refused(tmp_path):
    whole = sqlite_file(
        tmp_path, "CREATE TABLE t (abc, zzz); INSERT INTO t VALUES ('re' || char(0) || 'al', 1);"
    )
    plan = planned(tmp_path, whole, "t.db")
    assert loaded(tmp_path, plan) == [("real", 1)]
    # A name in quotes that SQLite does not know would be a text that stands in every row.
    plan = planned(tmp_path, whole.replace(b"abc", b"a\xffc"), "t.db")
    assert "a name that is no text" in plan.error and not plan.tables
    long, turned = "x" * 5_000, "a\u202eb\nc"
    plan = planned(
        tmp_path,
        sqlite_file(tmp_path, f'CREATE TABLE "{turned}" ("{long}"); INSERT INTO "{turned}" VALUES (1);'),
        "t.db",
    )
    assert [(table.title, [column.name for column in table.columns]) for table in plan.tables] == [
        ("ab c", ["x" * 100])
    ]


KEYED = """
CREATE TABLE "Ländern & Co" (code TEXT PRIMARY KEY, name TEXT);
INSERT INTO "Ländern & Co" VALUES ('no', 'Norge'), ('se', 'Sverige');
CREATE TABLE people (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES PEOPLE, land TEXT REFERENCES "ländern & Co"(CODE), ghost INTEGER REFERENCES gone(id));
INSERT INTO people VALUES (1, NULL, 'no', 1), (2, 1, 'se', 2);
CREATE TABLE visits (person INTEGER REFERENCES people(id), day TEXT, stop INTEGER, PRIMARY KEY (day, person));
INSERT INTO visits VALUES (1, '2026-01-01', 1), (2, '2026-01-02', 1);
CREATE TABLE "visit notes" (who INTEGER, at TEXT, said TEXT, empty_id INTEGER REFERENCES empty(id),
    FOREIGN KEY (at, who) REFERENCES visits(day, person));
INSERT INTO "visit notes" VALUES (1, '2026-01-01', 'hello', NULL), (2, '2026-01-02', 'bye', NULL);
CREATE TABLE empty (id INTEGER PRIMARY KEY);
CREATE TABLE codes (zip TEXT PRIMARY KEY); INSERT INTO codes VALUES ('01234');
CREATE TABLE letters (zip INTEGER REFERENCES codes(zip)); INSERT INTO letters VALUES (7);
"""


def test_the_keys_that_a_sqlite_file_declares_go_into_the_catalog_of_its_source(
    tmp_path, transactional_db, alice, settings
):
    settings.VAR_DIR = tmp_path
    upload = upload_take(alice, [("shop.sqlite", [sqlite_file(tmp_path, KEYED)])])
    upload_read(upload, (plans := upload_plans(upload)), plans)
    plans = upload_plans(upload)
    renamed = {table.title: table for table in plans[0].tables}
    renamed["people"].name, renamed["people"].columns[0].name = "staff", "number"
    upload_keep(upload, plans)
    source = upload_create(upload, Source(name="made", owner=alice), alice)
    catalog = source_catalog(source)
    keys = {
        table.name: (
            table.primary_key,
            {(key.columns, key.table, key.referenced) for key in table.foreign_keys},
        )
        for table in catalog.tables
    }
    assert keys == {
        "codes": (("zip",), set()),
        "letters": ((), set()),
        "ländern_co": (("code",), set()),
        "staff": (("number",), {(("boss",), "staff", ("number",)), (("land",), "ländern_co", ("code",))}),
        "visits": (("day", "person"), {(("person",), "staff", ("number",))}),
        "visit_notes": ((), {(("at", "who"), "visits", ("day", "person"))}),
    }, "no key to a table that is missing or empty, nor from a number to a text"
    catalog_refresh(source)
    assert source_catalog(source).tables == catalog.tables, "read anew they stay"
    more = sqlite_file(tmp_path, "CREATE TABLE more (id INTEGER PRIMARY KEY); INSERT INTO more VALUES (1);")
    added = upload_take(alice, [("more.sqlite", [more])], source)
    upload_read(added, (plans := upload_plans(added)), plans)
    found = {table.name: table.primary_key for table in source_catalog(upload_add(added)).tables}
    assert found["more"] == ("id",) and found["staff"] == ("number",)


def test_a_key_whose_table_or_column_is_left_out_is_left_out(tmp_path):
    plan = planned(tmp_path, sqlite_file(tmp_path, KEYED), "shop.db")
    tables = {table.title: table for table in plan.tables}
    tables["visits"].columns[0].is_kept = False
    tables["Ländern & Co"].is_kept = False
    found = keys_made([FilePlan.from_json(plan.to_json())])
    assert "visits" not in found and "visit_notes" not in found
    assert found["people"]["foreign"] == [{"columns": ["boss"], "table": "people", "referenced": ["id"]}]


def test_tables_of_one_name_are_told_apart_and_one_that_cannot_be_read_leaves_the_others(tmp_path):
    wide = ", ".join(f"c{n}" for n in range(1_001))
    script = f"""
        CREATE TABLE "Order 1" (a); INSERT INTO "Order 1" VALUES (1);
        CREATE TABLE "order-1" (a); INSERT INTO "order-1" VALUES (2);
        CREATE TABLE "order 1!" (a); INSERT INTO "order 1!" VALUES (3);
        CREATE TABLE huge (a); INSERT INTO huge VALUES (1), (zeroblob(50000000));
        CREATE TABLE wide ({wide});
        CREATE TABLE after (a); INSERT INTO after VALUES (4);
    """
    plan = planned(tmp_path, sqlite_file(tmp_path, script), "shop.db")
    assert not plan.error
    assert sorted(table.name for table in plan.tables) == ["after", "order_1", "order_1_2", "order_1_3"]
    assert {table.staged for table in plan.tables} == {"t0", "t1", "t2", "t3"}
    said = "\n".join(plan.notes)
    assert "The table “huge” is left out. A row of huge is larger than 40 MB" in said
    assert "The table “wide” is left out. wide has 1,001 columns" in said
    target = tmp_path / "made.duckdb"
    load(target, [(tmp_path / plan.staged, table) for table in plan.tables])
    assert (
        read(target, "SELECT (SELECT a FROM order_1), (SELECT a FROM order_1_2), (SELECT a FROM order_1_3)")[
            0
        ]
        != ()
    )


def test_a_sqlite_file_whose_log_was_left_behind_says_that_changes_may_be_missing(tmp_path):
    content = bytearray(sqlite_file(tmp_path, "CREATE TABLE t (a); INSERT INTO t VALUES (1);"))
    content[18] = content[19] = 2
    plan = planned(tmp_path, bytes(content), "shop.sqlite")
    assert "-wal" in plan.notes[0] and loaded(tmp_path, plan) == [(1,)]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000000));", "A row of t is larger than 40 MB"),
        ("CREATE TABLE t (a); INSERT INTO t VALUES (printf('%.*c', 2000000, 'x'));", "longer than 1,000,000"),
        ("CREATE VIEW v AS SELECT 1;", "no table in this SQLite file"),
        ("".join(f"CREATE TABLE t{n} (a);" for n in range(201)), "201 tables"),
        (f"CREATE TABLE t ({', '.join(f'c{n}' for n in range(1_001))});", "1,001 columns"),
        ("CREATE TABLE t (a);", "no row holds anything"),
    ],
)
def test_a_sqlite_file_is_bounded(tmp_path, script, said):
    plan = planned(tmp_path, sqlite_file(tmp_path, script), "big.sqlite")
    assert said in plan.error and not plan.tables


def test_a_damaged_sqlite_file_says_so_or_is_read_and_never_where_it_lies(tmp_path):
    rows = ", ".join(f"({n}, 'word {n}')" for n in range(1_500))
    whole = sqlite_file(
        tmp_path, f"CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES {rows};"
    )
    chance, said = Random(7), 0
    for number in range(24):
        content = bytearray(whole)
        for _ in range(chance.choice((20, 500, 2_000))):
            content[chance.randrange(100, len(content))] = chance.randrange(256)
        if number % 3 == 0:
            content = content[: chance.randrange(100, len(content))]
        plan = planned(tmp_path, bytes(content), "damaged.sqlite")
        assert plan.tables or plan.error
        assert str(tmp_path) not in plan.error
        said += "SQLite file cannot be read" in plan.error or "of this SQLite file" in plan.error
    assert said > 12


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty"),
        ("secret.sqlite", bytes(range(256)) * 16, "no SQLite database"),
        ("notes.db", b"a,b\n1,2\n", "no SQLite database"),
        ("other.db", b"\0" * 8 + b"DUCK" + b"\0" * 500, "a DuckDB file"),
        ("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x02" * 9, "not text"),
        ("even.jpg", b"\xff\xd8\x00\x01" * 30, "not text"),
        ("old.xls", b"\xd0\xcf\x11\xe0" + b"\x00" * 600, "Save it as .xlsx"),
        ("page.html", b"<!DOCTYPE html><html></html>", "a document"),
        ("half.parquet", b"PAR1 and nothing more", "cannot be read"),
        ("list.json", b'[\n{"a": 1}\n]', "one object on each line"),
        ("bad.jsonl", b'{"a": 1}\n{"a": \n', "Line 2"),
        ("quote.csv", b'a,b\n"' + b"x" * 1_100_000, "quotation mark"),
        ("wide.csv", b"," * 1_500 + b"x", "1,501 cells"),
        ("archive.zip", b"PK\x03\x04 no workbook", "archive"),
    ],
)
def test_a_file_that_is_no_table_says_so(tmp_path, name, content, said):
    plan = planned(tmp_path, content, name)
    assert said in plan.error
    assert not plan.tables


def test_a_damaged_parquet_file_says_so_without_the_place_where_it_lies(tmp_path):
    whole = io.BytesIO()
    pq.write_table(pa.table({"n": list(range(3_000)), "s": [f"x{n}" for n in range(3_000)]}), whole)
    chance, said = Random(5), 0
    for number in range(60):
        content = bytearray(whole.getvalue())
        for _ in range(chance.choice((1, 20, 500))):
            content[chance.randrange(4, len(content))] = chance.randrange(256)
        if number % 3 == 0:
            content = content[: chance.randrange(4, len(content))]
        plan = planned(tmp_path, bytes(content), "damaged.parquet")
        assert plan.tables or plan.error.startswith("This Parquet file cannot be read: it is damaged")
        assert str(tmp_path) not in plan.error and "/" not in plan.error and "{" not in plan.error
        said += bool(plan.error)
    assert said > 30


def test_a_damaged_workbook_says_so_or_is_read(tmp_path):
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    book.save(out)
    chance = Random(3)
    said = 0
    for _ in range(60):
        damaged = bytearray(out.getvalue())
        for _ in range(4):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        plan = planned(tmp_path, bytes(damaged), "damaged.xlsx")
        assert bool(plan.error) != bool(plan.tables)
        said += bool(plan.error)
    assert said


# ---------------------------------------------------------------- the pages


ORDERS = b"id,country,amount\n1,Norway,10.50\n2,Chile,3.25\n"


def files(*pairs: tuple[str, bytes]) -> dict:
    return {"files": [SimpleUploadedFile(name, content) for name, content in pairs]}


def uploaded(client, *pairs: tuple[str, bytes], to: str = "", is_read: bool = True) -> Upload:
    """Upload files and, unless told otherwise, do the worker's part of it."""
    response = client.post(to or reverse("sources:upload"), files(*pairs))
    assert response.status_code == 302, response.content.decode()
    upload = Upload.objects.get(pk=response["Location"].rstrip("/").split("/")[-1])
    if is_read:
        work(upload)
    return upload


def typed(client, upload: Upload, **changed: str) -> dict:
    """Fields that a browser would send from the review page, with some of them changed."""
    context = client.get(reverse("sources:review", args=[upload.pk])).context
    sent = {}
    for form in filter(None, (context["form"], context["kept"])):
        for name in form.fields:
            value = form.get_initial_for_field(form.fields[name], name)
            if value not in (None, False):
                sent[name] = "on" if value is True else value
    return {key: value for key, value in {**sent, **changed}.items() if value != "off"}


def make(client, upload: Upload, **changed: str):
    """Send the review page, do the worker's part of it, and give the page in the end."""
    address = reverse("sources:review", args=[upload.pk])
    response = client.post(address, typed(client, upload, **changed))
    if response.status_code != 302:
        return response
    work(upload)
    return client.get(address, follow=True)


def test_uploaded_files_become_a_source_that_is_read_only(as_charlie, django_capture_on_commit_callbacks):
    upload = uploaded(as_charlie, ("Orders 2026.csv", ORDERS), ("lines.jsonl", b'{"order_id": 1}\n'))
    page = as_charlie.get(reverse("sources:review", args=[upload.pk])).content.decode()
    assert "Norway" in page
    assert "orders_2026" in page
    folder = upload.folder
    with django_capture_on_commit_callbacks(execute=True):
        response = make(as_charlie, upload, name="mine", f0t0c2_keep="off", f0t0c1_name="land")
    source = Source.objects.get(name="mine")
    assert response.redirect_chain == [(reverse("sources:source", args=[source.pk]), 302)]
    assert "mine is ready to be asked" in response.content.decode()
    assert read(Path(source.database), "SELECT * FROM orders_2026") == [(1, "Norway"), (2, "Chile")]
    assert {table["name"] for table in source.catalog["tables"]} == {"orders_2026", "lines"}
    assert source.stored_indexes.get().state in ("waiting", "ready")
    assert not folder.exists()
    assert as_charlie.get(reverse("sources:review", args=[upload.pk]))["Location"] == reverse(
        "sources:source", args=[source.pk]
    )
    for sql in ("DROP TABLE lines", "COPY lines TO '/tmp/x.csv'", "SELECT * FROM read_csv('/etc/passwd')"):
        with pytest.raises(DatabaseError):
            read(Path(source.database), sql)


def test_a_file_is_added_later_and_the_source_keeps_what_it_had(
    as_charlie, django_capture_on_commit_callbacks
):
    make(as_charlie, uploaded(as_charlie, ("orders.csv", ORDERS)), name="mine")
    source = Source.objects.get(name="mine")
    before = Path(source.database)
    more = reverse("sources:upload_more", args=[source.pk])
    again = uploaded(as_charlie, ("orders.csv", b"id\n9\n"), to=more)
    refused = make(as_charlie, again)
    assert "There is a table orders already" in refused.content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        page = make(as_charlie, again, f0t0_name="later").content.decode()
    assert "The tables were added to mine" in page
    source.refresh_from_db()
    assert read(Path(source.database), "SELECT count(*) FROM orders") == [(2,)]
    assert read(Path(source.database), "SELECT id FROM later") == [(9,)]
    assert not before.exists()


def test_cells_that_do_not_fit_come_back_beside_their_column_with_all_that_was_typed(as_charlie):
    upload = uploaded(as_charlie, ("orders.csv", ORDERS))
    response = make(as_charlie, upload, name="mine", f0t0c1_kind="date", f0t0_name="kept_name")
    page = response.content.decode()
    assert "row 2 holds “Norway”" in page
    assert "kept_name" in page
    assert 'value="mine"' in page
    assert not Source.objects.exists()


def test_reading_again_with_another_delimiter_keeps_the_rest(as_charlie):
    upload = uploaded(as_charlie, ("a.csv", b"x;y,z\n1;2,3\n"), ("b.csv", ORDERS))
    response = make(as_charlie, upload, read="1", f0_delimiter=";", f1t0c1_name="land", name="typed")
    page = response.content.decode()
    assert response.status_code == 200
    assert "y,z" in page
    assert 'value="land"' in page
    assert 'value="typed"' in page
    assert not Source.objects.exists()


def test_a_file_that_is_no_table_is_left_out_and_the_others_go_on(as_charlie):
    upload = uploaded(as_charlie, ("photo.jpg", b"\xff\xd8\x00\x01\x02"), ("orders.csv", ORDERS))
    assert (
        "photo.jpg is left out"
        in as_charlie.get(reverse("sources:review", args=[upload.pk])).content.decode()
    )
    assert "mine is ready" in make(as_charlie, upload, name="mine").content.decode()
    empty = uploaded(as_charlie, ("empty.csv", b""))
    nothing = as_charlie.get(reverse("sources:review", args=[empty.pk]), follow=True)
    assert nothing.redirect_chain == [(reverse("sources:upload"), 302)]
    assert "empty.csv: The file is empty." in nothing.content.decode()
    assert not empty.folder.exists()


def test_too_much_is_refused_with_the_limit_and_nothing_is_kept(as_charlie, settings):
    settings.UPLOAD_MEGABYTES = 1
    for size in (1_500_000, 4_000_000):  # counted while it comes, and by its announced length
        response = as_charlie.post(reverse("sources:upload"), files(("big.csv", b"a,b\n" * (size // 4))))
        assert response.status_code == 422
        assert "larger than 1 MB" in response.content.decode()
    assert not Upload.objects.exists()


def test_uploads_and_their_sources_are_their_owners_alone(as_alice, as_bob, as_charlie, alice, team):
    upload = uploaded(as_alice, ("orders.csv", ORDERS))
    for name in ("review", "forget"):
        assert as_charlie.post(reverse(f"sources:{name}", args=[upload.pk])).status_code == 404
    make(as_alice, upload, name="hers")
    source = Source.objects.get(name="hers")
    source.teams.add(team)
    more = reverse("sources:upload_more", args=[source.pk])
    assert as_bob.post(more, files(("x.csv", ORDERS))).status_code == 403
    assert as_charlie.post(more, files(("x.csv", ORDERS))).status_code == 404


def test_files_go_with_their_rows(as_charlie, django_capture_on_commit_callbacks):
    upload = uploaded(as_charlie, ("orders.csv", ORDERS))
    folder = upload.folder
    with django_capture_on_commit_callbacks(execute=True):
        as_charlie.post(reverse("sources:forget", args=[upload.pk]))
    assert not folder.exists()
    make(as_charlie, uploaded(as_charlie, ("orders.csv", ORDERS)), name="mine")
    source = Source.objects.get(name="mine")
    with django_capture_on_commit_callbacks(execute=True):
        as_charlie.post(reverse("sources:delete", args=[source.pk]))
    assert not Path(source.database).exists()


def test_a_source_of_files_is_edited_without_a_path(as_charlie):
    make(as_charlie, uploaded(as_charlie, ("orders.csv", ORDERS)), name="mine")
    source = Source.objects.get(name="mine")
    edit = reverse("sources:edit", args=[source.pk])
    assert 'name="database"' not in as_charlie.get(edit).content.decode()
    visited(as_charlie, edit, {"name": "ours", "privacy": "rows", "database": "/etc/passwd"})
    source.refresh_from_db()
    assert (source.name, source.privacy) == ("ours", "rows")
    assert source.database.endswith(".duckdb")


def test_a_workbook_that_is_cut_off_is_no_archive_to_unpack(tmp_path):
    book = io.BytesIO()
    openpyxl.Workbook().save(book)
    plan = planned(tmp_path, book.getvalue()[:3_000], "orders.xlsx")
    assert plan.error == "This file is damaged or not whole. Save it again, or save it as CSV."


@pytest.mark.parametrize(
    ("length", "content", "said"),
    [
        (17_000_000, 18_000_000, "Its footer has 17 MB; the limit is 16 MB."),
        (2_000_000_000, 100, "damaged or not whole"),
    ],
)
def test_a_footer_is_bounded_and_one_longer_than_its_file_is_damage(tmp_path, length, content, said):
    end = length.to_bytes(4, "little") + b"PAR1"
    assert said in planned(tmp_path, b"PAR1" + b"\0" * content + end, "orders.parquet").error


def test_where_nothing_is_a_table_nothing_can_be_made(as_alice):
    upload = as_alice.post(
        reverse("sources:upload"), {"files": SimpleUploadedFile("broken.jsonl", b'{"a": 1\n{"b"')}
    )
    made = Upload.objects.get()
    work(made)
    page = as_alice.get(upload.url).content.decode()
    assert "broken.jsonl is left out" in page
    assert "The uploaded files hold no table" in page
    assert 'name="make"' not in page
    assert "Throw the files away" in page


# ---------------------------------------------------------------- what is asked


def test_headings_that_stand_twice_are_headings_and_asked_about(tmp_path):
    plan = planned(tmp_path, b"name,name,city\nAnn,Berg,Oslo\nBo,Dahl,Rome\n")
    table = plan.tables[0]
    assert table.header_row == 1
    assert list(kinds(plan)) == ["name", "name_2", "city"]
    assert len(table.asked) == 1
    assert table.asked[0].startswith("“name” stands more than once in the headings, row 1.")
    assert loaded(tmp_path, plan) == [("Ann", "Berg", "Oslo"), ("Bo", "Dahl", "Rome")]
    table.header_row = 0
    plan_table(tmp_path / plan.staged, table)
    assert "“name” stands there twice" in table.asked[0]
    assert len(loaded(tmp_path, plan)) == 3


def test_a_row_whose_texts_are_values_below_is_no_heading_and_asked_about(tmp_path):
    plan = planned(tmp_path, b"yes,yes,Oslo\nno,yes,Rome\nyes,no,Bern\n")
    assert plan.tables[0].header_row == 0
    assert plan.tables[0].asked == [
        "Row 1 is not taken for headings: “yes” stands there twice. If it holds the headings, write 1 above and read the file again."
    ]


@pytest.mark.parametrize("content", [b"Yes,yes\nNo,YES\nno,no\n", b"a b,a  b\nc,A b\n"])
def test_letter_case_and_spaces_make_no_heading_of_a_value(tmp_path, content):
    assert planned(tmp_path, content).tables[0].header_row == 0


def test_nothing_is_asked_where_nothing_is_open(tmp_path):
    for content in (b"id,who\n1,Ann\n", b"1,x\n2,y\n"):
        assert planned(tmp_path, content).tables[0].asked == []


def test_many_names_that_stand_twice_are_told_in_part(tmp_path):
    names = [letter * 2 for letter in "abcdefgh"]
    plan = planned(tmp_path, f"{','.join(names * 2)}\n{','.join('x' * 16)}\n".encode())
    assert "“ee” and 3 more stand more than once" in plan.tables[0].asked[0]


def test_a_hidden_sheet_is_asked_about_and_left_out_unless_somebody_wants_it(as_charlie, tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Shown"
    book.active.append(["id"])
    book.active.append([1])
    for name, state in (("Secret", "hidden"), ("Deep", "veryHidden")):
        page = book.create_sheet(name)
        page.append(["salary"])
        page.append([7])
        page.sheet_state = state
    book.save(tmp_path / "book.xlsx")
    upload = uploaded(as_charlie, ("book.xlsx", (tmp_path / "book.xlsx").read_bytes()))
    page = as_charlie.get(reverse("sources:review", args=[upload.pk])).content.decode()
    assert page.count("This sheet is hidden in the workbook.") == 2
    make(as_charlie, upload, name="mine", f0t2_keep="on")
    source = Source.objects.get(name="mine")
    assert {table["name"] for table in source.catalog["tables"]} == {"shown", "deep"}


def test_few_rows_and_many_are_guessed_and_loaded_alike(tmp_path, monkeypatch):
    cells = {
        "a": ["007", "1"], "b": ["1.5", "2"], "c": ["1.234,5", "7"], "d": ["28.02.2026", ""], "e": ["01/02/2026", "03/04/2026"],
        "f": ["2026-02-28 14:30", "2026-03-01"], "g": ["yes", "no"], "h": ["92233720368547758089", "1"], "i": ["", ""], "j": ["14:30", "25:00"],
        "k": ["1.5e-7", "x"], "l": ["2026-02-30", "2026-02-28"], "m": ["1" * 39, "2"], "n": ["  ", "5"],
    }  # fmt: skip
    content = "\n".join(
        ["|".join(cells), *("|".join(row) for row in zip(*cells.values(), strict=True))]
    ).encode()
    listed = planned(tmp_path, content)
    rows = loaded(tmp_path, listed)
    for module in (column_guessing, loading):
        monkeypatch.setattr(module, "LISTED_ROWS", 0)
    one_by_one = planned(tmp_path, content)
    assert kinds(listed) == kinds(one_by_one)
    assert [column.note for column in listed.tables[0].columns] == [
        column.note for column in one_by_one.tables[0].columns
    ]
    assert rows == loaded(tmp_path, one_by_one)
    chosen = one_by_one.tables[0]
    chosen.is_lenient = True
    for column in chosen.columns:
        column.kind = "integer"
    lenient = loaded(tmp_path, one_by_one)
    monkeypatch.undo()
    assert loaded(tmp_path, one_by_one) == lenient

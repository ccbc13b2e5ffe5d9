"""Rows of a result taken away from a page: every format, for whom they belong to, in constant memory."""

from __future__ import annotations

import asyncio
import io
import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from urllib.parse import quote

import openpyxl
import pyarrow.parquet as pq
import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.exports import workbook_process
from mirror.exports.values import FORMATS, PDF_ROWS, Cover, ExportError
from mirror.results.models import StoredResult
from mirror.results.services import result_store
from sqlagent.values import Rows
from tests.exports.keeping import sheet_kept

pytestmark = pytest.mark.django_db
TITLE = "Which cities? <b>&amp;\r\n"


@pytest.fixture
def cities(shop, alice, media) -> StoredResult:
    rows = [
        ("Oslo", 709037, Decimal("5.10"), date(1048, 1, 1), None),
        ("=2+5", -12, Decimal("-0.05"), None, 7),
        ("Ålesund", None, None, date(1848, 1, 1), "seven"),
        ("", 9007199254740993, Decimal("0.00"), date(2024, 2, 29), 2.5),
        ('New\nYork, "NY"', 8258035, Decimal("778.20"), date(1624, 1, 1), b"\x07"),
    ]
    return result_store(shop, Rows(("city", "people", "area", "founded", "x"), tuple(rows)), alice)


def address(result: StoredResult, format: str, name: str = "") -> str:
    return reverse("exports:download", args=[result.pk, format]) + (f"?name={quote(name)}" if name else "")


def streamed(response) -> bytes:
    async def gather() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    return asyncio.run(gather())


def test_csv_is_exact_and_cannot_smuggle_a_formula(cities, as_alice):
    response = as_alice.get(address(cities, "csv", TITLE))
    assert response["Content-Disposition"] == 'attachment; filename="which-cities-b-amp.csv"'
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert streamed(response).decode("utf-8-sig").split("\n") == [
        "city,people,area,founded,x",
        "Oslo,709037,5.10,1048-01-01,",
        '"\'=2+5",-12,-0.05,,7',
        "Ålesund,,,1848-01-01,seven",
        '"",9007199254740993,0.00,2024-02-29,2.5',
        '"New',
        'York, ""NY""",8258035,778.20,1624-01-01,0x07',
        "",
    ]


def test_each_format_holds_the_rows_and_is_named_by_what_was_asked(cities, as_alice):
    files = {}
    for name, format in FORMATS.items():
        response = as_alice.get(address(cities, name, "Cities of Norway"))
        assert response["Content-Disposition"].endswith(f'"cities-of-norway.{format.extension}"')
        assert response["Content-Type"] == format.media_type
        files[name] = streamed(response)
    assert pq.read_table(io.BytesIO(files["parquet"]))["people"].to_pylist()[3] == 9007199254740993
    assert [json.loads(line)["city"] for line in files["jsonl"].splitlines()][1] == "=2+5"
    book = openpyxl.load_workbook(io.BytesIO(files["xlsx"]))
    assert book.sheetnames == ["Cities of Norway", "Notes"]
    assert book.worksheets[0]["A3"].value == "=2+5"
    assert book.worksheets[0]["A3"].data_type == "s"
    assert files["pdf"].startswith(b"%PDF-")


def test_a_cut_result_says_so_in_the_name_of_its_file(shop, alice, as_alice, media):
    stored = result_store(shop, Rows(("n",), ((1,), (2,)), truncated=True), alice)
    for format in FORMATS:
        said = as_alice.get(address(stored, format, "all"))["Content-Disposition"]
        assert f'filename="all.first-2-rows.{format}"' in said


def test_a_result_without_rows_or_columns_is_a_file_all_the_same(shop, alice, as_alice, media):
    for rows in (Rows(("a", "a"), ()), Rows((), ())):
        stored = result_store(shop, rows, alice)
        files = {format: streamed(as_alice.get(address(stored, format))) for format in FORMATS}
        assert files["csv"].decode("utf-8-sig") == ",".join(rows.columns) + "\n"
        assert files["jsonl"] == b""
        assert pq.read_table(io.BytesIO(files["parquet"])).num_rows == 0


@pytest.mark.parametrize("format", FORMATS)
def test_rows_are_taken_away_by_their_owner_alone(cities, as_alice, as_bob, as_charlie, client, format):
    where = address(cities, format)
    assert as_alice.get(where).status_code == 200
    assert as_alice.head(where).status_code == 200
    assert as_bob.get(where).status_code == as_charlie.get(where).status_code == 404
    assert client.get(where).status_code == 302
    assert as_alice.post(where).status_code == 405
    assert as_alice.get(address(cities, "exe")).status_code == 404


@pytest.mark.parametrize("format", FORMATS)
def test_rows_that_are_gone_are_told_before_anything_is_sent(cities, as_alice, format):
    StoredResult.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert as_alice.get(address(cities, format)).status_code == 410


def test_a_download_leaves_no_file_behind_even_when_nobody_reads_on(cities, as_alice, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    streamed(as_alice.get(address(cities, "xlsx")))
    response = as_alice.get(address(cities, "pdf"))

    async def leave() -> None:
        pieces = response.streaming_content
        await anext(aiter(pieces))
        await pieces.aclose()

    asyncio.run(leave())
    assert [path.name for path in tmp_path.iterdir()] == ["media"]


def test_a_large_workbook_is_written_in_a_process_of_its_own_and_is_the_same(
    shop, alice, as_alice, media, monkeypatch
):
    rows = Rows(("n", "text", "at"), tuple((n, f"=text {n}", date(2024, 1, 1)) for n in range(300)))
    stored = result_store(shop, rows, alice)
    monkeypatch.setattr(workbook_process, "CELLS", 900)
    monkeypatch.setattr(workbook_process, "write", None)
    book = openpyxl.load_workbook(io.BytesIO(streamed(as_alice.get(address(stored, "xlsx", "All")))))
    found = list(book["All"].iter_rows(min_row=2, values_only=True))
    assert found == [(n, text, datetime(2024, 1, 1)) for n, text, _ in rows.rows]
    assert book["Notes"]["A1"].value == "All"


def test_the_process_of_a_large_workbook_says_what_went_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook_process, "CELLS", 0)
    sheet = sheet_kept(Rows(("n",), ((1,),)), tmp_path / "rows.parquet")
    with pytest.raises(ExportError, match="could not be written: No such file or directory"):
        workbook_process.write_in_own_process("xlsx", sheet, tmp_path / "gone/out.xlsx", Cover("All"))


def test_the_menu_offers_every_format_and_says_what_a_pdf_leaves_out(shop, alice, as_alice, media):
    stored = result_store(shop, Rows(("n",), tuple((n,) for n in range(PDF_ROWS + 1))), alice)
    page = as_alice.get(reverse("results:rows", args=[stored.pk])).content.decode()
    for name, format in FORMATS.items():
        assert f'href="{address(stored, name)}">{format.label}' in page
    assert f"first {PDF_ROWS:,} rows" in page

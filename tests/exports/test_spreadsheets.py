"""Files opened by a real LibreOffice: no cell is live, no number is another, and what was text is seen as text."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mirror.exports.file_writing import write
from mirror.exports.values import Cover
from sqlagent.values import Rows
from tests.exports.keeping import sheet_kept, sheet_of_rows
from tests.exports.spreadsheets import opened

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases/formulas.jsonl").read_text().splitlines()
]
# Columns are named by people too.
HEADS = ("number", "=1+1", "@cell")


def value_of(case: dict[str, Any]) -> Any:
    """The cell of a case as a source would give it."""
    return Decimal(case["decimal"]) if "decimal" in case else case.get("value", case.get("cell"))


ROWS = Rows(HEADS, tuple((n, value_of(case), value_of(case)) for n, case in enumerate(CASES)))


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Every file with every case, opened: by cells, from a kept file, as a workbook, and a CSV nobody defused."""
    folder = tmp_path_factory.mktemp("opened")
    raw = "\n".join(f'{n},"{case["cell"].replace(chr(34), chr(34) * 2)}"' for n, case in live().items())
    (folder / "raw.csv").write_bytes(raw.encode("utf-8", "replace"))
    write("csv", [sheet_of_rows(ROWS)], folder / "rows.csv")
    write("csv", [sheet_kept(ROWS, folder / "kept.parquet")], folder / "kept.csv")
    write("xlsx", [sheet_of_rows(ROWS, "=Sheet")], folder / "book.xlsx", Cover("=1+1", "=1+1", lines=("@x",)))
    return {
        **opened([folder / name for name in ("raw.csv", "rows.csv", "kept.csv")], folder),
        **opened([folder / "book.xlsx"], folder),
    }


def live() -> dict[int, dict[str, Any]]:
    return {n: case for n, case in enumerate(CASES) if case.get("live")}


def test_the_corpus_is_large_and_really_runs_where_nobody_defuses():
    assert len(live()) >= 60


def test_cells_that_nobody_defused_are_run(seen):
    assert sum(bool(cell.formula) for row in seen["raw.csv"][0] for cell in row) >= 15


@pytest.mark.parametrize("name", ["rows.csv", "kept.csv", "book.xlsx"])
def test_no_cell_is_run_and_none_is_a_link(seen, name):
    cells = [cell for sheet in seen[name] for row in sheet for cell in row]
    assert len(cells) > 2 * len(CASES)
    assert not [cell for cell in cells if cell.formula or cell.is_link]


@pytest.mark.parametrize("name", ["rows.csv", "kept.csv", "book.xlsx"])
def test_every_number_is_the_same_number(seen, name):
    for case, row in zip(CASES, seen[name][0][1:], strict=False):
        for cell in row[1:3]:
            if "value" in case or "decimal" in case:
                assert cell.kind == "float", case
                assert float(cell.value) == float(value_of(case)), case
            elif "number" in case and name != "book.xlsx":
                assert (cell.kind, float(cell.value)) == ("float", case["number"]), case


@pytest.mark.parametrize("name", ["rows.csv", "kept.csv", "book.xlsx"])
def test_every_live_text_is_seen_as_a_text_that_begins_as_written(seen, name):
    mark = "" if name == "book.xlsx" else "'"
    for n, case in live().items():
        for cell in seen[name][0][1 + n][1:3]:
            assert cell.kind == "string", case
            assert as_seen(cell.text) == as_seen(mark + case["cell"]), case


def as_seen(text: str) -> str:
    """A text without what a spreadsheet drops or shows as a space: controls, line ends."""
    return "".join(letter for letter in text if letter > " " and letter not in "\x7f\ufeff\u2028\x85")


@pytest.mark.parametrize("name", ["rows.csv", "kept.csv", "book.xlsx"])
def test_the_names_of_columns_are_texts_too(seen, name):
    mark = "" if name == "book.xlsx" else "'"
    assert [cell.text for cell in seen[name][0][0][:3]] == ["number", f"{mark}=1+1", f"{mark}@cell"]

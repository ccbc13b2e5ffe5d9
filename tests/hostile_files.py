"""Files that are made to take all memory or time of their reader; most are small."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable

import pyarrow as pa
import pyarrow.parquet as pq

BOOK = (
    '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/>'
    '<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" '
    'Target="sharedStrings.xml"/>'
    '<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" '
    'Target="styles.xml"/></Relationships>'
)
ROOT = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>'
)
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
    '<Override PartName="/xl/sharedStrings.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
    '<Override PartName="/xl/styles.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>'
)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SHEET = f"<worksheet {MAIN}><sheetData>", "</sheetData></worksheet>"
STRINGS = f"<sst {MAIN}>", "</sst>"
STYLES = f"<styleSheet {MAIN}><cellXfs>", "</cellXfs></styleSheet>"


def workbook(
    sheet: Iterable[str] = ('<row r="1"><c r="A1"><v>1</v></c></row>',),
    strings: Iterable[str] = (),
    styles: Iterable[str] = ("<xf/>",),
) -> bytes:
    """A workbook of one sheet, its parts written piece by piece."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (
            ("[Content_Types].xml", TYPES),
            ("_rels/.rels", ROOT),
            ("xl/workbook.xml", BOOK),
            ("xl/_rels/workbook.xml.rels", RELATIONS),
        ):
            archive.writestr(name, text)
        for name, (head, tail), body in (
            ("xl/worksheets/sheet1.xml", SHEET, sheet),
            ("xl/sharedStrings.xml", STRINGS, strings),
            ("xl/styles.xml", STYLES, styles),
        ):
            with archive.open(name, "w") as part:
                part.write(head.encode())
                for piece in body:
                    part.write(piece.encode())
                part.write(tail.encode())
    return out.getvalue()


def parquet(table: pa.Table, **how: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **how)
    return out.getvalue()


def footer(size: int) -> bytes:
    return b"PAR1" + b"\x15\x00" * 50 + size.to_bytes(4, "little") + b"PAR1"


def same(value: object, rows: int) -> pa.Table:
    """A column of one value, which Parquet writes once."""
    indices = pa.array([0], pa.int32()).take(pa.array([0] * 1_000_000, pa.int32()))
    part = pa.DictionaryArray.from_arrays(indices, pa.array([value]))
    return pa.table({"a": pa.chunked_array([part] * (rows // 1_000_000))})


# By name: what makes it, what it is called, and what is said of it.
FILES: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "keys": (
        lambda: json.dumps({f"key{n}": n for n in range(20_000)}).encode() + b"\n" + b"{}\n" * 20_000,
        "keys.jsonl",
        "more than 1,000 different names",
    ),
    "keys one by one": (
        lambda: b"".join(b'{"k%d": 1}\n' % n for n in range(20_000)),
        "later.jsonl",
        "more than 1,000 different names",
    ),
    "columns": (lambda: b",".join(b"c%d" % n for n in range(100_000)) + b"\n", "wide.csv", "100,000 cells"),
    "nesting": (lambda: b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "deep.jsonl", "100 brackets"),
    "some nesting": (lambda: b'{"a": ' + b"[" * 400 + b"]" * 400 + b"}\n", "deep.jsonl", "100 brackets"),
    "line": (lambda: b"x" * 60_000_000, "line.csv", "longer than 10,000,000 characters"),
    "line of JSON": (
        lambda: b'{"a": "' + b"x" * 60_000_000,
        "line.jsonl",
        "longer than 10,000,000 characters",
    ),
    "quoted lines": (lambda: b'"a\n",' * 3_000_000, "quoted.csv", "The row that ends in line"),
    "cell": (
        lambda: b'{"a": "' + b"x" * 2_000_000 + b'"}\n',
        "cell.jsonl",
        "longer than 1,000,000 characters",
    ),
    "workbook that unpacks": (
        lambda: workbook(" " * 1_000_000 for _ in range(600)),
        "bomb.xlsx",
        "unpacks to far more than its size",
    ),
    "texts": (
        lambda: workbook(strings=("<si/>" * 1_000_000 for _ in range(9))),
        "texts.xlsx",
        "more than 5,000,000 different texts",
    ),
    "styles": (
        lambda: workbook(styles=("<xf/>" * 1_000_000 for _ in range(7))),
        "styles.xlsx",
        "larger than 30 MB",
    ),
    "sheet to the right": (
        lambda: workbook(['<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>']),
        "right.xlsx",
        "cannot be read",
    ),
    "wide sheet": (
        lambda: workbook(['<row r="1"><c r="ZZZ1"><v>1</v></c></row>']),
        "wide.xlsx",
        "more than 16,384 columns",
    ),
    "sheet far down": (
        lambda: workbook(['<row r="999999999"><c r="A999999999"><v>1</v></c></row>']),
        "down.xlsx",
        "more than 1,048,576 rows",
    ),
    "cells of a row": (
        lambda: workbook("<row>" + "<c><v>1</v></c>" * 2_000 + "</row>" for _ in range(200)),
        "cells.xlsx",
        "2,000 cells",
    ),
    "footer": (lambda: footer(2_000_000_000), "footer.parquet", "damaged or not whole"),
    "columns of Parquet": (
        lambda: parquet(pa.table({f"c{n}": [1] for n in range(3_000)})),
        "wide.parquet",
        "3,000 columns",
    ),
    "rows of Parquet": (lambda: parquet(same("x", 60_000_000)), "rows.parquet", "more than 50,000,000 rows"),
    "values of Parquet": (
        lambda: parquet(same("x" * 900_000, 5_000_000)),
        "values.parquet",
        "Its texts unpack to more than 4,000 MB",
    ),
}

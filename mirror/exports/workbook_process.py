"""Write a large workbook in a process of its own, so that the process that asks stays free for others.

Cells of a workbook are Python's work, half a minute of it for a million rows: inside a web server every other
page would wait for it. The other formats are written by libraries that let go of the interpreter.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import django
from django.utils.translation import get_language, override

from mirror.exports.file_writing import write
from mirror.exports.values import Cover, ExportError, Sheet
from mirror.processes import die_with_parent
from mirror.results.encoding import StoredColumn
from sqlagent.values import ColumnFormat

log = logging.getLogger(__name__)

# Starting a process takes a second or two, as long as writing so many cells.
CELLS = 200_000
# The exit code of a process whose last line is a reason for people, and no traceback.
SAID = 3


def write_in_own_process(format: str, sheet: Sheet, path: Path, cover: Cover) -> None:
    """Write a sheet to a file as `file_writing.write` does, elsewhere if it takes long. Raises: as it does."""
    cells = (sheet.row_count or 0) * len(sheet.columns)
    if format != "xlsx" or sheet.kept is None or cells < CELLS:
        write(format, [sheet], path, cover)
        return
    with sheet.kept() as kept:
        wish = {
            "rows": str(kept.path),
            "formats": [asdict(one) for one in sheet.formats],
            "columns": [asdict(column) for column in kept.columns],
            "sheet": {"title": sheet.title, "row_count": sheet.row_count, "truncated": sheet.truncated},
            "cover": {"title": cover.title, "note": cover.note},
            "made_at": cover.made_at.isoformat() if cover.made_at else None,
            "path": str(path),
            "language": get_language(),
        }
        done = subprocess.run(
            [sys.executable, "-m", "mirror.exports.workbook_process"],
            input=json.dumps(wish).encode(),
            capture_output=True,
            cwd=Path(__file__).resolve().parents[2],
        )
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode == SAID and said:
        raise ExportError(said[-1])
    if done.returncode:
        log.error("The process that wrote a workbook ended with %s: %s", done.returncode, "\n".join(said))
        raise ExportError("The process that wrote the file ended early.")


def main() -> int:
    """Write what is asked for on standard input; returns the exit code."""
    from mirror.results.rows import batches_of

    die_with_parent()
    os.nice(5)
    wish = json.loads(sys.stdin.buffer.read())
    columns = tuple(StoredColumn(**column) for column in wish["columns"])
    sheet = Sheet(
        **wish["sheet"],
        columns=tuple(column.name for column in columns),
        kinds=tuple(column.kind for column in columns),
        batches=lambda: batches_of(Path(wish["rows"]), columns),
        formats=ColumnFormat.read(wish["formats"]),
    )
    made_at = datetime.fromisoformat(wish["made_at"]) if wish["made_at"] else None
    try:
        with override(wish["language"]):
            write("xlsx", [sheet], Path(wish["path"]), Cover(**wish["cover"], made_at=made_at))
    except ExportError as error:
        print(error, file=sys.stderr)
        return SAID
    return 0


if __name__ == "__main__":
    django.setup()
    sys.exit(main())

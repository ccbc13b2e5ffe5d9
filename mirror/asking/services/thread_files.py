"""A thread to take away: its questions, SQL and rows as a notebook beside Parquet files."""

from __future__ import annotations

import base64
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from mirror.asking.models import Run, Thread, Version, headed
from mirror.asking.selectors import thread_runs
from mirror.asking.services.answer_standing import UNKNOWN, AnswerStanding, answer_standings
from mirror.asking.services.charts import DRAWN_ROWS
from mirror.audit.services import record
from mirror.exports.file_writing import write
from mirror.exports.images import chart_image
from mirror.exports.names import file_name
from mirror.exports.sheets import sheet_of
from mirror.phrases import one_line
from mirror.results.opened_files import ResultGone, result_open
from mirror.results.rows import rows_of
from mirror.stored_words import row_said

if TYPE_CHECKING:
    from mirror.people.models import User

# Rows of a file beyond so many bytes, as they are stored, are left out and told.
MOST_BYTES = 200_000_000
# Bytes of a finished file that are sent at once.
_SENT = 262_144


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a thread with the version that its page shows; None where it has none."""

    run: Run
    version: Version | None
    stands: AnswerStanding = UNKNOWN

    @property
    def title(self) -> str:
        """The question, or the name of the saved SQL, and how its SQL departs from that."""
        return one_line(headed(self.run.named, self.version))

    @property
    def sentence(self) -> str:
        """The answer in a sentence, else why there is none."""
        return (row_said(self.version, "sentence") if self.version else "") or row_said(self.run, "reason")

    @property
    def draft(self) -> str:
        """Why the answer is a draft, in the language that is active; empty where nothing says so."""
        return self.stands.draft_said

    @property
    def values(self) -> list[str]:
        """The values of the SQL's parameters."""
        given = self.version.arguments.items() if self.version else ()
        return [one_line(f"{name}: {value}", 200) for name, value in given]


def thread_turns(thread: Thread) -> list[Turn]:
    """Give the questions of a thread as a conversation, oldest first."""
    pairs = [(run, next(iter(run.versions.all()), None)) for run in thread_runs(thread)]
    stand = answer_standings(pairs)
    return [Turn(run, version, stand[run.pk]) for run, version in pairs]


def thread_taken(thread: Thread, turns: Sequence[Turn], format: str, by: User) -> None:
    """Tell the audit that somebody takes a thread with its rows away."""
    results = [turn.version.result for turn in turns if turn.version and turn.version.result]
    rows = sum(result.row_count for result in results)
    record(
        "exported a thread", f"thread {thread.pk}", by=by, source=thread.source.name, format=format, rows=rows
    )


def notebook_pieces(
    thread: Thread, turns: Sequence[Turn], understood: Mapping[int, Sequence[str]]
) -> Generator[bytes, None, None]:
    """Give a zip of the notebook and its Parquet files, once it is whole; it is gone afterwards, and when nobody reads on.

    `understood` says what questions were understood as, by the id of their version.
    """
    folder = Path(tempfile.mkdtemp(prefix="mirror-thread-"))
    try:
        path = folder / "thread.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            files, notes, pictures, held = {}, {}, {}, 0
            for number, turn in enumerate(turns, start=1):
                result = turn.version.result if turn.version else None
                if result is None or turn.version is None:
                    continue
                held += result.size
                if held > MOST_BYTES:
                    notes[number] = _(
                        "Its rows are left out, as the file would be too large. Download them from Mirror."
                    )
                    continue
                name = f"rows-{number}.parquet"
                try:
                    result_open(result)
                    pictures[number] = chart_image(
                        turn.version.chart, rows_of(result, DRAWN_ROWS), scale=1.5, plainly=True
                    )
                    write("parquet", [sheet_of(result, turn.title)], folder / name)
                except ResultGone as error:
                    notes[number] = str(error)
                    continue
                packed.write(folder / name, name, zipfile.ZIP_STORED)
                (folder / name).unlink()
                files[number] = name
            made = notebook(thread, turns, Beside(files, notes, pictures, understood))
            packed.writestr("thread.ipynb", json.dumps(made, ensure_ascii=False, indent=1))
        with path.open("rb") as file:
            while piece := file.read(_SENT):
                yield piece
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)


@dataclass(frozen=True, slots=True)
class Beside:
    """Contents of a notebook beside its turns, by their numbers: files of rows, notes, pictures; and by versions what they were understood as."""

    files: Mapping[int, str]
    notes: Mapping[int, str]
    pictures: Mapping[int, bytes | None]
    understood: Mapping[int, Sequence[str]]


def notebook(thread: Thread, turns: Sequence[Turn], beside: Beside) -> dict[str, Any]:
    """Lay out a notebook (nbformat 4.5). Words of people, models and databases stand in its texts alone, its code names files of ours."""
    cells = [
        _text(
            1,
            f"# {plain(thread.title)}\n\n"
            + _("From %(source)s. The rows lie beside this file; DuckDB reads them.")
            % {"source": plain(thread.source.name)},
        ),
        _code(2, "import duckdb"),
    ]
    for number, turn in enumerate(turns, start=1):
        said = [f"## {number}. {plain(turn.title)}"]
        if turn.stands.is_verified:
            said.append("**" + _("Verified.") + "**")
        if turn.draft:
            said.append("**" + _("Draft.") + f"** {plain(turn.draft)}")
        if turn.sentence:
            said.append(plain(turn.sentence))
        if turn.version and (chips := beside.understood.get(turn.version.pk)):
            said.append(_("Understood as") + " " + "; ".join(map(plain, chips)))
        picture = beside.pictures.get(number)
        if picture:
            said.append(f"![{plain(turn.title)}](attachment:chart.png)")
        if turn.version and turn.version.sql:
            said.append(fenced(turn.version.sql))
        if turn.values:
            said.append(plain(_("With %(values)s.") % {"values": ", ".join(turn.values)}))
        if turn.version and turn.version.result and turn.version.result.truncated:
            said.append(
                _("These are the first %(count)s rows; there are more.")
                % {"count": intcomma(turn.version.result.row_count)}
            )
        if number in beside.notes:
            said.append(plain(beside.notes[number]))
        cells.append(_text(len(cells) + 1, "\n\n".join(said), picture))
        if number in beside.files:
            read = f'duckdb.read_parquet("{beside.files[number]}")'
            cells.append(_code(len(cells) + 1, f"rows_{number} = {read}\nrows_{number}"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def plain(text: str) -> str:
    r"""Write a text so that Markdown shows it as it is.

    Example:
        >>> plain("a*b <script> [x](y)")
        'a\\*b \\<script\\> \\[x\\]\\(y\\)'
    """
    return re.sub(r"([\\`*_{}\[\]()<>#+!|$&~-])", r"\\\1", one_line(text))


def fenced(sql: str) -> str:
    """Write SQL as a block of Markdown, within a fence that it does not hold.

    Example:
        >>> fenced("SELECT 1")
        '```sql\\nSELECT 1\\n```'
    """
    longest = max((len(run) for run in re.findall(r"`+", sql)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sql\n{sql}\n{fence}"


def thread_file_name(thread: Thread, extension: str) -> str:
    """Name a file after a thread."""
    return f"{file_name(thread.title, 'csv').rpartition('.')[0]}.{extension}"


def _text(number: int, text: str, picture: bytes | None = None) -> dict[str, Any]:
    cell = {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": text}
    if not picture:
        return cell
    return {**cell, "attachments": {"chart.png": {"image/png": base64.b64encode(picture).decode()}}}


def _code(number: int, code: str) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": code}
    return {**cell, "execution_count": None, "outputs": []}

"""Write the rows of a statement to a file from a shell: the writers the web uses, with no server running."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from threading import Event as Flag
from time import monotonic
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from mirror.exports.services import EXPORT_SECONDS, ExportRefused, sql_export
from mirror.exports.values import FORMATS, Cover, ExportError, Written
from mirror.modes import machine_mode
from mirror.people.models import User
from mirror.sources.models import Source
from mirror.sources.selectors import sources_asked
from mirror.sources.sight import seen_by, seen_whole

# How often progress is said (seconds).
PROGRESS_SECONDS = 2.0
# The exit code where what was asked was refused or makes no sense.
REFUSED = 2


class Command(BaseCommand):
    """`manage.py export --source NAME --sql-file FILE --out FILE`.

    Exit code 0 when the file is whole, 1 when source or disk failed, 2 when the SQL was refused or the
    call makes no sense, 130 or 143 when it was stopped. A file appears under its name when it is whole.
    """

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Run one SQL on a source, read-only and guarded, and write all its rows to a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--source", required=True, help="the name of the source, for example shop")
        sql = parser.add_mutually_exclusive_group(required=True)
        sql.add_argument("--sql", help="the SQL, in quotes")
        sql.add_argument("--sql-file", help="a file with the SQL; - reads it from standard input")
        parser.add_argument(
            "--format", choices=list(FORMATS), help="by default what the ending of the file says"
        )
        parser.add_argument(
            "--out", required=True, help="the file to write; - writes CSV or JSON lines to standard output"
        )
        parser.add_argument("--user", help="act as this user, who must be allowed to write SQL on the source")
        parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
        parser.add_argument("--title", default="", help="the title of a workbook or PDF")
        parser.add_argument("--rows", type=int, help="write at most so many rows; all by default")
        parser.add_argument(
            "--seconds", type=float, default=EXPORT_SECONDS, help="end the statement after so long (3600)"
        )
        parser.add_argument("--quiet", action="store_true", help="say nothing while it works")

    def handle(self, *args: Any, **options: Any) -> None:
        source = _source(options["source"], options["user"])
        format = _format(options)
        sql = _sql(options)
        if options["seconds"] <= 0 or (options["rows"] is not None and options["rows"] <= 0):
            _refuse("--seconds and --rows must be above 0.")
        to = sys.stdout.buffer if options["out"] == "-" else _path(options)
        title = options["title"] or source.name
        began = monotonic()
        with _Stop() as stop:
            try:
                written = sql_export(
                    source,
                    sql,
                    format,
                    to,
                    seconds=options["seconds"],
                    rows=options["rows"],
                    cover=Cover(title, made_at=timezone.now()),
                    progress=None if options["quiet"] else self._progress(),
                    stop=stop.flag,
                )
            except OSError as error:
                _forget_output()
                raise CommandError(f"The rows could not be written: {error.strerror or error}.") from None
            except ExportError as error:
                if stop.code:
                    raise CommandError("Stopped; no file was written.", returncode=stop.code) from None
                code = REFUSED if isinstance(error, ExportRefused) else 1
                raise CommandError(str(error), returncode=code) from None
        if isinstance(to, Path):
            machine_mode(to)
        self._say(written, options, monotonic() - began)

    def _progress(self) -> Any:
        said = monotonic()

        def progress(rows: int) -> None:
            nonlocal said
            if monotonic() - said >= PROGRESS_SECONDS:
                said = monotonic()
                self.stderr.write(f"{rows:,} rows so far", style_func=str)

        return progress

    def _say(self, written: Written, options: dict[str, Any], seconds: float) -> None:
        where = "" if options["out"] == "-" else f" to {options['out']}"
        self.stderr.write(
            f"Wrote {written.rows:,} rows{where}: {_bytes(written.size)} in {seconds:.1f} s.", style_func=str
        )
        for note in written.notes:
            self.stderr.write(note, style_func=str)


class _Stop:
    """Ends the export on the first Ctrl-C or SIGTERM in order; the second ends the process at once."""

    def __init__(self) -> None:
        self.flag = Flag()
        self.code = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> _Stop:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _stop(self, number: int, _: Any) -> None:
        self._restore()
        self.code = 128 + number
        self.flag.set()

    def _restore(self) -> None:
        while self._before:
            signal.signal(*self._before.popitem())


def _forget_output() -> None:
    """Leave nothing for Python to write at its end to a reader who has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(message: str) -> NoReturn:
    raise CommandError(message, returncode=REFUSED)


def _source(name: str, user: str | None) -> Source:
    seen, person = Source.objects.all(), None
    if user is not None:
        person = User.objects.filter(username=user, is_active=True).first()
        if person is None:
            _refuse(f"There is no user named '{user}'.")
        seen = sources_asked(person)
    source = seen.filter(name=name).first()
    if source is None:
        known = ", ".join(seen.order_by("name").values_list("name", flat=True)) or "none"
        _refuse(f"There is no source named '{name}'{f' for {user}' if user else ''}. Known sources: {known}.")
    return seen_by(person, source) if person is not None else seen_whole(source)


def _format(options: dict[str, Any]) -> str:
    ending = Path(options["out"]).suffix.removeprefix(".").lower()
    format = options["format"] or next((f.name for f in FORMATS.values() if f.extension == ending), None)
    if format is None:
        _refuse(f"Say which --format: {', '.join(FORMATS)}.")
    if options["out"] == "-" and not FORMATS[format].is_streamed:
        _refuse(f"{FORMATS[format].label} cannot be written to standard output; name a file with --out.")
    return format


def _sql(options: dict[str, Any]) -> str:
    if options["sql"] is not None:
        return str(options["sql"])
    if options["sql_file"] == "-":
        return sys.stdin.read()
    try:
        return Path(options["sql_file"]).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        _refuse(f"{options['sql_file']} could not be read: {getattr(error, 'strerror', None) or error}.")


def _path(options: dict[str, Any]) -> Path:
    path = Path(options["out"])
    if path.is_dir():
        _refuse(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        _refuse(f"There is no folder {path.parent}.")
    if path.exists() and not options["overwrite"]:
        _refuse(f"{path} is there already; --overwrite replaces it.")
    return path


def _bytes(size: int) -> str:
    """Say a size.

    Example:
        >>> _bytes(512), _bytes(2_500_000)
        ('512 bytes', '2.5 MB')
    """
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} KB"

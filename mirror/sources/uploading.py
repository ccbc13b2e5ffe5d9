"""Operations on uploaded files: taken, read again, made into a source, added to one, forgotten.

A file is only read in a process of its own, within bounds (`mirror.confined`).
They lie under `VAR_DIR/uploads`: `waiting` until they are tables, then as one DuckDB file a
source. That file is never written again: adding tables writes another and changes over, so readers of the old one read it to the end.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from mirror import confined
from mirror.confined import Bounds, Unfinished, Why
from mirror.people.models import User
from mirror.sources import services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source, Upload
from mirror.sources.uploads import FilePlan, LoadError, Problem, TablePlan
from mirror.sources.uploads.bounds import UPLOAD_COLUMNS
from mirror.sources.uploads.confined_plans import file_planned, table_planned, write_tables
from mirror.sources.uploads.declared_keys import keys_made
from mirror.sources.uploads.wording import figure
from mirror.work.store import store_keep
from sqlagent.language.saying import worded

log = logging.getLogger(__name__)

FILES_AT_ONCE = 30
# Of an upload; those after them are not read: a worker that reads files without end reads nobody else's.
FILES_GIVEN_UP = 2
# A file may be read for so long, and UPLOAD_READ_SECONDS at most. 17 MB of CSV take 2 s on an idle machine, and 2.7 MB of
# SQLite took 15 s on one that did twenty other things (2026-11).
LEAST_SECONDS, SECONDS_A_MEGABYTE = 120.0, 20.0
WAITING = timedelta(days=1)
# A file of the tables, or one that a table was staged in, is at most so many times as large as what was uploaded.
UNPACKED_TIMES = 5


def upload_take(
    owner: User, files: Iterable[tuple[str, Iterable[bytes]]], source: Source | None = None
) -> Upload:
    """Keep files on disk, `files` being names with their bytes in chunks; nothing is read yet.

    Uploads that waited for a day are forgotten.
    """
    for old in Upload.objects.filter(created_at__lt=timezone.now() - WAITING)[:100]:
        old.delete()
    upload = Upload(owner=owner, source=source)
    upload.folder.mkdir(parents=True)
    with _undone_by(lambda: shutil.rmtree(upload.folder, ignore_errors=True)):
        plans = []
        for number, (name, chunks) in enumerate(files):
            path = upload.folder / str(number)
            with path.open("wb") as file:
                for chunk in chunks:
                    file.write(chunk)
            plans.append(FilePlan(Path(name).name[:200], path.name, path.stat().st_size))
        upload_keep(upload, plans)
    log.info("User %s uploaded %d files", owner.pk, len(plans))
    return upload


def upload_plans(upload: Upload) -> list[FilePlan]:
    """Facts about the files of an upload."""
    return [FilePlan.from_json(kept) for kept in upload.files]


def upload_keep(upload: Upload, plans: list[FilePlan]) -> None:
    """Keep what was changed about its files."""
    upload.files = [plan.to_json() for plan in plans]
    if upload._state.adding:
        upload.save()
    else:
        Upload.objects.filter(pk=upload.pk).update(files=upload.files)


def upload_read(
    upload: Upload,
    plans: list[FilePlan],
    files: Iterable[FilePlan],
    tables: Iterable[tuple[FilePlan, TablePlan]] = (),
    tell: Callable[[str], None] | None = None,
) -> None:
    """Read files as their plans say now, guess tables anew whose heading was moved, and keep what was found.

    The plan of a file holds its faults. `tell` is told how far it is. Raises: Unfinished when it is called off.
    """
    given_up = 0
    for place in [plans.index(plan) for plan in files]:
        if given_up == FILES_GIVEN_UP:
            plans[place].tables, plans[place].notes = [], []
            plans[place].error = worded(
                "It was not read: {count} files before it took too long. Upload it by itself.",
                count=figure(FILES_GIVEN_UP),
            )
            continue
        plans[place], took_too_long = _planned(plans[place], upload.folder, tell)
        given_up += took_too_long
        if sum(len(table.columns) for plan in plans for table in plan.tables) > UPLOAD_COLUMNS:
            plans[place].tables = []
            plans[place].error = worded(
                "With it the files have more than {most} columns together, the limit for one upload. Upload it by itself.",
                most=figure(UPLOAD_COLUMNS),
            )
    for plan, table in tables:
        if any(plan is kept for kept in plans):
            plan.tables[plan.tables.index(table)] = confined.run(
                table_planned, upload.folder / plan.staged, table, bounds=_bounds()
            )
    store_keep(lambda: upload_keep(upload, plans))


def _planned(plan: FilePlan, folder: Path, tell: Callable[[str], None] | None) -> tuple[FilePlan, bool]:
    """Read one file; and whether it was given up because it took too long."""
    seconds = min(
        settings.UPLOAD_READ_SECONDS, LEAST_SECONDS + SECONDS_A_MEGABYTE * plan.size / confined.MEGABYTE
    )
    try:
        return confined.run(
            file_planned, plan, folder, bounds=replace(_bounds(), seconds=seconds), tell=tell
        ), False
    except Unfinished as error:
        if error.why is Why.STOPPED:
            raise
        log.warning("A file of %d bytes was not read to its end: %s", plan.size, error.why)
        for left in folder.glob(f"{plan.path}.*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        plan.tables, plan.notes = [], []
        plan.error = worded(
            "Reading it was given up. {reason} Upload a part of it, or Parquet.", reason=error.said
        )
        return plan, error.why is Why.TIME


def _bounds(beside: int = 0) -> Bounds:
    """The bounds of reading and making tables; files may be `beside` bytes larger."""
    megabytes = settings.UPLOAD_MEGABYTES * UNPACKED_TIMES + beside // confined.MEGABYTE + 1
    return Bounds(settings.UPLOAD_READ_SECONDS, settings.UPLOAD_READ_MEGABYTES, file_megabytes=megabytes)


def upload_create(
    upload: Upload,
    source: Source,
    by: User,
    done: Callable[[Source], object] | None = None,
    keep: services.Keep = store_keep,
) -> Source:
    """Make a source of an upload's tables. Raises: LoadError, SourceError, Unfinished; nothing is lost then.

    The upload is forgotten, or `done` is called instead, within the transaction that keeps the source. `keep` writes
    it, again where the store is away.
    """
    path, keys = _load(upload, None), keys_made(upload_plans(upload))

    def write() -> None:
        source.engine, source.database, source.is_upload = Source.Engine.DUCKDB, str(path), True
        source.upload_keys = keys
        services.source_connect(source, by)
        done(source) if done else upload.delete()

    with _undone_by(lambda: path.unlink(missing_ok=True)):
        keep(write)
    return source


def upload_add(
    upload: Upload,
    done: Callable[[Source], object] | None = None,
    keep: services.Keep = store_keep,
) -> Source:
    """Add an upload's tables to its source, `done` and `keep` as above.

    Raises: LoadError, SourceError, Unfinished; the source stays as it was then.
    """
    source = upload.source
    if source is None:
        raise ValueError("This upload is for no source yet")
    before = Path(source.database)
    path, keys = _load(upload, before), {**source.upload_keys, **keys_made(upload_plans(upload))}

    def write() -> None:
        source.database, source.upload_keys = str(path), keys
        source.save(update_fields=["database", "upload_keys"])
        catalog_refresh(source)
        done(source) if done else upload.delete()
        transaction.on_commit(lambda: before.unlink(missing_ok=True))

    with _undone_by(lambda: path.unlink(missing_ok=True)):
        keep(write)
    return source


def upload_forget(upload: Upload) -> None:
    """Delete an upload; its files go with the row."""
    upload.delete()


def files_delete(upload: Upload) -> None:
    """Delete an upload's files; the row tells what became of it until it is forgotten."""
    shutil.rmtree(upload.folder, ignore_errors=True)


def files_forget(row: Source | Upload) -> None:
    """Delete the files of a row that was deleted, once that is certain."""
    if isinstance(row, Upload):
        folder = row.folder
        transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))
    elif row.is_upload:
        path = Path(row.database)
        transaction.on_commit(lambda: path.unlink(missing_ok=True))


def _load(upload: Upload, earlier: Path | None) -> Path:
    tables = [
        (upload.folder / plan.staged, table)
        for plan in upload_plans(upload)
        for table in plan.tables
        if table.is_kept
    ]
    if not tables:
        raise LoadError([])
    path = Path(settings.VAR_DIR) / "uploads" / "sources" / f"{uuid.uuid4()}.duckdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="load-", dir=path.parent) as folder:
        aside = Path(folder) / path.name
        bounds = _bounds(earlier.stat().st_size if earlier else 0)
        try:
            problems = confined.run(write_tables, aside, tables, earlier, bounds=bounds)
        except Unfinished as error:
            if error.why is Why.STOPPED:
                raise
            problems = [
                Problem(
                    "",
                    "",
                    worded(
                        "The tables were not made. {reason} Leave columns or tables out.", reason=error.said
                    ),
                )
            ]
        if problems:
            raise LoadError(problems)
        os.replace(aside, path)
    return path


@contextmanager
def _undone_by(undo: Callable[[], object]) -> Iterator[None]:
    """Take back what was put on disk when the block does not come to its end."""
    with ExitStack() as stack:
        stack.callback(undo)
        yield
        stack.pop_all()

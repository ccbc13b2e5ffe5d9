"""Uploads are read and made into tables by a worker: what it is sent, how far it is, what came of it.

No file is looked into where pages are made. 5 MB of CSV take about half a second, 200 MB took 22 s of a processor to
read and 7 s to load; a workbook takes 2.3 s a megabyte (measured 2026-11).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import Any

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror import confined
from mirror.confined import Unfinished
from mirror.phrases import separated
from mirror.sources import uploading
from mirror.sources.errors import SourceError
from mirror.sources.models import Source, Upload
from mirror.sources.uploads import FilePlan, LoadError, Problem, TablePlan
from mirror.sources.uploads.confined_plans import ROWS_SO_FAR
from mirror.stored_words import said_again, sayings_of, translated
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status
from mirror.work.recovery import row_look, waits_long
from mirror.work.watching import Watch

log = logging.getLogger(__name__)

# How often the store is told how far it is (seconds).
TELL_SECONDS = 1.0
# Seconds until the page says that no worker is free.
WORKER_SECONDS = 60

NO_WORKER = gettext_noop(
    "No worker has taken this for a minute. Ask an administrator whether the workers run; nothing is lost."
)
BROKEN = gettext_noop(
    "Something in Mirror itself broke while doing this. It was logged. Trying again may help."
)
GIVEN_UP = gettext_noop(
    "The worker was interrupted {count} times over these files. Upload fewer at once, or Parquet."
)


def reading_queue(
    upload: Upload,
    plans: list[FilePlan],
    files: Iterable[FilePlan],
    tables: Iterable[tuple[FilePlan, TablePlan]] = (),
    source: dict[str, Any] | None = None,
) -> None:
    """Have files read as their plans say, and tables guessed anew. `source` is what was typed meanwhile."""
    places = [(plans.index(plan), plan.tables.index(table)) for plan, table in tables]
    read = [plans.index(plan) for plan in files]
    _send(upload, Upload.Work.READ, {"files": read, "tables": places, "source": source})


def making_queue(upload: Upload, source: dict[str, Any] | None) -> None:
    """Have an upload's tables made into a source with these fields, or added to its own."""
    _send(upload, Upload.Work.MAKE, {"source": source})


def upload_look(upload: Upload) -> None:
    """See to it that what somebody waits for is worked on."""
    row_look(upload)


def upload_words(upload: Upload) -> str:
    """Say how far it is."""
    if upload.status == Status.QUEUED and upload.waits_turn:
        return _("Waiting until other files of yours are read.")
    if upload.status == Status.QUEUED:
        since = datetime.fromisoformat(upload.wish["since"])
        return _(NO_WORKER) if waits_long(upload, since, WORKER_SECONDS) else _("Waiting for a worker.")
    if upload.work == Upload.Work.MAKE:
        return _("Checking every cell and writing the tables.")
    return progress_said(upload.progress) or _("Beginning.")


def progress_said(kept: str) -> str:
    """Say in the language that is active how far a file is, as it was told.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     progress_said("sales.1,5.csv: 20,000 rows so far")
        'sales.1,5.csv: bisher 20.000 Zeilen'
    """
    name, _, told = kept.rpartition(": ")
    return translated(f"{name}: {separated(told)}" if name else kept, (ROWS_SO_FAR,))


def upload_do(lease: Lease) -> None:
    """Do what an upload waits for. Files that were thrown away meanwhile end it at once."""
    upload = Upload.objects.select_related("source", "owner").filter(pk=str(lease.pk)).first()
    if upload is None:
        return
    with (
        suppress(LeaseLost, Unfinished),
        Watch(lease) as watch,
        confined.called_off_when(watch.cancelled.is_set),
    ):
        if upload.work == Upload.Work.READ:
            _read(upload, lease)
        else:
            _make(upload, lease)


def upload_break(lease: Lease) -> None:
    """End work that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said={"error": BROKEN}, progress="")


def _send(upload: Upload, work: str, wish: dict[str, Any]) -> None:
    now = timezone.now()
    Upload.objects.filter(pk=upload.pk, status=Status.DONE).update(
        status=Status.QUEUED,
        work=work,
        wish={**wish, "since": now.isoformat()},
        said={},
        progress="",
        attempts=0,
        spared=0,
        waits_turn=False,
        queued_at=now,
    )
    send(upload)


def _read(upload: Upload, lease: Lease) -> None:
    plans = uploading.upload_plans(upload)
    files = [plans[f] for f in upload.wish["files"]]
    tables = [(plans[f], plans[f].tables[t]) for f, t in upload.wish["tables"]]
    uploading.upload_read(upload, plans, files, tables, _Teller(lease))
    lease.end(progress="")


def _make(upload: Upload, lease: Lease) -> None:
    def done(source: Source) -> None:
        lease.end(said={"made": source.pk}, progress="")

    fields = upload.wish["source"]
    try:
        if fields is None:
            uploading.upload_add(upload, done, lease.keep)
        else:
            uploading.upload_create(upload, Source(**fields), upload.owner, done, lease.keep)
    except LoadError as error:
        problems = [[p.table, p.column, p.message] for p in error.problems]
        lease.end(said={"problems": problems, "saying": sayings_of(p.message for p in error.problems)})
    except SourceError as error:
        lease.end(said={"error": f"{error} {error.advice}".strip()})
    except IntegrityError:
        lease.end(said={"error": _("Another source has this name already.")})
    else:
        uploading.files_delete(upload)


def problems_said(upload: Upload) -> LoadError | None:
    """Why an upload's tables were not made, as `uploads.load` raised it."""
    if "problems" not in upload.said:
        return None
    parts = upload.said.get("saying")
    return LoadError(
        [
            Problem(table, column, said_again(words, parts, words))
            for table, column, words in upload.said["problems"]
        ]
    )


def error_said(upload: Upload) -> str:
    """Why an upload's work ended without tables, in the language that is active; empty where it did not."""
    return translated(upload.said.get("error", ""), (GIVEN_UP,))


class _Teller:
    """Tells the store how far a worker is, not too often. Raises: LeaseLost."""

    def __init__(self, lease: Lease) -> None:
        self._lease, self._at = lease, 0.0

    def __call__(self, words: str) -> None:
        if monotonic() - self._at >= TELL_SECONDS:
            self._lease.write(progress=words[:300])
            self._at = monotonic()

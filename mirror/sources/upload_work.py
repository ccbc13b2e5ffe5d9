"""Large uploads are read and loaded by a worker: what it is sent, how far it is, what came of it.

Small ones are done while the page waits: 5 MB of CSV take about half a second, 200 MB took 20 s of
a processor to read and 8 s to load; a workbook takes 2.3 s a megabyte (measured 2026-11).
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any

from django.db import IntegrityError
from django.utils import timezone

from mirror.leases import Lease, LeaseLost, Status, Watch, claim, end_unheld, hand_back, send
from mirror.sources import doors, services, uploading
from mirror.sources.models import Source, Upload
from mirror.sources.uploads import FilePlan, LoadError, Problem, TablePlan

log = logging.getLogger(__name__)

# What a page waits for, in bytes of all files of an upload.
READ_NOW = 5_000_000
# How many times longer than of other files the reading of a workbook of the same size takes.
WORKBOOK_TIMES = 20
# How often the store is told how far it is (seconds).
TELL_SECONDS = 1.0
# A worker that dies three times over one upload is likely killed by it.
ATTEMPTS = 3
# A message not taken for this long may be lost.
LOST_SECONDS = 30

BROKEN = "Something in Mirror itself broke while doing this. It was logged. Trying again may help."
GIVEN_UP = f"The worker was interrupted {ATTEMPTS} times over these files. Upload fewer at once, or Parquet."


def is_large(plans: Iterable[FilePlan]) -> bool:
    """Say whether files are for a worker."""
    return sum(plan.size * (WORKBOOK_TIMES if _is_workbook(plan) else 1) for plan in plans) > READ_NOW


def _is_workbook(plan: FilePlan) -> bool:
    return plan.name.lower().endswith((".xlsx", ".xlsm"))


def work_read(
    upload: Upload,
    plans: list[FilePlan],
    files: Iterable[FilePlan],
    tables: Iterable[tuple[FilePlan, TablePlan]] = (),
) -> None:
    """Have files read as their plans say, and tables guessed anew."""
    wanted = [(plans.index(plan), plan.tables.index(table)) for plan, table in tables]
    _send(upload, Upload.Work.READ, {"files": [plans.index(plan) for plan in files], "tables": wanted})


def work_make(upload: Upload, source: dict[str, Any] | None) -> None:
    """Have an upload's tables made into a source with these fields, or added to its own."""
    _send(upload, Upload.Work.MAKE, {"source": source})


def work_look(upload: Upload) -> None:
    """See to it that what somebody waits for is worked on: hand back what a dead worker left, send again."""
    now = timezone.now()
    if upload.status == Status.RUNNING and upload.lease_until and upload.lease_until < now:
        if upload.attempts >= ATTEMPTS:
            end_unheld(upload, said={"error": GIVEN_UP})
        elif hand_back(upload):
            send(doors.upload_work, str(upload.pk))
    elif upload.status == Status.QUEUED:
        lost = Upload.objects.filter(pk=upload.pk, queued_at__lt=now - timedelta(seconds=LOST_SECONDS))
        if lost.update(queued_at=now):
            send(doors.upload_work, str(upload.pk))
    upload.refresh_from_db()


def work_take(upload_id: str) -> Lease | None:
    """Take an upload that waits for a worker; None when another has it or it is gone."""
    return claim(Upload, upload_id)


def work_do(lease: Lease) -> None:
    """Do what an upload waits for. Files that were thrown away meanwhile end it at once."""
    with suppress(LeaseLost, Upload.DoesNotExist), Watch(lease):
        upload = Upload.objects.select_related("source", "owner").get(pk=lease.pk)
        if upload.work == Upload.Work.READ:
            _read(upload, lease)
        else:
            _make(upload, lease)


def work_break(lease: Lease) -> None:
    """End work that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said={"error": BROKEN}, progress="")


def _send(upload: Upload, work: str, wish: dict[str, Any]) -> None:
    Upload.objects.filter(pk=upload.pk, status=Status.DONE).update(
        status=Status.QUEUED, work=work, wish=wish, said={}, progress="", attempts=0, queued_at=timezone.now()
    )
    send(doors.upload_work, str(upload.pk))


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
            uploading.upload_add(upload, done)
        else:
            uploading.upload_create(upload, Source(**fields), upload.owner, done)
    except LoadError as error:
        lease.end(said={"problems": [[p.table, p.column, p.message] for p in error.problems]})
    except services.SourceError as error:
        lease.end(said={"error": f"{error} {error.advice}".strip()})
    except IntegrityError:
        lease.end(said={"error": "Another source has this name already."})
    else:
        shutil.rmtree(upload.folder, ignore_errors=True)


def problems_said(upload: Upload) -> LoadError | None:
    """Why an upload's tables were not made, as `uploads.load` raised it."""
    if "problems" not in upload.said:
        return None
    return LoadError([Problem(*problem) for problem in upload.said["problems"]])


class _Teller:
    """Tells the store how far a worker is, not too often. Raises: LeaseLost."""

    def __init__(self, lease: Lease) -> None:
        self._lease, self._at = lease, 0.0

    def __call__(self, words: str) -> None:
        if monotonic() - self._at >= TELL_SECONDS:
            self._lease.write(progress=words[:300])
            self._at = monotonic()

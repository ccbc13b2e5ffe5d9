"""Read the rows of one part: as its owner, with its values, through the guard, once.

Chart, sentence, condition, files and history are made of the rows kept here; the source is not asked again.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from mirror.asking.services import source_opened
from mirror.library import services as library
from mirror.library.selectors import saved_visible
from mirror.reports.models import ReportPart, RunPart
from mirror.reports.services.values import (
    STORAGE_ADVICE,
    MadePart,
    Making,
    RunFailed,
    RunStopped,
    Unmakeable,
)
from mirror.results.cells import storable
from mirror.results.files import ResultNotKept
from mirror.results.services import result_delete, result_receive
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.limits import limits_of
from mirror.sources.selectors import sources_visible
from sqlagent.errors import DatabaseError
from sqlagent.values import FailureKind, Limits

if TYPE_CHECKING:
    from mirror.asking.services.opening import OpenedSource
    from mirror.leases import Lease, Watch
    from mirror.library.models import SavedSql
    from mirror.results.models import StoredResult

log = logging.getLogger(__name__)

# Rows go from the source to a file in batches, so no number of characters is too many for memory.
ANY_CHARS = 2**62


def part_read(making: Making, part: ReportPart, lease: Lease, watch: Watch) -> MadePart:
    """Run the SQL of a part and keep its rows with the run.

    Raises: Unmakeable, RunFailed, RunStopped, LeaseLost; nothing is kept then.
    """
    saved = _allowed(making, part)
    try:
        with source_opened(saved.source) as opened:
            sql = _bound(making, part, saved, opened)
            checked = sql_check(saved.source, sql, opened.catalog)
            if isinstance(checked, Refusal):
                raise Unmakeable(f"{part.name}: {checked.what} {checked.why}".strip(), checked.advice)
            watch.cancel = opened.database.cancel
            close_old_connections()
            try:
                result = _received(making, opened, checked.sent)
            finally:
                watch.cancel = None
    except DatabaseError as error:
        if watch.cancelled.is_set():
            raise RunStopped from None
        failure = error.failure
        if failure.kind is FailureKind.REFUSED:
            raise Unmakeable(f"{part.name}: {failure.message}", failure.advice) from None
        raise RunFailed(f"{part.name}: {failure.message}", failure.advice) from None
    except ResultNotKept as error:
        raise RunFailed(f"{part.name}: {error}", STORAGE_ADVICE) from None
    return _kept(making, part, saved, checked.sql, result, lease)


def _allowed(making: Making, part: ReportPart) -> SavedSql:
    """The saved SQL of a part, if the report's owner still may run it. Raises: Unmakeable."""
    owner, saved = making.report.owner, part.saved
    if saved is None:
        raise Unmakeable(
            f"The saved SQL “{part.name}” was deleted, or its source was.",
            "Take it out of the report, or choose another.",
        )
    if not sources_visible(owner).filter(pk=saved.source_id).exists():
        raise Unmakeable(
            f"{owner.get_username()} no longer sees the source {saved.source.name} of “{part.name}”.",
            "Ask its owner to share it, or hand the report over to somebody who sees it.",
        )
    if saved.owner.is_active and not saved_visible(owner).filter(pk=saved.pk).exists():
        raise Unmakeable(
            f"The saved SQL “{part.name}” is no longer shared with {owner.get_username()}.",
            "Ask its owner to share it, or save the SQL yourself.",
        )
    return saved


def _bound(making: Making, part: ReportPart, saved: SavedSql, opened: OpenedSource) -> str:
    """The SQL with its values; relative dates are read for the run's scheduled day. Raises: Unmakeable."""
    if not saved.parameters:
        return saved.sql
    try:
        return library.sql_bind(
            saved.sql, saved.parameters, part.arguments, opened.database.dialect, today=making.today
        )
    except library.ParameterError as error:
        raise Unmakeable(
            f"{part.name}: {error}", "Open the report and choose a value for each parameter."
        ) from None


def _received(making: Making, opened: OpenedSource, sql: str) -> StoredResult:
    """Keep rows as the source sends them, for as long as the report keeps its files."""
    limits = Limits(
        settings.REPORT_SECONDS, settings.REPORT_ROWS, limits_of(opened.source).cell_chars, ANY_CHARS
    )
    began = monotonic()
    with opened.database.stream(sql, limits) as stream:
        until_first = monotonic() - began
        result = result_receive(opened.source, stream, making.report.owner)
    result.seconds += until_first
    result.expires_at = timezone.now() + timedelta(days=making.report.keep_days)
    result.save(update_fields=["seconds", "expires_at"])
    return result


def _kept(
    making: Making, part: ReportPart, saved: SavedSql, sql: str, result: StoredResult, lease: Lease
) -> MadePart:
    row = RunPart(
        run=making.run,
        position=part.position,
        attempt=making.attempt,
        title=part.name,
        sql=storable(sql),
        arguments=part.arguments,
        source=saved.source,
        result=result,
        row_count=result.row_count,
        truncated=result.truncated,
        seconds=result.seconds,
    )
    with ExitStack() as undo:
        undo.callback(result_delete, result)

        def write() -> None:
            lease.write()
            row.save(force_insert=True)

        lease.keep(write)
        undo.pop_all()
    return MadePart(row, result, saved.question or saved.name, saved.chart)

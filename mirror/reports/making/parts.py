"""Read the rows of one part: as its owner, with its values, through the guard, once.

Chart, sentence, condition, files and history are made of the rows kept here; the source is not asked again.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING

from django.conf import settings

from mirror.library.selectors import may_run, saved_visible
from mirror.queries.running import KeptRows, NotRun, NotRunWhy, Values, sql_run
from mirror.queries.values_said import values_said
from mirror.reports.making.made import STORAGE_ADVICE, MadePart, Making, RunFailed, RunStopped, Unmakeable
from mirror.reports.models import ReportPart, RunPart
from mirror.results.formats import formats_chosen_of_chart
from mirror.results.services import formats_keep, result_delete
from mirror.sources.limits import limits_of
from mirror.sources.selectors import may_send, sources_visible
from mirror.sources.sight import seen_by, sight_now
from mirror.storable import storable
from sqlagent.language.saying import in_a_row, worded
from sqlagent.values import FailureKind, Limits

if TYPE_CHECKING:
    from mirror.library.models import SavedSql
    from mirror.work.leases import Lease
    from mirror.work.watching import Watch

log = logging.getLogger(__name__)

# Rows go from the source to a file in batches, so no number of characters is too many for memory.
ANY_CHARS = 2**62


def part_read(making: Making, part: ReportPart, lease: Lease, watch: Watch) -> MadePart:
    """Run the SQL of a part and keep its rows with the run.

    Raises: Unmakeable, RunFailed, RunStopped, LeaseLost; nothing is kept then.
    """
    saved = _allowed(making, part)
    values = Values(saved.parameters, part.arguments, making.today)
    limits = Limits(
        settings.REPORT_SECONDS, settings.REPORT_ROWS, limits_of(saved.source).cell_chars, ANY_CHARS
    )
    owner, days = making.report.owner, making.report.keep_days
    source = seen_by(owner, saved.source)
    ran = sql_run(source, saved.sql, values, limits, owner, keep_days=days, watch=watch)
    if isinstance(ran, KeptRows):
        return _kept(making, part, saved, ran, lease)
    if ran.why is NotRunWhy.FAILED and watch.cancelled.is_set():
        raise RunStopped
    raise _error(part, ran)


def _error(part: ReportPart, ran: NotRun) -> Unmakeable | RunFailed:
    """The error of a report whose part has no rows: never, or not now."""
    words, failure = in_a_row(part.name, ": ", ran.failure.message), ran.failure
    if ran.why is NotRunWhy.VALUE:
        return Unmakeable(words, worded("Open the report and choose a value for each parameter."))
    if ran.why is NotRunWhy.UNKEPT:
        return RunFailed(words, STORAGE_ADVICE)
    if failure.kind is FailureKind.REFUSED:
        return Unmakeable(words, failure.advice)
    return RunFailed(words, failure.advice)


def _allowed(making: Making, part: ReportPart) -> SavedSql:
    """The saved SQL of a part, if the report's owner still may run it. Raises: Unmakeable."""
    owner, saved = making.report.owner, part.saved
    if saved is None:
        raise Unmakeable(
            worded("The saved SQL “{name}” was deleted, or its source was.", name=part.name),
            worded("Take it out of the report, or choose another."),
        )
    if not sources_visible(owner).filter(pk=saved.source_id).exists():
        raise Unmakeable(
            worded(
                "{owner} no longer sees the source {source} of “{name}”.",
                owner=owner.get_username(),
                source=saved.source.name,
                name=part.name,
            ),
            worded("Ask its owner to share it, or hand the report over to somebody who sees it."),
        )
    if not may_run(owner, saved):
        raise Unmakeable(
            worded(
                "{owner} looks at {source} and does not run SQL of {author} there (“{name}”).",
                owner=owner.get_username(),
                source=saved.source.name,
                author=saved.owner.get_username(),
                name=part.name,
            ),
            worded("Choose saved SQL of somebody who writes SQL on the source, or hand the report over."),
        )
    if not may_send(owner, saved.source):
        raise Unmakeable(
            worded(
                "The owner of {source} does not let the team of {owner} send its rows (“{name}”).",
                source=saved.source.name,
                owner=owner.get_username(),
                name=part.name,
            ),
            worded(
                "Ask its owner to allow it (Sources, Share), or hand the report over to somebody who may."
            ),
        )
    if saved.owner.is_active and not saved_visible(owner).filter(pk=saved.pk).exists():
        raise Unmakeable(
            worded(
                "The saved SQL “{name}” is no longer shared with {owner}.",
                name=part.name,
                owner=owner.get_username(),
            ),
            worded("Ask its owner to share it, or save the SQL yourself."),
        )
    return saved


def _kept(making: Making, part: ReportPart, saved: SavedSql, ran: KeptRows, lease: Lease) -> MadePart:
    result = ran.result
    formats_keep(result, formats_chosen_of_chart(saved.chart))
    row = RunPart(
        run=making.run,
        position=part.position,
        attempt=making.attempt,
        title=part.name,
        sql=storable(ran.sql),
        arguments=part.arguments,
        values=storable(values_said(saved.parameters, part.arguments, making.today)),
        source=saved.source,
        login=sight_now(saved.source).login.name,
        result=result,
        row_count=result.row_count,
        truncated=result.truncated,
        seconds=result.seconds,
        draft=saved.draft,
        saying=saved.saying,
    )
    with ExitStack() as undo:
        undo.callback(result_delete, result)

        def write() -> None:
            lease.write()
            row.save(force_insert=True)

        lease.keep(write)
        undo.pop_all()
    return MadePart(row, result, saved.question or saved.name, saved.chart)

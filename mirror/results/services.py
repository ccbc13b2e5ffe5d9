"""Keep rows that a source returned, and throw them away when their time is over."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.db.models import Sum
from django.utils import timezone

from mirror.results import result_files
from mirror.results.encoding import Writer
from mirror.results.formats import MOST_FORMATS, formats_chosen, is_number, number_ranges
from mirror.results.models import StoredResult
from mirror.results.rows import columns_of
from mirror.results.signals import columns_formatted
from mirror.sources.limits import limits_of
from mirror.sources.sight import sight_now
from mirror.storable import storable
from mirror.work.store import store_keep
from sqlagent.ports import ColumnStream, RowStream
from sqlagent.rows.percents import is_percent
from sqlagent.telling.summarizing import summed_in, unsummed_in
from sqlagent.values import ColumnFormat, Rows

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

Row = tuple[Any, ...]

# Rows written at once: few enough to stay in a processor's cache, many enough to be worth a call.
BATCH_ROWS = 1_000
# Results as new as these are not deleted to make room.
FRESH = timedelta(minutes=10)


def result_store(source: Source, rows: Rows, owner: User | None = None, *, sql: str = "") -> StoredResult:
    """Keep rows, exactly as they came: every type, digit and NULL, for `RESULT_DAYS` days. `sql` says which figures tell of groups. Raises: ResultNotKept."""
    batches = (rows.rows[start : start + BATCH_ROWS] for start in range(0, len(rows.rows), BATCH_ROWS))
    result = _received(source, owner, rows.columns, rows.kinds, batches, sql)
    result.truncated, result.cut_cells, result.seconds = rows.truncated, rows.cut_cells, rows.seconds
    return _saved(result)


def result_receive(
    source: Source,
    stream: RowStream,
    owner: User | None = None,
    *,
    waited: float = 0.0,
    keep_days: int | None = None,
    sql: str = "",
) -> StoredResult:
    """Keep rows as a source sends them, in memory that does not grow with them; `sql` is what made them.

    `seconds` of the result is the time spent waiting for the source, with what was `waited` for the stream itself.
    They are kept for `keep_days`, or as long as the source's rows are. Raises: StatementFailed, Unreachable,
    ResultNotKept; nothing is kept then.
    """
    comes_by_column = isinstance(stream, ColumnStream)
    clock = _Clock(stream.column_batches() if isinstance(stream, ColumnStream) else stream)
    result = _received(source, owner, stream.columns, stream.kinds, clock, sql, comes_by_column)
    result.truncated, result.cut_cells = stream.truncated, stream.cut_cells
    result.seconds = waited + clock.seconds
    if keep_days is not None:
        result.expires_at = timezone.now() + timedelta(days=keep_days)
    return _saved(result)


def _columns_marked(result: StoredResult, sql: str, path: Path) -> None:
    """Mark the columns that hold averages or rates of groups, sums and other aggregates, and percentages, as the SQL and their numbers say."""
    found, summed = unsummed_in(sql), summed_in(sql)
    for place, column in enumerate(result.columns):
        if column["name"] in found or place in found.values():
            column["of_groups"] = True
        if place in summed:
            column["adds_up"] = summed[place]
    columns = columns_of(result)
    named = [n for n, one in enumerate(columns) if is_number(one.kind) and is_percent(one.name, sql)]
    reaches = number_ranges(path, columns, named)
    for n in named:
        if is_percent(columns[n].name, sql, reaches[n]):
            result.columns[n]["in_percent"] = True


def _saved(result: StoredResult) -> StoredResult:
    def write() -> None:
        result.save(force_insert=True)
        room_make(result.source)

    store_keep(write, StoredResult.objects.filter(pk=result.pk).exists)
    return result


class _Clock:
    """Passes batches on and adds up how long each was waited for."""

    def __init__(self, batches: Iterable[Sequence[Any]]) -> None:
        self._batches, self.seconds = batches, 0.0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        waiting = iter(self._batches)
        while True:
            began = monotonic()
            batch = next(waiting, None)
            self.seconds += monotonic() - began
            if batch is None:
                return
            yield batch


def _received(
    source: Source,
    owner: User | None,
    columns: Sequence[str],
    kinds: Sequence[str],
    batches: Iterable[Sequence[Any]],
    sql: str,
    comes_by_column: bool = False,
) -> StoredResult:
    days = timedelta(days=limits_of(source).result_days)
    sight = sight_now(source).key
    result = StoredResult(source=source, owner=owner, sight=sight, expires_at=timezone.now() + days)
    with tempfile.TemporaryDirectory(prefix="mirror-result-") as folder:
        path = Path(folder) / f"{result.pk}.parquet"
        writer = Writer(path, columns, [str(kind) for kind in kinds])
        add = writer.add_columns if comes_by_column else writer.add
        for batch in batches:
            add(batch)
        result.columns = storable(writer.close())
        result.row_count, result.size = writer.row_count, path.stat().st_size
        _columns_marked(result, sql, path)
        result_files.file_keep(result, path)
    return result


def column_format_keep(result: StoredResult, column: str, **chosen: Any) -> None:
    """Keep how the columns of one name are shown, and tell those who draw these rows; one as it is needs no place."""
    wanted = ColumnFormat(column, **chosen)
    others = [one for one in formats_chosen(result) if one.column != column]
    is_plain = not wanted.style and not wanted.bar
    formats_keep(result, [*others, *(() if is_plain else (wanted,))][-MOST_FORMATS:])
    columns_formatted.send(StoredResult, result=result)


def formats_keep(result: StoredResult, formats: Iterable[ColumnFormat]) -> None:
    """Keep how columns are shown with their rows."""
    result.formats = storable([asdict(one) for one in formats])
    StoredResult.objects.filter(pk=result.pk).update(formats=result.formats)


def result_delete(result: StoredResult) -> None:
    """Forget a result; its file goes with the row."""
    result.delete()


def room_make(source: Source) -> int:
    """Delete a source's oldest results until the others fit its megabytes; returns how many.

    Those of the last minutes stay: somebody is about to look at them.
    """
    results = StoredResult.objects.filter(source=source)
    most = limits_of(source).result_megabytes * 1_000_000
    if (results.aggregate(size=Sum("size"))["size"] or 0) <= most:
        return 0
    held, over = 0, []
    for pk, size in results.order_by("-created_at").values_list("pk", "size"):
        held += size
        if held > most:
            over.append(pk)
    old = results.filter(pk__in=over, created_at__lt=timezone.now() - FRESH)
    count = old.count()
    old.delete()
    log.info("%d results of source %s were deleted to make room", count, source.pk)
    return count


def results_expire() -> int:
    """Delete every result whose time is over, and files that outlived theirs; returns how many results."""
    result_files.files_tidy()
    old = list(StoredResult.objects.filter(expires_at__lte=timezone.now())[:1000])
    for result in old:
        result_delete(result)
    if old:
        log.info("%d stored results expired", len(old))
    return len(old)

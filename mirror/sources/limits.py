"""Limits of a source: its own, or the settings' where it has none. Decided here alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from mirror.audit.services import record

if TYPE_CHECKING:
    from mirror.sources.models import Source

# The ends of a cell and of all rows in `sqlagent.values.Limits`, when nothing else is said.
CELL_CHARS = 100_000
TOTAL_CHARS = 200_000_000


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """Runs at once; seconds and rows of a statement; days and megabytes of results kept; characters of a cell.

    `total_chars` are those of all rows of a statement together. `statement_megabytes` is what its engine may
    take of this machine's memory, where it runs here, `scan_megabytes` what it may read where its engine counts that.
    """

    concurrent_runs: int
    statement_seconds: float
    candidate_rows: int
    result_rows: int
    result_days: int
    result_megabytes: int
    cell_chars: int
    total_chars: int
    statement_megabytes: int
    scan_megabytes: int

    @property
    def memory(self) -> int:
        """The memory that a statement may take, in bytes."""
        return self.statement_megabytes * 1_000_000

    @property
    def scan(self) -> int:
        """Bytes of stored data that a statement may read, for engines that count it."""
        return self.scan_megabytes * 1_000_000


def limits_usual() -> SourceLimits:
    """The limits of a source without limits of its own."""
    return SourceLimits(
        settings.CONCURRENT_RUNS,
        settings.STATEMENT_SECONDS,
        settings.CANDIDATE_ROWS,
        settings.RESULT_ROWS,
        settings.RESULT_DAYS,
        settings.RESULT_MEGABYTES,
        CELL_CHARS,
        TOTAL_CHARS,
        settings.STATEMENT_MEGABYTES,
        settings.SCAN_MEGABYTES,
    )


def limits_of(source: Source) -> SourceLimits:
    """The limits of this source. An attempt is never looked at in more rows than a result may keep."""
    usual = limits_usual()
    own = {name: getattr(source, name) for name in SourceLimits.__slots__}
    limits = replace(usual, **{name: value for name, value in own.items() if value is not None})
    return replace(limits, candidate_rows=min(limits.candidate_rows, limits.result_rows))


def limits_set(source: Source, own: Mapping[str, float | None]) -> None:
    """Keep a source's own limits, by the names of `SourceLimits`; None stands for the usual."""
    for name in SourceLimits.__slots__:
        setattr(source, name, own[name])
    with transaction.atomic():
        source.save(update_fields=list(SourceLimits.__slots__))
        told = [f"{name} {value:g}" for name, value in own.items() if value is not None]
        record("changed limits", source, limits=told)

"""Values handed from step to step of a run, and reasons to end it early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_noop

from mirror.reports.errors import ReportError

if TYPE_CHECKING:
    from datetime import date

    from mirror.reports.models import Report, ReportRun, RunPart
    from mirror.results.models import StoredResult

STORAGE_ADVICE = gettext_noop("Ask an administrator of this server to look at its disk or file storage.")


# A chart as PNG, by language; none where there is nothing to draw.
Pictures = dict[str, bytes]


class RunFailed(Exception):
    """A run could not be made now; trying again later may help. Message and advice are fit to be shown."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message, self.advice = message, advice


class Unmakeable(ReportError):
    """A run cannot be made however often it is tried: a refusal, a missing value, a right that was lost."""


class RunStopped(Exception):
    """Somebody stopped the run, or the worker lost it."""


@dataclass(frozen=True, slots=True)
class Making:
    """A run that is being made: its report, its attempt, and the day its relative dates are read for.

    `languages` are those of its readers, that of the report's owner first.
    """

    run: ReportRun
    report: Report
    attempt: int
    today: date
    languages: tuple[str, ...]

    @property
    def folder(self) -> str:
        """Where this attempt's files lie in the storage; no other attempt writes there."""
        return f"{run_folder(self.run.pk)}/{self.attempt}"


@dataclass(frozen=True, slots=True)
class MadePart:
    """One SQL of a run with its rows, and the question its sentence and chart answer."""

    row: RunPart
    result: StoredResult
    question: str
    chart: dict[str, object] | None


def run_folder(run: int) -> str:
    """Where all attempts of a run keep their files."""
    return f"reports/{run}"

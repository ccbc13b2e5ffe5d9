"""The maker of an answer, its confidence, the texts sent for it, and its cost."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import ngettext

from mirror.asking.models import Run
from mirror.asking.pages.words import confidence_told, privacy_meaning, privacy_said, spent, sure


@dataclass(frozen=True, slots=True)
class MakerView:
    """How an answer was made. Where somebody vouches for it, how sure its maker was is not told.

    `agree` says how many attempts gave it, or who vouches. `faults` are failures of calls, for administrators alone.
    """

    confidence: int | None
    sure: str
    agree: str
    privacy: str
    privacy_meaning: str
    llm: str
    sent_count: int
    spent: str
    faults: tuple[str, ...]


def maker_view(run: Run, is_vouched: bool, vouched_by: str) -> MakerView:
    """Tell how the answer of a run was made, under the privacy that applied then."""
    level = run.privacy or run.thread.source.privacy
    return MakerView(
        confidence=None if is_vouched else confidence_told(run),
        sure=sure(run.confidence) if run.agreement_size and not is_vouched else "",
        agree="" if is_vouched and not vouched_by else _agree(run),
        privacy=privacy_said(level),
        privacy_meaning=privacy_meaning(level),
        llm=run.llm,
        sent_count=len(run.sent),
        spent=spent(run.usage),
        faults=tuple(map(str, (run.usage or {}).get("faults", ()))),
    )


def _agree(run: Run) -> str:
    """How many attempts gave this. The built-in generator's attempts differ by design: one may be the best."""
    if (run.known or {}).get("vouched"):
        return run.reason.rstrip(".")
    size, pool, llm = run.agreement_size, run.agreement_pool, run.llm
    if not size:
        return ""
    if size == 1:
        best = ngettext("the only attempt", "the best of %(count)s attempts", pool)
        one = ngettext(
            "1 of %(count)s attempt gave this answer", "1 of %(count)s attempts gave this answer", pool
        )
        return (one if llm else best) % {"count": pool}
    words = ngettext(
        "%(size)s of %(count)s attempt gave this answer",
        "%(size)s of %(count)s attempts gave this answer",
        pool,
    )
    return words % {"size": size, "count": pool}

"""Sums answers up for people: how many are right, what they cost, how sure they were, how long they took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlagent.evaluation import lenient
from sqlagent.evaluation.answering import FEW, Answered
from sqlagent.evaluation.kinds import KINDS
from sqlagent.evaluation.scoring import calibration, percentile

TIMED = ("link", "sample", "execute", "group", "check", "rank", "audit", "conclude", "in all")
"""Stages as they are printed. A wave's first execution is waited for while it is sampled, guarded and run:
what its statement took is `execute`, the rest of the wait `sample`."""


def report(answered: Sequence[Answered]) -> str:
    """Lay out EX, oracle, outcomes, cost and calibration, by database, by kind and overall."""
    judged = [a.judged for a in answered if a.judged is not None]
    if len(judged) == len(answered):
        return lenient.report(judged) + _cost(answered)
    with_gold = [a for a in answered if a.answerable]
    databases = {name: [a for a in with_gold if a.db == name] for name in sorted({a.db for a in with_gold})}
    kinds = {name: [a for a in with_gold if a.kind == name] for name in (*KINDS, "unread")}
    lines = [*_table({**databases, "overall": with_gold}), "", *_table(kinds), ""]
    foreign = [a for a in answered if not a.answerable]
    if foreign:
        caught = sum(a.right for a in foreign)
        lines.append(f"unanswerable questions: {caught} of {len(foreign)} called so")
    lines.append("outcomes: " + _counted(answered))
    lines.append(_resampling(with_gold))
    lines.append(f"calls: {sum(a.calls for a in answered)}, tokens: {sum(a.tokens for a in answered)}")
    pairs = [(a.confidence, a.right) for a in with_gold if a.line["sql"]]
    brier, error, curve = calibration(pairs)
    lines.append(
        f"confidence: Brier {brier:.4f}, expected calibration error {error:.4f} over {len(pairs)} answers"
    )
    lines += [f"  said {said:.2f}, was right {was:.2f} ({count})" for said, was, count in curve]
    return "\n".join(lines)


def _cost(answered: Sequence[Answered]) -> str:
    """The cost of a language model, and what it gained over its first sample; empty without one."""
    asked = sum(a.calls for a in answered)
    if not asked:
        return ""
    with_gold = [a for a in answered if a.answerable]
    tokens = sum(a.tokens for a in answered)
    return (
        f"\ncalls a question: {asked / len(answered):.2f}, tokens a question: {tokens / len(answered):,.0f}; first sample right: "
        f"{sum(a.first for a in with_gold)} of {len(with_gold)}, any sample: {sum(a.oracle for a in with_gold)}\n"
        f"{_resampling(with_gold)}"
    )


def _table(parts: dict[str, list[Answered]]) -> list[str]:
    """A line for each part that has questions: how many, and what share of them was right."""
    heads = ("questions", "EX", "bird", "first", f"oracle {FEW}", "oracle")
    width = max(len(name) for name in parts) + 2
    lines = ["".ljust(width) + "".join(head.rjust(11) for head in heads)]
    for name, mine in parts.items():
        if mine:
            flags = [(a.right, a.bird, a.first, a.few, a.oracle) for a in mine]
            shares = "".join(f"{_percent(column):.2f}".rjust(11) for column in zip(*flags, strict=True))
            lines.append(name.ljust(width) + str(len(mine)).rjust(11) + shares)
    return lines


def _resampling(answered: Sequence[Answered]) -> str:
    """How often resampling fired, how often rightly, and what it changed."""
    fired = [a for a in answered if a.resampled]
    missing = [a for a in answered if a.missing]
    rightly = sum(a.missing for a in fired)
    helped = sum(a.right and not a.early for a in fired)
    harmed = sum(a.early and not a.right for a in fired)
    return (
        f"resampled: {len(fired)} of {len(answered)}; the right SQL was missing in {rightly} of them (precision "
        f"{_share(rightly, len(fired))}, recall {_share(rightly, len(missing))}, base rate "
        f"{_share(len(missing), len(answered))}); helped {helped}, harmed {harmed}"
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def report_times(answered: Sequence[Answered]) -> str:
    """Lay out p50 and p95 a stage, of all questions and of those on a source already opened.

    Apart from the figures, since no two runs take the same time.
    """
    rested = [a for a in answered if not a.fresh]
    lines = [
        f"{'milliseconds':<14}{'p50':>10}{'p95':>10}    after the first question on a source: "
        f"{len(rested)} of {len(answered)}"
    ]
    for stage in TIMED:
        cells = [
            f"{percentile([1000 * a.seconds[stage] for a in some if stage in a.seconds], share):>10.1f}"
            for some in (answered, rested)
            for share in (0.5, 0.95)
        ]
        lines.append(f"{stage:<14}{''.join(cells)}")
    return "\n".join(lines)


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags) if flags else 0.0


def _counted(answered: Sequence[Answered]) -> str:
    counts = Counter(a.outcome for a in answered)
    right = Counter(a.outcome for a in answered if a.right)
    return ", ".join(f"{name} {counts[name]} ({right[name]} right)" for name in sorted(counts))

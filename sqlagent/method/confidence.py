"""Decides how far to believe an answer, and which of the four outcomes a run has.

Confidence is a calibrated probability: a logistic function of a few figures of the pool, with
constants fitted by `python -m sqlagent.evaluation fit confidence` and kept in
`fitted/confidence.json`. They were fitted without a language model's runs: what those agree on is believed as often as
such agreements were right on the open pools (docs/method.md, Outcome). The outcome follows from it and from what was found, with a reason fit
to be read by a person.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sqlagent.events import Checked
from sqlagent.language.saying import in_quotes, one_of, worded, worded_count
from sqlagent.values import (
    Execution,
    FailureKind,
    LinkedSchema,
    Outcome,
    Question,
    RankedGroup,
    Ranking,
    Reading,
    Verdict,
)

FITTED = Path(__file__).parents[1] / "fitted" / "confidence.json"

RIVAL = 0.7
"""A reading is a rival when it is at least this much as probable as the winner."""

SAME_MATTER = (
    "also shows", "does not show", "shows the same columns", "lists repeats", "takes the opposite order",
    "orders by", "asks for no order", "says the same",
)  # fmt: skip
"""Differences in how an answer is shown: no second reading of what was asked."""

BEAM_FIGURES = ("share", "chance", "margin", "groups", "unmet", "unlinked", "joins", "nested")
"""Figures that count otherwise where the built-in generator made the pool."""

CHECKED = {True: 0.96, None: 0.9, False: 0.83}
"""Confidence in an answer that every attempt of a language model gave and that passed the checks, by whether the built-in
analyst's frame gave it too; None without a frame. Measured on the open pools: 96.5, 89.4 and 81.9 % (docs/method.md, Outcome)."""

UNCHECKED = 0.82
"""Confidence at most in any other answer of a language model."""

SURE = 0.75
"""From this confidence on a question is answered, whatever else could be read into it."""

UNLINKED = 0.4
"""A question is foreign to a schema when this share of its content words found nothing in it: so are
91 % of questions asked of another database, and 2.6 % of those asked of their own."""

ASKED_FOR = 0.25
"""Or this share, where the very thing asked for is among them ("the salary of singers")."""

NAME_WEIGHT = 0.5
"""The weight of a name or a number that found nothing: a value need not be stored to be asked about."""


def figures(
    ranking: Ranking, executions: Sequence[Execution], verdict: Verdict, linked: LinkedSchema | None = None
) -> dict[str, float]:
    """Take the figures of a pool that confidence rests on; all lie between 0 and 1, joins aside.

    Example:
        >>> figures(Ranking((), 0), (), Verdict(False, ""))["share"]
        0.0
    """
    groups = [ranked.group for ranked in ranking.groups]
    pool = max(1, ranking.pool)
    shares = [group.weight / (ranking.total or 1.0) for group in groups]
    top = shares[0] if shares else 0.0
    rival = max(shares[1:], default=0.0)
    entropy = -sum(s * math.log(s) for s in shares if s > 0)
    top_sql = ranking.groups[0].representative.sql.lower() if groups else ""
    failed = sum(execution.failure is not None for execution in executions)
    beam = float(any(execution.candidate.score is not None for execution in executions))
    chance = ranking.groups[0].chance if groups else None
    found = {
        "share": top,
        "chance": top if chance is None else chance,
        "margin": (top - rival + 1) / 2,
        "entropy": min(1.0, entropy / math.log(pool)) if pool > 1 else 0.0,
        "groups": min(1.0, len(groups) / 8),
        "agreed_orders": 1.0 if ranking.swap_consistency is None else ranking.swap_consistency,
        "accepted": float(verdict.accepted),
        "unmet": min(1.0, len(verdict.unmet) / 3),
        "empty": float(bool(groups) and _says_nothing(ranking.groups[0])),
        "joins": min(4, top_sql.count(" join ")) / 4,
        "nested": min(3, max(0, top_sql.count("select") - 1)) / 3,
        "failed": failed / max(1, len(executions)),
        "few": 1 / pool,
        "unlinked": _unlinked(linked) if linked is not None else 0.0,
    }
    # the members of a beam are one maker's, so their votes say less: figures of their own
    of_beams = {f"beam_{name}": beam * found[name] for name in BEAM_FIGURES}
    return found | of_beams | {"beam": beam}


def confidence(
    ranking: Ranking,
    executions: Sequence[Execution],
    verdict: Verdict,
    linked: LinkedSchema | None = None,
    checked: bool | None = None,
    vouched: bool | None = None,
) -> float:
    """Give the probability, 0 to 1, that the winning SQL is right; 0 where there is none.

    Never exactly 1. `checked` says of a language model's run whether all agreed and the checks passed, and is None of
    others; `vouched` whether the built-in analyst's frame says the same, and is None without one. The constants and their source: `fitted/confidence.json`.
    """
    if not ranking.groups:
        return 0.0
    fitted = constants()
    found = figures(ranking, executions, verdict, linked)
    total = fitted["intercept"] + sum(fitted.get(name, 0.0) * value for name, value in found.items())
    fitted_sure = 1 / (1 + math.exp(-max(-6.0, min(6.0, total))))
    if checked is None:
        return fitted_sure
    return CHECKED[vouched] if checked else min(UNCHECKED, fitted_sure)


@lru_cache(maxsize=1)
def constants() -> Mapping[str, float]:
    """Read the fitted constants."""
    read = json.loads(FITTED.read_text(encoding="utf-8"))
    return {str(name): float(value) for name, value in read["constants"].items()}


def outcome(
    sure: float,
    ranking: Ranking,
    executions: Sequence[Execution],
    verdict: Verdict,
    linked: LinkedSchema | None,
    readings: Sequence[Reading] = (),
    question: Question | None = None,
    checked: bool | None = None,
) -> tuple[Outcome, str]:
    """Decide how a run ended, and say why in plain words.

    *Unanswerable* names the words that found nothing in the schema (where `linked` is given: an
    LLM knows words that linking does not), or what the auditor found missing; *failed* repeats what the
    database said; *ambiguous* is for real rivals only: non-empty readings of nearly the winner's
    size where confidence is not high, and ties that no judge could settle.
    """
    foreign = _foreign(linked, ranking, question) if linked is not None else ""
    if foreign or not verdict.answerable:
        return Outcome.UNANSWERABLE, foreign or verdict.reason
    if not ranking.groups:
        return Outcome.FAILED, _why_failed(executions)
    top = ranking.groups[0]
    found = rivals(ranking, readings)
    if found and ranking.tied and checked is not None:
        return Outcome.AMBIGUOUS, worded("Two readings are equally likely; pick the one you meant.")
    if found and sure < SURE:
        return Outcome.AMBIGUOUS, worded(
            "The question can be read in more than one way; pick the reading you meant."
        )
    if _says_nothing(top):
        return Outcome.ANSWERED, worded("The SQL ran, and no rows match.")
    if top.group.size == ranking.pool == 1:
        return Outcome.ANSWERED, worded("The only attempt answered.")
    if checked:
        vouched = any(member.candidate.family == "analyst" for member in top.group.members)
        return Outcome.ANSWERED, f"{Checked(top.group.size, (), vouched).said}."
    if any(member.candidate.score is not None for member in top.group.members):
        return Outcome.ANSWERED, worded_count(
            "The likeliest of {pool} attempts.",
            "The likeliest of {pool} attempts.",
            ranking.pool,
            pool=ranking.pool,
        )  # a beam's do not vote
    return Outcome.ANSWERED, worded_count(
        "{size} of {pool} attempts agree.",
        "{size} of {pool} attempts agree.",
        top.group.size,
        size=top.group.size,
        pool=ranking.pool,
    )


def _says_nothing(ranked: RankedGroup) -> bool:
    return ranked.group.status in ("empty", "all_null")


def _foreign(linked: LinkedSchema, ranking: Ranking, question: Question | None) -> str:
    """Name the words that found nothing, where the question is not about this schema."""
    if not linked.full.tables:
        return worded("There are no tables to ask about.")
    met = linked.links or linked.values
    if not met and (linked.unlinked or not ranking.groups):
        words = _listed(linked.unlinked)
        return (
            worded("Nothing here is about {words}.", words=words)
            if words
            else worded("Nothing in the question names anything stored here.")
        )
    share = _unlinked(linked)
    asked_for = _asked_for(question, linked.unlinked) if question else ""
    if share >= UNLINKED:
        return worded("Nothing here is about {words}.", words=_listed(linked.unlinked))
    if asked_for and share >= ASKED_FOR:
        return worded("Nothing here is about {words}.", words=_listed((asked_for,)))
    return ""


def _asked_for(question: Question, missed: Sequence[str]) -> str:
    """The missed word that is the very thing a question asks for: "the average salary of ..."."""
    for word in missed:
        asked = rf"{_BEFORE}\s+{re.escape(word)}\s*(?:{_AFTER})"
        if re.search(asked, question.text, re.IGNORECASE):
            return word
    return ""


_BEFORE = (
    r"\b(?:the|an?|their|its|average|total|maximum|minimum|mean|all|different|distinct|each|of|most|least|highest"
    r"|lowest|many)"
)
_AFTER = r"of|for|by|per|in each|and|from|does|do|is|are|was|were|[,?.]|$"


def _unlinked(linked: LinkedSchema) -> float:
    """The share of the question's content words that found nothing in the schema."""
    spans = {(link.start, link.end) for link in linked.links}
    missed = sum(NAME_WEIGHT if w[:1].isupper() or w[:1].isdigit() else 1.0 for w in linked.unlinked)
    return missed / (missed + len(spans)) if missed else 0.0


def _listed(words: Sequence[str]) -> str:
    return one_of([in_quotes(word) for word in words[:4]])


def rivals(ranking: Ranking, readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Give the readings that are nearly as probable as the winner or tied with it, have rows, and answer something else."""
    if not ranking.groups:
        return ()
    top, tied = ranking.groups[0], ranking.groups[1:2] if ranking.tied else ()
    by_sql = {ranked.representative.sql: ranked for ranked in ranking.groups}
    return tuple(
        reading
        for reading in readings
        if reading.rows.rows
        and not reading.difference.startswith(SAME_MATTER)
        and (ranked := by_sql.get(reading.sql)) is not None
        and (ranked in tied or _probable(ranked) >= RIVAL * _probable(top))
    )


def _probable(ranked: RankedGroup) -> float:
    return ranked.group.weight if ranked.chance is None else ranked.chance


def _why_failed(executions: Sequence[Execution]) -> str:
    if not executions:
        return worded("No SQL could be written for this question.")
    failures = [failure for execution in executions if (failure := execution.failure) is not None]
    if all(failure.kind is FailureKind.TIMEOUT for failure in failures):
        return worded("Every attempt ran out of time.")
    if all(failure.kind is FailureKind.LOST for failure in failures):
        return worded("The connection to the database was lost: {why}", why=failures[0].message)
    last = max(failures, key=lambda failure: sum(other.message == failure.message for other in failures))
    why, is_refused = last.message, last.kind is FailureKind.REFUSED
    if len(executions) == 1:
        if is_refused:
            return worded("The only attempt was refused: {why}", why=why)
        return worded("The only attempt failed: {why}", why=why)
    told = {"count": str(len(executions)), "why": why}
    if is_refused:
        return worded("None of {count} attempts gave a result; the usual one was refused: {why}", **told)
    return worded("None of {count} attempts gave a result; the usual one failed: {why}", **told)

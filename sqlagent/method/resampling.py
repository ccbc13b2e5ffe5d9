"""Audits the pool: accept it, or sample again and why; and decides what a new round may change.

The trigger is liberal, the gate is not: an extra round costs seconds, a lost right answer costs
trust. Replacing blindly on uncertainty gained nothing in an independent trial (0 gains and 1
regression in 90), so the earlier winner yields only to a result that earns it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sqlagent.errors import LlmError
from sqlagent.language import wording
from sqlagent.language.saying import worded, worded_count
from sqlagent.ports import Judge
from sqlagent.values import (
    Execution,
    ExecutionGroup,
    LinkedSchema,
    Question,
    RankedGroup,
    Ranking,
    Verdict,
)

SHARE_TRIGGER = 0.4
"""A winner with less of the pool than this is audited out (docs/method.md, Auditing)."""

AUDITED = 8
"""Groups the auditor is shown."""

FEEDBACK = 6
"""Requirements handed to the next wave: more would drown the first."""


def audit(
    question: Question,
    linked: LinkedSchema,
    ranking: Ranking,
    executions: Sequence[Execution],
    judge: Judge,
) -> Verdict:
    """Say whether a pool likely holds the right SQL, why, and which requirements are unmet.

    Sends back a pool without a valid group, with only empty results (unless the auditor says that there are no such
    data), with a top share under 0.4, with an unresolved tie, or one whose auditor says the right SQL is missing. Costs
    one `audit` of the judge. A judge that fails leaves the rules to decide. Raises: Cancelled.
    """
    if not executions:
        return Verdict(False, worded("nothing was tried"))
    if not ranking.groups:
        found = complaints(executions)
        return Verdict(False, worded("no attempt ran"), found, complaints=found)
    try:
        said = judge.audit(question, linked, [ranked.group for ranked in ranking.groups[:AUDITED]])
    except LlmError:
        said = Verdict(True, worded("the auditor gave no verdict"))
    if not said.answerable:
        return said
    reason = _trigger(question, ranking, said.has_no_data)
    if reason:
        found = complaints(executions)
        is_disputed = said.accepted and len(ranking.groups) > 1 and not _is_empty(ranking.groups[0].group)
        return Verdict(False, reason, _first(said.unmet + found), complaints=found, is_disputed=is_disputed)
    if not said.accepted:
        return Verdict(False, said.reason, _first(said.unmet))
    top = ranking.groups[0].group
    agreed = said.reason if said.has_no_data else _agreed(top.size, ranking.pool)
    return Verdict(True, agreed, _first(said.unmet), has_no_data=said.has_no_data)


def unaudited(ranking: Ranking) -> Verdict:
    """Give the verdict on a pool whose auditor is not asked: what ran is taken."""
    if not ranking.groups:
        return Verdict(False, worded("no attempt ran"))
    return Verdict(True, _agreed(ranking.groups[0].group.size, ranking.pool))


def settled(ranking: Ranking) -> Verdict:
    """Give the verdict on a pool in which one question decided between two answers; a tie that is left is no acceptance."""
    return replace(unaudited(ranking), accepted=bool(ranking.groups) and not ranking.tied)


def _agreed(size: int, pool: int) -> str:
    return worded_count(
        "{size} of {pool} attempts agree", "{size} of {pool} attempts agree", size, size=size, pool=pool
    )


def _trigger(question: Question, ranking: Ranking, has_no_data: bool) -> str:
    top = ranking.groups[0].group
    may_be_empty = has_no_data or wording.asks_existence(question.text) or wording.asks_count(question.text)
    if not may_be_empty and all(_is_empty(ranked.group) for ranked in ranking.groups):
        return worded("every attempt came back empty")
    if ranking.tied:
        return worded("two results are equally likely")
    if ranking.top_share < SHARE_TRIGGER:
        return worded_count(
            "only {size} of {pool} attempts agree",
            "only {size} of {pool} attempts agree",
            top.size,
            size=top.size,
            pool=ranking.pool,
        )
    return ""


def complaints(executions: Sequence[Execution]) -> tuple[str, ...]:
    """List what went wrong, in the database's own words, most frequent first."""
    said = Counter(f.message.strip() for e in executions if (f := e.failure) is not None)
    return tuple(message for message, _ in sorted(said.items(), key=lambda item: -item[1])[:3] if message)


def _first(unmet: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unmet))[:FEEDBACK]


def _is_empty(group: ExecutionGroup) -> bool:
    return group.status in ("empty", "all_null")


def prune(
    question: Question,
    linked: LinkedSchema,
    executions: Sequence[Execution],
    judge: Judge,
    keep: int,
) -> tuple[Execution, ...]:
    """Keep the `keep` best executions of a pool by pointwise rank, in their order of sampling.

    Failures go first, then a beam's least probable, then the lowest ranked; among equals the later
    ones go. (By pointwise rank alone a beam lost its best reading to ones that used more words.) Costs the judge's
    `utilities`; a judge that fails leaves sampling order to decide.
    """
    if len(executions) <= keep:
        return tuple(executions)
    try:
        utilities = list(judge.utilities(question, linked, executions))
    except LlmError:
        utilities = []
    if len(utilities) != len(executions):
        utilities = [0.0] * len(executions)
    votes = [execution.candidate.weight for execution in executions]
    order = sorted(
        range(len(executions)), key=lambda i: (executions[i].rows is None, -votes[i], -utilities[i], i)
    )
    kept = set(order[:keep])
    return tuple(execution for i, execution in enumerate(executions) if i in kept)


def keeps_earlier(
    question: Question,
    linked: LinkedSchema,
    earlier: Ranking,
    later: Ranking,
    judge: Judge,
) -> bool:
    """Decide whether the earlier winner stands after a resampling round (the acceptance gate).

    It yields only to a result that beats it in both orders or holds a larger share of the joint
    pool; an empty result never displaces rows. Costs at most two `prefers`. Raises: Cancelled.
    """
    if not earlier.groups:
        return False
    if not later.groups:
        return True
    before, after = earlier.groups[0].group, later.groups[0].group
    is_same = bool(before.fingerprints & after.fingerprints)
    if is_same or _is_empty(before) != _is_empty(after):
        return not is_same and _is_empty(after)
    if after.weight > _weight_of(before, later.groups):
        return False
    try:
        forward = judge.prefers(question, linked, after, before)
        backward = judge.prefers(question, linked, before, after)
    except LlmError:
        return True
    return not (forward > 0.5 > backward)


def _weight_of(group: ExecutionGroup, groups: Sequence[RankedGroup]) -> float:
    return next((r.group.weight for r in groups if r.group.fingerprints & group.fingerprints), 0)

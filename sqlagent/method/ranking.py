"""Puts execution groups in order: pairwise preference and pointwise utility, joined.

Two modes behind one function. `faithful` is R3-SQL's own tuple (arXiv 2604.25325): every
cross-group pair judged, `(r_list, r_point)` lexicographic, the top two compared once more.
`fast` asks for one listwise order of at most eight groups and the same again in reverse. A judge
gives its verdict; how far it is believed is decided here. Every threshold is below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from sqlagent.errors import LlmError
from sqlagent.language import wording
from sqlagent.language.saying import template, worded, worded_count
from sqlagent.ports import Estimating, Judge
from sqlagent.prompts.silences import plainly
from sqlagent.values import (
    Execution,
    ExecutionGroup,
    LinkedSchema,
    Question,
    RankedGroup,
    Ranking,
)

SHARE_GATE = 0.6
"""The largest group wins unjudged from this share of the weight on (DeepEye-SQL's gate)."""

TAU = 0.05
"""Margin of preference beyond which a win is decisive (R3-SQL)."""

SHOWN = 8
"""Groups a listwise judge is shown: what one prompt carries well (docs/method.md, Ranking)."""

EMPTY_WEIGHT = 0.5
"""Weight of a member of an empty or all-NULL group, where such a group counts at all."""

LIST_SHARE = 0.5
"""Least weight `a` of the list wins; the judge's swap consistency raises it toward 1."""


@runtime_checkable
class Gated(Protocol):
    """A judge that names its own share gate: one that costs nothing may always be asked."""

    share_gate: float


@dataclass(slots=True)
class Verdicts:
    """A judge's verdicts so far, by question, result keys and SQL, so that it is not asked twice."""

    pairs: dict[tuple[str, ...], float] = field(default_factory=dict)
    orders: dict[tuple[str, ...], tuple[int, ...]] = field(default_factory=dict)


_kept: WeakKeyDictionary[Judge, Verdicts] = WeakKeyDictionary()


def rank(
    question: Question,
    linked: LinkedSchema,
    groups: Sequence[ExecutionGroup],
    *,
    pool: int,
    judge: Judge,
    mode: str = "fast",
) -> Ranking:
    """Put groups in order, best first, each with its representative and what put it there.

    Every member of a group shares the group's score. A judge that fails or answers nonsense never
    breaks a ranking: it then rests on size and pointwise rank, and says so. `tied` is set where
    the judge contradicted itself on the winner and a duel did not settle it. Costs, beyond the
    judge's `utilities`: `fast` two `order` calls, and two `prefers` where these disagree on the
    winner, none where the share gate closes; `faithful` two `prefers` for each pair of different
    SQL texts across groups (the final comparison of the top two is known by then).
    Raises: Cancelled, ValueError (mode).
    """
    if mode not in ("fast", "faithful"):
        raise ValueError(f"The ranking mode is 'fast' or 'faithful', not {mode!r}.")
    if not groups:
        return Ranking((), pool)
    task = _Task(question, linked, judge, _kept.setdefault(judge, Verdicts()))
    entries = task.entries(groups, faithful=mode == "faithful")
    task.estimate(entries)
    try:
        if mode == "faithful":
            return _faithful(task, entries, pool)
        return _fast(task, entries, pool)
    except LlmError as error:
        return _unjudged(
            entries, pool, f"the judge gave no verdict ({plainly(error).rstrip('.')}), so size and fit decide"
        )


def weights(question: Question, groups: Sequence[ExecutionGroup]) -> list[float]:
    """Weigh groups by size; empty and all-NULL ones count half, or nothing beside a non-empty one.

    Where a question is of existence or counting, no rows may well be the answer: they count half.
    """
    may_be_empty = wording.asks_existence(question.text) or wording.asks_count(question.text)
    has_rows = any(not is_empty(group) for group in groups)
    factor = 0.0 if has_rows and not may_be_empty else EMPTY_WEIGHT
    return [group.weight * (factor if is_empty(group) else 1.0) for group in groups]


def is_empty(group: ExecutionGroup) -> bool:
    """Tell whether a group's result says nothing: no rows, or only NULLs."""
    return group.status in SAYS_NOTHING


SAYS_NOTHING = {"empty": template("empty"), "all_null": template("all null")}
"""Statuses of results that say nothing, and what they are called."""


@dataclass(slots=True)
class _Entry:
    """A group on its way into a ranking."""

    group: ExecutionGroup
    best: Execution
    weight: float
    utility: float
    wins: int = 0
    score: float = 0.0
    chance: float | None = None
    reasons: list[str] = field(default_factory=list)

    def shown(self) -> ExecutionGroup:
        """The group with its representative first, as a judge is shown it."""
        others = tuple(m for m in self.group.members if m is not self.best)
        return ExecutionGroup(self.group.fingerprint, (self.best, *others), self.group.variants)

    def ranked(self) -> RankedGroup:
        reasons = tuple(self.reasons)
        return RankedGroup(self.group, self.best, self.score, self.wins, self.utility, reasons, self.chance)


@dataclass(slots=True)
class _Task:
    """One question before one judge, whose verdicts are kept."""

    question: Question
    linked: LinkedSchema
    judge: Judge
    verdicts: Verdicts

    def entries(self, groups: Sequence[ExecutionGroup], *, faithful: bool) -> list[_Entry]:
        """Weigh the groups and choose each one's representative by pointwise rank."""
        executions = [member for group in groups for member in group.members]
        places = self.places(executions)
        heavy = [group.weight for group in groups] if faithful else weights(self.question, groups)
        found, at = [], 0
        for group, weight in zip(groups, heavy, strict=True):
            mine = places[at : at + group.size]
            at += group.size
            # where a frame says the same as attempts do, the attempt's text is told: a model wrote it for this question
            first = min(
                range(len(group.shown)),
                key=lambda i: (bool(group.members[i].frame), mine[i], _plainness(group.members[i]), i),
            )
            entry = _Entry(group, group.members[first], weight, weight / mine[first])
            entry.reasons.append(
                worded_count(
                    "{count} attempt with this result",
                    "{count} attempts with this result",
                    group.size,
                    count=group.size,
                )
            )
            if group.variants:
                other = group.size - len(group.shown)
                entry.reasons.append(
                    worded("{count} of them in another form (columns, labels or units)", count=other)
                )
            if weight < group.weight:
                entry.reasons.append(
                    worded("a result that is {status} weighs less", status=worded(SAYS_NOTHING[group.status]))
                )
            found.append(entry)
        return found

    def places(self, executions: Sequence[Execution]) -> list[int]:
        """Rank executions pointwise, 1 for the best; equals share the better place."""
        try:
            utilities = [float(u) for u in self.judge.utilities(self.question, self.linked, executions)]
        except LlmError:
            utilities = []
        if len(utilities) != len(executions):
            return [1] * len(executions)
        return [1 + sum(other > mine for other in utilities) for mine in utilities]

    def estimate(self, entries: Sequence[_Entry]) -> None:
        """Note how probable the judge finds each group, where it says so."""
        if isinstance(self.judge, Estimating):
            shown = sorted(entries, key=lambda entry: (-entry.weight, -entry.utility))[:SHOWN]
            groups = [entry.shown() for entry in shown]
            for entry, chance in zip(
                shown, self.judge.chances(self.question, self.linked, groups), strict=True
            ):
                entry.chance = chance

    def preference(self, first: ExecutionGroup, second: ExecutionGroup) -> float:
        """Ask for one pair in one order; the same pair is not asked twice."""
        key = (self.question.text, self.question.hint, *_key(first), *_key(second))
        if key not in self.verdicts.pairs:
            said = float(self.judge.prefers(self.question, self.linked, first, second))
            self.verdicts.pairs[key] = min(1.0, max(0.0, said)) if said == said else 0.5
        return self.verdicts.pairs[key]

    def order(self, groups: Sequence[ExecutionGroup]) -> tuple[int, ...]:
        """Ask for one listwise order; places that make no sense are dropped."""
        key = (self.question.text, self.question.hint, *(part for group in groups for part in _key(group)))
        if key not in self.verdicts.orders:
            said = self.judge.order(self.question, self.linked, groups)
            kept = dict.fromkeys(i for i in said if 0 <= i < len(groups))
            self.verdicts.orders[key] = tuple(kept)
        return self.verdicts.orders[key]

    def duel(self, one: _Entry, two: _Entry) -> float:
        """Compare two groups in both orders: how much the first is preferred, -1 to 1; 0 is a tie."""
        a, b = one.shown(), two.shown()
        forward, backward = self.preference(a, b) - 0.5, 0.5 - self.preference(b, a)
        return forward + backward if forward * backward > 0 else 0.0


def _key(group: ExecutionGroup) -> tuple[str, str]:
    return group.fingerprint, group.members[0].sql


def _plainness(execution: Execution) -> tuple[int, int]:
    """Fewer tables, then shorter: how ties inside a group are settled before the faster run."""
    text = execution.sql.lower()
    return text.count(" join ") + text.count("select"), len(text)


# ---------------------------------------------------------------- fast


def _fast(task: _Task, entries: list[_Entry], pool: int) -> Ranking:
    total = sum(entry.weight for entry in entries)
    top = max(entry.weight for entry in entries)
    gate = task.judge.share_gate if isinstance(task.judge, Gated) else SHARE_GATE
    if len(entries) == 1 or (total and top / total >= gate):
        return _unjudged(
            entries, pool, worded("so many attempts agree that the results were not compared further")
        )
    entries.sort(key=lambda entry: (-entry.weight, -entry.utility))
    shown = entries[:SHOWN]
    forward = task.order([entry.shown() for entry in shown])
    backward = [len(shown) - 1 - i for i in task.order([entry.shown() for entry in reversed(shown)])]
    consistency = _list_wins(shown, forward, backward)
    share = max(LIST_SHARE, consistency)
    sum_utility = sum(entry.utility for entry in entries) or 1.0
    for entry in entries:
        listed = entry.wins / (len(shown) - 1)
        entry.score = share * listed + (1 - share) * entry.utility / sum_utility
    entries.sort(key=lambda entry: (-entry.score, -entry.utility))
    tied = False
    if forward[:1] != tuple(backward[:1]):
        tied = _settle(task, entries)
    return Ranking(tuple(e.ranked() for e in entries), pool, True, consistency, tied)


def _list_wins(shown: Sequence[_Entry], forward: Sequence[int], backward: Sequence[int]) -> float:
    """Count the wins that survive both orders; give the share of pairs on which the orders agree."""
    places = [{index: place for place, index in enumerate(order)} for order in (forward, backward)]
    agreed = 0
    pairs = list(combinations(range(len(shown)), 2))
    for i, j in pairs:
        verdicts = [_first(place, i, j) for place in places]
        if verdicts[0] == verdicts[1] != 0:
            agreed += 1
            winner, loser = (i, j) if verdicts[0] > 0 else (j, i)
            shown[winner].wins += 1
            if winner > loser:
                shown[winner].reasons.append(worded("preferred over a larger group"))
    for entry in shown:
        entry.reasons.append(
            worded(
                "preferred over {count} of {others} others in both orders",
                count=entry.wins,
                others=len(shown) - 1,
            )
        )
    return agreed / len(pairs)


def _first(place: dict[int, int], i: int, j: int) -> int:
    """1 when `i` stands before `j`, -1 when after, 0 when the order says nothing of either."""
    if i not in place and j not in place:
        return 0
    end = len(place) + 1
    return 1 if place.get(i, end) < place.get(j, end) else -1


def _settle(task: _Task, entries: list[_Entry]) -> bool:
    """Let the top two meet once more; True when even that leaves a tie, which utility then decides."""
    one, two = entries[0], entries[1]
    margin = task.duel(one, two)
    if margin == 0.0:
        margin = one.utility - two.utility
        tied = True
    else:
        (one if margin > 0 else two).reasons.append(worded("won the final comparison in both orders"))
        tied = False
    if margin < 0:
        one.score, two.score = two.score, one.score
        entries[0], entries[1] = two, one
    return tied


def _unjudged(entries: list[_Entry], pool: int, reason: str) -> Ranking:
    total = sum(entry.weight for entry in entries) or 1.0
    for entry in entries:
        entry.score, entry.wins = entry.weight / total, 0
    entries.sort(key=lambda entry: (-entry.weight, -entry.utility))
    entries[0].reasons.append(reason)
    return Ranking(tuple(entry.ranked() for entry in entries), pool)


# ---------------------------------------------------------------- faithful


def _faithful(task: _Task, entries: list[_Entry], pool: int) -> Ranking:
    """R3-SQL's tuple: decisive wins over all judged cross-group pairs, then size times best place."""
    agreed = asked = 0
    for one, two in combinations(entries, 2):
        preference, same, pairs = _cross_preference(task, one, two)
        agreed, asked = agreed + same, asked + pairs
        if abs(2 * preference - 1) > TAU:
            (one if preference > 0.5 else two).wins += 1
    entries.sort(key=lambda entry: (-entry.wins, -entry.utility))
    highest = max(1, len(entries) - 1)
    total = sum(entry.utility for entry in entries) or 1.0
    for entry in entries:
        # one number for the lexicographic tuple: utility only decides among equal wins
        entry.score = (entry.wins + 0.999 * entry.utility / total) / (highest + 1)
        entry.reasons.append(f"decisively preferred over {entry.wins} of {highest} others")
    tied = len(entries) > 1 and _settle(task, entries)
    consistency = agreed / asked if asked else None
    return Ranking(tuple(e.ranked() for e in entries), pool, bool(asked), consistency, tied)


def _cross_preference(task: _Task, one: _Entry, two: _Entry) -> tuple[float, int, int]:
    """Average the preference over all pairs across two groups; equal SQL texts are judged once."""
    total, count, same, asked = 0.0, 0, 0, 0
    mine, theirs = _texts(one.group), _texts(two.group)
    for a, times_a in mine:
        for b, times_b in theirs:
            first = ExecutionGroup(one.group.fingerprint, (a,))
            second = ExecutionGroup(two.group.fingerprint, (b,))
            forward, backward = task.preference(first, second), 1 - task.preference(second, first)
            times = times_a * times_b
            total += times * (forward + backward) / 2
            count += times
            asked += 1
            same += (forward - 0.5) * (backward - 0.5) > 0
    return total / count, same, asked


def _texts(group: ExecutionGroup) -> list[tuple[Execution, int]]:
    found: dict[str, tuple[Execution, int]] = {}
    for member in group.members:
        first, times = found.get(member.sql, (member, 0))
        found[member.sql] = (first, times + 1)
    return list(found.values())

"""Questions of a run to the data before it samples on: of attempts in doubt, and of two answers that stand against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlagent.journey.state import State
from sqlagent.method import answer_checks
from sqlagent.prompts import rendering
from sqlagent.values import Execution, ExecutionGroup, Finding

LOOKED_AT = 2
"""Attempts in doubt of which the data are asked, in one wave."""

_DOUBTFUL = ("empty", "all_null", "error", "refused")


def looked_lines(state: State) -> tuple[str, ...]:
    """Say what the data say of attempts that found nothing, failed, or rest on a guess; nothing at `schema`. Raises: Cancelled."""
    if state.prober is None or not state.is_voted or state.setting.privacy == "schema":
        return ()
    lines = []
    for execution, guessed in _in_doubt(state):
        found = state.prober.narrowing(execution.sql, guessed)
        privacy = state.setting.privacy
        line = rendering.looked_line(execution, found, guessed, state.question, state.linked, privacy)
        lines += [line] if line else []
    return tuple(lines)


def _in_doubt(state: State) -> list[tuple[Execution, tuple[str, ...]]]:
    """The first attempts in doubt, those that came to nothing before those that rest on a guess; each SQL once."""
    found = []
    for execution in {ran.sql: ran for ran in state.pool}.values():
        guessed = answer_checks.guessed_texts(state.question, state.linked, execution)
        is_nothing = execution.status in _DOUBTFUL
        if is_nothing or (guessed and execution.rows is not None):
            found.append((not is_nothing, execution, guessed))
    return [(execution, guessed) for _, execution, guessed in sorted(found, key=lambda one: one[0])][
        :LOOKED_AT
    ]


def findings(state: State) -> Sequence[Finding]:
    """Ask the data about the points in which the two best groups differ; nothing at `schema`. Raises: Cancelled."""
    if state.prober is None or state.setting.privacy == "schema" or len(state.ranking.groups) < 2:
        return ()
    one, other = (ranked.representative.sql for ranked in state.ranking.groups[:2])
    return state.prober.findings(one, other)


def cases(state: State) -> tuple[Mapping[str, str], ...]:
    """Put the two best answers against each other, in either order; none where no clause and no figure tells them apart.

    Raises: Cancelled.
    """
    if not state.verdict.is_disputed or len(state.ranking.groups) < 2:
        return ()
    groups = [
        ExecutionGroup(ranked.group.fingerprint, (ranked.representative,))
        for ranked in state.ranking.groups[:2]
    ]
    found = findings(state)
    privacy = state.setting.privacy
    made = tuple(
        rendering.case_text(pair, found, state.question, state.linked, privacy)
        for pair in (groups, groups[::-1])
    )
    return made if all(case["differences"] for case in made) else ()

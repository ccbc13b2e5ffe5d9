"""Decides which executions gave the same answer; the only place that does.

Ranking, caching and evaluation all compare rows by `fingerprint`. Column order counts and column
names do not. The worth of a group is decided elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sqlagent.language import wording
from sqlagent.rows.cells import row_key
from sqlagent.values import Execution, ExecutionGroup, Question, Rows


def asks_order(question: Question | str) -> bool:
    """Decide once per question, before any candidate is seen, whether the order of rows counts.

    Example:
        >>> asks_order("Top 5 countries by revenue"), asks_order("How many customers?")
        (True, False)
    """
    return wording.asks_order(question.text if isinstance(question, Question) else question)


def fingerprint(rows: Rows, ordered: bool) -> str:
    """Give the key that is equal when two results are the same answer.

    Rows are a bag, or a list when `ordered`; the key says which. A result that was cut never
    equals one that was not.

    Example:
        >>> a, b = Rows(("n",), ((1,), (2,))), Rows(("m",), ((2.0,), (1.0,)))
        >>> fingerprint(a, False) == fingerprint(b, False), fingerprint(a, True) == fingerprint(b, True)
        (True, False)
    """
    keys = [row_key(row) for row in rows.rows]
    if not ordered:
        keys.sort()
    digest = hashlib.sha256()
    for key in keys:
        data = key.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    cut = "+" if rows.truncated else ""
    return f"{'list' if ordered else 'bag'}{cut}:{len(keys)}:{digest.hexdigest()[:40]}"


def same_answer_bird(rows: Rows, other: Rows) -> bool:
    """Compare two results as the BIRD benchmark does: as sets of rows. For its figures only."""
    return {row_key(row) for row in rows.rows} == {row_key(row) for row in other.rows}


def group_by_execution(executions: Iterable[Execution], ordered: bool) -> tuple[ExecutionGroup, ...]:
    """Gather executions that returned the same rows into execution groups.

    Groups come largest first; ties keep sampling order, so the same pool always gives the same
    groups. A failed execution joins no group; it stays in the pool for the auditor.
    """
    found: dict[str, list[Execution]] = {}
    known: dict[int, str] = {}
    for execution in executions:
        rows = execution.rows
        if rows is None:
            continue
        if id(rows) not in known:
            known[id(rows)] = fingerprint(rows, ordered)
        found.setdefault(known[id(rows)], []).append(execution)
    groups = [ExecutionGroup(key, tuple(members)) for key, members in found.items()]
    return tuple(sorted(groups, key=lambda group: -group.size))

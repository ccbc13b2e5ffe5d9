"""Whether a candidate has the shape asked for: counts, averages, order, limits, groups, negation.

For each aspect two features, since missing what was asked and giving what was not are different
mistakes: `<aspect>_missed` and `<aspect>_unasked`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from sqlagent.method.features.asking import Asked
from sqlagent.sql.clauses import Clauses


def given(clauses: Clauses) -> dict[str, bool]:
    """Tell of each aspect whether a statement has it: counts, averages, an order, a limit and the like."""
    kinds = {type(node) for node in clauses.tree.walk()}
    functions = {name for name, _ in clauses.select_columns}
    limits = [text.split(" ")[0] for text in clauses.of("limit")]
    sets = clauses.of("set")
    operators = {c.op for c in clauses.conditions}
    return {
        "count": exp.Count in kinds,
        "count_shown": "count" in functions,
        "average": exp.Avg in kinds or (exp.Div in kinds and exp.Sum in kinds),
        "total": exp.Sum in kinds,
        "order": bool(clauses.of("order")),
        "first_only": "1" in limits or exp.Max in kinds or exp.Min in kinds,
        "limit": bool(limits),
        "distinct": bool(clauses.of("distinct")),
        "group": bool(clauses.of("group")),
        "division": exp.Div in kinds,
        "negation": bool(kinds & {exp.Not, exp.NEQ}) or any("EXCEPT" in s for s in sets),
        "greater": bool(kinds & {exp.GT, exp.GTE, exp.Between}),
        "smaller": bool(kinds & {exp.LT, exp.LTE, exp.Between}),
        "strict": bool(operators & {"GT", "LT"}),
        "at_least": exp.GTE in kinds,
    }  # fmt: skip


@lru_cache(maxsize=512)
def wanted(ask: Asked) -> dict[str, bool]:
    """List the aspects a question asks for, of those that its words can tell."""
    first = ask.wants("most", "least") and not ask.ordered
    return {
        "count": ask.wants("count"),
        "average": ask.wants("average"),
        "total": ask.wants("total"),
        "order": ask.ordered or first or ask.wants("popular"),
        "first_only": first,
        "distinct": ask.wants("distinct"),
        "group": ask.wants("each") or (first and ask.wants("count", "popular")),
        "division": ask.wants("percent"),
        "negation": ask.wants("absence"),
        "greater": ask.wants("greater", "between"),
        "smaller": ask.wants("smaller", "between"),
    }


ASPECTS = (
    "average", "total", "order", "first_only", "distinct", "group", "division", "negation", "greater", "smaller",
)  # fmt: skip


def shape_features(ask: Asked, clauses: Clauses, has: dict[str, bool]) -> dict[str, float]:
    """Features of shape: every aspect missed or unasked, and some worth knowing by themselves."""
    asks = wanted(ask)
    found: dict[str, float] = {}
    for aspect in ASPECTS:
        want = asks[aspect]
        found[f"{aspect}_missed"] = float(want and not has[aspect])
        found[f"{aspect}_unasked"] = float(has[aspect] and not want)
    plain = not any(name for name, _ in clauses.select_columns)
    found |= {
        "count_for_which": float(has["count_shown"] and ask.wants("which", "list_all") and not ask.wants("count")),
        "list_for_count": float(plain and ask.wants("count") and not has["count"]),
        "strict_for_at_least": float(has["strict"] and not has["at_least"] and ask.wants("at_least")),
        "loose_for_more": float(has["at_least"] and ask.wants("greater") and not ask.wants("at_least", "between")),
        "limit_unasked": float(has["limit"] and not asks["first_only"] and not ask.numbers),
        "selected_more": max(0, len(clauses.select) - expected_columns(ask)) / 2,
        "selected_fewer": max(0, expected_columns(ask) - len(clauses.select)) / 2,
        "star": float("*" in clauses.select),
        "grouped_by_unshown": float(has["group"] and not set(clauses.of("group")) & set(clauses.select)),
        "shown_not_grouped": float(_shown_not_grouped(clauses)),
    }  # fmt: skip
    return found


def _shown_not_grouped(clauses: Clauses) -> bool:
    groups = set(clauses.of("group"))
    plain = [text for text, (f, _) in zip(clauses.select, clauses.select_columns, strict=True) if not f]
    return bool(groups) and any(text not in groups for text in plain)


_ITEM = re.compile(
    r",\s*(?:and\s+)?|\s+and\s+(?:also\s+)?(?:the\s+|its\s+|their\s+|his\s+|her\s+)?|\s+as well as\s+"
)


def expected_columns(ask: Asked) -> int:
    """Guess how many columns are asked for: the items listed in the question's first part."""
    start = re.split(
        r"\b(?:of (?:all|the|each|every|those|any)|for (?:all|the|each|every|those)|that|who|whose|which have|with|where|from|in)\b",
        re.sub(r"^\s*(?:for|in|of|among)\b[^,]*,", "", ask.text),
        maxsplit=1,
    )[0]
    return min(6, len([part for part in _ITEM.split(start) if part.strip()]) or 1)


def unmet_shapes(ask: Asked, has: dict[str, bool]) -> Iterator[str]:
    """Say in words which asked-for shapes are missing."""
    asks = wanted(ask)
    if asks["count"] and not has["count"] and not has["total"] and not has["order"]:
        yield "the question asks how many, and nothing is counted"
    if asks["average"] and not has["average"] and not has["division"]:
        yield "the question asks for an average, and none is taken"
    if ask.ordered and not has["order"]:
        yield "the question asks for an order, and the rows are in none"
    if asks["division"] and not has["division"] and not has["average"]:
        yield "the question asks for a share, and nothing is divided"
    if asks["negation"] and not has["negation"] and ask.wants("absence") and not has["smaller"]:
        yield "the question excludes something, and nothing is excluded"

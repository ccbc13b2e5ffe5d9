"""What the rows that came back tell about a candidate."""

from __future__ import annotations

from sqlagent.clauses import Clauses
from sqlagent.features.asking import Asked
from sqlagent.values import Execution

_LOOKED_AT = 500


def result_features(ask: Asked, execution: Execution, clauses: Clauses | None) -> dict[str, float]:
    """Features of the rows: emptiness, repeats, NULLs, how many for what was asked."""
    rows = execution.rows
    if rows is None:
        return {"failed": 1.0}
    count = len(rows.rows)
    some = rows.rows[:_LOOKED_AT]
    cells = [cell for row in some[:50] for cell in row]
    nulls = sum(cell is None for cell in cells) / len(cells) if cells else 0.0
    some_repeats = 1 - len({repr(row) for row in some}) / len(some) if some else 0.0
    repeats = some_repeats > 0
    plain = clauses is not None and not any(name for name, _ in clauses.select_columns)
    several = len(clauses.tables) > 1 if clauses else False
    distinct = bool(clauses and clauses.of("distinct"))
    one = count == 1
    single = one and len(rows.rows[0]) == 1
    superlative = ask.wants("most", "least") and not ask.ordered
    return {
        "empty": float(execution.status == "empty"),
        "all_null": float(execution.status == "all_null"),
        "zero": float(one and all(cell in (0, None) for cell in rows.rows[0])),
        "nulls": nulls if count > 1 else 0.0,
        "repeat_share": min(1.0, 2 * some_repeats) if plain else 0.0,
        "repeat_share_joined": min(1.0, 2 * some_repeats) if plain and several else 0.0,
        "repeats": float(repeats and not several),
        "repeats_joined": float(repeats and several),
        "repeats_distinct_asked": float(repeats and ask.wants("distinct")),
        "distinct_idle": float(distinct and count <= 1),
        "one_for_superlative": float(superlative and one and not ask.wants("each")),
        "many_for_superlative": float(superlative and count > 1 and not ask.wants("each")),
        "many_for_count": float(ask.wants("count") and not ask.wants("each") and count > 1),
        "one_cell_for_list": float(single and ask.wants("list_all") and not ask.wants("count")),
        "cut": float(rows.truncated),
        "very_many": float(count > 500),
        "same_columns": float(_same_columns(some)),
    }


def _same_columns(rows: tuple[tuple[object, ...], ...]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    columns = [tuple(map(repr, column)) for column in zip(*rows, strict=True)]
    return len(set(columns)) < len(columns)

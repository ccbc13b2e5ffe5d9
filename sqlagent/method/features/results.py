"""The evidence of a candidate's rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sqlagent.catalog.lookup import Lookup
from sqlagent.method.features.asking import Asked
from sqlagent.sql.clauses import Clauses
from sqlagent.values import Execution, Kind

_LOOKED_AT = 200


def result_features(
    ask: Asked, execution: Execution, clauses: Clauses | None, names: Lookup | None = None
) -> dict[str, float]:
    """Features of the rows: emptiness, repeats, NULLs, how many for what was asked."""
    rows = execution.rows
    if rows is None:
        return {}
    count = len(rows.rows)
    some = rows.rows[:_LOOKED_AT]
    cells = [cell for row in some[:50] for cell in row]
    nulls = sum(cell is None for cell in cells) / len(cells) if cells else 0.0
    some_repeats = 1 - _distinct(some) / len(some) if some else 0.0
    repeats = some_repeats > 0
    plain = clauses is not None and not any(name for name, _ in clauses.select_columns)
    one = count == 1
    single = one and len(rows.rows[0]) == 1
    repeat_share = min(1.0, 2 * some_repeats) if plain and count > _listed(clauses) else 0.0
    measures = float(clauses is not None and names is not None and _shows_measures(clauses, names))
    return {
        "empty": float(execution.status == "empty"),
        "all_null": float(execution.status == "all_null"),
        "zero": float(one and all(cell in (0, None) for cell in rows.rows[0])),
        "nulls": nulls if count > 1 else 0.0,
        "repeat_share": repeat_share * (1 - measures),
        "repeat_share_measures": repeat_share * measures,
        "repeats_distinct_asked": float(repeats and ask.wants("distinct")),
        "many_for_count": float(ask.wants("count") and not ask.wants("each") and count > 1),
        "one_cell_for_list": float(single and ask.wants("list_all") and not ask.wants("count")),
        "same_columns": float(_same_columns(some)),
    }


def _listed(clauses: Clauses | None) -> int:
    """How many things are asked for by name: a row for each of them repeats nothing."""
    if clauses is None:
        return 0
    by_column: dict[str, int] = {}
    for condition in clauses.conditions:
        if condition.op in ("EQ", "In"):
            by_column[condition.column] = by_column.get(condition.column, 0) + len(condition.values)
    most = max(by_column.values(), default=0)
    return most if most > 1 else 0


def _shows_measures(clauses: Clauses, names: Lookup) -> bool:
    """Whether a number that is no key is shown: measures may well repeat."""
    for _, name in clauses.select_columns:
        column = names.column(name)
        stems = names.stems(name) if column else ()
        if column and column.kind in (Kind.INTEGER, Kind.NUMBER) and not {"id", "year", "code"} & set(stems):
            return True
    return False


def _distinct(rows: Sequence[tuple[object, ...]]) -> int:
    """Count different rows; arrays and objects, which cannot be hashed, by their text."""
    try:
        return len(set(rows))
    except TypeError:
        return len({repr(row) for row in rows})


def _same_columns(rows: Sequence[tuple[object, ...]]) -> bool:
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    return any(one == two for one, two in combinations(zip(*rows, strict=True), 2))

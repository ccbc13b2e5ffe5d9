"""Whether a candidate's tables and columns are the ones a question speaks of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from sqlagent.catalog.lookup import Lookup
from sqlagent.language import wording
from sqlagent.method.features.asking import Asked
from sqlagent.sql.clauses import Clauses
from sqlagent.values import LinkedSchema

# "how many" is left out: of 177 published answers to "how many ... each", 114 show the count last, 63 first
_AGGREGATE_WORDS = {
    "count": ("number", "count", "amount"), "avg": ("averag", "mean"), "sum": ("total", "sum"),
    "max": ("maximum", "highest", "largest", "max", "most", "longest", "oldest", "greatest"),
    "min": ("minimum", "lowest", "smallest", "min", "least", "shortest", "youngest"),
}  # fmt: skip


def naming_features(ask: Asked, clauses: Clauses, names: Lookup, linked: LinkedSchema) -> dict[str, float]:
    """Features of names: mentioned or not, by clause; words of the question left over; their order."""
    used = {n: kinds for n, kinds in clauses.columns.items() if kinds != {"join"}}
    by_clause = {
        kind: [mention(ask, names, n) for n, kinds in used.items() if kind in kinds]
        for kind in ("select", "where")
    }
    missed = _left_over(ask, clauses, names)
    hinted = hinted_columns(ask, names)
    shown = [column for _, column in clauses.select_columns]
    plain = [column for function, column in clauses.select_columns if not function]
    order_plain, order_mixed = mention_order(ask, clauses, names)
    return {
        "words_missed_count": min(missed, 4) / 4,
        "select_asked": _mean(by_clause["select"]),
        "select_outside_head": _outside_head(ask, names, shown),
        "where_unasked": sum(s < 0.3 for s in by_clause["where"]) / 2,
        "hint_missed": len(hinted - set(clauses.columns)) / len(hinted) if hinted else 0.0,
        **_link_features(clauses, linked),
        "unknown_name": float(bool(clauses.unknown)),
        "mention_order": order_plain,
        "mention_order_aggregate": order_mixed,
        "id_unasked": float(any(_is_key(names, c) for c in plain) and not ask.wants("ids")),
        "name_not_shown": float(ask.wants("names") and not any("name" in names.stems(c) or "titl" in names.stems(c) for c in shown)),
        "full_name_unasked": float(any("full" in names.stems(c) for c in shown) and "full" not in ask.stems),
        "foreign_shown": float(any(c in names.pointing for c in plain) and not ask.wants("ids")),
        "foreign_shown_alone": float(len(shown) == 1 and bool(plain) and plain[0] in names.pointing),
        "hint_functions_missed": _hint_functions_missed(ask, clauses),
        "hint_select_missed": _hint_select_missed(ask, shown, hinted),
    }  # fmt: skip


def mention(ask: Asked, names: Lookup, name: str) -> float:
    """Measure how far a name is spoken of: the share of its words found in question or hint."""
    table, _, column = name.rpartition(".")
    parts = names.stems(name)
    if not parts:
        return 0.0
    if ask.hint and re.search(rf"\b{re.escape(column.lower())}\b", ask.hint):
        return 1.0
    own = set(names.stems(table)) if table else set[str]()
    met = [
        1.0 if s in ask.sequence else 0.7 if s in ask.hint_stems else 0.6 if _near(s, ask.stems) else 0.3 if s in own else 0.0
        for s in parts
    ]  # fmt: skip
    return sum(met) / len(met)


def _near(stem: str, stems: Iterable[str]) -> bool:
    """Whether one stem begins the other: `capac` and `capacity`, `nation` and `national`."""
    return len(stem) >= 4 and any(len(s) >= 4 and (s.startswith(stem) or stem.startswith(s)) for s in stems)


def _left_over(ask: Asked, clauses: Clauses, names: Lookup) -> int:
    met = {s for name in clauses.columns for s in names.stems(name)}
    met |= {s for table in clauses.tables for s in names.stems(table)}
    met |= {s for c in clauses.conditions for v in c.values for s in wording.stems_of(v)}
    nameable = {s for s in ask.stems if s in names.vocabulary}
    return len(nameable - met)


def hinted_columns(ask: Asked, names: Lookup) -> set[str]:
    """List the columns a hint names outright."""
    if not ask.hint:
        return set()
    said = set(re.findall(r"[a-z_][a-z0-9_]{2,}", ask.hint))
    found = {
        f"{table}.{column}"
        for table, columns in names.columns.items()
        for column in columns
        if column in said and ("_" in column or len(column) > 7)
    }
    several = {c.rpartition(".")[2] for c in found}
    return found if len(found) == len(several) else set()


_FUNCTIONS = {"avg(": "AVG(", "max(": "MAX(", "min(": "MIN(", "sum(": "SUM(", "count(": "COUNT("}


def _hint_functions_missed(ask: Asked, clauses: Clauses) -> float:
    """The share of functions a hint spells out that the statement does without."""
    said = [sql for hint, sql in _FUNCTIONS.items() if hint in ask.hint]
    if not said:
        return 0.0
    text = clauses.text.upper()
    stands_in = {"MAX(": "DESC", "MIN(": "ORDER BY", "AVG(": "/", "SUM(": "COUNT("}
    return sum(f not in text and stands_in.get(f, f) not in text for f in said) / len(said)


def _hint_select_missed(ask: Asked, shown: Sequence[str], hinted: set[str]) -> float:
    """Whether a hint ties words of the question's first part to a column that is not shown."""
    wanted = 0
    missed = 0
    for words, column in re.findall(
        r"([\w\s-]{3,60}?) refers? to ([a-z_][a-z0-9_]{2,})\b(?!\s*[=<>('])", ask.hint
    ):
        stems = wording.content_stems(words)
        columns = {c for c in hinted if c.endswith("." + column)}
        if columns and stems and stems <= ask.head:
            wanted += 1
            missed += not columns & set(shown)
    return missed / wanted if wanted else 0.0


def _link_features(clauses: Clauses, linked: LinkedSchema) -> dict[str, float]:
    """The links found for the question's words: spoken of and unused, used and not spoken of."""
    spans: dict[tuple[int, int], list[tuple[str, float]]] = {}
    for link in linked.links:
        table = link.table.rpartition(".")[2].lower()
        name = f"{table}.{link.column.lower()}" if link.column else table
        spans.setdefault((link.start, link.end), []).append((name, link.score))
    used = set(clauses.columns) | set(clauses.tables)
    missed = [max(s for _, s in names) for names in spans.values() if not used & {n for n, _ in names}]
    linked_names = {n for names in spans.values() for n, _ in names}
    told = [n for n, kinds in clauses.columns.items() if kinds - {"join", "group"}]
    return {
        "links_missed": sum(missed) / max(1, len(spans)),
        "columns_unlinked": sum(n not in linked_names for n in told) / max(1, len(told)),
    }


def _outside_head(ask: Asked, names: Lookup, shown: Sequence[str]) -> float:
    """Columns shown whose words stand only in the question's later part."""
    late = [c for c in shown if c != "*" and (s := set(names.stems(c))) & ask.stems and not s & ask.head]
    return len(late) / max(1, len(shown))


def mention_order(ask: Asked, clauses: Clauses, names: Lookup) -> tuple[float, float]:
    """Compare the order of shown columns with the order in which the question speaks of them, -1 to 1.

    The first figure is of plain columns among themselves, the second of pairs with an aggregate.
    """
    shared = Counter(s for _, column in clauses.select_columns for s in set(names.stems(column)))
    places = [(f, _place(ask, names, f, c, shared)) for f, c in clauses.select_columns]
    told = [(f, place) for f, place in places if place >= 0]
    plain: list[int] = []
    mixed: list[int] = []
    for i, (f, a) in enumerate(told):
        for g, b in told[i + 1 :]:
            if a != b:
                (mixed if f or g else plain).append(1 if a < b else -1)
    return (sum(plain) / len(plain) if plain else 0.0, sum(mixed) / len(mixed) if mixed else 0.0)


def _place(ask: Asked, names: Lookup, function: str, column: str, shared: Counter[str]) -> int:
    """Where the question speaks of a shown expression, in words; -1 where it does not."""
    if function:
        found = [ask.place(word) for word in _AGGREGATE_WORDS.get(function, ()) if ask.place(word) >= 0]
        if found or function == "count":
            return min(found, default=-1)
    stems = names.stems(column)
    table = set(names.stems(column.rpartition(".")[0])) if "." in column else set[str]()
    for kept in (
        [s for s in stems if s not in table and shared[s] == 1],
        [s for s in stems if shared[s] == 1],
        list(stems),
    ):
        found = [ask.place(s) for s in kept if ask.place(s) >= 0]
        if found:
            return min(found)
    return -1


def _is_key(names: Lookup, name: str) -> bool:
    stems = names.stems(name)
    return bool(stems) and (stems[-1] == "id" or name.rpartition(".")[2].endswith("id"))


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.5

"""What can be read off a candidate, its rows and the question without asking anyone: explainable numbers.

Each feature is a small question with an answer between about -1 and 1: are the question's words
accounted for, does that column or literal appear in it, do the joins follow declared keys, is the
shape that came back the one asked for. Which of them matter, and how much, is `judging`'s business.
Nothing here knows who wrote a candidate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlagent import wording
from sqlagent.clauses import Clauses, Lookup, lookup, read
from sqlagent.expressions import Condition
from sqlagent.values import Execution, LinkedSchema, Question

_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w])")
_QUOTED = re.compile(r"[\"“‘`]([^\"”’`]{1,80})[\"”’`]|(?<!\w)'([^']{1,80})'(?!\w)")
_PROPER = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-Z][\w.&-]*(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z0-9][\w.&-]*)*")
_NUMBER_WORDS = {
    "once": "1", "two": "2", "twice": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "fifteen": "15", "twenty": "20", "hundred": "100",
}  # fmt: skip
_AVERAGE = frozenset({"averag", "mean"})
_TOTAL = frozenset({"total", "sum", "overal", "combin", "altogeth"})
_MOST = re.compile(
    r"\b(?:most|highest|largest|biggest|greatest|maximum|max|longest|latest|newest|oldest|heaviest|tallest|best"
    r"|fastest|top|more than any|strongest|richest|last|recent)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:least|lowest|smallest|fewest|minimum|min|shortest|earliest|youngest|lightest|worst|slowest|cheapest"
    r"|weakest|first|oldest)\b",
    re.IGNORECASE,
)
_DISTINCT = re.compile(r"\b(?:distinct|different|unique|various|kinds?|types?)\b", re.IGNORECASE)
_EACH = re.compile(
    r"\b(?:each|every|per|for all|by (?:country|year|month|category|region|type)|respective(?:ly)?|in each)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\b(?:percent(?:age)?s?|proportion|ratio|rate|share|fraction)\b|%", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b|\bas well as\b|\balso\b", re.IGNORECASE)
_EITHER = re.compile(r"\bor\b|\beither\b", re.IGNORECASE)
_THAN_AVERAGE = re.compile(
    r"\b(?:than|above|below|over|under)\s+(?:the\s+)?(?:\w+\s+)?(?:average|mean)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, in the words alone."""

    text: str
    hint: str
    stems: frozenset[str]
    hint_stems: frozenset[str]
    sequence: tuple[str, ...]
    numbers: frozenset[str]
    quoted: tuple[str, ...]
    proper: tuple[str, ...]
    counts: bool
    exists: bool
    ordered: bool
    absence: bool
    average: bool
    total: bool
    most: bool
    least: bool
    distinct: bool
    each: bool
    percent: bool
    both: bool
    either: bool
    than_average: bool


@lru_cache(maxsize=512)
def asked(text: str, hint: str = "") -> Asked:
    """Read a question's words once.

    Example:
        >>> a = asked("What is the average age of the 3 oldest players from 'Oslo'?")
        >>> a.average, a.most, sorted(a.numbers), a.quoted
        (True, True, ['3'], ('oslo',))
    """
    stems = wording.content_stems(text)
    words = wording.words_of(text)
    numbers = {plain_number(match) for match in _NUMBER.findall(text)}
    numbers |= {_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS}
    return Asked(
        text=text.lower(),
        hint=hint.lower(),
        stems=stems,
        hint_stems=wording.content_stems(hint),
        sequence=wording.stems_of(text),
        numbers=frozenset(numbers),
        quoted=tuple((a or b).lower() for a, b in _QUOTED.findall(text)),
        proper=tuple(match.lower() for match in _PROPER.findall(text)),
        counts=wording.asks_count(text),
        exists=wording.asks_existence(text),
        ordered=wording.asks_order(text),
        absence=wording.asks_absence(text),
        average=bool(stems & _AVERAGE),
        total=bool(stems & _TOTAL),
        most=bool(_MOST.search(text)),
        least=bool(_LEAST.search(text)),
        distinct=bool(_DISTINCT.search(text)),
        each=bool(_EACH.search(text)),
        percent=bool(_PERCENT.search(text)),
        both=bool(_BOTH.search(text)),
        either=bool(_EITHER.search(text)),
        than_average=bool(_THAN_AVERAGE.search(text)),
    )


def plain_number(text: str) -> str:
    """Write a number as plainly as possible: `1,000.0` becomes `1000`."""
    bare = text.replace(",", "")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


@dataclass(frozen=True, slots=True)
class Features:
    """A candidate's features by name; `unmet` are requirements of the question it seems to miss."""

    values: dict[str, float]
    unmet: tuple[str, ...]
    clauses: Clauses | None


def features(question: Question, linked: LinkedSchema, execution: Execution) -> Features:
    """Read a candidate's features. An unparsable one keeps only those of its rows."""
    ask = asked(question.text, question.hint)
    clauses = read(execution.sql, linked.full)
    values = _rows_features(ask, execution)
    unmet: list[str] = []
    if clauses is None:
        return Features(values | {"unparsed": 1.0}, (), None)
    names = lookup(linked.full)
    values |= _word_features(ask, clauses, names, linked, unmet)
    values |= _value_features(ask, clauses, linked, unmet)
    values |= _join_features(clauses, names)
    values |= _shape_features(ask, clauses, unmet)
    return Features(values, tuple(unmet), clauses)


# ---------------------------------------------------------------- rows


def _rows_features(ask: Asked, execution: Execution) -> dict[str, float]:
    rows = execution.rows
    if rows is None:
        return {"failed": 1.0}
    count = len(rows.rows)
    cells = [cell for row in rows.rows[:50] for cell in row]
    nulls = sum(cell is None for cell in cells) / len(cells) if cells else 0.0
    return {
        "empty": float(execution.status in ("empty", "all_null")),
        "zero": float(count == 1 and all(cell in (0, None) for cell in rows.rows[0])),
        "nulls": nulls if count > 1 else 0.0,
        "repeats": float(count > 1 and len({repr(row) for row in rows.rows[:200]}) < min(count, 200)),
        "one_row": float(count == 1),
        "many_rows": float(count > 100),
        "cut": float(rows.truncated),
        "count_many_rows": float(ask.counts and not ask.each and count > 1),
    }


# ---------------------------------------------------------------- words


def _word_features(
    ask: Asked, clauses: Clauses, names: Lookup, linked: LinkedSchema, unmet: list[str]
) -> dict[str, float]:
    schema_stems: set[str] = set()
    supports: list[float] = []
    selected: list[float] = []
    for name, used in clauses.columns.items():
        table, _, column = name.partition(".")
        stems = frozenset(wording.stems_of(column))
        schema_stems |= stems
        if used == {"join"}:
            continue
        support = support_of(ask, column, table)
        supports.append(support)
        if "select" in used:
            selected.append(support)
    for table in clauses.tables:
        schema_stems |= set(wording.stems_of(table))
    for condition in clauses.conditions:
        for value in condition.values:
            schema_stems |= set(wording.stems_of(value))
    nameable = {s for s in ask.stems if s in _vocabulary(names)}
    missed = nameable - schema_stems
    hinted = _hinted_columns(ask, names)
    return {
        "words_met": 1 - len(missed) / len(nameable) if nameable else 0.5,
        "columns_asked": sum(supports) / len(supports) if supports else 0.5,
        "select_asked": sum(selected) / len(selected) if selected else 0.5,
        "columns_unasked": sum(1 for s in supports if s == 0.0) / 3,
        "hint_met": len(hinted & set(clauses.columns)) / len(hinted) if hinted else 0.5,
        "unknown": float(bool(clauses.unknown)),
        "tables_asked": _mean([support_of(ask, table, "") for table in clauses.tables]),
    }


def support_of(ask: Asked, name: str, table: str) -> float:
    """Measure how far an identifier is spoken of: the share of its words found in question or hint."""
    parts = [s for s in wording.stems_of(name) if s]
    if not parts:
        return 0.0
    if name.lower() in ask.hint:
        return 1.0
    own = set(wording.stems_of(table))
    met = [
        1.0 if s in ask.sequence else 0.7 if s in ask.hint_stems else 0.3 if s in own else 0.0 for s in parts
    ]
    return sum(met) / len(met)


def _vocabulary(names: Lookup) -> frozenset[str]:
    if not names.vocabulary:
        words = tuple(names.tables) + tuple(
            column.name for table in names.tables.values() for column in table.columns
        )
        names.vocabulary = frozenset(s for word in words for s in wording.stems_of(word)) - {"id"}
    return names.vocabulary


def _hinted_columns(ask: Asked, names: Lookup) -> set[str]:
    if not ask.hint:
        return set()
    said = set(re.findall(r"[a-z_][a-z0-9_]{2,}", ask.hint))
    return {
        f"{table}.{column}"
        for table, columns in names.columns.items()
        for column in columns
        if column in said and ("_" in column or len(column) > 7)
    }


# ---------------------------------------------------------------- values


def _value_features(ask: Asked, clauses: Clauses, linked: LinkedSchema, unmet: list[str]) -> dict[str, float]:
    literals = [(c, v) for c in clauses.conditions for v in c.values if v != "NULL"]
    found = [_literal_support(ask, condition, value) for condition, value in literals]
    used = {value.lower().strip("%") for _, value in literals}
    used_numbers = {plain_number(value) for value in used}
    limits = {text.split(" ")[0] for text in clauses.of("limit")}
    everything = " ".join(sorted(used)) + " " + clauses.tree.sql(dialect="sqlite").lower()
    wanted_numbers = {n for n in ask.numbers if n not in ("1", "0")}
    numbers = [float(n in used_numbers or n in limits or n in everything) for n in wanted_numbers]
    texts = [float(q in everything) for q in ask.quoted]
    for quoted, met in zip(ask.quoted, texts, strict=True):
        if not met:
            unmet.append(f"the value '{quoted}' of the question is not looked for")
    for number, met in zip(wanted_numbers, numbers, strict=True):
        if not met:
            unmet.append(f"the number {number} of the question is not used")
    matches = {m.value.lower(): m.score for m in linked.values if m.score >= 0.85}
    matched = [float(value in everything) for value in matches]
    return {
        "literals_asked": _mean(found),
        "literals_unasked": sum(1 for s in found if s < 0.3) / 2,
        "numbers_used": _mean(numbers),
        "quotes_used": _mean(texts),
        "matches_used": _mean(matched),
    }


def _literal_support(ask: Asked, condition: Condition, value: str) -> float:
    low = value.lower().strip("%").strip()
    if plain_number(low) in ask.numbers:
        return 1.0
    if not low:
        return 0.5
    if low in ask.text:
        return 1.0
    if low in ask.hint:
        return 0.9
    stems = wording.stems_of(low)
    if not stems:
        return 0.0
    return 0.8 * sum(s in ask.sequence or s in ask.hint_stems for s in stems) / len(stems)


# ---------------------------------------------------------------- joins


def _join_features(clauses: Clauses, names: Lookup) -> dict[str, float]:
    declared = [_declared(names, one, two) for one, two in clauses.joins]
    used = {name.partition(".")[0] for name, kinds in clauses.columns.items() if kinds - {"join"}}
    idle = [table for table in clauses.tables if table not in used]
    tables = sum(clauses.tables.values())
    missing = max(0, tables - len(clauses.joins) - clauses.selects)
    return {
        "joins_declared": _mean(declared),
        "joins": len(clauses.joins) / 4,
        "cross_join": float(missing > 0),
        "idle_tables": len(idle) / 3 if len(clauses.tables) > 1 else 0.0,
        "outer_join": float("LEFT" in clauses.of("join")),
    }


def _declared(names: Lookup, one: str, two: str) -> float:
    if frozenset((one, two)) in names.foreign:
        return 1.0
    first, second = one.partition("."), two.partition(".")
    siblings = {next(iter(pair - {one}), one) for pair in names.foreign if one in pair}
    if siblings & {next(iter(pair - {two}), two) for pair in names.foreign if two in pair}:
        return 0.8
    return 0.5 if first[2] == second[2] else 0.0


# ---------------------------------------------------------------- shape


def _shape_features(ask: Asked, clauses: Clauses, unmet: list[str]) -> dict[str, float]:
    aggregates = {name for name, _ in clauses.select_columns if name}
    text = clauses.tree.sql(dialect="sqlite").lower()
    limit = {part.split(" ")[0] for part in clauses.of("limit")}
    has_order, has_group = bool(clauses.of("order")), bool(clauses.of("group"))
    superlative = bool(limit) or "max(" in text or "min(" in text
    wants_one = (ask.most or ask.least) and not ask.ordered
    if ask.counts and "count" not in text and "sum(" not in text:
        unmet.append("the question asks how many, and nothing is counted")
    if ask.average and "avg(" not in text and "/" not in text:
        unmet.append("the question asks for an average, and none is taken")
    if ask.ordered and not has_order:
        unmet.append("the question asks for an order, and the rows are in none")
    if ask.percent and "/" not in text:
        unmet.append("the question asks for a share, and nothing is divided")
    distinct = bool(clauses.of("distinct")) or "count(distinct" in text
    return {
        "count_met": _agree(ask.counts, "count" in text or "sum(" in text),
        "average_met": _agree(ask.average, "avg(" in text or ("/" in text and "sum(" in text)),
        "total_met": _agree(ask.total, "sum(" in text or "count(" in text),
        "order_met": _agree(ask.ordered, has_order),
        "superlative_met": _agree(wants_one, superlative),
        "distinct_met": _agree(ask.distinct, distinct or has_group),
        "distinct_unasked": float(distinct and not ask.distinct),
        "each_met": _agree(ask.each, has_group),
        "group_unasked": float(has_group and not ask.each and not wants_one and not ask.counts),
        "percent_met": _agree(ask.percent, "/" in text),
        "absence_met": _agree(
            ask.absence, any(w in text for w in ("not ", "except", "<>", "!=", " is null", "= 0"))
        ),
        "both_met": _agree(ask.both, "intersect" in text or " and " in text),
        "than_average_met": _agree(ask.than_average, "select avg" in text),
        "selected": len(clauses.select) / 4,
        "select_count_unasked": float(
            bool(aggregates & {"count", "sum"}) and not ask.counts and not ask.total
        ),
        "star": float("*" in clauses.select),
        "nodes": min(clauses.nodes, 120) / 120,
        "selects": (clauses.selects - 1) / 3,
    }


def _agree(wanted: bool, given: bool) -> float:
    """1 when both, -1 when only one, 0 when neither."""
    return 1.0 if wanted and given else -1.0 if wanted != given else 0.0


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.5

"""Whether a candidate's literals are the ones asked for, and whether they are stored at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from sqlagent.catalog.lookup import Lookup
from sqlagent.language import wording
from sqlagent.method.features.asking import Asked, plain_number
from sqlagent.sql.clauses import Clauses
from sqlagent.sql.expressions import Condition
from sqlagent.values import ColumnRef, Kind, LinkedSchema

_NUMBERS = (Kind.INTEGER, Kind.NUMBER)
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Stored(Protocol):
    """Known stored values: a value index."""

    def holds(self, column: ColumnRef, text: str) -> bool:
        """Tell whether a column holds exactly this text."""
        ...

    def columns(self) -> tuple[ColumnRef, ...]:
        """The columns that were read."""
        ...


def literal_features(
    ask: Asked,
    clauses: Clauses,
    names: Lookup,
    linked: LinkedSchema,
    index: Stored | None,
    unmet: list[str],
) -> dict[str, float]:
    """Features of literals: asked for, stored, of the column's kind; and what of the question is unused."""
    literals = [(c, v) for c in clauses.conditions for v in c.values if v != "NULL"]
    asked_for = [_said(ask, value) for _, value in literals]
    known = [_stored(c, v, names, index) for c, v in literals]
    stored = [found for found in known if found is not None]
    for (condition, value), found, said in zip(literals, known, asked_for, strict=True):
        if found is False and said >= 0.8:
            unmet.append(f"'{value}' is not stored in {condition.column}")
    text = clauses.text
    numbers = [n for n in ask.numbers if n not in ("1", "0")]
    number_words = set(re.findall(r"\d+(?:\.\d+)?", text))
    unused_numbers = [n for n in numbers if n not in number_words and n.lstrip("-") not in number_words]
    unused_quotes = [q for q in ask.quoted if q.strip("%., ") not in text]
    unmet.extend(f"the value '{quoted}' of the question is not looked for" for quoted in unused_quotes)
    unmet.extend(f"the number {number} of the question is not used" for number in unused_numbers)
    return {
        "literals_unasked": sum(s < 0.3 for s in asked_for) / 2,
        "literals_unstored": sum(not s for s in stored) / 2,
        "text_to_number": sum(_text_to_number(c, names) for c, _ in literals) / 2,
        "text_to_key": float(any(_text_to_key(c, names) for c, _ in literals)),
        "numbers_unused": len(unused_numbers) / len(numbers) if numbers else 0.0,
        "quotes_unused": len(unused_quotes) / len(ask.quoted) if ask.quoted else 0.0,
        "like_unasked": float(any(c.op == "Like" for c, _ in literals) and not ask.wants("contains")),
        "like_missed": float(ask.wants("contains") and bool(literals) and not any(c.op == "Like" for c, _ in literals)),
        **_match_features(ask, literals, linked),
    }  # fmt: skip


def _match_features(
    ask: Asked, literals: Sequence[tuple[Condition, str]], linked: LinkedSchema
) -> dict[str, float]:
    """Stored values the question's words matched: used, used as stored, in the column they stand in."""
    used: dict[str, set[str]] = {}
    for condition, value in literals:
        used.setdefault(value.strip("% ").lower(), set()).add(condition.column)
    matches: dict[str, set[str]] = {}
    for match in linked.values:
        if match.score >= 0.9 and len(match.value) > 1:
            table = match.column.table.rpartition(".")[2].lower()
            matches.setdefault(match.value.lower(), set()).add(f"{table}.{match.column.column.lower()}")
    if not matches:
        return {}
    met = [value for value in matches if value in used]
    elsewhere = [value for value in met if not used[value] & matches[value]]
    return {
        "matches_unused": (len(matches) - len(met)) / len(matches),
        "matches_elsewhere": len(elsewhere) / max(1, len(met)),
    }


def _said(ask: Asked, value: str) -> float:
    """How far question or hint say a literal."""
    low = value.lower().strip("% ").strip()
    if not low:
        return 0.5
    if plain_number(low) in ask.numbers or low in ask.text:
        return 1.0
    if low in ask.hint:
        return 0.9
    stems = wording.stems_of(low)
    if not stems:
        return 0.0
    if _PLAIN_NUMBER.fullmatch(low):
        return 0.5 if low in ("0", "1") else 0.0
    return 0.8 * sum(s in ask.sequence or s in ask.hint_stems for s in stems) / len(stems)


def _stored(condition: Condition, value: str, names: Lookup, index: Stored | None) -> bool | None:
    """Whether a text compared for equality is stored in its column; None where that is not known."""
    if (
        index is None
        or condition.op not in ("EQ", "NEQ", "In")
        or not condition.is_text
        or condition.function
    ):
        return None
    reference = names.reference(condition.column)
    if reference is None or not names.is_indexed(reference, index):
        return None
    return index.holds(reference, value)


def _text_to_number(condition: Condition, names: Lookup) -> bool:
    """A text that is no number compared with a column of numbers."""
    column = names.column(condition.column)
    if column is None or not condition.is_text or condition.op == "Like" or column.kind not in _NUMBERS:
        return False
    return not all(_PLAIN_NUMBER.fullmatch(v.strip()) for v in condition.values)


def _text_to_key(condition: Condition, names: Lookup) -> bool:
    """A text compared with a column that only points at another table."""
    if not condition.is_text or not any(condition.column in pair for pair in names.foreign):
        return False
    return not all(_PLAIN_NUMBER.fullmatch(v.strip()) for v in condition.values)

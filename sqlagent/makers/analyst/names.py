"""Names of a source, cut into words, and how far words that were said are from one: a cost from 0 (the very name) upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlagent.catalog.semantics import Relation
from sqlagent.catalog.semantics.naming import LIST_ENDS
from sqlagent.catalog.semantics.words import OPENED, PRICED, RUN_TOGETHER, UNITS
from sqlagent.language.lexicon import ABBREVIATIONS, STOP_WORDS
from sqlagent.language.words import segment, split_name, stem
from sqlagent.makers.analyst.lexicon import SYNONYMS

GENERIC = frozenset(
    stem(w)
    for w in [
        "id",
        "code",
        "key",
        "number",
        "name",
        "date",
        "at",
        "on",
        "time",
        "is",
        "has",
        "flag",
        "full",
        "nr",
        "value",
        "text",
        "type",
    ]
)
"""Words of names that people leave out."""

SHORT = frozenset({*ABBREVIATIONS, *OPENED} - {"man", "per", "pro", "car", "pay", "min", "max"})
"""Short forms that people type too."""

WEAK = frozenset(
    stem(w)
    for w in [
        "due",
        "billed",
        "invoiced",
        "amount",
        "total",
        "value",
        "sum",
        "net",
        "gross",
        "amt",
        "base",
        "annual",
        "current",
        "count",
        "quantity",
        "price",
        "usd",
        "eur",
        "cents",
    ]
)
"""Words of measures that people leave out too, less often."""

HEADS = frozenset(
    stem(w)
    for w in [
        "request",
        "record",
        "entry",
        "history",
        "log",
        "transaction",
        "detail",
        "event",
        "item",
        "line",
        "header",
        "record",
        "data",
        "fact",
        "usage",
        "session",
        "list",
        "master",
        "booking",
        "reservation",
        "attendance",
    ]
)
"""Head nouns of tables that people leave out."""

TURNED = 0.3
"""The cost of taking words for a name that has them in another order."""

_SPANS = frozenset(
    stem(w)
    for w in ["hour", "hours", "hourly", "day", "daily", "week", "weekly", "month", "monthly", "night"]
)

_PARTS = frozenset(map(stem, ["line", "item", "detail", "position", "entry", "row"]))
"""Nouns of the lines that an event has."""

CLASSES = frozenset(map(stem, ["type", "kind", "category", "class", "group", "name"]))
"""Words that say of a column only that it sorts rows: fuel type, colour group."""

_AMOUNT = stem("amount")

_CURRENCIES = frozenset({"eur", "usd", "gbp", "chf", "cent", "cents", "euro", "dollar"})

_LISTS = ("method", "status", "reason", "channel", "terms", "code", "group", *LIST_ENDS)
"""How names of lists end."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name with its words."""

    kind: str
    table: str
    column: str
    words: tuple[str, ...]
    noun: tuple[str, ...]
    relation: Relation | None = None


def kind_words(kind: str) -> tuple[str, ...]:
    """The stems of a list's name, also of one that is written without spaces.

    Example:
        >>> kind_words("PAYMETHOD"), kind_words("Order source")
        (('payment', 'method'), ('order', 'sourc'))
    """
    said: list[str] = []
    for word in split_name(kind):
        end = next((end for end in _LISTS if word.endswith(end) and len(word) > len(end) + 1), "")
        whole = segment(word, RUN_TOGETHER)
        said += whole if len(whole) > 1 or not end else (word.removesuffix(end), end)
    return tuple(stem(w) for piece in said for w in OPENED.get(piece, piece).split())


def joined(name: str) -> str:
    """Bring a name to the letters and digits it is typed with: FrtAmt, frt_amt and "frt amt" are one."""
    return "".join(c for c in name.lower() if c.isalnum())


def _is_turned(stems: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words are a name's in another order, so that another of them is the noun: guided tours are no tour guides."""
    return len(stems) > 1 and set(stems) == set(words) and stems[-1] != words[-1]


def fit(stems: Sequence[str], entry: Entry) -> float | None:
    """How far words are from a name; None when one of them has no place in it.

    Example:
        >>> fit(["invoic", "amount"], Entry("field", "invoices", "amount", ("amount",), ("invoic",)))
        0.0
        >>> fit(["colour"], Entry("field", "t", "size", ("size",), ())) is None
        True
    """
    words, matched, cost = set(entry.words), set(), 0.0
    own = False
    if entry.kind == "thing" and _is_turned(stems, entry.words):
        cost += TURNED
    if len(stems) == 1 and stems[0] == "full" and len(words) > 1:
        return None  # "how full" asks for no full name
    for word in stems:
        if word in words:
            matched.add(word)
            own = True
            continue
        close = SYNONYMS.get(word, frozenset()) & words
        if close:
            matched |= close
            own, cost = True, cost + 0.12
            continue
        if word in entry.noun:
            continue
        if SYNONYMS.get(word, frozenset()) & set(entry.noun):
            cost += 0.1
            continue
        known = len(word) > 3 or word in SHORT
        longer = {
            w for w in words if known and word not in STOP_WORDS and len(w) > len(word) and w.startswith(word)
        }
        if longer:
            matched |= longer
            own, cost = True, cost + 0.15
            continue
        if word in GENERIC and len(stems) > 1 and word != stem("type"):
            cost += 0.08
            continue
        if word == _AMOUNT and len(stems) > 1 and entry.kind == "field" and words & _CURRENCIES:
            cost += 0.03  # what is told in a currency is an amount
            continue
        return None
    if not own or entry.kind == "related" and (len(matched) < len(words) or not set(stems) & words):
        return None
    left = words - matched
    if entry.kind == "relation" and left & set(entry.noun):
        cost += 0.12
    if entry.kind == "thing":
        if entry.words[-1] in matched:
            return cost + 0.08 * len(left)
        if entry.words[-1] in HEADS:
            return cost + 0.06 * len(left)
        return cost + 0.3 + 0.1 * len(left)
    if entry.kind == "field" and entry.words[-1] in left & PRICED and matched & _SPANS:
        cost += 0.5  # hours are no hourly rate
    if (
        entry.noun
        and entry.noun[-1] in left - set(stems)
        and entry.noun[-1] in _PARTS
        and set(stems) & set(entry.noun)
    ):
        cost += 0.15  # "invoice total" is said of the invoice rather than of its lines
    for word in left:
        if word in entry.noun:
            continue
        cost += 0.03 if word in GENERIC or word in UNITS else 0.12 if word in WEAK else 0.28
    if (
        entry.kind == "field"
        and matched <= set(entry.noun)
        and len(words - GENERIC) <= len(matched)
        and words & CLASSES
    ):
        cost += 0.25
    if matched <= GENERIC and left - GENERIC - set(entry.noun):
        cost += 0.1
    return cost

"""The columns that show a row to people: first and last name, a name, a title, a mark."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.catalog.semantics.values import Field, Role
from sqlagent.catalog.semantics.words import NAMES
from sqlagent.catalog.statistics import TableFacts
from sqlagent.language.words import stem

_FIRST = frozenset({"first", "given", "fore", "forenam", "firstnam"})
_LAST = frozenset({"last", "famili", "sur", "surnam", "lastnam"})
_NAME = stem("name")

_MARKS = frozenset(map(stem, ["plate", "registration", "licence", "license", "callsign"]))
"""Words of texts that tell things without a name apart."""

_CALLED_ELSEWISE = 2
"""The rank of names from which on they may be of something else than the row."""


def display(fields: Sequence[Field], noun: Sequence[str], facts: TableFacts | None = None) -> tuple[str, ...]:
    """Give the columns that show a row to people; empty where nothing does. `noun` are the stems of its table's name.

    Example:
        >>> name = Field("guests", "guest_name", ("guest", "name"), "guest name", Role.TEXT)
        >>> display([Field("guests", "city", ("citi",), "city", Role.DIMENSION), name], ("guest",))
        ('guest_name',)
    """
    texts = [
        f
        for f in fields
        if not f.is_number and f.form is None and f.role in (Role.TEXT, Role.DIMENSION, Role.KEY)
    ]
    return (
        _first_and_last(texts, noun)
        or _name(texts, fields, noun, facts)
        or _text_called(texts)
        or _text_of_type(texts, fields, noun)
        or _called_like_table(texts, noun)
        or _mark(texts, noun, facts)
    )


def _is_name(one: Field) -> bool:
    """Whether a column is called a name, also the first of two: name 1."""
    words = one.words
    return bool(words) and (words[-1] in NAMES or words[-1] == "1" and words[-2:-1] == (_NAME,))


def _first_and_last(texts: Sequence[Field], noun: Sequence[str]) -> tuple[str, ...]:
    """First and last name, unless they are somebody else's: a client's name is not its contact's."""
    first = next((f for f in texts if set(f.words) & _FIRST and len(f.words) <= 3), None)
    last = next((f for f in texts if set(f.words) & _LAST and len(f.words) <= 3), None)
    if first is None or last is None:
        return ()
    other = set(first.words) & set(last.words) - {_NAME, *noun}
    has_own = any(f.words in ((_NAME,), (*noun, _NAME)) for f in texts if _is_name(f))
    return () if other and has_own else (first.column, last.column)


def _name(
    texts: Sequence[Field], fields: Sequence[Field], noun: Sequence[str], facts: TableFacts | None
) -> tuple[str, ...]:
    """The likeliest name; the description beside a code of the same goes before a name that may be of something else."""
    best = min((f for f in texts if _is_name(f)), key=lambda one: _rank(one, noun), default=None)
    is_own = best is not None and _rank(best, noun)[0] < _CALLED_ELSEWISE
    coded = {f.words[:-1] for f in fields if f.words[-1:] == (stem("code"),)}
    for one in () if is_own else texts:
        if one.words[-1:] == (stem("description"),) and one.words[:-1] in coded:
            return (one.column,)
    return (best.column,) if best is not None and (is_own or not _repeats(best, facts)) else ()


def _rank(one: Field, noun: Sequence[str]) -> tuple[int, int]:
    """How well a name fits the rows, best first: their own, another own one, one of something else."""
    rest = list(one.words[:-1])
    exact = rest == [] or set(rest) <= set(noun) | {"full", "display", "legal"}
    if not exact and set(rest) <= {stem("company"), *noun}:
        return (2, 0)
    return (
        0 if exact and one.words[-1] == _NAME else 1 if exact else 2 if one.words[-1] == _NAME else 3,
        len(rest),
    )


def _text_called(texts: Sequence[Field]) -> tuple[str, ...]:
    """A description, a subject, an address of mail."""
    for wanted in ("description", "desc", "subject", "email"):
        for one in texts:
            if one.words and one.words[-1] == stem(wanted) and len(one.words) <= 2:
                return (one.column,)
    return ()


def _text_of_type(texts: Sequence[Field], fields: Sequence[Field], noun: Sequence[str]) -> tuple[str, ...]:
    """The text of a type, or beside the key of a short list."""
    for one in texts:
        is_text = one.words[-1:] == ("text",) and set(one.words[:-1]) <= set(noun)
        if is_text or len(fields) == 2 and one.role is not Role.KEY:
            return (one.column,)
    return ()


def _called_like_table(texts: Sequence[Field], noun: Sequence[str]) -> tuple[str, ...]:
    """A text that is called as its table is."""
    for one in texts if noun else ():
        if set(one.words) <= set(noun) and one.words:
            return (one.column,)
    return ()


def _mark(texts: Sequence[Field], noun: Sequence[str], facts: TableFacts | None) -> tuple[str, ...]:
    """The text by which a car or a machine is known."""
    for one in texts:
        is_mark = set(one.words) & _MARKS and set(one.words) <= _MARKS | set(noun) | {stem("number")}
        if is_mark and not _repeats(one, facts):
            return (one.column,)
    return ()


def _repeats(one: Field, facts: TableFacts | None) -> bool:
    """Whether a column holds few values many times over: such a name groups rows and identifies none."""
    known = facts.columns.get(one.column) if facts is not None else None
    return (
        facts is not None and known is not None and facts.rows >= 20 and 0 < known.distinct * 5 <= facts.rows
    )

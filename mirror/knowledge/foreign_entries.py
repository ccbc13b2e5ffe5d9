"""Shared code of readers of other products' files: entries of a knowledge file, parts left out, words that two entries share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mirror.knowledge.models import StoredTerm
from mirror.knowledge.term_services import SYNONYMS

Entry = dict[str, Any]
LeftOut = tuple[str, str]

KEY = "A key is told on the page of the source's model."
COMPUTED = "A field computed of columns is no term."


@dataclass(frozen=True, slots=True)
class Foreign:
    """Readable entries of another product's file: terms, verified answers, and parts left out, each with the reason."""

    terms: Sequence[Entry]
    verified: Sequence[Entry] = ()
    left: Sequence[LeftOut] = ()


def entry(
    kind: str, phrase: str, sql: str, synonyms: Iterable[str] = (), told: Mapping[str, Any] | None = None
) -> Entry:
    """A term as a knowledge file has it; `told` is where its description stands."""
    made: Entry = {"phrase": phrase, "kind": kind, "sql": sql}
    others = {one.strip().casefold(): one.strip() for one in synonyms}
    others.pop(phrase.casefold(), None)
    if others:
        made["synonyms"] = list(others.values())[:SYNONYMS]
    if text := " ".join(str((told or {}).get("description") or "").split()):
        made["description"] = text[:300]
    return made


def shared_as_drafts(entries: Sequence[Entry]) -> None:
    """Make drafts of entries that share words: each question that says them would have two readings."""
    said = Counter(words.casefold() for one in entries for words in _words(one))
    for one in entries:
        if any(said[words.casefold()] > 1 for words in _words(one)):
            one["status"] = str(StoredTerm.Status.DRAFT)


def _words(one: Entry) -> set[str]:
    if one["kind"] == StoredTerm.Kind.RULE:
        return set()
    return {words.casefold() for words in (one["phrase"], *one.get("synonyms", ()))}


def mappings(told: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The entries of a list, or of a mapping of them; other items are skipped."""
    found = told.get(name)
    many = found.values() if isinstance(found, Mapping) else found if isinstance(found, list) else ()
    return [one for one in many if isinstance(one, Mapping)]


def texts(told: Any, name: str = "synonyms") -> list[str]:
    """The texts of a list."""
    found = told.get(name) if isinstance(told, Mapping) else None
    return [one for one in found if isinstance(one, str) and one.strip()] if isinstance(found, list) else []


def spoken(name: object) -> str:
    """A name as people say it.

    Example:
        >>> spoken("NET_revenue"), spoken("orderCount")
        ('NET revenue', 'order Count')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name or ""))
    return " ".join(apart.replace("_", " ").split())


def parsed(text: object, dialect: str) -> exp.Expr | None:
    """An expression; None where it is none."""
    if not isinstance(text, (str, int, float)):
        return None
    try:
        found: exp.Expr = sqlglot.parse_one(str(text), dialect=dialect or None)
        return found
    except (SqlglotError, RecursionError, ValueError):
        return None


def of_table(tree: exp.Expr, table: str) -> exp.Expr:
    """An expression whose bare columns belong to a table."""
    tree = tree.copy()
    for column in tree.find_all(exp.Column):
        if not column.table:
            column.set("table", exp.to_identifier(table))
    return tree


def replaced(tree: exp.Expr, old: exp.Expr, new: exp.Expr) -> exp.Expr:
    """A tree with a part of it replaced, in brackets where it is no single column; the part may be the whole."""
    put = new.copy() if isinstance(new, (exp.Column, exp.Literal, exp.Func)) else exp.Paren(this=new.copy())
    if old is tree:
        return put
    old.replace(put)
    return tree

"""Conditions and aggregates that recur in SQL that people vouched for: what a team might want to say as a term.

Decides what is worth proposing. Periods, single rows, stored values that the questions name themselves and plain counts are not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sqlagent.catalog.glossary.bodies import BodyReader, BodyRefused
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import split_name, stem, tokenise
from sqlagent.sql.clauses import Clauses, read
from sqlagent.sql.expressions import canonical_text
from sqlagent.values import Catalog, TermKind

LEAST, LEAST_EDITED = 3, 2
"""Statements in which something recurs before it is proposed; edited answers whose questions have one word that was left unused."""

WORDS = 3
"""Words of a proposed phrase."""

_DAY = re.compile(r"'\d{4}-\d\d|\b(?:STRFTIME|DATE|YEAR|EXTRACT|DATE_TRUNC|CURRENT_\w+)\b", re.IGNORECASE)
_ROW = re.compile(r"(?:\b|_)id\"? (?:=|IN) ", re.IGNORECASE)
_TEXT = re.compile(r"'([^']+)'")
_PLAIN = re.compile(r"\w+\((?:DISTINCT )?(?:\*|[\w.\"]+)\)")


@dataclass(frozen=True, slots=True)
class Stated:
    """A question, or the name of saved SQL, with its SQL."""

    text: str
    sql: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A question whose answer was edited: the SQL that was shown, and what it should have been."""

    text: str
    shown: str
    should_be: str


@dataclass(frozen=True, slots=True)
class Recurring:
    """A body that may be a term, the phrase that its questions share (or none), and these questions."""

    kind: TermKind
    body: str
    phrase: str
    texts: tuple[str, ...]


def recurring(stated: Sequence[Stated], catalog: Catalog, least: int = LEAST) -> tuple[Recurring, ...]:
    """List what recurs in at least so many statements, the most frequent first. Statements that say the same count once.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> shop = Catalog("sqlite", (Table("orders", (Column("total"), Column("status"), Column("city"))),))
        >>> sql = "SELECT {} FROM orders o WHERE o.status <> 'returned'"
        >>> said = [("Kept orders", "COUNT(*)"), ("total of kept orders", "SUM(total)"), ("kept orders by city", "city")]
        >>> [(one.phrase, one.body) for one in recurring([Stated(t, sql.format(s)) for t, s in said], shop)]
        [('kept', "orders.status <> 'returned'")]
    """
    found: dict[tuple[TermKind, str], dict[str, str]] = {}
    texts: dict[str, str] = {}
    for one in stated:
        clauses = read(one.sql, catalog)
        if clauses is None or clauses.text in texts:
            continue
        texts[clauses.text] = one.text
        for kind, body in (*_conditions(clauses), *_figures(clauses)):
            found.setdefault((kind, body), {})[clauses.text] = one.text
    reader = BodyReader(catalog, {})
    made = []
    for (kind, body), held in found.items():
        if len(held) < least:
            continue
        inside = list(held.values())
        outside = [text for key, text in texts.items() if key not in held]
        if _says_itself(body, inside):
            continue
        phrase = _phrase(inside, outside, body)
        if kind is TermKind.MEASURE and _PLAIN.fullmatch(body) and not phrase:
            continue
        if full := _read(reader, kind, body):
            made.append(Recurring(kind, full, phrase, tuple(inside)))
    made.sort(key=lambda one: (-len(one.texts), one.body))
    return tuple(made)


def unused(edited: Sequence[Edited], catalog: Catalog) -> tuple[Recurring, ...]:
    """List words that the SQL of several edited answers left unused, each with the condition that all edits added, where there is one."""
    words: dict[str, list[tuple[str, Edited, frozenset[str]]]] = {}
    for one in edited:
        shown, wanted = read(one.shown, catalog), read(one.should_be, catalog)
        if shown is None or wanted is None or shown.text == wanted.text:
            continue
        added = frozenset(body for _, body in _conditions(wanted)) - {b for _, b in _conditions(shown)}
        said = {stem(word) for word in re.findall(r"[a-z]+", shown.text.replace("_", " "))}
        for key, word in _content(one.text).items():
            if key not in said:
                words.setdefault(key, []).append((word, one, added))
    reader, made = BodyReader(catalog, {}), []
    for held in words.values():
        texts = tuple(dict.fromkeys(one.text for _, one, _ in held))
        if len(texts) < LEAST_EDITED:
            continue
        shared = frozenset.intersection(*(added for _, _, added in held))
        body = next((full for one in sorted(shared) if (full := _read(reader, TermKind.FILTER, one))), "")
        made.append(Recurring(TermKind.FILTER, body, held[0][0], texts))
    made.sort(key=lambda one: (-len(one.texts), one.phrase))
    return tuple(made)


def lacking(edited: Sequence[Edited], catalog: Catalog) -> tuple[Recurring, ...]:
    """List words of answers that went wrong, each with a condition or figure that the right SQL has and the shown one lacks.

    Corrections that more questions with the word confirm come first. Those that as many contradict are left out, and so are single
    rows and days.
    """
    read_both = [
        (one, read(one.shown, catalog) if one.shown else None, read(one.should_be, catalog)) for one in edited
    ]
    held: dict[tuple[TermKind, str, str], list[str]] = {}
    words = {one.text: _content(one.text) for one in edited}
    bodies: dict[str, set[str]] = {}
    for one, shown, wanted in read_both:
        if wanted is None:
            continue
        parts = [*_conditions(wanted), *_figures(wanted)]
        bodies[one.text] = {body for _, body in parts}
        had = {b for _, b in (*_conditions(shown), *_figures(shown))} if shown is not None else set()
        for kind, body in parts:
            if body in had or _says_itself(body, [one.text]):
                continue
            names = {stem(w.lower()) for name in re.findall(r"\w+", body) for w in split_name(name)}
            for key, word in words[one.text].items():
                if key not in names:
                    held.setdefault((kind, body, word), []).append(one.text)
    reader, made = BodyReader(catalog, {}), []
    for (kind, body, word), texts in held.items():
        against = sum(stem(word) in words[text] and body not in own for text, own in bodies.items())
        if against < len(texts) and (full := _read(reader, kind, body)):
            made.append((len(texts) - against, Recurring(kind, full, word, tuple(dict.fromkeys(texts)))))
    made.sort(key=lambda one: (-one[0], one[1].phrase, one[1].body))
    return tuple(one for _, one in made)


def _conditions(clauses: Clauses) -> list[tuple[TermKind, str]]:
    bodies = clauses.of("where")
    return [(TermKind.FILTER, b) for b in bodies if not (_DAY.search(b) or _ROW.search(b) or "#" in b)]


def _figures(clauses: Clauses) -> list[tuple[TermKind, str]]:
    made: dict[str, None] = {}
    for select in clauses.tree.find_all(exp.Select):
        for one in select.expressions:
            bare = one.this if isinstance(one, exp.Alias) else one
            if bare.find(exp.AggFunc) and not bare.find(exp.Window, exp.Query):
                made[canonical_text(bare)] = None
    return [(TermKind.MEASURE, b) for b in made if b != "COUNT(*)" and "#" not in b and not _DAY.search(b)]


def _read(reader: BodyReader, kind: TermKind, body: str) -> str:
    """A body with full names, if it can be a term at all."""
    try:
        return reader.read(kind, body).sql
    except BodyRefused:
        return ""


def _says_itself(body: str, texts: Sequence[str]) -> bool:
    """Whether all questions name the stored values of a condition, so that nobody needs a word for it."""
    values = [value.lower() for value in _TEXT.findall(body)]
    return bool(values) and all(all(v in text.lower() for v in values) for text in texts)


def _content(text: str) -> dict[str, str]:
    """The words of a text that say something, by their stems."""
    return {
        t.stem: t.low
        for t in tokenise(text)
        if t.kind == "word" and t.low not in STOP_WORDS and len(t.low) > 1
    }


def _phrase(inside: Sequence[str], outside: Sequence[str], body: str) -> str:
    """The words that all of these questions share, and few others; those that names of the body hold are no news."""
    names: Collection[str] = {stem(w.lower()) for name in re.findall(r"\w+", body) for w in split_name(name)}
    within = Counter(key for text in inside for key in _content(text))
    beside = Counter(key for text in outside for key in _content(text))
    shared = {
        key
        for key, count in within.items()
        if count == len(inside)
        and key not in names
        and beside[key] * 2 * len(inside) <= count * max(len(outside), 1)
    }
    words = [word for key, word in _content(inside[0]).items() if key in shared]
    return " ".join(words[:WORDS])

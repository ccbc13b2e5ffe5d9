"""Schema linking: the tables, columns and stored values a question is about.

Decides which part of a catalog travels on, and which content words of the question found
nothing. The evidence itself (how words resemble names) is made in `language.mentions`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import Lock

from sqlagent.catalog import hints
from sqlagent.catalog.keys import KeyGraph, catalog_key
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.cues import CUE_WORDS
from sqlagent.language.lexicon import (
    ATTRIBUTE_ADJECTIVES,
    COMMAND_WORDS,
    COMPARATIVE_FORMS,
    DEMONYMS,
    MONTHS,
    NUMBER_WORDS,
    STOP_WORDS,
    VERB_ATTRIBUTES,
)
from sqlagent.language.mentions import Mention, Naming
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.language.words import Token, stem, tokenise
from sqlagent.values import Catalog, ColumnRef, Link, LinkedSchema, Question, ValueMatch

SMALL_TABLES = 20
SMALL_COLUMNS = 250
"""A catalog up to both sizes travels whole: it fits a prompt, and nothing can be lost."""

MANY_TABLES = 12
"""Tables chosen from a larger catalog, before those that join them."""

FEW_TABLES = 3
"""A column's name that more tables hold says less of each: "amount" must not outweigh a table's own name."""

_prepared: dict[Hashable, tuple[Naming, KeyGraph]] = {}
_lock = Lock()


def prepared(catalog: Catalog) -> tuple[Naming, KeyGraph]:
    """Give the catalog's prepared names and key graph; made once per catalog version, the last 32 kept."""
    key = catalog_key(catalog)
    found = _prepared.get(key)
    if found is None:
        found = (Naming(catalog), KeyGraph(catalog))
        with _lock:
            while len(_prepared) >= 32:
                _prepared.pop(next(iter(_prepared)))
            _prepared[key] = found
    return found


def link(question: Question, catalog: Catalog, index: ValueIndex | None) -> LinkedSchema:
    """Link a question to the part of a catalog it is about.

    Every table of a small catalog is kept; of a larger one those named by the question's
    words or values, and those that join them. Never raises, whatever the text.
    """
    naming, graph = prepared(catalog)
    text = question.text if not question.hint else f"{question.text} ; {question.hint}"
    tokens = tokenise(text)
    mentions = naming.mentions(tokens, index)
    asked = tokenise(NOT_UNDERSTOOD.sub("", question.text))  # what the note says is told already
    explained = hints.covered(hints.read(question.hint, catalog, index), asked)
    links = [one for mention in mentions for one in _links(mention, text, tokens)]
    return LinkedSchema(
        catalog=_chosen(catalog, graph, mentions),
        full=catalog,
        links=tuple(one for one in links if one.end <= len(question.text)),
        values=_values(mentions),
        unlinked=_unlinked(asked, mentions, naming, explained),
    )


def _links(mention: Mention, text: str, tokens: Sequence[Token]) -> list[Link]:
    start, end = tokens[mention.start].start, tokens[mention.end - 1].end
    top = mention.best.score
    kept = [t for t in mention.targets if t.score >= 0.75 * top and not {"*", "&"} & set(t.column)][:6]
    words = text[start:end]
    return [Link(start, end, words, t.table, t.column, t.value, min(t.score, 1.0)) for t in kept]


def _values(mentions: Sequence[Mention]) -> tuple[ValueMatch, ...]:
    out: list[ValueMatch] = []
    for mention in mentions:
        if mention.kind == "value":
            out.extend(
                ValueMatch(t.value, ColumnRef(t.table, t.column), t.value, t.score)
                for t in mention.targets[:8]
            )
    return tuple(out)


def _chosen(catalog: Catalog, graph: KeyGraph, mentions: Sequence[Mention]) -> Catalog:
    """The tables that travel on, in the catalog's order."""
    if len(catalog.tables) <= SMALL_TABLES and sum(len(t.columns) for t in catalog.tables) <= SMALL_COLUMNS:
        return catalog
    scores: dict[str, float] = {}
    for mention in mentions:
        best: dict[str, float] = {}
        for target in mention.targets:
            weight = 1.0 if not target.column else (0.9 if target.value else 0.7)
            best[target.table] = max(best.get(target.table, 0.0), weight * target.score)
        common = FEW_TABLES / len(best) if mention.kind == "column" and len(best) > FEW_TABLES else 1.0
        for table, score in best.items():
            scores[table] = scores.get(table, 0.0) + score * common
    top = sorted(scores, key=lambda t: (-scores[t], t))[:MANY_TABLES]
    keep = set(top)
    for other in top[1:6]:
        keep.update(e.target for e in graph.path(top[0], other) or ())
    if not keep:
        keep = {t.key for t in catalog.tables[:MANY_TABLES]}
    tables = tuple(t for t in catalog.tables if t.key in keep)
    return Catalog(catalog.dialect, tables, catalog.version, corrections=catalog.corrections)


def _unlinked(
    tokens: Sequence[Token], mentions: Sequence[Mention], naming: Naming, explained: frozenset[int]
) -> tuple[str, ...]:
    """Content words that name nothing here, are no language of asking, and that no hint explains."""
    taken = {n for m in mentions for n in range(m.start, m.end)} | explained
    out: list[str] = []
    for number, token in enumerate(tokens):
        if number in taken or token.kind not in ("word", "quoted") or len(token.low) < 3:
            continue
        if token.kind == "word" and (_is_language(token) or naming.matches(token.stem)):
            continue
        out.append(token.text)
    return tuple(dict.fromkeys(out))


_LANGUAGE = frozenset(
    stem(w)
    for w in (
        *STOP_WORDS, *COMMAND_WORDS, *CUE_WORDS, *ATTRIBUTE_ADJECTIVES, *COMPARATIVE_FORMS, *VERB_ATTRIBUTES,
        *NUMBER_WORDS,
    )
)  # fmt: skip


def _is_language(token: Token) -> bool:
    low = token.low
    if low in DEMONYMS or token.stem in _LANGUAGE or low in _LANGUAGE:
        return True
    if low in MONTHS:
        return True
    return any(low.endswith(end) and stem(low[: -len(end)]) in _LANGUAGE for end in ("est", "er", "ly"))

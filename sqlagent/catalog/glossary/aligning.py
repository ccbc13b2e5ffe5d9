"""Words of one question aligned with clauses of its verified SQL: what they may mean, where an answer of other SQL was wrong.

Decides which words and which clauses are worth a try, likeliest first. A try says whether they belong together: with the term the question
is read as a whole and answered with the verified rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from sqlagent.catalog.glossary.bodies import BodyReader, BodyRefused
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import Token, stem, tokenise
from sqlagent.sql.clauses import Clauses, read
from sqlagent.sql.expressions import canonical_text, conjuncts, straightened
from sqlagent.values import Answer, Catalog, TermKind

WORDS, PHRASES, BODIES = 3, 5, 6
"""Words of a phrase, and how many phrases and clauses of one question are tried with each other."""

_DAY = re.compile(
    r"'\d{4}(?:-\d\d|%?')|\b(?:STRFTIME|DATE|YEAR|EXTRACT|DATE_TRUNC|CURRENT_\w+|JULIANDAY)\b", re.IGNORECASE
)

Meant = tuple[TermKind, str, str]
"""A kind of term, its phrase and its body."""


def unused_words(answer: Answer) -> tuple[str, ...]:
    """The words that the frame of an answer leaves out; none of an answer that is of no frame.

    Example:
        >>> from sqlagent.values import Outcome, Question
        >>> unused_words(Answer(Outcome.AMBIGUOUS, Question("free units"), frame='{"form": 1, "frame": {"unused": ["free"]}}'))
        ('free',)
    """
    frame = json.loads(answer.frame).get("frame", {}) if answer.frame else {}
    return tuple(map(str, frame.get("unused", ())))


def is_read_whole(answer: Answer) -> bool:
    """Whether an answer is of a frame that leaves no word out."""
    return bool(answer.frame) and not unused_words(answer)


def alignments(
    text: str, shown: str, unused: Sequence[str], should_be: str, catalog: Catalog
) -> Iterator[Meant]:
    """List terms that may set a wrong answer right: words that it leaves out come first, then those that its SQL does not say.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> units = Catalog("sqlite", (Table("unit", (Column("site"), Column("state"))),))
        >>> sql = "SELECT site, COUNT(*) FROM unit{} GROUP BY site"
        >>> [(str(kind), *rest) for kind, *rest in alignments("free units by site", sql.format(""), ["free"], sql.format(" WHERE state = 'A'"), units)][0]
        ('filter', 'free', "unit.state = 'A'")
    """
    wanted = read(should_be, catalog)
    if wanted is None:
        return
    bodies = _bodies(wanted, read(shown, catalog) if shown else None, BodyReader(catalog, {}))
    for phrase in _phrases(text, shown, unused):
        for kind, body in bodies:
            yield kind, phrase, body


def _phrases(text: str, shown: str, unused: Sequence[str]) -> list[str]:
    """Up to three words that stand together, with one that the answer leaves out, where it says that it does."""
    left = {stem(word.lower()) for words in unused for word in words.split()}
    said = {stem(word) for word in re.findall(r"[a-z]+", shown.lower().replace("_", " "))}
    words = [one for one in tokenise(text) if one.kind != "mark"]
    found: dict[str, tuple[int, int, int]] = {}
    for many in range(1, WORDS + 1):
        for first in range(len(words) - many + 1):
            part = words[first : first + many]
            stems = {one.stem for one in part}
            if _may_mean(part) and (not left or not shown or stems & left):
                phrase = text[part[0].start : part[-1].end]
                found.setdefault(phrase, (-len(stems & left), len(stems & said), many))
    return sorted(found, key=lambda phrase: found[phrase])[:PHRASES]


def _may_mean(words: Sequence[Token]) -> bool:
    ends = (words[0].low, words[-1].low)
    return all(one.kind == "word" for one in words) and not any(
        word in STOP_WORDS or len(word) < 2 for word in ends
    )


def _bodies(wanted: Clauses, shown: Clauses | None, reader: BodyReader) -> list[tuple[TermKind, str]]:
    """The figures, conditions and names of a statement that another one does not have, as terms say them."""
    figures: dict[str, None] = {}
    conditions: dict[str, None] = {}
    names: dict[str, None] = {}
    for select in wanted.tree.find_all(exp.Select):
        group = select.args.get("group")
        for one in (*select.expressions, *(group.expressions if group is not None else ())):
            bare = one.this if isinstance(one, exp.Alias) else one
            if isinstance(bare, exp.Column):
                names[canonical_text(bare)] = None
            elif bare.find(exp.AggFunc) and not bare.find(exp.Window, exp.Query):
                figures[_counting(bare).sql("sqlite")] = None
                summed = (inner.this.unnest() for inner in bare.find_all(exp.Sum))
                conditions.update((canonical_text(held), None) for held in summed if _is_condition(held))
        where = select.args.get("where")
        parts = map(straightened, conjuncts(where.this)) if where is not None else ()
        conditions.update((canonical_text(part), None) for part in parts if not part.find(exp.Query))
    had = set(shown.of("where")) if shown is not None else set()
    lacking = [one for one in conditions if one not in had and not _DAY.search(one) and "#" not in one]
    columns, tables = (
        (set(shown.columns), set(shown.tables)) if shown is not None else (set[str](), set[str]())
    )
    found = [(TermKind.MEASURE, one) for one in figures if one != "COUNT(*)" and not _DAY.search(one)]
    found += [(TermKind.FILTER, one) for one in lacking]
    found += [(TermKind.FILTER, " AND ".join(lacking))] if 1 < len(lacking) <= WORDS else []
    found += [(TermKind.NAME, one) for one in names if "." in one and one not in columns]
    found += [(TermKind.NAME, one) for one in wanted.tables if one not in tables]
    made: dict[tuple[TermKind, str], None] = {}
    for kind, body in found:
        try:
            made[kind, reader.read(kind, body).sql] = None
        except BodyRefused:
            continue
    return list(made)[:BODIES]


def _is_condition(node: exp.Expr) -> bool:
    return isinstance(node, exp.Predicate | exp.Connector)


def _counting(figure: exp.Expr) -> exp.Expr:
    """A figure in which a sum of a condition is the count of the rows that meet it."""
    made = exp.Paren(this=figure.copy())
    for one in list(made.find_all(exp.Sum)):
        held = one.this.unnest()
        if _is_condition(held):
            one.replace(exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=held.copy())))
    inner: exp.Expr = made.this
    return inner

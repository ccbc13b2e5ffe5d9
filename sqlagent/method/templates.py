"""Verified answers that a question is the template of: the same words in order, with other values and numbers.

Decides when SQL that somebody vouched for answers another question: only where nothing differs but values and numbers that stand in
the SQL as they are typed, and where each new value is stored in the very column of the old one. A merely similar answer is given as an
example and never answers.

Example:
    >>> known = VerifiedAnswer("How many orders over 50?", "SELECT COUNT(*) FROM orders WHERE total > 50", "Ann")
    >>> matched(Question("how many orders over 80"), (known,), "sqlite", None).sql
    'SELECT COUNT(*) FROM orders WHERE total > 80'
    >>> matched(Question("how many orders under 80"), (known,), "sqlite", None) is None
    True
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.catalog.glossary.mentions import phrase_stems
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.lexicon import NUMBER_WORDS, words_of
from sqlagent.language.words import Token, fold, tokenise
from sqlagent.values import (
    Exchange,
    Knowledge,
    LinkedSchema,
    Question,
    TermKind,
    VerifiedAnswer,
    Vouched,
)

PURE = words_of(
    """a an the of is are was were be been do does did have has had me my us our we i you your please can could would will there it its
    that this these those what which who whose give show list tell find return get display provide just so then"""
)
"""Words that change nothing of what is asked; others of `STOP_WORDS` do (not, without, or, by, each, most)."""

LONGEST = 6
"""Words of one value."""

NEAR, SHOWN = 0.55, 3
"""Likeness from which on a verified question is shown to a person beside another, and how many are."""

LIKE, TOLD = 0.2, 5
"""The same of a prompt: a language model takes the habits of a source from questions that no person would call alike (docs/knowledge.md)."""

TERMS_SHOWN, RULES_SHOWN = 20, 20
"""Terms and rules of a source that one prompt tells of."""

EXAMPLES_SHOWN = 5
"""Examples that every prompt of a source shows, beside those that are alike."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """A literal of verified SQL that its question says: which of the SQL's, and the column it is compared with."""

    literal: int
    was: str
    is_number: bool
    column: str
    like: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class _Template:
    """A verified question as stems and slots, in order."""

    answer: VerifiedAnswer
    parts: tuple[str | _Slot, ...]
    stems: frozenset[str]
    tree: exp.Expr
    may_exchange: bool


def matched(
    question: Question, verified: Sequence[VerifiedAnswer], dialect: str, index: ValueIndex | None
) -> Vouched | None:
    """Give the verified answer whose template a question is, with its values put in; the one with the fewest exchanged, the latest.

    None where two differ in what they make of it.
    """
    tokens = _words(question.text)
    said = frozenset(token.stem for token in tokens)
    if question.hint.strip() or not tokens:
        return None
    found: list[Vouched] = []
    for one in verified:
        template = _template(one, dialect)
        if template is None or not template.stems <= said:
            continue
        if (vouched := _filled(template, tokens, index, dialect)) is not None:
            found.append(vouched)
    if not found:
        return None
    fewest = min(len(one.exchanged) for one in found)
    best = [one for one in found if len(one.exchanged) == fewest]
    return best[-1] if len({" ".join(one.sql.split()) for one in best}) == 1 else None


def near(
    question: str, verified: Sequence[VerifiedAnswer], most: int = SHOWN, least: float = NEAR
) -> tuple[VerifiedAnswer, ...]:
    """Verified answers to questions that are alike, the most alike first: to be shown, never to be taken for the answer.

    At most so many, of at least that likeness.

    Example:
        >>> known = VerifiedAnswer("revenue by country in 2024", "SELECT 1"), VerifiedAnswer("tickets per agent", "SELECT 2")
        >>> [one.sql for one in near("revenue by city in 2024", known)]
        ['SELECT 1']
    """
    if not verified:
        return ()
    asked = phrase_stems(question)
    told = [phrase_stems(one.question) for one in verified]
    common = Counter(stem for stems in told for stem in stems)

    def weight(stems: frozenset[str]) -> float:
        return sum(math.log(1 + (len(told) + 1) / (1 + common[stem])) for stem in stems)

    scored: list[tuple[float, int, VerifiedAnswer]] = []
    for one, stems in zip(verified, told, strict=True):
        both = math.sqrt(weight(asked) * weight(stems))
        likeness = weight(asked & stems) / both if both else 0.0
        if likeness >= least:
            scored.append((-likeness, len(scored), one))
    return tuple(one for _, _, one in sorted(scored)[:most])


def with_knowledge(question: Question, linked: LinkedSchema, knowledge: Knowledge) -> LinkedSchema:
    """Give a linked schema with what a prompt tells of the team's knowledge: rules, terms near the question, verified answers alike, examples."""
    rules = [t for t in knowledge.terms if t.kind is TermKind.RULE][:RULES_SHOWN]
    said = phrase_stems(question.text)
    close = [
        t
        for t in knowledge.terms
        if t.kind is not TermKind.RULE and any(phrase_stems(phrase) & said for phrase in t.phrases)
    ]
    alike = near(question.text, knowledge.verified, TOLD, LIKE)
    examples = (*alike, *knowledge.examples[:EXAMPLES_SHOWN])
    told = Knowledge((*rules, *close[:TERMS_SHOWN]), tuple(dict.fromkeys(examples)))
    return replace(linked, knowledge=told) if told.terms or told.verified else linked


_MOVING = re.compile(
    r"\b(?:last|this|current|currently|today|yesterday|tomorrow|past|previous|recent|recently|ago|so far|to date|ytd|mtd|qtd|next|now)\b",
    re.IGNORECASE,
)
_DAY = re.compile(r"'\d{4}-\d\d(?:-\d\d)?\b")


def moves_on(question: str, sql: str) -> str:
    """Give the word of a question that means other days tomorrow, where its SQL names days; empty where there is none.

    Example:
        >>> moves_on("revenue last month", "SELECT 1 WHERE d >= '2026-10-01'"), moves_on("last names", "SELECT last FROM t")
        ('last', '')
    """
    said = _MOVING.search(question)
    return said[0] if said and _DAY.search(sql) else ""


def template_text(answer: VerifiedAnswer, dialect: str) -> tuple[str, str]:
    """Give what tells a verified answer's template from others: its question without its values, and its SQL without literals.

    Example:
        >>> known = VerifiedAnswer("How many orders over 50?", "SELECT COUNT(*) FROM orders WHERE total > 50")
        >>> template_text(known, "sqlite")
        ('how mani order over #', 'SELECT COUNT(*) FROM orders WHERE total > ?')
    """
    template = _template(answer, dialect)
    if template is None:
        return " ".join(token.stem for token in _words(answer.question)), answer.sql
    said = " ".join(part if isinstance(part, str) else "#" for part in template.parts)
    bare = template.tree.transform(lambda node: exp.Placeholder() if isinstance(node, exp.Literal) else node)
    return said, bare.sql(dialect)


# ---------------------------------------------------------------- templates


def _words(text: str) -> list[Token]:
    return [t for t in tokenise(text) if t.kind != "mark" and not (t.kind == "word" and t.low in PURE)]


@lru_cache(maxsize=4_096)
def _template(answer: VerifiedAnswer, dialect: str) -> _Template | None:
    """The template of a verified answer; None where its SQL cannot be read, or its question says nothing."""
    try:
        tree = sqlglot.parse_one(answer.sql, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return None
    tokens = _words(answer.question)
    spans: dict[tuple[int, int], list[_Slot]] = {}
    strange = False
    for number, literal in enumerate(tree.find_all(exp.Literal)):
        text, like = _bare(literal)
        places = list(_places(text, literal.is_string, tokens))
        if len(places) == 1:
            slot = _Slot(number, text, not literal.is_string, _column(literal), like)
            spans.setdefault(places[0], []).append(slot)
        elif literal.is_string and (places or any(c.isalpha() for c in text)) and not _is_format(literal):
            strange = True  # a text that is in the SQL for the sake of another one, perhaps
    slots = _apart(spans)
    parts: list[str | _Slot] = []
    at = 0
    while at < len(tokens):
        held = slots.get(at)
        parts.append(held[1] if held is not None else _fixed(tokens[at]))
        at = held[0] if held is not None else at + 1
    stems = frozenset(part for part in parts if isinstance(part, str))
    return _Template(answer, tuple(parts), stems, tree, not strange) if stems else None


def _apart(spans: dict[tuple[int, int], list[_Slot]]) -> dict[int, tuple[int, _Slot]]:
    """Slots by where they begin: those that stand for one literal and share no word with another."""
    out: dict[int, tuple[int, _Slot]] = {}
    for (first, end), own in spans.items():
        alone = all(end <= a or b <= first for a, b in spans if (a, b) != (first, end))
        if len(own) == 1 and alone:
            out[first] = (end, own[0])
    return out


def _fixed(token: Token) -> str:
    return token.low if token.kind == "number" else token.stem


def _bare(literal: exp.Literal) -> tuple[str, tuple[str, str]]:
    """A literal's text, and the signs around it where it is a pattern."""
    text = str(literal.this)
    if literal.is_string and isinstance(literal.parent, (exp.Like, exp.ILike)):
        bare = text.strip("%")
        if "%" not in bare and "_" not in bare:
            return bare, ("%" * text.startswith("%"), "%" * (text.endswith("%") and len(text) > 1))
    return text, ("", "")


def _is_format(literal: exp.Literal) -> bool:
    return isinstance(literal.parent, (exp.Func, exp.Cast)) and not isinstance(literal.parent, exp.Connector)


def _places(text: str, is_string: bool, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where a question says a literal: from which word to which."""
    if not is_string:
        for n, token in enumerate(tokens):
            if _number(token) == text:
                yield n, n + 1
        return
    wanted = [t.low for t in tokenise(text) if t.kind != "mark"]
    if not wanted or len(wanted) > LONGEST:
        return
    for n in range(len(tokens)):
        if tokens[n].kind == "quoted" and tokens[n].low == fold(text):
            yield n, n + 1
        elif [t.low for t in tokens[n : n + len(wanted)]] == wanted:
            yield n, n + len(wanted)


def _number(token: Token) -> str:
    """The number that a word is; "one" is a pronoun more often."""
    if token.kind == "number":
        return token.low
    return str(NUMBER_WORDS[token.low]) if token.low in NUMBER_WORDS and token.low != "one" else ""


def _column(literal: exp.Literal) -> str:
    """The name of the column that a literal is compared with; empty where it is with none."""
    node = literal.parent
    if isinstance(node, exp.Paren):
        node = node.parent
    if not isinstance(
        node, (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Between)
    ):
        return ""
    sides = [node.this, node.args.get("expression")]
    for side in sides:
        inner = side.this if isinstance(side, (exp.Lower, exp.Upper, exp.Trim)) else side
        if isinstance(inner, exp.Column):
            return inner.name
    return ""


# ---------------------------------------------------------------- filling


def _filled(
    template: _Template, tokens: Sequence[Token], index: ValueIndex | None, dialect: str
) -> Vouched | None:
    """The verified SQL with what a question says in place of its values; None where the question is another."""
    for texts in _aligned(template.parts, tokens):
        swaps: dict[int, exp.Expr] = {}
        exchanged = []
        for slot, held in texts:
            made = _value(slot, held, index)
            if made is None:
                break
            if made != slot.was:
                exchanged.append(Exchange(slot.was, made))
                before, after = slot.like
                text = f"{before}{made}{after}"
                swaps[slot.literal] = exp.Literal.number(text) if slot.is_number else exp.Literal.string(text)
        else:
            if exchanged and not template.may_exchange:
                return None
            if not exchanged:
                return Vouched(template.answer, template.answer.sql)
            tree = template.tree.copy()
            for number, literal in enumerate(list(tree.find_all(exp.Literal))):
                if number in swaps:
                    literal.replace(swaps[number])
            return Vouched(template.answer, tree.sql(dialect), tuple(exchanged))
    return None


def _aligned(
    parts: Sequence[str | _Slot], tokens: Sequence[Token]
) -> Iterator[list[tuple[_Slot, Sequence[Token]]]]:
    """The ways to read the words of a question as a template's parts, one after the other and none left."""
    if not parts:
        if not tokens:
            yield []
        return
    if not tokens or len(tokens) < len(parts):
        return
    first, rest = parts[0], parts[1:]
    if isinstance(first, str):
        if _fixed(tokens[0]) == first:
            yield from _aligned(rest, tokens[1:])
        return
    most = 1 if first.is_number else min(LONGEST, len(tokens) - len(rest))
    for length in range(1, most + 1):
        for after in _aligned(rest, tokens[length:]):
            yield [(first, tokens[:length]), *after]


def _value(slot: _Slot, held: Sequence[Token], index: ValueIndex | None) -> str | None:
    """The stored value that words in a slot stand for, spelled as it is stored; None where they are no such value."""
    if slot.is_number:
        number = _number(held[0])
        if not number.replace(".", "", 1).isdigit() or len(slot.was) == 4 and len(number) != 4:
            return None
        return number
    said = " ".join(token.text for token in held)
    if fold(said) == fold(slot.was):
        return slot.was
    if slot.was.isdigit():
        return said if said.isdigit() and len(said) == len(slot.was) else None
    if any(slot.like):
        return said if held[0].kind == "quoted" or len(held) == 1 else None
    if index is None or not slot.column:
        return None
    stored = {
        match.value
        for match in index.lookup(said)
        if match.score >= 1 and match.column.column.lower() == slot.column.lower()
    }
    return stored.pop() if len(stored) == 1 else None

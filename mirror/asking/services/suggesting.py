"""Suggested questions, and continuations of a question that is being typed.

Fetches what is at hand of a source, its catalog, its value index and the questions asked before;
`sqlagent` decides what of it to offer. Nothing is read from the source itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from mirror.asking.selectors import runs_found
from mirror.knowledge.knowing import terms_of
from mirror.llms.selectors import llm_names
from mirror.sources.guarding import policy_of
from mirror.sources.sight import says_withheld, sight_now
from mirror.sources.unpacked import source_at_hand
from sqlagent.catalog.glossary.mentions import explained
from sqlagent.catalog.hiding import usable
from sqlagent.guard import Passed, check
from sqlagent.makers.analyst import WRITTEN, example_questions
from sqlagent.makers.analyst.marking import Mark, marks
from sqlagent.makers.following import chart_of_question
from sqlagent.makers.grammar.completing import MIN_NAME, Completion, complete
from sqlagent.makers.grammar.suggesting import spoken, suggest
from sqlagent.values import Catalog, Question, Term, TermKind

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

# As many as can be taken in at a glance: questions first, then names and values.
QUESTIONS, WORDS = 3, 8
# Questions shown on the start page of a source that nobody wrote examples for.
FIRST = 10
# Words of every question.
ASKING_WORDS = frozenset(("what", "which", "were", "there", "many", "much", "each", "have", "does"))
# Of what was typed, the end alone is looked at.
TYPED = 500


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that takes the place of what was typed from character `start` on."""

    text: str
    note: str
    start: int


@dataclass(frozen=True, slots=True)
class Typed:
    """Suggestions for a person who types, and which of the words so far are understood."""

    suggestions: list[Suggestion]
    marks: tuple[Mark, ...]


def question_typed(user: User, source: Source, typed: str, rest: str = "") -> Typed:
    """Suggest how `typed` (the question up to the cursor) may go on, most useful first, and mark what is understood.

    Nothing is marked where a language model answers: it understands other words; nor where no words can be found among
    the stored values here, because they are many.
    """
    if len(typed) + len(rest) > TYPED:
        return Typed([], ())
    found = _questions(user, source, typed.strip())
    catalog, index = source_at_hand(source)
    if catalog is None:
        return Typed(found, ())
    known, values = usable(catalog, index)
    terms = terms_of(source)
    words = [Suggestion(c.text, _note(c), c.start) for c in complete(typed, known, values, WORDS)]
    found += [*_terms(typed, terms), *words][:WORDS]
    if llm_names(source) or index is None or not index.finds_words or catalog.dialect not in WRITTEN:
        return Typed(found, ())
    text = typed + rest
    return Typed(
        found, _with_chart(text, _with_terms(marks(text, catalog, index, len(typed)), text, terms, catalog))
    )


def _terms(typed: str, terms: Sequence[Term]) -> list[Suggestion]:
    """Terms whose words begin as the last words typed."""
    found = []
    for term in terms:
        for phrase in term.phrases if term.kind is not TermKind.RULE else ():
            starts = [m.start() for m in re.finditer(r"(?<!\w)\w", typed)][-phrase.count(" ") - 1 :]
            at = next((s for s in starts if phrase.lower().startswith(typed[s:].lower())), None)
            if at is not None and MIN_NAME <= len(typed) - at < len(phrase):
                by = _(", by %(by)s") % {"by": term.author} if term.author else ""
                found.append(Suggestion(phrase, f"term{by}", at))
    return found[:QUESTIONS]


def _with_terms(
    found: tuple[Mark, ...], text: str, terms: tuple[Term, ...], catalog: Catalog
) -> tuple[Mark, ...]:
    """Marks in which words of terms are understood, whatever else they would be."""
    said = explained(Question(text), terms, catalog)[0].mentions
    spans = [(start, start + len(one.words)) for one in said if (start := text.find(one.words)) >= 0]
    kept = [m for m in found if all(m.end <= start or end <= m.start for start, end in spans)]
    return tuple(sorted([*kept, *(Mark(start, end, True) for start, end in spans)], key=lambda m: m.start))


def _with_chart(text: str, found: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Marks in which the words that say how the answer is drawn are understood."""
    rest, mark = chart_of_question(text)
    if not mark:
        return found
    start = text.find(rest) + len(rest)
    kept = [one for one in found if one.end <= start]
    return (*kept, Mark(start, len(text.rstrip(" .?!")), True))


def questions_first(source: Source) -> tuple[str, ...]:
    """Give questions to begin with: the source's examples, else those of its semantic model, else of its tables' names."""
    if (
        source.examples and sight_now(source).login.is_own
    ):  # others may say values that their login does not read
        return tuple(one for one in map(str, source.examples) if not says_withheld(source, one))
    catalog, index = source_at_hand(source)
    if catalog is None:
        return ()
    policy = policy_of(source)
    found = example_questions(
        catalog, index, lambda sql: isinstance(check(sql, catalog, policy), Passed), FIRST, policy
    )
    return found or suggest(*usable(catalog, index), FIRST)


def questions_near(source: Source, question: str, most: int) -> tuple[str, ...]:
    """Give the questions to begin with that share most words with one that has no answer, the likeliest first among equals."""
    words = _telling(question)
    return tuple(sorted(questions_first(source), key=lambda one: -len(words & _telling(one)))[:most])


def _telling(question: str) -> set[str]:
    """The words of a question that can tell what it is about."""
    return set(re.findall(r"\w{4,}", question.lower())) - ASKING_WORDS


def _questions(user: User, source: Source, typed: str) -> list[Suggestion]:
    if len(typed) < MIN_NAME:
        return []
    asked = runs_found(user, typed, source.name).exclude(asked="").values_list("asked", flat=True)
    known = dict.fromkeys([*questions_first(source), *asked[:20]])
    low = typed.lower()
    matching = [text for text in known if low in text.lower() and text.lower() != low]
    return [Suggestion(text, "question", 0) for text in matching[:QUESTIONS]]


def _note(found: Completion) -> str:
    """Say what a completion is: a table, a column of one, or what is stored in a column."""
    table = spoken(found.table.rsplit(".", 1)[-1])
    if found.kind == "table":
        return "table"
    if found.kind == "column":
        return _("column of %(table)s") % {"table": table}
    return _("%(column)s of %(table)s") % {"column": spoken(found.column), "table": table}

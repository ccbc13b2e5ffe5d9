"""What somebody may ask, and how what is being typed may go on.

Fetches what is at hand of a source, its catalog, its value index and the questions asked before;
`sqlagent` decides what of it to offer. Nothing is read from the source itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mirror.asking.selectors import runs_found
from mirror.asking.services.answer_stream import llm_name
from mirror.sources.guarding import policy_of
from mirror.sources.unpacked import source_at_hand
from sqlagent.catalog.hiding import usable
from sqlagent.guard import Passed, check
from sqlagent.makers.analyst import WRITTEN, example_questions
from sqlagent.makers.analyst.marking import Mark, marks
from sqlagent.makers.grammar.completing import MIN_NAME, Completion, complete
from sqlagent.makers.grammar.suggesting import spoken, suggest

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

# As many as can be taken in at a glance: questions first, then names and values.
QUESTIONS, WORDS = 3, 8
# Questions shown on the start page of a source that nobody wrote examples for.
FIRST = 10
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
    """What is offered to somebody who types, and which of the words so far are understood."""

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
    found += [Suggestion(c.text, _note(c), c.start) for c in complete(typed, known, values, WORDS)]
    if llm_name() or index is None or not index.finds_words or catalog.dialect not in WRITTEN:
        return Typed(found, ())
    return Typed(found, marks(typed + rest, catalog, index, len(typed)))


def questions_first(source: Source) -> tuple[str, ...]:
    """Give questions to begin with: the source's examples, else those of its semantic model, else of its tables' names."""
    if source.examples:
        return tuple(map(str, source.examples))
    catalog, index = source_at_hand(source)
    if catalog is None:
        return ()
    policy = policy_of(source)
    found = example_questions(
        catalog, index, lambda sql: isinstance(check(sql, catalog, policy), Passed), FIRST, policy
    )
    return found or suggest(*usable(catalog, index), FIRST)


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
    return f"column of {table}" if found.kind == "column" else f"{spoken(found.column)} of {table}"

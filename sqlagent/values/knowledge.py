"""A team's knowledge of a source: terms of its own, and answers that somebody vouched for. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TermKind(StrEnum):
    """The meaning of a term, and what its body holds.

    `name`: a table or a column. `filter`: a condition. `measure`: an aggregate, with a filter of its own inside. `value`: a column equal to
    one stored value. `rule`: a text for language models, in words.
    """

    NAME = "name"
    FILTER = "filter"
    MEASURE = "measure"
    VALUE = "value"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Term:
    """A phrase of a team and what it means in one source. `body` is SQL of the source's dialect, with full names; of a rule it is text.

    One that `holds_values` was made of verified SQL: what it says of stored values nobody typed for language models.
    """

    phrase: str
    kind: TermKind
    body: str
    synonyms: tuple[str, ...] = ()
    description: str = ""
    unit: str = ""
    author: str = ""
    holds_values: bool = False

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrase and its synonyms."""
        return (self.phrase, *self.synonyms)


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """A question as it was asked, and SQL that somebody vouched for; `when` in words, `key` names it to who keeps it."""

    question: str
    sql: str
    author: str = ""
    when: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A team's knowledge of one source: terms in force, and verified answers whose SQL still runs.

    `examples` are verified answers that a language model is shown with every question; they answer none by themselves.
    """

    terms: tuple[Term, ...] = ()
    verified: tuple[VerifiedAnswer, ...] = ()
    examples: tuple[VerifiedAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class UsedTerm:
    """A term that words of a question say, and whether the SQL takes it as it is defined."""

    words: str
    term: Term
    is_used: bool = True


@dataclass(frozen=True, slots=True)
class Exchange:
    """A value or number of a verified question, and what stands in its place."""

    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Vouched:
    """A verified answer that a question is the template of, and what was exchanged in it."""

    answer: VerifiedAnswer
    sql: str
    exchanged: tuple[Exchange, ...] = ()

"""Questions worth verifying, made from the semantic model, each in several wordings that ask the same.

The first wording is one that the analyst reads as the frame it was made for; the others say that frame as people would. They
may be read otherwise or not at all: verified, they measure that. Runs no statement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.questions import FAMILIES, Making, Passes
from sqlagent.makers.analyst.source import source_of
from sqlagent.values import Catalog

TRIES = 200
"""Questions read for one source at most."""

A_FAMILY = 3
"""Questions of one family about one table."""

LONGEST = 200
"""Characters of a question that is said in other words."""

_NUMBERS = {"3": "three", "5": "five"}


@dataclass(frozen=True, slots=True)
class Posed:
    """A question to verify: its wordings, the one that the analyst surely reads first, and its family."""

    wordings: tuple[str, ...]
    family: str

    @property
    def text(self) -> str:
        """The first wording."""
        return self.wordings[0]


def questions_to_verify(
    catalog: Catalog, index: ValueIndex | None, passes: Passes, most: int = 20
) -> tuple[Posed, ...]:
    """Give up to `most` questions, families in turn; empty where the model has nothing to ask. Takes some seconds where there are many tables."""
    if not any(table.columns for table in catalog.tables):
        return ()
    return tuple(_Posing(source_of(catalog, index), catalog, index, passes).posed(most))


class _Posing(Making):
    def posed(self, most: int) -> list[Posed]:
        """The questions that hold: one of each family and table, then a second one, and a third."""
        self.left = TRIES
        found: dict[str, Posed] = {}
        frames: set[str] = set()
        rounds = [self._of_tables(number) for number in range(A_FAMILY)]
        for one, sql in (pair for each in rounds for pair in each):
            if len(found) >= most:
                break
            if sql not in frames:
                frames.add(sql)
                found.setdefault(one.text, one)
        return list(found.values())

    def _of_tables(self, number: int) -> Iterator[tuple[Posed, str]]:
        """The question of this number that holds, of each family and table, tables in turn."""
        anchors = [(one, figure) for one in self._anchors() if (figure := self._figure(one)) is not None]
        for family in FAMILIES:
            for anchor, figure in anchors:
                seen: Counter[str] = Counter()
                for proposal in family(self, anchor, figure):
                    understood = self._understood(proposal)
                    if understood is None:
                        continue
                    seen["held"] += 1
                    if seen["held"] > number:
                        self.used.update(proposal.uses)
                        frame, sql = understood
                        yield Posed(wordings(proposal.text, frame), family.__name__), sql
                        break


def wordings(text: str, frame: Frame) -> tuple[str, ...]:
    """Say a question as people would, the text itself first; a long one, of names of tables that nobody would say, only as it is.

    Example:
        >>> from sqlagent.makers.analyst.frames import Measure
        >>> wordings("Top 5 stores by revenue", Frame("sales", (Measure("sum", "sales"),)))
        ('Top 5 stores by revenue', 'Which five stores have the highest revenue?', 'The 5 stores with the highest revenue')
    """
    if len(text) > LONGEST:
        return (text,)
    counts = bool(frame.measures) and all(one.agg in ("rows", "distinct") for one in frame.measures)
    for pattern, of_sums, of_counts in _WORDINGS:
        if (said := pattern.fullmatch(text)) is not None:
            parts = {name: part or "" for name, part in said.groupdict().items()}
            parts["small"] = _small(parts.get("what", ""))
            parts["spelled"] = _NUMBERS.get(parts.get("n", ""), parts.get("n", ""))
            made = [one.format(**parts) for one in (of_counts if counts else of_sums)]
            return tuple(dict.fromkeys((text, *(one[:1].upper() + one[1:] for one in made))))
    return (text,)


def _small(words: str) -> str:
    """Words as they stand inside a sentence."""
    first = words.split(" ", 1)[0]
    return words if first[1:] != first[1:].lower() else words[:1].lower() + words[1:]


_YEAR = r"(?P<year>\d{4})"
_WORDINGS = tuple(
    (re.compile(pattern), of_sums, of_counts)
    for pattern, of_sums, of_counts in (
        (
            rf"Running total of (?P<what>.+) by month, {_YEAR}",
            ("Cumulative {small} by month in {year}", "{small} added up month after month in {year}"),
            ("Cumulative number of {small} by month in {year}", "{small} added up month after month in {year}"),
        ),
        (
            rf"(?P<what>.+) by month, {_YEAR}",
            ("Monthly {small} in {year}", "How did {small} develop from month to month in {year}?"),
            ("Monthly number of {small} in {year}", "How many {small} were there in each month of {year}?"),
        ),
        (
            rf"(?P<what>.+) growth {_YEAR} vs (?P<before>\d{{4}}) by (?P<group>.+)",
            ("By how many percent did {small} change from {before} to {year} for each {group}?", "Change of {small} from {before} to {year} by {group} in percent"),
            ("By how many percent did the number of {small} change from {before} to {year} for each {group}?", "Change of the number of {small} from {before} to {year} by {group} in percent"),
        ),
        (
            rf"(?P<what>.+) by (?P<group>.+), {_YEAR}",
            ("What was the {small} for each {group} in {year}?", "{year} {small} broken down by {group}"),
            ("How many {small} were there for each {group} in {year}?", "{year} {small} broken down by {group}"),
        ),
        (
            r"Top (?P<n>\d+) (?P<what>.+) in each (?P<group>.+) by (?P<by>.+)",
            ("For each {group}, which {spelled} {small} have the highest {by}?", "The {n} {small} with the highest {by} within each {group}"),
            ("For each {group}, which {spelled} {small} have the most {by}?", "The {n} {small} with the most {by} within each {group}"),
        ),
        (
            r"Top (?P<n>\d+) (?P<what>.+) by (?:number of )?(?P<by>.+)",
            ("Which {spelled} {small} have the highest {by}?", "The {n} {small} with the highest {by}"),
            ("Which {spelled} {small} have the most {by}?", "The {n} {small} with the most {by}"),
        ),
        (
            r"Share of (?P<what>.+) by (?P<group>.+)",
            ("What percentage of {small} does each {group} have?", "{small} by {group} in percent of the total"),
            ("What percentage of {small} does each {group} have?", "{small} by {group} in percent of the total"),
        ),
        (
            rf"(?P<what>.+) without (?P<event>.+) in {_YEAR}",
            ("Which {small} had no {event} in {year}?", "{small} that had no {event} in {year}"),
            ("Which {small} had no {event} in {year}?", "{small} that had no {event} in {year}"),
        ),
        (
            r"(?P<what>.+) without (?P<event>.+)",
            ("Which {small} have no {event}?", "{small} that never had any {event}"),
            ("Which {small} have no {event}?", "{small} that never had any {event}"),
        ),
        (
            r"Number of (?P<what>.+) by weekday",
            (),
            ("How many {small} are there on each day of the week?", "{small} per weekday"),
        ),
        (
            r"Number of (?P<what>.+) by (?P<group>.+)",
            (),
            ("How many {small} are there for each {group}?", "{small} per {group}"),
        ),
        (
            r"Average (?P<what>.+) by (?P<group>.+)",
            ("What is the average {small} for each {group}?", "Mean {small} per {group}"),
            (),
        ),
        (
            r"(?P<what>.+): (?P<one>.+) vs (?P<other>.+)",
            ("Compare the {small} of {one} and {other}", "What is the {small} for {one} compared with {other}?"),
            ("Compare the number of {small} of {one} and {other}", "How many {small} does {one} have compared with {other}?"),
        ),
        (
            r"(?P<what>.+) by (?P<group>.+)",
            ("What is the {small} for each {group}?", "{small} per {group}"),
            ("How many {small} are there for each {group}?", "{small} per {group}"),
        ),
    )
)  # fmt: skip
"""A pattern of a question's first wording, and how else its figure is asked for: a sum or average, and a count."""

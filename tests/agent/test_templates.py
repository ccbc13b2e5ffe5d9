"""Verified answers serve questions of the very same template, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlagent import pipeline
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.events import Ended, Noted
from sqlagent.method.templates import matched, near
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Answer, Knowledge, Outcome, Question, VerifiedAnswer
from tests.agent.test_hints_told import SCRIPT

NORWAY = "SELECT COUNT(*) FROM patrons WHERE country = 'Norway'"
HEAVY = "SELECT name FROM breads WHERE weight_g > 300 ORDER BY weight_g DESC LIMIT 2"


class Bakery:
    """One source, asked with what was verified there."""

    def __init__(self) -> None:
        self.database = MemoryDatabase(SCRIPT)
        self.catalog = self.database.catalog()
        self.index = ValueIndex.build(self.catalog, self.database)

    def ask(self, text: str, *known: VerifiedAnswer) -> tuple[Answer, list[object]]:
        events = list(
            pipeline.answer(
                Question(text),
                database=self.database,
                catalog=self.catalog,
                index=self.index,
                knowledge=Knowledge(verified=known),
            )
        )
        return next(event.answer for event in events if isinstance(event, Ended)), events


@pytest.fixture(scope="module")
def bakery() -> Iterator[Bakery]:
    made = Bakery()
    yield made
    made.database.close()


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        ("how many patrons are in norway", NORWAY),
        ("How many patrons in Sweden?", NORWAY.replace("Norway", "Sweden")),
        ("How many patrons are in Atlantis?", None),
        ("How many patrons are in Lund?", None),  # a town of bakeries, and no country
        ("How many patrons are not in Norway?", None),
        ("How many breads are in Norway?", None),
        ("How many patrons are in Norway by month?", None),
        ("In Norway are how many patrons?", None),
        ("How many patrons are in Norway or Sweden?", None),
        ("", None),
    ],
)
def test_text_values_are_exchanged_within_their_column_alone(bakery, asked, sql):
    known = (VerifiedAnswer("How many patrons are in Norway?", NORWAY),)
    found = matched(Question(asked), known, "sqlite", bakery.index)
    assert (found.sql if found else None) == sql


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        ("the 3 heaviest breads over 500 grams", HEAVY.replace("300", "500").replace("LIMIT 2", "LIMIT 3")),
        ("two heaviest breads over 300 grams", HEAVY),
        ("the 2 heaviest breads under 300 grams", None),
        ("the 2 heaviest breads over grams", None),
    ],
)
def test_numbers_are_exchanged_each_in_its_place(asked, sql):
    known = (VerifiedAnswer("the 2 heaviest breads over 300 grams", HEAVY),)
    found = matched(Question(asked), known, "sqlite", None)
    assert (found.sql if found else None) == sql


@pytest.mark.parametrize(
    ("question", "sql", "asked"),
    [
        # One number that stands in the SQL twice: nobody knows which is meant.
        ("breads over 300", "SELECT 1 FROM breads WHERE weight_g > 300 AND price < 300", "breads over 400"),
        # A text that the question does not say may belong to the one that it says.
        ("patrons in Norway", "SELECT 1 FROM patrons WHERE country = 'Norway' AND name = 'Oslo'", "patrons in Sweden"),
        # A year is no thousand.
        ("orders in 2024", "SELECT 1 FROM orders WHERE year = 2024", "orders in 12"),
        # SQL that nobody can read.
        ("breads over 300", "SELECT FROM WHERE", "breads over 300"),
    ],
)  # fmt: skip
def test_what_cannot_be_exchanged_safely_is_another_question(bakery, question, sql, asked):
    assert matched(Question(asked), (VerifiedAnswer(question, sql),), "sqlite", bakery.index) is None


def test_two_verified_answers_that_contradict_each_other_answer_nothing():
    one, other = VerifiedAnswer("big breads", "SELECT 1"), VerifiedAnswer("the big breads", "SELECT 2")
    assert matched(Question("big breads"), (one, other), "sqlite", None) is None
    assert matched(Question("big breads"), (one, one), "sqlite", None) is not None


def test_an_answer_from_a_template_says_who_verified_it_and_what_was_exchanged(bakery):
    known = VerifiedAnswer("How many patrons are in Norway?", NORWAY, "Ann", "3 May 2026", "7")
    found, _ = bakery.ask("How many patrons are in Sweden?", known)
    assert found.outcome is Outcome.ANSWERED and found.rows.rows == ((27,),)
    assert found.reason == (
        "Verified by Ann on 3 May 2026 as “How many patrons are in Norway?”, with “Sweden” for “Norway”."
    )
    assert found.vouched is not None and found.vouched.answer.key == "7"


def test_a_verified_answer_that_no_longer_runs_is_told_and_the_question_answered_anew(bakery):
    known = VerifiedAnswer("how many breads", "SELECT COUNT(*) FROM loaves")
    found, events = bakery.ask("how many breads", known)
    assert found.vouched is None and found.rows.rows == ((4,),)
    assert any(isinstance(event, Noted) and "no longer runs" in event.message for event in events)


def test_what_would_write_is_refused_although_it_was_verified(bakery):
    found, _ = bakery.ask("how many breads", VerifiedAnswer("how many breads", "DELETE FROM breads"))
    assert found.vouched is None and found.rows.rows == ((4,),)


def test_alike_is_shown_and_never_an_answer(bakery):
    known = VerifiedAnswer("number of heavy rye breads by bakery", "SELECT 99")
    assert near("number of heavy wheat breads by bakery", (known,)) == (known,)
    found, _ = bakery.ask("number of heavy wheat breads by bakery", known)
    assert found.vouched is None and "99" not in found.sql


def test_the_title_of_a_verified_answer_is_its_question(bakery: Bakery) -> None:
    text = "top 2 breads over 300 g in 2025?"
    assert bakery.ask(text, VerifiedAnswer(text, HEAVY))[0].title == "Top 2 breads over 300 g in 2025"

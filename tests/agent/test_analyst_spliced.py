"""Random questions, spliced of two that make sense: each is read to an end, told, and its SQL runs."""

from __future__ import annotations

import logging
import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlagent.makers.analyst import faults
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed
from sqlagent.makers.analyst.frames import Expr, Frame, Measure
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.reads import MOST, MOST_OF_A_CHANGE, sharing
from sqlagent.makers.analyst.rows import NoPlan
from sqlagent.makers.analyst.sampler import Analysis
from sqlagent.makers.analyst.telling import told
from tests.agent.places import place, rows
from tests.agent.test_analyst_held import ORCHARD
from tests.lengths import many

TODAY = date(2026, 3, 10)
ASKED = (
    "amount by fruit in 2025",
    "top 3 growers by amount last year",
    "average amount per delivery by month in 2025",
    "growers without deliveries this year",
    "how many contracts were cancelled in 2025",
    "share of rejected deliveries by fruit",
    "growers who earn more than their boss",
    "growth of amount by year",
    "first and last delivery of Bo",
    "number of rejections by reason, bruised vs late",
    "fruits with a price above 4 and a cost below 5",
    "amount per crate by grower, highest first",
    "which fruit was delivered most often in January 2026",
    "running total of crates by month 2025",
    "deliveries per 100 crates in 2024 and in 2025",
    "which growers had more amount than last year",
    "percentage of active contracts by grower",
    "median amount per grower excluding apples",
    "days between hired and the first delivery by grower",
    "deliveries that were never rejected",
)


TYPED = (
    "only 2025",
    "by month instead",
    "and by grower?",
    "without apples",
    "top 3",
    "as a share of the total",
    "compared with the year before",
    "what about Bo",
    "last each year, share by",
    "drop the crates, just amount",
    "how many groups",
    "sorted by name descending",
    "with number of deliveries alongside",
    "not bruised but late, in percent of all deliveries",
    "all years again",
    "the 5 growers with the most crates and who delivered the most",
    "price of apples - number, fruit, amount",
    "of each month, how many of each, cancelled not counted",
)
"""Follow-ups, and turns of phrase that are worded anew."""

WORDS = sorted(
    {word for text in (*ASKED, *TYPED) for word in text.split()} | {"%", "-", "(", "'", "0", "99999999999"}
)
SPLICED = st.lists(st.sampled_from([*ASKED, *TYPED]) | st.sampled_from(WORDS), min_size=1, max_size=25).map(
    " ".join
)


@pytest.fixture(scope="module")
def orchard():
    return place(ORCHARD)


@settings(max_examples=many(25, 100), deadline=None)
@given(text=SPLICED, typed=SPLICED)
def test_whatever_is_spliced_is_read_within_its_budget_and_ends_in_no_error(orchard, text, typed):
    """The log tells of errors in the planner: it stays silent."""
    kept: list[logging.LogRecord] = []
    listening = logging.Handler()
    listening.emit = kept.append  # type: ignore[method-assign]
    faults.log.addHandler(listening)
    try:
        with sharing(MOST) as reads:
            reading, frames = understand(text, orchard[1], TODAY)
        assert reads.left >= 0
        assert Analysis(reading, tuple(frames), (), True).outcome()
        assert all(told(one.frame) for one in frames[:3])
        with sharing(MOST_OF_A_CHANGE) as reads:
            changed(typed, text, orchard[1], TODAY)
        assert reads.left >= 0
    finally:
        faults.log.removeHandler(listening)
    assert not [one.getMessage() for one in kept]


def test_spliced_questions_are_read_to_an_end():
    orchard, chance = place(ORCHARD), random.Random(2026)
    for _ in range(many(30, 150)):
        first, second = (one.split() for one in chance.sample(ASKED, 2))
        words = [*first[: chance.randint(1, len(first))], *second[chance.randrange(len(second)) :]]
        if chance.random() < 0.25:
            chance.shuffle(words)
        text = " ".join(words)
        reading, frames = understand(text, orchard[1], TODAY)
        assert Analysis(reading, tuple(frames), (), True).outcome(), text
        for one in frames[:3]:
            assert told(one.frame), text
            rows(orchard, one.sql)


def test_a_column_that_nothing_sums_up_is_no_figure():
    source = place(ORCHARD)[1]
    figure = Measure("", "deliveries", Expr("column", (source.slot("deliveries", "amount"),)))
    with pytest.raises(NoPlan):
        Planner(source.model).sql(Frame("deliveries", (figure,)))

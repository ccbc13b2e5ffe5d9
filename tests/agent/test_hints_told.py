"""Hints as managers write them: conditions, formulas and plain words reach the analyst, or nothing is called answered.

The source is a bakery of our own: orders with lines, refunds below them, visits beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from sqlagent import pipeline
from sqlagent.catalog import hints
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import FrameError
from sqlagent.events import Ended
from sqlagent.makers.analyst.formulas import is_shape
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.stored_frames import frame_of
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Answer, Limits, Outcome, Question

SCRIPT = """
CREATE TABLE bakeries (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE patrons (id INTEGER PRIMARY KEY, name TEXT, country TEXT, signed_up_on DATE, email TEXT);
CREATE TABLE breads (id INTEGER PRIMARY KEY, name TEXT, weight_g INTEGER, price NUMERIC, cost NUMERIC, grain TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, patron_id INTEGER REFERENCES patrons (id), bakery_id INTEGER REFERENCES bakeries (id),
  ordered_on DATE, channel TEXT);
CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (id), bread_id INTEGER REFERENCES breads (id),
  quantity INTEGER, amount NUMERIC);
CREATE TABLE refunds (id INTEGER PRIMARY KEY, order_line_id INTEGER REFERENCES order_lines (id), refunded_on DATE, refunded_amount NUMERIC);
INSERT INTO bakeries VALUES (1, 'North', 'Lund'), (2, 'South', 'Umea');
INSERT INTO breads VALUES (1, 'Rye', 900, 6, 3, 'rye'), (2, 'Bun', 80, 1, 0.25, 'wheat'), (3, 'Loaf', 500, 4, 1, 'rye'), (4, 'Baguette', 250, 2, 1, 'wheat');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO patrons SELECT i, 'Patron ' || i, CASE i % 3 WHEN 0 THEN 'Norway' ELSE 'Sweden' END,
  DATE('2023-06-01', '+' || (i * 20) || ' days'), CASE WHEN i % 5 THEN 'p' || i || '@example.org' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO orders SELECT i, 1 + (i * i) % 31, 1 + i % 2, DATE('2024-01-03', '+' || (i * 2) || ' days'), CASE i % 4 WHEN 0 THEN 'web' ELSE 'shop' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
INSERT INTO order_lines SELECT i, 1 + i % 300, 1 + i % 4, 1 + i % 5, (1 + i % 5) * (1 + i % 4) * 2 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO refunds SELECT i, 1 + (i * 7) % 60, DATE('2024-03-01', '+' || (i * 5) || ' days'), 1 + i % 6 FROM n;
"""

LINES = "order_lines l JOIN orders o ON o.id = l.order_id"
HEAVY = "SELECT COUNT(*) FROM breads WHERE weight_g > 300"


class Bakery:
    """One source, and what is asked of it."""

    def __init__(self) -> None:
        self.database = MemoryDatabase(SCRIPT)
        self.catalog = self.database.catalog()
        self.index = ValueIndex.build(self.catalog, self.database)

    def ask(self, text: str, hint: str = "") -> Answer:
        question = Question(text, hint=hint)
        events = pipeline.answer(question, database=self.database, catalog=self.catalog, index=self.index)
        return next(event.answer for event in events if isinstance(event, Ended))

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        return _rounded(self.database.execute(sql, Limits()).rows)


def _rounded(rows: object) -> list[tuple[object, ...]]:
    cells = [tuple(round(float(c), 6) if isinstance(c, int | float) else c for c in row) for row in rows]  # type: ignore[attr-defined]
    return sorted(cells, key=repr)


@pytest.fixture(scope="module")
def bakery() -> Iterator[Bakery]:
    yield Bakery()


def assert_answered(bakery: Bakery, question: str, hint: str, gold: str) -> Answer:
    told = bakery.ask(question, hint)
    assert told.outcome is Outcome.ANSWERED, (told.reason, told.sql)
    assert told.unused_hint == ()
    assert told.rows is not None and _rounded(told.rows.rows) == bakery.rows(gold), told.sql
    return told


# ---------------------------------------------------------------- conditions


@pytest.mark.parametrize(
    "hint",
    [
        "whale refers to weight_g > 300",
        "whale = weight_g > 300",
        "a whale is weight_g > 300",
        "weight_g > 300 is a whale",
        "weight_g > 300 are whales",
        "weight_g > 300 means whale",
        "whale: weight_g > 300",
        '"weight_g" > 300 is called a whale',
        "whale means 'weight_g' > 300",
        "whale means `weight_g` > 300",
        "whale means [weight_g] > 300",
        "whale means breads.weight_g > 300",
        "whale means Weight_G > 300",
        "whale means weight g > 300",
        "whale means wieght_g > 300",
        "whale refers to weight of more than 300",
        "whale refers to a weight over 300",
        "whales are breads with a weight of more than 300",
        "breads with a weight of more than 300 are whales",
    ],
)
def test_a_condition_is_taken_however_it_is_written(bakery: Bakery, hint: str) -> None:
    assert_answered(bakery, "How many whales are there?", hint, HEAVY)


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("list the whales", "SELECT name FROM breads WHERE weight_g > 300"),
        ("share of whales", "SELECT 100.0 * SUM(weight_g > 300) / COUNT(*) FROM breads"),
        ("average price of whales", "SELECT AVG(price) FROM breads WHERE weight_g > 300"),
        (
            "sales of whales by town",
            f"SELECT town, SUM(amount) FROM {LINES} JOIN bakeries b ON b.id = bakery_id JOIN breads x ON x.id = bread_id "
            "WHERE weight_g > 300 GROUP BY town",
        ),
        (
            "sales without whales by channel",
            f"SELECT channel, SUM(amount) FROM {LINES} JOIN breads x ON x.id = bread_id WHERE NOT weight_g > 300 GROUP BY channel",
        ),
        ("how many breads are not whales", "SELECT COUNT(*) FROM breads WHERE NOT weight_g > 300"),
        ("number of non-whales", "SELECT COUNT(*) FROM breads WHERE NOT weight_g > 300"),
        (
            "number of patrons who ordered whales",
            "SELECT COUNT(DISTINCT patron_id) FROM orders WHERE id IN (SELECT order_id FROM order_lines l "
            "JOIN breads x ON x.id = bread_id WHERE weight_g > 300)",
        ),
    ],
)  # fmt: skip
def test_a_condition_holds_wherever_its_word_stands(bakery: Bakery, question: str, gold: str) -> None:
    assert_answered(bakery, question, "whale refers to weight_g > 300", gold)


@pytest.mark.parametrize(
    ("question", "hint", "gold"),
    [
        ("number of dark breads", "dark breads means name = 'RYE_'", "SELECT 1"),
        ("number of light breads", "light means weight_g between 100 and 300", "SELECT 1"),
        ("number of odd breads", "odd means weight_g < 100 or weight_g = 900", "SELECT 2"),
        ("number of pricey breads", "pricey means price >= cost", "SELECT 4"),
        ("number of small breads", "small means name like 'B%'", "SELECT 2"),
        ("number of silent patrons", "silent patrons means email is null", "SELECT COUNT(*) FROM patrons WHERE email IS NULL"),
        ("number of early patrons", "early means signed_up_on <= '2023-12-31'", "SELECT COUNT(*) FROM patrons WHERE signed_up_on < '2024-01-01'"),
        ("number of northern patrons", "northern means country in ('norway', 'Sweden')", "SELECT COUNT(*) FROM patrons"),
        (
            "number of net orders in the cold time",
            "net orders refers to channel = 'WEB'; cold time refers to ordered_on BETWEEN '2024-01-01' AND '2024-02-29'",
            "SELECT COUNT(*) FROM orders WHERE channel = 'web' AND ordered_on BETWEEN '2024-01-01' AND '2024-02-29'",
        ),
    ],
)  # fmt: skip
def test_comparisons_are_those_of_the_hint(bakery: Bakery, question: str, hint: str, gold: str) -> None:
    assert_answered(bakery, question, hint, gold)


BIG = "SELECT {} FROM patrons WHERE country = 'Norway' AND id IN (SELECT patron_id FROM orders o JOIN order_lines l ON o.id = order_id WHERE amount > 30)"


def test_conditions_over_several_tables_hold_of_what_the_rows_belong_to(bakery: Bakery) -> None:
    hint = "big spender means amount > 30 and country = 'Norway'"
    assert_answered(bakery, "number of big spenders", hint, BIG.format("COUNT(*)"))
    assert_answered(bakery, "How many patrons are big spenders?", hint, BIG.format("COUNT(*)"))
    told = bakery.ask("sales from big spenders", hint)
    assert told.outcome is Outcome.AMBIGUOUS
    assert "the hint does not say whether “big spender” holds" in told.reason


# ---------------------------------------------------------------- in words


@pytest.mark.parametrize(
    ("question", "hint", "gold"),
    [
        (
            "number of active patrons",
            "active patron = at least one order in 2025",
            "SELECT COUNT(DISTINCT patron_id) FROM orders WHERE ordered_on >= '2025-01-01' AND ordered_on < '2026-01-01'",
        ),
        (
            "number of regulars by country",
            "regulars = patrons with at least 12 orders",
            "SELECT country, COUNT(*) FROM patrons WHERE id IN (SELECT patron_id FROM orders GROUP BY 1 HAVING COUNT(*) >= 12) GROUP BY 1",
        ),
        (
            "sales from regulars",
            "patrons with at least 12 orders are regulars",
            f"SELECT SUM(amount) FROM {LINES} WHERE patron_id IN (SELECT patron_id FROM orders GROUP BY 1 HAVING COUNT(*) >= 12)",
        ),
        (
            "number of lapsed patrons",
            "lapsed patrons = no order since 2025",
            "SELECT COUNT(*) FROM patrons WHERE id NOT IN (SELECT patron_id FROM orders WHERE ordered_on >= '2025-01-01')",
        ),
        (
            "number of recent orders",
            "recent = last 90 days",
            "SELECT COUNT(*) FROM orders WHERE ordered_on >= DATE((SELECT MAX(d) FROM (SELECT MAX(ordered_on) d FROM orders UNION SELECT MAX(refunded_on) FROM refunds UNION SELECT MAX(signed_up_on) FROM patrons)), '-89 days')",
        ),
        ("number of reachable patrons", "reachable = has an email", "SELECT COUNT(*) FROM patrons WHERE email IS NOT NULL"),
        (
            "net money by town",
            "net money = revenue minus refunded amount",
            "SELECT town, SUM(amount) - (SELECT SUM(refunded_amount) FROM refunds r JOIN order_lines k ON k.id = r.order_line_id "
            f"JOIN orders p ON p.id = k.order_id WHERE p.bakery_id = b.id) FROM {LINES} JOIN bakeries b ON b.id = o.bakery_id GROUP BY b.id",
        ),
        (
            "complaint quota by channel",
            "complaint quota = refunds out of all order lines",
            "SELECT channel, 1.0 * (SELECT COUNT(*) FROM refunds r JOIN order_lines k ON k.id = r.order_line_id JOIN orders p ON p.id = k.order_id "
            f"WHERE p.channel = o.channel) / COUNT(*) FROM {LINES} GROUP BY channel",
        ),
    ],
)  # fmt: skip
def test_a_definition_in_words_is_understood_as_a_question_is(
    bakery: Bakery, question: str, hint: str, gold: str
) -> None:
    assert_answered(bakery, question, hint, gold)


# ---------------------------------------------------------------- formulas


def test_a_formula_spoils_nothing_that_was_right_without_it(bakery: Bakery) -> None:
    gold = f"SELECT town, SUM(amount) - SUM(quantity * cost) FROM {LINES} JOIN breads x ON x.id = bread_id JOIN bakeries b ON b.id = bakery_id WHERE ordered_on LIKE '2024%' GROUP BY town"
    assert_answered(bakery, "profit by town 2024", "profit = SUM(amount) - SUM(quantity*cost)", gold)


def test_sums_of_two_tables_are_each_on_their_own(bakery: Bakery) -> None:
    hint = "net sales = SUM(amount) - SUM(refunded_amount)"
    whole = "(SELECT SUM(amount) FROM order_lines) - (SELECT SUM(refunded_amount) FROM refunds)"
    told = assert_answered(bakery, "what are our net sales", hint, f"SELECT {whole}")
    assert "sum of amount - sum of refunded amount" in told.reason
    each = bakery.ask("net sales by town", hint)
    assert each.outcome is Outcome.ANSWERED and each.rows is not None
    assert sum(float(str(row[1])) for row in each.rows.rows) == pytest.approx(
        bakery.rows(f"SELECT {whole}")[0][0]
    )
    top = bakery.ask("top 1 town by net sales", hint)
    assert top.rows is not None and len(top.rows.rows) == 1
    assert float(str(top.rows.rows[0][1])) == max(float(str(row[1])) for row in each.rows.rows)


def test_sums_that_go_by_times_of_their_own_are_a_draft(bakery: Bakery) -> None:
    told = bakery.ask("net sales by month", "net sales = SUM(amount) - SUM(refunded_amount)")
    assert told.outcome is Outcome.AMBIGUOUS
    assert "by which time its figures go, here by ordered on and refunded on" in told.reason


def test_rows_are_counted_of_the_table_that_the_formula_is_of(bakery: Bakery) -> None:
    hint = "toxic share = DIVIDE(SUM(refunded_amount), COUNT(*))"
    gold = "SELECT channel, 1.0 * SUM(refunded_amount) / COUNT(*) FROM refunds r JOIN order_lines l ON l.id = order_line_id JOIN orders o ON o.id = order_id GROUP BY 1"
    assert_answered(bakery, "toxic share by channel", hint, gold)
    two = bakery.ask(
        "toxic share by channel", "toxic share = (SUM(refunded_amount) + SUM(weight_g)) / COUNT(*)"
    )
    assert two.outcome is not Outcome.ANSWERED and two.unused_hint


MARGIN = "margin refers to (price - cost) / price"


def test_a_formula_of_each_row_needs_to_be_told_how_rows_are_summed_up(bakery: Bakery) -> None:
    rows = "SELECT name, 1.0 * (price - cost) / price FROM breads"
    assert_answered(bakery, "margin by bread", MARGIN, rows)
    assert_answered(bakery, "top 2 breads by margin", MARGIN, f"{rows} ORDER BY 2 DESC LIMIT 2")
    assert_answered(bakery, "average margin", MARGIN, "SELECT AVG(1.0 * (price - cost) / price) FROM breads")
    assert_answered(
        bakery,
        "breads with a margin over 0.7",
        MARGIN,
        "SELECT name FROM breads WHERE 1.0 * (price - cost) / price > 0.7",
    )
    markup = "markup = price - cost"
    assert_answered(bakery, "total markup", markup, "SELECT SUM(price - cost) FROM breads")
    told = bakery.ask("margin by grain", MARGIN)
    assert told.outcome is Outcome.AMBIGUOUS
    assert "does not say how rows are summed up" in told.reason


def test_a_condition_that_a_formula_counts_is_not_one_of_all_rows(bakery: Bakery) -> None:
    hint = "percentage = DIVIDE(SUM(channel = 'web'), COUNT(orders.id)) * 100; web orders refers to channel = 'web'"
    gold = "SELECT 100.0 * SUM(channel = 'web') / COUNT(*) FROM orders"
    assert_answered(bakery, "percentage of web orders", hint, gold)


def test_what_the_generator_computes_over_repeated_rows_follows_no_formula(bakery: Bakery) -> None:
    hint = hints.read("net sales = SUM(amount) / SUM(quantity)", bakery.catalog, bakery.index)
    (one,) = hint.definitions
    repeated = (
        "SELECT SUM(amount) / SUM(quantity) FROM order_lines JOIN refunds ON order_line_id = order_lines.id"
    )
    other = "SELECT SUM(amount) / SUM(quantity) FROM refunds"
    right = "SELECT SUM(amount) / SUM(quantity) FROM order_lines JOIN orders ON orders.id = order_id"
    for sql, follows in ((repeated, False), (other, False), (right, True)):
        left = hints.left_out(hint, "what are our net sales", sql, bakery.catalog)
        assert bool(left) is not follows, sql
    assert one.meanings[0].formula is not None


# ---------------------------------------------------------------- what is not used


@pytest.mark.parametrize(
    "hint",
    [
        "whale refers to blubber > 300",
        "whale refers to country = 'Atlantis'",
        "whale refers to weight_g > '1 OR 1=1'",
        "whale refers to weight_g > 300) OR 1=1 --",
        "whale refers to weight_g > 300 UNION SELECT name FROM patrons",
        "whale refers to (SELECT MAX(weight_g) FROM breads)",
        "whales are lovely animals",
        "whale " * 333,
        "whale = " + "w" * 1990,
        "whale = breads over 300 g of weight",
        "whale refers to weight_g > 300; whale refers to weight_g > 500",
    ],
)
def test_what_is_not_understood_is_told_and_nothing_is_called_answered(bakery: Bakery, hint: str) -> None:
    for question in ("How many whales are there?", "average price of whales"):
        told = bakery.ask(question, hint)
        assert told.outcome is not Outcome.ANSWERED, told.sql
        assert told.unused_hint
        assert not {"UNION", "PATRONS", "--", "OR"} & set(told.sql.upper().split())


@pytest.mark.parametrize(
    "hint", ["balance = orders minus refunds", "balance = price of breads minus revenue"]
)
def test_a_difference_that_may_be_of_something_else_is_not_guessed_at(bakery: Bakery, hint: str) -> None:
    told = bakery.ask("balance by town", hint)
    assert told.outcome is not Outcome.ANSWERED, told.sql
    assert told.unused_hint == (hint,)


def test_a_hint_that_cannot_be_read_is_told_though_the_answer_stands(bakery: Bakery) -> None:
    told = bakery.ask("sales by channel", "please use the good numbers")
    assert told.outcome is Outcome.ANSWERED
    assert told.unused_hint == ("please use the good numbers",)


def test_a_word_that_a_hint_explains_in_vain_makes_a_draft(bakery: Bakery) -> None:
    for hint in ("sales refers to SUM(turnover)", "sales are what we like", "channel = how they came to us"):
        told = bakery.ask("sales by channel", hint)
        assert told.outcome is Outcome.AMBIGUOUS, hint
        assert told.unused_hint == (hint,)
        assert "leaves out what the hint says of" in told.reason


def test_of_two_hints_the_one_that_is_not_used_is_told(bakery: Bakery) -> None:
    told = bakery.ask("number of whales", "whale refers to weight_g > 300; nice refers to charm > 3")
    assert told.outcome is Outcome.ANSWERED
    assert told.unused_hint == ("nice refers to charm > 3",)


def test_an_unanswerable_question_says_which_hint_was_of_no_use(bakery: Bakery) -> None:
    for hint in ("walrus refers to tusks > 1", "walrus means loveliness"):
        told = bakery.ask("how many walruses", hint)
        assert told.outcome is Outcome.UNANSWERABLE
        assert told.unused_hint == (hint,)


# ---------------------------------------------------------------- what is written into SQL


@pytest.mark.parametrize(
    "shape", ["", "f0; DROP TABLE x", "f9", "f0 -- x", "(f0", "SLEEP(9)", "f0 - 'x'", "1"]
)
def test_a_stored_shape_holds_arithmetic_alone(shape: str) -> None:
    assert not is_shape(shape, 2)


def test_frames_that_follow_a_hint_are_kept_and_read_back_without_it(bakery: Bakery) -> None:
    model = source_of(bakery.catalog, bakery.index).model
    for question, hint in (
        ("net sales by town", "net sales = SUM(amount) - SUM(refunded_amount)"),
        ("average margin", MARGIN),
        ("sales of whales by town", "whale refers to weight_g > 300"),
    ):
        told = bakery.ask(question, hint)
        frame = frame_of(json.loads(told.frame), model)
        again = bakery.database.execute(Planner(model).sql(frame), Limits())
        assert told.rows is not None and _rounded(again.rows) == _rounded(told.rows.rows)


def test_a_kept_formula_that_was_tampered_with_is_refused(bakery: Bakery) -> None:
    model = source_of(bakery.catalog, bakery.index).model
    net = bakery.ask("net sales by town", "net sales = SUM(amount) - SUM(refunded_amount)").frame
    row = bakery.ask("average margin", MARGIN).frame
    for frame, old in ((net, "f0 - f1"), (row, "1.0 * (c0 - c1)")):
        assert old in frame
        with pytest.raises(FrameError):
            frame_of(json.loads(frame.replace(old, "1); DROP TABLE orders; --")), model)


def test_bounds_keep_all_of_their_digits(bakery: Bakery) -> None:
    told = bakery.ask("number of big breads", "big means weight_g > 1234567")
    assert "1234567" in told.sql

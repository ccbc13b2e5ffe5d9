"""The judge without a language model: explainable features, fitted weights, no regard for order."""

from __future__ import annotations

import json
import re

import pytest
from pools import SHOP, failed, ran, rows

from sqlagent.makers.judging import FITTED, FeatureJudge, weights
from sqlagent.method.features import features
from sqlagent.method.grouping import group_by_execution
from sqlagent.values import ColumnRef, Execution, ExecutionGroup, LinkedSchema, Question, Rows

LINKED = LinkedSchema(SHOP, SHOP)


class Stored:
    """An index that knows the statuses of orders."""

    def holds(self, column: ColumnRef, text: str) -> bool:
        return text in ("paid", "open")

    def columns(self) -> tuple[ColumnRef, ...]:
        return (ColumnRef("orders", "status"),)


def read(sql: str, question: str, result: Rows | None = None, hint: str = "") -> dict[str, float]:
    execution = ran(sql, result if result is not None else rows((1,)))
    return features(Question(question, hint), LINKED, execution, Stored()).values


FEATURES = [
    ("How many paid orders?", "SELECT COUNT(*) FROM orders WHERE status = 'PAID'", "literals_unstored", True),
    (
        "How many paid orders?",
        "SELECT COUNT(*) FROM orders WHERE status = 'paid'",
        "literals_unstored",
        False,
    ),
    ("Orders of Anna?", "SELECT id FROM orders WHERE customer_id = 'Anna'", "text_to_key", True),
    ("Orders of customer 7?", "SELECT id FROM orders WHERE customer_id = '7'", "text_to_key", False),
    ("Which stores are there?", "SELECT COUNT(*) FROM stores", "count_for_which", True),
    ("How many stores are there?", "SELECT name FROM stores", "list_for_count", True),
    (
        "Names of customers",
        "SELECT c.name FROM customers c JOIN orders o ON c.id = o.id",
        "joins_wild",
        False,
    ),
    (
        "Names of customers",
        "SELECT c.name FROM customers c JOIN orders o ON c.name = o.total",
        "joins_wild",
        True,
    ),
    ("Names of customers", "SELECT c.name FROM customers c, orders o", "cross_join", True),
    ("Name and region of customers", "SELECT region, name FROM customers", "mention_order", True),
    ("Orders with total 5", "SELECT id FROM orders WHERE total > 3", "numbers_unused", True),
    ("Orders sorted by total", "SELECT id FROM orders", "order_missed", True),
    ("Orders", "SELECT nonsense FROM orders", "unknown_name", True),
    ("Orders", "SELEC id FROM orders", "unparsed", True),
]


@pytest.mark.parametrize(("question", "sql", "name", "is_there"), FEATURES, ids=lambda v: str(v)[:30])
def test_a_feature_says_what_its_name_says(question: str, sql: str, name: str, is_there: bool) -> None:
    assert bool(read(sql, question).get(name)) is is_there


def test_the_order_of_mention_has_a_direction() -> None:
    question = "Name and region of customers"
    assert read("SELECT name, region FROM customers", question)["mention_order"] == 1
    assert read("SELECT region, name FROM customers", question)["mention_order"] == -1


def test_repeats_count_for_names_but_not_for_measures_nor_for_things_asked_by_name() -> None:
    repeats = rows(("Oslo",), ("Oslo",), ("Bergen",))
    assert read("SELECT region FROM customers", "Which regions?", repeats)["repeat_share"] > 0.6
    assert "repeat_share" not in read("SELECT total FROM orders", "Which totals?", rows((5,), (5,)))
    named = "SELECT region FROM customers WHERE name IN ('Ann', 'Bob', 'Cy')"
    assert "repeat_share" not in read(named, "Regions of Ann, Bob and Cy?", repeats)


def test_an_empty_result_is_told_from_one_that_a_mistake_explains() -> None:
    wrong = read("SELECT id FROM orders WHERE status = 'PAID'", "Which orders are paid?", rows())
    right = read("SELECT id FROM orders WHERE status = 'paid'", "Which orders are paid?", rows())
    assert (wrong["empty"], wrong["empty_explained"]) == (1, 1)
    assert (right["empty"], right.get("empty_explained", 0)) == (1, 0)


def test_a_hint_s_columns_are_looked_for() -> None:
    hint = "buyer refers to customer_id"
    assert read("SELECT store_id FROM orders", "Which buyer?", hint=hint)["hint_missed"] == 1
    assert "hint_missed" not in read("SELECT customer_id FROM orders", "Which buyer?", hint=hint)


def test_who_wrote_a_candidate_makes_no_difference() -> None:
    sql = "SELECT COUNT(*) FROM orders"
    one, other = ran(sql, rows((1,))), ran(sql, rows((1,)))
    object.__setattr__(other.candidate, "family", "somebody else")
    scores = FeatureJudge().utilities(Question("How many orders?"), LINKED, [one, other])
    assert scores[0] == scores[1]


def groups() -> tuple[ExecutionGroup, ...]:
    return group_by_execution(
        [
            ran("SELECT COUNT(*) FROM orders WHERE status = 'paid'", rows((3,))),
            ran("SELECT COUNT(*) FROM orders WHERE status = 'PAID'", rows((0,))),
            ran("SELECT id FROM orders WHERE status = 'paid'", rows((1,), (2,), (4,))),
            failed(),
        ],
        ordered=False,
    )


def test_the_better_sql_wins_where_votes_are_even() -> None:
    judge = FeatureJudge(Stored())
    best = judge.order(Question("How many orders are paid?"), LINKED, groups())[0]
    assert groups()[best].rows.rows == ((3,),)


def test_both_orders_agree_and_chances_add_up() -> None:
    question, judge, shown = Question("How many orders are paid?"), FeatureJudge(Stored()), groups()
    forward = [shown[i].fingerprint for i in judge.order(question, LINKED, shown)]
    backward = [shown[::-1][i].fingerprint for i in judge.order(question, LINKED, shown[::-1])]
    assert forward == backward
    assert sum(judge.chances(question, LINKED, shown)) == pytest.approx(1)
    one, two = shown[:2]
    assert judge.prefers(question, LINKED, one, two) == pytest.approx(
        1 - judge.prefers(question, LINKED, two, one)
    )


def test_the_auditor_names_what_no_attempt_accounts_for() -> None:
    pool: list[Execution] = [ran("SELECT COUNT(*) FROM orders", rows((9,)))]
    verdict = FeatureJudge().audit(
        Question("How many orders above 500 have the status 'lost'?"), LINKED, group_by_execution(pool, False)
    )
    assert not verdict.accepted
    assert any("'lost'" in said for said in verdict.unmet)
    assert any("500" in said for said in verdict.unmet)


def test_every_weight_belongs_to_a_feature_and_the_file_holds_nothing_else() -> None:
    text = FITTED.read_text(encoding="utf-8")
    assert set(json.loads(text)) == {"about", "weights"}
    assert all(re.fullmatch(r"[a-z_]+", name) for name in weights())
    assert len(text) < 10_000


def test_a_statement_in_another_dialect_or_none_is_judged_all_the_same() -> None:
    texts = [
        "SELECT TOP 5 [name] FROM customers",
        "db.orders.find({})",
        "",
        "SELECT * FROM missing",
        "(" * 900,
    ]
    pool = [ran(text, rows((n,))) for n, text in enumerate(texts)]
    judge = FeatureJudge()
    assert len(judge.order(Question("Five customers"), LINKED, group_by_execution(pool, False))) == len(texts)

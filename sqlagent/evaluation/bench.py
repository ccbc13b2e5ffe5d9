"""Times everything but the LLM and the database: link, guard, group, rank, audit, decide.

Pools are made up here, over a made-up shop: candidates that differ in a clause or two, results of
200 rows. Reported are p50 and p95 a pool of 8 and of 32 candidates, and where the time goes.
"""

from __future__ import annotations

import cProfile
import io
import pstats
from random import Random
from time import perf_counter, process_time

from sqlagent import guard
from sqlagent.evaluation.scoring import percentile
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method import confidence, grouping, linking, ranking, resampling
from sqlagent.telling import readings
from sqlagent.values import (
    Candidate,
    Catalog,
    Column,
    Execution,
    ForeignKey,
    Kind,
    Question,
    Rows,
    Table,
)

ALLOWED = {8: 60.0, 32: 400.0}
"""Milliseconds that a pool of so many candidates may take (p95)."""

POOLS, ROWS = 60, 200

SHOP = Catalog(
    "sqlite",
    (
        Table(
            "customers",
            (
                Column("id", "INTEGER", Kind.INTEGER),
                Column("name", "TEXT", Kind.TEXT),
                Column("country", "TEXT", Kind.TEXT),
            ),
            primary_key=("id",),
        ),
        Table(
            "orders",
            (
                Column("id", "INTEGER", Kind.INTEGER),
                Column("customer_id", "INTEGER", Kind.INTEGER),
                Column("status", "TEXT", Kind.TEXT),
                Column("ordered_on", "TEXT", Kind.DATE),
                Column("total", "REAL", Kind.NUMBER),
            ),
            primary_key=("id",),
            foreign_keys=(ForeignKey(("customer_id",), "customers", ("id",)),),
        ),
    ),
)
QUESTIONS = (
    "What is the total of paid orders for each country?",
    "Which 5 customers have the highest average order total in 2024?",
    "List the names of customers from Norway with more than 3 orders, sorted by name.",
    "How many orders does each customer have?",
)
_SHOWN = ("c.country", "c.name", "c.id", "o.status")
_MEASURED = ("SUM(o.total)", "AVG(o.total)", "COUNT(*)", "COUNT(DISTINCT o.id)", "MAX(o.total)")
_CONDITIONS = (
    "o.status = 'paid'", "o.total > 100", "o.ordered_on >= '2024-01-01'", "c.country = 'Norway'",
    "c.id IN (SELECT customer_id FROM orders WHERE status = 'open')",
)  # fmt: skip


def made_up(chance: Random, count: int) -> list[Execution]:
    """Make up a pool: about a quarter of its candidates share a result."""
    results = [
        Rows(
            ("a", "b"),
            tuple((f"name {chance.randrange(500)}", round(chance.random() * 1e4, 2)) for _ in range(ROWS)),
        )
        for _ in range(max(2, count // 4))
    ]
    pool = []
    for _ in range(count):
        shown, measured = chance.choice(_SHOWN), chance.choice(_MEASURED)
        conditions = " AND ".join(chance.sample(_CONDITIONS, chance.randrange(1, 4)))
        tail = chance.choice((" ORDER BY 2 DESC LIMIT 5", "", f" ORDER BY {shown}"))
        sql = (
            f"SELECT {shown}, {measured} FROM orders AS o JOIN customers AS c ON c.id = o.customer_id "  # noqa: S608
            f"WHERE {conditions} GROUP BY {shown}{tail}"
        )
        pool.append(Execution(Candidate(sql), chance.choice(results), sql))
    return pool


def decide(question: Question, pool: list[Execution]) -> None:
    """Do everything that is neither the LLM's nor the database's, as the pipeline does."""
    for execution in pool:
        guard.check(execution.sql, SHOP)
    linked = linking.link(question, SHOP, None)
    judge = FeatureJudge()
    groups = grouping.group_by_execution(pool, grouping.asks_order(question))
    ranked = ranking.rank(question, linked, groups, pool=len(pool), judge=judge)
    verdict = resampling.audit(question, linked, ranked, pool, judge)
    sure = confidence.confidence(ranked, pool, verdict, linked)
    confidence.outcome(sure, ranked, pool, verdict, linked, readings.read(ranked, SHOP))


def timed(count: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each made-up pool of `count` candidates, by the clock and of the processor.

    A first pool warms up and is left out. On a machine with other work the two differ.
    """
    chance, clock, processor = Random(count), [], []
    for i in range(POOLS + 1):
        question, pool = Question(QUESTIONS[i % len(QUESTIONS)]), made_up(chance, count)
        started, worked = perf_counter(), process_time()
        decide(question, pool)
        clock.append(1000 * (perf_counter() - started))
        processor.append(1000 * (process_time() - worked))
    return clock[1:], processor[1:]


def report(*, profile: bool = False) -> str:
    """Print p50 and p95 a pool size beside what is allowed; with `profile`, where the time goes."""
    lines = [f"{'candidates':<12}{'p50 ms':>9}{'p95 ms':>9}{'p95 cpu':>9}{'allowed':>9}"]
    watch = cProfile.Profile()
    for count, allowed in ALLOWED.items():
        clock, processor = timed(count)
        figures = (percentile(clock, 0.5), percentile(clock, 0.95), percentile(processor, 0.95))
        lines.append(f"{count:<12}" + "".join(f"{ms:>9.1f}" for ms in figures) + f"{allowed:>9.0f}")
    if profile:
        watch.runcall(timed, max(ALLOWED))
        out = io.StringIO()
        pstats.Stats(watch, stream=out).sort_stats("cumulative").print_stats("sqlagent", 25)
        lines.append(out.getvalue())
    return "\n".join(lines)

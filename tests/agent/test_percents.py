"""Columns of percentages are known by whole words, by the SQL and by their numbers."""

from __future__ import annotations

import pytest

from sqlagent.rows.percents import is_percent
from sqlagent.telling.summarizing import summarize
from sqlagent.values import Rows


@pytest.mark.parametrize(
    ("name", "written", "values"),
    [
        ("share_pct", "share_pct", [12.5, 80]),
        ("percent_of_total", "p", [12.5, 0.2]),
        ("latePct", "p", [40]),
        ("late_percentage", "p", [40]),
        ("late_pct_2025", "p", [40]),
        ("pct", "100.0 * COUNT(late) / COUNT(*)", [0.25, 0.5]),
        ("share_pct", "ROUND(100.0 * SUM(x) / SUM(SUM(x)) OVER (), 2)", [12]),
        ("return_rate", "AVG(late) * 100", [0.3]),
        ("pct", "p", []),
        ("pct", "p", [None]),
    ],
)
def test_percentages_are_known(name: str, written: str, values: list[float]):
    assert is_percent(name, f"SELECT city, {written} AS {name} FROM t", values)


@pytest.mark.parametrize(
    ("name", "written", "values"),
    [
        ("percent_rank", "PERCENT_RANK() OVER (ORDER BY x)", [0.5]),
        ("pct", "PERCENT_RANK() OVER (ORDER BY x)", [2]),
        ("pct", "a*1.0/b", [0.25, 1, -1]),
        ("late_pct", "COUNT(*)", [12]),
        ("n_above_10_percent", "COUNT(*)", [12]),
        ("above_10_percent", "SUM(x)", [12]),
        ("n_percent", "p", [12]),
        ("percentile_95_ms", "p", [1500]),
        ("pctile", "p", [95]),
        ("spct", "p", [95]),
        ("average_rate", "ROUND(AVG(r)*100)/100", [3.25]),
        ("rate", "CAST(rate*100 AS INT)/100.0", [3.25]),
        ("pct", "ROUND(AVG(r)*100)/100", [0.25]),
        ("change_rate", "ROUND(x * 100) * 0.01", [3.25]),
    ],
)
def test_fractions_counts_and_ranks_are_no_percentages(name: str, written: str, values: list[float]):
    for before in ("SELECT ", "WITH c AS (SELECT 100 * x AS y FROM t) SELECT ", "SELECT 100 * x AS y, "):
        assert not is_percent(name, f"{before}{written} AS {name} FROM t", values)


def test_the_sentence_says_no_percent_of_a_part_of_one():
    sql = "SELECT a * 1.0 / b AS pct FROM t"
    assert "%" not in summarize("pct", Rows(("pct",), ((0.25,),)), sql=sql)
    assert "25 %" in summarize("pct", Rows(("pct",), ((25.0,),)), sql=sql)

"""Statements in words: every clause is told or quoted, and none is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from sqlagent.sql.literals import ODD
from sqlagent.telling.explaining import explained

CASES = Path(__file__).parent / "cases"
STATEMENTS = [
    json.loads(line) for line in (CASES / "explaining" / "statements.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", STATEMENTS, ids=lambda case: case["sql"][:40])
def test_a_statement_is_told_clause_by_clause(case):
    found = [
        f"{line.of + ' | ' if line.of else ''}{line.clause}: {line.words}"
        for line in explained(case["sql"], case["dialect"])
    ]
    assert found == case["lines"]


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "duckdb", "mysql"])
def test_no_table_column_or_text_of_a_statement_is_left_out(dialect):
    told = 0
    for line in (CASES / "guard" / f"{dialect}.jsonl").read_text().splitlines():
        case = json.loads(line)
        sql = case.get("sql", "")
        if not case.get("allow") or len(sql) > 400:
            continue
        try:
            tree = sqlglot.parse_one(sql, read=dialect)
        except ODD:
            assert explained(sql, dialect) == ()
            continue
        if not isinstance(tree, exp.Query):
            continue
        words = " ".join(f"{line.of} {line.words}" for line in explained(sql, dialect)).lower()
        names = {
            one.name.lower() for one in tree.find_all(exp.Column, exp.Table) if one.name not in ("", "*")
        }
        texts = {
            one.name.lower().strip("%")
            for one in tree.find_all(exp.Literal)
            if one.is_string and one.name.isalpha()
        }
        known = {"month", "g", "yes", "no"}  # units and flags of functions, which their words say otherwise
        assert all(name in words for name in names | texts - known), sql
        told += 1
    assert told > 20

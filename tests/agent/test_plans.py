"""Plans of engines read as tables of steps, and texts cut into statements."""

from __future__ import annotations

import json

import pytest

from sqlagent.sql.plans import explain_sql, plan_read
from sqlagent.sql.statements import statement_at, statements

POSTGRES = [
    {
        "Plan": {
            "Node Type": "Sort",
            "Total Cost": 100.0,
            "Plan Rows": 10,
            "Sort Key": ["c.name"],
            "Plans": [
                {
                    "Node Type": "Hash Join",
                    "Join Type": "Left",
                    "Total Cost": 90.0,
                    "Plan Rows": 50,
                    "Hash Cond": "(a.id = b.id)",
                    "Plans": [
                        {"Node Type": "Seq Scan", "Relation Name": "orders", "Alias": "o", "Total Cost": 60.0, "Plan Rows": 5000},
                        {"Node Type": "Index Scan", "Relation Name": "stores", "Alias": "stores", "Index Name": "stores_pkey", "Total Cost": 10.0, "Plan Rows": 20},
                    ],
                }
            ],
        }
    }
]  # fmt: skip
DUCKDB = [{"name": "PROJECTION", "extra_info": {"Estimated Cardinality": "7"}, "children": [{"name": "SEQ_SCAN", "extra_info": {"Table": "orders", "Filters": "a=1"}, "children": []}]}]  # fmt: skip
MYSQL = {
    "query_block": {
        "cost_info": {"query_cost": "10.00"},
        "ordering_operation": {
            "nested_loop": [
                {"table": {"table_name": "o", "access_type": "ALL", "rows_examined_per_scan": 90, "cost_info": {"read_cost": "2.00", "eval_cost": "3.00"}}},
                {"table": {"table_name": "c", "access_type": "eq_ref", "key": "PRIMARY", "rows_examined_per_scan": 1, "attached_condition": "(c.x > 1)"}},
            ]
        },
    }
}  # fmt: skip


def test_a_plan_of_postgres_tells_rows_and_shares() -> None:
    steps = plan_read(["QUERY PLAN"], [(json.dumps(POSTGRES),)], "postgres").steps
    assert [(s.depth, s.does, s.on, s.rows, round((s.share or 0) * 100)) for s in steps] == [
        (0, "Sort", "", 10, 10),
        (1, "Left Hash Join", "", 50, 20),
        (2, "Seq Scan", "orders o", 5000, 60),
        (2, "Index Scan", "stores by stores_pkey", 20, 10),
    ]
    assert steps[1].notes == ("Hash Cond: (a.id = b.id)",)
    assert plan_read(["QUERY PLAN"], [(POSTGRES,)], "postgres").steps == steps, (
        "a driver may read the JSON itself"
    )


def test_a_plan_of_duckdb_and_of_mysql() -> None:
    duck = plan_read(
        ["explain_key", "explain_value"], [("physical_plan", json.dumps(DUCKDB))], "duckdb"
    ).steps
    assert [(s.depth, s.does, s.on, s.rows) for s in duck] == [
        (0, "Projection", "", 7),
        (1, "Seq scan", "orders", None),
    ]
    mysql = plan_read(["EXPLAIN"], [(json.dumps(MYSQL),)], "mysql").steps
    assert [(s.does, s.on, s.rows, s.share) for s in mysql] == [
        ("Sort", "", None, None),
        ("Nested loop", "", None, None),
        ("Read (ALL)", "o", 90, 0.5),
        ("Read (eq_ref)", "c by PRIMARY", 1, None),
    ]


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb", "spark", "oracle"])
@pytest.mark.parametrize(
    "rows", [[], [("nonsense",)], [(None,)], [("[]",)], [("{}",)], [(1, 2, 3, 4)], [('{"query_block": []}',)]]
)
def test_what_cannot_be_read_is_told_in_the_engines_own_words(dialect: str, rows: list) -> None:
    columns = ["id", "parent", "notused", "detail"] if rows and len(rows[0]) == 4 else ["plan"]
    plan = plan_read(columns, rows, dialect)
    assert isinstance(plan.text, str)


@pytest.mark.parametrize(
    ("sql", "dialect", "asked"),
    [
        ("SELECT 1", "postgres", "EXPLAIN (FORMAT JSON) SELECT 1"),
        (" SELECT 1", "duckdb", "EXPLAIN (FORMAT JSON) SELECT 1"),
        ("explain analyze SELECT 1", "postgres", "explain analyze SELECT 1"),
        ("SELECT 1", "other", "EXPLAIN SELECT 1"),
    ],
)
def test_how_an_engine_is_asked(sql: str, dialect: str, asked: str) -> None:
    assert explain_sql(sql, dialect) == asked


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", []),
        (";;", []),
        ("SELECT ';' AS a", ["SELECT ';' AS a"]),
        ("SELECT 1 -- ;\n; SELECT 2", ["SELECT 1 -- ;", "SELECT 2"]),
        ("SELECT 'open", ["SELECT 'open"]),
        ('SELECT "a;b"; /* ; */ SELECT 2;', ['SELECT "a;b"', "/* ; */ SELECT 2"]),
    ],
)
def test_statements_are_cut_where_they_end(text: str, cut: list[str]) -> None:
    found = statements(text, "sqlite")
    assert [one.text for one in found] == cut
    assert all(text[one.start : one.end] == one.text for one in found)


def test_between_two_statements_the_one_before_is_meant() -> None:
    text = "SELECT 1;   \n SELECT 2"
    assert [statement_at(text, at, "sqlite").text for at in (0, 8, 10, 13, 99)] == [
        "SELECT 1", "SELECT 1", "SELECT 1", "SELECT 1", "SELECT 2",
    ]  # fmt: skip

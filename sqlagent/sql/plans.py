"""How an engine would run a statement: how it is asked, and what it says, as a table of steps.

Costs are the engine's own estimates. A share is a step's own part of the whole, without the steps beneath it. Nothing here runs one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ASKS = {
    "sqlite": "EXPLAIN QUERY PLAN ",
    "postgres": "EXPLAIN (FORMAT JSON) ",
    "mysql": "EXPLAIN FORMAT=JSON ",
    "duckdb": "EXPLAIN (FORMAT JSON) ",
    "spark": "EXPLAIN FORMATTED ",
}
_EXPLAINED = re.compile(r"\s*(?:explain|describe|desc|show|pragma)\b", re.IGNORECASE)
_CARDINALITY = re.compile(r"[\d.]+")
# As deep as a plan is followed: deeper ones are made, not written.
DEEPEST = 60


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan: what it does, on what, how deep it lies, its rows and share of the cost where the engine says."""

    depth: int
    does: str
    on: str = ""
    rows: int | None = None
    share: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan as steps, from the last one down; where none can be read, as the engine's own `text`."""

    steps: tuple[PlanStep, ...]
    text: str


def explain_sql(sql: str, dialect: str) -> str:
    """The statement that asks for a statement's plan; one that explains already stays as it is.

    Example:
        >>> explain_sql("SELECT 1", "sqlite"), explain_sql("EXPLAIN SELECT 1", "sqlite")
        ('EXPLAIN QUERY PLAN SELECT 1', 'EXPLAIN SELECT 1')
    """
    return sql if _EXPLAINED.match(sql) else _ASKS.get(dialect, "EXPLAIN ") + sql.lstrip()


def plan_read(columns: Sequence[str], rows: Sequence[Sequence[Any]], dialect: str) -> Plan:
    """Read what an engine said about a statement.

    Example:
        >>> plan_read(["id", "parent", "notused", "detail"], [(2, 0, 0, "SCAN t"), (5, 2, 0, "USE TEMP B-TREE")], "sqlite").steps[1].depth
        1
    """
    text = _text(columns, rows)
    try:
        steps = _READERS.get(dialect, _none)(columns, rows)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        steps = []
    return Plan(tuple(steps), text)


def _text(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if len(columns) == 1:
        said = "\n".join(str(row[0]) for row in rows)
        try:
            return json.dumps(json.loads(said), indent=2, ensure_ascii=False)
        except ValueError:
            return said
    lines = [columns, *rows]
    return "\n".join("  ".join("" if cell is None else str(cell) for cell in line) for line in lines)


def _sqlite(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[PlanStep]:
    if list(columns)[:4] != ["id", "parent", "notused", "detail"]:
        return []
    depths: dict[int, int] = {}
    steps = []
    for number, parent, _, detail in rows:
        depth = depths[int(number)] = depths.get(int(parent), -1) + 1
        does, _, on = str(detail).partition(" ")
        if does.upper() not in ("SCAN", "SEARCH"):
            does, on = str(detail), ""
        steps.append(PlanStep(depth, does.capitalize() if on else str(detail).capitalize(), on))
    return steps


def _document(rows: Sequence[Sequence[Any]], at: int = -1) -> Any:
    said = [row[at] for row in rows]
    if len(said) == 1 and not isinstance(said[0], str):
        return said[0]
    return json.loads("\n".join(map(str, said)))


def _postgres(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[PlanStep]:
    del columns
    top = _document(rows)[0]["Plan"]
    whole = float(top.get("Total Cost") or 0)
    steps: list[PlanStep] = []

    def walk(node: Mapping[str, Any], depth: int) -> None:
        inner = node.get("Plans", ())
        own = float(node.get("Total Cost") or 0) - sum(float(one.get("Total Cost") or 0) for one in inner)
        on = node.get("Relation Name") or node.get("CTE Name") or node.get("Function Name") or ""
        if node.get("Alias") and node.get("Alias") != on:
            on = f"{on} {node['Alias']}".strip()
        if node.get("Index Name"):
            on = f"{on} by {node['Index Name']}".strip()
        notes = [
            f"{name}: {node[name]}"
            for name in ("Filter", "Index Cond", "Hash Cond", "Merge Cond", "Join Filter", "Recheck Cond")
            if node.get(name)
        ]
        notes += [
            f"{name}: {', '.join(map(str, node[name]))}"
            for name in ("Sort Key", "Group Key")
            if node.get(name)
        ]
        does = " ".join(filter(None, [_join(node), str(node["Node Type"])]))
        share = max(own, 0.0) / whole if whole else None
        steps.append(PlanStep(depth, does, on, int(node.get("Plan Rows") or 0), share, tuple(notes)))
        if depth < DEEPEST:
            for one in inner:
                walk(one, depth + 1)

    walk(top, 0)
    return steps


def _join(node: Mapping[str, Any]) -> str:
    kind = str(node.get("Join Type", ""))
    return kind if kind not in ("", "Inner") else ""


def _duckdb(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[PlanStep]:
    del columns
    steps: list[PlanStep] = []

    def walk(node: Mapping[str, Any], depth: int) -> None:
        more = dict(node.get("extra_info") or {})
        found = _CARDINALITY.search(str(more.pop("Estimated Cardinality", "")))
        on = str(more.pop("Table", ""))
        notes = [f"{name}: {_listed(value)}" for name, value in more.items() if value and name != "Type"]
        does = str(node.get("name", "")).strip().replace("_", " ").capitalize()
        steps.append(PlanStep(depth, does, on, int(float(found[0])) if found else None, None, tuple(notes)))
        if depth < DEEPEST:
            for one in node.get("children", ()):
                walk(one, depth + 1)

    for node in _document(rows):
        walk(node, 0)
    return steps


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _mysql(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[PlanStep]:
    del columns
    top = _document(rows)["query_block"]
    whole = float((top.get("cost_info") or {}).get("query_cost") or 0)
    steps: list[PlanStep] = []

    def table(node: Mapping[str, Any], depth: int) -> None:
        cost = node.get("cost_info") or {}
        own = float(cost.get("read_cost") or 0) + float(cost.get("eval_cost") or 0)
        rows = node.get("rows_examined_per_scan", node.get("rows"))
        on = str(node.get("table_name", ""))
        if node.get("key"):
            on = f"{on} by {node['key']}"
        notes = [f"Filter: {node['attached_condition']}"] if node.get("attached_condition") else []
        does = f"Read ({node.get('access_type', 'whole')})"
        share = own / whole if whole and cost else None
        steps.append(PlanStep(depth, does, on, None if rows is None else int(rows), share, tuple(notes)))
        walk(node, depth + 1)

    def walk(node: Any, depth: int) -> None:
        if depth > DEEPEST:
            return
        if isinstance(node, list):
            for one in node:
                walk(one, depth)
        elif isinstance(node, Mapping):
            for name, inner in node.items():
                if name == "table" and isinstance(inner, Mapping):
                    table(inner, depth)
                elif name in _MYSQL_STEPS:
                    steps.append(PlanStep(depth, _MYSQL_STEPS[name]))
                    walk(inner, depth + 1)
                elif isinstance(inner, (list, Mapping)):
                    walk(inner, depth)

    walk(top, 0)
    return steps


_MYSQL_STEPS = {
    "ordering_operation": "Sort",
    "filesort": "Sort",
    "grouping_operation": "Group",
    "duplicates_removal": "Remove duplicates",
    "temporary_table": "Temporary table",
    "nested_loop": "Nested loop",
    "block-nl-join": "Block nested loop",
    "union_result": "Union",
    "materialized_from_subquery": "Subquery kept",
    "windowing": "Window",
}


def _none(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[PlanStep]:
    del columns, rows
    return []


_READERS = {"sqlite": _sqlite, "postgres": _postgres, "duckdb": _duckdb, "mysql": _mysql}

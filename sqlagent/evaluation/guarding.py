"""Measures the guard's verdicts alone; no server is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import sqlglot
from sqlglot import exp

from sqlagent import guard
from sqlagent.evaluation.items import BadInput, json_lines
from sqlagent.evaluation.progress import Bar
from sqlagent.evaluation.scoring import percentile
from sqlagent.values import Catalog, Column, ForeignKey, Table


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case: what was expected (None where the file does not say), and what the guard said."""

    dialect: str
    sql: str
    expected: bool | None
    allow: bool
    why: str
    seconds: float


def judge_cases(cases: Path, schemas: Path) -> list[Verdict]:
    """Ask the guard about every case, in order. Raises: BadInput."""
    lines = list(json_lines(cases))
    catalogs: dict[str, Catalog] = {}
    bar = Bar(len(lines), "guard")
    found = []
    for place, line in lines:
        dialect, sql = str(line.get("dialect") or ""), line.get("sql")
        if not dialect or not isinstance(sql, str):
            raise BadInput(f"{place}: 'dialect' and 'sql' are expected.")
        if dialect not in catalogs:
            catalogs[dialect] = read_schema(schemas / f"schema.{dialect}.sql", dialect)
        started = perf_counter()
        verdict = guard.check(sql, catalogs[dialect])
        seconds = perf_counter() - started
        allow = isinstance(verdict, guard.Passed)
        why = "" if isinstance(verdict, guard.Passed) else f"{verdict.what} {verdict.why}".strip()
        expected = line.get("allow")
        found.append(Verdict(dialect, sql, expected, allow, why, seconds))
        bar.step()
    return found


def read_schema(path: Path, dialect: str) -> Catalog:
    """Read a catalog from CREATE TABLE statements. Raises: BadInput."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    tables = []
    for statement in sqlglot.parse(text, dialect=dialect):
        if isinstance(statement, exp.Create) and statement.args.get("kind") in ("TABLE", "VIEW"):
            tables.append(_table(statement, dialect))
    return Catalog(dialect, tuple(tables))


def _table(create: exp.Create, dialect: str) -> Table:
    schema = create.this if isinstance(create.this, exp.Schema) else None
    named = schema.this if schema else create.this
    columns, keys = [], []
    for part in schema.expressions if schema else []:
        if isinstance(part, exp.ColumnDef):
            kind = part.args.get("kind")
            columns.append(Column(part.name, kind.sql(dialect=dialect) if kind else ""))
        elif isinstance(part, exp.ForeignKey):
            target = part.args["reference"].this
            theirs = tuple(c.name for c in target.expressions)
            keys.append(ForeignKey(tuple(c.name for c in part.expressions), target.this.name, theirs))
        elif isinstance(part, exp.Identifier | exp.Column):
            columns.append(Column(part.name))
    if not columns and isinstance(create.expression, exp.Query):
        columns = [Column(name) for name in create.expression.named_selects]
    return Table(
        named.name,
        tuple(columns),
        schema=named.db if isinstance(named, exp.Table) else "",
        foreign_keys=tuple(keys),
        is_view=create.args.get("kind") == "VIEW",
    )


def report(verdicts: Sequence[Verdict]) -> str:
    """Print by dialect: hostile let through, legitimate refused, time; then every case decided otherwise."""
    lines = [f"{'':<10}{'cases':>8}{'hostile':>9}{'passed':>8}{'good':>6}{'refused':>9}{'p95 ms':>8}"]
    counts = Counter(v.dialect for v in verdicts)
    for dialect in [*sorted(counts), "overall"]:
        mine = [v for v in verdicts if dialect in (v.dialect, "overall")]
        hostile = [v for v in mine if v.expected is False]
        good = [v for v in mine if v.expected is True]
        through, refused = sum(v.allow for v in hostile), sum(not v.allow for v in good)
        p95 = 1000 * percentile([v.seconds for v in mine], 0.95)
        lines.append(
            f"{dialect:<10}{len(mine):>8}{len(hostile):>9}{through:>8}{len(good):>6}{refused:>9}{p95:>8.2f}"
        )
    for verdict in verdicts:
        if verdict.expected is not None and verdict.allow != verdict.expected:
            said = "passed" if verdict.allow else f"refused ({verdict.why})"
            lines.append(f"  {verdict.dialect}: {said}: {' '.join(verdict.sql.split())[:120]}")
    return "\n".join(lines)

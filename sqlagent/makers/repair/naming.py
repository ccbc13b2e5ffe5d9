"""Names that stand for nothing, replaced by the one that is clearly meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA
from sqlglot import exp

from sqlagent.makers.repair.edits import Edit, parse
from sqlagent.sql.literals import ODD
from sqlagent.sql.names import Resolver
from sqlagent.sql.scopes import Scope, Unknown
from sqlagent.values import Catalog, Table

CLEARLY = 0.74
"""Similarity (1 - optimal string alignment distance / length, of the bare names) from which one
name may stand for another: one slip in four letters, two in eight."""
MARGIN = 0.08
"""How far behind the second best must lie."""
SHORT = 3
"""Words up to this length must be equal but for case and plural."""
SLIP = 0.6
"""How alike each pair of words of two names must be at least."""


def name_edits(sql: str, catalog: Catalog) -> list[Edit]:
    """Find for each name that stands for nothing the one that is clearly meant."""
    root = parse(sql, catalog.dialect)
    if root is None:
        return []
    unknown: list[Unknown] = []
    resolver = Resolver(catalog, unknown.append)
    try:
        resolver.statement(root)
    except ODD:
        return []
    edits: dict[int, Edit] = {}
    for item in unknown:
        edit = _name_edit(item, resolver)
        if edit is not None and sql[edit.start : edit.end] != edit.text:
            edits.setdefault(edit.start, edit)
    return list(edits.values())


def _name_edit(item: Unknown, resolver: Resolver) -> Edit | None:
    node = item.node
    if isinstance(node, exp.Table):
        return _table_edit(node, item, resolver)
    if not isinstance(node, exp.Column):
        return None
    return _alias_edit(node, item, resolver) if item.kind == "alias" else _column_edit(node, item, resolver)


def _table_edit(node: exp.Table, item: Unknown, resolver: Resolver) -> Edit | None:
    name = node.name
    if node.db.lower() in ("information_schema", "pg_catalog", "mysql", "sys") or name.lower().startswith(
        ("pg_", "sqlite_", "pragma_", "duckdb_")
    ):
        return None
    same = resolver.by_name.get(name.lower(), [])
    tables = {t.key: t for t in resolver.catalog.tables}
    if len(same) == 1:
        chosen: Table | None = same[0]
    else:
        best = _clearly(name, [*(t.name for t in tables.values()), *item.ctes])
        if best in item.ctes:
            return _replace(node.parts[-1], best, resolver)
        found = [t for t in tables.values() if t.name == best]
        chosen = found[0] if len(found) == 1 else None
    if chosen is None:
        return None
    text = _quoted(chosen.name, resolver.dialect)
    if chosen.schema:
        text = f"{_quoted(chosen.schema, resolver.dialect)}.{text}"
    start, end = _span(node.parts[0])[0], _span(node.parts[-1])[1]
    if start is None or end is None:
        return None
    return Edit(start, end, text, f"There is no table {node.name}: took {chosen.key}")


def _alias_edit(node: exp.Column, item: Unknown, resolver: Resolver) -> Edit | None:
    """Name the source that was meant: by its table, by the only one that has the column, by spelling."""
    owner = node.args["table"]
    scope = item.scope
    by_table = [
        alias
        for alias, source in scope.sources.items()
        if source.table is not None and source.table.name.lower() == owner.name.lower()
    ]
    having = _having(node, scope, resolver)
    chosen = by_table or having
    if len(chosen) != 1:
        near = _clearly(owner.name, [s for s in scope.sources if s])
        chosen = [near] if near and (near in having or not having) else []
    if len(chosen) != 1 or _with_itself(node, chosen[0], resolver):
        return None
    return _replace(owner, chosen[0], resolver, f"{owner.name}.{node.name} belongs to {chosen[0]}")


def _column_edit(node: exp.Column, item: Unknown, resolver: Resolver) -> Edit | None:
    """Name the column that was meant: in its table, in the only other one that has it, by spelling."""
    owner = node.args.get("table")
    if owner is None:
        if node.this.args.get("quoted") and isinstance(
            node.parent, (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike)
        ):
            start, end = _span(node.this)
            if start is not None and end is not None and not _clearly(node.name, _names(item.scope)):
                literal = "'" + node.name.replace("'", "''") + "'"
                return Edit(start, end, literal, f'Read "{node.name}" as a text, not a name')
        best = _clearly(node.name, _names(item.scope))
        return _replace(node.this, best, resolver) if best else None
    source = next((s.sources.get(resolver.fold(owner)) for s in item.scope.chain()), None)
    own = [c.name for c in source.table.columns] if source is not None and source.table is not None else []
    if not own and source is not None:
        own = sorted(source.columns or ())
    if _bare(node.name) in {_bare(name) for name in own}:
        best = next(name for name in own if _bare(name) == _bare(node.name))
        return _replace(node.this, best, resolver)
    having = _having(node, item.scope, resolver)
    if len(having) == 1 and not _with_itself(node, having[0], resolver):
        return _replace(
            owner, having[0], resolver, f"{owner.name} has no {node.name}: took it from {having[0]}"
        )
    best = _clearly(node.name, own)
    return _replace(node.this, best, resolver) if best else None


def _with_itself(node: exp.Column, owner: str, resolver: Resolver) -> bool:
    """Say whether a column would come to be compared with itself, which joins everything to everything."""
    parent = node.parent
    other = parent.right if isinstance(parent, exp.EQ) and parent.left is node else None
    other = parent.left if isinstance(parent, exp.EQ) and parent.right is node else other
    if not isinstance(other, exp.Column) or other.args.get("table") is None:
        return False
    return (
        resolver.fold(other.this) == resolver.fold(node.this) and resolver.fold(other.args["table"]) == owner
    )


def _having(node: exp.Column, scope: Scope, resolver: Resolver) -> list[str]:
    name = resolver.fold(node.this)
    return [
        alias
        for alias, source in scope.sources.items()
        if alias and source.columns and name in source.columns
    ]


def _names(scope: Scope) -> list[str]:
    found: list[str] = []
    for each in scope.chain():
        for source in each.every():
            found += [c.name for c in source.table.columns] if source.table else sorted(source.columns or ())
    return list(dict.fromkeys(found))


def _replace(node: exp.Expr, name: str, resolver: Resolver, note: str = "") -> Edit | None:
    start, end = _span(node)
    if start is None or end is None:
        return None
    text = _quoted(name, resolver.dialect)
    return Edit(start, end, text, note or f"There is no {node.name}: took {name}")


def _span(node: exp.Expr) -> tuple[int | None, int | None]:
    start, end = node.meta.get("start"), node.meta.get("end")
    return (start, end + 1) if isinstance(start, int) and isinstance(end, int) else (None, None)


def _quoted(name: str, dialect: str) -> str:
    plain = r"[a-z_][a-z0-9_]*" if dialect == "postgres" else r"[A-Za-z_][A-Za-z0-9_]*"
    bare = re.fullmatch(plain, name) is not None
    if bare:
        read = parse(f"SELECT t.{name} FROM {name} AS t WHERE {name} = 1", dialect)  # noqa: S608 - never run
        bare = read is not None and [c.name for c in read.find_all(exp.Column)] == [name, name]
    return exp.Identifier(this=name, quoted=not bare).sql(dialect=dialect)


def _bare(name: str) -> str:
    """Take away what spellings of one name differ in: case, underscores, spaces, a plural."""
    low = re.sub(r"[\W_]+", "", name.lower())
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    return low[:-1] if low.endswith("s") and len(low) > 3 and not low.endswith("ss") else low


def _clearly(name: str, names: Iterable[str]) -> str:
    """Find the one name that is clearly meant, or "".

    Example:
        >>> _clearly("custmer_name", ["customer_name", "customer_id"]), _clearly("shop", ["ship", "shoe"])
        ('customer_name', '')
    """
    scored = sorted(((_alike(name, n), n) for n in dict.fromkeys(names)), reverse=True)
    if not scored or scored[0][0] < CLEARLY:
        return ""
    if len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN:
        return ""
    return scored[0][1]


def _alike(first: str, second: str) -> float:
    """Compare two names word by word, so that `city_name` is no slip for `city_code` or `city`."""
    if _bare(first) == _bare(second):
        return 1.0
    ours, theirs = _words(first), _words(second)
    if len(ours) == len(theirs):
        pairs = [_spelled(a, b) for a, b in zip(ours, theirs, strict=True)]
        return sum(pairs) / len(pairs) if min(pairs) >= SLIP else 0.0
    return _spelled(_bare(first), _bare(second)) if ("id" in ours) == ("id" in theirs) else 0.0


def _spelled(first: str, second: str) -> float:
    if min(len(first), len(second)) <= SHORT:
        return float(first == second)
    return float(OSA.normalized_similarity(first, second))


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [_bare(word) for word in re.split(r"[\W_]+", parted) if word]

"""Refusals of names that stand for nothing: what was meant, as far as that can be told."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process
from sqlglot import exp

from sqlagent.guard.fields import field_refusal
from sqlagent.language.saying import worded
from sqlagent.sql.names import Resolver
from sqlagent.sql.scopes import Unknown
from sqlagent.values import Refusal

_FOLDS = worded("PostgreSQL reads names without quotes in lower case, and quoted names exactly.")
_SYSTEM_SCHEMAS = ("information_schema", "pg_catalog", "mysql", "performance_schema", "sys")
_SYSTEM_PREFIXES = ("pg_", "sqlite_", "pragma_", "duckdb_")


class Refused(Exception):
    """Carries a refusal out of the walk; never leaves the guard."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.what)
        self.refusal = refusal


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Find up to three names that resemble one, best first; letter case is ignored.

    Example:
        >>> nearest("custmers", ["orders", "Customers", "countries"])
        ('Customers',)
    """
    found = process.extract(
        name.lower(), {n: n.lower() for n in names}, scorer=fuzz.WRatio, limit=3, score_cutoff=72
    )
    return tuple(str(n) for _, _, n in found)


def refusal_of(unknown: Unknown, resolver: Resolver) -> Refusal:
    """Say which name stands for nothing, and what was probably meant."""
    node = unknown.node
    if unknown.kind == "file":
        return Refusal(
            worded('The CTE is called "{name}", like a file.', name=node.name),
            worded("DuckDB opens files that are named like tables."),
            worded("Give it a plain name."),
            start_of(node),
        )
    if isinstance(node, exp.Table):
        return _table(node, unknown, resolver)
    if unknown.kind == "field":
        return field_refusal(node.this)
    if unknown.kind == "alias":
        return _alias(node, unknown)
    return _column(node, unknown, resolver)


def _table(node: exp.Table, unknown: Unknown, resolver: Resolver) -> Refusal:
    parts = node.parts if isinstance(node.this, exp.Identifier) else []
    written = ".".join(p.name for p in parts) or "written that way"
    position = start_of(parts[0]) if parts else None
    same = resolver.by_name.get(node.name.lower(), []) if parts else []
    if same and not node.db and same[0].schema:
        return Refusal(
            worded("There is no table {written} in the default schema.", written=written),
            worded("A table of that name is in the schema {schema}.", schema=same[0].schema),
            worded("Write {key}.", key=same[0].key),
            position,
            "table",
            written,
            tuple(t.key for t in same),
        )
    if same and resolver.real(same[0].name) != resolver.fold(node.this):
        return Refusal(
            worded("There is no table {written} spelled this way.", written=written),
            _FOLDS,
            worded('Write "{name}" in double quotes.', name=same[0].name),
            position,
            "table",
            written,
            (same[0].key,),
        )
    owner = node.db.lower()
    if owner in _SYSTEM_SCHEMAS or node.name.lower().startswith(_SYSTEM_PREFIXES):
        return Refusal(
            worded("The system table {written} may not be read.", written=written),
            worded("It is not on the list of system tables that only describe the schema."),
            worded("Ask about the tables of this source."),
            position,
            "table",
            written,
        )
    everything = [*(t.key for t in resolver.catalog.tables), *unknown.ctes]
    near = nearest(written, everything) or nearest(node.name, everything)
    return Refusal(
        worded("There is no table {written}.", written=written),
        worded("This source has no table or view of that name, and the SQL no CTE."),
        worded("Did you mean {names}?", names=", ".join(near))
        if near
        else worded("Look up the names in the schema browser."),
        position,
        "table",
        written,
        near,
    )


def _alias(node: exp.Expr, unknown: Unknown) -> Refusal:
    owner = node.args["table"]
    in_scope = [s for each in unknown.scope.chain() for s in each.sources if s]
    near = nearest(owner.name, in_scope)
    return Refusal(
        worded(
            "There is no table or alias {name} in reach of {name}.{name2}.", name=owner.name, name2=node.name
        ),
        worded("FROM and JOIN name {names} here.", names=", ".join(in_scope))
        if in_scope
        else worded("FROM and JOIN name no table here."),
        worded("Did you mean {near}.{name}?", near=near[0], name=node.name)
        if near
        else worded("Join the table first, or correct the name."),
        start_of(owner),
        "alias",
        owner.name,
        near,
    )


def _column(node: exp.Expr, unknown: Unknown, resolver: Resolver) -> Refusal:
    owner = node.args["table"].name if node.args.get("table") is not None else ""
    written = f"{owner}.{node.name}" if owner else node.name
    known: set[str] = set()
    for scope in unknown.scope.chain():
        named = scope.sources.get(resolver.fold(node.args["table"])) if owner else None
        for source in (named,) if named is not None else scope.every():
            known |= source.columns or frozenset()
        if named is not None:
            break
    same = sorted(k for k in known if k.lower() == node.name.lower())
    near = tuple(same) or nearest(node.name, known)
    elsewhere = next((t.key for t in resolver.catalog.tables if t.column(node.name) is not None), "")
    if same:
        why, advice = _FOLDS, worded('Write "{name}" in double quotes.', name=same[0])
    else:
        why = (
            worded("{owner} has no such column.", owner=owner)
            if owner
            else worded("No table in reach has a column {name}.", name=node.name)
        )
        if near:
            advice = worded("Did you mean {names}?", names=", ".join(near))
        elif elsewhere:
            advice = worded("The table {elsewhere} has it: join that table.", elsewhere=elsewhere)
        else:
            advice = worded("Look up the columns in the schema browser.")
    return Refusal(
        worded("There is no column {written}.", written=written),
        why,
        advice,
        start_of(node.this),
        "column",
        node.name,
        near,
    )


def start_of(node: exp.Expr) -> int | None:
    """Tell where a node begins in the SQL, when the parser kept it."""
    start = node.meta.get("start")
    return start if isinstance(start, int) else None

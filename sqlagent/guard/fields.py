"""Names behind a dot in PostgreSQL, which calls the function of that name where a value has no such part."""

from __future__ import annotations

import re

from sqlglot import exp

from sqlagent.guard.lists import Lists, reason_of
from sqlagent.language.saying import worded
from sqlagent.values import Catalog, Refusal


def fields_problem(root: exp.Expr, catalog: Catalog, allowed: Lists) -> Refusal | None:
    """Refuse a name behind a dot that may be a call, and what may show values that PostgreSQL keeps for itself."""
    if (kept := _kept_value(root, catalog, allowed)) is not None:
        return Refusal(
            worded("pg_attribute may be read by names of its columns only, without attmissingval."),
            worded("That column keeps values of tables, those outside of this source too."),
            worded("Name the columns you want."),
            start_within(kept),
        )
    for node in root.walk():
        if isinstance(node, exp.Dot) and not _may_be_field(node, catalog, allowed):
            return field_refusal(node.expression)
        if isinstance(node, exp.Column) and _is_call(node, catalog, allowed):
            return field_refusal(node.this)
    return None


def start_within(node: exp.Expr) -> int | None:
    """Tell where the first part of a node begins whose place the parser kept."""
    starts = [n.meta["start"] for n in node.walk() if "start" in n.meta]
    return min(starts) if starts else None


def _kept_value(root: exp.Expr, catalog: Catalog, allowed: Lists) -> exp.Expr | None:
    """Find what may show the default values that PostgreSQL keeps in pg_attribute."""
    sources = [table for table in root.find_all(exp.Table) if table.name.lower() == "pg_attribute"]
    if not sources:
        return None
    names = {table.alias_or_name.lower() for table in sources} | {"attmissingval"}
    names |= {alias.name.lower() for alias in root.find_all(exp.TableAlias)}
    parts = _parts(root, catalog, allowed)
    for node in root.walk():
        is_star = isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count)
        is_named = isinstance(node, exp.Column) and not node.args.get("table") and node.name.lower() in names
        is_kept = isinstance(node, exp.Identifier) and node.name.lower() == "attmissingval"
        part = _behind_a_dot(node)
        is_call = part is not None and part.name not in parts and part.name.lower() not in parts
        if is_star or is_named or is_kept or is_call:
            return node
        if isinstance(node, exp.TableAlias) and node.args.get("columns"):
            return node
    return None


def _behind_a_dot(node: exp.Expr) -> exp.Identifier | None:
    """Give the last name of `source.name` and `(value).name`."""
    if isinstance(node, exp.Dot):
        part = node.expression
    elif isinstance(node, exp.Column) and node.args.get("table"):
        part = node.this
    else:
        return None
    return part if isinstance(part, exp.Identifier) else None


def _parts(root: exp.Expr, catalog: Catalog, allowed: Lists) -> frozenset[str]:
    """List what may stand behind a dot beside pg_attribute: names of columns, and no function that tells a whole row.

    Its columns are known, but not those of an alias of all that is joined to it.
    """
    names = set(allowed.columns | allowed.functions | allowed.fields).union(*allowed.columns_of.values())
    names.update(column.name for table in catalog.tables for column in table.columns)
    names.update(alias.alias for alias in root.find_all(exp.Alias))
    return frozenset(names - allowed.of_rows)


def _may_be_field(node: exp.Dot, catalog: Catalog, allowed: Lists) -> bool:
    """Say whether `(value).name` certainly asks for a part of the value.

    PostgreSQL calls the function of that name where the value has no such part.
    """
    part = node.expression
    if not isinstance(part, exp.Identifier):
        return True
    name = part.name if part.args.get("quoted") else part.name.lower()
    if is_harmless_field(name, catalog, allowed):
        return True
    is_column = any(column.name == name for table in catalog.tables for column in table.columns)
    return is_column and not reason_of(name) and not _may_be_call(name, catalog, allowed)


def is_harmless_field(name: str, catalog: Catalog, allowed: Lists) -> bool:
    """Say whether a name behind a dot is that of a part or a listed function, harmless even where it is read as a call."""
    is_part = name in allowed.fields or name in catalog.fields
    is_known = is_part or name in allowed.functions or _NUMBERED.fullmatch(name) is not None
    return is_known and not reason_of(name) and not _may_be_call(name, catalog, allowed)


def _is_call(node: exp.Column, catalog: Catalog, allowed: Lists) -> bool:
    """Say whether `source.name` may call a function, whatever it was found to stand for.

    Which source a name means is decided by PostgreSQL, by rules that need not be followed here for names of functions.
    """
    if not node.args.get("table") or not isinstance(node.this, exp.Identifier):
        return False
    name = node.name if node.this.args.get("quoted") else node.name.lower()
    return _may_be_call(name, catalog, allowed)


def _may_be_call(name: str, catalog: Catalog, allowed: Lists) -> bool:
    """Say whether PostgreSQL may call what is not on the list, or what is on it for some arguments only."""
    if name in catalog.routines or name in _BY_ARGUMENT:
        return True
    return name in catalog.called and name not in allowed.functions and name not in allowed.types


# Functions whose arguments decide whether they may be called; see `calls`.
_BY_ARGUMENT = frozenset(("current_setting",))
_NUMBERED = re.compile(r"(?:f|column)[0-9]+")


def field_refusal(part: exp.Expr) -> Refusal:
    """Refuse a name behind a dot that may be a call."""
    return Refusal(
        worded("The field {name} may not be asked for.", name=part.name[:60]),
        worded("PostgreSQL calls a function of that name where the value has no such field."),
        worded("Name the column without its table, or call a function as name(value)."),
        start_within(part),
        "function",
        part.name,
    )

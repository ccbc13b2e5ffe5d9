"""Checks of joins: tables that nothing joins, joins off the keys, figures that a join counts twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from sqlagent.catalog.keys import Edge
from sqlagent.sql.meaning.doubt import Doubt, doubt_at
from sqlagent.sql.meaning.reading import Reading, Stored, span
from sqlagent.values import Table

_COMMA = re.compile(r",[\s(\"`\[]*\Z")


def unjoined(reading: Reading) -> Iterator[Doubt]:
    """Tables that nothing joins: every row of one with every row of the other."""
    for scope, select in reading.selects():
        joins = select.args.get("joins") or []
        first = select.args.get("from_")
        if first is None or not joins:
            continue
        linked = _links(reading, scope, select)
        names = list(scope.selected_sources)
        groups = _groups(names, linked)
        for join in joins:
            name = join.this.alias_or_name
            if _is_meant_crossed(join, reading.sql) or _has_one_row(scope, name) or name not in groups:
                continue
            before = names[: names.index(name)]
            rest = [one for one in before if not _has_one_row(scope, one)]
            if not rest or any(groups[one] == groups[name] for one in rest):
                continue
            words = (
                f"Nothing joins {join.this.name or name} with {_listed(rest)}: every row of one is put beside every row of the "
                "other. Add a condition, or write CROSS JOIN where that is meant."
            )
            yield doubt_at(
                "unjoined", words, join.this.this if isinstance(join.this, exp.Table) else join.this
            )
            break


def _is_meant_crossed(join: exp.Join, sql: str) -> bool:
    place = span(join.this)
    is_cross = join.args.get("kind") == "CROSS"  # a comma is read as one too
    return bool(
        is_cross
        and (place is None or not _COMMA.search(sql[: place[0]]))
        or join.args.get("using")
        or join.args.get("method")
        or isinstance(join.this, (exp.Lateral, exp.Unnest, exp.Values))
    )


def _has_one_row(scope: Scope, name: str) -> bool:
    """Say that a named source has one row at most: a total, or a LIMIT 1."""
    source = scope.sources.get(name)
    inner = source.expression if isinstance(source, Scope) else None
    if isinstance(source, exp.Table):
        return False
    if not isinstance(inner, exp.Select):
        return True  # what cannot be read raises no doubt
    limit = inner.args.get("limit")
    if limit is not None and limit.expression is not None and limit.expression.name == "1":
        return True
    is_total = any(one.find(exp.AggFunc) for one in inner.selects) and not inner.args.get("group")
    return is_total or inner.args.get("from_") is None


def _links(reading: Reading, scope: Scope, select: exp.Select) -> list[set[str]]:
    """The sources that one condition of a block names together."""
    linked = []
    conditions = [join.args.get("on") for join in select.args.get("joins") or ()]
    conditions += [select.args["where"].this] if select.args.get("where") else []
    for condition in conditions:
        for part in (
            condition.flatten() if isinstance(condition, exp.And) else [condition] if condition else ()
        ):
            names = {_source_of(column, scope, reading) for column in part.find_all(exp.Column)}
            linked.append({name for name in names if name})
    for join in select.args.get("joins") or ():
        if join.args.get("using") or join.args.get("method"):
            linked.append(set(scope.selected_sources))
    return linked


def _source_of(column: exp.Column, scope: Scope, reading: Reading) -> str:
    if column.table:
        return column.table
    found = reading.stored(column, scope)
    return found.source if found is not None else ""


def _groups(names: list[str], linked: list[set[str]]) -> dict[str, int]:
    group = {name: number for number, name in enumerate(names)}
    for together in linked:
        mine = {group[name] for name in together if name in group}
        low = min(mine, default=0)
        group = {name: low if number in mine else number for name, number in group.items()}
    return group


def off_keys(reading: Reading) -> Iterator[Doubt]:
    """Two tables with a key between them that are joined by other columns."""
    for scope, select in reading.selects():
        pairs = list(_equal_columns(reading, scope, select))
        for join in select.args.get("joins") or ():
            name = join.this.alias_or_name
            mine = [(a, b, at) for a, b, at in pairs if name in (a.source, b.source) and a.source != b.source]
            if not mine or any(_by_key(reading, a, b) for a, b, _ in mine):
                continue
            for one, other, at in mine:
                edges = _declared(reading, one.table, other.table)
                if not edges or one.table is other.table:
                    continue
                key = " and ".join(
                    f"{edge.source}.{edge.columns[0]} = {edge.target}.{edge.referenced[0]}"
                    for edge in edges[:2]
                )
                words = (
                    f"{one.table.name}.{one.column.name} is joined with {other.table.name}.{other.column.name}, "
                    f"but the key between these tables is {key}."
                )
                yield doubt_at("off the keys", words, at)
                break


def _equal_columns(
    reading: Reading, scope: Scope, select: exp.Select
) -> Iterator[tuple[Stored, Stored, exp.Expr]]:
    """The columns of different sources that a block holds equal."""
    places = [join.args.get("on") for join in select.args.get("joins") or ()]
    places.append(select.args.get("where"))
    for place in places:
        for equal in place.find_all(exp.EQ) if place is not None else ():
            if equal.find_ancestor(exp.Select) is not select:
                continue
            one, other = reading.stored(equal.this, scope), reading.stored(equal.expression, scope)
            if one is not None and other is not None and one.source != other.source:
                yield one, other, equal


def _by_key(reading: Reading, one: Stored, other: Stored) -> bool:
    """Two columns are joined by a key, or both point at the same one."""
    here, there = _keyed(reading, one), _keyed(reading, other)
    return bool(here & there)


def _keyed(reading: Reading, stored: Stored) -> set[tuple[str, str]]:
    """A column, and what it points at by a key."""
    own = (stored.table.key, stored.column.name.lower())
    found = {own}
    for edge in reading.edges():
        for mine, theirs in zip(edge.columns, edge.referenced, strict=False):
            if (edge.source, mine.lower()) == own:
                found.add((edge.target, theirs.lower()))
    return found


def _declared(reading: Reading, one: Table, other: Table) -> list[Edge]:
    return [e for e in reading.edges() if not e.guessed and (e.source, e.target) == (one.key, other.key)]


def fan_out(reading: Reading) -> Iterator[Doubt]:
    """A figure of one table added up while a join repeats its rows."""
    for scope, select in reading.selects():
        pairs = list(_equal_columns(reading, scope, select))
        if not pairs or select.args.get("distinct"):
            continue
        for total in select.find_all(exp.Sum, exp.Avg):
            if total.find_ancestor(exp.Select) is not select or isinstance(total.this, exp.Distinct):
                continue
            columns = [reading.stored(column, scope) for column in total.find_all(exp.Column)]
            owners = {one.source for one in columns if one is not None}
            if None in columns or len(owners) != 1:
                continue
            owner = next(one for one in columns if one is not None)
            many = _repeats(reading, owner, pairs, select, scope)
            if (
                many is None
                or isinstance(total, exp.Avg)
                and _are_others_asked_about(reading, select, scope, owner.source)
            ):
                continue
            name = total.key.upper()
            words = (
                f"{name} of {owner.table.name}.{owner.column.name} counts a row of {owner.table.name} once for each row of "
                f"{many.table.name} that the join finds. Add it up before joining, or join what was grouped."
            )
            yield doubt_at("counted twice", words, total)


def _repeats(
    reading: Reading,
    owner: Stored,
    pairs: list[tuple[Stored, Stored, exp.Expr]],
    select: exp.Select,
    scope: Scope,
) -> Stored | None:
    """The source whose rows repeat those of another: many of its rows point at one, directly or through others."""
    grouped = {
        one.source for node in _group_columns(select) if (one := reading.stored(node, scope)) is not None
    }
    reached, waiting = {owner.source}, [owner.source]
    while waiting:
        here = waiting.pop()
        for one, other, _ in pairs:
            mine, theirs = (one, other) if one.source == here else (other, one)
            if mine.source != here or theirs.source in reached or theirs.source in grouped:
                continue
            by_all = [
                x
                for a, b, _ in pairs
                for x in (a, b)
                if x.source == theirs.source and here in (a.source, b.source)
            ]
            held = {name.column.name.lower() for name in by_all} | _fixed(
                reading, select, scope, theirs.source
            )
            has_key = bool(theirs.table.primary_key) and {k.lower() for k in theirs.table.primary_key} <= held
            is_one = has_key or any(reading.is_unique(name) for name in by_all)
            if not is_one and _points(reading, theirs, mine) and reading.is_unique(mine):
                return theirs
            if is_one:
                reached.add(theirs.source)
                waiting.append(theirs.source)
    return None


def _points(reading: Reading, one: Stored, other: Stored) -> bool:
    """A declared key of one table points at the other by this column."""
    return any(
        (edge.source, edge.target) == (one.table.key, other.table.key)
        and one.column.name.lower() in (name.lower() for name in edge.columns)
        for edge in reading.edges()
        if not edge.guessed
    )


def _are_others_asked_about(reading: Reading, select: exp.Select, scope: Scope, source: str) -> bool:
    """Say that columns of the other sources are used beyond joins: an average may be meant over their rows."""
    joins = [join.args.get("on") for join in select.args.get("joins") or ()]
    joining = {id(column) for on in joins if on is not None for column in on.find_all(exp.Column)}
    named = (column for column in select.find_all(exp.Column) if id(column) not in joining)
    return any(_source_of(column, scope, reading) not in ("", source) for column in named)


def _group_columns(select: exp.Select) -> list[exp.Expr]:
    group = select.args.get("group")
    return list(group.expressions) if group is not None else []


def _fixed(reading: Reading, select: exp.Select, scope: Scope, source: str) -> set[str]:
    """The columns of a source that a condition holds at one value."""
    where = select.args.get("where")
    found = set()
    for equal in where.find_all(exp.EQ) if where is not None else ():
        stored = reading.stored(equal.this, scope)
        if stored is not None and stored.source == source and isinstance(equal.expression, exp.Literal):
            found.add(stored.column.name.lower())
    return found


def _listed(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"  # noqa: PLR2004

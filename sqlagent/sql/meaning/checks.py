"""The checks of meaning, each a function of a statement that gives its doubts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from sqlagent.catalog.keys import Edge
from sqlagent.catalog.statistics import Statistics
from sqlagent.sql.literals import ODD
from sqlagent.sql.meaning.reading import Reading, Stored, span
from sqlagent.values import Catalog, Kind, Table

# As much is looked at of one statement, and so many doubts are told of it.
LONGEST, MOST = 30_000, 8
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_COMMA = re.compile(r",[\s(\"`\[]*\Z")
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
# Dialects in which two whole numbers divide to a whole one, and which read a text as a number where one is wanted.
_WHOLE = ("sqlite", "postgres", "tsql", "redshift", "presto", "trino")


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a statement may not mean: which check says so, in a sentence, and where (characters, one past the last)."""

    check: str
    words: str
    start: int | None = None
    end: int | None = None


def doubts(sql: str, catalog: Catalog, facts: Statistics | None = None) -> tuple[Doubt, ...]:
    """Say what SQL may not mean; nothing of SQL that cannot be read.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> shop = Catalog("sqlite", (Table("t", (Column("a"),)),))
        >>> [doubt.check for doubt in doubts("SELECT a FROM t WHERE a = NULL", shop)]
        ['null']
    """
    if len(sql) > LONGEST:
        return ()
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect=catalog.dialect) if tree]
        if len(trees) != 1:
            return ()
        reading = Reading(trees[0], catalog, facts, sql)
        found = [doubt for check in _ALL.values() for doubt in check(reading)]
    except ODD:
        return ()
    found.sort(key=lambda one: (one.start is None, one.start or 0))
    return tuple(dict.fromkeys(found))[:MOST]


def _doubt(check: str, words: str, node: exp.Expr) -> Doubt:
    place = span(node)
    return Doubt(check, words, *(place or (None, None)))


# ---------------------------------------------------------------- joins


def _unjoined(reading: Reading) -> Iterator[Doubt]:
    """Tables that nothing joins: every row of one with every row of the other."""
    for scope, select in reading.selects():
        joins = select.args.get("joins") or []
        first = select.args.get("from_") or select.args.get("from")
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
            yield _doubt("unjoined", words, join.this.this if isinstance(join.this, exp.Table) else join.this)
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
    """What is read under a name has one row at most: a total, or what a LIMIT 1 leaves."""
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
    return is_total or inner.args.get("from_", inner.args.get("from")) is None


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


def _off_keys(reading: Reading) -> Iterator[Doubt]:
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
                yield _doubt("off the keys", words, at)
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


def _fan_out(reading: Reading) -> Iterator[Doubt]:
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
            yield _doubt("counted twice", words, total)


def _repeats(
    reading: Reading,
    owner: Stored,
    pairs: list[tuple[Stored, Stored, exp.Expr]],
    select: exp.Select,
    scope: Scope,
) -> Stored | None:
    """The source whose rows repeat those of another: many of its rows point at one, be it by way of others."""
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
    """More of the other sources is named than what joins them: an average may well be meant over their rows."""
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


# ---------------------------------------------------------------- comparisons


def _null(reading: Reading) -> Iterator[Doubt]:
    """A comparison with NULL, which is never true."""
    for node in reading.tree.find_all(exp.EQ, exp.NEQ):
        if isinstance(node.find_ancestor(exp.Update, exp.Select), exp.Update):
            continue
        if isinstance(node.this, exp.Null) or isinstance(node.expression, exp.Null):
            word = "IS NULL" if isinstance(node, exp.EQ) else "IS NOT NULL"
            yield _doubt("null", f"A comparison with NULL is never true. Write {word}.", node)


def _not_in(reading: Reading) -> Iterator[Doubt]:
    """NOT IN over a column that holds NULLs, which lets no row pass."""
    for scope in reading.scopes:
        query = scope.expression
        if not isinstance(query, exp.Select) or len(query.selects) != 1:
            continue
        inside = query.parent
        node = inside.parent if isinstance(inside, exp.Subquery) else inside
        if not isinstance(node, exp.In) or not isinstance(node.parent, exp.Not):
            continue
        stored = reading.stored(query.selects[0].unalias(), scope)
        if stored is None or not _holds_nulls(reading, stored) or _is_filtered(reading, query, scope, stored):
            continue
        words = (
            f"{stored.table.name}.{stored.column.name} holds NULLs: then NOT IN lets no row pass. "
            f"Add WHERE {stored.column.name} IS NOT NULL inside, or write NOT EXISTS."
        )
        yield _doubt("not in", words, node)


def _holds_nulls(reading: Reading, stored: Stored) -> bool:
    """NULLs were seen in a column that may hold them; where nothing was looked at, it may."""
    if not stored.column.nullable or stored.column.name in stored.table.primary_key:
        return False
    seen = reading.facts_of(stored)
    return seen is None or seen[0].filled < seen[1]


def _is_filtered(reading: Reading, query: exp.Select, scope: Scope, stored: Stored) -> bool:
    """A condition on the column leaves no NULL of it."""
    where = query.args.get("where")
    if where is None:
        return False
    for column in where.find_all(exp.Column):
        found = reading.stored(column, scope)
        if (
            found is not None
            and found.column is stored.column
            and not isinstance(column.parent, exp.Coalesce)
        ):
            is_null = isinstance(column.parent, exp.Is) and not isinstance(column.parent.parent, exp.Not)
            return not is_null
    return False


def _between(reading: Reading) -> Iterator[Doubt]:
    """BETWEEN on times with a bare day as its end, which leaves that day out but for midnight."""
    for scope in reading.scopes:
        for node in scope.find_all(exp.Between):
            stored = reading.stored(node.this, scope)
            high = node.args["high"].this if isinstance(node.args["high"], exp.Cast) else node.args["high"]
            if stored is None or stored.column.kind is not Kind.DATETIME or not _is_day(high):
                continue
            seen = reading.facts_of(stored)
            if seen is not None and len(seen[0].high) <= 10:  # noqa: PLR2004 - a day has ten characters
                continue
            name = stored.column.name
            words = (
                f"{name} has a time of day, so that {high.name} as the end leaves that day out but for midnight. "
                f"Write {name} >= the first day AND {name} < the day after the last."
            )
            yield _doubt("between", words, node)


def _is_day(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and bool(_DAY.fullmatch(node.this))


def _division(reading: Reading) -> Iterator[Doubt]:
    """A division of whole numbers, which drops what is behind the point."""
    if reading.catalog.dialect not in _WHOLE:
        return
    for scope in reading.scopes:
        for node in scope.find_all(exp.Div):
            whole = reading.is_whole_number(node.this, scope) and reading.is_whole_number(
                node.expression, scope
            )
            is_plain = isinstance(node.this, exp.Literal) and isinstance(node.expression, exp.Literal)
            if not whole or is_plain or isinstance(node.parent, (exp.Cast, exp.Mod)):
                continue
            words = "Both sides are whole numbers, so that the result drops what is behind the point: 3 / 2 is 1. Write 1.0 * before it."
            yield _doubt("division", words, node)


def _text_and_number(reading: Reading) -> Iterator[Doubt]:
    """A text compared with a number by size, or a number with a text that is none."""
    for scope in reading.scopes:
        for node in scope.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
            for side, other in ((node.this, node.expression), (node.expression, node.this)):
                stored = reading.stored(side, scope)
                if stored is None or not isinstance(other, exp.Literal):
                    continue
                yield from _compared(reading, node, stored, other)


def _compared(reading: Reading, node: exp.Expr, stored: Stored, literal: exp.Literal) -> Iterator[Doubt]:
    kind, name = stored.column.kind, f"{stored.table.name}.{stored.column.name}"
    seen = reading.facts_of(stored)
    if kind is Kind.TEXT and not literal.is_string and not isinstance(node, (exp.EQ, exp.NEQ)):
        if seen is not None and _sorts_alike(seen[0].low, seen[0].high, literal.this):
            return
        words = f"{name} holds texts, which are compared letter by letter: '9' comes after '10'. Cast it to a number."
        yield _doubt("text and number", words, node)
    elif kind in (Kind.INTEGER, Kind.NUMBER) and literal.is_string and not _NUMBER.fullmatch(literal.this):
        if seen is not None and not (_NUMBER.fullmatch(seen[0].low) and _NUMBER.fullmatch(seen[0].high)):
            return  # SQLite keeps texts in a column of numbers
        yield _doubt("text and number", f"{name} holds numbers; '{literal.this}' is none.", node)


def _sorts_alike(*texts: str) -> bool:
    """Whole numbers of one length sort as texts as they do as numbers: years do.

    Example:
        >>> _sorts_alike("1959", "2011", "1961"), _sorts_alike("10", "9")
        (True, False)
    """
    return all(text.isdigit() for text in texts) and len({len(text) for text in texts}) == 1


def _listed(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"  # noqa: PLR2004


_ALL: dict[str, Callable[[Reading], Iterator[Doubt]]] = {
    "unjoined": _unjoined,
    "off the keys": _off_keys,
    "counted twice": _fan_out,
    "null": _null,
    "not in": _not_in,
    "between": _between,
    "division": _division,
    "text and number": _text_and_number,
}
CHECKS = tuple(_ALL)

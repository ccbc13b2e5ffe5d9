"""Wishes for outputs: a share of the total, a figure or a column more, one less, groups, and each row once."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.makers.rewriting.naming import Known, Named, Output, stems
from sqlagent.makers.rewriting.reaching import by_joins, joined, reached
from sqlagent.makers.rewriting.values import UNSAFE, Fulfilled, Refused, fulfilled

_I = re.IGNORECASE
_SHARE = re.compile(
    r"(?:add |with |show |as |and )*(?:(?:the|its|their|a) )?(?:(?P<before>[\w ]+?) )?(?:share|percentage|percent|proportion|%)(?: of (?:the |its )?(?:(?:grand )?total|whole|all|sum)(?: (?P<after>[\w ]+))?| of (?:the )?(?P<of>[\w ]+))?(?: in percent)?",
    _I,
)
_FIGURE = re.compile(
    r"(?:add|with|show|include|plus|and)(?: also)?(?: the)? (?:(?P<agg>sum|total|average|mean|avg|min(?:imum)?|max(?:imum)?|lowest|highest|least|greatest|smallest|largest)(?: of)?(?: the)? (?P<of>[\w .]+)|(?P<count>(?:number|count)(?: of (?P<rows>[\w ]+))?|how many))",
    _I,
)
_ADD = re.compile(
    r"(?:add|show|include|with)(?: also)?(?: the)?(?: column)? (?P<what>[\w .]+?)(?: column)?", _I
)
_DROP = re.compile(
    r"(?:(?P<drop>drop|remove|hide|delete)|without|leave out|exclude)(?: the)?(?P<said> column)? (?P<what>[\w .]+?)(?P<also> column)?",
    _I,
)
_PER = re.compile(
    r"(?:(?:broken |split |grouped )?(?:down |up )?(?:by|per|for each|in each)|group(?:ed)? by|split by) (?:the )?(?P<what>[\w .]+)",
    _I,
)
_ONCE = re.compile(
    r"(?:only )?(?:distinct|unique)(?: rows| values| ones)?|(?:without|no|remove|drop)(?: the| any)? (?:duplicates|duplicate rows|repeats|repeated rows)|each(?: row)?(?: only)? once|de-?duplicated?",
    _I,
)
AGGREGATES = {
    "sum": "SUM", "total": "SUM", "average": "AVG", "mean": "AVG", "avg": "AVG", "min": "MIN", "minimum": "MIN", "lowest": "MIN",
    "least": "MIN", "smallest": "MIN", "max": "MAX", "maximum": "MAX", "highest": "MAX", "greatest": "MAX", "largest": "MAX",
}  # fmt: skip
AGGREGATE_WORDS = {"SUM": "total", "AVG": "average", "MIN": "least", "MAX": "greatest"}


def shared(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Each group's share of the total, in percent, beside the figure that it is of."""
    found = _SHARE.fullmatch(wish)
    if found is None:
        return None
    words = found["before"] or found["after"] or found["of"] or ""
    figures = [one for one in named.outputs if one.is_figure]
    if words:
        figures = [one for one in figures if one in named.output(words)]
        if not figures:
            return Refused(f"No figure of this statement is called “{words}”.")
    if named.layout.tree.args.get("group") is None or not figures:
        return Refused("A share of the total needs figures of several groups; this statement has none.")
    added = [one for one in figures if _adds_up(one)]
    if len(added) != 1:
        names = ", ".join(one.said for one in figures)
        if added:
            return Refused(f"Several figures may be meant: {names}.")
        return Refused(f"Only sums and numbers of rows have a share of their total, unlike {names}.")
    one = added[0]
    name = named.dialect.quoted(
        "share"
        if len([f for f in named.outputs if f.is_figure]) == 1
        else f"share_of_{one.name or one.number + 1}"
    )
    share = f"100.0 * {one.sql} / NULLIF(SUM({one.sql}) OVER (), 0) AS {name}"
    said = f"with the share of {one.said} in the total, in percent"
    if "limit" in named.layout.places:
        said += " (of all groups, also those behind the limit)"
    if "having" in named.layout.places:
        said += " (of the groups that HAVING keeps)"
    after = one.number + 1 if one.number + 1 < len(named.outputs) and not _by_number(named) else None
    return fulfilled(named.layout.with_item("expressions", share, after), said)


def _adds_up(output: Output) -> bool:
    """Whether the figures of groups make up the whole: sums and numbers of rows do."""
    tree = output.tree
    return isinstance(tree, exp.Sum | exp.Count) and not isinstance(tree.this, exp.Distinct)


def _by_number(named: Named) -> bool:
    """Whether groups or an order name outputs by their place, which an output before them would move."""
    found: list[exp.Expr] = []
    for clause in ("group", "order"):
        part = named.layout.tree.args.get(clause)
        found += [
            one.this if isinstance(one, exp.Ordered) else one for one in (part.expressions if part else ())
        ]
    return any(isinstance(one, exp.Literal) for one in found)


def added(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """One output more: a figure of a column, a number of rows, or a column."""
    if figure := _FIGURE.fullmatch(wish):
        return _with_figure(figure, named)
    found = _ADD.fullmatch(wish)
    if found is None:
        return None
    columns = named.column(found["what"]) or named.column(found["what"], reached(named))
    if not columns:
        return None
    if len(columns) > 1:
        return _several(found["what"], columns)
    if any(named.is_of(columns[0], one.tree) and isinstance(one.tree, exp.Column) for one in named.outputs):
        return Refused(f"{columns[0].sql} is an output already.")
    return _grouped(named, columns[0]) if named.is_grouped else _shown(named, columns[0])


def _with_figure(found: re.Match[str], named: Named) -> Fulfilled:
    if not named.is_grouped or not named.outputs:
        return Refused("This statement sums nothing up, so a figure would change what its rows are.")
    if found["count"]:
        rows = found["rows"] or "rows"
        if stems(rows) != stems("rows") and not _is_one_table(named, rows):
            return Refused(
                f"It is not sure that the rows that are counted here are {rows}: say “number of rows”."
            )
        made, name = "COUNT(*)", "number"
    else:
        columns = [one for one in named.column(found["of"]) if one.field.is_number]
        if len(columns) != 1:
            return (
                _several(found["of"], columns)
                if columns
                else Refused(f"No column of numbers here is called “{found['of']}”.")
            )
        aggregate = AGGREGATES[found["agg"].lower()]
        made, name = (
            f"{aggregate}({columns[0].sql})",
            f"{AGGREGATE_WORDS[aggregate]}_{columns[0].field.column}",
        )
    taken = {one.name.lower() for one in named.outputs}
    name = name if name.lower() not in taken else f"{name}_{len(taken) + 1}"
    return fulfilled(
        named.layout.with_item("expressions", f"{made} AS {named.dialect.quoted(name)}"), f"with {made}"
    )


def _is_one_table(named: Named, rows: str) -> bool:
    """Whether the only table that is read has rows of this name."""
    tables = {one.field.table for one in named.columns}
    only = not named.layout.tree.args.get("joins") and len(tables) == 1
    return only and named.source.model.things[tables.pop()].noun == stems(rows)


def _several(words: str, columns: list[Known]) -> Refused:
    return Refused(f"“{words}” may be several columns: {', '.join(one.sql for one in columns)}.")


def _shown(named: Named, column: Known) -> Fulfilled:
    if not named.outputs:
        return Refused("The output * shows every column already.")
    base = joined(named, column)
    if isinstance(base, Refused):
        return base
    return fulfilled(base.layout.with_item("expressions", column.sql), f"with {column.sql}{by_joins(column)}")


def _grouped(named: Named, column: Known) -> Fulfilled:
    """A column more that figures are given for."""
    if not named.outputs:
        return Refused("With * as output the statement cannot be grouped further.")
    group = named.layout.tree.args.get("group")
    if any(
        isinstance(one, exp.Column) and named.is_same(column, one)
        for one in (group.expressions if group else ())
    ):
        return Refused(f"There is one row for each {column.sql} already.")
    base = joined(named, column)
    if isinstance(base, Refused):
        return base
    figures = [one.number for one in named.outputs if one.is_figure]
    at = figures[0] if figures and not _by_number(named) else None
    layout = base.layout.with_item("expressions", column.sql, at)
    layout = layout and layout.with_item("group", column.sql)
    behind = by_joins(column) + (
        "; the limit now counts these rows" if "limit" in named.layout.places else ""
    )
    return fulfilled(
        layout,
        f"one row for each {column.sql} too{behind}" if group else f"one row for each {column.sql}{behind}",
    )


def per(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Figures for each value of a column."""
    found = _PER.fullmatch(wish)
    if found is None:
        return None
    there = reached(named)
    columns = named.column(found["what"]) or named.column(found["what"], there)
    columns = columns or named.display(found["what"], (*named.columns, *there))
    if not columns:
        return Refused(
            f"No table of this statement, and none that its keys lead to, has a column called “{found['what']}”."
        )
    if len(columns) > 1:
        return _several(found["what"], columns)
    if not named.is_grouped:
        return Refused(
            f"This statement sums nothing up, so it has no figure for each {found['what']}. Add a figure such as COUNT(*) first."
        )
    return _grouped(named, columns[0])


def dropped(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """One output less; of one that groups are made of, the groups go with it."""
    found = _DROP.fullmatch(wish)
    if found is None:
        return None
    outputs = named.output(found["what"])
    is_said = bool(found["drop"] or found["said"] or found["also"])
    if not outputs:
        if found["said"] or found["also"]:
            return Refused(f"No output of this statement is called “{found['what']}”.")
        return None
    if not is_said and index is not None and index.lookup(found["what"]):
        return Refused(
            f"“{found['what']}” is an output and a stored value: say “drop the column {found['what']}” or name the value's column."
        )
    return without(named, outputs[0])


def without(named: Named, output: Output) -> Fulfilled:
    """The statement with an output less; of one that groups are made of, the groups go with it."""
    if len(named.outputs) == 1:
        return Refused("The statement has no other output.")
    if _by_number(named):
        return Refused(
            "Groups or the order name outputs by their place here, so none can be taken out safely."
        )
    layout: Layout | None = named.layout
    said = f"without {output.said}"
    group = named.layout.tree.args.get("group")
    order = named.layout.tree.args.get("order")
    if order is not None:
        gone = [number for number, one in enumerate(order.expressions) if is_named(one.this, output)]
        if gone:
            layout = layout and layout.without_items("order", gone)
            said += " and without its order"
    if group is not None and not output.is_figure:
        gone = [number for number, one in enumerate(group.expressions) if is_named(one, output)]
        if not gone:
            return UNSAFE
        gone += _hidden_keys(named, output)
        layout = layout and layout.without_items("group", sorted({*gone}))
        said += ", and one row no longer for each of it"
    layout = layout and layout.without_items("expressions", [output.number])
    return fulfilled(layout, said)


def _hidden_keys(named: Named, output: Output) -> list[int]:
    """The places of groups that no output shows and that only tell apart what an output shows: the key of a category beside its name."""
    shown = named.shown_by(output)
    group = named.layout.tree.args.get("group")
    if shown is None or group is None:
        return []
    others = [one for one in named.outputs if one.number != output.number and not one.is_figure]
    tables = {shown.field.table} - {k.field.table for one in others if (k := named.shown_by(one)) is not None}
    found = []
    for number, node in enumerate(group.expressions):
        known = [one for one in named.columns if isinstance(node, exp.Column) and named.is_same(one, node)]
        if len(known) != 1 or any(is_named(node, one) for one in named.outputs):
            continue
        field = known[0].field
        leads = {
            one.target
            for one in named.source.model.relations
            if one.source == field.table and one.columns == (field.column,)
        }
        if field.table in tables or leads & tables:
            found.append(number)
    return found


def is_named(node: exp.Expr, output: Output) -> bool:
    """Whether an expression is an output, by its name or by what it computes."""
    is_name = isinstance(node, exp.Column) and not node.table and node.name.lower() == output.name.lower()
    return is_name or node == output.tree


def once_each(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Show each different row once. None for other wishes; refused where it is so already."""
    if not _ONCE.fullmatch(wish):
        return None
    if named.layout.tree.args.get("distinct") is not None:
        return Refused("The statement shows each different row once already.")
    start = named.layout.items("expressions")[0][0]
    return fulfilled(
        named.layout.changed([(start, start, f"{named.layout.cased('DISTINCT')} ")], {"distinct"}),
        "each different row once",
    )

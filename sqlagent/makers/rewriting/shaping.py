"""Wishes for what stands in an output: another name, a rounded figure, another aggregate, and another group in the place of one."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.makers.rewriting.naming import Named, Output
from sqlagent.makers.rewriting.outputs import AGGREGATE_WORDS, AGGREGATES, dropped, per
from sqlagent.makers.rewriting.timing import per_grain
from sqlagent.makers.rewriting.values import INSTEAD, Fulfilled, Refused, fulfilled

_I = re.IGNORECASE
_RENAME = re.compile(
    r"(?:rename|call|name)(?: the)?(?: column)? (?P<what>[\w .]+?)(?: column)?(?: (?:to|as|into))? [\"'“‘]?(?P<name>[^\W\d]\w*(?: \w+){0,3})[\"'”’]?",
    _I,
)
_ROUNDED = re.compile(
    r"round(?:ed)?(?: the)?(?: (?P<what>[\w .]+?))?(?: (?:to|with|at) (?P<digits>\d|no|zero|one|two) (?:decimals?|digits?|(?:decimal )?places?)| to (?P<whole>(?:whole|full|the nearest) (?:numbers?|integers?|units?)))?",
    _I,
)
_AGGREGATE = "|".join(AGGREGATES)
_INSTEAD_OF = re.compile(
    rf"(?:show |use |take )?(?:the )?(?P<new>{_AGGREGATE})(?: (?:of )?(?:the )?(?P<what>[\w .]+?))? (?:instead of|rather than|in place of) (?:the )?(?P<old>{_AGGREGATE})(?: [\w .]+)?",
    _I,
)
_GROUPED_INSTEAD = re.compile(r"(?P<wish>.+?),? instead(?: of (?:by |per )?(?:the )?(?P<old>[\w .]+))?", _I)
_DIGITS = {"no": 0, "zero": 0, "one": 1, "two": 2}


def renamed(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Another name for an output, wherever the statement uses it."""
    found = _RENAME.fullmatch(wish)
    if found is None:
        return None
    outputs = named.output(found["what"])
    if len(outputs) != 1:
        return Refused(f"No output of this statement is called “{found['what']}”.")
    name = "_".join(found["name"].split())
    if name.lower() in {one.name.lower() for one in named.outputs}:
        return Refused(f"Another output is called “{name}” already.")
    old = outputs[0]
    having = named.layout.tree.args.get("having")
    if having is not None and any(_is_name(one, old) for one in having.find_all(exp.Column)):
        return Refused(f"HAVING uses the name “{old.name}”; change it in the SQL.")
    layout = _swapped(named, old, f"{old.sql} AS {named.dialect.quoted(name)}", named.dialect.quoted(name))
    return fulfilled(layout, f"{old.said} is called {name}")


def rounded(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """A figure rounded to a number of decimals."""
    found = _ROUNDED.fullmatch(wish)
    if found is None:
        return None
    said = (found["digits"] or "").lower()
    digits = 0 if found["whole"] or not said else _DIGITS.get(said, int(said) if said.isdecimal() else 0)
    figures = [one for one in named.outputs if one.is_figure and not isinstance(one.tree, exp.Count)]
    if found["what"]:
        figures = [one for one in named.output(found["what"]) if one.is_figure or _is_number(named, one)]
    if len(figures) != 1:
        names = ", ".join(one.said for one in figures)
        return Refused(
            f"Several figures may be meant: {names}." if figures else "No figure here is meant by that."
        )
    one = figures[0]
    if isinstance(one.tree, exp.Round):
        return Refused(f"{one.said} is rounded already; change the digits in the SQL.")
    name = one.name or "rounded"
    made = f"ROUND({one.sql}, {digits}) AS {named.dialect.quoted(name)}"
    return fulfilled(
        _swapped(named, one, made, named.dialect.quoted(name)),
        f"{one.said} rounded to {digits} decimal{'' if digits == 1 else 's'}",
    )


def reaggregated(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Another aggregate of the same column in the place of one: the average instead of the sum."""
    found = _INSTEAD_OF.fullmatch(wish)
    if found is None:
        return None
    new, old = AGGREGATES[found["new"].lower()], AGGREGATES[found["old"].lower()]
    of_old = [one for one in named.outputs if type(one.tree).__name__.upper() == old]
    if found["what"]:
        of_old = [one for one in of_old if one in named.output(found["what"])] or of_old
    if len(of_old) != 1:
        return Refused(f"There is not exactly one {AGGREGATE_WORDS[old]} in this statement.")
    one = of_old[0]
    inner = one.tree.this.sql(dialect=named.layout.dialect, comments=False)
    name = f"{AGGREGATE_WORDS[new]}_{one.name}" if one.name else AGGREGATE_WORDS[new]
    made = f"{new}({inner}) AS {named.dialect.quoted(name)}"
    return fulfilled(
        _swapped(named, one, made, named.dialect.quoted(name)),
        f"{AGGREGATE_WORDS[new]} of {inner}{INSTEAD}the {AGGREGATE_WORDS[old]}, called {name}",
    )


def regrouped(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Other groups in the place of those that stand there: "by channel instead"."""
    found = _GROUPED_INSTEAD.fullmatch(wish)
    if found is None:
        return None
    grouped = per(found["wish"], named, today, index) or per_grain(found["wish"], named, today, index)
    if not isinstance(grouped, tuple):
        return grouped
    layout, said = grouped
    if INSTEAD in said:
        return grouped
    olds = [one for one in named.outputs if not one.is_figure]
    if found["old"]:
        olds = [one for one in olds if one in named.output(found["old"])]
        if not olds:
            return Refused(f"No group of this statement is called “{found['old']}”.")
    for old in olds:
        gone = dropped(f"drop column {old.name}", Named(layout, named.source), today, index)
        if not isinstance(gone, tuple):
            return gone or Refused(f"{old.said} cannot be taken out here without a language model.")
        layout = gone[0]
    return layout, f"{said.removesuffix(' too')}{INSTEAD}{' and '.join(one.said for one in olds)}"


def _is_number(named: Named, output: Output) -> bool:
    known = [
        one
        for one in named.columns
        if isinstance(output.tree, exp.Column) and named.is_same(one, output.tree)
    ]
    return len(known) == 1 and known[0].field.is_number


def _swapped(named: Named, old: Output, made: str, name: str) -> Layout | None:
    """The statement with another output in the place of one, and its new name in the order."""
    layout: Layout | None = named.layout.with_swapped("expressions", old.number, made)
    order = named.layout.tree.args.get("order")
    for place, one in enumerate(order.expressions if order is not None else ()):
        if layout is not None and (_is_name(one.this, old) or one.this == old.tree):
            down = f" {layout.cased('DESC')}" if one.args.get("desc") else ""
            layout = layout.with_swapped("order", place, name + down)
    return layout


def _is_name(node: exp.Expr, output: Output) -> bool:
    return isinstance(node, exp.Column) and not node.table and node.name.lower() == output.name.lower()

"""Wishes for what stands in an output: another name, a rounded figure, another aggregate, and another group in the place of one."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.makers.rewriting.naming import Named, Output
from sqlagent.makers.rewriting.outputs import AGGREGATE_WORDS, AGGREGATES, is_named, per, without
from sqlagent.makers.rewriting.timing import per_grain
from sqlagent.makers.rewriting.values import INSTEAD, Fulfilled, Refused, fulfilled

_I = re.IGNORECASE
_RENAME = re.compile(
    r"(?:rename|call|name)(?: the)?(?: column)? (?P<what>[\w .]+?)(?: column)?(?: (?:to|as|into))? [\"'“‘]?(?P<name>[^\W\d]\w*(?: \w+){0,3})[\"'”’]?",
    _I,
)
_ROUNDED = re.compile(
    r"round(?:ed)?(?: the)?(?: (?P<what>(?!to\b|with\b|at\b)[\w .]+?))?(?: (?:to|with|at) (?P<digits>\d|no|zero|one|two) (?:decimals?|digits?|(?:decimal )?places?)| to (?P<whole>(?:whole|full|the nearest) (?:numbers?|integers?|units?)))?",
    _I,
)
_AGGREGATE = "|".join(AGGREGATES)
_INSTEAD_OF = re.compile(
    rf"(?:show |use |take )?(?:the )?(?P<new>{_AGGREGATE})(?: (?:of )?(?:the )?(?P<what>[\w .]+?))? (?:instead of|rather than|in place of) (?:the )?(?P<old>{_AGGREGATE})(?: (?:of )?(?:the )?(?P<behind>[\w .]+))?",
    _I,
)
_GROUPED_INSTEAD = re.compile(r"(?P<wish>.+?),? instead(?: of (?:by |per )?(?:the )?(?P<old>[\w .]+))?", _I)
_HEAD = re.compile(r"([^,;]*)(.*)", re.DOTALL)
"""The first part of a told change, and the rest."""
_TAIL = re.compile(r"(?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?$", _I)
"""The words behind an expression in ORDER BY."""
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
    if (
        having is not None
        and old.name
        and any(is_named(one, old) and one != old.tree for one in having.find_all(exp.Column))
    ):
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
        figures = [one for one in named.output(found["what"]) if _is_number(named, one)]
    if len(figures) > 1:
        return Refused(f"Several figures may be meant: {', '.join(one.said for one in figures)}.")
    if not figures:
        wanted = f" is called “{found['what']}”" if found["what"] else " can be rounded"
        return Refused(f"No figure of this statement{wanted}.")
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
    for words in filter(None, (found["what"], found["behind"])):
        of_old = [one for one in of_old if one in named.output(words) or _is_of(named, one, words)]
    if len(of_old) != 1:
        wanted = found["what"] or found["behind"]
        return Refused(
            f"There is not exactly one {AGGREGATE_WORDS[old]}{f' of “{wanted}”' if wanted else ''} in this statement."
        )
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
    timed = per_grain(found["wish"], named, today, index)
    grouped = timed or per(found["wish"], named, today, index)
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
        now = Named(layout, named.source)
        gone = without(now, next(one for one in now.outputs if one.tree == old.tree))
        if not isinstance(gone, tuple):
            return gone
        layout = gone[0]
    order = layout.tree.args.get("order")
    if timed and order is not None and "limit" not in layout.places:
        now = Named(layout, named.source)
        grain = next(
            (
                one
                for one in now.outputs
                if not one.is_figure and one.name not in {old.name for old in named.outputs}
            ),
            None,
        )
        if grain is not None and not any(is_named(one.this, grain) for one in order.expressions):
            layout = layout.with_clause("order", named.dialect.quoted(grain.name)) or layout
            said += ", in the order of time"
    head, behind = _HEAD.match(said).groups()  # type: ignore[union-attr]  # it matches any text
    return layout, f"{head.removesuffix(' too')}{INSTEAD}{' and '.join(one.said for one in olds)}{behind}"


def _is_number(named: Named, output: Output) -> bool:
    """Whether an output can be rounded: a figure, or a column of numbers that no group is made of."""
    known = named.shown_by(output)
    return output.is_figure or known is not None and known.field.is_number and not named.is_grouped


def _is_of(named: Named, output: Output, words: str) -> bool:
    """Whether a figure sums up the column that words name."""
    columns = named.column(words)
    return len(columns) == 1 and named.is_of(columns[0], output.tree)


def _swapped(named: Named, old: Output, made: str, name: str) -> Layout | None:
    """The statement with another output in the place of one, and its new name where groups and the order use the old one."""
    layout: Layout | None = named.layout.with_swapped("expressions", old.number, made)
    for clause in ("group", "order"):
        trees = named.layout.tree.args.get(clause)
        for place, one in enumerate(trees.expressions if trees is not None else ()):
            inner = one.this if isinstance(one, exp.Ordered) else one
            by_name = inner != old.tree
            if layout is None or not is_named(inner, old) or clause == "group" and not by_name:
                continue
            tail = _TAIL.search(layout.item(clause, place))
            layout = layout.with_swapped(clause, place, name + (tail[0] if tail else ""))
    return layout

"""Changes of a follow-up, by the golds of its turn and of the one before, and why it was not followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

_TIMED = re.compile(r"'\d{4}(?:-\d\d)*%?'|strftime|substr|date\(", re.IGNORECASE)
MOST_GOLDS = 4
"""Golds of a turn that are held against those of the turn before."""


def kind_of(before: Sequence[str], now: Sequence[str], dialect: str) -> str:
    """Say what changes between two turns: the fewest changes that lead from a gold of the one to a gold of the other."""
    pairs = product(before[:MOST_GOLDS], now[:MOST_GOLDS])
    return _fewest(" and ", [_kinds(one, other, dialect) for one, other in pairs])


def differs(said: str, golds: Sequence[str], dialect: str) -> str:
    """Say in what a statement that is wrong differs from the gold that is nearest to it, by its parts."""
    return _fewest(", ", [_counts(said, gold, dialect) for gold in golds[:MOST_GOLDS]])


def _fewest(joint: str, some: Sequence[tuple[str, ...] | None]) -> str:
    known = sorted((len(one), one) for one in some if one is not None)
    return joint.join(known[0][1]) if known and known[0][1] else "another way"


def _tree(sql: str, dialect: str) -> exp.Select | None:
    try:
        tree = parse_one(sql, read=dialect)
    except SqlglotError:
        return None
    return tree if isinstance(tree, exp.Select) else None


def _kinds(before: str, now: str, dialect: str) -> tuple[str, ...] | None:
    old, new = _tree(before, dialect), _tree(now, dialect)
    if old is None or new is None:
        return None
    out = []
    if _is_share(new) != _is_share(old):
        out.append("share" if _is_share(new) else "no share")
    else:
        figures, others = _figures(old), _figures(new)
        if bool(figures) != bool(others):
            out.append("counted" if others else "listed")
        elif figures != others:
            out.append(
                "figure beside" if figures < others else "figure gone" if others < figures else "other figure"
            )
    groups, others = _groups(old), _groups(new)
    if groups != others:
        out.append("group added" if groups < others else "groups gone" if others < groups else "other groups")
    out += _conditions(old, new)
    limits = [tree.args.get("limit") for tree in (old, new)]
    if limits[0] != limits[1]:
        out.append("first few" if limits[1] is not None else "all again")
    elif not out and old.args.get("order") != new.args.get("order"):
        out.append("order")
    if not out and _text(old.args.get("having")) != _text(new.args.get("having")):
        out.append("bound of groups")
    return tuple(out)


def _conditions(old: exp.Select, new: exp.Select) -> list[str]:
    held, now = _where(old), _where(new)
    lost, gained = held - now, now - held
    times = {one for one in lost | gained if _TIMED.search(one)}
    out = []
    if times:
        both = lost & times and gained & times
        out.append("other period" if both else "period" if gained & times else "period gone")
    lost, gained = lost - times, gained - times
    if lost and gained:
        out.append("other value")
    elif gained:
        denied = all(re.search(r"<>|NOT\b", one) for one in gained)
        out.append("left out" if denied else "narrowed")
    elif lost:
        out.append("widened")
    return out


def _counts(said: str, gold: str, dialect: str) -> tuple[str, ...] | None:
    ours, theirs = _tree(said, dialect), _tree(gold, dialect)
    if ours is None or theirs is None:
        return None
    out = []
    if len(list(ours.expressions)) != len(list(theirs.expressions)):
        out.append("columns")
    if len(_where(ours)) != len(_where(theirs)):
        out.append(
            "a condition too few" if len(_where(ours)) < len(_where(theirs)) else "a condition too many"
        )
    if len(_groups(ours)) != len(_groups(theirs)):
        out.append("groups")
    if (ours.args.get("limit") is None) != (theirs.args.get("limit") is None):
        out.append("number of rows")
    aggregates = [sorted(type(one).__name__ for one in tree.find_all(exp.AggFunc)) for tree in (ours, theirs)]
    if aggregates[0] != aggregates[1]:
        out.append("figure")
    return tuple(out)


def _is_share(tree: exp.Select) -> bool:
    return any(
        one.find(exp.Window) or (div := one.find(exp.Div)) and div.expression.find(exp.AggFunc, exp.Select)
        for one in tree.expressions
    )


def _figures(tree: exp.Select) -> frozenset[str]:
    found = (one.unalias().find(exp.AggFunc) for one in tree.expressions)
    return frozenset(_text(one) for one in found if one is not None)


def _groups(tree: exp.Select) -> frozenset[str]:
    if not _figures(tree):
        return frozenset()
    return frozenset(_text(one.unalias()) for one in tree.expressions if not one.find(exp.AggFunc))


def _where(tree: exp.Select) -> frozenset[str]:
    where = tree.args.get("where")
    if where is None:
        return frozenset()
    every = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    return frozenset(text for one in every if (text := _text(one)) != "1 = 1")


def _text(one: exp.Expr | None) -> str:
    """A part as text, however its tables are called and its days are written."""
    if one is None:
        return ""
    bare = one.copy()
    for column in bare.find_all(exp.Column):
        column.set("table", None)
    return bare.sql("sqlite")

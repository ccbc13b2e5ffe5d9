"""Wishes for texts and spans of numbers: "name starts with A", "city is missing", "price between 20 and 40"; and values taken in again."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.rewriting.filtering import spelled
from sqlagent.makers.rewriting.naming import Known, Named
from sqlagent.makers.rewriting.values import Fulfilled, Refused, fulfilled

_I = re.IGNORECASE
_ONLY = r"(?:(?:only|just|where|with|those with|the ones with)\s+)*(?:the\s+)?"
_LIKE = re.compile(
    rf"{_ONLY}(?P<what>[\w .]+?)\s+(?:(?P<no>does not|doesn't|do not|don't|not)\s+)?(?:(?P<start>starts?|begins?|starting|beginning) with|(?P<end>ends?|ending) (?:with|in|on)|(?:contains?|containing|includes?|has|with) (?:the (?:word|text) )?)\s*[\"'“‘]?(?P<text>[^\"'”’]+?)[\"'”’]?(?: in it)?",
    _I,
)
_MISSING = re.compile(
    rf"{_ONLY}(?P<what>[\w .]+?)\s+(?:is|are|was)\s+(?P<no>not\s+)?(?P<word>empty|missing|null|blank|unknown|set|given|known|filled|there)|{_ONLY}(?P<what_3>[\w .]+?)\s+(?:has|have) no value|{_ONLY}(?:no|missing|empty|without an?|without) (?P<what_2>[\w .]+)",
    _I,
)
_THERE = frozenset({"set", "given", "known", "filled", "there"})
_BETWEEN = re.compile(
    rf"{_ONLY}(?P<what>[\w .]+?)\s+(?:is\s+)?(?:between|from)\s+(?P<low>-?\d[\d,]*(?:\.\d+)?)\s+(?:and|to)\s+(?P<high>-?\d[\d,]*(?:\.\d+)?)",
    _I,
)
_AGAIN = re.compile(
    r"(?:include|with|add|count|bring back|also)(?: the| also)? (?P<value>[\w' -]+?)(?: (?:ones?|rows))?(?: (?:again|too|as well|back))?",
    _I,
)


def like(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Texts that begin with, end with or contain what was typed, in any letter case."""
    found = _LIKE.fullmatch(wish)
    if found is None:
        return None
    column = _column(found["what"], named)
    if not isinstance(column, Known):
        return column
    text = found["text"].strip()
    if column.field.is_number or column.field.form is not None or set(text) & set("%_\\"):
        return Refused("Only texts without %, _ and \\ are searched for, and in columns of text.")
    before, after = "" if found["start"] else "%", "" if found["end"] else "%"
    how = "begin with" if found["start"] else "end with" if found["end"] else "contain"
    pattern = named.dialect.text(f"{before}{text.lower()}{after}")
    made = f"LOWER({column.sql}) {'NOT LIKE' if found['no'] else 'LIKE'} {pattern}"
    how = f"does not {how}" if found["no"] else re.sub(r"^(\w+)", r"\1s", how)
    said = f"only rows where {column.sql} {how} ‘{text}’, in any letter case"
    return fulfilled(named.layout.with_condition("where", made), said + named.effects(column))


def missing(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Rows where a column holds nothing, or those where it holds something."""
    found = _MISSING.fullmatch(wish)
    if found is None:
        return None
    words = found["what"] or found["what_3"] or found["what_2"]
    column = _column(words, named)
    if not isinstance(column, Known):
        return None if found["what_2"] else column
    if found["what_2"] and named.output(words) or found["word"] and spelled(column, found["word"], index):
        return None  # an output to drop; a value that is stored: orders that are filled
    is_there = found["what"] is not None and bool(found["no"]) != (found["word"].lower() in _THERE)
    blank = not column.field.is_number and column.field.form is None
    empty = named.dialect.text("")
    if is_there:
        made = f"{column.sql} IS NOT NULL" + (f" AND {column.sql} <> {empty}" if blank else "")
    else:
        made = f"({column.sql} IS NULL OR {column.sql} = {empty})" if blank else f"{column.sql} IS NULL"
    said = (
        f"only rows where {column.sql} is {'not ' if is_there else ''}missing{' or empty' if blank else ''}"
    )
    return fulfilled(named.layout.with_condition("where", made), said + named.effects(column))


def between(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """A span of numbers, both ends in it: of each row, or of a figure of each group."""
    found = _BETWEEN.fullmatch(wish)
    if found is None:
        return None
    low, high = (found[end].replace(",", "") for end in ("low", "high"))
    figures = [one for one in named.output(found["what"]) if one.is_figure]
    if len(figures) == 1 and named.layout.tree.args.get("group") is not None:
        made = f"{figures[0].sql} BETWEEN {low} AND {high}"
        return fulfilled(
            named.layout.with_condition("having", made),
            f"only groups where {figures[0].said} is between {low} and {high}",
        )
    columns = [one for one in named.column(found["what"]) if one.field.is_number]
    if len(columns) != 1:
        return None
    made = f"{columns[0].sql} BETWEEN {low} AND {high}"
    return fulfilled(
        named.layout.with_condition("where", made), f"only rows where {made}{named.effects(columns[0])}"
    )


def included(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """A value that the statement leaves out taken in again."""
    found = _AGAIN.fullmatch(wish)
    if found is None or index is None:
        return None
    gone: dict[int, str] = {}
    for match in index.lookup(found["value"]):
        for one in named.columns:
            if (one.field.table, one.field.column) != (match.column.table, match.column.column):
                continue
            for number, (_, _, node) in enumerate(named.layout.conditions("where")):
                if _leaves_out(node, match.value) and named.is_of(one, node):
                    gone[number] = f"with {one.sql} ‘{match.value}’ too"
    if not gone:
        return None
    said = " and ".join(dict.fromkeys(gone.values()))
    return fulfilled(named.layout.without_conditions("where", sorted(gone)), said)


def _leaves_out(node: exp.Expr, value: str) -> bool:
    """Whether a condition leaves out this value and no other."""
    inner = node.unnest()
    if isinstance(inner, exp.Not) and isinstance(inner.this.unnest(), exp.In | exp.EQ):
        inner = inner.this.unnest()
    elif not isinstance(inner, exp.NEQ):
        return False
    literals = [one.name for one in inner.find_all(exp.Literal)]
    return literals == [value] and inner.find(exp.Query) is None


def _column(words: str, named: Named) -> Known | Refused | None:
    columns = named.column(words)
    if len(columns) > 1:
        return Refused(f"“{words}” may be several columns: {', '.join(one.sql for one in columns)}.")
    return columns[0] if columns else None

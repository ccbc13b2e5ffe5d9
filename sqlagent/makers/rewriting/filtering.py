"""Wishes for conditions: stored values, bounds of numbers, and conditions taken away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.makers.rewriting.naming import Known, Named, Output
from sqlagent.makers.rewriting.reaching import by_joins, joined, reached
from sqlagent.makers.rewriting.values import Fulfilled, Refused, fulfilled
from sqlagent.values import ValueMatch

_I = re.IGNORECASE
_NOT = re.compile(
    r"^(?:without|excluding|exclude|except(?: for)?|not|no|leave out|ignore|but not|remove|drop|w/o)\s+(?:the\s+|any\s+)?",
    _I,
)
_ONLY = re.compile(
    r"^(?:(?:only|just|for|in|from|where|with|of|at|limit(?: it)? to|show|those|the ones)\s+)+(?:the\s+)?", _I
)
_ONES = re.compile(r"\s+(?:ones|rows|only)$", _I)
_BOUND = re.compile(
    r"(?:(?:only|just|where|with|having|those with)\s+)?(?:(?:the\s+)?(?P<what>[\w .]+?)\s+(?:is\s+|are\s+|of\s+)?)?(?P<op>over|above|more than|greater than|larger than|at least|no less than|under|below|less than|fewer than|smaller than|at most|no more than|>=|<=|>|<)\s*(?P<number>-?\d[\d,]*(?:\.\d+)?)(?:\s+(?P<behind>[\w ]+))?",
    _I,
)
_WHOSE = re.compile(
    r"(?:only |just )?(?:the )?(?P<rows>[\w ]+?) (?:with|where|whose|having|that have)(?: an?| the)? (?=\w)",
    _I,
)
_OPS = {
    "over": ">", "above": ">", "more than": ">", "greater than": ">", "larger than": ">", "at least": ">=", "no less than": ">=",
    "under": "<", "below": "<", "less than": "<", "fewer than": "<", "smaller than": "<", "at most": "<=", "no more than": "<=",
}  # fmt: skip
_ANY = re.compile(
    r"(?:remove|drop|without|no|forget|ignore)(?: the)? (?:(?:filters?|conditions?)(?: (?:on|of|for) (?P<on>[\w .]+))|(?P<before>[\w .]+?) (?:filter|condition))|(?:any|every|all) (?P<any>[\w .]+)",
    _I,
)
_LIST = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", _I)


def bound(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """A bound of a number: of each row, or of a figure of each group."""
    whose = _WHOSE.match(wish)
    if whose is not None and named.is_table(whose["rows"]):
        wish = wish[whose.end() :]
    found = _BOUND.fullmatch(wish)
    if found is None:
        return None
    words = found["what"] or found["behind"] or ""
    if found["what"] and found["behind"] or not words:
        return None
    op, number = _OPS.get(found["op"].lower(), found["op"]), found["number"].replace(",", "")
    outputs = named.output(words)
    columns = [one for one in named.column(words) if one.field.is_number]
    if len(outputs) == 1 and outputs[0].is_figure:
        if named.layout.tree.args.get("group") is None:
            return Refused("The statement has one row; a bound would only hide it.")
        made = f"{outputs[0].sql} {op} {number}"
        return fulfilled(
            named.layout.with_condition("having", made), f"only groups where {outputs[0].said} {op} {number}"
        )
    if len(columns) == 1:
        made = f"{columns[0].sql} {op} {number}"
        return fulfilled(
            named.layout.with_condition("where", made), f"only rows where {made}{named.effects(columns[0])}"
        )
    several: list[Known | Output] = [*outputs, *columns]
    if len(several) > 1:
        return Refused(f"“{words}” may be several of {', '.join(one.said for one in several)}.")
    return Refused(f"No figure and no column of numbers of this statement is called “{words}”.")


def filtered(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Only rows with stored values of one column, or all but those."""
    is_not = bool(_NOT.match(wish))
    bare = _NOT.sub("", wish) if is_not else _ONLY.sub("", wish)
    bare = bare.strip(" '\"‘’“”")
    if told := _told(bare, is_not, named, index):
        return told
    if index is None:
        return None
    for text in dict.fromkeys((bare, *_shorter(bare, named))):
        found = _matches(text, named, index)
        if found:
            return _one_column(text, found, is_not, named)
    parts = [part for part in _LIST.split(bare) if part]
    if len(parts) > 1:
        return _listed(parts, is_not, named, index)
    return None


def _shorter(text: str, named: Named) -> list[str]:
    """A text without what its rows are called: "cancelled orders", "Norwegian ones", "country Norway"."""
    words = text.split()
    found = [_ONES.sub("", text)]
    for cut in range(1, min(3, len(words))):
        if named.is_table(" ".join(words[-cut:])):
            found.append(" ".join(words[:-cut]))
    return found


def _matches(text: str, named: Named, index: ValueIndex) -> list[tuple[Known, ValueMatch]]:
    """The columns of the statement that hold a value, each with its stored spelling."""
    matches = index.lookup(text)
    found = _among(matches, named.columns) or (_among(matches, reached(named)) if matches else [])
    best = max((match.score for _, match in found), default=0)
    return [pair for pair in found if pair[1].score == best]


def _among(matches: Sequence[ValueMatch], columns: Sequence[Known]) -> list[tuple[Known, ValueMatch]]:
    return [
        (one, match)
        for match in matches
        for one in columns
        if (one.field.table, one.field.column) == (match.column.table, match.column.column)
    ]


def _one_column(text: str, found: list[tuple[Known, ValueMatch]], is_not: bool, named: Named) -> Fulfilled:
    if len({one.sql for one, _ in found}) > 1:
        columns = " and ".join(dict.fromkeys(one.sql for one, _ in found))
        return Refused(f"“{text}” is stored in {columns}: say “{found[0][0].sql} is {text}”.")
    return _with_values(found[0][0], [match.value for _, match in found], is_not, named)


def _listed(parts: list[str], is_not: bool, named: Named, index: ValueIndex) -> Fulfilled:
    """Several values of one column."""
    every = [_matches(part, named, index) or _matches(_ONES.sub("", part), named, index) for part in parts]
    if not all(every):
        return None
    shared = set.intersection(*({one.sql for one, _ in found} for found in every))
    if len(shared) != 1:
        return Refused(
            f"{', '.join(f'“{part}”' for part in parts)} are not values of one and only one column here."
        )
    sql = shared.pop()
    kept = [(one, match) for found in every for one, match in found if one.sql == sql]
    return _with_values(kept[0][0], [match.value for _, match in kept], is_not, named)


def _told(bare: str, is_not: bool, named: Named, index: ValueIndex | None) -> Fulfilled:
    """ "status is paid": the column is named, so any value may be."""
    words = bare.split()
    for cut in range(len(words) - 1, 0, -1):
        columns = named.column(" ".join(words[:cut]))
        if len(columns) != 1:
            continue
        rest = " ".join(words[cut:])
        is_ = re.match(
            r"(?:(?P<no>is not|are not|isn't|<>|!=)|(?P<yes>is|are|equals?|=|:))\s+", f"{rest} ", _I
        )
        value = (rest[is_.end() :] if is_ else rest).strip(" '\"‘’“”")
        column = columns[0]
        if not value:
            continue
        stored = spelled(column, value, index)
        if stored is None and not is_:
            continue
        if stored is None and column.field.is_number and not re.fullmatch(r"-?\d+(?:\.\d+)?", value):
            return Refused(f"{column.sql} holds numbers; “{value}” is none.")
        found = _with_values(column, [stored or value], is_not or bool(is_ and is_["no"]), named)
        if stored is None and isinstance(found, tuple) and not column.field.is_number:
            return found[0], f"{found[1]} (as typed; no such value is known here)"
        return found
    return None


def spelled(column: Known, value: str, index: ValueIndex | None) -> str | None:
    """How a value is spelled in a column; None where it is not known to be stored there."""
    found = index.lookup(value) if index is not None else []
    own = [
        one
        for one in found
        if (one.column.table, one.column.column) == (column.field.table, column.field.column)
    ]
    return own[0].value if own else None


def _with_values(column: Known, values: list[str], is_not: bool, named: Named) -> Fulfilled:
    base = joined(named, column)
    if isinstance(base, Refused):
        return base
    values = [*dict.fromkeys(values)]
    plain = column.field.is_number and all(re.fullmatch(r"-?\d+(?:\.\d+)?", one) for one in values)
    literals = [one if plain else named.dialect.text(one) for one in values]
    said = " or ".join(f"‘{one}’" for one in values)
    if is_not:
        made = (
            f"{column.sql} <> {literals[0]}"
            if len(literals) == 1
            else f"{column.sql} NOT IN ({', '.join(literals)})"
        )
        missing = ", nor rows where it is missing" if column.field.filled < 1 or column.joins else ""
        return fulfilled(
            base.layout.with_condition("where", made),
            f"without {column.sql} {said}{missing}{by_joins(column)}{named.effects(column)}",
        )
    made = (
        f"{column.sql} = {literals[0]}" if len(literals) == 1 else f"{column.sql} IN ({', '.join(literals)})"
    )
    bare = _without(base, column)
    instead = " in place of the values that stood there" if bare is not None else ""
    return fulfilled(
        (bare or base.layout).with_condition("where", made),
        f"only {column.sql} {said}{instead}{by_joins(column)}{named.effects(column)}",
    )


def unfiltered(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """The conditions on one column taken away."""
    found = _ANY.fullmatch(wish)
    if found is None:
        return None
    words = found["on"] or found["before"] or found["any"]
    columns = named.column(words)
    if len(columns) != 1:
        return None
    base = _without(named, columns[0], every=True)
    if base is None:
        return Refused(f"No condition of this statement is on {columns[0].sql} alone.")
    return base, f"without the conditions on {columns[0].sql}"


def _without(named: Named, column: Known, *, every: bool = False) -> Layout | None:
    """The statement without the conditions that name values of a column, or all on it; None where there is none."""
    gone = []
    for number, (_, _, one) in enumerate(named.layout.conditions("where")):
        is_alone = named.is_of(column, one) and one.find(exp.Query) is None
        if is_alone and (every or isinstance(one.unnest(), exp.EQ | exp.In | exp.Is | exp.Or)):
            gone.append(number)
    return named.layout.without_conditions("where", gone) if gone else None

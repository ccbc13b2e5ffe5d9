"""Wishes for the number of rows and their order: "top 5", "limit 20", "newest first", "sort by revenue"."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.makers.rewriting.naming import Known, Named, Output
from sqlagent.makers.rewriting.values import Fulfilled, Refused, fulfilled

_I = re.IGNORECASE
_NUMBER = r"(?P<number>\d{1,7}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|hundred)"
_LARGE = r"top|best|largest|biggest|highest|greatest|most"
_SMALL = r"bottom|worst|smallest|lowest|least|fewest"
_ALL = re.compile(
    r"(?:no|without|remove|drop)(?: the| a)? limit|(?:show )?(?:all|every)(?: the)? rows?|unlimited", _I
)
_LIMIT = re.compile(
    rf"(?:limit(?: it| the rows)?(?: to)?|(?:only |just |show |at most |no more than |the )*(?:first )?)\s*{_NUMBER}(?P<rows> (?:rows|results|lines|records))?",
    _I,
)
_TOP = re.compile(
    rf"(?:only |just |show |the )*(?:(?P<large>{_LARGE})|(?P<small>{_SMALL}))(?: {_NUMBER})(?: (?P<what>(?!by\b)[\w ]+?))?(?: by (?P<by>[\w .]+))?",
    _I,
)
_BY = re.compile(
    r"(?:re)?(?:sort|order|rank)(?:ed)?(?: it| them| this| the rows| rows)?(?: by)? (?P<by>[\w .]+?)(?:,? (?P<way>asc(?:ending)?|desc(?:ending)?|largest first|highest first|biggest first|newest first|smallest first|lowest first|oldest first|a to z|z to a|alphabetically))?",
    _I,
)
_FIRST = re.compile(
    r"(?:sort(?:ed)? |order(?:ed)? |with )?(?:the )?(?:(?P<large>largest|highest|biggest|best|greatest|most)|(?P<small>smallest|lowest|least|fewest|worst)|(?P<new>newest|latest|most recent)|(?P<old>oldest|earliest))(?: (?P<by>[\w .]+?))? (?:first|on top)",
    _I,
)
_LETTERS = re.compile(
    r"(?:sort(?:ed)? |order(?:ed)? |in )?(?:alphabetical(?:ly|(?: order)?)|a to z|by name alphabetically)", _I
)
_ROUND = re.compile(
    r"(?:the )?other way (?:a?round|about)|(?:in )?reverse(?:d)?(?: (?:the )?order)?|flip (?:it|them|the order)|upside down",
    _I,
)
_NONE = re.compile(r"(?:no|without|remove|drop)(?: the| any)? (?:order|sorting|sort)|unsorted", _I)
_DIRECTION = re.compile(
    r"(?:(?:sort|order)(?:ed)? )?(?:in )?(?:(?P<up>ascending|asc)|descending|desc)(?: order)?", _I
)
_UP = ("asc", "smallest", "lowest", "oldest", "a to z", "alphabetically")
_LIMITLESS = ("tsql", "fabric", "oracle", "teradata")
"""Dialects that write a number of rows in another clause."""

_YEARS = range(1900, 2101)


def limited(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Show a number of rows, or all of them. None for other wishes."""
    layout = named.layout
    if _ALL.fullmatch(wish):
        if "limit" not in layout.places:
            return Refused("The statement has no LIMIT.")
        if "offset" in layout.places:  # some engines take no OFFSET without a LIMIT
            bare = layout.with_clause("offset", "")
            return fulfilled(
                bare and bare.with_clause("limit", ""), "without a limit, and no rows are skipped"
            )
        return fulfilled(layout.with_clause("limit", ""), "without a limit")
    found = _LIMIT.fullmatch(wish)
    if found is None:
        return None
    number = _count(found["number"])
    if number in _YEARS and not found["rows"] and not wish.lower().startswith("limit"):
        return None  # "only 2025" is a year
    return _cut(named, number)


def _cut(named: Named, number: int) -> Fulfilled:
    if named.is_grouped and "group" not in named.layout.places:
        return Refused("The statement has one row, of all rows it reads.")
    if named.layout.dialect in _LIMITLESS:
        return Refused(
            "This engine writes a number of rows otherwise than with LIMIT; that is not known here."
        )
    limit = named.layout.tree.args.get("limit")
    if limit is not None and not isinstance(limit, exp.Limit):
        return Refused("The statement says its number of rows with FETCH; change it there.")
    skipped = (
        f", after those that OFFSET {named.layout.body('offset').strip()} skips"
        if "offset" in named.layout.places
        else ""
    )
    return fulfilled(
        named.layout.with_clause("limit", str(number)),
        f"at most {number} row{'' if number == 1 else 's'}{skipped}",
    )


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBER_WORDS[text.lower()]


def topped(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """The greatest or the least few, by the one figure there is or by the one that was named."""
    found = _TOP.fullmatch(wish)
    if found is None or found["what"] and not named.is_table(found["what"]):
        return None
    by = _figure(named, found["by"] or "")
    if isinstance(by, Refused):
        return by
    cut = _cut(named, _count(found["number"]))
    if not isinstance(cut, tuple):
        return cut
    layout, said = cut
    ordered = _ordered(Named(layout, named.source), by, bool(found["large"]))
    return (ordered[0], f"{said}, {ordered[1]}") if isinstance(ordered, tuple) else ordered


def _figure(named: Named, words: str) -> Output | Known | Refused:
    """The figure that "top" is meant by."""
    if words:
        return _named(named, words)
    if not named.outputs:
        return Refused("With * as output it is not known what the rows are ranked by: say “top 5 by …”.")
    figures = [one for one in named.outputs if one.is_figure]
    # a share goes with the figure that it is of
    figures = [one for one in figures if one.tree.find(exp.Window) is None] or figures
    order = named.layout.tree.args.get("order")
    if order is not None:
        first = order.expressions[0].this
        same = [
            one
            for one in figures
            if first == one.tree
            or isinstance(first, exp.Column)
            and not first.table
            and first.name.lower() == one.name.lower()
        ]
        if same:
            return same[0]
    if len(figures) == 1:
        return figures[0]
    if not figures:
        shown = [(one, named.shown_by(one)) for one in named.outputs]
        measures = [one for one, known in shown if known is not None and known.field.role is Role.MEASURE]
        if len(measures) == 1:
            return measures[0]
        return Refused("The outputs do not tell what the rows are ranked by: say “top 5 by …”.")
    return Refused(
        f"There are several figures to rank by ({', '.join(one.said for one in figures)}): say “top 5 by …”."
    )


def _named(named: Named, words: str) -> Output | Known | Refused:
    """The output, else the column, that words name."""
    outputs = named.output(words)
    if len(outputs) == 1:
        return outputs[0]
    columns = named.column(words)
    if len(columns) == 1 and not named.is_grouped:
        return columns[0]
    several: list[Output | Known] = [*outputs, *columns]
    if len(several) > 1:
        return Refused(f"“{words}” may be several of {', '.join(one.said for one in several)}.")
    return Refused(f"No output of this statement is called “{words}”.")


def _ordered(named: Named, by: Output | Known, down: bool) -> Fulfilled:
    return _in_order(named, by, down, "largest first" if down else "smallest first")


def _in_order(named: Named, by: Output | Known, down: bool, way: str) -> Fulfilled:
    """The statement in an order; one that begins so stays whole, and another gives way, which is said where it had more to say."""
    sql, said = by.sql if isinstance(by, Known) else _by_name(by), f"ordered by {by.said}, {way}"
    order = named.layout.tree.args.get("order")
    before = order.expressions if order is not None else []
    if before and bool(before[0].args.get("desc")) is down and _is_by(before[0].this, by):
        return named.layout, said
    gone = "; the order that stood there is gone" if len(before) > 1 else ""
    return fulfilled(named.layout.with_clause("order", _down(named, sql) if down else sql), said + gone)


def _is_by(tree: exp.Expr, by: Output | Known) -> bool:
    """Whether an item of an order is an output or column: by its place, its name or what it computes."""
    if isinstance(by, Known):
        return isinstance(tree, exp.Column) and tree.sql().lower() == by.sql.replace('"', "").lower()
    if isinstance(tree, exp.Literal):
        return not tree.is_string and tree.name == str(by.number + 1)
    is_name = isinstance(tree, exp.Column) and not tree.table and tree.name.lower() == by.name.lower()
    return is_name or tree == by.tree


def _down(named: Named, sql: str) -> str:
    return f"{sql} {named.layout.cased('DESC')}"


def _by_name(output: Output) -> str:
    """How an order names an output: by its name where it is plain, else by what it computes."""
    return output.name if re.fullmatch(r"[a-z_]\w*", output.name, _I) else output.sql


def sorted_by(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Another order, the one there is turned round, or none; where a limit keeps other rows by it, that is said."""
    made = _sorted_by(wish, named)
    if not isinstance(made, tuple) or "limit" not in named.layout.places or made[0] is named.layout:
        return made
    return made[0], f"{made[1]}; the limit keeps the first rows of that order"


def _sorted_by(wish: str, named: Named) -> Fulfilled:
    layout = named.layout
    order = layout.tree.args.get("order")
    if _NONE.fullmatch(wish):
        return (
            fulfilled(layout.with_clause("order", ""), "in no order")
            if order is not None
            else Refused("The statement has no ORDER BY.")
        )
    if _ROUND.fullmatch(wish):
        if order is None:
            return Refused("The statement has no order that could be turned round.")
        return _turned(
            named, [bool(one.args.get("desc")) for one in order.expressions], "the other way round"
        )
    if _LETTERS.fullmatch(wish):
        texts = [one for one in named.outputs if not one.is_figure and _is_text(named, one)]
        if len(texts) != 1:
            return Refused("There is not exactly one output of text to sort by: say “sort by …”.")
        return _sorted(named, texts[0], down=False)
    if found := _FIRST.fullmatch(wish):
        return _first(found, named)
    if (direction := _DIRECTION.fullmatch(wish)) and order is not None and len(order.expressions) == 1:
        way = "ascending" if direction["up"] else "descending"
        return _turned(named, [bool(direction["up"])], f"in the order that stands there, {way}")
    if direction:
        return Refused(
            "Say by what: “sort by …, ascending”. The statement has "
            + ("no ORDER BY." if order is None else "several things to sort by.")
        )
    found = _BY.fullmatch(wish)
    if found is None:
        return None
    by = _named(named, found["by"])
    if isinstance(by, Refused):
        return by
    way = (found["way"] or "").lower()
    is_figure = isinstance(by, Output) and by.is_figure
    down = not way.startswith(_UP) if way else is_figure
    return _sorted(named, by, down=down)


def _turned(named: Named, ups: list[bool], said: str) -> Fulfilled:
    """The order that stands there, each item ascending or not."""
    items = [named.layout.item("order", number) for number in range(len(ups))]
    if any("nulls" in item.lower() for item in items):
        return Refused("The order says where missing values go; turn it round in the SQL.")
    bare = [re.sub(r"\s+(?:asc|desc)$", "", item, flags=_I) for item in items]
    turned = [item if up else _down(named, item) for item, up in zip(bare, ups, strict=True)]
    return fulfilled(named.layout.with_clause("order", ", ".join(turned)), said)


def _first(found: re.Match[str], named: Named) -> Fulfilled:
    if found["new"] or found["old"]:
        outputs = named.output(found["by"] or "") if found["by"] else []
        if outputs:
            return _sorted(named, outputs[0], down=bool(found["new"]))
        time = named.time()
        if isinstance(time, str):
            return Refused(time)
        grains = [one for one in named.outputs if not one.is_figure and named.is_of(time, one.tree)]
        if named.is_grouped and not grains:
            return Refused("The rows are sums of many times: there is no newest one.")
        return _sorted(named, grains[0] if grains else time, down=bool(found["new"]))
    by = _figure(named, found["by"] or "")
    return by if isinstance(by, Refused) else _ordered(named, by, bool(found["large"]))


def _sorted(named: Named, by: Output | Known, *, down: bool) -> Fulfilled:
    return _in_order(named, by, down, "descending" if down else "ascending")


def _is_text(named: Named, output: Output) -> bool:
    known = named.shown_by(output)
    return known is not None and not known.field.is_number and known.field.role is not Role.TIME

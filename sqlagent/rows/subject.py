"""The subject of some rows: which of their measures comes first, and which times they go along.

Shared by the stages that draw and tell rows, so that chart and sentence speak of the same figure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlagent.language.words import tokenise
from sqlagent.rows.columns import Profile, Role
from sqlagent.rows.sorting import sorting_of
from sqlagent.values import Kind

MANY_OF_ALL = 0.9
"""Share of different names from which on a column names its rows: two customers may be called the same."""

_SO_FAR = re.compile(r"\b(?:cumulat\w+|accumulat\w+|running|to date|ytd)\b", re.IGNORECASE)
"""Words of a running total, in questions and in names of columns."""

_DAY = r"(?:19|20)\d\d[ _]\d\d[ _]\d\d"
_OF_PERIOD = re.compile(
    rf"(?:(?:[ _](?:q[1-4]|h[12]|[a-z]{{3,9}}))?[ _](?:19|20)\d\d|[ _]{_DAY}(?:[ _]to[ _]{_DAY})?)$",
    re.IGNORECASE,
)
"""The period at the end of a measure's name: revenue_2025, orders q1 2024, orders_2025_06_01_to_2025_08_31."""
_YEAR = re.compile(r"(?:19|20)\d\d")

_RENAMED_KEY = re.compile(r"[\s,.][\"`\[]?(?:id|\w+_id)[\"`\]]?\s+AS\s+[\"`\[]?(\w+)", re.IGNORECASE)
"""A key under another name, as a SELECT writes it: `c.id AS customer`."""


def keys_known(columns: Sequence[Profile], sql: str) -> tuple[Profile, ...]:
    """Give columns with those as keys that are keys in the SQL, whatever they are called there.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> from sqlagent.values import Rows
        >>> both = profiles(Rows(("customer", "orders"), ((7, 3),)))
        >>> [str(one.role) for one in keys_known(both, "SELECT c.id AS customer, COUNT(o.id) AS orders FROM customers c")]
        ['key', 'measure']
    """
    renamed = {name.lower() for name in _RENAMED_KEY.findall(sql)}
    return tuple(
        replace(one, role=Role.KEY) if one.role == Role.MEASURE and one.name.lower() in renamed else one
        for one in columns
    )


def measures_first(
    question: str,
    measures: Sequence[Profile],
    *,
    sql: str = "",
    meant: Collection[str] = (),
) -> tuple[Profile, ...]:
    """Give the measures that rows are about, the first one first.

    These are, where there are any: the running totals where it asks for one; the measures that the question or title
    names, in the order it names them; those in `meant`, as the analyst understood the question. Otherwise all that differ between rows, the one that
    the SQL sorts by first. Measures are never made up: without measures the result is empty.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> from sqlagent.values import Rows
        >>> shop = profiles(Rows(("country", "orders", "revenue"), (("Norway", 5, 90), ("Spain", 5, 70))))
        >>> [one.name for one in measures_first("Revenue by country", shop[1:])]
        ['revenue']
        >>> [one.name for one in measures_first("Top countries", shop[1:])]
        ['revenue']
        >>> both = profiles(Rows(("month", "revenue", "running"), (("2026-01", 5, 5), ("2026-02", 7, 12))))
        >>> [one.name for one in measures_first("Cumulative revenue by month", both[1:])]
        ['running']
    """
    if _SO_FAR.search(question) and (so_far := [one for one in measures if _SO_FAR.search(one.words)]):
        return tuple(so_far)
    named = measures_named(question, measures)
    if named:
        return _with_other_periods(named, measures)
    if understood := tuple(one for one in measures if one.name in meant):
        return understood
    differing = [one for one in measures if one.distinct > 1 or one.nulls and one.distinct] or list(measures)
    sorting = sorting_of(sql)
    first = sorting.by if sorting else ""
    return tuple(sorted(differing, key=lambda one: one.name.lower() != first))


def in_two_periods(measures: Sequence[Profile]) -> tuple[tuple[str, Profile], tuple[str, Profile]] | None:
    """Give one figure's columns of two periods with what these are called, the earlier first; None of any other columns.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> from sqlagent.values import Rows
        >>> both = profiles(Rows(("city", "revenue_2026", "revenue_2025"), (("Oslo", 3, 2), ("Rome", 5, 6))))
        >>> [(said, one.name) for said, one in in_two_periods(both[1:])]
        [('2025', 'revenue_2025'), ('2026', 'revenue_2026')]
    """
    found = [(match, one) for one in measures if (match := _OF_PERIOD.search(one.name))]
    if len(found) != 2 or len({match.string[: match.start()].lower() for match, _ in found}) != 1:
        return None
    said = [(_period(match[0]), one) for match, one in found]
    first, second = sorted(said, key=lambda pair: (_YEAR.findall(pair[0])[:1], pair[0]))
    return first, second


def _period(name: str) -> str:
    """The name of a period in words.

    Example:
        >>> _period("_q1_2025"), _period("_2025_06_01_to_2025_08_31")
        ('Q1 2025', '2025-06-01 to 2025-08-31')
    """
    words = name.strip(" _").replace("_", " ")
    return re.sub(rf"{_DAY}", lambda day: day[0].replace(" ", "-"), words).capitalize()


def _with_other_periods(named: Sequence[Profile], measures: Sequence[Profile]) -> tuple[Profile, ...]:
    """Named measures with the same ones of other periods beside them: revenue 2025 and revenue 2024."""
    whole = {one.name: _OF_PERIOD.sub("", one.name) for one in measures}
    bases = {whole[one.name] for one in named if whole[one.name] != one.name}
    others = [one for one in measures if one not in named and whole[one.name] in bases]
    return (*named, *(one for one in others if whole[one.name] != one.name))


def measures_named(question: str, measures: Sequence[Profile]) -> tuple[Profile, ...]:
    """Give the measures whose name a text says, in the order it says them; of one word the name with fewest others.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> from sqlagent.values import Rows
        >>> shop = profiles(Rows(("share", "revenue", "revenue_share"), ((0.1, 5, 0.2), (0.3, 5, 0.4))))
        >>> [one.name for one in measures_named("Revenue by country", shop)]
        ['revenue']
    """
    said = [token.stem for token in tokenise(question) if token.kind in ("word", "quoted")]
    found: dict[int, tuple[int, Profile]] = {}
    for one in measures:
        words = [token.stem for token in tokenise(one.words) if token.kind == "word"]
        if not words or words[-1] not in said:
            continue
        at, others = said.index(words[-1]), sum(word not in said for word in words)
        if at not in found or others < found[at][0]:
            found[at] = (others, one)
    return tuple(one for _, (_, one) in sorted(found.items()))


def times_along(question: str, columns: Sequence[Profile], count: int) -> tuple[Profile, ...]:
    """Give the times that rows go along. A date of things that have names of their own, told behind them, is none.

    Shops with the day each opened are no series; readings with a number and a time are. A time that the question
    names is always one.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> from sqlagent.values import Rows
        >>> shops = profiles(Rows(("name", "opened"), (("Oslo", "2014-04-12"), ("Rome", "2015-03-21"))))
        >>> times_along("Shops", shops, 2), [one.name for one in times_along("When opened", shops, 2)]
        ((), ['opened'])
    """
    times = tuple(one for one in columns if one.role == Role.TIME)
    names = [
        one
        for one in columns
        if one.role in (Role.CATEGORY, Role.KEY)
        and one.kind == Kind.TEXT
        and not one.ordered
        and one.distinct >= count * MANY_OF_ALL
    ]
    if not names:
        return times
    first = min(one.index for one in names)
    named = measures_named(question, times)
    return tuple(one for one in times if one.index < first or one in named)


def ranked_by(sql: str, measures: Sequence[Profile]) -> Profile | None:
    """Give the measure that a statement keeps the first rows by: such rows are a ranking, and no series even of times.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> from sqlagent.values import Rows
        >>> months = profiles(Rows(("month", "revenue"), (("2025-12", 9), ("2025-07", 5))))
        >>> found = ranked_by("SELECT month, revenue FROM t ORDER BY revenue DESC LIMIT 2", months[1:])
        >>> found.name if found else None, ranked_by("SELECT month, revenue FROM t ORDER BY month LIMIT 2", months[1:])
        ('revenue', None)
    """
    sorting = sorting_of(sql)
    if sorting is None or not sorting.limit or sorting.groups:
        return None
    return next((one for one in measures if one.name.lower() == sorting.by), None)

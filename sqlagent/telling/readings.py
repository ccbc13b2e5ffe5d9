"""Names, in words, how one reading of a question differs from another: clause by clause.

Both statements are taken apart under canonical names first, so that an alias, letter case or the
order of conditions is never called a difference. Which readings are worth showing is decided here;
whether the question was ambiguous is `confidence`'s business.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.language.saying import in_commas, template, worded
from sqlagent.sql.clauses import Clauses
from sqlagent.sql.clauses import read as read_clauses
from sqlagent.sql.expressions import canonical_text, periods_said
from sqlagent.values import Catalog, RankedGroup, Ranking, Reading, Rows

SHOWN = 3
"""Other readings offered beside an answer: more than three is a list, not a choice."""

PREVIEW_ROWS = 50
"""Rows kept of a reading: enough for a preview, the statement can be run for the rest."""

NO_DIFFERENCE = worded("says the same in other words")
NO_NEWS = worded("shows the same columns in another order")

Parts = tuple[tuple[str, str], ...]
"""A reading in words, part by part: kind and words."""

_AND, _OR = worded(" and "), worded(" or ")
_AGGREGATE = re.compile(r"(SUM|AVG|MIN|MAX)\(([\w.]+(?: [*+-] [\w.]+)*)\)")
_DIFFERENT = re.compile(r"COUNT\(DISTINCT ([\w.]+)\)")

_NOUNS = {
    "SUM": template("the total of {column}"),
    "AVG": template("the average of {column}"),
    "MIN": template("the lowest {column}"),
    "MAX": template("the highest {column}"),
}

_SECOND = re.compile(r'"(\w+)#\d+"')

_VERBS = {
    "sum": template("adds up"),
    "avg": template("averages"),
    "count": template("counts"),
    "min": template("takes the least of"),
    "max": template("takes the greatest of"),
}
_GERUNDS = {
    "sum": template("adding it up"),
    "avg": template("averaging it"),
    "count": template("counting it"),
    "min": template("its least"),
    "max": template("its greatest"),
}


def read(ranking: Ranking, catalog: Catalog) -> tuple[Reading, ...]:
    """Give the readings beside the answer, best first: how each differs from it, with its rows.

    Left out are empty results beside a full one, and readings that say nothing different or
    only put the same columns in another order.
    """
    if not ranking.groups:
        return ()
    top = ranking.groups[0]
    found: list[Reading] = []
    for ranked in ranking.groups[1:]:
        if ranked.group.status in ("empty", "all_null") and top.group.status not in ("empty", "all_null"):
            continue
        words = _words(ranked, top, catalog)
        if words in (NO_DIFFERENCE, NO_NEWS) or any(words == reading.difference for reading in found):
            continue
        found.append(_reading(ranked, words))
        if len(found) == SHOWN:
            break
    return tuple(found)


def pick_from(ranking: Ranking, found: tuple[Reading, ...], catalog: Catalog) -> tuple[Reading, ...]:
    """Give the two or three readings of an ambiguous question, the likeliest first."""
    if not ranking.groups or not found:
        return found
    top = ranking.groups[0]
    rival = next(one for one in ranking.groups if one.representative.sql == found[0].sql)
    return (_reading(top, _words(top, rival, catalog)), *found[:2])


def _words(mine: RankedGroup, theirs: RankedGroup, catalog: Catalog) -> str:
    """The difference of two readings: in their maker's words where both have one maker, else clause by clause."""
    one, two = mine.representative, theirs.representative
    by_clauses = difference(one.sql, two.sql, catalog)
    if by_clauses in (NO_DIFFERENCE, NO_NEWS) or not one.parts or not two.parts:
        return by_clauses
    return told_apart(one.parts, two.parts) or by_clauses


def told_apart(mine: Parts, theirs: Parts) -> str:
    """Say how one reading differs from another of the same maker; empty where their words are the same.

    Example:
        >>> told_apart((("figure", "revenue"), ("where", "with returns")), (("figure", "number of orders"),))
        'revenue instead of number of orders; only with returns'
    """
    said: list[str] = []
    for kind in dict.fromkeys(kind for kind, _ in (*mine, *theirs)):
        more = [words for other, words in mine if other == kind and (kind, words) not in theirs]
        less = [words for other, words in theirs if other == kind and (kind, words) not in mine]
        said += [
            worded("{words} instead of {old}", words=new, old=old)
            for new, old in zip(more, less, strict=False)
        ]
        is_filter = kind == "where"
        said += [worded("only {words}", words=words) if is_filter else words for words in more[len(less) :]]
        said += [
            worded("not only {words}", words=words) if is_filter else worded("not {words}", words=words)
            for words in less[len(more) :]
        ]
    return in_commas(said, "; ") if said else ""


def _reading(ranked: RankedGroup, words: str) -> Reading:
    rows = ranked.group.rows
    cut = rows.truncated or len(rows.rows) > PREVIEW_ROWS
    preview = Rows(rows.columns, rows.rows[:PREVIEW_ROWS], cut, rows.seconds, rows.kinds)
    frame = ranked.representative.frame
    return Reading(ranked.representative.sql, words, preview, ranked.group.size, frame)


def difference(sql: str, other: str, catalog: Catalog) -> str:
    """Say in words how `sql` differs from `other`, clause by clause.

    Example:
        >>> from sqlagent.values import Catalog, Column, Table
        >>> shop = Catalog("sqlite", (Table("orders", (Column("total"), Column("status"))),))
        >>> difference("SELECT SUM(total) FROM orders WHERE status = 'paid'", "SELECT SUM(o.total) FROM orders o", shop)
        "also requires orders.status = 'paid'"
    """
    mine, theirs = read_clauses(sql, catalog), read_clauses(other, catalog)
    if mine is None or theirs is None:
        return (
            NO_DIFFERENCE
            if sql == other
            else worded("is written in a way that cannot be compared clause by clause")
        )
    said: list[str] = []
    for part in _PARTS:
        said.extend(phrase for phrase in part(mine, theirs) if phrase not in said)
    if not said:
        return NO_DIFFERENCE if _same(mine, theirs) else worded("nests or combines its parts differently")
    return in_commas(said[:4], "; ")


def _same(mine: Clauses, theirs: Clauses) -> bool:
    return mine.atoms == theirs.atoms and mine.select == theirs.select and mine.selects == theirs.selects


def _sides(mine: Clauses, theirs: Clauses, kind: str) -> tuple[list[str], list[str]]:
    ours, others = mine.of(kind), theirs.of(kind)
    return list((ours - others).elements()), list((others - ours).elements())


# ---------------------------------------------------------------- clause by clause


def _select(mine: Clauses, theirs: Clauses) -> list[str]:
    more, less = _sides(mine, theirs, "select")
    said = []
    while more and less:
        said.append(_replaced(more.pop(0), less.pop(0)))
    said += [worded("also shows {what}", what=_plain(text)) for text in more]
    said += [worded("does not show {what}", what=_plain(text)) for text in less]
    if not said and mine.select != theirs.select:
        said.append(NO_NEWS)
    return said


def _replaced(new: str, old: str) -> str:
    """Say how one shown expression changed."""
    one, two = _parse(new), _parse(old)
    if one is None or two is None:
        return worded("shows {what} instead of {other}", what=_plain(new), other=_plain(old))
    if isinstance(one, exp.Column) and isinstance(two, exp.Column):
        return _column_for(one, two, template("shows {what} instead of {other}"))
    function, former = _aggregate(one), _aggregate(two)
    if function and former and _inner(one) == _inner(two):
        if function == former:
            return (
                worded("counts repeats once")
                if one.find(exp.Distinct)
                else worded("counts repeats each time")
            )
        does, doing = _VERBS.get(function, function + "s"), _GERUNDS.get(former, former)
        return worded(
            "{does} {what} instead of {doing}",
            does=worded(does),
            what=_plain(_inner(one)),
            doing=worded(doing),
        )
    subtracted = _subtracted(one) - _subtracted(two)
    if subtracted:
        return worded("subtracts {what}", what=in_commas(sorted(subtracted), _AND))
    left_in = _subtracted(two) - _subtracted(one)
    if left_in:
        return worded("does not subtract {what}", what=in_commas(sorted(left_in), _AND))
    return worded("shows {what} instead of {other}", what=_plain(new), other=_plain(old))


def _column_for(new: exp.Column, old: exp.Column, verb: str) -> str:
    if new.name == old.name and new.table and old.table:
        return worded(
            "{name} is the {owner}'s instead of the {other}'s",
            name=new.name,
            owner=_owner(new.table),
            other=_owner(old.table),
        )
    return worded(verb, what=_plain(canonical_text(new)), other=_plain(canonical_text(old)))


def _owner(table: str) -> str:
    name, second, _ = table.partition("#")
    singular = (
        name[:-3] + "y"
        if name.endswith("ies")
        else name[:-1]
        if name.endswith("s") and not name.endswith("ss")
        else name
    )
    return worded("other {name}", name=singular) if second else singular


def _where(mine: Clauses, theirs: Clauses) -> list[str]:
    said: list[str] = []
    for kind in ("where", "having"):
        more, less = _sides(mine, theirs, kind)
        for text in list(more):
            rival = next((o for o in less if _left(o) == _left(text) and _left(text)), None)
            if rival is not None:
                more.remove(text)
                less.remove(rival)
                said.append(
                    worded("requires {what} instead of {other}", what=_plain(text), other=_plain(rival))
                )
        said += (
            [worded("also requires {what}", what=in_commas(list(map(_plain, more)), _AND))] if more else []
        )
        said += (
            [worded("does not require {what}", what=in_commas(list(map(_plain, less)), _OR))] if less else []
        )
    return said


def _group(mine: Clauses, theirs: Clauses) -> list[str]:
    more, less = _sides(mine, theirs, "group")
    said = []
    while more and less:
        one, two = _parse(more[0]), _parse(less[0])
        new, old = more.pop(0), less.pop(0)
        if isinstance(one, exp.Column) and isinstance(two, exp.Column):
            said.append(_column_for(one, two, template("is by {what} instead of {other}")))
        else:
            said.append(worded("is by {what} instead of {other}", what=_plain(new), other=_plain(old)))
    if more:
        said.append(worded("has a row for each {what}", what=in_commas(list(map(_plain, more)), _AND)))
    if less:
        said.append(
            worded("has no separate row for each {what}", what=in_commas(list(map(_plain, less)), _AND))
        )
    return said


def _tables(mine: Clauses, theirs: Clauses) -> list[str]:
    ours, others = Counter(mine.tables), Counter(theirs.tables)
    more, less = sorted((ours - others).elements()), sorted((others - ours).elements())
    if more and less:
        return [
            worded("reads {what} instead of {other}", what=in_commas(more, _AND), other=in_commas(less, _AND))
        ]
    if more:
        return [worded("also reads {what}", what=in_commas(more, _AND))]
    return [worded("does not read {what}", what=in_commas(less, _AND))] if less else []


def _joins(mine: Clauses, theirs: Clauses) -> list[str]:
    more, less = _sides(mine, theirs, "join")
    sides = [text for text in more if text.isupper()]
    former = [text for text in less if text.isupper()]
    if sides and not former:
        return [worded("keeps rows that have no match in the joined table")]
    if former and not sides:
        return [worded("leaves out rows that have no match in the joined table")]
    conditions, others = [t for t in more if "=" in t], [t for t in less if "=" in t]
    if conditions and others and mine.tables == theirs.tables:
        return [worded("joins on {what} instead of {other}", what=conditions[0], other=others[0])]
    return []


def _distinct(mine: Clauses, theirs: Clauses) -> list[str]:
    more, less = _sides(mine, theirs, "distinct")
    return [worded("lists repeats once")] if more else [worded("lists repeats each time")] if less else []


def _order(mine: Clauses, theirs: Clauses) -> list[str]:
    said = []
    more, less = _sides(mine, theirs, "order")
    if more and less:
        same = more[0].removesuffix(" DESC") == less[0].removesuffix(" DESC")
        said.append(
            "takes the opposite order"
            if same
            else f"orders by {_direction(more[0])} instead of {_direction(less[0])}"
        )
    elif more:
        said.append(f"orders by {_direction(more[0])}")
    elif less:
        said.append("asks for no order" if not theirs.of("limit") or mine.of("limit") else "")
    limits, former = _sides(mine, theirs, "limit")
    if limits and former:
        said.append(f"keeps {limits[0]} rows instead of {former[0]}")
    elif limits:
        said.append(
            "keeps only the first row" if limits[0] == "1" else f"keeps only the first {limits[0]} rows"
        )
    elif former:
        said.append("keeps all rows, not only the first" + (f" {former[0]}" if former[0] != "1" else ""))
    return [phrase for phrase in said if phrase]


def _sets(mine: Clauses, theirs: Clauses) -> list[str]:
    words = {
        "INTERSECT": "keeps only what both parts have",
        "EXCEPT": "takes the second part away",
        "UNION": "adds the parts together",
        "UNION ALL": "adds the parts together, repeats and all",
    }
    more, less = _sides(mine, theirs, "set")
    return [words.get(t, t.lower()) for t in more] + [f"no longer {words.get(t, t.lower())}" for t in less]


_PARTS: tuple[Callable[[Clauses, Clauses], list[str]], ...] = (
    _select, _where, _group, _distinct, _sets, _order, _joins, _tables,
)  # fmt: skip


# ---------------------------------------------------------------- expressions


def _parse(text: str) -> exp.Expr | None:
    """The expression that a clause says; None where its names, which stand there without quotes, are none of SQL's ("price €")."""
    try:
        return exp.maybe_parse(text, dialect="sqlite")
    except (SqlglotError, RecursionError):
        return None


def _aggregate(node: exp.Expr) -> str:
    return type(node).__name__.lower() if isinstance(node, exp.AggFunc) else ""


def _inner(node: exp.Expr) -> str:
    inside = node.this
    if isinstance(inside, exp.Distinct):
        inside = inside.expressions[0]
    return canonical_text(inside) if isinstance(inside, exp.Expr) else ""


def _subtracted(node: exp.Expr) -> set[str]:
    return {
        canonical_text(column)
        for minus in node.find_all(exp.Sub)
        for column in minus.expression.find_all(exp.Column)
    }


def _left(text: str) -> str:
    node = _parse(text)
    return canonical_text(node.this) if isinstance(node, exp.Binary | exp.In | exp.Between) else ""


def _direction(text: str) -> str:
    bare = text.removesuffix(" DESC")
    return _plain(bare) + (" from the highest" if text != bare else " from the lowest")


def _plain(text: str) -> str:
    node = _parse(text)
    if node is not None and (said := periods_said(node)) != node:
        text = canonical_text(said)
    short = _SECOND.sub(r"the other \1", " ".join(text.split()))
    if short == "COUNT(*)":
        return worded("the number of rows")
    if aggregate := _AGGREGATE.fullmatch(short):
        factors = in_commas(aggregate[2].split(" * "), worded(" times "))
        return worded(_NOUNS[aggregate[1]], column=factors)
    if different := _DIFFERENT.fullmatch(short):
        return worded("the number of different {column}", column=different[1])
    return short if len(short) <= 160 else short[:157] + "..."

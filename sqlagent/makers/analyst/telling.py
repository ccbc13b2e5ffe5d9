"""A frame in words that a person checks at a glance: what, by what, of which, when, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlagent.catalog.semantics import Role
from sqlagent.language.dates import shift
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.saying import (
    Saying,
    begun_large,
    day,
    in_a_row,
    in_commas,
    month_in_words,
    number,
    one_of,
    template,
    worded,
)
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.analyst import formulas
from sqlagent.makers.analyst.frames import (
    BESIDE,
    COUNTING,
    MOVED,
    OFF,
    Condition,
    Dimension,
    Expr,
    Frame,
    Having,
    Measure,
    Slot,
)
from sqlagent.makers.analyst.lexicon import PARTICIPLES
from sqlagent.makers.analyst.periods import Period

_AGGREGATES = {
    "sum": template("sum of {name}"),
    "avg": template("average {name}"),
    "min": template("least {name}"),
    "max": template("greatest {name}"),
    "median": template("median {name}"),
    "distinct": template("number of different {name}"),
}
_TRANSFORMS = {
    "share": worded("as a share of the total"),
    "running": worded("as a running total"),
    "growth": worded("with growth in percent"),
    "change": worded("with the change"),
    "quotient": worded("as a percentage of one another"),
    "groups": worded("as how many groups there are"),
    "spread": worded("by how many have each"),
    "average": worded("averaged over the groups"),
}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LONG_TITLE = 90
"""Characters from which on a title is none."""

# Words that stand in frames as they are, for the catalogs.
_UNITS = (
    template("year"),
    template("quarter"),
    template("month"),
    template("week"),
    template("day"),
    template("weekday"),
    template("hour"),
    template("minute"),
    template("years"),
    template("quarters"),
    template("months"),
    template("weeks"),
    template("days"),
    template("hours"),
    template("minutes"),
    template("seconds"),
    template("rose"),
    template("fell"),
    template("in the morning"),
    template("in the afternoon"),
    template("in the evening"),
    template("at night"),
)

_NO_NOUNS = STOP_WORDS | PARTICIPLES
"""Words that questions count by and that name nothing: "how many sold", "what part of all"."""

_MANY = ("staff", "people")
"""Nouns that are plurals as they stand."""

_UNNAMED = frozenset({"", "share", "average value"})
"""Names of a ratio to which nobody gave one of its own."""

_COMPARED = {
    ">": worded("more than"),
    ">=": worded("at least"),
    "<": worded("less than"),
    "<=": worded("at most"),
    "=": worded("exactly"),
}
_IN_TIME = {
    ">": worded("after"),
    ">=": worded("not before"),
    "<": worded("before"),
    "<=": worded("not after"),
}


def told(frame: Frame) -> str:
    """Say a frame in words.

    Example:
        >>> told(Frame("orders", (Measure("rows", "orders", said="orders"),)))
        'number of orders'
    """
    return in_commas([words for _, words in _told(frame) if words])


def parts(frame: Frame) -> tuple[tuple[str, str], ...]:
    """Say a frame part by part, each with its kind and every condition by itself, as two readings are told apart by.

    Example:
        >>> parts(Frame("orders", (Measure("rows", "orders", said="orders"),)))
        (('figure', 'number of orders'),)
    """
    figure, *rest = [(kind, words) for kind, words in _told(frame) if words and kind != "where"]
    rows = _plural(frame.anchor)
    counted = () if rows.lower() in figure[1].lower() else (("rows", worded("from {rows}", rows=rows)),)
    where = (*map(condition, frame.where), *_counting(frame))
    return (figure, *counted, *rest, *(("where", words) for words in where))


def _told(frame: Frame) -> Iterator[tuple[str, str]]:
    what: str
    if frame.formula is not None:
        what = explained(replace(frame.formula, parts=frame.measures))
    elif frame.measures:
        what = in_commas([explained(m) for m in frame.measures], _AND)
    else:
        shown: str = ", ".join(dict.fromkeys(column(slot) for slot in frame.columns)) or worded("all columns")
        of = {"columns": shown, "rows": _plural(frame.listed)}
        what = (
            worded("the different {columns} of {rows}", **of)
            if frame.distinct
            else worded("{columns} of {rows}", **of)
        )
    yield "figure", what
    if frame.scale:
        yield (
            "way",
            worded(
                "as how many of the first there are for {count} of the second",
                count=number(f"{frame.scale:g}"),
            ),
        )
    elif frame.transform == "between":
        yield "way", _from_to(frame)
        for flag in frame.flags:
            if flag in MOVED:
                yield "having", worded("only those that {did}", did=worded(flag))
    elif frame.transform == "share" and BESIDE in frame.flags:
        yield "way", worded("with its share of the total")
    elif frame.transform == "concentration":
        yield "way", worded("as the share of the {count} greatest in the total", count=frame.limit)
    elif frame.transform in _TRANSFORMS:
        yield "way", _TRANSFORMS[frame.transform]
    if frame.transform == "moving":
        yield "way", worded("as an average over {count} periods", count=frame.window)
    if frame.by:
        yield "by", worded("per {groups}", groups=in_commas([dimension(d) for d in frame.by], _AND))
    for words in (*_that(frame.where), *_counting(frame)):
        yield "where", words
    for bound in frame.having:
        yield "having", having(bound)
    if (frame.limit is not None or frame.order is not None) and frame.transform != "concentration":
        yield "order", _ordered(frame)
    if frame.per:
        yield "each", worded("in each {groups}", groups=in_commas([dimension(d) for d in frame.per], _AND))


def _from_to(frame: Frame) -> str:
    """The two periods that a change is from and to."""
    how = worded("as the change in percent") if "percent" in frame.flags else worded("as the change")
    if len(ends := [c for m in frame.measures for c in m.where if c.op == "held"]) == 2:
        return worded("{how} from {first} to {last}", how=how, first=_held(ends[0]), last=_held(ends[1]))
    periods = [c.period for m in frame.measures for c in m.where if c.op == "period" and c.period is not None]
    if len(periods) != 2:
        return how
    return worded("{how} from {first} to {last}", how=how, first=period(periods[0]), last=period(periods[1]))


_AND = worded(" and ")
_OR = worded(" or ")
_COUNTED: dict[tuple[str, ...], str] = {
    ("distinct",): template("number of different values of {name}"),
    ("avg",): template("average of {name}"),
}
_SUM = template("sum of {name}")

_TITLED = {
    "": template("{figures}"),
    "share": template("Share of {figures}"),
    "running": template("Running total of {figures}"),
    "growth": template("Growth of {figures}"),
    "change": template("Change of {figures}"),
}


def title(frame: Frame) -> str:
    """Say in a few words what a frame's rows are; empty where a few words do not tell it.

    Example:
        >>> title(Frame("orders", (Measure("rows", "orders", said="orders"),)))
        'Number of orders'
    """
    if not frame.measures or frame.transform not in _TITLED or frame.having or frame.pivot or frame.offset:
        return ""
    if frame.formula is not None and any(_typed(one.where) for one in frame.measures):
        return ""
    measures, shared = _of_all((frame.formula,) if frame.formula is not None else frame.measures)
    is_bare = bool(frame.transform) or len(measures) > 1
    names = [_figure(one, is_bare=is_bare) for one in measures]
    if not all(names):
        return ""
    shown = "" if BESIDE in frame.flags else frame.transform
    what: str = worded(_TITLED[shown], figures=in_commas(names, _AND)) if shown else in_commas(names, _AND)
    grains = [d.grain for d in frame.by]
    groups: list[str] = [
        worded(d.grain)
        if d.grain and grains.count(d.grain) == 1
        else dimension(d).removesuffix(" name").removesuffix(" code")
        for d in frame.by
    ]
    if frame.limit is not None and len(groups) == 1:
        ascending = frame.order is not None and frame.order.ascending
        many = (
            worded("{count} {things}", count=frame.limit, things=plural_of(groups[0]))
            if frame.limit > 1
            else groups[0]
        )
        what = (
            worded("Lowest {things} by {figure}", things=many, figure=what)
            if ascending
            else worded("Top {things} by {figure}", things=many, figure=what)
        )
    elif groups:
        what = worded("{figure} by {groups}", figure=what, groups=in_commas(groups, _AND))
    if frame.per:
        each = in_commas([dimension(d).removesuffix(" name") for d in frame.per], _AND)
        what = worded("{figure} in each {groups}", figure=what, groups=each)
    where = sorted((*_typed(frame.where), *shared), key=lambda c: c.op != "period")
    said = in_commas([what, *map(_titled, where), *_counting(frame)])
    return begun_large(said) if len(said) <= LONG_TITLE else ""


def _of_all(measures: Sequence[Measure]) -> tuple[Sequence[Measure], Sequence[Condition]]:
    """Figures without the conditions that hold of them all, and those: figures of several tables keep them each by itself."""
    measures = [replace(one, where=_typed(one.where)) for one in measures]
    first = measures[0].where
    if len(measures) < 2 or any(
        list(map(_titled, one.where)) != list(map(_titled, first)) for one in measures
    ):
        return measures, ()
    return [replace(one, where=()) for one in measures], first


def _typed(where: Sequence[Condition]) -> tuple[Condition, ...]:
    """Conditions without those that hold of all sums of money: a title says when one of these does not hold."""
    return tuple(one for one in where if not one.said.startswith(OFF))


def _counting(frame: Frame) -> Iterator[str]:
    """The rows that are counted though sums of money leave them out else."""
    if words := [flag.removeprefix(COUNTING) for flag in frame.flags if flag.startswith(COUNTING)]:
        yield worded("including {words}", words=in_commas(words, _AND))


def _titled(c: Condition) -> str:
    """A condition as a title says it: its period, or its values where they tell it."""
    said = period(c.period) if c.op == "period" and c.period is not None and not c.negated else condition(c)
    return _labels(c) or said


_FIGURES = {
    **{agg: _AGGREGATES[agg] for agg in ("avg", "median", "min", "max")},
    "distinct": template("number of {name}"),
}


def _figure(one: Measure, *, is_bare: bool = False) -> str:
    """A figure's own name, a count's without "number of" where it `is_bare`; empty where it has none or holds only under conditions."""
    if one.where or one.agg in ("ratio", "formula") and not one.said:
        return ""
    if one.agg == "ratio" and one.said in _UNNAMED:
        return measure(one)
    if one.agg == "rows":
        if one.said.lower() == "headcount":
            return worded("headcount")
        counted = _counted(one).lower()
        return counted if is_bare else worded("number of {name}", name=counted)
    said = one.said.lower() or (expression(one.expr) if one.expr is not None else "")
    form = _FIGURES.get(one.agg)
    if not said or form is None:
        is_counted = is_bare and said.startswith("number of ")
        return said.removeprefix("number of ") if is_counted else said
    begun = form.removesuffix("{name}")
    bare = said.removeprefix(begun) if said.startswith(begun) else said
    return bare if is_bare and one.agg == "distinct" else worded(form, name=bare)


def _labels(c: Condition) -> str:
    """The values of a condition alone, where they tell it."""
    if c.op not in ("in", "not in") or c.negated or yes_or_no(c):
        return ""
    values = in_commas([_label(c.slots[0], v) for v in c.values], _OR)
    return worded("not {values}", values=values) if c.op == "not in" else values


def figure_name(one: Measure) -> str:
    """The name of a figure at the head of a column: the word that was said, where it names something."""
    if one.agg == "sum" and one.expr is not None and one.said.lower() in PARTICIPLES:
        named = one.expr.slots[0].field.said
        return named if one.said.lower() in named.lower().split() else f"{named} {one.said}"
    if one.agg == "median" and one.said and "median" not in one.said.lower():
        return f"median {one.said}"
    if one.agg not in ("rows", "distinct") or one.said and _is_noun(one.said, _plural(one.anchor)):
        return one.said or "figure"
    return _counted(one)


def told_apart(measures: Sequence[Measure]) -> list[Measure]:
    """Call a figure by its table too, where its name is a part of another table's figure: "units of returns" beside "units sold"."""
    names = [figure_name(one) for one in measures]
    out = []
    for place, one in enumerate(measures):
        within = any(
            set(names[place].lower().split()) <= set(name.lower().split())
            for other, name in enumerate(names)
            if other != place and measures[other].anchor != one.anchor
        )
        out.append(
            replace(one, said=f"{names[place]} of {_plural(one.anchor)}")
            if within and one.agg not in ("rows", "distinct")
            else one
        )
    return out


def _counted(one: Measure) -> str:
    """The counted things, in the plural: the word that was said where it is a noun, else the name of the table."""
    table = _plural(one.anchor)
    if one.agg == "distinct" and one.expr is not None:
        field = one.expr.slots[0].field
        table = (
            plural_of(field.said.removesuffix(" id")) if field.role is Role.FOREIGN else _plural(field.table)
        )
    said = one.said.lower().removeprefix("number of ") if one.said != "count" else ""
    said = (
        one.said[len(one.said) - len(said) :]
        if said and not said.endswith("ed") and _is_noun(said, table)
        else table
    )
    if said[-1:] in "s0123456789" or said in (table, *_MANY):
        return said
    if said[:1].isupper() and said[1:2].islower() and not _is_named(said, table):
        return table  # a stored value such as Germany is no noun that has a plural
    return plural_of(said)


def _is_noun(said: str, table: str) -> bool:
    last = said.lower().split()[-1]
    return _is_named(said, table) or last not in _NO_NOUNS and not last.endswith(("ed", "ing", "paid"))


def _is_named(said: str, table: str) -> bool:
    """Whether a word is that of a table's name."""
    return stem(said.lower().split()[-1]) in {stem(word) for word in table.lower().split()}


def _plural(table: str) -> str:
    return table.rpartition(".")[2].replace("_", " ")


def column(slot: Slot) -> str:
    """A column in words, with the thing it is of where that is another one."""
    owner = _plural(slot.field.table)
    said = slot.field.said
    return (
        said
        if not slot.path or owner.split()[-1].rstrip("s") in said
        else worded("{column} of {table}", column=said, table=owner)
    )


def grouped(one: Dimension) -> str:
    """The group, after a "by"."""
    return worded(
        "by {column}", column=worded(one.grain) if one.grain and one.said == one.grain else one.said
    )


def read_as(said: str, meant: str) -> Saying:
    """A note of what words of a question came to."""
    return in_a_row("'", said, "' -> ", meant)


def expression(expr: Expr) -> str:
    """An expression on one row, in words."""
    names = [column(slot) for slot in expr.slots]
    if expr.op == "formula":
        return formulas.told(expr.unit, names)
    if expr.op == "times":
        return in_commas(names, _TIMES)
    if expr.op == "discounted":
        return worded("{name} times {factor} less {less}", name=names[0], factor=names[1], less=names[2])
    if expr.op == "given":
        return worded("{name} less {less}", name=in_commas(names[:2], _TIMES), less=names[2])
    if expr.op == "minus":
        return worded("{name} less {less}", name=names[0], less=in_commas(names[1:], _AND))
    if expr.op in ("profit", "unit profit", "discounted profit"):
        return worded("{name} less {less}", name=names[0], less=in_commas(names[1:], _TIMES))
    if expr.op == "span":
        return worded("{unit} from {first} to {last}", unit=worded(expr.unit), first=names[1], last=names[0])
    if expr.op == "age":
        return worded("age by {name}", name=names[0])
    return names[0]


_TIMES = worded(" times ")


def measure(one: Measure) -> str:
    """A figure in words; a ratio that has a name by its name.

    Example:
        >>> orders = Measure("rows", "orders", said="orders")
        >>> returned = Condition("exists", child="returns")
        >>> measure(Measure("ratio", "orders", over=Measure("rows", "orders", where=(returned,)), under=orders, percent=True))
        'percent of orders with returns'
    """
    where = in_a_row(*(part for one_more in _that(one.where) for part in (" ", one_more)))
    if one.agg == "ratio" and one.over is not None and one.under is not None:
        return in_a_row(one.said if one.said not in _UNNAMED else _divided(one), where)
    if one.agg == "formula":
        return in_a_row(one.said or formulas.told(one.shape, [measure(part) for part in one.parts]), where)
    if one.agg == "rows":
        return in_a_row(worded("number of {name}", name=_counted(one)), where)
    assert one.expr is not None
    if one.agg == "distinct" and one.expr.slots[0].field.role in (Role.KEY, Role.FOREIGN):
        return in_a_row(worded("number of different {name}", name=_counted(one)), where)
    own = expression(one.expr)
    computed = worded(_AGGREGATES[one.agg], name=own)
    if one.said and one.said.lower() != own:
        return in_a_row(one.said, " (", computed, ")", where)
    return in_a_row(computed, where)


def explained(one: Measure) -> str:
    """A figure in words, a ratio with what is divided by what."""
    if one.agg == "formula" and one.said:
        how = formulas.told(one.shape, [measure(replace(part, said="")) for part in one.parts])
        return in_a_row(measure(one), " (", how, ")")
    if one.agg != "ratio" or one.over is None or one.under is None or one.said in _UNNAMED:
        return measure(one)
    return in_a_row(measure(one), " (", _divided(one), ")")


def _divided(one: Measure) -> str:
    """The two figures of a ratio, in words."""
    assert one.over is not None and one.under is not None
    if not one.percent:
        return worded("{over} divided by {under}", over=_named(one.over), under=_named(one.under))
    if (one.over.agg, one.over.expr, one.over.anchor) == (one.under.agg, one.under.expr, one.under.anchor):
        return worded("percent of {rows}", rows=in_commas([_named(one.under), *_that(one.over.where)], " "))
    return worded("{over} in percent of {under}", over=_named(one.over), under=_named(one.under))


def _named(one: Measure) -> str:
    """A figure in few words: its name, else how it is computed."""
    if one.agg == "rows":
        return in_commas([_counted(one), *_that(one.where)], " ")
    return one.said if one.said and not one.where else measure(one)


def _that(conditions: Sequence[Condition]) -> Iterator[str]:
    """Conditions as they follow a noun: "with returns", "where status is open and channel is web"."""
    apart = ("exists", "held")
    yield from (condition(c) for c in conditions if c.op in apart and not (c.op == "held" and c.negated))
    rest = [condition(c) for c in conditions if c.op not in apart or c.op == "held" and c.negated]
    if rest:
        yield worded("where {conditions}", conditions=in_commas(rest, _AND))


def dimension(one: Dimension) -> str:
    """A dimension in words."""
    if one.op == "age":
        return worded("{count} years of age", count=number(f"{one.bucket:g}"))
    if one.bucket:
        return worded("{count} of {name}", count=number(f"{one.bucket:g}"), name=column(one.shown[0]))
    if one.grain:
        return worded("{unit} of {name}", unit=worded(one.grain), name=column(one.shown[0]))
    return _over(one.said or column(one.shown[0]), one.way)


def _over(said: str, way: str) -> str:
    """A name with the way over which it is reached, where that was to be said."""
    if not way or way.startswith("of "):
        return f"{said} {way}".strip()
    return way if said.split()[-1] in way.split() else worded("{name} of the {way}", name=said, way=way)


def _when(one: Period) -> str:
    """A period behind a verb: in 2025, since May, before then."""
    told = period(one)
    match told.parts:
        case {"say": "{month} {year}", "with": places}:
            return Saying.of({"say": template("in {month} {year}"), "with": places})
    return told if told.startswith(("since ", "before ")) else worded("in {period}", period=told)


def period(one: Period) -> Saying:
    """A period in words, its last day included.

    Example:
        >>> from datetime import date
        >>> period(Period(date(2025, 1, 1), date(2026, 1, 1), "year"))
        '2025'
        >>> period(Period(date(2025, 4, 1), date(2025, 7, 1), "quarter"))
        'Q2 2025'
    """
    first, until = one.first, one.until
    if first is None and until is None:
        return worded("any time")
    if first is None and until is not None:
        return worded("before {day}", day=day(until))
    if until is None and first is not None:
        return worded("since {day}", day=day(first))
    assert first is not None and until is not None
    if (first.month, first.day, until.month, until.day) == (1, 1, 1, 1):
        if until.year - first.year == 1:
            return in_a_row(str(first.year))
        return worded("{first} to {last}", first=str(first.year), last=str(until.year - 1))
    if first.day == 1 and until == shift(first, "month", 1):
        return worded("{month} {year}", month=month_in_words(_MONTHS[first.month - 1]), year=str(first.year))
    if first.day == 1 and first.month % 3 == 1 and until == shift(first, "quarter", 1):
        return in_a_row(f"Q{first.month // 3 + 1} {first.year}")
    return worded("{first} to {last}", first=day(first), last=day(until - timedelta(days=1)))


def condition(one: Condition) -> str:
    """A restriction in words."""
    if one.negated and one.op == "period" and one.period is not None:
        return worded("{name} not in {period}", name=_done(column(one.slots[0])), period=period(one.period))
    if one.negated and one.op == "held" and one.values == ("first",):
        return worded("{name} after the first one", name=column(one.slots[0]))
    said = yes_or_no(one) or _condition(one)
    return (
        worded("not ({condition})", condition=said)
        if one.negated and one.op != "exists" and not yes_or_no(one)
        else said
    )


def yes_or_no(one: Condition) -> str:
    """A restriction to one of a flag's two values in words; empty where it is something else."""
    field = (
        one.slots[0].field if one.op in ("in", "not in") and len(one.slots) == len(one.values) == 1 else None
    )
    if field is None or field.role is not Role.FLAG:
        return ""
    flag = {field.yes.strip("'"): True, field.no.strip("'"): False}.get(one.values[0])
    if flag is None:
        return ""
    answer = worded("yes") if (flag == (one.op == "in")) != one.negated else worded("no")
    return in_a_row(field.said, ": ", answer)


def _done(said: str) -> str:
    """A time's name before "in 2025": "ordered at" is "ordered" there."""
    words = said.split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in ("at", "on") else said


def _condition(c: Condition) -> str:
    if c.op == "any" and c.parts and all(p.op == "period" and p.slots == c.parts[0].slots for p in c.parts):
        times = [period(p.period) for p in c.parts if p.period is not None and not p.negated]
        if len(times) == len(c.parts):
            return worded(
                "{name} in {periods}",
                name=_done(column(c.parts[0].slots[0])),
                periods=one_of(times),
            )
    if c.op in ("all", "any"):
        return in_commas([condition(p) for p in c.parts], _AND if c.op == "all" else _OR)
    if c.op == "exists":
        inner = in_commas([condition(p) for p in c.parts], _AND)
        rows = worded("{rows} where {conditions}", rows=_plural(c.child), conditions=inner)
        rows = rows if inner else in_a_row(_plural(c.child))
        if c.number is not None:
            bound = {"compared": _COMPARED.get(c.compare, c.compare), "number": number(f"{c.number:.15g}")}
            if c.counted is None:
                return worded("with {compared} {number} of {rows}", **bound, rows=rows)
            figure = worded(_COUNTED.get(c.values[:1], _SUM), name=expression(c.counted))
            return worded("with {figure} {compared} {number} in {rows}", figure=figure, **bound, rows=rows)
        return worded("without {rows}", rows=rows) if c.negated else worded("with {rows}", rows=rows)
    if c.op == "compare" and c.expr is not None:
        against = (
            worded("the average")
            if c.number is None and not c.values
            else worded("that of {name}", name=c.values[0])
            if c.values
            else number(f"{c.number:.15g}")
        )
        return in_commas([expression(c.expr), _COMPARED.get(c.compare, c.compare), against], " ")
    names = [column(slot) for slot in c.slots]
    if c.op in ("in", "not in") and c.said and not c.said.startswith(OFF):
        names[0] = _over(c.slots[0].field.said, c.said)
    if c.op == "later":
        if c.compare == "<>":
            return worded("{name} is not {value}", name=names[0], value=names[1])
        if c.compare == "=":
            return worded("{name} is {value}", name=names[0], value=names[1])
        held = _IN_TIME if c.slots[0].field.role is Role.TIME else _COMPARED
        return in_commas([names[0], held[c.compare or ">"], names[1]], " ")
    if c.op == "same":
        return worded(
            "{name} and {other} in the same {unit}", name=names[0], other=names[1], unit=worded(c.compare)
        )
    if c.op == "period" and c.period is not None:
        return in_commas([_done(names[0]), _when(c.period)], " ")
    if c.op == "clock":
        first, last = c.values
        if first == "00:00":
            return worded("{name} before {time}", name=names[0], time=last)
        if last == "24:00":
            return worded("{name} from {time}", name=names[0], time=first)
        return worded("{name} from {first} until {last}", name=names[0], first=first, last=last)
    if c.op == "weekday":
        days = "".join(c.values)
        known = {"56": worded("a weekend"), "01234": worded("a weekday")}.get(days)
        on = known or in_commas([worded(_DAYS[int(d)]) for d in days], _OR)
        return worded("{name} on {day}", name=names[0], day=on)
    if c.op == "first":
        return worded("first of each {name}", name=names[1].removesuffix(" id").removesuffix(" number"))
    if c.op == "held":
        if not c.values:
            return worded("as of {day}", day=_held(c))
        if c.values[0] == "first":
            return worded("as of its first {name}", name=names[0])
        return worded("as of its {which} {name}", which=c.values[0], name=names[0])
    if c.op == "latest":
        if c.period is not None:
            return worded("{name} is the last one in {period}", name=names[0], period=period(c.period))
        return worded("{name} is the last one", name=names[0])
    if c.op == "missing":
        return worded("{name} is missing", name=names[0])
    if c.op == "filled":
        return worded("{name} is there", name=names[0])
    values = in_commas([_label(c.slots[0], v) for v in c.values], _OR)
    of = {"name": names[0], "value": values}
    if c.op == "like":
        return worded("{name} like {value}", name=names[0], value=_label(c.slots[0], c.values[0]))
    if c.slots[0].field.separator:
        if c.op == "not in":
            return worded("{name} does not include {value}", **of)
        return worded("{name} includes {value}", **of)
    return worded("{name} is not {value}", **of) if c.op == "not in" else worded("{name} is {value}", **of)


def _held(c: Condition) -> str:
    """The day as of which something held, or that it is the first or the latest of its thing."""
    if c.values:
        return (
            worded("the first one")
            if c.values[0] == "first"
            else worded("the {which} one", which=c.values[0])
        )
    assert c.period is not None and c.period.until is not None
    last = day(c.period.until - timedelta(days=1))
    return worded("today, {day}", day=last) if c.said == "today" else last


def _label(slot: Slot, value: str) -> str:
    pairs = dict(slot.field.codes.pairs if slot.field.codes is not None else slot.field.labels)
    return pairs.get(value, value)


def having(one: Having) -> str:
    """A bound on a figure in words."""
    if one.average:
        bound: str = worded("the average")
    elif one.number is not None:
        bound = number(f"{one.number:.15g}")
    else:
        bound = worded("its bound")
    compared = _COMPARED.get(one.compare, one.compare)
    return worded(
        "with {figure} {compared} {bound}", figure=measure(one.measure), compared=compared, bound=bound
    )


_NTH = {
    True: {
        2: template("the second least"),
        3: template("the third least"),
        4: template("the fourth least"),
        5: template("the fifth least"),
    },
    False: {
        2: template("the second greatest"),
        3: template("the third greatest"),
        4: template("the fourth greatest"),
        5: template("the fifth greatest"),
    },
}
"""One row at a place, by whether the least comes first and by the place."""


def _ordered(frame: Frame) -> str:
    ascending = frame.order is not None and frame.order.ascending
    if frame.order is not None and frame.order.dimension is not None:
        by = dimension(frame.by[frame.order.dimension])
        return (
            worded("sorted by {name}", name=by)
            if ascending
            else worded("sorted by {name}, last first", name=by)
        )
    nth = _NTH[ascending].get(frame.offset + 1) if frame.limit == 1 and frame.offset else None
    if nth is not None:
        said: str = worded(nth)
    elif frame.limit is None:
        said = worded("least first") if ascending else worded("greatest first")
    elif ascending:
        said = worded("the 1 least") if frame.limit == 1 else worded("the {count} least", count=frame.limit)
    else:
        said = (
            worded("the 1 greatest")
            if frame.limit == 1
            else worded("the {count} greatest", count=frame.limit)
        )
    if frame.order is not None and frame.order.by is not None:
        said = worded("{order} by {name}", order=said, name=expression(frame.order.by))
    if frame.limit is not None and frame.offset and nth is None:
        said = worded("{order} after the first {count}", order=said, count=frame.offset)
    return said

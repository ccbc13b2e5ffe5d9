"""A frame in words that a person checks at a glance: what, by what, of which, when, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlagent.catalog.semantics import Role
from sqlagent.language.dates import shift
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.analyst import formulas
from sqlagent.makers.analyst.frames import (
    BESIDE,
    MOVED,
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
    "sum": "sum of",
    "avg": "average",
    "min": "least",
    "max": "greatest",
    "median": "median",
    "distinct": "number of different",
}
_TRANSFORMS = {
    "share": "as a share of the total", "running": "as a running total", "growth": "with growth in percent", "change": "with the change",
    "quotient": "as a percentage of one another", "groups": "as how many groups there are", "spread": "by how many have each", "average": "averaged over the groups",
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LONG_TITLE = 90
"""Characters from which on a title is none."""

_NO_NOUNS = STOP_WORDS | PARTICIPLES
"""Words that questions count by and that name nothing: "how many sold", "what part of all"."""

_MANY = ("staff", "people")
"""Nouns that are plurals as they stand."""

_UNNAMED = frozenset({"", "share", "average value"})
"""What a ratio is said to be where nobody gave it a name of its own."""

_COMPARED = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly"}


def told(frame: Frame) -> str:
    """Say a frame in words.

    Example:
        >>> told(Frame("orders", (Measure("rows", "orders", said="orders"),)))
        'number of orders'
    """
    return ", ".join(words for _, words in _told(frame) if words)


def parts(frame: Frame) -> tuple[tuple[str, str], ...]:
    """Say a frame part by part, each with its kind and every condition by itself, as two readings are told apart by.

    Example:
        >>> parts(Frame("orders", (Measure("rows", "orders", said="orders"),)))
        (('figure', 'number of orders'),)
    """
    figure, *rest = [(kind, words) for kind, words in _told(frame) if words and kind != "where"]
    rows = _plural(frame.anchor)
    counted = () if rows.lower() in figure[1].lower() else (("rows", f"from {rows}"),)
    return (figure, *counted, *rest, *(("where", condition(c)) for c in frame.where))


def _told(frame: Frame) -> Iterator[tuple[str, str]]:
    if frame.formula is not None:
        what = explained(replace(frame.formula, parts=frame.measures))
    elif frame.measures:
        what = " and ".join(explained(m) for m in frame.measures)
    else:
        shown = ", ".join(dict.fromkeys(column(slot) for slot in frame.columns)) or "all columns"
        what = f"{'the different ' if frame.distinct else ''}{shown} of {_plural(frame.anchor)}"
    yield "figure", what
    if frame.scale:
        yield "way", f"as how many of the first there are for {frame.scale:g} of the second"
    elif frame.transform == "between":
        yield "way", _from_to(frame)
        for flag in frame.flags:
            if flag in MOVED:
                yield "having", f"only those that {flag}"
    elif frame.transform == "share" and BESIDE in frame.flags:
        yield "way", "with its share of the total"
    elif frame.transform == "concentration":
        yield "way", f"as the share of the {frame.limit} greatest in the total"
    elif frame.transform in _TRANSFORMS:
        yield "way", _TRANSFORMS[frame.transform]
    if frame.transform == "moving":
        yield "way", f"as an average over {frame.window} periods"
    if frame.by:
        yield "by", "per " + " and ".join(dimension(d) for d in frame.by)
    for words in _that(frame.where):
        yield "where", words
    for bound in frame.having:
        yield "having", having(bound)
    if (frame.limit is not None or frame.order is not None) and frame.transform != "concentration":
        yield "order", _ordered(frame)
    if frame.per:
        yield "each", "in each " + " and ".join(dimension(d) for d in frame.per)


def _from_to(frame: Frame) -> str:
    """The two periods that a change is from and to."""
    periods = [c.period for m in frame.measures for c in m.where if c.op == "period" and c.period is not None]
    how = "as the change in percent" if "percent" in frame.flags else "as the change"
    return f"{how} from {period(periods[0])} to {period(periods[1])}" if len(periods) == 2 else how


_COUNTED: dict[tuple[str, ...], str] = {("distinct",): "number of different values", ("avg",): "average"}

_TITLED = {
    "": "",
    "share": "Share of ",
    "running": "Running total of ",
    "growth": "Growth of ",
    "change": "Change of ",
}


def title(frame: Frame) -> str:
    """Say in a few words what a frame's rows are; empty where a few words do not tell it.

    Example:
        >>> title(Frame("orders", (Measure("rows", "orders", said="orders"),)))
        'Number of orders'
    """
    if not frame.measures or frame.transform not in _TITLED or frame.having or frame.pivot or frame.offset:
        return ""
    if frame.formula is not None and any(one.where for one in frame.measures):
        return ""
    measures, shared = _of_all((frame.formula,) if frame.formula is not None else frame.measures)
    names = [_figure(one) for one in measures]
    if not all(names):
        return ""
    is_bare = bool(frame.transform) or len(names) > 1
    shown = "" if BESIDE in frame.flags else frame.transform
    what = _TITLED[shown] + " and ".join(n.removeprefix("number of ") if is_bare else n for n in names)
    groups = [dimension(d).removesuffix(" name").removesuffix(" code") for d in frame.by]
    groups = [d.grain if d.grain else said for d, said in zip(frame.by, groups, strict=True)]
    if frame.limit is not None and len(groups) == 1:
        ascending = frame.order is not None and frame.order.ascending
        many = f"{frame.limit} {plural_of(groups[0])}" if frame.limit > 1 else groups[0]
        what = f"{'Lowest' if ascending else 'Top'} {many} by {what}"
    elif groups:
        what += f" by {' and '.join(groups)}"
    if frame.per:
        what += f" in each {' and '.join(dimension(d).removesuffix(' name') for d in frame.per)}"
    where = sorted((*frame.where, *shared), key=lambda c: c.op != "period")
    said = ", ".join([what, *map(_titled, where)])
    return said[:1].upper() + said[1:] if len(said) <= LONG_TITLE else ""


def _of_all(measures: Sequence[Measure]) -> tuple[Sequence[Measure], Sequence[Condition]]:
    """Figures without the conditions that hold of them all, and those: figures of several tables keep them each by itself."""
    first = measures[0].where
    if len(measures) < 2 or any(
        list(map(_titled, one.where)) != list(map(_titled, first)) for one in measures
    ):
        return measures, ()
    return [replace(one, where=()) for one in measures], first


def _titled(c: Condition) -> str:
    """A condition as a title says it: its period, or its values where they tell it."""
    said = period(c.period) if c.op == "period" and c.period is not None and not c.negated else condition(c)
    return _labels(c) or said


def _figure(one: Measure) -> str:
    """A figure's own name; empty where it has none or holds only under conditions."""
    if one.where or one.agg in ("ratio", "formula") and not one.said:
        return ""
    if one.agg == "ratio" and one.said in _UNNAMED:
        return measure(one)
    if one.agg == "rows":
        return "headcount" if one.said.lower() == "headcount" else f"number of {_counted(one).lower()}"
    said = one.said.lower() or (expression(one.expr) if one.expr is not None else "")
    prefix = {
        "avg": "average ",
        "median": "median ",
        "min": "least ",
        "max": "greatest ",
        "distinct": "number of ",
    }
    begun = prefix.get(one.agg, "")
    return said if not said or said.startswith(begun) else begun + said


def _labels(c: Condition) -> str:
    """The values of a condition alone, where they tell it."""
    if c.op not in ("in", "not in") or c.negated or yes_or_no(c):
        return ""
    return ("not " if c.op == "not in" else "") + " or ".join(_label(c.slots[0], v) for v in c.values)


def figure_name(one: Measure) -> str:
    """What a figure is called at the head of a column: the word that was said, where it names something."""
    if one.agg == "sum" and one.expr is not None and one.said.lower() in PARTICIPLES:
        return f"{one.expr.slots[0].field.said} {one.said}"
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
    """What a count counts, in the plural: the word that was said where it is a noun, else the name of the table."""
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
    return said if said[-1:] in "s0123456789" or said in (table, *_MANY) else plural_of(said)


def _is_noun(said: str, table: str) -> bool:
    last = said.lower().split()[-1]
    if stem(last) in {stem(word) for word in table.lower().split()}:
        return True
    return last not in _NO_NOUNS and not last.endswith(("ed", "ing"))


def _plural(table: str) -> str:
    return table.rpartition(".")[2].replace("_", " ")


def column(slot: Slot) -> str:
    """A column in words, with the thing it is of where that is another one."""
    owner = _plural(slot.field.table)
    said = slot.field.said
    return said if not slot.path or owner.split()[-1].rstrip("s") in said else f"{said} of {owner}"


def expression(expr: Expr) -> str:
    """What is computed of one row, in words."""
    names = [column(slot) for slot in expr.slots]
    if expr.op == "formula":
        return formulas.told(expr.unit, names)
    if expr.op == "times":
        return " times ".join(names)
    if expr.op == "discounted":
        return f"{names[0]} times {names[1]} less {names[2]}"
    if expr.op == "minus":
        return f"{names[0]} less {' and '.join(names[1:])}"
    if expr.op in ("profit", "unit profit", "discounted profit"):
        return f"{names[0]} less {' times '.join(names[1:])}"
    if expr.op == "span":
        return f"{expr.unit} from {names[1]} to {names[0]}"
    if expr.op == "age":
        return f"age by {names[0]}"
    return names[0]


def measure(one: Measure) -> str:
    """A figure in words; a ratio that has a name by its name.

    Example:
        >>> orders = Measure("rows", "orders", said="orders")
        >>> returned = Condition("exists", child="returns")
        >>> measure(Measure("ratio", "orders", over=Measure("rows", "orders", where=(returned,)), under=orders, percent=True))
        'percent of orders with returns'
    """
    where = "".join(f" {part}" for part in _that(one.where))
    if one.agg == "ratio" and one.over is not None and one.under is not None:
        return (one.said if one.said not in _UNNAMED else _divided(one)) + where
    if one.agg == "formula":
        return (one.said or formulas.told(one.shape, [measure(part) for part in one.parts])) + where
    if one.agg == "rows":
        return f"number of {_counted(one)}{where}"
    assert one.expr is not None
    if one.agg == "distinct" and one.expr.slots[0].field.role in (Role.KEY, Role.FOREIGN):
        return f"number of different {_counted(one)}{where}"
    own = expression(one.expr)
    said = (
        f"{one.said} ({_AGGREGATES[one.agg]} {own})"
        if one.said and one.said.lower() != own
        else f"{_AGGREGATES[one.agg]} {own}"
    )
    return said + where


def explained(one: Measure) -> str:
    """A figure in words, a ratio with what is divided by what."""
    if one.agg == "formula" and one.said:
        return f"{measure(one)} ({formulas.told(one.shape, [measure(replace(part, said='')) for part in one.parts])})"
    if one.agg != "ratio" or one.over is None or one.under is None or one.said in _UNNAMED:
        return measure(one)
    return f"{measure(one)} ({_divided(one)})"


def _divided(one: Measure) -> str:
    """What is divided by what in a ratio."""
    assert one.over is not None and one.under is not None
    if not one.percent:
        return f"{_named(one.over)} divided by {_named(one.under)}"
    if (one.over.agg, one.over.expr, one.over.anchor) == (one.under.agg, one.under.expr, one.under.anchor):
        return f"percent of {' '.join([_named(one.under), *_that(one.over.where)])}"
    return f"{_named(one.over)} in percent of {_named(one.under)}"


def _named(one: Measure) -> str:
    """A figure in few words: its name, else how it is computed."""
    if one.agg == "rows":
        return " ".join([_counted(one), *_that(one.where)])
    return one.said if one.said and not one.where else measure(one)


def _that(conditions: Sequence[Condition]) -> Iterator[str]:
    """Conditions as they follow a noun: "with returns", "where status is open and channel is web"."""
    yield from (condition(c) for c in conditions if c.op == "exists")
    rest = [condition(c) for c in conditions if c.op != "exists"]
    if rest:
        yield f"where {' and '.join(rest)}"


def dimension(one: Dimension) -> str:
    """A dimension in words."""
    if one.op == "age":
        return f"{one.bucket:g} years of age"
    if one.bucket:
        return f"{one.bucket:g} of {column(one.shown[0])}"
    if one.grain:
        return f"{one.grain} of {column(one.shown[0])}"
    return _over(one.said or column(one.shown[0]), one.way)


def _over(said: str, way: str) -> str:
    """A name with the way over which it is reached, where that was to be said."""
    if not way or way.startswith("of "):
        return f"{said} {way}".strip()
    return way if said.split()[-1] in way.split() else f"{said} of the {way}"


def _when(one: Period) -> str:
    """A period behind a verb: in 2025, since May, before then."""
    told = period(one)
    return told if told.startswith(("since ", "before ")) else f"in {told}"


def period(one: Period) -> str:
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
        return "any time"
    if first is None and until is not None:
        return f"before {until.isoformat()}"
    if until is None and first is not None:
        return f"since {first.isoformat()}"
    assert first is not None and until is not None
    if (first.month, first.day, until.month, until.day) == (1, 1, 1, 1):
        return str(first.year) if until.year - first.year == 1 else f"{first.year} to {until.year - 1}"
    if first.day == 1 and until == shift(first, "month", 1):
        return f"{_MONTHS[first.month - 1]} {first.year}"
    if first.day == 1 and first.month % 3 == 1 and until == shift(first, "quarter", 1):
        return f"Q{first.month // 3 + 1} {first.year}"
    return f"{first.isoformat()} to {(until - timedelta(days=1)).isoformat()}"


def condition(one: Condition) -> str:
    """A restriction in words."""
    if one.negated and one.op == "period" and one.period is not None:
        return f"{_done(column(one.slots[0]))} not in {period(one.period)}"
    said = yes_or_no(one) or _condition(one)
    return f"not ({said})" if one.negated and one.op != "exists" and not yes_or_no(one) else said


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
    return f"{field.said}: {'yes' if (flag == (one.op == 'in')) != one.negated else 'no'}"


def _done(said: str) -> str:
    """A time's name before "in 2025": "ordered at" is "ordered" there."""
    words = said.split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in ("at", "on") else said


def _condition(c: Condition) -> str:
    if c.op == "any" and c.parts and all(p.op == "period" and p.slots == c.parts[0].slots for p in c.parts):
        times = [period(p.period) for p in c.parts if p.period is not None and not p.negated]
        if len(times) == len(c.parts):
            return f"{_done(column(c.parts[0].slots[0]))} in {', '.join(times[:-1])} or {times[-1]}"
    if c.op in ("all", "any"):
        return (" and " if c.op == "all" else " or ").join(condition(p) for p in c.parts)
    if c.op == "exists":
        inner = " and ".join(condition(p) for p in c.parts)
        bound = f" {_COMPARED.get(c.compare, c.compare)} {c.number:.15g}" if c.number is not None else ""
        if c.number is not None:
            where = f" where {inner}" if inner else ""
            if c.counted is None:
                return f"with{bound} of {_plural(c.child)}{where}"
            figure = f"{_COUNTED.get(c.values[:1], 'sum')} of {expression(c.counted)}"
            return f"with {figure}{bound} in {_plural(c.child)}{where}"
        word = "without" if c.negated else "with"
        return f"{word} {_plural(c.child)}{' where ' + inner if inner else ''}"
    if c.op == "compare" and c.expr is not None:
        number = (
            "the average"
            if c.number is None and not c.values
            else f"that of {c.values[0]}"
            if c.values
            else f"{c.number:.15g}"
        )
        return f"{expression(c.expr)} {_COMPARED.get(c.compare, c.compare)} {number}"
    names = [column(slot) for slot in c.slots]
    if c.op in ("in", "not in") and c.said:
        names[0] = _over(c.slots[0].field.said, c.said)
    if c.op == "later":
        if c.compare in ("<>", "="):
            return f"{names[0]} is {'not ' if c.compare == '<>' else ''}{names[1]}"
        return f"{names[0]} {'after' if (c.compare or '>') == '>' else 'not after'} {names[1]}"
    if c.op == "same":
        return f"{names[0]} and {names[1]} in the same {c.compare}"
    if c.op == "period" and c.period is not None:
        return f"{_done(names[0])} {_when(c.period)}"
    if c.op == "clock":
        first, last = c.values
        if first == "00:00" or last == "24:00":
            return f"{names[0]} {f'before {last}' if first == '00:00' else f'from {first}'}"
        return f"{names[0]} from {first} until {last}"
    if c.op == "weekday":
        days = "".join(c.values)
        said = {"56": "a weekend", "01234": "a weekday"}.get(days) or " or ".join(_DAYS[int(d)] for d in days)
        return f"{names[0]} on {said}"
    if c.op == "first":
        return f"first of each {names[1].removesuffix(' id').removesuffix(' number')}"
    if c.op == "latest":
        return f"{names[0]} is the last one" + (f" in {period(c.period)}" if c.period is not None else "")
    if c.op == "missing":
        return f"{names[0]} is missing"
    if c.op == "filled":
        return f"{names[0]} is there"
    values = [_label(c.slots[0], v) for v in c.values]
    if c.op == "like":
        return f"{names[0]} like {values[0]}"
    return f"{names[0]} is {'not ' if c.op == 'not in' else ''}{' or '.join(values)}"


def _label(slot: Slot, value: str) -> str:
    pairs = dict(slot.field.codes.pairs if slot.field.codes is not None else slot.field.labels)
    return pairs.get(value, value)


def having(one: Having) -> str:
    """A bound on a figure in words."""
    number = "the average" if one.average else f"{one.number:.15g}" if one.number is not None else "its bound"
    return f"with {measure(one.measure)} {_COMPARED.get(one.compare, one.compare)} {number}"


def _ordered(frame: Frame) -> str:
    ascending = frame.order is not None and frame.order.ascending
    by = f" by {expression(frame.order.by)}" if frame.order is not None and frame.order.by is not None else ""
    if frame.order is not None and frame.order.dimension is not None:
        return f"sorted by {dimension(frame.by[frame.order.dimension])}{'' if ascending else ', last first'}"
    way = "least" if ascending else "greatest"
    if frame.limit is None:
        return f"{way} first{by}"
    place = f" after the first {frame.offset}" if frame.offset else ""
    return f"the {frame.limit} {way}{by}{place}"

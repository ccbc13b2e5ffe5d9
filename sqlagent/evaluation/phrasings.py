"""Training questions of our own making: how analysts phrase what Spider's annotators do not.

"Revenue by country", "top ten products by quantity", "orders per month in 2025": templates of
language laid over the tables, measures, categories and dates of a training schema, each with
the SQL it means. Decides only what is said and meant; how the grammar learns from it is
`fit_grammar`'s business. No schema of an evaluation set is ever passed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from sqlglot import exp

from sqlagent.values import Catalog, Column, ForeignKey, Kind, Table

Line = dict[str, str]

_MEASURED = (Kind.INTEGER, Kind.NUMBER)
_DATED = (Kind.DATE, Kind.DATETIME)
_NO_MEASURE = re.compile(
    r"(^|_)(id|code|year|number|no|num|phone|zip|key|lat|long|latitude|longitude)$", re.I
)
_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 10: "ten", 20: "twenty"}
_FORMATS = {"month": "%Y-%m", "year": "%Y", "day": "%Y-%m-%d"}

GROUPED = (
    "{m} by {c}", "{m} per {c}", "{m} for each {c}", "{m} in each {c}", "show {m} by {c}",
    "what is the {m} for each {c}?", "what is the {m} per {c}?", "how much {b} does each {c} have?",
    "break {m} down by {c}", "give me the {m} of every {c}", "which {cs} have how much {b}?",
    "{m}, split by {c}", "compare {m} across {cs}", "{m} grouped by {c}", "how much {b} per {c}?",
)  # fmt: skip
COUNTED = (
    "number of {t} by {c}", "number of {t} per {c}", "count of {t} by {c}", "count {t} by {c}", "{t} by {c}",
    "{t} per {c}", "count the {t} per {c}", "how many {t} are there for each {c}?", "count of {t} per {c}",
    "how many {t} per {c}?", "which {cs} do {t} have, and how many {t} each?", "how are {t} spread over {cs}?",
    "count how many {t} there are in each {c}", "how often does each {c} occur among {t}?", "how often was each {c} given?",
    "break {t} down by {c}", "{t} count by {c}",
)  # fmt: skip
TOPPED = (
    "top {n} {cs} by {m}", "top {n} {cs} by {b}", "which {n} {cs} have the most {b}?", "the {n} {cs} with the highest {m}",
    "list the {n} {cs} with the highest {m}", "what are the {n} {cs} with the highest {b}?", "{n} best {cs} by {m}",
    "which {n} {cs} bring the most {b}?", "show the {n} {cs} with the most {b}", "what are the top {n} {cs} by {b}?",
    "list the {n} {cs} where {b} is highest", "{n} {cs} with the largest {m}",
)  # fmt: skip
TOPPED_COUNT = (
    "top {n} {cs} by number of {t}", "which {n} {cs} have the most {t}?", "the {n} {cs} with the most {t}",
    "list the {n} {cs} with the highest number of {t}", "top {n} {cs} by {t}",
)  # fmt: skip
TIMED = (
    "{m} per {g}", "{m} by {g}", "{g}ly {b}", "show {g}ly {b}", "{m} for each {g}", "what was the {m} per {g}?",
    "how has {b} developed {g} by {g}?", "how did {b} change by {g}?", "{m} over time by {g}", "total {b} in each {g}",
    "what was the {b} each {g}?", "how much {b} was there each {g}?", "trend of {b} per {g}",
)  # fmt: skip
TIMED_COUNT = (
    "number of {t} per {g}", "{t} per {g}", "count the {t} by {g}", "{g}ly {t}", "how many {t} were there each {g}?",
    "how many {t} did we get every {g}?", "number of {t} by {g}", "count of {t} for each {g}", "{t} {g} by {g}",
    "{g}ly number of {t}",
)  # fmt: skip
WITHIN = (" in {y}", " during {y}", " for {y}", " within {y}")


@dataclass(frozen=True, slots=True)
class Fact:
    """A table people measure or count, and a step to the table that names its category."""

    table: Table
    key: ForeignKey | None = None
    parent: Table | None = None


def analytic(
    catalog: Catalog, rng: Random, count: int, values: Callable[[str, str], Sequence[str]] | None = None
) -> list[Line]:
    """Make up to `count` questions with their SQL about one schema, all distinct.

    `values` gives stored texts of a column, for questions with a filter. Returns lines with
    `question` and `gold`; fewer where a schema has no measures, categories or dates.
    """
    makers = [maker for maker in (_grouped, _counted, _topped, _timed) for _ in range(3)]
    facts = list(_facts(catalog))
    found: dict[str, Line] = {}
    for _ in range(count * 4 if facts else 0):
        line = rng.choice(makers)(rng.choice(facts), rng)
        if line is None:
            continue
        if values is not None and rng.random() < 0.25:
            line = _filtered(line, catalog, rng, values) or line
        question = line["question"]
        line["question"] = question[:1].upper() + question[1:] if rng.random() < 0.8 else question
        found.setdefault(line["question"], line)
        if len(found) >= count:
            break
    return list(found.values())


def spoken(name: str) -> str:
    """Say a name in words.

    Example:
        >>> spoken("unit_price"), spoken("OrderLines")
        ('unit price', 'order lines')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", name).lower().strip()


def plural(words: str) -> str:
    """Say many of a thing.

    Example:
        >>> plural("category"), plural("class"), plural("job title"), plural("orders")
        ('categories', 'classes', 'job titles', 'orders')
    """
    if words.endswith(("ss", "x", "ch", "sh")):
        return words + "es"
    if words.endswith("s"):
        return words
    return words[:-1] + "ies" if words.endswith("y") and words[-2:-1] not in "aeiou" else words + "s"


def singular(words: str) -> str:
    """Say one of a thing.

    Example:
        >>> singular("categories"), singular("orders"), singular("class")
        ('category', 'order', 'class')
    """
    if words.endswith("ies"):
        return words[:-3] + "y"
    return words[:-1] if words.endswith("s") and not words.endswith(("ss", "us", "is")) else words


def _facts(catalog: Catalog) -> Iterator[Fact]:
    for table in catalog.tables:
        yield Fact(table)
        for key in table.foreign_keys:
            parent = catalog.table(key.table, key.schema)
            if parent is not None and parent.name != table.name and len(key.columns) == 1:
                yield Fact(table, key, parent)


def _keys(table: Table) -> set[str]:
    linked = {c.lower() for key in table.foreign_keys for c in key.columns}
    return linked | {c.lower() for c in table.primary_key}


def _measures(table: Table) -> list[Column]:
    keys = _keys(table)
    return [
        c
        for c in table.columns
        if c.kind in _MEASURED and c.name.lower() not in keys and not _NO_MEASURE.search(c.name)
    ]


def _categories(table: Table) -> list[Column]:
    keys = _keys(table)
    return [c for c in table.columns if c.kind is Kind.TEXT and c.name.lower() not in keys]


def _dates(table: Table) -> list[Column]:
    return [c for c in table.columns if c.kind in _DATED]


def _column(table: Table, column: Column) -> exp.Column:
    return exp.column(column.name, table=table.name, quoted=True)


def _from(fact: Fact) -> exp.Select:
    select = exp.select().from_(exp.to_table(fact.table.name).transform(_quoted))
    if fact.key is None or fact.parent is None:
        return select
    mine = exp.column(fact.key.columns[0], table=fact.table.name, quoted=True)
    theirs = exp.column(fact.key.referenced[0], table=fact.parent.name, quoted=True)
    return select.join(exp.to_table(fact.parent.name).transform(_quoted), on=mine.eq(theirs))


def _quoted(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Identifier):
        node.set("quoted", True)
    return node


def _called(fact: Fact, category: Column) -> str:
    """What people call a category: "country", "product" for the name of products, "product colour"."""
    said = spoken(category.name)
    if fact.parent is None:
        return said
    owner = singular(spoken(fact.parent.name))
    if said in ("name", "title", f"{owner} name", f"{owner} title"):
        return owner
    return said if said.startswith(owner) else f"{owner} {said}"


def _aggregate(rng: Random, said: str) -> tuple[str, type[exp.AggFunc]]:
    return rng.choice(
        (
            (f"total {said}", exp.Sum),
            (f"total {said}", exp.Sum),
            (f"sum of {said}", exp.Sum),
            (f"average {said}", exp.Avg),
            (f"mean {said}", exp.Avg),
            (f"{said} on average", exp.Avg),
            (f"maximum {said}", exp.Max),
            (f"lowest {said}", exp.Min),
        )
    )


def _line(template: str, gold: exp.Select, **words: str) -> Line:
    return {"question": template.format(**words), "gold": gold.sql("sqlite")}


def _grouped(fact: Fact, rng: Random) -> Line | None:
    measures, categories = _measures(fact.table), _categories(fact.parent or fact.table)
    if not measures or not categories:
        return None
    measure, category = rng.choice(measures), rng.choice(categories)
    template = rng.choice(GROUPED)
    said, kind = _aggregate(rng, spoken(measure.name))
    if "{m}" not in template:
        kind = exp.Sum
    group = _column(fact.parent or fact.table, category)
    gold = _from(fact).select(group, kind(this=_column(fact.table, measure))).group_by(group)
    called = _called(fact, category)
    return _line(template, gold, m=said, b=spoken(measure.name), c=called, cs=plural(called))


def _counted(fact: Fact, rng: Random) -> Line | None:
    categories = _categories(fact.parent or fact.table)
    if not categories:
        return None
    category = rng.choice(categories)
    group = _column(fact.parent or fact.table, category)
    gold = _from(fact).select(group, exp.Count(this=exp.Star())).group_by(group)
    called = _called(fact, category)
    things = plural(spoken(fact.table.name))
    return _line(rng.choice(COUNTED), gold, t=things, c=called, cs=plural(called))


def _topped(fact: Fact, rng: Random) -> Line | None:
    measures, categories = _measures(fact.table), _categories(fact.parent or fact.table)
    if not categories:
        return None
    category = rng.choice(categories)
    number = rng.choice(list(_NUMBERS))
    said_number = _NUMBERS[number] if rng.random() < 0.5 else str(number)
    called = _called(fact, category)
    words = {"n": said_number, "c": called, "cs": plural(called)}
    group = _column(fact.parent or fact.table, category)
    if not measures or rng.random() < 0.4:
        counted: exp.Expr = exp.Count(this=exp.Star())
        template, words["t"] = rng.choice(TOPPED_COUNT), plural(spoken(fact.table.name))
    else:
        measure = rng.choice(measures)
        counted = exp.Sum(this=_column(fact.table, measure))
        template = rng.choice(TOPPED)
        words |= {"m": f"total {spoken(measure.name)}", "b": spoken(measure.name)}
    gold = _from(fact).select(group, counted).group_by(group)
    gold = gold.order_by(exp.Ordered(this=counted.copy(), desc=True)).limit(number)
    return _line(template, gold, **words)


def _timed(fact: Fact, rng: Random) -> Line | None:
    dates, measures = _dates(fact.table), _measures(fact.table)
    if not dates or fact.parent is not None:
        return None
    date, grain = rng.choice(dates), rng.choice(("month", "month", "year"))
    part = exp.func(
        "STRFTIME", exp.Literal.string(_FORMATS[grain]), _column(fact.table, date), dialect="sqlite"
    )
    words = {"g": grain, "t": plural(spoken(fact.table.name))}
    if not measures or rng.random() < 0.5:
        measured: exp.Expr = exp.Count(this=exp.Star())
        template = rng.choice(TIMED_COUNT)
    else:
        measure = rng.choice(measures)
        template = rng.choice(TIMED)
        said, kind = _aggregate(rng, spoken(measure.name))
        words |= {"m": said, "b": spoken(measure.name)}
        measured = (kind if "{m}" in template else exp.Sum)(this=_column(fact.table, measure))
    gold = _from(fact)
    if rng.random() < 0.3:
        year = rng.choice(range(1998, 2027))
        template = _within(template, rng)
        words["y"] = str(year)
        column = _column(fact.table, date)
        gold = gold.where(column >= f"{year}-01-01").where(column.copy() < f"{year + 1}-01-01")
    gold = gold.select(part, measured).group_by(part.copy()).order_by(part.copy())
    return _line(template, gold, **words)


def _within(template: str, rng: Random) -> str:
    if rng.random() < 0.3:
        return "in {y}, " + template
    end = template.endswith("?")
    return template.rstrip("?") + rng.choice(WITHIN) + ("?" if end else "")


def _filtered(
    line: Line, catalog: Catalog, rng: Random, values: Callable[[str, str], Sequence[str]]
) -> Line | None:
    """Add "in Norway", "for cash" to a question and the condition to its SQL."""
    tree: exp.Expr = exp.maybe_parse(line["gold"], dialect="sqlite")
    tables = [catalog.table(node.name) for node in tree.find_all(exp.Table)]
    options = [(t, c) for t in tables if t is not None for c in _categories(t)]
    if not options or not isinstance(tree, exp.Select):
        return None
    table, column = rng.choice(options)
    stored = [v for v in values(table.key, column.name) if 2 < len(v) < 25 and not v.isdigit()]
    if not stored:
        return None
    value = rng.choice(stored)
    gold = tree.where(_column(table, column).eq(value))
    end = line["question"].endswith("?")
    word = rng.choice(("for", "in", "with", "from"))
    question = f"{line['question'].rstrip('?')} {word} {value}" + ("?" if end else "")
    return {"question": question, "gold": gold.sql("sqlite")}

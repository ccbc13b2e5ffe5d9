"""The frame of analysis: what is measured, by what, of which, when, compared how. One value between words and SQL.

Plain and frozen: SQL is composed from it, the sentence told from it, a follow-up changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlagent.catalog.semantics import Field, Relation
from sqlagent.makers.analyst.periods import Period

Path = tuple[Relation, ...]
"""Relations from the anchor towards one row of another table, each leading on from the last one's target."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A column as seen from a table: where it stands and how it is reached."""

    field: Field
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Expr:
    """Something computed of one row. `op` is column, times, minus, span (later minus earlier), age, formula, or count of one.

    `unit` is the span's: days, hours and the like; of a formula its shape, which names the slots `c0`, `c1`, ... (`formulas`).
    """

    op: str
    slots: tuple[Slot, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a row. All of `parts` when `op` is all, any when it is any.

    `op`: in, not in, compare, period, missing, filled, like, later (first slot after the second), first (at the first slot's time, of
    the second slot's values each, by the third slot's key), held (a row of a history, by the day from which on it holds, as of the
    last day of `period`; the first or the latest one of its thing where `values` say so), exists, all, any.
    For exists: `child` is a table whose `path` leads to the row that `at` leads to; `parts` hold of the child; `compare`, `number` and
    `counted` bound how many there are (or the sum of `counted`). `negated` turns the whole around.
    """

    op: str
    slots: tuple[Slot, ...] = ()
    values: tuple[str, ...] = ()
    compare: str = ""
    number: float | None = None
    expr: Expr | None = None
    period: Period | None = None
    negated: bool = False
    parts: tuple[Condition, ...] = ()
    at: Path = ()
    child: str = ""
    path: Path = ()
    counted: Expr | None = None
    said: str = ""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns of its slots, without those of its parts."""
        return tuple(slot.field for slot in self.slots)


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: an aggregate over rows that meet `where`, a ratio of two of them, or a formula of several.

    `agg`: rows, distinct, sum, avg, median, min, max, ratio, formula. `percent` says a ratio is told in percent. `anchor` is the
    table whose rows are gone through. A formula is computed of its `parts` by its `shape`, which names them `f0`, `f1`, ...
    """

    agg: str
    anchor: str
    expr: Expr | None = None
    where: tuple[Condition, ...] = ()
    over: Measure | None = None
    under: Measure | None = None
    percent: bool = False
    said: str = ""
    unit: str = ""
    parts: tuple[Measure, ...] = ()
    shape: str = ""


OFF = "off: "
"""How `said` of a condition begins that nobody typed: it leaves out rows that are no money, and names them behind."""

COUNTING = "counting "
"""How the flag of a frame begins that counts rows of a word which sums of money leave out else."""

PLAIN = frozenset({"rows", "distinct", "sum", "avg", "min", "max"})
"""Aggregates that stand alone, and may each have conditions of their own."""

BESIDE = "with figure"
"""The flag of a frame whose shares stand beside the figures that they are of."""

MOVED = {"fell": "<", "rose": ">"}
"""How the later figure stands to the earlier one, by the flag of a frame that keeps only such groups."""


def share_of(over: Measure, under: Measure, said: str = "share") -> Measure:
    """One figure in percent of another, over the rows that the first one goes through.

    Example:
        >>> share_of(Measure("sum", "orders"), Measure("rows", "orders")).percent
        True
    """
    return Measure("ratio", over.anchor, over=over, under=under, percent=True, said=said, unit="percent")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A group of figures: a column, a thing shown by its columns and told apart by its key, or a grain of a time.

    `bucket` is the width of ranges of numbers, or of years of age with `op` age. `way` says over which of several ways
    it is reached.
    """

    shown: tuple[Slot, ...]
    keys: tuple[Slot, ...] = ()
    grain: str = ""
    bucket: float = 0.0
    op: str = ""
    said: str = ""
    way: str = ""


@dataclass(frozen=True, slots=True)
class Having:
    """A bound on a figure of each group: a number, or the average over the groups (`average`), or a column of the group."""

    measure: Measure
    compare: str
    number: float | None = None
    average: bool = False
    slot: Slot | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """Largest first unless `ascending`; `by` is a row's expression where it is not the first measure.

    `dimension` is the place of one of the frame's dimensions that the groups are sorted by.
    """

    ascending: bool = False
    by: Expr | None = None
    measure: Measure | None = None
    dimension: int | None = None

    @property
    def is_of_figure(self) -> bool:
        """Whether groups are sorted by their first figure."""
        return self.by is None and self.measure is None and self.dimension is None


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a question. With measures a table of figures, without a list of the anchor's rows.

    `transform`: share, change, growth, running, moving (over `window` periods), average (of the groups' figures),
    spread (how many groups have which figure), concentration (the share that the greatest `limit` groups have). `per` are dimensions within which `limit` counts. `pivot` are values of the last
    dimension that become columns. `cost` is how far the words are from what was understood, `unused` the words
    that no slot holds, `formula` what a formula over several tables computes of the measures, `scale` how many of the second figure a quotient is of (a hundred, so percent, where it is 0), `why` what was understood of which words.
    """

    anchor: str
    measures: tuple[Measure, ...] = ()
    by: tuple[Dimension, ...] = ()
    where: tuple[Condition, ...] = ()
    columns: tuple[Slot, ...] = ()
    distinct: bool = False
    having: tuple[Having, ...] = ()
    order: Order | None = None
    limit: int | None = None
    offset: int = 0
    per: tuple[Dimension, ...] = ()
    transform: str = ""
    window: int = 0
    pivot: tuple[str, ...] = ()
    with_empty: bool = False
    cost: float = 0.0
    unused: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    flags: tuple[str, ...] = field(default=())
    scale: float = 0.0
    formula: Measure | None = None

    @property
    def listed(self) -> str:
        """The table whose rows a list is of: the anchor, or where it is a link whose things are told `with_empty`, these."""
        return self.columns[0].path[0].target if self.with_empty and self.columns else self.anchor

    @property
    def had(self) -> tuple[Slot, ...]:
        """The columns that a condition says to be filled in all rows."""
        return tuple(s for one in self.where if one.op == "filled" and not one.negated for s in one.slots)

    def slots(self) -> Iterator[Slot]:
        """Every column that the frame looks at from its anchor."""
        for dimension in (*self.by, *self.per):
            yield from (*dimension.shown, *dimension.keys)
        yield from self.columns
        for condition in self.where:
            yield from condition.slots

"""The parts of a question: what is asked for, what restricts, what is ranked."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import Item


@dataclass(slots=True)
class Ask:
    """Something asked for: a mention, and how it is to be summed up."""

    item: Item | None
    aggs: tuple[str, ...] = ()
    distinct: bool = False
    joined: bool = False


APART = 3
"""Words that say nothing between a clause and a share, from which on a new sentence begins with it: ", what is the"."""


@dataclass(slots=True)
class Clause:
    """A part of a question that restricts: what it mentions, and whether it says no.

    `verb` is what was denied where nothing else is mentioned, `event` the table that is taken to hold such deeds.
    A number is `bare` where nothing follows that it counts; `money` and `rows` say what it then bounds, where that was said or
    chosen. `edge` says that the last (new) or the first (old) of what is mentioned lies in its periods; `aside` that rows so are left out ("without sold ones"), and not that something did not happen to them. `loose` says that a pattern may be part of the things rather than of their names. `alike` says that an "or" parts values of one column, `apart` that one parts anything else. With `pieces` a verb of selling or doing stands by it, so quantities are summed up where rows hold them. `way` says whether so many days lie "after" or "before" the time behind them.
    """

    opener: str = ""
    negated: bool = False
    excepted: bool = False
    mentions: list[Item] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)
    compare: str = ""
    said: str = ""
    numbers: list[float] = field(default_factory=list)
    unit: str = ""
    percent: bool = False
    span: str = ""
    like: str = ""
    pattern: str = ""
    loose: bool = False
    average: bool = False
    than: list[Item] = field(default_factory=list)
    after_compare: list[Item] = field(default_factory=list)
    times: bool = False
    current: bool = False
    past: bool = False
    late: str = ""
    days: str = ""
    clocks: list[str] = field(default_factory=list)
    missing: bool = False
    agg: str = ""
    both: bool = False
    either: bool = False
    alike: bool = False
    apart: bool = False
    same: bool = False
    grains: list[str] = field(default_factory=list)
    verb: str = ""
    event: str = ""
    at: int = -1
    bare: bool = False
    money: bool = False
    rows: bool = False
    pieces: bool = False
    edge: str = ""
    aside: bool = False
    pairs: list[Item] = field(default_factory=list)
    way: str = ""

    @property
    def is_timed(self) -> bool:
        """Whether it says when: in a period, on days of the week, at some hours."""
        return bool(self.periods or self.days or self.clocks)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (
            self.mentions or self.periods or self.compare or self.pattern or self.average or self.current or self.late or self.days or self.clocks
            or self.missing or self.than or self.past or self.verb or self.pairs
        )  # fmt: skip


@dataclass(slots=True)
class Rank:
    """The first few of something: which way, how many, of what and by what."""

    kind: str
    count: int | None = None
    nth: int = 0
    target: Item | None = None
    by: Item | None = None
    every: bool = False


@dataclass(slots=True)
class Sketch:
    """A question by its parts."""

    asks: list[Ask] = field(default_factory=list)
    by: list[Item] = field(default_factory=list)
    per: list[Item] = field(default_factory=list)
    columns: list[Item] = field(default_factory=list)
    main: Clause = field(default_factory=Clause)
    clauses: list[Clause] = field(default_factory=list)
    rank: Rank | None = None
    counting: bool = False
    much: bool = False
    earned: bool = False
    described: bool = False
    listing: bool = False
    who: bool = False
    average: bool = False
    transform: str = ""
    window: int = 0
    share: bool = False
    share_at: int = 0
    ratio: bool = False
    rate: bool = False
    vs: bool = False
    distribution: bool = False
    trend: bool = False
    span: str = ""
    span_text: str = ""
    span_parts: list[Item] = field(default_factory=list)
    percents: list[Item] = field(default_factory=list)
    age: bool = False
    tenure: bool = False
    pivot: list[Item] = field(default_factory=list)
    bucket: float = 0.0
    with_empty: bool = False
    unit: str = ""
    per_word: str = ""
    by_word: str = ""
    rank_text: str = ""
    late_share: bool = False
    of_all: bool = False
    share_between: bool = False
    ends: bool = False

    def stands_before_share(self, clause: Clause) -> bool:
        """ "Of bookings with children, what is the share of ...": what was said before, and apart, is of the whole."""
        ends = [item.end for item in clause.mentions]
        return bool(ends) and self.share_at - max(ends) >= APART

    counts: Item | None = None
    number: int | None = None
    stems: frozenset[str] = frozenset()
    new: bool = False
    question: str = ""
    unknown: tuple[str, ...] = ()
    unused: list[str] = field(default_factory=list)
    nested: bool = False
    scale: float = 0.0
    denials: list[str] = field(default_factory=list)

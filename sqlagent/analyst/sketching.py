"""Items to a sketch: which mentions are asked for, which group, which restrict, what is ranked or compared.

Decides by operators and the order of items alone; what the mentions are in the source is
looked at only where a word's place does not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlagent.analyst.periods import Period
from sqlagent.analyst.reading import Item, Reading
from sqlagent.language.words import stem


@dataclass(slots=True)
class Ask:
    """Something asked for: a mention, and how it is to be summed up."""

    item: Item | None
    aggs: tuple[str, ...] = ()
    distinct: bool = False
    joined: bool = False


@dataclass(slots=True)
class Clause:
    """A part of a question that restricts: what it mentions, and whether it says no."""

    opener: str = ""
    negated: bool = False
    excepted: bool = False
    mentions: list[Item] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)
    compare: str = ""
    said: str = ""
    numbers: list[float] = field(default_factory=list)
    unit: str = ""
    like: str = ""
    pattern: str = ""
    average: bool = False
    than: list[Item] = field(default_factory=list)
    after_compare: list[Item] = field(default_factory=list)
    times: bool = False
    current: bool = False
    past: bool = False
    late: str = ""
    missing: bool = False
    agg: str = ""
    both: bool = False
    either: bool = False
    same: bool = False
    grains: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (
            self.mentions or self.periods or self.compare or self.pattern or self.average or self.current or self.late
            or self.missing or self.than or self.past
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
    listing: bool = False
    who: bool = False
    average: bool = False
    transform: str = ""
    window: int = 0
    share: bool = False
    ratio: bool = False
    rate: bool = False
    vs: bool = False
    distribution: bool = False
    trend: bool = False
    span: str = ""
    span_parts: list[Item] = field(default_factory=list)
    age: bool = False
    tenure: bool = False
    pivot: list[Item] = field(default_factory=list)
    bucket: float = 0.0
    with_empty: bool = False
    unit: str = ""
    per_word: str = ""
    rank_text: str = ""
    late_share: bool = False
    share_between: bool = False
    counts: Item | None = None
    stems: frozenset[str] = frozenset()
    new: bool = False
    question: str = ""
    unknown: tuple[str, ...] = ()
    unused: list[str] = field(default_factory=list)


def sketch(reading: Reading) -> Sketch:
    """Sort the items of a reading into the parts of a question."""
    return _Sketcher(reading).done()


Handler = Callable[["_Sketcher", Item], None]
"""What takes an item in."""


class _Sketcher:
    def __init__(self, reading: Reading) -> None:
        self.items: Sequence[Item] = reading.items
        said = frozenset(stem(word.lower()) for item in reading.items for word in item.text.split())
        self.out = Sketch(unknown=reading.unknown, stems=said | reading.glued)
        self.section = "head"
        self.clause: Clause | None = None
        self.aggs: list[str] = []
        self.distinct = False
        self.number: float | None = None
        self.ordinal = 0
        self.at = 0
        self.listed_numbers: list[float] = []

    def done(self) -> Sketch:
        while self.at < len(self.items):
            item = self.items[self.at]
            self.KINDS.get(item.kind, _Sketcher._skip)(self, item)
            self.at += 1
        out = self.out
        if self.aggs and not out.asks and not out.rank:
            out.asks.append(Ask(None, tuple(self.aggs), self.distinct))
        elif self.aggs == ["count"] and out.asks and not out.asks[0].aggs:
            out.asks[0].aggs = ("count",)
        if self.number is not None and out.rank is not None and out.rank.count is None:
            out.rank.count = int(self.number)
        if not out.main.is_empty:
            pass
        out.clauses = [c for c in out.clauses if not c.is_empty]
        return out

    def _next(self, ahead: int = 1) -> Item | None:
        return self.items[self.at + ahead] if self.at + ahead < len(self.items) else None

    def _follows(self, kind: str) -> bool:
        """Whether the next item is of a kind."""
        nxt = self._next()
        return nxt is not None and nxt.kind == kind

    def _came(self, op: str) -> bool:
        """Whether the item before is an operator of a name."""
        before = self._before()
        return before is not None and before.op == op

    def _before(self) -> Item | None:
        return self.items[self.at - 1] if self.at else None

    def _skip(self, item: Item) -> None:
        if (
            item.kind == "plus"
            and self.clause is not None
            and self.clause.numbers
            and not self.clause.compare
        ):
            self.clause.compare = ">="

    def _open(self, opener: str) -> Clause:
        if self.clause is not None and self.clause.is_empty:
            self.clause.opener = self.clause.opener or opener
            return self.clause
        self.clause = Clause(opener)
        self.out.clauses.append(self.clause)
        self.section = "clause"
        return self.clause

    @property
    def _here(self) -> Clause:
        return self.clause if self.section == "clause" and self.clause is not None else self.out.main

    # ------------------------------------------------------------ pieces

    def _mention(self, item: Item) -> None:
        out = self.out
        best = item.targets[0]
        before = self._before()
        if (
            item.text.lower() in ("name", "title", "description", "subject", "names")
            and before is not None
            and before.text.lower() == "in"
        ) and self._in_name(item):
            return
        if self.section == "by count":
            out.counts = item
            self.section = "mods"
            return
        if len(self.listed_numbers) > 1 and out.asks and self.section == "head" and best.kind == "thing":
            out.counts = item
            return
        if (
            self.clause is not None
            and self.section == "clause"
            and self.clause.like
            and not self.clause.pattern
        ) and (best.kind != "field" or self.clause.mentions):
            self.clause.pattern = item.text
            return
        if out.span and self.section in ("head", "span"):
            out.span_parts.append(item)
            return
        if self.section == "clause" and self.clause is not None:
            if self.clause.than or self.clause.compare and "than" in self.clause.opener:
                self.clause.than.append(item)
                return
            if self.number is not None and not self.clause.numbers:
                nxt = self._before()
                if nxt is not None and nxt.kind in ("number", "plus"):
                    self.clause.numbers.append(self.number)
                    self.clause.compare = self.clause.compare or (">=" if nxt.kind == "plus" else "=")
                    self.number = None
            denied = (
                self.clause.mentions[0].targets[0].kind
                if self.clause.mentions and self.clause.negated
                else ""
            )
            if denied == "value" and best.kind == "value" and before is not None and before.op == "of":
                out.main.mentions.append(item)
                return
            self.clause.mentions.append(item)
            if self.clause.numbers or self.clause.compare:
                self.clause.after_compare.append(item)
            return
        if self.section == "by":
            if best.kind == "value" and not any(t.kind != "value" for t in item.targets):
                out.main.mentions.append(item)
            else:
                out.by.append(item)
            self.section = "after by"
            return
        if self.section == "per":
            out.per.append(item)
            self.section = "mods"
            return
        if self.section == "pivot":
            out.pivot.append(item)
            self.section = "mods"
            return
        if self.section == "columns":
            out.columns.append(item)
            return
        if (
            self.section == "rank by"
            and out.rank is not None
            and out.rank.by is None
            and best.kind != "value"
        ):
            out.rank.by = item
            self.section = "mods"
            return
        if self.section in ("mods", "after by", "rank by"):
            out.main.mentions.append(item)
            return
        self._asked(item)

    def _in_name(self, item: Item) -> bool:
        """ "with tent in the name": a part of a text rather than a value."""
        held = (
            self.clause.mentions
            if self.section == "clause" and self.clause is not None
            else self.out.main.mentions
        )
        word = held.pop().text if held else next(iter(reversed(self.out.unknown)), "")
        if not word:
            return False
        self.out.unknown = tuple(w for w in self.out.unknown if w != word)
        clause = self.clause if self.section == "clause" and self.clause is not None else self._open("like")
        clause.like, clause.pattern = "contain", word
        clause.mentions.append(item)
        return True

    def _glue(self, item: Item) -> None:
        if self.clause is not None and self.clause.like and not self.clause.pattern:
            self.clause.pattern = item.text

    def _asked(self, item: Item) -> None:
        out = self.out
        best = item.targets[0]
        rank = out.rank
        if rank is not None and rank.target is None and rank.by is None and best.kind != "value":
            if out.asks or (out.who and best.kind not in ("thing", "relation")):
                rank.by = item
            else:
                rank.target = item
            return
        if (
            best.kind == "value"
            and not self.aggs
            and not any(t.kind in ("thing",) and t.cost < 0.2 for t in item.targets)
        ):
            out.main.mentions.append(item)
            return
        before = self._before()
        joined = (
            before is not None
            and before.op == "and"
            and before.text.lower() in ("and", "&", "as well as", "plus", ",")
        )
        out.asks.append(Ask(item, tuple(self.aggs), self.distinct, joined and before.text != ","))  # type: ignore[union-attr]
        self.aggs, self.distinct = [], False

    def _number(self, item: Item) -> None:
        before, nxt = self._before(), self._next()
        if self.section == "clause" and self.clause is not None and (self.clause.compare or self.clause.like):
            self.clause.numbers.append(item.number)
            return
        if (
            nxt is not None
            and nxt.kind == "op"
            and nxt.op == "moving"
            or nxt is not None
            and nxt.kind in ("grain", "unit")
            and self._is_moving()
        ):
            self.out.window = int(item.number)
            return
        if nxt is not None and nxt.kind == "plus":
            clause = self._open("more")
            clause.compare = ">="
            clause.numbers.append(item.number)
            return
        after = self._next(2)
        if nxt is not None and nxt.op == "or" and after is not None and after.op == "comparative":
            clause = self._open("more")
            clause.compare = ">=" if after.detail == ">" else "<="
            clause.numbers.append(item.number)
            self.at += 2
            return
        if (
            self.out.bucket == 0.0
            and before is not None
            and before.op == "of"
            and nxt is not None
            and nxt.kind in ("unit", "grain")
            and self.section in ("after by", "mods")
        ) and (any(i.kind == "age" for i in self.out.by) or nxt.kind == "unit"):
            self.out.bucket = item.number
            self.at += 1
            return
        if (
            self.out.rank is not None
            and self.out.rank.count is None
            and self.out.rank.nth == 0
            and self.section != "clause"
        ):
            self.out.rank.count = int(item.number)
            return
        if (
            self.section == "clause"
            and self.clause is not None
            and nxt is not None
            and nxt.kind in ("mention", "unit", "op")
            and (nxt.kind != "op" or nxt.op == "times")
        ):
            self.clause.numbers.append(item.number)
            self.clause.compare = self.clause.compare or "="
            return
        self.number = item.number
        self.listed_numbers.append(item.number)

    def _is_moving(self) -> bool:
        return any(i.op == "moving" for i in self.items)

    def _ordinal(self, item: Item) -> None:
        self.ordinal = int(item.number)

    def _period(self, item: Item) -> None:
        assert item.period is not None
        self._here.periods.append(item.period)
        if self.section == "by":
            self.section = "after by"

    def _grain(self, item: Item) -> None:
        out = self.out
        if (
            (
                item.targets
                and item.text.lower().endswith("s")
                and item.targets[0].cost < 0.4
                and self.section in ("head", "clause")
                and not out.window
            )
            and (self.section == "clause" or out.rank is None)
            and not out.span
            and not out.age
        ):
            self._mention(item)
            return
        if out.window and self._is_moving() and self.section == "head":
            if not any(i.kind == "grain" for i in out.by):
                out.by.append(item)
            return
        if self.section == "clause" and self.clause is not None and self.clause.same:
            self.clause.grains.append(item.grain)
            return
        if (
            out.rank is not None
            and out.rank.target is None
            and self.section == "head"
            and not out.asks
            and not out.who
        ):
            out.rank.target = item
            self.section = "mods"
            return
        if self.section == "clause" and self.clause is not None:
            self.clause.grains.append(item.grain)
            return
        if self.section == "per":
            out.per.append(item)
        elif out.span and item.text.endswith("s") or (out.age or out.tenure) and self.section != "by":
            out.unit = item.text
        else:
            out.by.append(item)
        if self.section in ("by", "per"):
            self.section = "after by"

    def _unit(self, item: Item) -> None:
        if self.section == "clause" and self.clause is not None and self.clause.numbers:
            self.clause.unit = item.text.lower()
        elif self.ordinal == 0 and item.text.lower() == "second":
            self.ordinal = 2
        elif not self.out.bucket:
            self.out.unit = item.text.lower()

    def _text(self, item: Item) -> None:
        self._here.pattern = item.text
        self._here.like = self._here.like or "contain"

    def _unknown(self, item: Item) -> None:
        if self.clause is not None and self.clause.like and not self.clause.pattern:
            self.clause.pattern = item.text
            self.out.unknown = tuple(w for w in self.out.unknown if w != item.text)

    # ------------------------------------------------------------ operators

    def _op(self, item: Item) -> None:
        handler = self.OPERATORS.get(item.op)
        if handler is not None:
            handler(self, item)

    def _op_list(self, item: Item) -> None:
        self._op_rel(item)

    def _op_rel(self, item: Item) -> None:
        out = self.out
        low = item.text.lower()
        if not out.asks and out.rank is None and not out.main.mentions and self.section == "head":
            out.listing = True
            out.who = out.who or low.startswith("who")
            return
        if low == "with" and self._follows("period"):
            return
        if (
            low.startswith("who")
            and self._came("and")
            and (not out.clauses or out.clauses[-1].opener != "who")
        ):
            self._open("and who")
            return
        self._open("with" if low in ("with", "having") else "who")

    def _op_count(self, item: Item) -> None:
        out = self.out
        if self.section == "by" and not item.text.lower().startswith("how"):
            self.section = "by count"
            return
        out.counting = True
        before = self._before()
        if (
            before is not None
            and before.kind == "mention"
            and out.asks
            and out.asks[-1].item is before
            and not item.text.lower().startswith(("how", "number of", "the number"))
        ):
            out.asks[-1].aggs = (*out.asks[-1].aggs, "count")
            return
        if self.section == "clause" and out.asks:
            out.asks[0].aggs = ("count",)
            self._open("who")
            self.clause = None
            self.section = "head" if not out.asks else "clause"
            self._open("who")
            return
        if self.aggs == ["avg"]:
            out.average = True
            self.aggs = []
        if item.text.lower() in ("how many times", "how often"):
            out.asks.append(Ask(None, ("count",)))
            self._open("times")
            return
        self.aggs = ["count"]
        if out.rank is not None and out.rank.target is not None and out.rank.by is None:
            self.section = "rank by"

    def _op_much(self, item: Item) -> None:
        self.aggs = ["sum"]

    def _op_agg(self, item: Item) -> None:
        if self.section in ("mods", "after by") and self.out.asks and self._next() is None:
            return
        if (
            item.detail == "avg"
            and self.section == "clause"
            and self.clause is not None
            and self.clause.compare
            and not self.clause.numbers
        ):
            self.clause.average = True
            return
        if (
            self.section == "clause"
            and self.clause is not None
            and item.detail in ("avg", "sum", "min", "max")
        ):
            self.clause.agg = item.detail
            return
        if item.detail == "avg" and self._came("than"):
            self._op_average(item)
            return
        if self.section in ("after by",) and self._follows("mention"):
            self.section = "head"
        if self.section == "rank by":
            self.out.asks.append(Ask(None, (item.detail,)))
            return
        self.aggs.append(item.detail)

    def _op_distinct(self, item: Item) -> None:
        self.distinct = True

    def _op_rank(self, item: Item) -> None:
        out = self.out
        nxt, after = self._next(), self._next(2)
        both = nxt is not None and nxt.op == "and" and after is not None and after.op in ("rank", "agg")
        if (
            item.detail in ("desc", "asc")
            and (both or self.aggs and self.aggs[-1] in ("min", "max", "avg"))
            and out.rank is None
        ):
            self.aggs.append("max" if item.detail == "desc" else "min")
            return
        if (
            item.text.lower() in ("last", "first")
            and out.asks
            and nxt is not None
            and nxt.kind == "mention"
            and self.section == "clause"
        ):
            return
        if out.rank is not None:
            if out.rank.count is None and nxt is not None and nxt.kind == "number":
                return
            out.rank.kind = (
                item.detail
                if out.rank.kind in ("desc", "asc") and item.detail not in ("desc", "asc")
                else out.rank.kind
            )
            return
        if item.text.lower() in ("last", "recent", "first") and self.section not in ("head",):
            return
        out.rank_text = item.text.lower()
        out.rank = Rank(item.detail, int(self.number) if self.number else None, self.ordinal)
        self.number, self.ordinal = None, 0
        if self.section in ("clause", "mods", "after by") and not out.rank.count:
            if self.clause is not None and self.clause.is_empty and self.clause in out.clauses:
                out.clauses.remove(self.clause)
                self.clause = None
            if nxt is not None and nxt.kind != "number":
                self.section = "rank by"
        elif self.section in ("clause", "mods", "after by"):
            self.section = "mods"

    def _op_rankall(self, item: Item) -> None:
        if self.out.rank is None:
            self.out.rank = Rank("desc", every=True)
            if self.out.asks:
                self.out.rank.target = self.out.asks[0].item
                self.section = "rank by"

    def _op_by(self, item: Item) -> None:
        out = self.out
        low = item.text.lower()
        out.per_word = "per" if low == "per" else out.per_word
        rank = out.rank
        if (
            rank is not None
            and low == "by"
            and rank.by is None
            and rank.target is not None
            or (
                rank is not None
                and rank.by is None
                and rank.target is None
                and low == "by"
                and self.section == "head"
            )
        ):
            self.section = "rank by"
        elif (
            rank is not None and (rank.target is not None or rank.by is not None and out.asks) and low != "by"
        ):
            self.section = "per"
        elif self.section == "columns":
            self.section = "by"
        else:
            self.section = "by"
        self.clause = None

    def _op_of(self, item: Item) -> None:
        if (
            self.section == "head"
            and (self.out.asks or self.out.rank is not None and self.out.rank.target is not None)
            or self.section == "rank by"
            and self.out.rank is not None
            and self.out.rank.by is not None
            or self.section in ("after by", "columns")
        ):
            self.section = "mods"

    def _op_and(self, item: Item) -> None:
        nxt = self._next()
        if self.section == "after by" and item.text != ";":
            self.section = (
                "by"
                if nxt is not None and nxt.kind in ("mention", "grain") and not self._starts_over(nxt, item)
                else "mods"
            )
        elif (
            self.section == "clause"
            and item.text == ","
            and self.clause is not None
            and not self.clause.is_empty
        ) and (
            nxt is not None
            and (nxt.kind == "mention" or nxt.op == "current")
            and (self.out.asks or self.out.who)
        ):
            self.section = "mods"

    def _starts_over(self, nxt: Item, here: Item) -> bool:
        """Whether what follows a comma is no further dimension but a restriction."""
        return (
            here.text == ","
            and nxt.kind == "mention"
            and nxt.targets[0].kind == "value"
            or self._followed_by_value(nxt, here)
        )

    def _followed_by_value(self, nxt: Item, here: Item) -> bool:
        after = self._next(2)
        return (
            here.text == ","
            and nxt.kind == "mention"
            and after is not None
            and after.kind == "mention"
            and after.targets[0].kind == "field"
        )

    def _op_with(self, item: Item) -> None:
        nxt = self._next()
        if nxt is not None and nxt.op in ("rank", "more", "not"):
            self._op_rel(item)
        elif self.out.asks:
            self.section = "columns"

    def _op_not(self, item: Item) -> None:
        if self.section == "clause" and self.clause is not None and self.clause.is_empty:
            self.clause.negated = True
            return
        self.clause = None
        clause = self._open("not")
        clause.negated = True

    def _op_except(self, item: Item) -> None:
        self.clause = None
        clause = self._open("except")
        clause.negated = clause.excepted = True

    def _op_missing(self, item: Item) -> None:
        before = self._before()
        clause = self._here if self.section == "clause" else self._open("missing")
        clause.missing = True
        if before is not None and before.kind == "mention" and clause is not self._here:
            clause.mentions.append(before)

    def _op_more(self, item: Item) -> None:
        nxt = self._next()
        if nxt is not None and nxt.kind == "period":
            self.out.vs = True
            return
        if nxt is not None and nxt.kind == "mention" and nxt.targets[0].kind == "value":
            return
        clause = (
            self.clause
            if self.section == "clause" and self.clause is not None and not self.clause.compare
            else None
        )
        if clause is None:
            clause = self._open_with_verb()
        clause.compare = item.detail
        clause.said = item.text.lower()

    def _open_with_verb(self) -> Clause:
        """Open a comparison; a column named right before it is what is compared ("priced between", "answered within")."""
        clause = self._open("more")
        before, asks = self._before(), self.out.asks
        if (
            before is not None
            and before.kind == "mention"
            and len(asks) > 1
            and asks[-1].item is before
            and before.targets[0].kind == "field"
        ):
            asks.pop()
            clause.mentions.append(before)
        return clause

    def _op_comparative(self, item: Item) -> None:
        if any(i.op in ("than", "average", "below average") for i in self.items[self.at :]):
            clause = (
                self.clause
                if self.section == "clause" and self.clause is not None and not self.clause.compare
                else self._open("more")
            )
            clause.compare = item.detail
            clause.said = item.text.lower()

    def _op_than(self, item: Item) -> None:
        if self.clause is not None:
            self.clause.opener += " than"

    def _op_between(self, item: Item) -> None:
        if self.out.span:
            self.section = "span"
            return
        clause = (
            self.clause
            if self.section == "clause" and self.clause is not None and not self.clause.compare
            else self._open_with_verb()
        )
        clause.compare = "between"

    def _op_vs(self, item: Item) -> None:
        self.out.vs = True
        if self.section == "head" and item.text.lower() == "compare":
            return

    def _op_share(self, item: Item) -> None:
        self.out.share = True
        self.out.share_between = (
            bool(self.out.asks) and self._follows("mention") and item.text.lower().endswith("of")
        )
        before = self._before()
        nxt = self._next()
        if nxt is not None and nxt.kind == "mention" and nxt.targets[0].kind == "value":
            self.out.late_share = True
        if (
            before is not None
            and before.kind == "mention"
            and not item.text.lower().startswith(("%", "what", "percent of"))
        ):
            self.out.late_share = True

    def _op_ratio(self, item: Item) -> None:
        self.out.ratio = True

    def _op_rate(self, item: Item) -> None:
        self.out.rate = True

    def _op_growth(self, item: Item) -> None:
        low = item.text.lower()
        percent = low.startswith(("growth", "grow", "grew", "yoy", "y/y", "year over", "year on", "percent"))
        self.out.transform = "growth" if percent or self.out.transform == "growth" else "change"
        if low.startswith(("mom", "m/m", "month")):
            self.out.transform = "growth"
            self.out.trend = True
        if low in ("change", "change of", "change in"):
            self.out.transform = "change"
        if self.out.asks and self.section == "head" and self.out.rank is None:
            return

    def _op_running(self, item: Item) -> None:
        nxt = self._next()
        if (
            item.text.lower() == "running"
            and nxt is not None
            and nxt.kind == "mention"
            and nxt.targets[0].kind in ("thing",)
        ):
            self._here.current = True
            return
        self.out.transform = "running"

    def _op_moving(self, item: Item) -> None:
        self.out.transform = "moving"

    def _op_current(self, item: Item) -> None:
        self._here.current = True

    def _op_past(self, item: Item) -> None:
        self._here.past = True

    def _op_or(self, item: Item) -> None:
        self._here.either = True

    def _op_either(self, item: Item) -> None:
        self._here.either = True

    def _op_both(self, item: Item) -> None:
        self._here.both = True

    def _op_same(self, item: Item) -> None:
        self._here.same = True

    def _op_average(self, item: Item) -> None:
        clause = (
            self.clause if self.section == "clause" and self.clause is not None else self._open_with_verb()
        )
        clause.average = True
        clause.compare = clause.compare or ("<" if item.op == "below average" else ">")
        nxt = self._next()
        if (
            nxt is not None
            and nxt.kind == "mention"
            and item.text.lower().startswith(("than", "over the", "more than"))
        ):
            self.at += 1

    _op_below_average = _op_average

    def _like(self, item: Item) -> None:
        clause = (
            self.clause
            if self.section == "clause" and self.clause is not None and not self.clause.like
            else self._open("like")
        )
        clause.like = item.op

    _op_start = _op_end = _op_contain = _like

    def _op_times(self, item: Item) -> None:
        self._here.times = True

    def _op_zero(self, item: Item) -> None:
        self.out.with_empty = True

    def _op_distribution(self, item: Item) -> None:
        self.out.distribution = True

    def _op_trend(self, item: Item) -> None:
        self.out.trend = True

    def _op_pivot(self, item: Item) -> None:
        self.section = "pivot"

    def _op_late(self, item: Item) -> None:
        self._here.late = "late"

    def _op_on_time(self, item: Item) -> None:
        self._here.late = "on time"

    def _op_span(self, item: Item) -> None:
        self.out.span = next(
            (w for w in item.text.lower().split() if w in ("days", "hours", "minutes")), "days"
        )
        if item.text.lower().endswith(" from") or item.text.lower().endswith("between"):
            self.section = "span"

    def _op_age(self, item: Item) -> None:
        if self.section == "by":
            self.out.by.append(Item("age", item.start, item.end, item.text))
            self.section = "after by"
            return
        self.out.age = True

    def _op_tenure(self, item: Item) -> None:
        self.out.tenure = True
        if "years" in item.text:
            self.out.unit = "years"

    def _op_new(self, item: Item) -> None:
        self.out.new = True

    def _op_when(self, item: Item) -> None:
        self.out.question = "when"
        self.out.listing = True

    def _op_why(self, item: Item) -> None:
        self.out.question = "why"

    def _op_where(self, item: Item) -> None:
        self.out.question = "where"
        self.out.listing = True

    OPERATORS: ClassVar[dict[str, Handler]] = {
        "age": _op_age,
        "agg": _op_agg,
        "and": _op_and,
        "average": _op_average,
        "below average": _op_below_average,
        "between": _op_between,
        "both": _op_both,
        "by": _op_by,
        "comparative": _op_comparative,
        "contain": _op_contain,
        "count": _op_count,
        "current": _op_current,
        "distinct": _op_distinct,
        "distribution": _op_distribution,
        "either": _op_either,
        "end": _op_end,
        "except": _op_except,
        "growth": _op_growth,
        "late": _op_late,
        "list": _op_list,
        "missing": _op_missing,
        "more": _op_more,
        "moving": _op_moving,
        "much": _op_much,
        "new": _op_new,
        "not": _op_not,
        "of": _op_of,
        "on time": _op_on_time,
        "or": _op_or,
        "past": _op_past,
        "pivot": _op_pivot,
        "rank": _op_rank,
        "rankall": _op_rankall,
        "rate": _op_rate,
        "ratio": _op_ratio,
        "rel": _op_rel,
        "running": _op_running,
        "same": _op_same,
        "share": _op_share,
        "span": _op_span,
        "start": _op_start,
        "tenure": _op_tenure,
        "than": _op_than,
        "times": _op_times,
        "trend": _op_trend,
        "vs": _op_vs,
        "when": _op_when,
        "where": _op_where,
        "why": _op_why,
        "with": _op_with,
        "zero": _op_zero,
    }
    KINDS: ClassVar[dict[str, Handler]] = {
        "op": _op,
        "mention": _mention,
        "number": _number,
        "ordinal": _ordinal,
        "period": _period,
        "grain": _grain,
        "unit": _unit,
        "text": _text,
        "unknown": _unknown,
        "glue": _glue,
    }

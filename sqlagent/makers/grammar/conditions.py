"""Values, numbers and quoted texts of a reading turned into conditions, each on its column.

Decides which column a number or text belongs to: one said nearby with a role for it, an
adjective that measures one, or the only column of a fitting kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from sqlagent.language.dates import Period, resolve
from sqlagent.language.mentions import Target
from sqlagent.makers.grammar.reading import DATED, NUMERIC, Reading, Slot
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.tree import Col, Cond, Term, Value, base, term_of
from sqlagent.values import Column, Kind

FAR = 60


@dataclass(slots=True)
class Conditions:
    """The findings: conditions of the first and of the nested SELECT, HAVING of both, and the limit."""

    first: list[Cond] = field(default_factory=list)
    second: list[Cond] = field(default_factory=list)
    having: list[Cond] = field(default_factory=list)
    second_having: list[Cond] = field(default_factory=list)
    limit: int | None = None


def gather(
    reading: Reading,
    schema: Schema,
    roles: Sequence[str],
    picks: Sequence[Target | None],
    tables: Sequence[str],
) -> Conditions | None:
    """Collect a reading's conditions; None when one finds no column, or a column waits for a value in vain."""
    return _Gatherer(reading, schema, roles, picks, tables).run()


class _Gatherer:
    def __init__(
        self,
        reading: Reading,
        schema: Schema,
        roles: Sequence[str],
        picks: Sequence[Target | None],
        tables: Sequence[str],
    ) -> None:
        self.reading = reading
        self.schema = schema
        self.roles = roles
        self.picks = picks
        self.tables = tables
        self.used: set[int] = set()
        self.ended: set[int] = set()
        self.out = Conditions()

    def run(self) -> Conditions | None:
        slots = self.reading.slots
        for n, slot in enumerate(slots):
            if slot.kind == "value" and self.roles[n][:1] == "W" and not self._value(n):
                return None
        n = 0
        while n < len(slots):
            slot, role = slots[n], self.roles[n]
            if slot.kind == "number" and role == "L":
                self.out.limit = int(slot.number or 1)
            elif slot.kind == "period":
                if not self._period(n):
                    return None
            elif slot.kind in ("number", "text") and role[:1] in "WH" and role[:1]:
                pair = self._pair(n)
                ok = self._having(n) if role[0] == "H" else self._compare(n, pair)
                if not ok:
                    return None
                if pair is not None:
                    n = pair
            n += 1
        for n in range(len(slots)):
            self._bare(n)
        return self.out if self._all_met() else None

    def _bare(self, n: int) -> None:
        """A column that is a condition by itself: stored as yes or no, or asked to be (not) missing."""
        pick, role = self.picks[n], self.roles[n]
        if pick is None or not pick.column:
            return
        col = Col(pick.table, pick.column.split("&")[0])
        for part in role.split("&"):
            mark, _, op = part.partition(":")
            if mark in ("W", "W2") and op in ("null", "not null"):
                self._add(mark, Cond(Term(col=col), op))
                self.used.add(n)
            elif mark in ("W", "W2") and n not in self.used:
                flags = self.schema.flags.get((pick.table, pick.column))
                if flags is not None:
                    start = self.reading.slots[n].start
                    before = {t.stem for t in self.reading.tokens[max(0, start - 3) : start]}
                    value = flags[1] if before & {"not", "no", "without", "never"} else flags[0]
                    self._add(mark, Cond(Term(col=col), "=", (value,)))
                    self.used.add(n)

    def _pair(self, n: int) -> int | None:
        """The second number of a "between"."""
        if not self.roles[n].endswith(":between"):
            return None
        return next(
            (k for k in range(n + 1, len(self.roles)) if self.roles[k].endswith(":between")),
            None,
        )

    def _value(self, n: int) -> bool:
        pick, slot = self.picks[n], self.reading.slots[n]
        if pick is None or not pick.column:
            return False
        col = Col(pick.table, pick.column)
        mark, _, op = self.roles[n].partition(":")
        op = op or "="
        value: Value = pick.value
        if op in ("like", "not like"):
            value = self._pattern(slot)
        elif op not in ("=", "!="):
            op = "="
        self._add(mark, Cond(Term(col=col), op, (value,)))
        for k, other in enumerate(self.picks):
            same = other is not None and (other.table, other.column) == (pick.table, pick.column)
            if same and k != n and "W" in self.roles[k]:
                self.used.add(k)
        near = self._named_near(n)
        if near is not None:
            self.used.add(near)
        return True

    def _named_near(self, n: int) -> int | None:
        """A column slot with a condition's role that stands right before this value."""
        for k in range(n - 1, max(-1, n - 3), -1):
            slot = self.reading.slots[k]
            if slot.kind in ("name", "hint") and _waits(self.roles[k]) and k not in self.used:
                return k
        return None

    def _add(self, mark: str, cond: Cond) -> None:
        (self.out.second if mark.startswith("W2") else self.out.first).append(cond)

    def _compare(self, n: int, pair: int | None) -> bool:
        slot = self.reading.slots[n]
        mark, _, op = self.roles[n].partition(":")
        if op == "between" and pair is None:
            return False
        owner = self._owner(n, mark)
        if owner is None:
            return False
        column = self.schema.column(owner.table, owner.name)
        if self._year_of_date(slot, column):
            return self._years(owner, mark, op, slot, pair)
        values: tuple[Value, ...]
        if op == "between" and pair is not None:
            other = self.reading.slots[pair]
            values = (self._literal(slot, column), self._literal(other, column))
        elif slot.kind == "text" and op in ("like", "not like"):
            values = (self._pattern(slot),)
        else:
            values = (self._literal(slot, column),)
        self._add(mark, Cond(term_of(owner), op or "=", values))
        return True

    def _year_of_date(self, slot: Slot, column: Column | None) -> bool:
        if slot.number is None or not 1000 <= slot.number <= 2200 or column is None:
            return False
        return column.kind in DATED or (column.kind == Kind.TEXT and "date" in column.name.lower())

    def _years(self, owner: Col, mark: str, op: str, slot: Slot, pair: int | None) -> bool:
        """A year compared with a date: the days of that year."""
        year = int(slot.number or 0)
        last = int(self.reading.slots[pair].number or year) if pair is not None else year
        if not 1000 <= last <= 2200:
            return False
        self._range(owner, mark, "=" if op == "between" else op, date(year, 1, 1), date(last, 12, 31))
        return True

    def _range(self, owner: Col, mark: str, op: str, first: date, last: date) -> None:
        """Days `first` to `last` as conditions that hold for dates and for times of day."""
        after = str(last + timedelta(days=1)) if last.year < 9999 else str(last)
        term = Term(col=owner)
        if op in ("<", "<="):
            self._add(mark, Cond(term, "<", (str(first) if op == "<" else after,)))
        elif op in (">", ">="):
            self._add(mark, Cond(term, ">=", (after if op == ">" else str(first),)))
        else:
            self._add(mark, Cond(term, ">=", (str(first),)))
            self._add(mark, Cond(term, "<", (after,)))

    def _period(self, n: int) -> bool:
        """A period of the question as a condition on a date."""
        slot, pick = self.reading.slots[n], self.picks[n]
        if slot.period is None or pick is None:
            return False
        owner = self._dated_owner(n) or Col(pick.table, pick.column)
        if n in self.ended:
            return True
        first, last = resolve(slot.period, date.today())
        other = self._until(n)
        if other is not None:
            last = resolve(other, date.today())[1]
            self._range(owner, "W", "=", first, last)
            return True
        lows = [t.low for t in self.reading.tokens[max(0, slot.start - 3) : slot.start]]
        op = "="
        if set(lows) & {"before", "until", "till", "prior"}:
            op = "<"
        elif set(lows) & {"after"}:
            op = ">"
        elif set(lows) & {"since", "from"}:
            op = ">="
        self._range(owner, "W", op, first, last)
        return True

    def _until(self, n: int) -> Period | None:
        """The period that ends "between A and B" or "from A to B", if this one begins it."""
        slots, tokens = self.reading.slots, self.reading.tokens
        if n + 1 >= len(slots) or slots[n + 1].period is None:
            return None
        before = tokens[slots[n].start - 1].low if slots[n].start else ""
        between = [t.low for t in tokens[slots[n].end : slots[n + 1].start]]
        if (before == "between" and between == ["and"]) or (
            before == "from" and between[:1] in (["to"], ["until"], ["till"])
        ):
            self.ended.add(n + 1)
            return slots[n + 1].period
        return None

    def _dated_owner(self, n: int) -> Col | None:
        """A date column said right before the period."""
        for k in range(n - 1, max(-1, n - 3), -1):
            pick = self.picks[k]
            column = self.schema.column(pick.table, pick.column) if pick is not None and pick.column else None
            if pick is not None and column is not None and column.kind in DATED:
                self.used.add(k)
                return Col(pick.table, pick.column)
        return None

    def _literal(self, slot: Slot, column: Column | None) -> Value:
        kind = column.kind if column is not None else Kind.OTHER
        if slot.number is not None:
            whole = int(slot.number) if float(slot.number).is_integer() else slot.number
            return str(whole) if kind in DATED or (kind == Kind.TEXT and self._equal(slot)) else whole
        return slot.text

    def _equal(self, slot: Slot) -> bool:
        return self.roles[self.reading.slots.index(slot)].endswith((":=", ":!="))

    def _pattern(self, slot: Slot) -> str:
        lows = [t.low for t in self.reading.tokens[max(0, slot.start - 6) : slot.start]]
        if any(w.startswith(("start", "begin", "prefix")) for w in lows):
            return f"{slot.text}%"
        if any(w in {"end", "ends", "ending", "suffix"} for w in lows):
            return f"%{slot.text}"
        return f"%{slot.text}%"

    def _owner(self, n: int, mark: str) -> Col | None:
        """The column a number or text is compared with."""
        slot = self.reading.slots[n]
        best: tuple[float, int] | None = None
        for k, other in enumerate(self.reading.slots):
            pick = self.picks[k]
            if pick is None or not pick.column or other.kind not in ("name", "adjective", "hint"):
                continue
            cost = self._cost(n, k, mark)
            if cost < FAR and (best is None or cost < best[0]):
                best = (cost, k)
        if best is not None:
            self.used.add(best[1])
            pick = self.picks[best[1]]
            assert pick is not None
            if _is_year(slot) and not self._numeric(best[1]):
                instead = self._fallback(slot)
                if instead is not None:
                    self.used.add(best[1])
                    return instead
            return Col(pick.table, pick.column.split("&")[0])
        return self._fallback(slot)

    def _cost(self, n: int, k: int, mark: str) -> float:
        slot, other = self.reading.slots[n], self.reading.slots[k]
        parts = self.roles[k].split("&")
        gap = slot.start - other.end if other.end <= slot.start else 1.5 * (other.start - slot.end) + 2.5
        cost = float(max(gap, 0))
        if not any(p in ("W", "W2") for p in parts):
            beside = 0 <= other.start - slot.end <= 1 or 0 <= slot.start - other.end <= 1
            cost += 40.0 if beside and slot.number is not None and self._numeric(k, True) else FAR
        elif mark not in parts:
            cost += 8.0
        if k in self.used:
            cost += 6.0
        if slot.number is not None and not self._numeric(k):
            cost += 12.0
        return cost

    def _numeric(self, k: int, strictly: bool = False) -> bool:
        pick = self.picks[k]
        column = self.schema.column(pick.table, pick.column) if pick is not None else None
        kinds = (*NUMERIC, Kind.OTHER) if strictly else (*NUMERIC, *DATED, Kind.OTHER)
        return column is not None and column.kind in kinds

    def _fallback(self, slot: Slot) -> Col | None:
        """A column nobody named: a year for a year, a date for a date, the label for a text."""
        tables = list(self.tables) or [p.table for p in self.picks if p is not None][:1]
        around = [e.target for t in tables for e in self.schema.graph.around(t)] if _is_year(slot) else []
        for table in dict.fromkeys([*tables, *around]):
            for column in self.schema.tables[base(table)].columns:
                low = column.name.lower()
                year = _is_year(slot)
                if year and "year" in low and column.kind in (*NUMERIC, Kind.TEXT, Kind.OTHER):
                    return Col(table, column.name)
                if year and self._year_of_date(slot, column) and not self._has_year(table):
                    return Col(table, column.name)
                if slot.form == "date" and (column.kind in DATED or "date" in low):
                    return Col(table, column.name)
        if slot.kind == "text" and tables:
            labels = self.schema.labels(tables[0])
            return Col(tables[0], labels[0].split("&")[0]) if labels else None
        return None

    def _has_year(self, table: str) -> bool:
        return any("year" in c.name.lower() for c in self.schema.tables[base(table)].columns)

    def _having(self, n: int) -> bool:
        slot = self.reading.slots[n]
        mark, _, op = self.roles[n].partition(":")
        if slot.number is None:
            return False
        term = Term("count")
        for k, role in enumerate(self.roles):
            pick = self.picks[k]
            part = next((p for p in role.split("&") if p.startswith("H:")), None)
            if part is not None and pick is not None and pick.column and slot.kind == "number":
                term = term_of(Col(pick.table, pick.column), part[2:])
        pair = self._pair(n)
        values: tuple[Value, ...] = (slot.number,)
        if op == "between":
            if pair is None:
                return False
            values = (slot.number, self.reading.slots[pair].number)
        cond = Cond(term, op or "=", values)
        (self.out.second_having if mark == "H2" else self.out.having).append(cond)
        return True

    def _all_met(self) -> bool:
        """Whether every column that waits for a value got one."""
        return not any(
            _waits(role) and n not in self.used and self.reading.slots[n].kind == "name"
            for n, role in enumerate(self.roles)
        )


def _is_year(slot: Slot) -> bool:
    return isinstance(slot.number, int) and 1500 <= slot.number <= 2100


def _waits(role: str) -> bool:
    return any(p in ("W", "W2") for p in role.split("&"))

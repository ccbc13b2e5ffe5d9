"""Whether the numbers of a sentence are in the rows, or computed from them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlagent.rows.columns import number_of
from sqlagent.values import Rows

PAIRED = 40
"""Cells of a column up to which all differences and ratios count as computed from it; of a longer
one only those of its ends, extremes and mean do, as among many pairs any number can be found."""


COUNTED = 200
"""Distinct values of a column up to which the number of rows of each counts as computed from it."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A number as written in a sentence, with how precisely it was said."""

    text: str
    value: float
    step: float
    percent: bool


_NUMBER = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)(?P<sign>[-\u2212+])?[$\u20ac\u00a3\u00a5]?\s?"
    r"(?P<digits>[0-9]{1,3}(?:[,\u00a0\u2009\u202f'\u2019][0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?)"
    r"(?:\s?(?P<unit>%|per ?cent\b|k\b|K\b|thousand\b|M\b|mn\b|million\b|bn\b|B\b|billion\b|T\b|trillion\b))?"
    r"(?!\d|st\b|nd\b|rd\b|th\b)",
)
_SOME = re.compile(
    r"\b(?:top|first|last|bottom|next|other|remaining|all|these|the)\s+(\d{1,2})\b(?!\s?%|[.,]\d)",
    re.IGNORECASE,
)
_UNITS = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9,
    "t": 1e12, "trillion": 1e12,
}  # fmt: skip
_WORDS = dict(
    zip(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        range(2, 13),
        strict=True,
    )
)


_COUNTS = re.compile(rf"\d|\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


def verify(text: str, rows: Rows) -> tuple[str, ...]:
    """List the numbers of a text that are neither in the rows nor computed from them.

    Understood as computed: counts of rows, of distinct values and of the rows of each value, totals, averages, extremes, medians and
    ranges of a column, differences and ratios of two of its cells, shares of a column's total,
    sums of its first rows; and, said in words or after "top", "first" and the like, any count up to
    that of the rows. A number may be rounded as far as its written digits say (4.21 M
    stands for 4,205,000 to 4,215,000). Dates and digits inside names that the rows hold pass.

    Example:
        >>> rows = Rows(("city", "sales"), (("Oslo", 1200), ("Rome", 800)))
        >>> verify("Oslo leads with 1.2k, 60 % of 2,000.", rows)
        ()
        >>> verify("Oslo leads with 1,300.", rows)
        ('1,300',)
    """
    masked = _SOME.sub(lambda m: " " if int(m[1]) <= len(rows.rows) else m[0], _without_names(text, rows))
    facts = _facts(rows)
    unfounded = []
    for said in _numbers_said(masked):
        if not facts.supports(said):
            unfounded.append(said.text)
    for word in re.findall(r"[a-z]+", masked.lower()):
        if _WORDS.get(word, 0) > max(len(rows.rows), len(rows.columns)) and not facts.holds(_WORDS[word]):
            unfounded.append(word)
    return tuple(dict.fromkeys(unfounded))


def _without_names(text: str, rows: Rows) -> str:
    """Blank the texts and dates that the rows hold, so that their digits are not taken for claims."""
    named: set[str] = set()
    for row in rows.rows[:5_000]:
        for cell in row:
            if isinstance(cell, (str, date)) and _COUNTS.search(str(cell)):
                named.update((str(cell), str(cell)[:10], " ".join(str(cell).split())))
                if isinstance(cell, datetime):
                    named.add(cell.isoformat(" ", "minutes"))
    named.update(c for c in rows.columns if any(ch.isdigit() for ch in c))
    for name in sorted(named, key=len, reverse=True):
        if len(name) > 1 and name in text:
            text = re.sub(rf"(?<![\w.,]){re.escape(name)}(?!\w|[.,]\d)", " ", text)
    return text


def _numbers_said(text: str) -> Iterable[_Said]:
    for found in _NUMBER.finditer(text):
        digits = re.sub(r"[^0-9.eE+-]", "", found["digits"])
        unit = (found["unit"] or "").lower().replace(" ", "")
        scale = _UNITS.get(unit, 1.0)
        mantissa, _, power = digits.lower().partition("e")
        step = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2])) * scale
        sign = -1.0 if found["sign"] in ("-", "\u2212") else 1.0
        value = sign * float(digits) * scale
        whole = found.group().strip()
        yield _Said(whole, value, step, unit in ("%", "percent"))


@dataclass(slots=True)
class _Facts:
    """The numbers that rows support: said as they are, and said as percentages."""

    columns: list[list[float]]
    plain: list[float]
    shares: list[float]

    def supports(self, said: _Said) -> bool:
        """Say whether a number is among the facts, as precisely as it was said."""
        values = self.shares if said.percent else self.plain
        if _near(said, values) or (said.percent and _near(said, self.plain)):
            return True
        return any(self._pairs(said, column) for column in self.columns)

    def holds(self, count: int) -> bool:
        """Say whether a whole number is among the facts."""
        return float(count) in self.plain

    def _pairs(self, said: _Said, column: Sequence[float]) -> bool:
        """Try differences and ratios of two cells."""
        if len(column) > PAIRED:
            mean = math.fsum(column) / len(column)
            column = [column[0], column[-1], min(column), max(column), mean]
        for a in column:
            for b in column:
                if said.percent:
                    if b and (_close(said, abs(a - b) / abs(b) * 100) or _close(said, a / b * 100)):
                        return True
                elif _close(said, abs(a - b)) or (b and _close(said, a / b)):
                    return True
        return False


def _close(said: _Said, fact: float) -> bool:
    tolerance = max(said.step * 0.5, abs(fact) * 1e-9) * 1.0001
    return abs(abs(said.value) - abs(fact)) <= tolerance


def _near(said: _Said, facts: Iterable[float]) -> bool:
    return any(_close(said, fact) for fact in facts)


def _facts(rows: Rows) -> _Facts:
    plain: list[float] = [float(len(rows.rows)), float(len(rows.columns))]
    shares: list[float] = [100.0]
    columns: list[list[float]] = []
    for index in range(len(rows.columns)):
        cells = [row[index] for row in rows.rows]
        numbers = [n for n in (number_of(c) for c in cells) if n is not None]
        full = [c for c in cells if c is not None]
        counted = Counter(repr(c) for c in full)
        plain.append(float(len(counted)))
        if len(counted) <= COUNTED:
            plain.extend(map(float, counted.values()))
        plain.append(float(len(cells) - len(full)))
        for cell in full[:5_000]:
            if isinstance(cell, date):
                plain.extend((float(cell.year), float(cell.month), float(cell.day)))
            elif number_of(cell) is None:
                plain.extend(float(d) for d in re.findall(r"[0-9]{1,18}(?:\.[0-9]+)?", str(cell)[:200])[:6])
            elif isinstance(cell, timedelta):
                plain.extend(float(d) for d in re.findall(r"[0-9]+(?:\.[0-9]+)?", str(cell)))
        if numbers:
            _column_facts(numbers, plain, shares)
            columns.append(numbers)
    return _Facts(columns, plain, shares)


def _column_facts(numbers: list[float], plain: list[float], shares: list[float]) -> None:
    total = math.fsum(numbers)
    ordered = sorted(numbers)
    middle = ordered[len(ordered) // 2]
    if len(ordered) % 2 == 0:
        middle = (middle + ordered[len(ordered) // 2 - 1]) / 2
    plain.extend(numbers)
    plain.extend((total, total / len(numbers), middle, ordered[-1] - ordered[0]))
    running, down = 0.0, 0.0
    for number, largest in zip(numbers[:200], ordered[::-1][:200], strict=True):
        running += number
        down += largest
        plain.extend((running, down))
        if total:
            shares.extend((running / total * 100, down / total * 100))
    if total:
        shares.extend(n / total * 100 for n in numbers)
    if all(0 <= n <= 1 for n in numbers):
        shares.extend(n * 100 for n in numbers)

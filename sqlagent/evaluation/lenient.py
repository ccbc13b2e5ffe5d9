"""Says whether rows are right where a question has several accepted golds, and sums such answers up.

Decides the rule for questions as analysts type them: the rows of any one gold, columns in any order,
numbers rounded to two or more places. `scoring` keeps the strict rule of the benchmarks.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import Item, Source
from sqlagent.ports import Database
from sqlagent.values import Cell, Limits

PATIENCE = Limits(seconds=20.0, rows=200_000)
"""The limits of one statement here."""

TRIED = 3_000
"""Orders of columns that are tried; two tables that are equal are equal in one of the first few."""

Row = Sequence[Cell]


def number_of(cell: Cell) -> float | None:
    """Give the number a cell is or reads as.

    Example:
        >>> number_of("2025"), number_of(True), number_of("2025-01")
        (2025.0, 1.0, None)
    """
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, str):
        if not cell or len(cell) > 24 or not all(c.isdigit() or c in "-.eE+" for c in cell):
            return None
        try:
            return float(cell) if cell[0].isdigit() or (cell[0] in "-." and len(cell) > 1) else None
        except ValueError:
            return None
    try:
        return float(cell) if cell is not None and not isinstance(cell, (bytes, list, dict)) else None
    except (TypeError, ValueError):
        return None


def cells_agree(said: Cell, gold: Cell) -> bool:
    """Tell whether a cell is the gold's: numbers within 1e-6 of it, or rounded to two or more places.

    Example:
        >>> cells_agree(33.33, 33.3333333), cells_agree(33.3, 33.3333333), cells_agree("2025", 2025)
        (True, False, True)
    """
    if said is None or gold is None:
        return said is None and gold is None
    if isinstance(said, str) and isinstance(gold, str):
        return said == gold
    ours, theirs = number_of(said), number_of(gold)
    if ours is None or theirs is None:
        return bool(said == gold or str(said) == str(gold))
    if ours == theirs:
        return True
    apart = abs(ours - theirs)
    if not math.isfinite(apart):
        return False
    if apart <= 1e-6 * max(abs(ours), abs(theirs)) or apart < 1e-12:
        return True
    if isinstance(gold, int) or ours == 0 or apart > 0.0050001:
        return False
    return any(
        apart <= 0.5 * 10**-places * (1 + 1e-6)
        and abs(ours * 10**places - round(ours * 10**places)) < 1e-6 * max(1.0, abs(ours * 10**places))
        for places in range(2, 9)
    )


def rows_agree(said: Sequence[Row], gold: Sequence[Row], ordered: bool) -> bool:
    """Tell whether rows are the gold's, columns in any order, as a bag unless `ordered`.

    Example:
        >>> rows_agree([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], ordered=False)
        True
    """
    if len(said) != len(gold):
        return False
    if not gold:
        return True
    if len(said[0]) != len(gold[0]):
        return False
    ours, theirs = list(zip(*said, strict=True)), list(zip(*gold, strict=True))
    fits = [[j for j, mine in enumerate(ours) if _same_bag(mine, column)] for column in theirs]
    for tried, order in enumerate(_orders(fits, ())):
        if tried > TRIED:
            return False
        if _same_rows([[row[j] for j in order] for row in said], gold, ordered):
            return True
    return False


def _orders(fits: Sequence[Sequence[int]], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(chosen) == len(fits):
        yield chosen
        return
    for place in fits[len(chosen)]:
        if place not in chosen:
            yield from _orders(fits, (*chosen, place))


def _sign(cell: Cell) -> tuple[int, float, str]:
    if cell is None:
        return (0, 0.0, "")
    number = number_of(cell)
    return (1, number, "") if number is not None else (2, 0.0, str(cell))


def _same_bag(said: Sequence[Cell], gold: Sequence[Cell]) -> bool:
    pairs = zip(sorted(said, key=_sign), sorted(gold, key=_sign), strict=True)
    return all(cells_agree(a, b) for a, b in pairs)


def _same_rows(said: Sequence[Row], gold: Sequence[Row], ordered: bool) -> bool:
    if not ordered:
        said = sorted(said, key=lambda row: [_sign(c) for c in _rounded(row)])
        gold = sorted(gold, key=lambda row: [_sign(c) for c in _rounded(row)])
    if all(_agree(a, b) for a, b in zip(said, gold, strict=True)):
        return True
    if ordered or len(said) > 2_000:
        return False
    left = list(gold)
    for row in said:
        at = next((n for n, other in enumerate(left) if _agree(row, other)), None)
        if at is None:
            return False
        del left[at]
    return True


def _rounded(row: Row) -> list[Cell]:
    return [round(c, 1) if isinstance(c, float) and math.isfinite(c) else c for c in row]


def _agree(said: Row, gold: Row) -> bool:
    return all(cells_agree(a, b) for a, b in zip(said, gold, strict=True))


@dataclass(slots=True)
class Golds:
    """The accepted answers of one question, read when first asked for."""

    database: Database
    sqls: Sequence[str]
    ordered: bool
    _rows: dict[str, Sequence[Row] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, item: Item, source: Source) -> Golds | None:
        """Give the golds of a question that has a list of them, which may be empty; None of any other."""
        return None if item.golds is None else cls(source.database, item.golds, bool(item.ordered))

    def which(self, sql: str) -> int | None:
        """Give the number of the gold whose rows a statement returns; None where there is none."""
        said = self._read(sql)
        if said is None:
            return None
        for place, gold in enumerate(self.sqls):
            rows = self._read(gold)
            if rows is not None and rows_agree(said, rows, self.ordered):
                return place
        return None

    def _read(self, sql: str) -> Sequence[Row] | None:
        if sql not in self._rows:
            try:
                read = self.database.execute(sql, PATIENCE)
                self._rows[sql] = None if read.truncated else read.rows
            except DatabaseError:
                self._rows[sql] = None
        return self._rows[sql]


@dataclass(frozen=True, slots=True)
class Judged:
    """How one answer compares with its question's golds. `with_readings`: it, or a reading offered, is right."""

    db: str
    tags: tuple[str, ...]
    answerable: bool
    outcome: str
    right: bool
    with_readings: bool
    confidence: float
    declined: bool


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Sum answers up: right of answerable, precision of *answered*, wrongly refused, by database and tag.

    Shares are None where nothing was asked of that kind.
    """
    answerable = [j for j in judged if j.answerable]
    foreign = [j for j in judged if not j.answerable]
    said = [j for j in judged if j.outcome == "answered"]
    first = [j for j in answerable if j.right]
    tags = {tag: [j for j in judged if tag in j.tags] for tag in sorted({t for j in judged for t in j.tags})}
    bases = {db: [j for j in answerable if j.db == db] for db in sorted({j.db for j in judged})}
    return {
        "questions": len(judged),
        "answerable": {
            "n": len(answerable),
            "right": len(first),
            "right_with_readings": sum(j.with_readings for j in answerable),
            "called_unanswerable": sum(j.declined for j in answerable),
        },
        "unanswerable": {"n": len(foreign), "right": sum(j.right for j in foreign)},
        "answered": {
            "n": len(said),
            "right": sum(j.right for j in said),
            "precision": _share(sum(j.right for j in said), len(said)),
            "coverage_of_right": _share(sum(j.outcome == "answered" for j in first), len(first)),
        },
        "ece": _calibration([j for j in judged if j.outcome != "unanswerable"]),
        "by_db": _parts(bases),
        "by_tag": _parts(tags),
    }


def _parts(parts: Mapping[str, Sequence[Judged]]) -> dict[str, dict[str, int]]:
    return {
        name: {
            "n": len(mine),
            "right": sum(j.right for j in mine),
            "right_with_readings": sum(j.with_readings for j in mine),
            "answered": sum(j.outcome == "answered" for j in mine),
            "answered_right": sum(j.outcome == "answered" and j.right for j in mine),
        }
        for name, mine in parts.items()
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _calibration(judged: Sequence[Judged], bins: int = 10) -> float | None:
    """Expected calibration error of the confidences."""
    cells: dict[int, list[Judged]] = defaultdict(list)
    for one in judged:
        cells[min(bins - 1, int(one.confidence * bins))].append(one)
    apart = (abs(sum(j.confidence - j.right for j in cell)) for cell in cells.values())
    return round(sum(apart) / len(judged), 4) if judged else None


def report(judged: Sequence[Judged]) -> str:
    """Print the figures as a table a person reads."""
    found = figures(judged)
    lines = [
        f"{'':<18}{'questions':>10}{'right':>8}{'with readings':>15}{'answered':>10}{'rightly':>9}",
    ]
    for kind in ("by_db", "by_tag"):
        for name, part in found[kind].items():
            lines.append(
                f"{name:<18}{part['n']:>10}{part['right']:>8}{part['right_with_readings']:>15}"
                f"{part['answered']:>10}{part['answered_right']:>9}"
            )
        lines.append("")
    answerable, answered, foreign = found["answerable"], found["answered"], found["unanswerable"]
    lines += [
        f"answerable: {answerable['right']} of {answerable['n']} right, {answerable['right_with_readings']} with readings, "
        f"{answerable['called_unanswerable']} called unanswerable",
        f"unanswerable: {foreign['right']} of {foreign['n']} called so",
        f"answered: {answered['right']} of {answered['n']} right (precision {answered['precision']}); "
        f"of the right first answers {answered['coverage_of_right']} are called answered",
        f"expected calibration error: {found['ece']}",
    ]
    return "\n".join(lines)

"""Draws the house into docs/house.svg: what imports what, read from the code.

A box is a subject of `mirror` or a floor of `sqlagent`. An arrow leads from what imports to what is
imported; one that others imply is left out. Run it after a change of the arrows: tests/test_docs.py compares.

    .venv/bin/python script/drawing.py      writes the file
    .venv/bin/python script/drawing.py -    writes to standard output
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
TO = ROOT / "docs/house.svg"
HEADINGS = {"mirror": "mirror: the web application", "sqlagent": "sqlagent: question in, answer out"}
WIDE, HIGH, BETWEEN, APART, EDGE, LANE, LANES = 124, 32, 16, 28, 20, 12, 72
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d2433 } .small { font-size: 10.5px; fill: #5b6475 } .head { font-weight: 600 }
rect { fill: #fff; stroke: #aab3c5; rx: 6 } .ground { fill: #f5f7fb; stroke: none }
path { fill: none; stroke: #7d8aa5; stroke-linejoin: round } marker path { fill: #7d8aa5; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9f0 } .small { fill: #9aa5ba } rect { fill: #1b2130; stroke: #4a566e } .ground { fill: #12161f } path { stroke: #6f7d99 } }
"""


def drawing() -> str:
    """Give the drawing as SVG; the same code gives the same text."""
    left, bottom, parts = EDGE, 0, []
    for package in HEADINGS:
        known = _read(package)
        ranks = _ranks(known)
        rows = [
            [name for name in known if ranks[name] == rank] for rank in range(max(ranks.values()), -1, -1)
        ]
        most = max(len(row) for row in rows)
        wide, high = most * (WIDE + BETWEEN) + BETWEEN + LANES, 48 + len(rows) * (HIGH + APART)
        parts.append(
            f'<rect class="ground" x="{left}" y="{EDGE}" width="{wide}" height="{high}"/>'
            f'<text class="head" x="{left + BETWEEN}" y="{EDGE + 24}">{HEADINGS[package]}</text>'
        )
        places: dict[str, tuple[int, int]] = {}
        for at, row in enumerate(rows):
            start = left + BETWEEN + (most - len(row)) * (WIDE + BETWEEN) // 2
            for place, name in enumerate(_near(row, known, places)):
                places[name] = (start + place * (WIDE + BETWEEN), EDGE + 42 + at * (HIGH + APART))
        parts += [_box(*places[name], name) for name in known]
        lane = left + wide - LANES
        for here, there in _needed(known):
            if abs(ranks[here] - ranks[there]) == 1:
                parts.append(_arrow(places[here], places[there]))
            else:
                parts.append(_round(places[here], places[there], lane))
                lane += LANE
        left, bottom = left + wide + EDGE, max(bottom, high + 2 * EDGE)
    size = f'width="{left}" height="{bottom}" viewBox="0 0 {left} {bottom}"'
    head = '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    body = "\n".join([head, *parts])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>\n{body}\n</svg>\n'


def _read(package: str) -> dict[str, set[str]]:
    """Map each box to the boxes it imports. The values, ports, events and errors of `sqlagent` are one box; single files of `mirror` are none."""
    known: dict[str, set[str]] = {}
    for file in sorted((ROOT / package).rglob("*.py")):
        here = _box_of(file.relative_to(ROOT).with_suffix("").parts)
        if here and "migrations" not in file.parts:
            found = {_box_of(tuple(name.split("."))) for name in _imports(ast.parse(file.read_text()))}
            known.setdefault(here, set()).update(name for name in found if name and name != here)
    return {here: {name for name in there if name in known} for here, there in known.items()}


def _box_of(parts: tuple[str, ...]) -> str | None:
    if len(parts) < 2 or parts[0] not in HEADINGS or parts[1] == "__init__":
        return None
    if parts[0] == "sqlagent":
        if parts[1] in {"values", "ports", "events", "errors"}:
            return "values, ports"
        return None if parts[1] == "testing" else parts[1]
    return parts[1] if (ROOT / "mirror" / parts[1]).is_dir() else None


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _reach(here: str, known: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    ahead = [*known.get(here, ())]
    while ahead:
        if (there := ahead.pop()) not in found:
            found.add(there)
            ahead += known.get(there, ())
    return found


def _needed(known: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Arrows that no two others imply."""
    return [
        (here, there)
        for here in sorted(known)
        for there in sorted(known[here])
        if not any(
            there in _reach(other, known)
            for other in known[here] - {there}
            if here not in _reach(other, known)
        )
    ]


def _ranks(known: dict[str, set[str]]) -> dict[str, int]:
    """How far each box stands above the lowest: one above the highest that it imports."""
    ranks: dict[str, int] = {}

    def rank(here: str, above: frozenset[str]) -> int:
        if here not in ranks:
            lower = [
                rank(there, above | {here}) for there in sorted(known.get(here, ())) if there not in above
            ]
            ranks[here] = 1 + max(lower, default=-1)
        return ranks[here]

    for here in sorted(known):
        rank(here, frozenset())
    return ranks


def _near(row: list[str], known: dict[str, set[str]], places: dict[str, tuple[int, int]]) -> list[str]:
    """A row, each box near those above that import it."""

    def middle(name: str) -> tuple[float, str]:
        above = [x for other, (x, _) in places.items() if name in known.get(other, ())]
        return (sum(above) / len(above) if above else 0.0, name)

    return sorted(row, key=middle)


def _box(x: int, y: int, name: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}"/>'
        f'<text x="{x + WIDE // 2}" y="{y + 21}" text-anchor="middle">{escape(name)}</text>'
    )


def _arrow(here: tuple[int, int], there: tuple[int, int]) -> str:
    is_up = there[1] < here[1]
    x, y = here[0] + WIDE // 2 + 8 * is_up, here[1] + HIGH * (not is_up)
    to, end = there[0] + WIDE // 2 + 8 * is_up, there[1] + HIGH * is_up
    bend = (-1 if is_up else 1) * max(18, abs(end - y) // 2)
    return f'<path d="M{x} {y}C{x} {y + bend} {to} {end - bend} {to} {end}" marker-end="url(#end)"/>'


def _round(here: tuple[int, int], there: tuple[int, int], lane: int) -> str:
    """An arrow past other rows: between two rows to a lane of its own at the right, and between two rows back."""
    x, y = here[0] + WIDE - 18, here[1] + HIGH
    to, end = there[0] + WIDE - 18, there[1]
    return f'<path d="M{x} {y}V{y + 7}H{lane}V{end - 10}H{to}V{end}" marker-end="url(#end)"/>'


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(drawing())
    else:
        TO.write_text(drawing())

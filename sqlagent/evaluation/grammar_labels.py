"""The use of each slot of a training question, read off its gold tree. For fitting alone.

Decides the frame and one role a slot; `fit_grammar` learns to predict both from language.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from sqlagent.language.mentions import Target
from sqlagent.makers.grammar.features import slot_kind
from sqlagent.makers.grammar.frames import frame_of, nested_of, normalised
from sqlagent.makers.grammar.reading import Reading, Slot
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.tree import Cond, Query, base

Name = tuple[str, str]


@dataclass(slots=True)
class Labels:
    """Frame, roles by slot, and the columns (by slot) the gold tree used."""

    frame: str
    roles: list[str]
    picks: dict[int, Name] = field(default_factory=dict)
    distinct: bool = False


@dataclass(slots=True)
class _Uses:
    """How the gold tree uses each column, in which SELECT, and its conditions."""

    roles: dict[Name, list[str]] = field(default_factory=lambda: defaultdict(list))
    conds: list[tuple[Cond, int]] = field(default_factory=list)
    havings: list[tuple[Cond, int]] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)
    nested: set[str] = field(default_factory=set)


def label(reading: Reading, schema: Schema, gold: Query) -> Labels:
    """Align a question's slots with its gold tree."""
    query = normalised(gold)
    uses = _uses(query)
    roles = ["N"] * len(reading.slots)
    picks = _columns(reading, schema, uses)
    by_column: dict[Name, list[int]] = defaultdict(list)
    for number, name in picks.items():
        by_column[name].append(number)
    for name, slots in by_column.items():
        by_column[name] = _strong(reading, slots, name)
    for name, slots in by_column.items():
        for number, role in _shared(reading, sorted(slots), uses.roles[name]).items():
            roles[number] = role
    covered = set(by_column)
    _tables(reading, query, uses, covered, roles, picks)
    _values(reading, uses, roles, picks)
    _counts(reading, query, roles)
    if query.limit is not None:
        for n, slot in enumerate(reading.slots):
            if slot.kind == "number" and slot.number == query.limit and roles[n] == "N":
                roles[n] = "L"
                break
    return Labels(frame_of(query), roles, picks, query.distinct)


def _uses(query: Query) -> _Uses:
    out = _Uses()
    out.tables = {base(t) for t in query.instances()}
    for term in query.select:
        if term.col is not None:
            mark = f"S:{term.agg}{'d' if term.distinct else ''}" if term.agg else "S"
            out.roles[(base(term.col.table), term.col.name)].append(mark)
    for term in query.group:
        if term.col is not None:
            out.roles[(base(term.col.table), term.col.name)].append("G")
    for order in query.order:
        col = order.term.col
        if col is not None:
            letter = "Oa" if order.term.agg else "X" if query.limit is not None else "O"
            agg = f":{order.term.agg}" if order.term.agg else ""
            out.roles[(base(col.table), col.name)].append(letter + ("-" if order.desc else "+") + agg)
    for cond in query.having:
        if cond.term.col is not None:
            out.roles[(base(cond.term.col.table), cond.term.col.name)].append(f"H:{cond.term.agg}")
        out.havings.append((cond, 1))
    _where(query, out, 1)
    nested = nested_of(query)
    if nested is not None:
        inner = nested[1]
        out.nested = {base(t) for t in inner.instances()}
        if nested[0] == "cmp":
            for clause in query.where:
                for cond in clause:
                    if cond.query is not None and cond.term.col is not None:
                        agg = inner.select[0].agg if inner.select else ""
                        name = (base(cond.term.col.table), cond.term.col.name)
                        out.roles[name] = [r for r in out.roles[name] if r != "W"] + [
                            f"A{cond.op}:{agg or 'one'}"
                        ]
        _where(inner, out, 2)
        out.havings.extend((c, 2) for c in inner.having)
    return out


def _where(query: Query, out: _Uses, branch: int) -> None:
    mark = "W" if branch == 1 else "W2"
    for clause in query.where:
        for cond in clause:
            if cond.term.col is not None and cond.query is None:
                roles = out.roles[(base(cond.term.col.table), cond.term.col.name)]
                own = f"{mark}:{cond.op}" if cond.op in ("null", "not null") else mark
                if own not in roles:
                    roles.append(own)
                out.conds.append((cond, branch))
            elif cond.term.col is not None and cond.op not in ("in", "not in"):
                out.roles[(base(cond.term.col.table), cond.term.col.name)].append(mark)


def _usable(slot: Slot) -> list[Target]:
    columns = slot.columns()
    if not columns or slot.kind not in ("name", "adjective", "hint", "grain"):
        return []
    if slot_kind(slot) == "table":
        return []
    top = columns[0].score
    if slot.kind == "grain":
        return list(columns)
    return [t for t in columns if t.score >= 0.5 * top]


def _columns(reading: Reading, schema: Schema, uses: _Uses) -> dict[int, Name]:
    """Which gold column each slot stands for, best scores first, columns nobody has first."""
    same = _equal_columns(schema)
    options: list[tuple[float, int, Name]] = []
    for n, slot in enumerate(reading.slots):
        for target in _usable(slot):
            name = (target.table, target.column)
            top = target.score + (0.0 if slot.kind == "name" else -0.5)
            for alike in (name, *same.get(name, ())):
                if uses.roles.get(alike):
                    options.append((top - (0.1 if alike != name else 0.0), n, alike))
    out: dict[int, Name] = {}
    taken: set[Name] = set()
    while options:
        best = max(options, key=lambda o: (o[0] + (0.4 if o[2] not in taken else 0.0), -o[1]))
        kind = reading.slots[best[1]].kind
        if kind == "name" or best[2] not in taken:
            out[best[1]] = best[2]
            taken.add(best[2])
            options = [o for o in options if o[1] != best[1]]
        else:
            options.remove(best)
    _whole_names(reading, uses, out)
    return out


def _whole_names(reading: Reading, uses: _Uses, out: dict[int, Name]) -> None:
    """A slot that asks for the name stands for first and last name where both are selected."""
    for n, slot in enumerate(reading.slots):
        whole = next((t for t in slot.targets if "&" in t.column), None)
        if whole is None or n not in out:
            continue
        parts = _split((whole.table, whole.column))
        others = {name for k, name in out.items() if k != n}
        if out[n] in parts and all("S" in uses.roles.get(p, []) for p in parts) and not others & set(parts):
            out[n] = (whole.table, whole.column)
            uses.roles[out[n]] = ["S"]


def _split(name: Name) -> list[Name]:
    return [(name[0], part) for part in name[1].split("&")]


def _equal_columns(schema: Schema) -> dict[Name, list[Name]]:
    out: dict[Name, list[Name]] = defaultdict(list)
    for edge in schema.graph.edges:
        for a, b in zip(edge.columns, edge.referenced, strict=True):
            out[(edge.source, a)].append((edge.target, b))
            out[(edge.target, b)].append((edge.source, a))
    return out


def _strong(reading: Reading, slots: list[int], name: Name) -> list[int]:
    """The slots that name a column outright, where some do and others merely hint at it."""
    scores = {
        n: max((t.score for t in reading.slots[n].targets if (t.table, t.column) == name), default=0.5)
        for n in slots
    }
    top = max(scores.values())
    return [n for n in slots if scores[n] >= 0.8 * top]


def joined(roles: list[str]) -> str:
    """One name for several roles of a slot; grouping by what is selected goes without saying."""
    kept = [r for r in dict.fromkeys(roles) if not (r == "G" and "S" in roles)]
    return "&".join(sorted(kept))


_RANK = {"S": 0, "W": 1, "A": 1, "H": 1, "W2": 2, "G": 3, "O": 4, "X": 4}


def _shared(reading: Reading, slots: list[int], roles: list[str]) -> dict[int, str]:
    """Share a column's roles among the slots that name it."""
    roles = list(dict.fromkeys(roles))
    if len(slots) == 1 or not roles:
        return {slots[0]: joined(roles)} if roles else {}
    out: dict[int, list[str]] = defaultdict(list)
    free = list(slots)
    for role in sorted(roles, key=lambda r: _RANK.get(r[:1], 5)):
        if role == "G" and len(free) != len(slots):
            chosen = next((s for s in free if _before(reading, s) & {"each", "per", "every", "by"}), None)
        elif role[0] in "WAH":
            chosen = min(free, key=lambda s: _gap(reading, s)) if free else None
        elif role[0] in "OX":
            chosen = free[-1] if free else None
        else:
            chosen = free[0] if free else None
        if chosen is None:
            chosen = slots[0] if role in ("G", "S") else slots[-1]
        elif role != "S" or len(roles) > 1:
            free.remove(chosen)
        out[chosen].append(role)
    return {s: joined(r) for s, r in out.items()}


def _before(reading: Reading, slot: int) -> set[str]:
    start = reading.slots[slot].start
    return {t.low for t in reading.tokens[max(0, start - 3) : start]}


def _gap(reading: Reading, slot: int) -> int:
    here = reading.slots[slot]
    gaps = [
        abs(s.start - here.end)
        for s in reading.slots
        if s.kind in ("value", "number", "text") and s.start >= here.start
    ]
    return min(gaps, default=99)


def _tables(
    reading: Reading, query: Query, uses: _Uses, covered: set[Name], roles: list[str], picks: dict[int, Name]
) -> None:
    """Roles of slots that name tables, with the gold columns nobody named falling to them."""
    selected = [t.col for t in query.select if t.col is not None and t.plain]
    loose = [c for c in selected if (base(c.table), c.name) not in covered]
    grouped = [
        t.col for t in query.group if t.col is not None and (base(t.col.table), t.col.name) not in covered
    ]
    for n, slot in enumerate(reading.slots):
        tables = slot.tables()
        if n in picks or slot.kind != "name" or not tables:
            continue
        keys = [t.table for t in tables if t.score >= 0.8 * tables[0].score]
        here = next((k for k in keys if k in uses.tables), "")
        if not here:
            here = next((k for k in keys if k in uses.nested), "")
            roles[n] = "T2" if here else "N"
            continue
        mark = "T"
        mine = [c for c in loose if base(c.table) == here]
        if mine:
            mark += "S"
            loose = [c for c in loose if c not in mine]
        groups = [c for c in grouped if base(c.table) == here]
        if groups:
            mark += "" if mine else "G"
            grouped = [c for c in grouped if c not in groups]
        roles[n] = mark


def _values(reading: Reading, uses: _Uses, roles: list[str], picks: dict[int, Name]) -> None:
    used: set[tuple[str, int]] = set()
    for n, slot in enumerate(reading.slots):
        if slot.kind not in ("value", "number", "text"):
            continue
        for branch_of, mark in ((uses.conds, "W"), (uses.havings, "H")):
            hit = next(
                (
                    (c, b, k)
                    for k, (c, b) in enumerate(branch_of)
                    if (mark, k) not in used and _holds(slot, c)
                ),
                None,
            )
            if hit is None:
                continue
            cond, branch, k = hit
            if cond.op != "between" or slot.number == cond.values[-1]:
                used.add((mark, k))
            roles[n] = f"{mark}{'2' if branch == 2 else ''}:{cond.op}"
            if cond.term.col is not None:
                picks[n] = (base(cond.term.col.table), cond.term.col.name)
            break


def _holds(slot: Slot, cond: Cond) -> bool:
    for value in cond.values:
        if value is None:
            continue
        text = str(value).strip("%").strip().casefold()
        if slot.number is not None:
            try:
                if float(text) == float(slot.number):
                    return True
            except ValueError:
                continue
        elif text == slot.text.strip().casefold() or any(
            text == t.value.strip().casefold() for t in slot.targets
        ):
            return True
    return False


def _counts(reading: Reading, query: Query, roles: list[str]) -> None:
    counts = [t for t in query.select if t.agg == "count"]
    slots = [n for n, s in enumerate(reading.slots) if s.kind == "count"]
    for n, term in zip(slots, counts, strict=False):
        roles[n] = "SD" if term.distinct else "S"

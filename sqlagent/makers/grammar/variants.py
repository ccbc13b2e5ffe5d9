"""Other ways to show the same answer: numbers on the other side, and the name behind a key.

Decides which variants of a composed tree join the beam; which of them is preferred is for `weighing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.makers.grammar.reading import Reading
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.tree import Col, Term, Via, base
from sqlagent.makers.grammar.weighing import Found


def variants(found: Found, reading: Reading, schema: Schema) -> Iterator[Found]:
    """The tree itself first, then its variants."""
    yield found
    named = _named_key(found, reading, schema)
    for one in (found, named):
        if one is None:
            continue
        if one is not found:
            yield one
        flipped = _flipped(one)
        if flipped is not None:
            yield flipped


def _flipped(found: Found) -> Found | None:
    """The same with its numbers shown on the other side of its names."""
    select = found.query.select
    plain = tuple(t for t in select if t.plain)
    numbers = tuple(t for t in select if not t.plain)
    if not plain or not numbers or found.query.second is not None or any(t.part for t in plain):
        return None
    flipped = (*numbers, *plain) if select[0].plain else (*plain, *numbers)
    return (
        replace(found, query=replace(found.query, select=flipped), flipped=True)
        if flipped != select
        else None
    )


def _named_key(found: Found, reading: Reading, schema: Schema) -> Found | None:
    """The same with the name of what a key points at in the key's place ("the manager of each employee")."""
    query = found.query
    for slot, role, pick in zip(reading.slots, found.parts.roles, found.parts.picks, strict=True):
        if pick is None or not pick.column or "S" not in role.split("&"):
            continue
        said = {t.stem for t in reading.tokens[slot.start : slot.end]}
        edge = schema.edge_of(pick.table, pick.column)
        if edge is None or said & {"id", "code", "key", "number"} or query.second is not None:
            continue
        labels = schema.labels(edge.target)
        if not labels or labels[0] == edge.referenced[0]:
            continue
        taken = {base(i) for i in query.instances()} | {pick.table}
        target = f"{edge.target}#2" if edge.target in taken else edge.target
        old = Term(col=Col(pick.table, pick.column))
        new = tuple(Term(col=Col(target, name)) for name in labels[0].split("&"))
        via = Via(pick.table, pick.column, target, edge.referenced[0])
        select = tuple(n for t in query.select for n in (new if t == old else (t,)))
        group = tuple(n for t in query.group for n in ((t, *new) if t == old else (t,)))
        if select != query.select:
            changed = replace(query, select=select, group=group, via=(*query.via, via))
            return replace(found, query=changed, named_key=True)
    return None

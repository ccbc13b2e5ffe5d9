"""The reading of each stretch of the question, in words, for the reader of a run."""

from __future__ import annotations

from sqlagent.language.mentions import Target
from sqlagent.makers.grammar.reading import Reading, Slot
from sqlagent.makers.grammar.weighing import Found

_FRAME_WORDS = {
    "C": "counted",
    "G": "grouped",
    "Oc-": "most first, by count",
    "Oc+": "fewest first, by count",
    "Hc": "kept by count",
    "not": "left out what matches",
    "both": "kept what matches both",
    "union": "put together",
    "cmp": "compared with a computed value",
}


def notes(found: Found, reading: Reading) -> tuple[str, ...]:
    """Explain a candidate: what each slot became, then its overall shape."""
    out: list[str] = []
    for slot, role, pick in zip(reading.slots, found.parts.roles, found.parts.picks, strict=True):
        said = " ".join(t.text for t in reading.tokens[slot.start : slot.end])
        meant = _meaning(slot, role, pick)
        if meant:
            out.append(f"'{said}' -> {meant}")
    shape = [_FRAME_WORDS[s] for s in found.parts.frame.split() if s in _FRAME_WORDS]
    if shape:
        out.append("; ".join(shape))
    return tuple(out)


def _meaning(slot: Slot, role: str, pick: Target | None) -> str:
    if role == "L":
        return f"LIMIT {slot.number}"
    if slot.kind == "count" and role.startswith("S"):
        return "COUNT"
    if pick is None:
        return ""
    name = f"{pick.table}.{pick.column}" if pick.column else pick.table
    if pick.value:
        return f"{name} {role.partition(':')[2] or '='} '{pick.value}'"
    parts = []
    for part in role.split("&"):
        head, _, agg = part.partition(":")
        if head == "S" and agg:
            parts.append(f"{agg.removesuffix('d').upper()} of {name}")
        elif part[:1] in "OX" and part[:1]:
            parts.append(f"ORDER BY {name} {'DESC' if '-' in part else 'ASC'}")
        elif head in ("W", "W2"):
            parts.append(f"condition on {name}")
        else:
            parts.append(name)
    return ", ".join(dict.fromkeys(parts))

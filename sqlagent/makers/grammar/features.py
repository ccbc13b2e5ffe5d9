"""The evidence of a decision of the grammar: explainable features of a question and of one slot.

All of them are language: closed-class words, stems, and signs for what names and values
stand. No name of any schema becomes a feature.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.language.lexicon import words_of
from sqlagent.makers.grammar.reading import DATED, NUMERIC, Reading, Slot
from sqlagent.makers.grammar.schema import Schema

WINDOW = 4

WIDE_CUES = words_of(
    """descend ascend alphabet both or not never without averag each per total most least highest lowest
    distinct more less than order"""
)
"""Stems that matter to a slot wherever they stand in the question."""


def frame_features(reading: Reading) -> list[str]:
    """Features of the whole question, for its frame: n-grams of signs up to four, ends, and counts."""
    signs = ("^", *reading.signs, "$")
    out: set[str] = {"bias"}
    for size in (1, 2, 3, 4):
        for at in range(len(signs) - size + 1):
            out.add(" ".join(signs[at : at + size]))
    thin = [s for s in reading.signs if s not in ("the", "a", "an", "all", "of", ",")]
    for at in range(len(thin) - 1):
        out.add("~" + " ".join(thin[at : at + 2]))
        if at < len(thin) - 2:
            out.add("~" + " ".join(thin[at : at + 3]))
            out.add(f"~{thin[at]} * {thin[at + 2]}")
    for sign in ("TAB", "COL", "VAL", "NUM", "TXT", "PER"):
        out.add(f"#{sign}={min(reading.signs.count(sign), 4)}")
    forms = {s.form for s in reading.slots if s.kind == "adjective" and s.form}
    out.update(f"adj={f}" for f in forms)
    out.update(f"start={' '.join(signs[1 : 1 + n])}" for n in (1, 2, 3))
    return sorted(out)


def slot_features(reading: Reading, number: int, frame: str, schema: Schema) -> list[str]:
    """Features of one slot for its role, given the frame: its neighbours, its place and what it may name."""
    slot = reading.slots[number]
    kind = slot_kind(slot)
    at = _place(reading, number)
    signs = reading.signs
    after = [*signs[at + 1 : at + 1 + WINDOW], "$", "$", "$"]
    before = ["^", "^", "^", *signs[max(0, at - WINDOW) : at]]
    base = [
        "",
        f"f={frame}",
        f"l1={before[-1]}",
        f"l2={' '.join(before[-2:])}",
        f"l3={' '.join(before[-3:])}",
        f"r1={after[0]}",
        f"r2={' '.join(after[:2])}",
        f"r3={' '.join(after[:3])}",
        f"lr={before[-1]}_{after[0]}",
        f"l2r={' '.join(before[-2:])}_{after[0]}",
        f"lr2={before[-1]}_{' '.join(after[:2])}",
        *(f"L:{s}" for s in signs[max(0, at - 6) : at]),
        *(f"R:{s}" for s in signs[at + 1 : at + 6]),
        *(f"q:{s}" for s in sorted(WIDE_CUES.intersection(signs))),
        *_place_features(reading, number),
        *(_target_features(slot, schema)),
    ]
    out = [f"{kind}|{feature}" for feature in base]
    parts = frame.split()
    out.extend(f"{kind}|{p}&l1={before[-1]}" for p in parts)
    out.extend(f"{kind}|{p}&l2={' '.join(before[-2:])}" for p in parts)
    out.extend(f"{kind}|{p}&r1={after[0]}" for p in parts)
    out.extend(f"{kind}|{p}&{f}" for p in parts for f in _place_features(reading, number))
    return list(dict.fromkeys(out))


def slot_kind(slot: Slot) -> str:
    """The slot's kind as features know it: names are split into tables, columns and either."""
    if slot.kind == "grain":
        return "column"
    if slot.kind == "given":
        return "value"
    if slot.kind != "name":
        return slot.kind
    tables, columns = slot.tables(), slot.columns()
    if not tables:
        return "column"
    if not columns or columns[0].score < tables[0].score - 0.12:
        return "table"
    if tables[0].score < columns[0].score - 0.12:
        return "column"
    return "either"


def _place(reading: Reading, number: int) -> int:
    return next((n for n, k in enumerate(reading.places) if k == number), 0)


def _place_features(reading: Reading, number: int) -> Iterator[str]:
    slots = reading.slots
    slot = slots[number]
    kinds = [slot_kind(s) for s in slots]
    yield f"prev={kinds[number - 1] if number else '^'}"
    yield f"next={kinds[number + 1] if number + 1 < len(slots) else '$'}"
    yield f"first={kinds.index(kinds[number]) == number}"
    yield f"last={kinds[number] not in kinds[number + 1 :]}"
    yield f"tables_before={min(sum(k in ('table', 'either') for k in kinds[:number]), 2)}"
    yield f"values_after={min(sum(k in ('value', 'number', 'text') for k in kinds[number + 1 :]), 2)}"
    if slot.kind == "name":
        mine = {(t.table, t.column) for t in slot.targets[:3]}
        same = [
            n
            for n, s in enumerate(slots)
            if n != number and mine & {(t.table, t.column) for t in s.targets[:3]}
        ]
        yield f"again={'before' if same and same[0] < number else 'after' if same else 'no'}"


def _target_features(slot: Slot, schema: Schema) -> Iterator[str]:
    if slot.form:
        yield f"form={slot.form}"
    if slot.number is not None:
        yield f"size={_size(slot.number)}"
    if not slot.targets:
        return
    best = slot.targets[0]
    yield f"score={round(best.score * 5)}"
    yield f"length={min(slot.end - slot.start, 3)}"
    columns = slot.columns()
    if columns:
        top = columns[0]
        column = schema.column(top.table, top.column)
        if column is not None:
            group = "num" if column.kind in NUMERIC else "date" if column.kind in DATED else "text"
            yield f"type={group}"
            yield f"key={schema.key_role(top.table, top.column)}"
            if (top.table, top.column) in schema.flags:
                yield "flag"
            yield f"plural={slot.text.endswith('s')}"


def _size(number: int | float) -> str:
    if isinstance(number, float):
        return "float"
    if 1500 <= number <= 2100:
        return "year"
    return "1" if number == 1 else "few" if 0 <= number <= 10 else "some" if number < 1000 else "many"


def distinct_features(reading: Reading, frame: str) -> list[str]:
    """Features of a question for whether its rows should be distinct."""
    out = {"bias", f"f={frame}"}
    signs = ("^", *reading.signs, "$")
    for size in (1, 2, 3):
        for at in range(len(signs) - size + 1):
            out.add(" ".join(signs[at : at + size]))
    return sorted(out)

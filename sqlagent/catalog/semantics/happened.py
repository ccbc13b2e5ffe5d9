"""When a source's rows hold and last happened: the times of a row's validity, and the newest day of all events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlagent.catalog.semantics.values import Field, Form, Kind, Role, Thing
from sqlagent.catalog.semantics.words import BEGINS, ENDED, ENDS, stems

PLANNED_TIMES = stems(
    "start begin plan planned scheduled due depart departure arrive arrival valid effective expected from for"
)
"""Words of times that lie ahead of the day on which a row is written."""

WRITTEN_DOWN = stems(
    "booked created entered recorded logged requested placed received registered reserved ordered signed"
)
"""Words of times at which a row is written."""


def between(fields: Sequence[Field]) -> tuple[str, str]:
    """The columns of a row's validity: its begin and its end, the latter often empty."""
    times = [f for f in fields if f.role is Role.TIME]
    open_ends = [f for f in times if set(f.words) & ENDS and f.filled < 1.0]
    ends = next((f for f in open_ends if set(f.words) & ENDED), open_ends[0] if open_ends else None)
    if ends is None:
        return "", ""
    begins = next((f for f in times if f is not ends and set(f.words) & BEGINS and f.filled == 1.0), None)
    begins = begins or next((f for f in times if f is not ends and f.filled == 1.0), None)
    return (begins.column if begins is not None else ""), ends.column


def newest(things: Mapping[str, Thing], fields: Mapping[str, Sequence[Field]]) -> str:
    """The last day on which anything happened, of the events' own times.

    A time that may lie ahead (a start, a departure, a due day) counts up to the last day on which such a row was written:
    tomorrow's appointment is no data of today. Where no day of writing is kept, it counts only if no other event has a time.
    """
    happened, planned = [], []
    for thing in things.values():
        if thing.kind not in (Kind.EVENT, Kind.HISTORY) or not thing.default_time:
            continue
        times = [f for f in fields[thing.table] if f.role is Role.TIME and f.filled == 1.0]
        own = next((f for f in fields[thing.table] if f.column == thing.default_time), None)
        if own is None or not (last := _last_day(own)):
            continue
        written = [day for f in times if set(f.words) & WRITTEN_DOWN and (day := _last_day(f))]
        if not set(own.words) & PLANNED_TIMES:
            happened.append(last)
        elif written:
            happened.append(min(last, *written))
        else:
            planned.append(last)
    return max(happened or planned, default="")


def _last_day(one: Field) -> str:
    """The last day that a column holds, as ISO text; empty where it holds none or none is known."""
    if one.form in (Form.DAY, Form.MOMENT, Form.TEXT_DAY, Form.TEXT_MOMENT):
        return one.high[:10]
    if one.form in (Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY) and len(one.high) >= 8:
        return f"{one.high[:4]}-{one.high[4:6]}-{one.high[6:8]}"
    return ""

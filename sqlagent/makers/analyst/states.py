"""Being current, over, late: what these words mean of a table, by its status or by the times between which a row holds."""

from __future__ import annotations

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import STATE_CODES, STATES
from sqlagent.language.words import fold, stem
from sqlagent.makers.analyst.frames import Condition, Slot
from sqlagent.makers.analyst.pairing import UNDONE, done_of, due_and_done
from sqlagent.makers.analyst.source import Source

CURRENT = (
    "active",
    "current",
    "open",
    "running",
    "live",
    "in progress",
    "ongoing",
    "enabled",
    "in use",
    "employed",
    "in service",
)
ENDED = (
    "canceled",
    "cancelled",
    "churned",
    "terminated",
    "ended",
    "expired",
    "closed",
    "inactive",
    "left",
    "lost",
)

_LETTERED = frozenset({"active", "open", "inactive"})
"""Words for a state that a single letter stands for: what begins like "current" is as often cancelled or closed."""

_OVER = frozenset({"inactive", "ended", "expired", "terminated"})
_GOING = frozenset(stem(w) for w in ["active", "act", "actual", "current", "enabled", "live"])
_STOPPED = frozenset(
    stem(w)
    for w in [
        "retired",
        "discontinued",
        "inactive",
        "withdrawn",
        "archived",
        "disabled",
        "obsolete",
        "decommissioned",
    ]
)
_BARRED = frozenset(stem(w) for w in ["blocked", "suspended", "deactivated", "banned", "locked", "barred"])
"""Words of flags by which what is still there is not active, where no flag tells more."""
_IN_USE = frozenset(stem(w) for w in ["service", "use", "order", "action", "operation"])
_CLOSING = frozenset(
    stem(w) for w in ["close", "closed", "resolve", "resolved", "settled", "closure", "resolution"]
)

_BILLS = frozenset(stem(w) for w in ["invoice", "bill"])
PAYING = frozenset(stem(w) for w in ["paid", "payment", "settled"])
"""Words of days on which something is paid."""

_SNAPSHOTS = frozenset(stem(w) for w in ["snapshot", "balance", "level", "inventory", "stock", "position"])
_STANDING = frozenset(
    stem(w)
    for w in [
        "hand",
        "stock",
        "balance",
        "inventory",
        "level",
        "available",
        "onhand",
        "held",
        "order",
        "value",
        "qty",
        "quantity",
        "headcount",
        "outstanding",
        "units",
        "amount",
    ]
)


def is_snapshot(source: Source, table: str) -> bool:
    """Whether a table holds how things stand day by day, so that its figures are not summed over time."""
    thing = source.model.things[table]
    if not set(thing.noun) & _SNAPSHOTS or not thing.default_time or len(thing.key) == 1:
        return False
    return any(set(f.words) & _STANDING for f in source.model.of_role(table, Role.MEASURE)) and not {
        "movement",
        "transact",
        "move",
    } & set(thing.noun)


def labels(source: Source, one: Field) -> list[tuple[str, str]]:
    """The values of a column and what they are called."""
    if one.codes is not None:
        return list(one.codes.pairs)
    index = source.vocabulary.index
    if index is None:
        return []
    from sqlagent.values import ColumnRef

    told = dict(one.labels)
    short = STATE_CODES if set(one.words) & STATES else {}
    return [
        (text, told.get(text, short.get(text.lower(), text)))
        for text in index.texts_of(ColumnRef(one.table, one.column))[:200]
    ]


def words_of_states(source: Source, table: str, besides: str = "") -> frozenset[str]:
    """The stems of what the states of a table's rows are called, but for one of them; none where it has no state."""
    thing = source.model.things[table]
    state = source.model.field(table, thing.state) if thing.state else None
    called = [label.lower() for _, label in labels(source, state)] if state is not None else []
    return frozenset(
        stem(word) for label in called if label != besides for word in label.replace("_", " ").split()
    )


def _called(source: Source, table: str, names: tuple[str, ...]) -> Condition | None:
    """That a table's state is one of some names."""
    thing = source.model.things[table]
    one = source.model.field(table, thing.state) if thing.state else None
    if one is None:
        return None
    known = {fold(label).replace("_", " "): code for code, label in labels(source, one)}
    for name in names:
        if name in known:
            return Condition("in", (Slot(one),), (known[name],), said=name)
    return None


def _listed(source: Source, table: str, names: tuple[str, ...]) -> Condition | None:
    """That a table's rows point at the state of one of these names, in a list of states."""
    found = source.vocabulary.listed_state(table)
    if found is None:
        return None
    relation, one = found
    known = {fold(label): code for code, label in labels(source, one)}
    name = next((name for name in names if name in known), None)
    return Condition("in", (Slot(one, (relation,)),), (known[name],), said=name) if name is not None else None


def current(source: Source, table: str) -> Condition | None:
    """That a row holds still: a state in a list that says so, else no end yet, else its own state, a letter too, else a flag; None where nothing tells."""
    thing = source.model.things[table]
    if (listed := _listed(source, table, CURRENT)) is not None:
        return listed
    if thing.ends and thing.kind is not Kind.EVENT:
        return Condition("missing", (source.slot(table, thing.ends),), said="current")
    named = _called(source, table, CURRENT)
    if named is not None:
        return named
    if thing.ends:
        return Condition("missing", (source.slot(table, thing.ends),), said="current")
    lettered = _by_letter(source, table, "active") or _by_letter(source, table, "open")
    return lettered or _by_flag(source, table, True) or _by_closing(source, table, True)


def _closing(source: Source, table: str) -> Field | None:
    """The time at which a row of an event was closed, where not all have been."""
    times = source.model.of_role(table, Role.TIME)
    return next((f for f in times if set(f.words) & _CLOSING and f.filled < 1), None)


def ended(source: Source, table: str) -> Condition | None:
    """That a row is over: what was cancelled never came to pass, where rows hold the day on which they were done."""
    named = _called(source, table, ENDED)
    done = done_of(source, table)
    if (
        named is not None
        and named.said in _CALLED_OFF
        and done is not None
        and not {*done.field.words} & UNDONE
    ):
        return Condition("filled", (done,), said="ended")
    if named is not None:
        return named
    thing = source.model.things[table]
    if thing.ends:
        return Condition("filled", (source.slot(table, thing.ends),), said="ended")
    return _by_letter(source, table, "inactive") or _by_flag(source, table, False)


def waiting(source: Source, table: str) -> Condition | None:
    """That a row is not done with, by a state that says so: an open invoice."""
    names = ("open", "unpaid", "outstanding", "pending")
    return _called(source, table, names) or _listed(source, table, names)


def called_overdue(source: Source, table: str) -> Condition | None:
    """That a row is overdue, by a state of that name."""
    names = ("overdue", "past due")
    return _called(source, table, names) or _listed(source, table, names)


_CALLED_OFF = ("cancelled", "canceled", "withdrawn", "void", "voided")
"""States of rows that were cancelled."""


def called_off(source: Source, table: str) -> Condition | None:
    """That a row was cancelled, by its state."""
    return _called(source, table, _CALLED_OFF) or _listed(source, table, _CALLED_OFF)


_GIVEN_UP = frozenset(
    {"cancelled", "canceled", "withdrawn", "void", "voided", "written off", "waived", "annulled", "reversed", "credited", "rejected"}
)  # fmt: skip
"""States of rows that nobody waits for any more, though they were never done."""


UNOWED = frozenset(
    {"void", "voided", "cancelled", "canceled", "annulled", "deleted", "refunded", "reversed", "withdrawn", "written off", "waived"}
)  # fmt: skip
"""States of rows that nobody has to pay any more."""


def given_up(source: Source, table: str) -> Condition | None:
    """That nobody waits for a row any more: cancelled, written off, waived."""
    thing = source.model.things[table]
    one = source.model.field(table, thing.state) if thing.state else None
    pairs = labels(source, one) if one is not None else []
    codes = tuple(code for code, label in pairs if fold(label).replace("_", " ") in _GIVEN_UP)
    if one is None or not codes:
        return called_off(source, table)
    return Condition("in", (Slot(one),), codes, said="cancelled")


def told(source: Source, table: str, word: str) -> Condition | None:
    """Condition that a word for a state sets on a table: open, closed, active, inactive; None for other words, and where nothing tells.

    A word that a value of the table's own status bears is that value, and is not asked for here.
    """
    low = fold(word)
    if low in (*CURRENT, *_OVER, "closed") and (listed := _listed(source, table, (low,))) is not None:
        return listed
    if low in ("open", "closed"):
        return (
            _called(source, table, (low,))
            or _by_letter(source, table, low)
            or _by_closing(source, table, low == "open")
            or _by_payment(source, table, low == "open")
            or _by_flag(source, table, low == "open")
        )
    if low in CURRENT:
        return _by_letter(source, table, low) or current(source, table)
    return ended(source, table) if low in _OVER else None


def _by_letter(source: Source, table: str, word: str) -> Condition | None:
    """Active rows by a status of single letters of which one alone is the word's first; an end that is missing says less."""
    thing = source.model.things[table]
    one = source.model.field(table, thing.state) if thing.state and word in _LETTERED else None
    if one is None or one.codes is not None:
        return None
    codes = [code for code, _ in labels(source, one)]
    if word[0].upper() not in codes or not all(len(code) == 1 and code.isupper() for code in codes):
        return None
    return Condition("in", (Slot(one),), (word[0].upper(),), said="ended" if word in _OVER else "current")


def _by_closing(source: Source, table: str, is_open: bool) -> Condition | None:
    """Open rows are those that have no time of closing."""
    closed = _closing(source, table)
    if closed is None:
        return None
    return Condition(
        "missing" if is_open else "filled", (Slot(closed),), said="current" if is_open else "ended"
    )


def _by_payment(source: Source, table: str, is_open: bool) -> Condition | None:
    """Open invoices are those that have not been paid yet, closed ones those that have."""
    if not set(source.model.things[table].noun) & _BILLS:
        return None
    paid = next(
        (f for f in source.model.of_role(table, Role.TIME) if set(f.words) & PAYING and f.filled < 1), None
    )
    if paid is None:
        return None
    return Condition(
        "missing" if is_open else "filled", (Slot(paid),), said="current" if is_open else "ended"
    )


def _by_flag(source: Source, table: str, is_on: bool) -> Condition | None:
    """Rows by a flag that says that they are current, else by one that says that they are barred."""
    flags = source.model.of_role(table, Role.FLAG)
    going = [(one, True) for one in flags if set(one.words) & _GOING]
    over = [(one, False) for one in flags if _is_over(set(one.words))]
    barred = [(one, False) for one in flags if set(one.words) & _BARRED]
    told_by = sorted([*going, *over], key=lambda told: flags.index(told[0])) or barred
    for one, says_on in told_by[:1]:
        literal = one.yes if is_on == says_on else one.no
        return Condition("in", (Slot(one),), (literal.strip("'"),), said="current" if is_on else "ended")
    return None


def _is_over(words: set[str]) -> bool:
    """Whether a flag of these words says that something is no longer used."""
    return bool(words & _STOPPED) or stem("out") in words and bool(words & _IN_USE)


def late(source: Source, table: str) -> Condition | None:
    """That what was due at one time was done after it."""
    found = due_and_done(source, table)
    return Condition("later", found, said="late") if found is not None else None

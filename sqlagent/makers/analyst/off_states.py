"""States by which a row never came to be, or was undone: cancelled, void, refused, failed, refunded. Tells what of a table says so.

Decides by the table's noun which states undo money: a payment that failed moved none, an inspection that failed was paid for all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import STATES, stems
from sqlagent.language.words import fold, stem
from sqlagent.makers.analyst.concepts.orders import head_of
from sqlagent.makers.analyst.frames import OFF, Condition, Path, Slot
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import labels

VOID = frozenset({"void", "voided", "annulled", "deleted"})
"""States of documents that never counted, whatever they are about."""

_CANCELLED = frozenset({"cancelled", "canceled"})
_REFUSED = frozenset(
    {
        "draft",
        "rejected",
        "declined",
        "refused",
        "failed",
        "bounced",
        "aborted",
        "abandoned",
        "reversed",
        "refunded",
        "chargeback",
        "error",
    }
)
"""States by which money that is exchanged never moved, or went back whole."""
_BACK = frozenset({"returned"})
"""The state of goods that were sold and came back; of a rental it is the good end."""

WORDS = VOID | _CANCELLED | _REFUSED | _BACK
"""Every word for a row that is no money."""

SOFT = frozenset({"draft", "refunded", "returned", "reversed", "chargeback"})
"""States that some people count all the same, beside cancelled ones that they do not."""

_EXCHANGES = stems(
    "order sale purchase payment charge receipt transfer transaction invoice bill booking reservation ticket registration debit collection "
    "refund payout reimbursement expense deposit donation gift contribution fee"
)
_SALES = stems("order sale purchase payment transfer transaction debit collection")
_ASKED = stems(
    "quote quotation offer proposal bid estimate application claim request requisition tender deal opportunity lead"
)
"""Nouns of what is asked for: of those that were refused, the amount was asked for all the same."""
_LASTING = stems(
    "subscription contract membership policy enrolment enrollment account plan lease agreement tenancy retainer sponsorship loan mandate"
)
"""Rows that last: a cancelled one counted for as long as it ran."""
_PERIODIC = stems("monthly recurring mrr arr yearly annual annually weekly")
_OF_FLAGS = frozenset({"is", "was", "flag", "fl", "yn", "ind", "indic", "sw"})
_OF_TIMES = frozenset({"at", "on", "date", "time", "day", "when"})
_OF_MONEY = frozenset({"payment", "card", "charge", "order", "booking"})
"""First words of a state that say of what it is one: "payment failed"."""


@dataclass(frozen=True, slots=True)
class Off:
    """The rows of a table that are no money: the column that says so, and what is stored there by the word for it.

    `op` is that of the condition that leaves them out. `is_asked` says that people differ in whether they count.
    """

    slot: Slot
    op: str
    values: tuple[tuple[str, str], ...]
    is_asked: bool = False

    def families(self) -> tuple[str, ...]:
        """The words for these rows, each once."""
        return tuple(dict.fromkeys(word for _, word in self.values))

    def condition(self, families: tuple[str, ...]) -> Condition:
        """That a row is none of these, as a condition that nobody typed."""
        values = tuple(value for value, word in self.values if word in families)
        said = OFF + ", ".join(dict.fromkeys(word for _, word in self.values if word in families))
        return Condition(self.op, (self.slot,), () if self.op == "missing" else values, said=said)


def off_of(table: str, source: Source) -> Off | None:
    """Tell which rows of an event, or of the lines of one, are no money; None where nothing tells. An order that points at nothing is one too.

    The row's own state goes first, then that of the document that it is a line of.
    """
    thing = source.model.things[table]
    is_alone = thing.kind is Kind.THING and thing.default_time and set(thing.noun) & (_EXCHANGES | _ASKED)
    if thing.kind not in (Kind.EVENT, Kind.LINES) and not is_alone:
        return None
    own = _told_by(table, (), source)
    if own is not None or thing.kind is not Kind.LINES:
        return own
    for path in _heads(table, source):
        if (found := _told_by(path[-1].target, path, source)) is not None:
            return found
    return None


def _heads(table: str, source: Source) -> list[Path]:
    """The ways from lines to the documents that they may belong to, likeliest first."""
    found: list[Path] = []
    head, time = head_of(source, source.model.things[table]), source.time_of(table)
    for slot in (head, time):
        if slot is not None and len(slot.path) == 1 and slot.path not in found:
            found.append(slot.path)
    return [path for path in found if source.model.things[path[-1].target].kind is Kind.EVENT]


def _told_by(table: str, path: Path, source: Source) -> Off | None:
    noun = set(source.model.things[table].noun)
    asks = bool(noun & _ASKED)
    words = VOID if noun & _LASTING else VOID | _CANCELLED
    if asks or noun & _EXCHANGES and not noun & _LASTING:
        words |= _REFUSED
    if noun & _SALES and not asks:
        words |= _BACK
    for state in _states(table, path, source):
        named = ((code, family_of(label)) for code, label in labels(source, state.field))
        if values := tuple((code, family) for code, family in named if family in words):
            return Off(state, "not in", values, asks and not {word for _, word in values} <= VOID)
    for family in sorted(words - _BACK):
        for flag in source.model.of_role(table, Role.FLAG):
            if _is_called(flag, family, _OF_FLAGS) and flag.no:
                return Off(Slot(flag, path), "in", ((flag.no.strip("'"), family),), asks)
        for time in source.model.of_role(table, Role.TIME):
            if _is_called(time, family, _OF_TIMES) and time.filled < 1:
                return Off(Slot(time, path), "missing", (("", family),), asks)
    return None


def _states(table: str, path: Path, source: Source) -> list[Slot]:
    """The columns of states, that by which the table goes first; of a list of states its names."""
    thing = source.model.things[table]
    own = source.model.field(table, thing.state) if thing.state else None
    more = [
        one
        for one in source.model.of_role(table, Role.DIMENSION)
        if one != own and one.few and set(one.words) & STATES
    ]
    found = [Slot(one, path) for one in ([own] if own is not None else []) + more]
    if (listed := source.vocabulary.listed_state(table)) is not None:
        found.append(Slot(listed[1], (*path, listed[0])))
    return found


def _is_called(one: Field, family: str, small: frozenset[str]) -> bool:
    return stem(family) in one.words and set(one.words) <= {stem(family)} | small


def family_of(label: str) -> str:
    """The word for a row that is no money which a state is of; empty for every other state.

    Example:
        >>> family_of("Cancelled by client"), family_of("payment failed"), family_of("partially refunded"), family_of("paid")
        ('cancelled', 'failed', '', '')
    """
    said = fold(label).replace("_", " ").replace("-", " ").split()
    if not said:
        return ""
    if said[:2] in (["charged", "back"], ["charge", "back"]):
        return "chargeback"
    if said[0] in WORDS:
        return said[0]
    return said[-1] if len(said) == 2 and said[0] in _OF_MONEY and said[-1] in WORDS else ""


def is_periodic(one: Field) -> bool:
    """Whether a column holds what is due for each period: a cancelled row earned it for as long as it ran."""
    return bool(set(one.words) & _PERIODIC)

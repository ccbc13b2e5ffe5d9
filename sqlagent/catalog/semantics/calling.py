"""Other names of tables among people: customers who are owners, jobs that bear a job number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlagent.catalog.semantics.values import Kind, Model, Role, Thing
from sqlagent.catalog.semantics.words import BUYERS, KEYS, STAFF, stems

NO_BUYERS = STAFF | stems("agent driver vet trainer doctor lead prospect applicant")
"""Nouns of persons who work for the business, or who have not bought yet."""


_PARTIES = stems("bp partner account acct party company organisation organization firm debtor counterparty")
"""Nouns of those with whom business is done, whoever buys: business partners are often written bp."""

_BILLS = stems("invoice bill order")


def buyers(model: Model) -> str:
    """Give the table of those who buy, where no table is called customers or the like; empty where none stands out.

    It holds persons by first and last name, is no table of staff, and most events that bear money point at it. Without such persons
    it is the one table of partners or companies that invoices or orders point at.
    """
    nouns = [thing.noun for thing in model.things.values() if thing.noun]
    if any(noun[-1] in BUYERS and not set(noun) & STAFF for noun in nouns):
        return ""
    paid: Counter[str] = Counter()
    for relation in model.relations:
        event, person = model.things[relation.source], model.things[relation.target]
        if event.kind is Kind.EVENT and _is_person(person) and _bears_money(model, event):
            paid[person.table] += 1
    ranked = paid.most_common(2)
    if not ranked:
        return _billed_party(model)
    return ranked[0][0] if len(ranked) == 1 or ranked[0][1] > ranked[1][1] else ""


def _billed_party(model: Model) -> str:
    """Give the one table of parties that invoices point at: business partners, accounts, companies; empty where there is none, or several."""
    parties = {
        relation.target
        for relation in model.relations
        if set(model.things[relation.source].noun) & _BILLS
        if model.things[relation.target].kind is Kind.THING and model.things[relation.target].display
        if model.things[relation.target].noun[-1:] and model.things[relation.target].noun[-1] in _PARTIES
    }
    return min(parties) if len(parties) == 1 else ""


def numbered(model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Events by the noun of the number that their rows are known by: installations with a job_no are jobs."""
    nouns = {word for thing in model.things.values() for word in thing.noun}
    for thing in model.things.values():
        known = [
            noun
            for one in model.fields[thing.table]
            if one.role is Role.KEY and one.column not in thing.key and one.filled == 1.0
            if one.words[-1:] != ("id",)  # the id of something else
            if len(noun := tuple(word for word in one.words if word not in KEYS)) < len(one.words)
        ]
        if thing.kind is Kind.EVENT and len(known) == 1 and len(known[0]) == 1 and known[0][0] not in nouns:
            yield thing.table, known[0]


def _is_person(thing: Thing) -> bool:
    return thing.kind is Kind.THING and len(thing.display) > 1 and not set(thing.noun) & NO_BUYERS


def _bears_money(model: Model, thing: Thing) -> bool:
    return any(f.role is Role.MEASURE and f.unit == "money" for f in model.fields[thing.table])

"""Refunds that are payments below zero, where nothing in the source is called a refund."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind, Model
from sqlagent.catalog.semantics.words import stems

_REFUNDS = re.compile(r"\b(?:refunds|refund payments|refunded payments|money paid back)\b", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"\b(?:without|excluding|except|minus|leaving out|leave out|no|not|net of|less)\s+(?:the |any |all )?$",
    re.IGNORECASE,
)
_PAYMENTS = stems("payment receipt transaction")


def paid_back(model: Model) -> str:
    """The noun of the payments that are below zero where money went back; empty where no single table has some."""
    found = [
        thing.said
        for thing in model.things.values()
        if thing.kind is Kind.EVENT and set(thing.noun) & _PAYMENTS
        for one in model.fields[thing.table]
        if one.unit == "money" and one.low.startswith("-")
    ]
    return found[0] if len(found) == 1 else ""


def with_refunds(text: str, noun: str) -> str:
    """Say payments under zero for refunds; those that a question leaves out stay as they are."""
    return _REFUNDS.sub(
        lambda found: found[0] if _LEFT_OUT.search(text[: found.start()]) else f"{noun} under 0", text
    )

"""Wishes in words, one after the other: each is understood as a whole or left out and named."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.scales import scales_written_out
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.rewriting.filtering import bound, filtered, unfiltered
from sqlagent.makers.rewriting.layout import layout_of
from sqlagent.makers.rewriting.matching import between, included, like, missing
from sqlagent.makers.rewriting.naming import Named
from sqlagent.makers.rewriting.ordering import limited, sorted_by, topped
from sqlagent.makers.rewriting.outputs import added, dropped, once_each, per, shared
from sqlagent.makers.rewriting.shaping import reaggregated, regrouped, renamed, rounded
from sqlagent.makers.rewriting.timing import in_period, per_grain
from sqlagent.makers.rewriting.values import INSTEAD, Fulfilled, Refused, Rewritten

_WISHES: tuple[Callable[[str, Named, date, ValueIndex | None], Fulfilled], ...] = (
    renamed,
    rounded,
    reaggregated,
    regrouped,
    limited,
    topped,
    sorted_by,
    once_each,
    shared,
    per_grain,
    in_period,
    unfiltered,
    included,
    missing,
    dropped,
    between,
    bound,
    like,
    added,
    per,
    filtered,
)
"""The wishes that are known, narrow ones before wide ones."""

_LEADS = r"(?:top|bottom|only|just|by|per|for each|in|for|since|before|after|until|between|sort(?:ed)?|order(?:ed)?|with|without|excluding|except|exclude|add|drop|remove|hide|limit|show|no|as|monthly|weekly|daily|yearly|quarterly|largest|smallest|newest|oldest|highest|lowest|at least|at most|more than|less than)"
_CUT = re.compile(
    rf"\s*;\s*|\s*[,.]\s+(?:and\s+|but\s+|then\s+)?(?={_LEADS}\b)|\s+(?:and|but|then)\s+(?:then\s+|also\s+)?(?={_LEADS}\b)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:(?:please|pls|now|also|and|then|but|ok(?:ay)?|so|(?:can|could) you|i want(?: to see)?|i(?:'d| would) like(?: to see)?|give me|show me|let me see|make it|change it to|the same,?)\s+)+|(?:\s+(?:please|pls|instead|too|as well|now))+$",
    re.IGNORECASE,
)
_GROUPS_INSTEAD = re.compile(
    r"\b(?:by|per|daily|weekly|monthly|quarterly|yearly)\b.*\binstead$", re.IGNORECASE
)
"""Other groups in the place of those that stand there."""

LONGEST = 300
"""Characters of what is typed; a longer text is no change of a statement."""

MOST = 8
"""Changes made at once: each parses the statement some three times."""

UNREADABLE = "Only one SELECT statement can be changed in words without a language model. This text is none, or joins several by UNION, INTERSECT or EXCEPT."


def rewritten(typed: str, sql: str, source: Source, today: date, index: ValueIndex | None) -> Rewritten:
    """Change a statement as its reader wishes, without a language model. Never raises on any text.

    Stored values are looked up in `index`: with None no filter on a value is found. A wish that is not understood as a whole changes
    nothing and is among the `unused`.
    """
    typed = scales_written_out(" ".join(typed.split()).strip(" ?.!,"))
    parts = [part for part in _CUT.split(typed) if part] if len(typed) <= LONGEST else []
    if len(typed) > LONGEST or len(parts) > MOST:
        return Rewritten(refused=(f"At most {MOST} changes in {LONGEST} characters are made at once.",))
    layout = layout_of(sql, source.model.dialect)
    if layout is None:
        return Rewritten(refused=(UNREADABLE,))
    said: list[str] = []
    unused: list[str] = []
    refused: list[str] = []
    made = 0
    while parts:
        part = parts.pop(0)
        made += 1
        wish = _POLITE.sub("", part).strip(" ,.?!")
        if _GROUPS_INSTEAD.search(part):
            wish = f"{wish} instead"
        if not wish:
            continue
        found = _fulfilled(wish, Named(layout, source), today, index)
        if isinstance(found, Refused):
            refused.append(found.why)
        elif (
            found is not None
            and said
            and INSTEAD in found[1]
            and not _replaces(wish, sql, source, today, index)
        ):
            refused.append(
                f"“{wish}” would take the place of a change before it: say both in one, as in “Norway and Sweden”."
            )
        elif (
            found is None
            and _JOINT.search(wish)
            and made + len(pieces := _JOINT.split(wish)) + len(parts) <= MOST
        ):
            parts = [*pieces, *parts]  # several changes after all, and no list of values
        elif found is None:
            unused.append(part)
        else:
            layout, words = found
            said.append(words)
    return Rewritten(
        layout.text if said and layout.text != sql else "", tuple(said), tuple(unused), tuple(refused)
    )


def _replaces(wish: str, sql: str, source: Source, today: date, index: ValueIndex | None) -> bool:
    """Whether a wish takes the place of something that stands in the statement itself."""
    layout = layout_of(sql, source.model.dialect)
    alone = _fulfilled(wish, Named(layout, source), today, index) if layout is not None else None
    return isinstance(alone, tuple) and INSTEAD in alone[1]


def _fulfilled(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Fulfil one wish by the first way that knows it; a refusal counts only where no later way fulfils it."""
    refused: Refused | None = None
    for way in _WISHES:
        found = way(wish, named, today, index)
        if isinstance(found, Refused):
            refused = refused or found
        elif found is not None:
            return found
    return refused

"""Reads the intent of a follow-up towards the question before it: to add, to take the place of something, to narrow, to take away."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.makers.analyst.changing.intents import GONE, TOGETHER, TOO, Intent, trimmed, without_article
from sqlagent.makers.analyst.changing.ways import in_own_form, way_of
from sqlagent.makers.analyst.changing.whole_forms import by_whole_form

_I = re.IGNORECASE
_SWAPPED = (
    re.compile(r"^(?:replace|change|swap)\s+(?P<old>.+?)\s+(?:with|to|by|for)\s+(?P<new>.+)$", _I),
    re.compile(r"^(?P<new>.+?)\s+(?:instead of|rather than|in place of)\s+(?P<old>.+)$", _I),
    re.compile(r"^not (?P<old>.+?),? but (?P<new>.+)$", _I),
    re.compile(r"^instead of (?P<old>.+?),\s*(?P<new>.+)$", _I),
    re.compile(
        r"^(?!(?:(?:only|just|but|and|the|those|these|ones?|all|they|people|everyone|which|who|that|is|are|was|were|have|has|had) ?)+ not )(?P<new>[^,]+?),?\s+(?:and )?not (?:by |per )?(?:the )?(?P<old>[\w' -]+)$",
        _I,
    ),
)
_INSTEAD_OF = re.compile(r"^instead of\s+(.+)$", _I)
_AND_ALL = re.compile(r"^(?:and|but|now)\s+(?=(?:all|every|any)\b.+\b(?:together|combined|again)$)", _I)
_TOGETHER = re.compile(r"\b(?:together|combined)$", _I)
_IS = re.compile(r"\b(who|what|which|that)'s\b", _I)


def intent(typed: str) -> Intent:
    """Read what a follow-up, or a part of one, is about to do.

    Example:
        >>> intent("and what about Norway?").text, intent("by month instead").way, intent("all years again").way
        ('Norway', 'swap', 'gone')
    """
    asks = typed.rstrip().endswith("?")
    whole = _IS.sub(r"\1 is", " ".join(typed.split()).replace("’", "'").strip(" ?.!,"))
    text = trimmed(whole)
    if special := by_whole_form(text, whole):
        return special
    if found := next((found for one in _SWAPPED if (found := one.match(text))), None):
        return Intent(without_article(found["new"]), "swap", without_article(found["old"]))
    text = _AND_ALL.sub("", text)
    if found := GONE.match(text):
        every = bool(
            re.search(
                r"\b(?:all|any|every|whole|whatever|regardless|irrespective|no matter)\b",
                text[: found.start(found.lastindex or 0)],
                _I,
            )
        )
        old = TOGETHER if every and _TOGETHER.search(text) else ""
        return Intent(without_article(next(one for one in found.groups() if one)), "gone", old, every=every)
    beside = bool(TOO.search(text))
    special = in_own_form(TOO.sub("", text))
    return (
        (replace(special, way="add") if beside and special.way != "sort" else special)
        if special
        else way_of(text, asks)
    )


def swapped_for(typed: str) -> str:
    """The words behind "instead of" where no mark tells the old from the new; empty where nothing does."""
    found = _INSTEAD_OF.match(" ".join(typed.split()).strip(" ?.!,"))
    return found[1] if found else ""

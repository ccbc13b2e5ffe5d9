"""Rewrites a follow-up into a question that stands by itself, by rule and without any LLM.

Decides what a follow-up changes about the latest question (number, grouping, time, value, noun,
order, share) and states that question with the change made. It works on words: the catalog
tells which of them are tables, columns or stored values; no database is asked.
"""

from __future__ import annotations

import re

from sqlagent.makers.followups.change import Change, Names
from sqlagent.makers.followups.patterns import (
    ASKS,
    ELLIPTIC,
    FILLER,
    JOINER,
    NO_FIGURE,
    NUMBER,
    OF_BEFORE,
    POINTS_BACK,
    WHO_ARE,
    WHO_DID,
)
from sqlagent.makers.followups.rules import RULES
from sqlagent.values import Catalog, Turn


def stands_alone(typed: str, catalog: Catalog) -> bool:
    """Tell whether what was typed is a whole question: it asks, names something of the schema, and points at nothing said before.

    Example:
        >>> from sqlagent.values import Table
        >>> shop = Catalog("sqlite", (Table("orders", ()),))
        >>> stands_alone("How many orders are there?", shop), stands_alone("only 2024", shop)
        (True, False)
    """
    text = re.sub(r"^(?:and|but)\b[,\s]*", "", _bare(typed), flags=re.IGNORECASE)
    if text != _bare(typed) and len(text.split()) <= 4:
        return False
    if re.fullmatch(r"how many [\w-]+(?: [\w-]+)?", text, re.IGNORECASE):
        return False  # of what was asked before
    if NO_FIGURE.fullmatch(text) or OF_BEFORE.search(text):
        return False  # of what was asked before
    if (WHO_ARE.match(text) or WHO_DID.fullmatch(text)) and not typed.rstrip().endswith("?"):
        return False
    names = Names(catalog)
    whose = re.search(r"\b(?:their|its)\b", text, re.IGNORECASE)
    if POINTS_BACK.search(text) or (whose and not any(map(names.is_table, re.findall(r"[\w'-]+", text)))):
        return False
    if ELLIPTIC.match(text):
        lead, comma, rest = text.partition(",")
        return bool(comma) and len(lead.split()) <= 6 and stands_alone(rest.strip(), catalog)
    text = re.sub(r"^(?:please|can you|could you|now|ok|so|then)\b[,\s]*", "", text, flags=re.IGNORECASE)
    words = re.findall(r"[\w'-]+", text)
    if re.match(
        rf"(?:show me |give me |show )?(?:the )?(?:top|bottom|first|last)\b(?:\s+{NUMBER})?",
        text,
        re.IGNORECASE,
    ):
        return any(map(names.is_name, words)) and bool(re.search(r"\b(?:by|with|in|of|who|that)\b", text))
    return bool(ASKS.match(text)) and len(words) > 2 and any(map(names.is_name, words))


def is_whole(text: str, catalog: Catalog) -> bool:
    """Tell whether words behind "forget that" are a question of their own: one that stands alone, or a figure of something of the schema with its groups.

    Example:
        >>> from sqlagent.values import Table
        >>> shop = Catalog("sqlite", (Table("orders", ()),))
        >>> is_whole("orders by status", shop), is_whole("by status", shop), is_whole("without open orders", shop)
        (True, False, False)
    """
    if stands_alone(text, catalog):
        return True
    names = Names(catalog)
    words = re.findall(r"[\w'-]+", _bare(text))
    return (
        len(words) > 2
        and not ELLIPTIC.match(_bare(text))
        and not POINTS_BACK.search(_bare(text))
        and any(map(names.is_name, words[:3]))
    )


def rewrite(typed: str, turn: Turn, catalog: Catalog) -> str:
    """State the latest question with the change that a follow-up makes; the same words always give the same text.

    Parts of a follow-up ("by month instead, only 2024") are taken one after the other. A part that
    no rule knows is joined to the question when it is short, and stands as typed otherwise.
    """
    change = Change(turn, Names(catalog), asks=typed.rstrip().endswith("?"))
    text = _bare(typed)
    if change.asks:
        text = re.sub(r"^and\s+(?!by\b|also\b|how\b)", "what about ", text, flags=re.IGNORECASE)
    for part in _parts(text):
        _apply(change, part)
    return change.text()


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" ?.!")


def _parts(text: str) -> list[str]:
    starts = (
        r"(?:only|just|by|per|in|for|from|at|since|before|after|until|between|sort|order|top|bottom|first|last|with|split"
        r"|excluding|exclude|except|as|group|daily|weekly|monthly|quarterly|yearly|the same|also|what about|\d{4})\b"
    )
    cut = re.split(
        rf"\s*;\s*|\s*,\s*(?:and\s+|but\s+)?(?={starts})|\s+but\s+|\s+and\s+(?:then\s+)?(?=(?:only|just|sort|order|sorted)\b)",
        text,
    )
    return [part for part in cut if part]


def _apply(change: Change, part: str) -> None:
    """Make one change; the first rule that knows it does."""
    adds = bool(JOINER.match(part))
    part = FILLER.sub("", FILLER.sub("", JOINER.sub("", part)))
    replaces = bool(re.search(r"\b(?:instead|rather)\b", part, re.IGNORECASE))
    swap = re.match(
        r"(?:use |with |by )?(.+?) instead of (.+)$|^(?:replace|change) (.+?) (?:with|to|by) (.+)$",
        part,
        re.I,
    )
    if swap:
        new, old = (swap.group(1), swap.group(2)) if swap.group(1) else (swap.group(4), swap.group(3))
        change.substitute(old, new)
        return
    if compared := re.match(
        r"(?:compared?(?: it| this)? (?:with|to)|vs\.?|versus)\s+(.+)$", part, re.IGNORECASE
    ):
        adds, part = True, compared.group(1)
        if re.fullmatch(r"\d{4}", part) and (year := re.search(r"\b\d{4}\b", change.now)):
            change.put(year.end(), year.end(), f" vs {part}")
            return
    part = re.sub(r"(?<=\w)\s+only$", "", part, flags=re.IGNORECASE)
    part = re.sub(r"[,\s]*\b(?:instead|rather|please|too|as well|though|then)$", "", part, flags=re.I).strip()
    if not part:
        return
    for rule in RULES:
        if rule(change, part, adds and not replaces):
            return
    change.join(part)

"""The wordings of a condition whose noun was left out: "active ones only" after "candidates per skill"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.wordings import DENIED, Wording, tidy

_NOUN = re.compile(r"\s*\b(?:ones?|people|those|anyone|everyone)\b\s*$", re.IGNORECASE)
_DENIES = re.compile(r"^(?P<word>without|excluding|except|no)\s+(?:the\s+)?(?P<rest>.+)$", re.IGNORECASE)
_WHOSE = re.compile(
    r"^(?P<word>without\s+)?(?:the\s+)?(?:people|those|ones|anyone|everyone|everybody|customers) (?P<rest>(?:who|that|which) .+)$",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"^(?:in|for|from|to|into|at|of|on|by|per|during|since|before|after|between|with|not|never|who|that|which|top|as)\b",
    re.IGNORECASE,
)


def in_full(text: str, asked: Asked) -> Iterator[Wording]:
    """A condition with the noun that it is about: of what was asked for first, then of the groups."""
    whose, denies = _WHOSE.match(text), _DENIES.match(text)
    for noun in _nouns(asked):
        if whose:
            yield from _behind(f"{whose['word'] or 'for '}{plural_of(noun)} {whose['rest']}", asked)
        elif denies:
            yield from _behind(f"{denies['word']} {_NOUN.sub('', denies['rest'])} {noun}", asked)
        elif not _PLACED.match(text) and len(text.split()) <= 4:
            so = _NOUN.sub("", text)
            if not so:
                return
            yield from _behind(f"for {so} {noun}", asked)
            at = re.search(rf"(?<!\w){re.escape(noun)}(?!\w)", asked.text)
            if at:
                yield Wording(tidy(f"{asked.text[: at.start()]}{so} {asked.text[at.start() :]}"), "behind")


def _behind(clause: str, asked: Asked) -> Iterator[Wording]:
    if denied := DENIED.search(asked.text):
        at = denied.start()
        yield Wording(tidy(f"{asked.text[:at]} {clause}{asked.text[at:]}"), "behind")
    yield Wording(tidy(f"{asked.text} {clause}"), "behind")


def _nouns(asked: Asked) -> list[str]:
    """Words for rows of a table, those of what was asked for before those of its groups."""
    groups = [one for one in asked.stretches if one.kind == "by"]
    things = [one for one in asked.stretches if one.is_thing]

    def grouped(start: int) -> bool:
        return any(one.start <= start < one.end for one in groups)

    ordered = sorted(things, key=lambda one: (grouped(one.start), one.start))
    return list(dict.fromkeys(one.text for one in ordered))[:2]

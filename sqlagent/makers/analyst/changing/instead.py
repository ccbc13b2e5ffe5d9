"""The wordings of a question with words in the place of those that were named, or of all that was shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.figures import counted, figure_named, is_any_figure
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.changing.removing import is_named_by
from sqlagent.makers.analyst.changing.wordings import GROUP, Stretch, Wording, tidy

_TO_PLACE = re.compile(r"(?P<way>from|to|into|in|out of) (?:the )?(?P<place>[\w' -]+)$", re.IGNORECASE)
_WAYS_OF_PLACES = {
    "from": "from|out of",
    "out of": "from|out of",
    "to": "to|into",
    "into": "to|into",
    "in": "in|at",
}
ANEW = re.compile(
    r"^(?:(?:and|but|now|ok|only|just|show(?: me)?|give me|what about|the) )*(?P<figure>(?:(?:number|count) of|how many|average|total) [\w' -]+? (?:by|per|for each) [\w' -]+)$",
    re.IGNORECASE,
)


def placed_instead(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """Another place in the part of the one that was asked for: "from Asia" for "from China", "to Italy" for "to Rome"."""
    found = _TO_PLACE.match(meant.text)
    if found is None or meant.way != "swap":
        return
    ways = _WAYS_OF_PLACES[found["way"].lower()]
    for one in asked.stretches:
        led = re.search(
            rf"\b(?:(?:for|the) )*(?:ones )?(?P<way>{ways})(?: the)? $",
            asked.text[: one.start],
            re.IGNORECASE,
        )
        if led is not None and one.kind in ("mention", "text") and not one.is_thing:
            made = f"{asked.text[: led.start()]}{meant.text}{asked.text[one.end :]}"
            yield Wording(tidy(made), "replaced", "place", one.text), meant


def asked_anew(figure: str, meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """A figure with its groups in the place of all that was shown, of the same rows in the same period: "the number of fails per hall" after shares of the results."""
    groups = [one for one in asked.stretches if one.kind == "by"]
    kept = [
        one
        for one in asked.stretches
        if not any(by.start <= one.start < by.end for by in groups)
        and (one.kind == "period" or one.kind == "mention" and one.about and not one.is_thing)
    ]
    periods = " ".join(one.text for one in kept if one.kind == "period")
    values = " ".join(f"for {one.text}" for one in kept if one.kind != "period")
    for rest in dict.fromkeys((f"{values} {periods}", periods)):
        yield Wording(tidy(f"{figure} {rest}"), "anew"), meant


def swapped(rest: str, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """ "instead of revenue the number of orders": the old is what the question before has of it."""
    words = rest.split()
    for cut in range(1, len(words)):
        old, new = " ".join(words[:cut]), " ".join(words[cut:])
        new = re.sub(r"^(?:the|show|use)\s+", "", new, flags=re.IGNORECASE)
        yield from ((one, Intent(new, "swap", old)) for one in in_place_of(old, new, asked))


def in_place_of(old: str, new: str, asked: Asked) -> Iterator[Wording]:
    """Put words in the place of those that were named."""
    if is_any_figure(old):
        lead = f"{new} of " if new.lower().split()[:1] != ["number"] else f"{new} of the "
        yield Wording(tidy(f"{lead}{asked.text}"), "before", "mention")
    for one in _meant_by(old, asked):
        text = new if one.kind == "by" else GROUP.sub("", new)
        for said in counted(text, asked):
            made = asked.text[: one.start] + said + asked.text[one.end :]
            yield Wording(tidy(made), "replaced", one.kind, one.text)


def _meant_by(old: str, asked: Asked) -> list[Stretch]:
    """The stretches that words name, longest first; "the count" and "money" name the figure that was asked for."""
    found = [one for one in asked.stretches if is_named_by(one.text, old)]
    if not found and is_any_figure(old):
        found = [one for one in asked.stretches if one.kind in ("mention", "agg") and not one.about][:1]
    found += figure_named(old, asked) if not found else []
    return sorted(found, key=lambda one: one.start - one.end)

"""Finds the wording of a follow-up whose frame differs from the one before in what was typed, and in nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import chain, islice

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import MAX_CHARS, tokenise
from sqlagent.makers.analyst.answering import DRAFT, NOT_UNDERSTOOD, today_of, understand
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.doubting import doubt_of, doubt_of_ending, loss_of
from sqlagent.makers.analyst.changing.intents import CHANGES, FORGET, POINTS_BACK, Intent, intent, trimmed
from sqlagent.makers.analyst.changing.parts import Part, difference, parts
from sqlagent.makers.analyst.changing.proposing import proposed
from sqlagent.makers.analyst.changing.wordings import Wording, stretches, tidy
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.phrasing import condensed, prepared
from sqlagent.makers.analyst.reading import read
from sqlagent.makers.analyst.sampler import speaks
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.makers.analyst.telling import title
from sqlagent.values import Catalog

ACCEPTED = 0.7
"""Doubt from which on no wording is taken: something was lost, or a word was not used."""

OTHERWISE = 3
"""Other words for the question before that are tried, each with all wordings."""

SURE = 0.1
"""Doubt at which no further wording is tried."""

_AND_BY = re.compile(r"\s*and (?:by|per|for each) ", re.IGNORECASE)
_CUT = re.compile(
    r"\s*;\s*|\s*,\s*(?:and\s+|but\s+)?(?=(?:(?:year|quarter|month|week|day) by|group(?:ed)?|worst|best|largest|smallest|highest|lowest|only|just|by|per|in|for|since|before|after|until|between|sort(?:ed)?|top|bottom|with|without|split"
    r"|excluding|except|as|monthly|weekly|daily|yearly|quarterly|also|(?:19|20)\d\d)\b)|\s*,\s*(?=[^,]+\s+only$)|\s+but\s+(?=(?:only|just|by|per|in|for|since|without|top|as|split|sort(?:ed)?|group(?:ed)?)\b)"
    r"|\s+and\s+(?=(?:only|just|sort(?:ed)?)\b)",
    re.IGNORECASE,
)


def followed(
    typed: str,
    before: str,
    catalog: Catalog,
    index: ValueIndex | None,
    other: str = "",
    clock: date | None = None,
) -> str:
    """State a follow-up as a question that stands by itself, on a source that the analyst speaks for; empty where it cannot tell.

    Where no wording is sure, the `other` one is taken if it keeps what was not mentioned. Else what was typed is told beside the
    question before as not understood, and stays there through later changes until "forget it": no condition is dropped unsaid.
    """
    source = source_of(catalog, index)
    typed, before = condensed(typed[:MAX_CHARS]), condensed(before[:MAX_CHARS])
    today = today_of(source, clock)
    left = NOT_UNDERSTOOD.search(before)
    whole = before[: left.start()] if left else before
    lacking = left[1].split("; ") if left else []
    asked = _asked(whole, source, today)
    if index is not None and (asked is None or lacking) and (anew := _whole_anew(typed, source, today)):
        return anew
    if asked is None and index is not None and (plainer := _without_unused(whole, source, today)):
        whole, unused = plainer
        lacking = [*lacking, *unused]
        asked = _asked(whole, source, today)
    if asked is None or not asked.speaks:
        return ""
    if lacking and FORGET.fullmatch(typed.strip(" ?.!")):
        return whole
    if not source.is_business and _keeps(other, typed, asked, source, today):
        return other
    found = _changed(typed, asked, source, today)
    if (
        not found
        and not lacking
        and (
            _keeps(other, typed, asked, source, today)
            or index is None
            and _drops_nothing(other, typed, asked, source, today)
        )
    ):
        found = other
    joined = f"{whole.strip(' ?.!')}, {typed.strip(' ?.!')}"
    if not found and _is_kept(joined, typed, asked, source, today):
        found = joined
    if not found:
        lacking.append(" ".join(re.sub(r"[();]", " ", typed).split()).strip(" ?.!"))
    return f"{found or whole.strip(' ?.!')} (not understood: {'; '.join(lacking)})" if lacking else found


def _whole_anew(typed: str, source: Source, today: date) -> str:
    """What was typed after a question that was not understood, where it is understood by itself and names a figure; else empty."""
    text = trimmed(" ".join(typed.split()).strip(" ?.!"))
    if CHANGES.match(text) or POINTS_BACK.search(text) or text.lower().endswith(" only"):
        return ""
    frames = understand(text, source, today)[1]
    frame = frames[0].frame if frames else None
    names = frame is not None and any(one.said for one in frame.measures)
    return text if frame is not None and names and not frame.unused and frame.cost < DRAFT else ""


def _without_unused(text: str, source: Source, today: date) -> tuple[str, tuple[str, ...]] | None:
    """A draft of a question without the words that it leaves out, and those; None where it would mean anything else without them."""
    reading, frames = understand(text, source, today)
    unused = frames[0].frame.unused if frames else ()
    if not unused or not speaks(text, reading, frames, source):
        return None
    plainer = text
    for word in unused:
        plainer = tidy(re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", plainer, count=1, flags=re.IGNORECASE))
    asked = _asked(plainer, source, today)
    is_same = asked is not None and difference(parts(frames[0].frame), asked.held).is_none
    return (plainer, unused) if is_same else None


def _keeps(text: str, typed: str, asked: Asked, source: Source, today: date) -> bool:
    """Whether a question keeps all of the one before that was not mentioned, and changes nothing else."""
    frames = understand(text, source, today)[1] if text else []
    return bool(frames) and doubt_of(asked, frames[0].frame, intent(typed), frozenset()) < ACCEPTED


def _drops_nothing(text: str, typed: str, asked: Asked, source: Source, today: date) -> bool:
    """Whether a question keeps what was not mentioned, as far as can be told before any value was read."""
    frames = understand(text, source, today)[1] if text else []
    return bool(frames) and not loss_of(difference(asked.held, parts(frames[0].frame)), intent(typed))


def _is_kept(joined: str, typed: str, asked: Asked, source: Source, today: date) -> bool:
    """Whether a question with what was typed joined to it is understood as a whole and keeps all of the one before."""
    frames = understand(joined, source, today)[1]
    return bool(frames) and not frames[0].frame.unused and _keeps(joined, typed, asked, source, today)


def changed(typed: str, before: str, source: Source, today: date) -> str:
    """State the question before with the change that was typed after it; empty where none is sure.

    Every part of what was typed is one change, taken one after the other. A wording counts only if its frame uses every word
    and keeps all that was not mentioned. Understands some twenty wordings, 5 ms each; a hundred and more where nothing can be made of it.
    """
    asked = _asked(before, source, today)
    return _changed(typed, asked, source, today) if asked is not None else ""


def _changed(typed: str, asked: Asked, source: Source, today: date) -> str:
    mark = "?" if typed.rstrip().endswith("?") else ""
    first, *rest = [part for part in _CUT.split(" ".join(typed.split()).strip(" ?.!")) if part] or [""]
    stated = _step(first + mark, asked, source, today)
    for part in rest:
        between = _asked(stated, source, today) if stated else None
        if between is None:
            return ""
        made = _step(part + mark, between, source, today)
        if not made and not _says_the_same(part, between):
            return ""
        stated = made or stated
    return stated


def _says_the_same(part: str, asked: Asked) -> bool:
    """Whether a later part of a change only says again what is left: "no comparison, just 2025", "drop the bookings, just revenue"."""
    text = intent(part).text.lower()
    return any(one.kind in ("period", "mention") and one.text.lower() == text for one in asked.stretches)


def _asked(text: str, source: Source, today: date) -> Asked | None:
    """What can be changed of a question; None where it was not understood as a whole."""
    typed, text = text, prepared(text.strip(" ?.!"), source.vocabulary)
    reading, frames = understand(text, source, today)
    if not frames or frames[0].frame.unused:
        return None
    frame = frames[0].frame
    body, _ = endings(text)
    items = read(body, source.vocabulary, today).items
    return Asked(
        body,
        text[len(body) :],
        frame,
        parts(frame),
        stretches(body, tokenise(body), items),
        speaks(typed, reading, frames, source),
    )


def _step(typed: str, asked: Asked, source: Source, today: date) -> str:
    """Make one change; empty where no wording of it is sure."""
    meant = _crossed(typed, intent(typed), asked)
    for text in (meant.text, *meant.others):
        many = OTHERWISE if text == meant.text else 0
        if found := _worded(typed, replace(meant, text=text), asked, source, today, many):
            return found
    return ""


def _crossed(typed: str, meant: Intent, asked: Asked) -> Intent:
    """ "And by region?" splits figures over time further; of other groups it asks for these in their place."""
    timed = bool(asked.frame.by) and all(one.grain for one in asked.frame.by)
    return replace(meant, way="add") if meant.way == "swap" and timed and _AND_BY.match(typed) else meant


def _worded(typed: str, meant: Intent, asked: Asked, source: Source, today: date, many: int) -> str:
    """The best wording of a change; of a question that was understood, its title says the same in order."""
    best, found = ACCEPTED, ""
    bases = chain([asked], islice(_said_otherwise(asked, source, today), many))
    for one in bases:
        for wording, way in proposed(typed, meant, one, source, today):
            _, frames = understand(wording.text, source, today)
            if not frames:
                continue
            doubt = (
                doubt_of_ending(one, frames[0].frame)
                if wording.way == "ending" and wording.kind
                else doubt_of(one, frames[0].frame, way, _own(wording, one, source, today))
            )
            if doubt < best:
                best, found = doubt, wording.text
            if best <= SURE:
                return found
        if found:
            return found
    return found


def _said_otherwise(asked: Asked, source: Source, today: date) -> Iterator[Asked]:
    """The question before in other words that are read as the same: its second figure alongside the first, its title."""
    figures = next((one for one in asked.stretches if one.kind == "mention" and " and " in one.text), None)
    if figures is not None and len(asked.frame.measures) > 1 and not figures.about:
        names = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", figures.text)
        for first, lead in ((name, lead) for name in names for lead in ("", "number of ")):
            rest = "".join(f", with {lead}{name} alongside" for name in names if name != first)
            text = asked.text[: figures.start] + first + asked.text[figures.end :] + rest + asked.ending
            yield from _same(text, asked, source, today)
    if said := title(asked.frame):
        yield from _same(said, asked, source, today)


def _same(text: str, asked: Asked, source: Source, today: date) -> Iterator[Asked]:
    other = _asked(text, source, today)
    if other is not None and difference(asked.held, other.held).is_none:
        yield other


def _own(wording: Wording, asked: Asked, source: Source, today: date) -> frozenset[Part]:
    """The conditions that a replaced word brought with it: "hires" are rows with a date of hiring, and go with the word."""
    if wording.way != "replaced" or wording.kind != "mention":
        return frozenset()
    frames = understand(wording.old, source, today)[1]
    return (
        frozenset(part for part in parts(frames[0].frame) if part.kind == "where") if frames else frozenset()
    )

"""Finds the wording of a follow-up whose frame differs from the one before in what was typed, and in nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import MAX_CHARS, stem, tokenise
from sqlagent.makers.analyst.answering import today_of, understand
from sqlagent.makers.analyst.changing.intents import Intent, intent, swapped_for
from sqlagent.makers.analyst.changing.parts import Difference, Part, difference, parts
from sqlagent.makers.analyst.changing.wordings import Stretch, Wording, stretches, tidy, without, wordings
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Item, prepared, read
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.values import Catalog

ACCEPTED = 0.7
"""Doubt from which on no wording is taken: something was lost, or a word was not used."""

SURE = 0.1
"""Doubt at which no further wording is tried."""

_CUT = re.compile(
    r"\s*;\s*|\s*,\s*(?:and\s+|but\s+)?(?=(?:only|just|by|per|in|for|since|before|after|until|between|sort(?:ed)?|top|bottom|with|without|split"
    r"|excluding|except|as|monthly|weekly|daily|yearly|quarterly|also|(?:19|20)\d\d)\b)|\s+but\s+(?=(?:only|just|by|per|in|for|since|without|top|as)\b)"
    r"|\s+and\s+(?=(?:only|just|sort(?:ed)?)\b)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PART = re.compile(
    r"^(?:(?:in|for|during)\s+)?(?:q[1-4]|h[12]|[a-z]+ (?:half|quarter)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_IN = re.compile(r"^(?:in|for|during)\s+", re.IGNORECASE)
_FIGURES = frozenset(
    map(stem, ["the", "a", "count", "number", "total", "amount", "figure", "measure", "sum", "value"])
)
"""Words for whatever figure was asked for."""
_STUTTER = re.compile(r"\b(by|per|in|for) (?:by|per|in|for)\b", re.IGNORECASE)
_FAMILY = {"order": "rank", "column": "list", "per": "by"}
"""Kinds of parts that change together."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it stands: its words without its endings, those, its frame and what can be replaced of it."""

    text: str
    ending: str
    frame: Frame
    held: frozenset[Part]
    stretches: list[Stretch]


def followed(
    typed: str,
    before: str,
    catalog: Catalog,
    index: ValueIndex | None,
    other: str = "",
    clock: date | None = None,
) -> str:
    """State a follow-up as a question that stands by itself, on a source that the analyst speaks for; empty where it cannot tell.

    Where no wording is sure, the `other` one is taken if it keeps what was not mentioned, else what was typed is joined to the
    question before, so that its words are seen to be left out and no condition is.
    """
    source = source_of(catalog, index)
    if not source.is_business:
        return ""
    typed, before = typed[:MAX_CHARS], before[:MAX_CHARS]
    today = today_of(source, clock or date.today())
    asked = _asked(before, source, today)
    if asked is None:
        return ""
    if found := changed(typed, before, source, today):
        return found
    if other:
        frames = understand(other, source, today)[1]
        change = difference(asked.held, parts(frames[0].frame)) if frames else None
        if change is not None and not _lost(change, intent(typed)):
            return other
    return f"{before.strip(' ?.!')}, {typed.strip(' ?.!')}"


def changed(typed: str, before: str, source: Source, today: date) -> str:
    """State the question before with the change that was typed after it; empty where none is sure.

    Every part of what was typed is one change, taken one after the other. A wording counts only if its frame uses every word
    and keeps all that was not mentioned. Understands some twenty wordings, 5 ms each.
    """
    for part in [part for part in _CUT.split(" ".join(typed.split()).strip(" ?.!")) if part]:
        asked = _asked(before, source, today)
        if asked is None:
            return ""
        before = _step(part + ("?" if typed.rstrip().endswith("?") else ""), asked, source, today)
        if not before:
            return ""
    return before


def _asked(text: str, source: Source, today: date) -> _Asked | None:
    text = prepared(text.strip(" ?.!"), source.vocabulary)
    reading, frames = understand(text, source, today)
    if not frames or frames[0].frame.unused:
        return None
    frame = frames[0].frame
    body, _ = endings(text)
    items = read(body, source.vocabulary, today).items
    return _Asked(body, text[len(body) :], frame, parts(frame), stretches(body, tokenise(body), items))


def _step(typed: str, asked: _Asked, source: Source, today: date) -> str:
    """Make one change; empty where no wording of it is sure."""
    best, found = ACCEPTED, ""
    meant = intent(typed)
    for wording, way in _worded(typed, meant, asked, source, today):
        _, frames = understand(wording.text, source, today)
        if not frames:
            continue
        own = _own(wording, asked, source, today)
        doubt = _doubt(asked, frames[0].frame, way, own)
        if doubt < best:
            best, found = doubt, wording.text
        if best <= SURE:
            break
    return found


def _worded(
    typed: str, meant: Intent, asked: _Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    """Give the wordings of a change, likely ones first, each once."""
    seen = {(asked.text + asked.ending).lower()}
    for wording, way in _all(typed, meant, asked, source, today):
        whole = wording if wording.way == "ending" else replace(wording, text=wording.text + asked.ending)
        if whole.text.lower() not in seen and not _STUTTER.search(whole.text):
            seen.add(whole.text.lower())
            yield whole, way


def _all(
    typed: str, meant: Intent, asked: _Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    if rest := swapped_for(typed):
        yield from _swapped(rest, asked)
        return
    if meant.way == "gone":
        if asked.ending:
            yield Wording(asked.text, "ending"), meant
        for one in asked.stretches:
            yield Wording(without(asked.text, one), "gone", one.kind), meant
        return
    if meant.old:
        for one in _meant_by(meant.old, asked):
            made = asked.text[: one.start] + meant.text + asked.text[one.end :]
            yield Wording(tidy(made), "replaced", one.kind, one.text), meant
        return
    if (ending := _ending(meant, asked)) is not None:
        yield Wording(asked.text + ending, "ending"), meant
        if meant.way == "sort":
            return
    items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
    kinds = _kinds(items)
    yield from ((one, meant) for one in _timed(meant.text, items, asked))
    if meant.way == "swap":
        yield from (
            (one, meant)
            for one in wordings(asked.text, asked.stretches, meant.text, kinds)
            if one.way == "replaced"
        )
    if "rank" in kinds:
        for one in asked.stretches:
            if one.kind == "by":
                group = re.sub(r"^(?:by|per|for each|each|every)\s+", "", one.text, flags=re.IGNORECASE)
                rest = tidy(asked.text[: one.start] + asked.text[one.end :])
                yield Wording(f"{meant.text} {group} by {rest}", "behind"), meant
    if "mention" in kinds and meant.way != "add":
        yield Wording(tidy(f"{asked.text} for {meant.text}"), "behind"), meant
    for wording in wordings(asked.text, asked.stretches, meant.text, kinds):
        yield wording, meant


def _ending(meant: Intent, asked: _Asked) -> str | None:
    """The endings of a question with the one that was typed, in the place of one of its kind; None where none was typed."""
    typed = endings(f"figures by group, {meant.text}")[1]
    if not typed:
        return None
    kept = [one for one in endings(f"figures by group{asked.ending}")[1] if one.kind != typed[0].kind]
    said = [one.text.strip(" ,") for one in (*kept, *typed)]
    said = [
        "as a share of the total" if one.kind == "share" else text
        for one, text in zip((*kept, *typed), said, strict=True)
    ]
    return "".join(f", {text}" for text in said)


def _timed(text: str, items: tuple[Item, ...], asked: _Asked) -> Iterator[Wording]:
    """A month in the year that was asked for, or another year of the same month."""
    if len(items) > 2 or not any(item.kind == "period" for item in items):
        return
    for one in asked.stretches:
        years = _YEAR.findall(one.text)
        if one.kind != "period" or len(years) != 1:
            continue
        if _YEAR.fullmatch(text) and one.text != years[0]:
            made = one.text.replace(years[0], text)
        elif not _YEAR.search(text) and _PART.search(text):
            made = f"{_IN.sub('', text)} {years[0]}"
        else:
            continue
        yield Wording(tidy(asked.text[: one.start] + made + asked.text[one.end :]), "replaced", one.kind)


def _swapped(rest: str, asked: _Asked) -> Iterator[tuple[Wording, Intent]]:
    """ "instead of revenue the number of orders": the old is what the question before has of it."""
    words = rest.split()
    for cut in range(1, len(words)):
        old, new = " ".join(words[:cut]), " ".join(words[cut:])
        for one in _meant_by(old, asked):
            new = re.sub(r"^(?:the|show|use)\s+", "", new, flags=re.IGNORECASE)
            made = asked.text[: one.start] + new + asked.text[one.end :]
            yield Wording(tidy(made), "replaced", one.kind, one.text), Intent(new, "swap", old)


def _meant_by(old: str, asked: _Asked) -> list[Stretch]:
    """The stretches that words name, longest first; "the count" and "the number" name the figure that was asked for."""
    found = [one for one in asked.stretches if _names(one.text, old)]
    if not found and {stem(word.lower()) for word in old.split()} <= _FIGURES:
        found = [one for one in asked.stretches if one.kind == "mention"][:1]
    return sorted(found, key=lambda one: one.start - one.end)


def _names(text: str, words: str) -> bool:
    """Whether a stretch holds the words that were named, or the other way round; small words aside."""
    one = {stem(word.lower()) for word in re.findall(r"\w+", text)} - {"by", "per", "the"}
    other = {stem(word.lower()) for word in re.findall(r"\w+", words)} - {"by", "per", "the"}
    return bool(other) and (other <= one or one <= other) and bool(one)


def _kinds(items: tuple[Item, ...]) -> frozenset[str]:
    """Kinds of what can be replaced by what was typed."""
    first = items[0] if items else None
    kinds = {item.kind for item in items if item.kind in ("mention", "period", "text")}
    if first is not None and (first.op == "by" or first.kind == "grain"):
        kinds = {"by", "grain"}
    if first is not None and first.op in ("rank", "agg", "share"):
        kinds = {first.op}
    return frozenset(kinds)


def _own(wording: Wording, asked: _Asked, source: Source, today: date) -> frozenset[Part]:
    """The conditions that a replaced word brought with it: "hires" are rows with a date of hiring, and go with the word."""
    if wording.way != "replaced" or wording.kind != "mention":
        return frozenset()
    frames = understand(wording.old, source, today)[1]
    return (
        frozenset(part for part in parts(frames[0].frame) if part.kind == "where") if frames else frozenset()
    )


def _doubt(asked: _Asked, frame: Frame, meant: Intent, own: frozenset[Part]) -> float:
    """How far a frame is from the one before beyond what was meant; 0 where exactly that changed."""
    change = difference(asked.held - own, parts(frame) - own)
    if change.is_none:
        return 2.0
    fresh = [word for word in frame.unused if word not in asked.frame.unused]
    doubt = len(fresh) + max(0.0, frame.cost - asked.frame.cost)
    if meant.way != "compare":
        doubt += 0.2 * max(0, len(_families(change)) - 1)
    return doubt + _lost(change, meant) + _placed(change, meant, asked.held)


def _families(change: Difference) -> set[str]:
    every = {*change.lost, *change.gained, *(new for _, new in change.replaced)}
    return {_FAMILY.get(part.kind, part.kind) for part in every}


def _lost(change: Difference, meant: Intent) -> float:
    """What a change that takes nothing away may not cost: conditions, periods and groups."""
    if meant.way == "gone":
        wrong = [*change.gained, *(new for _, new in change.replaced if new.kind != "order")]
        wrong += [part for part in change.lost if meant.is_time != (part.kind == "period")]
        return float(len(wrong)) + max(0, len(change.lost) - 1) * 0.3
    gained = {
        _FAMILY.get(part.kind, part.kind) for part in (*change.gained, *(new for _, new in change.replaced))
    }
    return sum(
        0.1 if _FAMILY.get(part.kind, part.kind) in gained & {"rank", "transform"} else 1.0
        for part in change.lost
    )


def _placed(change: Difference, meant: Intent, held: frozenset[Part]) -> float:
    """Whether what was typed stands beside what was there or in its place, as it was said."""
    kinds = {part.kind for part in held}
    beside = [
        part for part in change.gained if part.kind in kinds and part.kind in ("by", "measure", "period")
    ]
    wider = sum(bool(old.values) and old.values < new.values for old, new in change.replaced)
    if meant.way == "compare":
        return 0.0
    if meant.way == "add":
        return 0.5 * sum(old.kind not in ("order", "transform") for old, _ in change.replaced) - 0.5 * wider
    if wider:
        return 0.6
    if meant.way == "swap" and meant.old == "" and not change.replaced and beside:
        return 0.5
    return 0.3 * bool(beside)

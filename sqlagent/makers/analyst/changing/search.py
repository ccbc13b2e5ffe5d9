"""Finds the wording of a follow-up whose frame differs from the one before in what was typed, and in nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain, islice

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.lexicon import MONTH_PATTERN, STOP_WORDS, words_of
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.language.words import MAX_CHARS, tokenise
from sqlagent.makers.analyst.answering import DRAFT, today_of, understand
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.cutting import ONLY_BY, cut, cut_finer, is_gone, says_the_same
from sqlagent.makers.analyst.changing.doubting import (
    denies,
    doubt_of,
    doubt_of_anew,
    doubt_of_ending,
    doubt_of_place,
    loss_of,
)
from sqlagent.makers.analyst.changing.intending import intent
from sqlagent.makers.analyst.changing.intents import (
    CHANGES,
    FORGET,
    MONEY_OF_THEM,
    POINTS_BACK,
    Intent,
    trimmed,
)
from sqlagent.makers.analyst.changing.off_rows import with_off_rows
from sqlagent.makers.analyst.changing.parts import Part, difference, parts
from sqlagent.makers.analyst.changing.plainly import plainly
from sqlagent.makers.analyst.changing.proposing import proposed
from sqlagent.makers.analyst.changing.removing import is_named_by
from sqlagent.makers.analyst.changing.values_anew import keeps_other_value
from sqlagent.makers.analyst.changing.wordings import Wording, stretches, without_word
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.phrasing import condensed, prepared
from sqlagent.makers.analyst.reading import read
from sqlagent.makers.analyst.reads import MOST_OF_A_CHANGE, sharing
from sqlagent.makers.analyst.sampler import speaks
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.makers.analyst.telling import title
from sqlagent.values import Catalog

ACCEPTED = 0.7
"""Doubt from which on no wording is taken: something was lost, or a word was not used."""

OTHERWISE = 3
"""Other words for the question before that are tried, each with all wordings."""

UNEXPLAINED = 0.45
"""Doubt from which on no wording is taken that leaves out words of what was typed."""

MOST_LEFT_OUT = 2
"""Words of a change that may be left out."""

SURE = 0.1
"""Doubt at which no further wording is tried."""

_AND_BY = re.compile(r"\s*and (?:by|per|for each) ", re.IGNORECASE)
_TRAILING = re.compile(r" (?:only|too|as well|also|instead|first|excluded)$", re.IGNORECASE)
_ONES = re.compile(r"(?P<word>\S+) ones(?=[ ?.!]*$)", re.IGNORECASE)
"""The rows that a value is said of: "only closed ones"."""
_NO_VALUES = words_of("which what the these those other all only just last first")
_WHOLE = 3
"""Words from which on a question may stand by itself after one that was not understood."""
_BY_NAME = re.compile(
    r"^(?:and |now )?(?:list|show|name|give)(?: me)? (?:them|those|these)(?: all)? by (?:their )?names?(?=[ ?.!]*$)",
    re.IGNORECASE,
)
_OH = re.compile(
    r"^(?:(?:no|nope|sorry|oh|ok|okay|well|right|hm+|ah|i meant?)\s*[,;:]\s*)+(?=\S)", re.IGNORECASE
)
"""Said before a change for its own sake: "no, only march"."""
_SAME = re.compile(
    r"^\s*(?:and )?(?:the )?same(?: thing| again| question)?\s*[,;]\s*(?:but )?", re.IGNORECASE
)
_AND_IN = re.compile(
    rf"^and (?=(?:in|during) (?:(?:19|20)\d\d|q[1-4]|{MONTH_PATTERN}|last|this)\b)", re.IGNORECASE
)
"""The same for another period: "and in 2024?"."""
_RATHER = re.compile(
    r"^(?P<first>[^?]+)\? *(?P<last>(?:(?:no|actually|well|ok|or)[, ]+)*(?:just|only) [^?]+)\??$",
    re.IGNORECASE,
)
_HELD_GROUP = re.compile(
    r"^(?P<rest>(?:and )?(?:how|what)\b.+?) (?:per|by|each|every) (?P<group>[a-z][\w-]*(?: [a-z][\w-]*)?)$",
    re.IGNORECASE,
)
_DANGLES = re.compile(
    r"\b(?:of|by|per|for|in|with|as|from|to|and|or|the)\s*(?:$|,|(?:by|per|for|in|since)\b)", re.IGNORECASE
)
"""A small word that leads to nothing."""
_SMALL_WORDS = frozenset(
    {"by", "per", "as", "of", "all", "or", "and", "instead", "only", "just", "share", "percent"}
)
_BOUNDS = re.compile(
    r"\b(?:over|under|above|below|than|at least|at most|up to|between|until|within)\b", re.IGNORECASE
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
    All wordings share one budget of reads, beyond which the best so far stands.
    """
    with sharing(MOST_OF_A_CHANGE):
        return _followed(typed, before, catalog, index, other, clock)


def _followed(
    typed: str, before: str, catalog: Catalog, index: ValueIndex | None, other: str, clock: date | None
) -> str:
    source = source_of(catalog, index)
    typed, before = condensed(typed[:MAX_CHARS]), condensed(before[:MAX_CHARS])
    typed = _OH.sub("", _BY_NAME.sub("list them", typed))
    today = today_of(source, clock)
    left = NOT_UNDERSTOOD.search(before)
    whole = before[: left.start()] if left else before
    lacking = left[1].split("; ") if left else []
    if index is not None and (
        made := with_off_rows(typed, whole, source, today, partial(_anew, typed, catalog, index, clock))
    ):
        return (
            f"{made} (not understood: {'; '.join(lacking)})"
            if lacking and not NOT_UNDERSTOOD.search(made)
            else made
        )
    asked = _asked(whole, source, today)
    if index is not None and (asked is None or lacking) and (anew := _whole_anew(typed, source, today)):
        return anew
    if asked is None and index is not None and (plainer := list(_without_unused(whole, source, today))):
        asked, whole, unused = next(
            (one for one in plainer if _changed(typed, one[0], source, today)), plainer[0]
        )
        lacking = [*lacking, *unused]
    if (
        asked is None
        and index is not None
        and source.is_business
        and (CHANGES.match(typed) or _TRAILING.search(typed))
    ):
        return f"{whole.strip(' ?.!')} (not understood: {'; '.join([*lacking, _as_left(typed)])})"
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
    if not found and index is not None and (anew := _whole_anew(typed, source, today, grouped=True)):
        return anew
    if not found:
        found, left_out = _changed_in_part(typed, asked, source, today)
        lacking += [one for one in left_out if one not in lacking]
    return f"{found or whole.strip(' ?.!')} (not understood: {'; '.join(lacking)})" if lacking else found


def _anew(typed: str, catalog: Catalog, index: ValueIndex, clock: date | None, before: str) -> str:
    return _followed(typed, before, catalog, index, "", clock)


def _as_left(typed: str) -> str:
    """The typed values, as it stands among what was not understood."""
    return " ".join(re.sub(r"[();]", " ", typed).split()).strip(" ?.!")


def _whole_anew(typed: str, source: Source, today: date, grouped: bool = False) -> str:
    """The typed values, where it is understood by itself and names a figure, and its groups if it has to; else empty."""
    text = trimmed(" ".join(typed.split()).strip(" ?.!"))
    if CHANGES.match(text) or POINTS_BACK.search(text) or _TRAILING.search(text):
        return ""
    if len(text.split()) < _WHOLE:
        return ""  # a bare figure is one of what was asked before
    frames = understand(text, source, today)[1]
    frame = frames[0].frame if frames else None
    names = frame is not None and any(one.said for one in frame.measures) and (not grouped or bool(frame.by))
    return text if frame is not None and names and not frame.unused and frame.cost < DRAFT else ""


def _without_unused(text: str, source: Source, today: date) -> Iterator[tuple[Asked, str, tuple[str, ...]]]:
    """A draft of a question without the words that it leaves out, and those; its title where that says the same and most words were understood. None where it would mean anything else."""
    reading, frames = understand(text, source, today)
    unused = frames[0].frame.unused if frames else ()
    if not unused or not speaks(text, reading, frames, source):
        return
    plainer = text
    for word in unused:
        plainer = without_word(plainer, word)
    # "top 5 grapes by number of wines" without its last word is hardly a question: its title is
    left_out = sum(len(word.split()) for word in unused)
    for other in (plainer, title(frames[0].frame) if 3 * left_out <= len(text.split()) else ""):
        asked = _asked(other, source, today) if other and not _DANGLES.search(other) else None
        if asked is not None and difference(parts(frames[0].frame), asked.held).is_none:
            yield asked, other, unused


def _keeps(text: str, typed: str, asked: Asked, source: Source, today: date) -> bool:
    """Whether a question keeps all of the one before that was not mentioned, and changes nothing else."""
    meant = intent(typed)
    if meant.way in ("each", "moneyed"):
        return False  # which no rule of words makes
    frames = understand(text, source, today)[1] if text else []
    if not frames or keeps_other_value(asked.frame, frames[0].frame, meant, source):
        return False
    return doubt_of(asked, frames[0].frame, meant, frozenset()) < ACCEPTED


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
    and keeps all that was not mentioned. Understands some twenty wordings, 5 ms each; `MOST_OF_A_CHANGE` where nothing can be made of it.
    """

    def change(question: str) -> str:
        asked = _asked(question, source, today)
        return _changed(words, asked, source, today) if asked is not None else ""

    words = _OH.sub("", condensed(typed[:MAX_CHARS]))

    with sharing(MOST_OF_A_CHANGE):
        before = condensed(before[:MAX_CHARS])
        made = with_off_rows(words, before, source, today, change)
        return change(before) if made is None else made


def _changed(typed: str, asked: Asked, source: Source, today: date) -> str:
    mark = "?" if typed.rstrip().endswith("?") else ""
    typed = _AND_IN.sub("", _SAME.sub("", typed))
    if (
        (found := _RATHER.match(typed))
        and _is_period(found["first"], source, today)
        and _is_period(found["last"], source, today)
    ):
        typed = found["last"]  # who says "last year too? just 2025" has come to the second
    parts_of_it = cut(typed) or [""]
    finer = cut_finer(parts_of_it)
    ways = [parts_of_it, finer] if finer != parts_of_it else [parts_of_it]
    if any(ONLY_BY.match(part) for part in parts_of_it):
        ways.reverse()  # "only gold by month" is a value and a group
    return next((made for way in ways if (made := _taken(way, mark, asked, source, today))), "")


def _is_period(text: str, source: Source, today: date) -> bool:
    """Whether words name a period and nothing else."""
    kinds = {
        item.kind
        for item in read(prepared(intent(text).text, source.vocabulary), source.vocabulary, today).items
    }
    return kinds == {"period"}


def _taken(parts_of_it: list[str], mark: str, asked: Asked, source: Source, today: date) -> str:
    """Make changes one after the other; empty where one of them is not sure."""
    first, *rest = parts_of_it
    stated = _step(first + mark, asked, source, today)
    for part in rest:
        between = _asked(stated, source, today) if stated else None
        if between is None:
            return ""
        if is_gone(part, between):
            continue
        made = _step(part + mark, between, source, today)
        if not made and not says_the_same(part, between):
            return ""
        stated = made or stated
    return stated


def _changed_in_part(typed: str, asked: Asked, source: Source, today: date) -> tuple[str, list[str]]:
    """Make what can be made of a change as a draft: the question, and what of the change it leaves out; empty where that is all of it."""
    mark = "?" if typed.rstrip().endswith("?") else ""
    stated, now = "", asked
    lacking: list[str] = []
    some = cut(_AND_IN.sub("", _SAME.sub("", typed)))
    for part in some if len(some) > 1 else re.split(r"\s*,\s*", typed.strip(" ?.!")):
        made = _step(part + mark, now, source, today)
        words: list[str] = []
        if not made:
            made, words = leaving_out(part + mark, now, source, today)
        between = _asked(made, source, today) if made else None
        if between is None:
            if not is_gone(part, now):
                lacking.append(_as_left(part))
            continue
        stated, now = made, between
        lacking += words
    return (stated, lacking) if stated else ("", [_as_left(typed)])


def leaving_out(typed: str, asked: Asked, source: Source, today: date) -> tuple[str, list[str]]:
    """Make a change without words of it that nothing explains, where the rest says a change: the question and the words; else empty.

    Numbers and words that deny are never left out: without them the rest would say something else.
    """
    meant = _crossed(typed, intent(typed), asked)
    if meant.way == "gone" or denies(typed) or _BOUNDS.search(typed):
        return "", []  # "without the purple agents" is not "without the agents"
    unknown = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).unknown
    if 0 < len(unknown) <= MOST_LEFT_OUT and all(_may_go(word, typed) for word in unknown):
        rest = typed
        for word in unknown:
            rest = without_word(rest, word)
        if not _DANGLES.search(rest) and (made := _step(rest, asked, source, today)):
            return made, list(unknown)
    best, found = UNEXPLAINED, ""
    words: tuple[str, ...] = ()
    for wording, way in proposed(typed, meant, asked, source, today):
        frames = understand(wording.text, source, today)[1]
        fresh = tuple(w for w in frames[0].frame.unused if w not in asked.frame.unused) if frames else ()
        if not 0 < len(fresh) <= MOST_LEFT_OUT or not all(_may_go(word, meant.text) for word in fresh):
            continue
        frame = replace(frames[0].frame, unused=asked.frame.unused, cost=asked.frame.cost)
        if difference(asked.held, parts(frame)).is_none:
            continue
        doubt = doubt_of(asked, frame, way, _own(wording, asked, source, today)) + 0.1 * len(fresh)
        plainer = wording.text
        for word in fresh:
            plainer = without_word(plainer, word)
        left = _asked(plainer, source, today) if doubt < best and not _DANGLES.search(plainer) else None
        if left is not None and difference(parts(frame), left.held).is_none:
            best, found, words = doubt, plainer, fresh
    return found, list(words)


def _may_go(word: str, typed: str) -> bool:
    """Whether a word that nothing explains was typed just now and may be left out."""
    is_typed = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", typed, re.IGNORECASE)
    is_small = word.lower() in _SMALL_WORDS or word.lower() in STOP_WORDS
    return bool(is_typed) and not is_small and not denies(word) and not any(sign.isdigit() for sign in word)


def _asked(text: str, source: Source, today: date) -> Asked | None:
    """The changeable parts of a question; None where it was not understood as a whole."""
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
    again = _without_held_group(typed, asked)
    plain = plainly(typed, asked, source)
    ways: tuple[str, ...] = (again, typed) if again and intent(again).figure else (typed, again)
    ways = ways if plain == typed else (plain, *ways)
    ones = _ONES.search(typed)
    is_of_value = ones is not None and ones["word"].lower() not in _NO_VALUES and not ones["word"].isdigit()
    if ones is not None and is_of_value and not denies(typed):
        ways = (typed[: ones.end("word")], *ways)  # "only closed ones" says no more than "only closed"
    return next((made for one in ways if one and (made := _worded_somehow(one, asked, source, today))), "")


def _worded_somehow(typed: str, asked: Asked, source: Source, today: date) -> str:
    meant = _crossed(typed, intent(typed), asked)
    for text in (meant.text, *meant.others):
        many = OTHERWISE if text == meant.text else 0
        if found := _worded(typed, replace(meant, text=text), asked, source, today, many):
            return found
    return ""


def _without_held_group(typed: str, asked: Asked) -> str:
    """A question of the same groups without them: "how much money is that per month" of figures by month; empty where it is none."""
    found = _HELD_GROUP.match(typed.strip(" ?.!"))
    groups = [one.text for one in asked.stretches if one.kind == "by"]
    is_held = (
        found is not None
        and POINTS_BACK.search(found["rest"])
        and any(is_named_by(one, found["group"]) for one in groups)
    )
    return f"{found['rest']}?" if found is not None and is_held else ""


def _crossed(typed: str, meant: Intent, asked: Asked) -> Intent:
    """ "And by region?" splits figures over time further; of other groups it asks for these in their place."""
    if (found := MONEY_OF_THEM.match(" ".join(typed.split()).strip(" ?.!,"))) and _counts(asked):
        return Intent(
            next((one for one in (found["kind"], found["behind"], found["last"]) if one), ""),
            "moneyed",
            figure=True,
        )
    if meant.way == "summed" and any(one.agg != "rows" for one in asked.frame.measures):
        return Intent(meant.old) if meant.old else Intent(meant.text, "swap")
    if meant.bare and not _is_compared(asked):
        return Intent("as a share of the total")
    timed = bool(asked.frame.by) and all(one.grain for one in asked.frame.by)
    return replace(meant, way="add") if meant.way == "swap" and timed and _AND_BY.match(typed) else meant


def _counts(asked: Asked) -> bool:
    """Whether rows were counted or listed, without groups and not only the first few of them."""
    counted = all(one.agg in ("rows", "distinct") for one in asked.frame.measures)
    return counted and not asked.frame.by and asked.frame.limit is None and not asked.frame.transform


def _is_compared(asked: Asked) -> bool:
    """Whether figures of two periods are shown, of which the change can be told."""
    periods = [one for part in asked.held if part.kind == "period" for one in part.values]
    return (
        len(periods) > 1
        or bool(asked.frame.transform)
        or any(one.kind in ("earlier", "grown") for one in asked.endings)
    )


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
                doubt_of_anew(one, frames[0].frame)
                if wording.way == "anew"
                else doubt_of_place(one, frames[0].frame)
                if wording.kind == "place"
                else doubt_of_ending(one, frames[0].frame, wording.kind)
                if wording.way == "ending" and wording.kind
                else doubt_of(one, frames[0].frame, way, _own(wording, one, source, today))
            )
            if wording.kind == "columns" and len(frames[0].frame.columns) < _columns_in(wording.text):
                continue  # one of the columns that were named is missing
            if keeps_other_value(one.frame, frames[0].frame, way, source):
                doubt += 1
            if doubt < best:
                best, found = doubt, wording.text
            if best <= SURE:
                return found
        if found:
            return found
    return found


def _columns_in(text: str) -> int:
    """How many columns a list shows at least: those behind its colon, and a name."""
    names = text.rpartition(": ")[2].split(", ")
    return len([one for one in names if one != "name"]) + 1


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
    if any(one.text == wording.old and one.about and not one.is_thing for one in asked.stretches):
        return frozenset()  # a value is a condition itself
    frames = understand(wording.old, source, today)[1]
    return (
        frozenset(part for part in parts(frames[0].frame) if part.kind == "where") if frames else frozenset()
    )

"""The wordings of a question with something gone or turned: a filter, a group, an ending, one of two periods, an order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics.letters import abbreviates
from sqlagent.language.words import split_name, stem
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.beside import period_before
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.intents import GROWTH, PLAIN, TOGETHER, TOTAL, Intent
from sqlagent.makers.analyst.changing.wordings import Stretch, Wording, stems_in, tidy, without
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.shortened import FITS

_COMPARISON = frozenset(map(stem, ["comparison", "compare", "vs", "versus"]))
_SMALL = frozenset({"by", "per", "the"})
_LITTLE = _SMALL | {"one", stem("ones")}
_SPAN = re.compile(r"\bfrom [\w ]+? to (?P<later>(?:[a-z]\w* )?(?:19|20)\d\d)\b", re.IGNORECASE)
_MOVES = re.compile(r"\b(?:growth|change)(?: in| of)?\b", re.IGNORECASE)
_FIRST_GROUP = re.compile(r"(?<![\s,])[\s,]*\b(?:by|per|for each|each|every)\b", re.IGNORECASE)
_OF = re.compile(r"^(?:by|of|in|with|for)(?: the)? ", re.IGNORECASE)
_YEARLY = re.compile(r"\s*\b(?:by|per) year(?: and(?= ))?|\s+and (?:by )?year\b", re.IGNORECASE)
_NUMBERED = _SMALL | frozenset(map(stem, ["number", "count", "of", "how", "many"]))
_FILTERS = frozenset(map(stem, ["filter", "filters", "condition", "restriction", "it", "that"]))
_ENDINGS = {
    "share": frozenset(map(stem, ["share", "shares", "percent", "percentage", "proportion"])),
    "sort": frozenset(map(stem, ["sort", "sorting", "order", "ordering"])),
    "top": frozenset(map(stem, ["top", "limit", "ranking", "bottom"])),
    "of all": frozenset(map(stem, ["share", "percent", "percentage", "rate"])),
    "earlier": _COMPARISON | frozenset(map(stem, ["previous", "earlier", "before"])),
    "along": frozenset(),
    "skipped": frozenset(),
    "groups": frozenset(),
}
"""Words that name an ending, by its kind."""
_OPPOSITE = {
    "top": "bottom", "bottom": "top", "highest": "lowest", "lowest": "highest", "largest": "smallest", "smallest": "largest", "biggest": "smallest",
    "best": "worst", "worst": "best", "most": "least", "least": "most", "newest": "oldest", "oldest": "newest", "latest": "earliest",
    "earliest": "latest", "fewest": "most", "ascending": "descending", "descending": "ascending", "asc": "desc", "desc": "asc",
}  # fmt: skip


def gone(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The part to go may be an ending, a stretch that was named, or, where nothing of it is there, rows to be left out."""
    words = stems_in(meant.text)
    ends = asked.endings
    if meant.text == PLAIN:
        yield from plain(meant, asked)
        return
    if meant.old == TOGETHER:
        for by in asked.stretches:
            if by.kind == "by" and is_named_by(by.text, meant.text):
                yield (
                    Wording(without(asked.text, by) + asked.ending, "ending", "total"),
                    Intent(TOTAL, "gone"),
                )
    held = sum(part.kind == "where" for part in asked.held)
    ranked = any(one.kind == "by" and is_named_by(one.text, meant.text) for one in asked.stretches)
    for place, one in enumerate(ends):
        if (
            words & _ENDINGS[one.kind]
            or one.kind == "top"
            and meant.every
            and not meant.is_time
            and (ranked or not held)
        ):
            kept = "".join(other.text for n, other in enumerate(ends) if n != place)
            yield Wording(asked.text + kept, "ending", one.kind), meant
    if words & _COMPARISON and asked.frame.transform == "between":
        yield from unmoved(meant, asked)
    if meant.every and asked.frame.limit is not None:
        yield from ((wording, meant) for wording in unranked(words, asked))
    groups = [one for one in asked.stretches if one.kind == "by"]
    named = [
        # a group may be called as some value is: "by store" is no filter of the channel "store"
        replace(one, about=frozenset())
        if one.kind != "by" and any(_is_group(one, by, asked.text) for by in groups)
        else one
        for one in asked.stretches
    ]
    own = _own_words(asked)
    named = [one for one in named if _is_named(one, meant, words, own)]
    if words & _COMPARISON:
        named = [one for one in asked.stretches if one.kind == "vs"]
    of_days = [one for one in asked.stretches if one.kind == "weekday"] if meant.is_weekday else []
    if of_days:
        named = of_days
    elif meant.is_time and "week" not in words:
        named = [one for one in asked.stretches if one.kind == "period"] + named
    if words <= _FILTERS:
        named = [one for one in asked.stretches if one.about or one.kind == "period"]
    if not named and (meant.every or meant.once) and held == 1 and (meant.once or _is_of_all(words, asked)):
        named = [one for one in asked.stretches if one.kind in ("mention", "text")]
    for part in _joined(named, asked):
        if part.kind == "mention":
            listed = re.compile(
                rf"\b(?:(?:the )?(?:number|count) of )?{re.escape(part.text)}\s+and\s+", re.IGNORECASE
            )
            yield Wording(tidy(listed.sub("", asked.text)), "gone", part.kind), meant
        kind = replace(meant, text="period") if part.kind == "period" else meant
        yield Wording(without(asked.text, part), "gone", part.kind), kind
    if not named and not (meant.once or meant.every or words <= _FILTERS):
        rest = Intent(f"without {meant.text}", "add")
        yield Wording(tidy(f"{asked.text} {rest.text}"), "behind"), rest


def one_of_figures(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """Figures without the one that is to go, or the one alone that is named: "drop the trips", "just revenue"."""
    said = stems_in(meant.text) - _NUMBERED
    beside = [one for one in asked.endings if one.kind == "along"]
    kept = "".join(one.text for one in asked.endings if one.kind != "along")
    if meant.way == "gone":
        for one in beside:
            if stems_in(one.name) - _NUMBERED == said:
                rest = "".join(other.text for other in asked.endings if other != one)
                yield Wording(asked.text + rest, "ending", "along"), meant
    listed = next((one for one in asked.stretches if one.kind == "mention" and " and " in one.text), None)
    if listed is None or listed.about or len(asked.frame.measures) < 2:
        first = next((one for one in asked.stretches if one.kind == "mention"), None)
        alone = first is not None and stems_in(first.text) - _NUMBERED == said
        if beside and alone and meant.way == "narrow":
            yield Wording(asked.text + kept, "ending", "along"), Intent(meant.text, "gone")
        return
    names = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", listed.text)
    named = [name for name in names if stems_in(name) - _NUMBERED == said]
    if len(named) != 1 or len(names) < 2:
        return
    others = [name for name in names if name not in named]
    left, away = (named, others) if meant.way == "narrow" else (others, named)
    nouns = [
        re.sub(r"^(?:(?:the )?(?:number|count) of|how many) ", "", one).removesuffix("s") for one in away
    ]
    for text in (" and ".join(left), *(f"{noun} {left[0]}" for noun in nouns if len(left) == 1)):
        made = asked.text[: listed.start] + text + asked.text[listed.end :]
        yield Wording(tidy(made), "gone", "mention"), Intent(meant.text, "gone")


def unranked(words: set[str], asked: Asked) -> Iterator[Wording]:
    """All of what was ranked: "all months" after "best 3 months by revenue"."""
    for rank, ranked in zip(asked.stretches, asked.stretches[1:], strict=False):
        if rank.kind == "rank" and ranked.kind in ("mention", "grain") and stems_in(ranked.text) <= words:
            rest = _OF.sub("", asked.text[ranked.end :].strip())
            yield Wording(
                tidy(f"{asked.text[: rank.start]} {rest} by {ranked.text}") + asked.ending, "ending", "top"
            )


def plain(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The figures as they are: without the share, growth or comparison that they are shown as."""
    ends = asked.endings
    if asked.frame.transform == "between":
        yield from unmoved(meant, asked)
    if kept := [one for one in ends if one.kind not in ("share", "of all", "grown")]:
        if len(kept) < len(ends):
            yield Wording(asked.text + "".join(one.text for one in kept), "ending", "share"), meant
    elif ends:
        yield Wording(asked.text, "ending", "share"), meant
    for one in asked.stretches:
        if one.kind == "share":
            rest = re.sub(r"^\s*(?:of|in)\b(?: the)?", "", asked.text[one.end :])
            yield Wording(tidy(asked.text[: one.start] + rest) + asked.ending, "ending", "share"), meant


def unmoved(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The figure of the later period, after its change from the one to the other."""
    span = _SPAN.search(asked.text)
    if span is not None and len(_MOVES.findall(asked.text)) == 1:
        text = f"{asked.text[: span.start()]}{span['later']}{asked.text[span.end() :]}"
        yield Wording(tidy(_MOVES.sub("", text)) + asked.ending, "ending", "moved"), meant


def in_total(asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """All groups as one: the figure of all rows, however it was split, ranked and shown."""
    text = asked.text
    for one in sorted((one for one in asked.stretches if one.kind == "by"), key=lambda one: -one.start):
        if text[one.start : one.end] == one.text:
            text = without(text[: one.end], one) + text[one.end :]
    if text != asked.text:
        counts = all(one.agg == "rows" for one in asked.frame.measures) and asked.frame.limit is None
        for made in (text, f"number of {text}", f"how many {text}")[: 3 if counts else 1]:
            yield Wording(tidy(made), "ending", "total"), Intent(TOTAL, "gone")


def moved(word: str, asked: Asked) -> Iterator[Wording]:
    """How far figures moved from the earlier to the later of two periods that are shown; of one, from the one before."""
    periods = [one for one in asked.stretches if one.kind == "period"]
    versus = next((one for one in asked.stretches if one.kind == "vs"), None)
    times = sorted(
        (
            c.period
            for c in _dated(asked.frame.where)
            if c.period is not None and c.period.first is not None and c.period.until is not None
        ),
        key=lambda one: (one.first, one.until),
    )
    beside = [one for one in asked.endings if one.kind == "earlier"]
    if len(times) == 1:
        before = period_before(times[0], beside[0].word if beside else "period")
        times = [before, *times] if before is not None else times
    if not periods:
        for one in asked.stretches:
            if (
                one.kind in ("by", "grain")
                and not any(ending.kind == "grown" for ending in asked.endings)
                and _grains(asked.frame)
            ):
                shown = "% change" if word == GROWTH else "change"
                yield Wording(
                    f"{asked.text}{asked.ending}, with {shown} on the period before", "ending", "grown"
                )
                return
        return
    if len(times) != 2:
        return
    text = asked.text
    for one in sorted([*periods, *([versus] if versus else [])], key=lambda one: -one.start):
        if text[one.start : one.end] == one.text:
            text = tidy(f"{without(text[: one.end], one)} {text[one.end :]}")
    text = re.sub(r"\b(?:and|vs\.?|versus|or|,)\s*$", "", text).strip(" ,")
    text = _YEARLY.sub("", text)
    group = _FIRST_GROUP.search(text)
    head, tail = (text[: group.start()], text[group.start() :]) if group else (text, "")
    kept = "".join(one.text for one in asked.endings if one.kind not in ("earlier", "share", "sort", "top"))
    span = f"from {telling.period(times[0])} to {telling.period(times[1])}"
    for made in (
        f"{head} {word} {span}{tail}",
        f"{word} in {head} {span}{tail}",
        f"{word} in {head} {tail} {span}",
    ):
        yield Wording(tidy(made) + kept, "ending", "moved")


def _dated(where: Sequence[Condition]) -> Iterator[Condition]:
    for one in where:
        if one.op == "period" and not one.negated:
            yield one
        elif one.op == "any":
            yield from _dated(one.parts)


def _grains(frame: Frame) -> list[str]:
    return [one.grain for one in frame.by if one.grain]


def one_of_two(text: str, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """One of two periods that were compared, alone."""
    meant = Intent("comparison", "gone")
    for one in asked.stretches:
        if one.kind == "vs":
            rest = without(asked.text, one)
            if one.text.lower().endswith(text.lower()):
                before = [each for each in asked.stretches if each.kind == "period" and each.end <= one.start]
                rest = tidy(rest[: before[-1].start] + text + rest[before[-1].end :]) if before else ""
            if text.lower() in rest.lower():
                yield Wording(rest, "gone", "vs"), meant


def _is_of_all(words: set[str], asked: Asked) -> bool:
    """Whether words mean all that there is of what is asked for: everything, or its own noun."""
    return words <= {stem("everything")} | _own_words(asked)


def _own_words(asked: Asked) -> set[str]:
    """The nouns of what is asked for, which no filter is named by alone: "the web orders" are those of one channel."""
    table = {stem(word) for word in split_name(asked.frame.anchor)}
    return table | {stem(w) for m in asked.frame.measures for w in m.said.lower().split()}


def _is_named(one: Stretch, meant: Intent, words: set[str], own: set[str]) -> bool:
    """Whether a stretch is what is to go. All of a kind again means its values and never the groups of it; the nouns of what is asked for, its `own`, name no filter."""
    if (words - own if words - own - _LITTLE else words) & one.about:
        return True
    if meant.every and any(_is_short(word, one.about) for word in meant.text.lower().split()):
        return True
    said = stems_in(one.text) - _LITTLE
    named = words - _LITTLE
    if meant.once and one.kind != "by":
        return bool(_rests(said) & _rests(named))
    if one.kind == "by":
        return bool(named) and not meant.every and named == said
    return bool(named) and (named <= said or meant.every and said <= named)


def _is_group(one: Stretch, by: Stretch, text: str) -> bool:
    """Whether a stretch is what figures are grouped by, and no value behind a comma."""
    return by.start < one.start < by.end and "," not in text[by.start : one.start]


def _is_short(word: str, names: frozenset[str]) -> bool:
    """Whether a word is written short in one of some names: all districts again, of a `DistrCd`."""
    return any(abbreviates(name, form) >= FITS for name in names for form in (word, word.removesuffix("s")))


def _rests(words: set[str]) -> set[str]:
    """Words without what denies them, for what was left out by its opposite: online and offline."""
    return {re.sub(r"^(?:non|off|on|un|in)(?=\w{4})", "", word) for word in words}


def _joined(named: list[Stretch], asked: Asked) -> list[Stretch]:
    """Stretches that stand in one list of values as one, the whole list first."""
    out: list[Stretch] = []
    values = sorted((one for one in named if one.about), key=lambda one: one.start)
    for first in values:
        last = first
        for other in values:
            between = asked.text[last.end : other.start].strip(" ,").lower()
            if other.start >= last.end and between in ("", "or", "and"):
                last = other
        if last is not first:
            out.append(
                Stretch("mention", first.start, last.end, asked.text[first.start : last.end], first.about)
            )
    return [*out, *named]


def turned(asked: Asked) -> Iterator[Wording]:
    """The other end first: of a ranking its opposite, else the smallest first."""
    for part in asked.stretches:
        found = re.match(r"\w+", part.text) if part.kind == "rank" else None
        turn = _OPPOSITE.get(found[0].lower()) if found else None
        if found and turn is not None:
            made = asked.text[: part.start] + turn + part.text[found.end() :] + asked.text[part.end :]
            yield Wording(tidy(made) + asked.ending, "ending", "rank")
    ends = asked.endings
    for place, one in enumerate(ends):
        other = _OPPOSITE.get(one.word) if one.kind in ("top", "sort") else None
        if other is not None:
            text = re.sub(rf"\b{re.escape(one.word)}\b", other, one.text, count=1, flags=re.IGNORECASE)
            kept = "".join(text if n == place else each.text for n, each in enumerate(ends))
            yield Wording(asked.text + kept, "ending", one.kind)
            return
        if one.kind == "sort":
            kept = "".join(
                f", sorted by {one.name or 'name'} descending" if n == place else each.text
                for n, each in enumerate(ends)
            )
            yield Wording(asked.text + kept, "ending", one.kind)
            return
    ascending = asked.frame.order is not None and asked.frame.order.ascending
    if asked.frame.limit is None:
        timed = bool(asked.frame.by) and bool(asked.frame.by[0].grain) and asked.frame.order is None
        last = "newest" if timed else "largest" if ascending else "smallest"
        yield Wording(f"{asked.text}{asked.ending}, {last} first", "ending", "sort")


def is_named_by(text: str, words: str) -> bool:
    """Whether a stretch holds the words that were named, or the other way round; small words aside."""
    one, other = stems_in(text) - _SMALL, stems_in(words) - _SMALL
    return bool(other) and (other <= one or one <= other) and bool(one)

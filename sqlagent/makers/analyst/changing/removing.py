"""The wordings of a question with something gone or turned: a filter, a group, an ending, one of two periods, an order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.language.words import split_name, stem
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.changing.wordings import Stretch, Wording, stems_in, tidy, without

_COMPARISON = frozenset(map(stem, ["comparison", "compare", "vs", "versus"]))
_SMALL = frozenset({"by", "per", "the"})
_LITTLE = _SMALL | {"one", stem("ones")}
_FILTERS = frozenset(map(stem, ["filter", "filters", "condition", "restriction", "it", "that"]))
_ENDINGS = {
    "share": frozenset(map(stem, ["share", "shares", "percent", "percentage", "proportion"])),
    "sort": frozenset(map(stem, ["sort", "sorting", "order", "ordering"])),
    "top": frozenset(map(stem, ["top", "limit", "ranking", "bottom"])),
    "of all": frozenset(map(stem, ["share", "percent", "percentage", "rate"])),
    "earlier": _COMPARISON | frozenset(map(stem, ["previous", "earlier", "before"])),
    "along": frozenset(),
}
"""Words that name an ending, by its kind."""
_OPPOSITE = {
    "top": "bottom", "bottom": "top", "highest": "lowest", "lowest": "highest", "largest": "smallest", "smallest": "largest", "biggest": "smallest",
    "best": "worst", "worst": "best", "most": "least", "least": "most", "newest": "oldest", "oldest": "newest", "latest": "earliest",
    "earliest": "latest", "fewest": "most", "ascending": "descending", "descending": "ascending", "asc": "desc", "desc": "asc",
}  # fmt: skip


def gone(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """What is to go may be an ending, a stretch that was named, or, where nothing of it is there, rows to be left out."""
    words = stems_in(meant.text)
    ends = asked.endings
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
    named = [one for one in asked.stretches if _is_named(one, meant, words)]
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
            listed = re.compile(rf"\b{re.escape(part.text)}\s+and\s+", re.IGNORECASE)
            yield Wording(tidy(listed.sub("", asked.text)), "gone", part.kind), meant
        kind = replace(meant, text="period") if part.kind == "period" else meant
        yield Wording(without(asked.text, part), "gone", part.kind), kind
    if not named and not (meant.once or meant.every or words <= _FILTERS):
        rest = Intent(f"without {meant.text}", "add")
        yield Wording(tidy(f"{asked.text} {rest.text}"), "behind"), rest


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
    table = {stem(word) for word in split_name(asked.frame.anchor)}
    said = {stem(w) for m in asked.frame.measures for w in m.said.lower().split()}
    return words <= {stem("everything")} | table | said


def _is_named(one: Stretch, meant: Intent, words: set[str]) -> bool:
    """Whether a stretch is what is to go. All of a kind again means its values and never the groups of it."""
    if words & one.about:
        return True
    said = stems_in(one.text) - _LITTLE
    named = words - _LITTLE
    if meant.once and one.kind != "by":
        return bool(_rests(said) & _rests(named))
    if one.kind == "by":
        return bool(named) and not meant.every and named == said
    return bool(named) and (named <= said or meant.every and said <= named)


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

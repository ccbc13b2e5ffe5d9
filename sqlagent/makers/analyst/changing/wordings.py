"""Ways to word a question with a change made: behind it, before a word of it, in the place of one, or with one gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlagent.language.words import Token, singular, split_name, stem
from sqlagent.makers.analyst.reading import Item

_BEFORE = frozenset(
    [
        "in",
        "for",
        "from",
        "of",
        "at",
        "on",
        "by",
        "per",
        "each",
        "every",
        "with",
        "without",
        "excluding",
        "except",
        "not",
        "only",
        "just",
        "the",
        "and",
        "or",
        "during",
        "since",
        "to",
    ]
)
"""Words before a phrase that go with it when it goes."""


DENIED = re.compile(
    r",?\s(?:without|excluding|except(?: for)?|but not|not|(?<=,\s)no)\s[^,]*$", re.IGNORECASE
)
"""A clause at the end that denies: what came after it would be denied as well."""
_PLACED = re.compile(r"^(?:in|for|from|at|of|on|during|since)\s", re.IGNORECASE)
_WAY = re.compile(r"^(?:from|to|into|out of)\s", re.IGNORECASE)
_COUNTED = re.compile(r"^(?:how many|number of|count of|the number of)\b", re.IGNORECASE)
_OF = re.compile(r" of (?:the |our |a )?", re.IGNORECASE)
GROUP = re.compile(r"^(?:by|per|for each|each|every)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a question, as characters, and what it is: an item's kind, or `by` for a whole grouping.

    `about` are the stems of the columns whose values it names; `is_thing` says that it names rows of a table.
    """

    kind: str
    start: int
    end: int
    text: str
    about: frozenset[str] = frozenset()
    is_thing: bool = False


@dataclass(frozen=True, slots=True)
class Typed:
    """The parts of a follow-up: the kinds that it can take the place of, the columns whose values it names.

    `trails` says that it is a clause, which stands behind a question and nowhere in it.
    """

    kinds: frozenset[str]
    about: frozenset[str] = frozenset()
    trails: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """A question with a change made. `way` is behind, before, replaced, beside or gone; `old` what was replaced, of a `kind`."""

    text: str
    way: str
    kind: str = ""
    old: str = ""


def stretches(text: str, tokens: tuple[Token, ...], items: tuple[Item, ...]) -> list[Stretch]:
    """Give what of a question can be replaced: each item that says something, and each whole grouping or ranking."""
    out = []
    for place, item in enumerate(items):
        start, end = _span(text, tokens, item)
        about = frozenset(
            word for t in item.targets if t.kind == "value" for word in stems_of(t.table, t.column)
        )
        if item.kind in ("mention", "period", "grain", "text", "unknown") or item.op in (
            "agg",
            "share",
            "weekday",
        ):
            is_thing = item.kind == "mention" and any(t.kind == "thing" for t in item.targets)
            out.append(Stretch(item.op or item.kind, start, end, text[start:end], about, is_thing))
        following = items[place + 1] if place + 1 < len(items) else None
        if item.op == "by" and following is not None:
            last = following
            for one, two in zip(items[place + 2 :: 2], items[place + 3 :: 2], strict=False):
                if one.op != "and" or two.kind not in ("mention", "grain"):
                    break
                last = two
            end = _span(text, tokens, last)[1]
            owner = items[items.index(last) + 1] if last.kind == "mention" and last is not items[-1] else None
            if owner is not None and owner.kind == "mention":  # "by kind of customer" is one group
                until = _span(text, tokens, owner)
                if _OF.fullmatch(text[end : until[0]]):
                    out.append(Stretch("by", start, until[1], text[start : until[1]]))
            out.append(Stretch("by", start, end, text[start:end]))
        if item.kind == "mention" and (
            place == 0 or items[place - 1].op not in ("by", "and", "not", "except")
        ):
            last = item
            for one, two in zip(items[place + 1 :: 2], items[place + 2 :: 2], strict=False):
                if one.op != "and" or two.kind != "mention":
                    break
                last = two
            if last is not item and not about:
                led = items[place - 1] if place and items[place - 1].op in ("count", "agg") else item
                begun, ends = _span(text, tokens, led)[0], _span(text, tokens, last)[1]
                out.append(Stretch("mention", begun, ends, text[begun:ends]))
        kinds = {t.kind for t in following.targets} if following is not None else set()
        if item.op in ("count", "agg") and following is not None and following.kind == "mention":
            third = items[place + 2] if place + 2 < len(items) else None
            if "value" in kinds and "thing" not in kinds and third is not None and third.kind == "mention":
                continue  # of "how many delivered orders" the word in the middle is a condition
            end = _span(text, tokens, following)[1]
            out.append(Stretch("mention", start, end, text[start:end]))
        if item.op == "vs" and following is not None:
            end = _span(text, tokens, following)[1]
            out.append(Stretch("vs", start, end, text[start:end]))
        if item.op == "more" and following is not None and following.kind == "number":
            end = _span(text, tokens, following)[1]
            out.append(Stretch("more", start, end, text[start:end]))
        if item.op == "rank":
            last = following if following is not None and following.kind == "number" else item
            end = _span(text, tokens, last)[1]
            out.append(Stretch("rank", start, end, text[start:end]))
    return out


def about_of(item: Item) -> frozenset[str]:
    """The columns whose values an item names, as stems of their names."""
    return frozenset(word for t in item.targets if t.kind == "value" for word in stems_of(t.table, t.column))


def stems_of(*names: str) -> list[str]:
    """The stems of the words of some names.

    Example:
        >>> stems_of("orders", "order_status")
        ['order', 'order', 'status']
    """
    return [stem(word) for name in names for word in split_name(name)]


def _span(text: str, tokens: tuple[Token, ...], item: Item) -> tuple[int, int]:
    start, end = tokens[item.start].start, tokens[item.end - 1].end
    if tokens[item.start].kind == "quoted":
        start -= 1
    if tokens[item.end - 1].kind == "quoted":
        end += 1
    return max(0, start), min(len(text), end)


def wordings(text: str, parts: list[Stretch], change: str, typed: Typed) -> Iterator[Wording]:
    """Word a question with what was typed after it: like takes the place of like, or stands beside it.

    Values of a column go beside values of the same column before anything else.
    """
    denied = DENIED.search(text)
    if denied and not typed.trails:
        yield Wording(tidy(f"{text[: denied.start()]} {change}{text[denied.start() :]}"), "behind")
    yield Wording(tidy(f"{text} {change}"), "behind")
    yield Wording(tidy(f"{text}, {change}"), "behind")
    if typed.trails:
        return
    for one in sorted(parts, key=lambda part: (not part.about & typed.about, part.start, -part.end)):
        if one.kind in typed.kinds:
            yield Wording(tidy(text[: one.start] + change + text[one.end :]), "replaced", one.kind, one.text)
            added = GROUP.sub("", change)
            if one.kind == "by" and added != change:  # "per employee" is a group and no figure per head
                made = f"{text[: one.start]}by {added}{text[one.end :]}"
                yield Wording(tidy(made), "replaced", one.kind, one.text)
            shares = bool(one.about & typed.about)
            if (
                not shares and one.kind == "mention" and _PLACED.match(change)
            ):  # "in Ghent" is no second figure
                yield Wording(tidy(f"{text[: one.end]} {change}{text[one.end :]}"), "behind", one.kind)
                continue
            for joint in ("or", "and") if shares else ("and",):
                yield Wording(tidy(f"{text[: one.end]} {joint} {added}{text[one.end :]}"), "beside", one.kind)
        if one.kind == "mention" and typed.kinds == {"agg"} and _COUNTED.match(one.text):
            yield Wording(tidy(text[: one.start] + change + text[one.end :]), "replaced", one.kind, one.text)
        if one.is_thing and typed.kinds == {"agg"} and not one.about:  # of orders, the orders' own
            made = f"{text[: one.start]}{singular(one.text)} {change}{text[one.end :]}"
            yield Wording(tidy(made), "replaced", one.kind, one.text)
        if one.kind == "mention" and typed.kinds & {"agg", "mention"} and not _WAY.match(change):
            yield Wording(tidy(f"{text[: one.start]}{change} {text[one.start :]}"), "before", one.kind)


def stems_in(text: str) -> set[str]:
    """The stems of a text's words, letter case ignored.

    Example:
        >>> sorted(stems_in("Orders by Agents"))
        ['agent', 'by', 'order']
    """
    return {stem(word.lower()) for word in re.findall(r"\w+", text)}


def without(text: str, part: Stretch) -> str:
    """Give a question with a stretch gone, and the small words that led to it."""
    head = text[: part.start].rstrip()
    while head and (last := re.search(r"(?:^|[\s,])([\w']+|,)$", head)) and last.group(1).lower() in _BEFORE:
        head = head[: last.start(1)].rstrip()
    rest = re.sub(r"^\s+ones?\b", "", text[part.end :], flags=re.IGNORECASE)
    return tidy(f"{head.rstrip(',')} {rest}")


def without_word(text: str, word: str) -> str:
    """Give a question without the first place where a word stands.

    Example:
        >>> without_word("orders of loyal customers", "loyal")
        'orders of customers'
    """
    return tidy(re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", text, count=1, flags=re.IGNORECASE))


def tidy(text: str) -> str:
    """Mend the spaces of a text that was put together.

    Example:
        >>> tidy("revenue  by month , 2024 ")
        'revenue by month, 2024'
    """
    return re.sub(r"\s+([,;.?!])", r"\1", " ".join(text.split())).strip(" ,;")

"""Sentences of a change and of the values it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from sqlagent.language.saying import (
    Saying,
    begun_large,
    day_in_words,
    in_a_row,
    month_in_words,
    name,
    number,
    one_of,
    worded,
    worded_count,
)
from sqlagent.telling.summarizing.contributing import Kind, Part, Split, excess
from sqlagent.telling.summarizing.phrases import percent_said
from sqlagent.telling.summarizing.verifying import verify
from sqlagent.values import Rows

NOTABLE = Decimal("0.15")
"""Share of the whole change from which on one value is named in the sentence."""


def sentence_of(called: str, before: str, now: str, whole: Part, splits: Sequence[Split]) -> str:
    """Tell a change in a sentence, with the value that stands out most, and the one that moved most where it is another. Each of its numbers is in the parts, or computed of them.

    Example:
        >>> from sqlagent.telling.summarizing.contributing import split_of, whole_of
        >>> whole = whole_of([150, 138])
        >>> rows = Rows(("country", "before", "now"), (("Norway", 50, 41), ("Sweden", 100, 97)))
        >>> sentence_of("revenue", "May 2026", "June 2026", whole, [split_of("country", 1, rows, [150, 138])])
        'Revenue fell by 12 (8 %) from May to June 2026; Norway alone fell by 9.'
    """
    assert whole.before is not None and whole.now is not None
    start, _, year = before.rpartition(" ")
    is_short = start and year and now.endswith(f" {year}") and " to " not in before
    subject = begun_large(name(called))
    figures: list[tuple[str, Decimal]] = [(before, whole.before), (now, whole.now)]
    told: dict[str, str] = {
        "name": subject,
        "first": month_in_words(start) if is_short else before,
        "last": now,
    }
    if not whole.change:
        text = worded(
            "{name} did not change from {first} to {last}: {value} in both",
            **told,
            value=told_number(whole.now),
        )
    else:
        by = told_number(abs(whole.change))
        told["change"] = (
            worded("{change} ({share})", change=by, share=percent_said(abs(whole.change / whole.before)))
            if whole.before > 0
            else by
        )
        text = (
            worded("{name} rose by {change} from {first} to {last}", **told)
            if whole.change > 0
            else worded("{name} fell by {change} from {first} to {last}", **told)
        )
    more, moved = _moved_most(whole, splits)
    alone_told = in_a_row(text, ".")
    sentence = in_a_row(text, "; ", more, ".") if more else alone_told
    rows = Rows(("part", "figure"), (*figures, *moved, ("change", whole.change)))
    return sentence if not verify(sentence, rows) else alone_told if not verify(alone_told, rows) else ""


def _moved_most(whole: Part, splits: Sequence[Split]) -> tuple[str, list[tuple[str, Decimal]]]:
    """Name the value that stands out most, and the one that moved most where it is another; with the figures that this rests on."""
    found = _standing_out(whole, splits)
    if found is None:
        if not (splits and whole.change):
            return "", []
        return worded(
            "no single value of {names} stands out", names=one_of([one.words for one in splits])
        ), []
    split, part = found
    label = part_words(split.words, split.missing, part)
    alone = {"name": label, "change": told_number(abs(part.change))}
    more: str
    if part.mix is not None and part.change > 0:
        more = worded("{name} alone added {change}", **alone)
    elif part.mix is not None:
        more = worded("{name} alone took off {change}", **alone)
    elif part.change > 0:
        more = worded("{name} alone rose by {change}", **alone)
    else:
        more = worded("{name} alone fell by {change}", **alone)
    figures = [(label, one) for one in (part.before, part.now, part.change) if one is not None]
    largest = _largest(split, part) if part.mix is None else part
    if largest is not part:
        most = part_words(split.words, split.missing, largest)
        more = _farthest(alone, most, largest.change)
        figures.append((most, largest.change))
    return more, figures


def _farthest(alone: dict[str, str], most: str, moved: Decimal) -> str:
    """The value that moved most, and then the one that moved farthest beyond its share, in the same direction."""
    told = {**alone, "most": most, "moved": told_number(abs(moved))}
    if moved > 0:
        return worded(
            "{most} rose most, by {moved}; {name} rose by {change}, the farthest beyond its share", **told
        )
    return worded(
        "{most} fell most, by {moved}; {name} fell by {change}, the farthest beyond its share", **told
    )


def sentence_unfinished(
    called: str, before: str, now: str, whole: Part, until: date, is_begun: bool, was_begun: bool = True
) -> str:
    """Tell two periods of which the later is not over, or one has no data: such a figure did not fall, it is not there yet.

    Example:
        >>> from sqlagent.telling.summarizing.contributing import whole_of
        >>> whole = whole_of([150, 38])
        >>> sentence_unfinished("revenue", "May 2026", "June 2026", whole, date(2026, 6, 9), True)
        'June 2026 is not complete: its data go to 9 June 2026. Revenue so far is 38, after 150 in May 2026.'
        >>> sentence_unfinished("revenue", "May 2026", "June 2026", whole_of([150, None]), date(2026, 5, 31), False)
        'June 2026 has no data: they end on 31 May 2026. Revenue was 150 in May 2026.'
    """
    told = {
        "name": begun_large(name(called)),
        "before": before,
        "now": now,
        "last": day_in_words(until),
        "was": told_number(whole.before or Decimal(0)),
        "figure": told_number(whole.now or Decimal(0)),
    }
    if is_begun and was_begun:
        return worded(
            "{now} is not complete: its data go to {last}. {name} so far is {figure}, after {was} in {before}.",
            **told,
        )
    if is_begun:
        return worded("{before} has no data: they end on {last}. {name} is {figure} in {now}.", **told)
    if not was_begun:
        return worded("Neither {before} nor {now} has data: they end on {last}.", **told)
    return worded("{now} has no data: they end on {last}. {name} was {was} in {before}.", **told)


def _standing_out(whole: Part, splits: Sequence[Split]) -> tuple[Split, Part] | None:
    """The value that goes with the whole and is farthest from moving like it."""
    found = [
        (excess(part, whole).copy_abs(), split, part)
        for split in splits
        for part in split.parts
        if part.kind is not Kind.OTHERS
        and part.change * whole.change > 0
        and excess(part, whole) * whole.change > 0
        and abs(part.change) >= NOTABLE * abs(whole.change)
    ]
    best = max(found, key=lambda one: one[0], default=None)
    return (best[1], best[2]) if best is not None else None


def _largest(split: Split, part: Part) -> Part:
    """The value of a split that moved most in the way in which one of them did; that one where none moved farther."""
    alike = [one for one in split.parts if one.kind is not Kind.OTHERS and one.change * part.change > 0]
    return max((part, *alike), key=lambda one: abs(one.change))


def part_words(words: str, missing: str, part: Part) -> str:
    """The name of a part in a sentence.

    Example:
        >>> part_words("country", "customer", Part(Kind.NONE, (), None, None, Decimal(1)))
        'what has no customer'
        >>> part_words("rating", "", Part(Kind.VALUE, (5,), None, None, Decimal(1))), part_words("newsletter", "", Part(Kind.VALUE, ("no",), None, None, Decimal(1)))
        ('rating 5', 'newsletter “no”')
    """
    if part.kind is Kind.NONE:
        return worded("what has no {name}", name=missing)
    if part.kind is Kind.OTHERS:
        return worded_count("{count} other", "{count} others", part.count, count=number(f"{part.count:,}"))
    said = [" ".join(str(one).split()) for one in part.values if one is not None]
    if not any(said):
        if said:
            return worded("what has an empty {name}", name=words)
        return worded("what has no {name}", name=words)
    plain = " ".join(said)
    plain = plain if len(plain) <= 60 else plain[:59].rstrip() + "…"
    if plain in ("yes", "no"):
        return worded("{name} “{value}”", name=words, value=plain)
    is_text = any(isinstance(one, str) and not one.isdecimal() for one in part.values)
    return plain if is_text else f"{words} {plain}"


def told_number(exact: Decimal) -> Saying:
    """A number for a sentence: whole from a thousand on, with two decimals below.

    Example:
        >>> told_number(Decimal("48570.39")), told_number(Decimal("9.126")), told_number(Decimal("0.00314"))
        ('48,570', '9.13', '0.0031')
    """
    size = abs(exact)
    digits = (
        0
        if size >= 1000 or exact == exact.to_integral_value()
        else 2
        if size >= 1
        else min(10, 1 - exact.adjusted())
    )
    text = f"{exact.quantize(Decimal(1).scaleb(-digits)):,f}"
    return number(text.rstrip("0").rstrip(".") if "." in text else text)

"""English texts that know what they are made of, so that they can be said in another language later.

A text is a template with places in braces and what stands in them. It is a plain `str` in English; `parts_of` gives what it is made of,
as JSON holds it, and `said` says that again in the words of a language. A text of which nothing is known stays as it is.
"""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Protocol

from sqlagent.rows.periods import period_written

Parts = Any
"""The parts of a text: a text as it stands, a list of what follows one another, or one of these:
`{"say": template, "with": {place: parts}}`, with `many` and `count` where it counts, `{"number": "1,234.5"}`, `{"day": "2026-11-28"}`,
`{"name": "Net revenue"}` of a name within a sentence, `{"first": parts}` of what begins one, `{"small": parts}` of what goes on from a colon,
`{"bare": parts}` of a sentence without its full stop."""

_PLACE = re.compile(r"\{(\w+)\}")


class Words(Protocol):
    """The words of a language."""

    def text(self, template: str) -> str:
        """Say a template."""
        ...

    def counted(self, one: str, many: str, count: int) -> str:
        """Say one of two templates, by the number that it is about."""
        ...

    def number(self, written: str) -> str:
        """Write a number that is written the English way."""
        ...

    def day(self, written: str) -> str:
        """Write a day, or a minute of one, that is written as ISO says."""
        ...

    def name(self, name: str) -> str:
        """Write a name as it stands within a sentence."""
        ...


class English:
    """The words that templates are written in."""

    def text(self, template: str) -> str:
        """Give the template."""
        return template

    def counted(self, one: str, many: str, count: int) -> str:
        """Give the one of 1, and the other of any other number."""
        return one if count == 1 else many

    def number(self, written: str) -> str:
        """Give the number."""
        return written

    def day(self, written: str) -> str:
        """Give the day; a month or a quarter by its name: Nov 2025, Q3 2025."""
        part = period_written(written)
        if part is None:
            return written
        name = f"Q{(part.first.month + 2) // 3}" if part.grain == "quarter" else month_abbr[part.first.month]
        return f"{name} {part.first.year}"

    def name(self, name: str) -> str:
        """Write the first letter small, unless the name begins with an abbreviation."""
        return lower_first(name)


ENGLISH = English()


def lower_first(words: str) -> str:
    """Write English words as they stand within a sentence, where they do not begin with an abbreviation.

    Example:
        >>> lower_first("Net revenue"), lower_first("VAT")
        ('net revenue', 'VAT')
    """
    return words if len(words) > 1 and words[1].isupper() else words[:1].lower() + words[1:]


class Saying(str):
    """An English text with its parts. Methods of `str` give a plain text."""

    parts: Parts

    @classmethod
    def of(cls, parts: Parts) -> Saying:
        """Say parts in English."""
        made = cls(said(parts, ENGLISH))
        made.parts = parts
        return made


def worded(template: str, /, **places: object) -> Saying:
    """Fill the places of a template with texts, or sayings.

    Example:
        >>> worded("The table {table} has {rows} rows.", table="orders", rows=number("1,200"))
        'The table orders has 1,200 rows.'
    """
    return Saying.of(
        {"say": template, "with": {name: parts_of(one) for name, one in places.items()}}
        if places
        else {"say": template}
    )


def worded_count(one: str, many: str, count: int, /, **places: object) -> Saying:
    """Fill the places of the template that fits a number.

    Example:
        >>> worded_count("{count} row", "{count} rows", 1, count=number("1"))
        '1 row'
    """
    given = {name: parts_of(place) for name, place in places.items()}
    return Saying.of({"say": one, "many": many, "count": count, "with": given})


def template(text: str) -> str:
    """Mark a template for the catalogs that is filled elsewhere."""
    return text


def number(written: str) -> Saying:
    """A number that is written the English way."""
    return Saying.of({"number": written})


def day(moment: date | str) -> Saying:
    """A day, or a minute of one; a language writes it in its own way."""
    if isinstance(moment, datetime):
        moment = moment.isoformat(" ", "minutes")
    return Saying.of({"day": moment.isoformat() if isinstance(moment, date) else moment})


def month_in_words(month: str) -> Saying:
    """An English name of a month, which catalogs of every language hold; any other text as it is."""
    return worded(month) if month in month_name[1:] else in_a_row(month)


def day_in_words(day: date) -> Saying:
    """A day with its month's name: 9 June 2026."""
    said_of = {"day": str(day.day), "month": month_in_words(month_name[day.month]), "year": str(day.year)}
    return worded("{day} {month} {year}", **said_of)


def name(words: str) -> Saying:
    """A name of the source's own, as of a column, within a sentence."""
    return Saying.of({"name": words})


def begun_large(text: str) -> Saying:
    """A text that begins a sentence, with its first letter large."""
    return Saying.of({"first": parts_of(text)})


def begun_small(text: str) -> Saying:
    """A sentence that goes on from a colon, with its first letter small where the language has it so."""
    return Saying.of({"small": parts_of(text)})


def in_quotes(text: str) -> Saying:
    """A text between the quote marks of the language."""
    return worded("“{word}”", word=text)


def in_a_row(*texts: str) -> Saying:
    """Texts one after the other, with nothing between them."""
    return Saying.of([parts_of(one) for one in texts if one])


def without_stop(sentence: str, *more: str) -> Saying:
    """A sentence that goes on where its full stop was."""
    parts = parts_of(sentence)
    if isinstance(parts, list) and parts[-1] == ".":
        return Saying.of([*parts[:-1], *map(parts_of, more)])
    return Saying.of([{"bare": parts}, *map(parts_of, more)])


def spaced(*texts: str) -> Saying:
    """Sentences one after the other, without the empty ones."""
    some = [one for one in texts if one]
    return in_a_row(*(part for n, one in enumerate(some) for part in ((" ", one) if n else (one,))))


def in_commas(texts: Sequence[str], mark: str = ", ") -> Saying:
    """Texts with commas, or another mark, between them."""
    return in_a_row(*(part for n, one in enumerate(texts) for part in ((mark, one) if n else (one,))))


def all_of(texts: Sequence[str]) -> Saying:
    """Texts in a row, the last after an "and".

    Example:
        >>> all_of(["Oslo", "Rome", "Bergen"])
        'Oslo, Rome and Bergen'
    """
    if len(texts) < 2:
        return in_commas(texts)
    return worded("{some} and {last}", some=in_commas(texts[:-1]), last=texts[-1])


def one_of(texts: Sequence[str]) -> Saying:
    """Texts in a row, the last after an "or"."""
    if len(texts) < 2:
        return in_commas(texts)
    return worded("{some} or {last}", some=in_commas(texts[:-1]), last=texts[-1])


def parts_of(text: object) -> Parts:
    """The parts of a text, as JSON holds it; the text itself where nothing is known of it."""
    return text.parts if isinstance(text, Saying) else str(text)


def said(parts: Parts, words: Words) -> str:
    """Say parts in the words of a language. Parts that are none give an empty text.

    Example:
        >>> said({"say": "{n} rows", "with": {"n": {"number": "1,200"}}}, ENGLISH)
        '1,200 rows'
    """
    match parts:
        case str():
            return parts
        case list() | tuple():
            return "".join(said(one, words) for one in parts)
        case {"say": str() as one, "many": str() as many, "count": int() as count, **rest}:
            return _filled(words.counted(one, many, count), rest.get("with"), words)
        case {"say": str() as template, **rest}:
            return _filled(words.text(template), rest.get("with"), words)
        case {"number": str() as written}:
            return words.number(written)
        case {"day": str() as written}:
            return words.day(written)
        case {"name": str() as called}:
            return words.name(called)
        case {"first": begun}:
            text = said(begun, words)
            return text[:1].upper() + text[1:]
        case {"bare": whole}:
            return said(whole, words).removesuffix(".")
        case {"small": begun}:
            text = said(begun, words)
            return text[:1].lower() + text[1:]
        case _:
            return ""


def _filled(template: str, places: Parts, words: Words) -> str:
    given = {name: said(one, words) for name, one in places.items()} if isinstance(places, dict) else {}
    return _PLACE.sub(lambda found: given.get(found[1], found[0]), template) if given else template

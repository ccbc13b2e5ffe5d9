"""Words that a row keeps, in the language of who reads them.

Workers write rows in English. A text of a fixed set is looked up in the catalog when it is read, and so is one that was made of a
template with places in braces. A text of `sqlagent` is kept with what it is made of, as JSON beside it, and is made anew of that: names
and values of a source stay as they are, numbers and days are written as the language writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, gettext, gettext_noop, ngettext, pgettext

from mirror.phrases import day_said, mid_sentence, separated
from mirror.storable import storable
from mirror.tunnel_words import TUNNEL_WORDS
from sqlagent.language.saying import ENGLISH, Parts, Saying, parts_of, said


class _Active:
    """The words of the language that is active."""

    def text(self, template: str) -> str:
        """Look a template up in the catalog."""
        return pgettext("of the whole", "Share") if template == "Share" else gettext(template)

    def counted(self, one: str, many: str, count: int) -> str:
        """Look up the template that fits a number."""
        return ngettext(one, many, count)

    def number(self, written: str) -> str:
        """Give a number the separators of the language."""
        return separated(written)

    def day(self, written: str) -> str:
        """Write a day as pages do."""
        return day_said(written)

    def name(self, name: str) -> str:
        """Write a name as it stands within a sentence: as it is, where nouns are written large."""
        small = ENGLISH.name(name)
        return name if mid_sentence("A") == "A" else small


_ACTIVE = _Active()
_TWO_STOPS = re.compile(r"\b(Mio|Mrd)\.\.")
# Texts of adapters that say no word of the database.
_OF_ADAPTERS = (
    *TUNNEL_WORDS,
    gettext_noop("The statement was stopped."),
    gettext_noop("The statement was stopped after {seconds} seconds."),
)


def sayings(**texts: object) -> dict[str, Parts]:
    """The parts of texts, by their names, as a row keeps it; texts of which nothing is known are left out.

    Example:
        >>> from sqlagent.language.saying import worded
        >>> sayings(sentence=worded("No rows."), title="Orders")
        {'sentence': {'say': 'No rows.'}}
    """
    return {name: storable(parts_of(text)) for name, text in texts.items() if isinstance(text, Saying)}


def kept_beside(**texts: object) -> dict[str, Any]:
    """The `saying` that JSON keeps beside its texts, to say them again; nothing where nothing is known of them."""
    made_of = sayings(**texts)
    return {"saying": made_of} if made_of else {}


def sayings_of(texts: Iterable[str]) -> dict[str, Parts]:
    """The same of texts in a list: each by itself."""
    return {str(storable(text)): storable(parts_of(text)) for text in texts if isinstance(text, Saying)}


def said_again(kept: str, made_of: Mapping[str, Any] | None, name: str) -> str:
    """Say a kept English text in the language that is active, by what it is made of; in English as it is kept.

    Where the parts make another text than the one that is kept, they are of an older one: then the text is looked up.

    Example:
        >>> from django.utils.translation import override
        >>> made_of = {"sentence": {"say": "The {name} is {value}.", "with": {"name": {"name": "Total"}, "value": {"number": "1,234.5"}}}}
        >>> with override("de"):
        ...     said_again("The total is 1,234.5.", made_of, "sentence")
        'Total: 1.234,5.'
        >>> said_again("The total is 1,234.5.", made_of, "sentence")
        'The total is 1,234.5.'
    """
    parts = (made_of or {}).get(name)
    if is_english() or not kept:
        return kept
    return _in_language(parts) if parts and said(parts, ENGLISH) == kept else translated(kept)


def row_said(row: Any, name: str) -> str:
    """Say a text of a row that keeps, as its `saying`, what its texts are made of."""
    return said_again(getattr(row, name), row.saying, name)


def entry_said(data: Mapping[str, Any], name: str) -> str:
    """Say a text of JSON that keeps, as its `saying`, what its texts are made of."""
    return said_again(str(data.get(name) or ""), data.get("saying"), name)


def failure_said(failure: Mapping[str, Any], name: str) -> str:
    """Say a text of a failure that a row keeps: its message, or what to do. Those of adapters are of a fixed set, or the database's own."""
    again = entry_said(failure, name)
    return again if is_english() or again != failure.get(name) else translated(again, _OF_ADAPTERS)


def texts_said(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Say a list of texts that a row keeps, each by what it is made of."""
    made_of = (data.get("saying") or {}).get(name)
    return tuple(said_again(str(text), made_of, str(text)) for text in data.get(name) or ())


def said_now(text: str) -> str:
    """Say a text of `sqlagent` that was just made in the language that is active; any other comes back as it is."""
    return text if is_english() or not isinstance(text, Saying) else _in_language(text.parts)


def _in_language(parts: Parts) -> str:
    """Say parts; the point of an abbreviation ends a sentence too: "1,2 Mio."."""
    return _TWO_STOPS.sub(r"\1.", said(parts, _ACTIVE))


def is_english() -> bool:
    """Whether the language that is active is the one that texts are kept in."""
    return language_now() == "en"


def language_now() -> str:
    """The language that is active, without its country."""
    return (get_language() or settings.LANGUAGE_CODE).partition("-")[0]


LONGEST = 2_000
"""Characters of a text that is held against templates: one with three places takes time by the third power of them."""


def translated(kept: str, templates: Iterable[str] = ()) -> str:
    """Translate a kept text that is one of a fixed set, or was made of one of these templates; any other, and a longer one, comes back as it is.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     translated("The worker was interrupted 3 times over this mail.", ["The worker was interrupted {count} times over this mail."])
        'Der Worker wurde bei dieser E-Mail 3-mal unterbrochen.'
        >>> long = "The worker was interrupted 3 times over this mail." * 50
        >>> translated(long, ["The worker was interrupted {count} times over this mail."]) == long
        True
    """
    templates = tuple(templates)
    if len(kept) > LONGEST:
        return kept
    if not kept:
        return ""
    for template in templates:
        if found := _pattern(template).fullmatch(kept):
            said = {name: day_said(translated(value, templates)) for name, value in found.groupdict().items()}
            return gettext(template).format(**said)
    return gettext(kept)


@lru_cache(maxsize=200)
def _pattern(template: str) -> re.Pattern[str]:
    """Match texts made of a template, with a group for each place."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)), re.DOTALL
    )

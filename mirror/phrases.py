"""Phrases shared by pages, mails, files and the shell: counts, times, sizes, rows of names, and one line of text.

They are in the language that is active: the person's on pages, English in the shell and in work that names none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from operator import mod
from typing import TYPE_CHECKING, cast

from django.utils.formats import date_format, get_format
from django.utils.functional import lazy
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext, ngettext_lazy, pgettext

from sqlagent.rows.periods import period_written

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

# Signs that turn the direction of a line, or hide: tricks in a title, a subject or a file name. Joiners of emoji stay.
_HIDING = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


# Languages that write nouns large wherever they stand.
_LARGE_NOUNS = ("de",)
_KEPT_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?")
# Of five digits and more: German has no mark in a year.
_LARGE = re.compile(r"-?[1-9]\d{4,14}")
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")

# Nouns that are counted, for the catalogs: `counted` looks them up by the same words.
_NOUNS = (
    ngettext_lazy("%(count)s minute", "%(count)s minutes", "count"),
    ngettext_lazy("%(count)s attempt", "%(count)s attempts", "count"),
    ngettext_lazy("%(count)s byte", "%(count)s bytes", "count"),
    ngettext_lazy("%(count)s call", "%(count)s calls", "count"),
    ngettext_lazy("%(count)s card", "%(count)s cards", "count"),
    ngettext_lazy("%(count)s day", "%(count)s days", "count"),
    ngettext_lazy("%(count)s person", "%(count)s people", "count"),
    ngettext_lazy("%(count)s query", "%(count)s queries", "count"),
    ngettext_lazy("%(count)s question", "%(count)s questions", "count"),
    ngettext_lazy("%(count)s row", "%(count)s rows", "count"),
    ngettext_lazy("%(count)s template", "%(count)s templates", "count"),
    ngettext_lazy("%(count)s token", "%(count)s tokens", "count"),
)
# Forms of days and times on pages, for the catalogs: German has a point after the day.
_DATED = (
    gettext_lazy("F Y"),
    gettext_lazy("j"),
    gettext_lazy("j F"),
    gettext_lazy("j F Y"),
    gettext_lazy("j F Y, H:i"),
    gettext_lazy("j F Y, H:i e"),
    gettext_lazy("D j M Y"),
    gettext_lazy("M Y"),
    gettext_lazy("j M Y"),
    gettext_lazy("j M Y, H:i"),
    gettext_lazy("j M Y, H:i:s"),
    gettext_lazy("j M, H:i"),
    gettext_lazy("l j F Y"),
    gettext_lazy("l j F Y, H:i"),
)


def one_line(text: str, most: int = 0) -> str:
    """Make a text one line of what can be seen: controls and line ends become spaces, runs of them one.

    Longer than `most` characters it is cut, with an ellipsis; 0 is no limit.

    Example:
        >>> one_line("Sales\\r\\nBcc: all@example.org\\x00"), one_line("abcdef", 4)
        ('Sales Bcc: all@example.org', 'abc…')
    """
    line = " ".join(_spaced(unhidden(text)).split())
    return line[: most - 1].rstrip() + "…" if most and len(line) > most else line


def unhidden(text: str) -> str:
    """Leave out characters that show nothing and only part or turn what stands beside them; joiners of scripts stay.

    Example:
        >>> unhidden("rev\\u200benue\\nby month")
        'revenue\\nby month'
    """
    return "".join(c for c in text if c not in _HIDING)


def is_one_line(text: str) -> bool:
    r"""Whether a text is one line of what can be seen: it ends no line, hides nothing and turns nothing.

    Example:
        >>> is_one_line("Local Qwen \U0001f469\u200d\U0001f4bb"), is_one_line("Local\nQwen"), is_one_line("\u202enewQ")
        (True, False, False)
    """
    return _spaced(unhidden(text)) == text


def visible(text: str) -> str:
    """Leave out every character without a width or a form of its own, and make controls and line ends spaces.

    Fit for a terminal: spaces stay as they are, and no character moves the cursor or turns a line.

    Example:
        >>> visible("  a\\x1b[31mb\\u202ec")
        '  a [31mbc'
    """
    return _spaced(c for c in text if unicodedata.category(c) != "Cf")


def _spaced(text: Iterable[str]) -> str:
    """Characters joined, with a space for each that controls or ends a line."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") else c for c in text)


def counted(count: int, one: str, many: str = "") -> str:
    """Say a number with its noun.

    Example:
        >>> counted(1, "row"), counted(1200, "row"), counted(2, "query", "queries")
        ('1 row', '1,200 rows', '2 queries')
    """
    single, several = f"%(count)s {one}", f"%(count)s {many or one + 's'}"
    return ngettext(single, several, count) % {"count": separated(f"{count:,}")}


def separated(number: str) -> str:
    """Give a number that is written the English way the separators of the language; a unit beside it stays as it is.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     separated("-1,234.5"), separated("1,200.50 Fr.")
        ('-1.234,5', '1.200,50 Fr.')
    """
    point, group = separators()
    if point == ".":
        return number
    swapped = {ord("."): point, ord(","): group}
    return _FIGURE.sub(lambda found: found[0].translate(swapped), number)


def separators() -> tuple[str, str]:
    """The decimal point and the mark of thousands in the language."""
    return str(get_format("DECIMAL_SEPARATOR")), str(get_format("THOUSAND_SEPARATOR"))


def number_typed(text: str) -> str:
    """A number as the language writes it, as it is written the English way; any other text, and every one in English, as it is.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     number_typed("0,5"), number_typed("1.000"), number_typed("1.234,5"), number_typed("0.5"), number_typed("1e3")
        ('0.5', '1000', '1234.5', '0.5', '1e3')
        >>> number_typed("1.000")
        '1.000'
    """
    point, group = separators()
    whole = rf"\d+|\d{{1,3}}(?:{re.escape(group)}\d{{3}})+" if group else r"\d+"
    if point == "." or not re.fullmatch(rf"[+-]?(?:{whole})(?:{re.escape(point)}\d+)?", text.strip()):
        return text
    plain = text.strip().replace(group, "") if group else text.strip()
    return plain.replace(point, ".")


def dated(moment: date | datetime, form: str) -> str:
    """Write a day or a time in a form of Django's, or in the one that stands for it in the language.

    Example:
        >>> dated(date(2026, 11, 28), "j M Y")
        '28 Nov 2026'
    """
    return date_format(moment, gettext(form))


def part_said(grain: str, first: date) -> str:
    """Name a month or a quarter of a year by its first day, the same way everywhere.

    Example:
        >>> from django.utils.translation import override
        >>> part_said("month", date(2025, 11, 1)), part_said("quarter", date(2025, 7, 1))
        ('Nov 2025', 'Q3 2025')
        >>> with override("de"):
        ...     part_said("month", date(2025, 11, 1))
        'Nov. 2025'
    """
    return f"Q{(first.month + 2) // 3} {first.year}" if grain == "quarter" else dated(first, "M Y")


def day_said(text: str) -> str:
    """A kept day, or a minute of one, as the language writes it; in English as it is kept, as is any other text.

    Months and quarters are named in every language.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     day_said("2026-10-31"), day_said("2026-12-05 13:51"), day_said("soon")
        ('31. Okt. 2026', '5. Dez. 2026, 13:51', 'soon')
        >>> day_said("2026-10-31"), day_said("2026-10")
        ('2026-10-31', 'Oct 2026')
    """
    if part := period_written(text):
        return part_said(part.grain, part.first)
    if not _KEPT_DAY.fullmatch(text):
        return text
    form = pgettext("a kept time", "Y-m-d H:i") if " " in text else pgettext("a kept day", "Y-m-d")
    try:
        return date_format(datetime.fromisoformat(text), form)
    except ValueError:
        return text


def figure_said(text: str) -> str:
    """A kept number as the language writes it: as `separated`, and large whole numbers in groups.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     figure_said("4,464,865.11"), figure_said("17400"), figure_said("2024")
        ('4.464.865,11', '17.400', '2024')
    """
    if separators()[0] == ".":
        return text
    return separated(f"{int(text):,}" if _LARGE.fullmatch(text) else text)


def took(seconds: float) -> str:
    """Say how long something took, as short as it is useful.

    Example:
        >>> took(0.0042), took(0.93), took(12.3), took(75), took(7260)
        ('0.004 s', '0.93 s', '12 s', '1 min 15 s', '2 h 1 min')
    """
    seconds = max(0.0, seconds)
    if seconds < 9.995:
        short = f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}"
        return f"{separated(short.rstrip('0').rstrip('.'))} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60} min"


def size(count: int) -> str:
    """Say a number of bytes.

    Example:
        >>> size(1), size(900), size(1_500_000), size(20_000_000)
        ('1 byte', '900 bytes', '1.5 MB', '20 MB')
    """
    if count < 1_000:
        return counted(count, "byte")
    unit, step = next((u for u in (("kB", 1e3), ("MB", 1e6)) if count < u[1] * 999.5), ("GB", 1e9))
    return separated(f"{count / step:.1f}".removesuffix(".0")) + f" {unit}"


def quoted(text: str) -> str:
    """Put a text between the quote marks of the language.

    Example:
        >>> quoted("revenue")
        '“revenue”'
    """
    return gettext("“%(text)s”") % {"text": text}


def filled(text: str | StrPromise, /, **values: object) -> StrPromise:
    """Put values into a text that is translated late: each time it is read it is in the language of who reads it.

    Messages of errors are: one that a German page shows stands in the audit in English, and may be kept for the next who asks.

    Example:
        >>> from django.utils.translation import override
        >>> said = filled(gettext_lazy("“%(text)s”"), text="revenue")
        >>> with override("de"):
        ...     str(said)
        '„revenue“'
        >>> str(said)
        '“revenue”'
    """
    return cast("StrPromise", _filled(text, values))


_filled = lazy(mod, str)


def mid_sentence(label: str) -> str:
    """Write a label as it stands within a sentence: small, except where nouns are written large.

    Example:
        >>> mid_sentence("Names and types")
        'names and types'
    """
    return label if get_language() in _LARGE_NOUNS else str(label).lower()


def joined(names: Sequence[str]) -> str:
    """Put names in a row.

    Example:
        >>> joined(["CSV", "Excel", "PDF"])
        'CSV, Excel and PDF'
    """
    said = [part for part in (", ".join(names[:-1]), *names[-1:]) if part]
    return (
        gettext("%(names)s and %(last)s") % {"names": said[0], "last": said[1]} if said[1:] else "".join(said)
    )


def plain_number(number: float, digits: int | None = None) -> str:
    """Write a number in digits alone, never with an exponent; of `digits` significant ones, where that is given.

    Example:
        >>> plain_number(1e-12), plain_number(1234567.5), plain_number(1e9), plain_number(0.00123, 2)
        ('0.000000000001', '1,234,567.5', '1,000,000,000', '0.0012')
    """
    said = format(Decimal(repr(float(number) if digits is None else float(f"{number:.{digits}g}"))), ",f")
    return separated(said.rstrip("0").rstrip(".") if "." in said else said)

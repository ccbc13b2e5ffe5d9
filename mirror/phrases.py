"""What pages, mails, files and the shell say in the same words: counts, times, sizes, rows of names, and one line of text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal

# What turns the direction of a line, or hides: tricks in a title, a subject or a file name. Joiners of emoji stay.
_HIDING = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
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
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def took(seconds: float) -> str:
    """Say how long something took, as short as it is useful.

    Example:
        >>> took(0.0042), took(0.93), took(12.3), took(75), took(7260)
        ('0.004 s', '0.93 s', '12 s', '1 min 15 s', '2 h 1 min')
    """
    seconds = max(0.0, seconds)
    if seconds < 9.995:
        short = f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}"
        return f"{short.rstrip('0').rstrip('.')} s"
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
    return f"{count / step:.1f}".removesuffix(".0") + f" {unit}"


def joined(names: Sequence[str]) -> str:
    """Put names in a row.

    Example:
        >>> joined(["CSV", "Excel", "PDF"])
        'CSV, Excel and PDF'
    """
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def plain_number(number: float, digits: int | None = None) -> str:
    """Write a number in digits alone, never with an exponent; of `digits` significant ones, where that is given.

    Example:
        >>> plain_number(1e-12), plain_number(1234567.5), plain_number(1e9), plain_number(0.00123, 2)
        ('0.000000000001', '1,234,567.5', '1,000,000,000', '0.0012')
    """
    said = format(Decimal(repr(float(number) if digits is None else float(f"{number:.{digits}g}"))), ",f")
    return said.rstrip("0").rstrip(".") if "." in said else said

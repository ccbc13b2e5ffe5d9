"""Quoted texts and names: what they stand for, and how they are quoted again.

A text is written so that it cannot end early however the server reads backslashes: a quote
within it is doubled, and a backslash stands alone where the dialect has no escapes and twice where
it has them.
"""

from __future__ import annotations

import re

_ESCAPED = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|''", re.DOTALL
)
_UNICODE = re.compile(r"\\(?:(\\)|\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))")
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MYSQL_LETTERS = {"b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "0": "\0", "%": "\\%", "_": "\\_"}
_ESCAPING = frozenset(("mysql", "escaping", "escaping names"))


def value_of(typed: str, style: str) -> str | None:
    """Tell what a quoted text or name stands for; None when its escapes stand for nothing.

    Bits (`x'..'`) stand for their digits.

    Example:
        >>> value_of("E'it\\\\'s'", "postgres"), value_of("'it''s'", "sqlite"), value_of("$a$it's$a$", "postgres")
        ("it's", "it's", "it's")
    """
    if typed[0] == "$":
        tag = typed.index("$", 1) + 1
        return typed[tag:-tag]
    prefix, quote, inside = _parts(typed)
    if quote == "`" or (quote == '"' and style not in ("mysql", "escaping")) or prefix in ("x", "b"):
        return inside.replace(quote * 2, quote)
    if prefix == "e":
        return _escaped(inside)
    if prefix == "u&":
        return _unicode(inside.replace("''", "'"))
    if prefix == "r":
        return None if quote in inside else inside
    if style in _ESCAPING:
        return _backslashed(inside, quote)
    return inside.replace(quote * 2, quote)


def quoted_again(typed: str, value: str, style: str) -> str:
    """Write a text or name anew: plain quotes where the dialect has several ways, the same value.

    Texts of the long tail that knows escapes stay as typed: engines differ in which they have.

    Example:
        >>> quoted_again("E'it\\\\'s'", "it's", "postgres")
        "'it''s'"
    """
    if typed[0] == "$":
        return _text(value, style)
    prefix, quote, _ = _parts(typed)
    if style in ("escaping", "escaping names") and quote != "`":
        return typed
    if prefix in ("x", "b"):
        return f"{typed[0]}'{value}'"
    if typed[0] == "[":
        return typed
    if quote == "`" or (quote == '"' and style not in ("mysql", "escaping")):
        return quote + value.replace(quote, quote * 2) + quote
    if quote == '"' and "\\" not in value and '"' not in value:
        return typed
    return ("N" if prefix == "n" else "") + _text(value, style)


def _text(value: str, style: str) -> str:
    if style in _ESCAPING:
        value = value.replace("\\", "\\\\")
    return "'" + value.replace("'", "''") + "'"


def _parts(typed: str) -> tuple[str, str, str]:
    """Part a quoted text into its prefix (in lower case), its quote and what is inside."""
    at = next(i for i, character in enumerate(typed) if character in "'\"`[")
    return typed[:at].lower(), typed[at], typed[at + 1 : -1]


def _escaped(inside: str) -> str | None:
    """Read the escapes of PostgreSQL's E'..', whose bytes must be UTF-8."""
    out = bytearray()
    at = 0
    try:
        for found in _ESCAPED.finditer(inside):
            out += inside[at : found.start()].encode()
            octal, hexa, short, long, letter = found.groups()
            if octal or hexa:
                out.append(int(octal, 8) & 255 if octal else int(hexa, 16))
            elif short or long:
                out += chr(int(short or long, 16)).encode()
            else:
                out += _LETTERS.get(letter, letter or "'").encode()
            at = found.end()
        out += inside[at:].encode()
        value = out.decode()
    except (UnicodeError, ValueError, OverflowError):
        return None
    return None if "\0" in value else value


def _unicode(inside: str) -> str | None:
    """Read the escapes of U&'..' with its usual escape character."""
    if re.search(r"\\(?!\\|\+[0-9a-fA-F]{6}|[0-9a-fA-F]{4})", inside.replace("\\\\", "")):
        return None
    try:
        value = _UNICODE.sub(lambda found: found[1] or chr(int(found[2] or found[3], 16)), inside)
        value.encode()
    except (UnicodeError, ValueError, OverflowError):
        return None
    return None if "\0" in value else value


def _backslashed(inside: str, quote: str) -> str | None:
    value = re.sub(
        r"\\(.)|" + quote * 2,
        lambda found: quote if found[1] is None else _MYSQL_LETTERS.get(found[1], found[1]),
        inside,
        flags=re.DOTALL,
    )
    return None if "\0" in value else value

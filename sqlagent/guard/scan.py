"""What a statement's characters are, before any parser looks: literals, comments, or code.

Decides whether the text is one statement and holds nothing a parser and a database are known
to read differently (executable comments, Unicode-escaped identifiers, client commands, odd
white space). What the code means is left to the parser, which is given the text with its
comments blanked out, so that no comment can ever hide code from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot.dialects.dialect import Dialect

from sqlagent.guard.lists import DIALECTS
from sqlagent.values import Refusal

MAX_CHARACTERS = 50_000
"""Longest statement looked at. The longest of published benchmarks is under 2,000."""

MAX_DEPTH = 200
"""Deepest nesting of brackets. Parsers recurse; SQLite's own expression limit is 1,000."""

_LINE = {
    "postgres": r"--[^\r\n]*",
    "duckdb": r"--[^\r\n]*",
    "sqlite": r"--[^\n]*",
    "mysql": r"(?:--(?=[\s\x00-\x1f]|\Z)|\#)[^\n]*",
    "other": r"--[^\r\n]*",
    "escaping": r"--[^\r\n]*",
    "escaping names": r"--[^\r\n]*",
}
_PLAIN = r"'(?:[^']|'')*'"
_BACKSLASH = r"'(?:[^'\\]|''|\\.)*'"
_TEXT = {
    "postgres": rf"(?:\b[eE]{_BACKSLASH})|{_PLAIN}",
    "duckdb": rf"(?:\b[eE]{_BACKSLASH})|{_PLAIN}",
    "sqlite": _PLAIN,
    "mysql": rf"""{_BACKSLASH}|"(?:[^"\\]|""|\\.)*\"""",
    "other": _PLAIN,
    "escaping": rf"""{_BACKSLASH}|"(?:[^"\\]|""|\\.)*\"""",
    "escaping names": _BACKSLASH,
}
_NAME = {
    "postgres": r'"(?:[^"]|"")*"',
    "duckdb": r'"(?:[^"]|"")*"',
    "sqlite": r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]',
    "mysql": r"`(?:[^`]|``)*`",
    "other": r'"(?:[^"]|"")*"|`(?:[^`]|``)*`',
    "escaping": r"`(?:[^`]|``)*`",
    "escaping names": r'"(?:[^"]|"")*"|`(?:[^`]|``)*`',
}
_DOLLAR = r"\$(?P<tag>(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?)\$.*?\$(?P=tag)\$"


def _pattern(dialect: str) -> re.Pattern[str]:
    dollar = rf"|(?P<dollar>{_DOLLAR})" if dialect in ("postgres", "duckdb") else ""
    return re.compile(
        rf"(?P<line>{_LINE[dialect]})|(?P<block>/\*)|(?P<text>{_TEXT[dialect]})"
        rf"|(?P<name>{_NAME[dialect]}){dollar}"
        rf"|(?P<open>['\"`])|(?P<word>[\w$\x80-\U0010ffff]+)|(?P<semicolon>;)"
        rf"|(?P<up>[(\[{{])|(?P<down>[)\]}}])|(?P<odd>[\\\x00-\x08\x0e-\x1f\x7f])",
        re.DOTALL,
    )


_PATTERNS = {dialect: _pattern(dialect) for dialect in _LINE}
_NESTS = {"postgres", "duckdb"}
_LONG_TAIL = {"other", "escaping", "escaping names"}
_UNICODE_NAME = re.compile(r'[uU]&"')
_ODD_SPACE = re.compile(
    r"[\x85\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]"
)
_HINT_SETS = re.compile(r"\b(?:set|set_var|resource_group|max_execution_time)\s*\(", re.IGNORECASE)
_DELIMITER = re.compile(r"\s*(?:delimiter\b|go\s*$)", re.IGNORECASE)


def style_of(dialect: str) -> str:
    """Name how a dialect writes texts and names: itself, or one of three ways for the long tail.

    Empty when the parser does not know the dialect.
    """
    if dialect in DIALECTS:
        return dialect
    found = Dialect.get(dialect) if dialect else None
    if found is None:
        return ""
    known = found.tokenizer_class
    if "\\" not in known.STRING_ESCAPES:
        return "other"
    return "escaping names" if '"' in known.IDENTIFIERS else "escaping"


@dataclass(frozen=True, slots=True)
class Scanned:
    """One statement: the code with its comments blanked (same length), and where literals lie.

    `start` and `end` bound the code. `literals` and `names` are the spans of quoted texts and
    of quoted identifiers, end exclusive.
    """

    code: str
    start: int
    end: int
    literals: tuple[tuple[int, int], ...]
    names: tuple[tuple[int, int], ...]


def scan(sql: str, dialect: str) -> Scanned | Refusal:
    """Split a text into literals, comments and code, and demand exactly one statement."""
    if len(sql) > MAX_CHARACTERS:
        return Refusal(
            f"The SQL is {len(sql):,} characters long.",
            f"Statements of more than {MAX_CHARACTERS:,} characters are not looked at.",
            "Shorten the SQL, for instance by joining to a table instead of listing values.",
        )
    nul = sql.find("\x00")
    if nul >= 0:
        return Refusal(
            "The SQL contains a NUL character.",
            "Databases and parsers disagree on where such a text ends.",
            "Remove the invisible character.",
            nul,
        )
    return _walk(sql, dialect)


def _walk(sql: str, dialect: str) -> Scanned | Refusal:
    pieces: list[str] = []
    literals: list[tuple[int, int]] = []
    names: list[tuple[int, int]] = []
    cuts: list[int] = []
    brackets: list[int] = []
    at = 0
    pattern = _PATTERNS[dialect]
    while found := pattern.search(sql, at):
        start, end, kind = found.start(), found.end(), found.lastgroup
        pieces.append(sql[at:start])
        if kind == "tag":
            kind = "dollar"
        text = found.group()
        if dialect in _LONG_TAIL:
            doubt = _doubt(sql, start, text, kind or "", dialect)
            if doubt is not None:
                return doubt
        if kind == "block":
            closed = _comment_end(sql, start, dialect)
            if isinstance(closed, Refusal):
                return closed
            end, text = closed, _blank(sql[start:closed])
        elif kind == "line":
            text = _blank(text)
        elif kind in ("text", "dollar"):
            literals.append((start, end))
        elif kind == "name":
            names.append((start, end))
        elif kind in ("open", "odd"):
            return _broken(sql, start, kind)
        elif kind == "semicolon":
            cuts.append(start)
        elif kind in ("up", "down"):
            if kind == "up":
                brackets.append(start)
            elif not brackets or sql[brackets.pop()] + text not in ("()", "[]", "{}"):
                return _unpaired(text, start, "opened")
            if len(brackets) > MAX_DEPTH:
                return _too_deep(start)
        pieces.append(text)
        at = end
    if brackets:
        return _unpaired(sql[brackets[-1]], brackets[-1], "closed")
    pieces.append(sql[at:])
    code = "".join(pieces)
    return (
        _continued(code, literals)
        or _outside(code, dialect, literals, names)
        or _one(code, dialect, cuts, literals, names)
    )


def _comment_end(sql: str, start: int, dialect: str) -> int | Refusal:
    if dialect == "mysql" and re.match(r"/\*(?:!|M!)", sql[start : start + 4], re.IGNORECASE):
        return Refusal(
            "The SQL contains a comment that MySQL executes (/*! ... */).",
            "What is inside would run although it looks like a comment.",
            "Write its content as plain SQL, or remove it.",
            start,
        )
    depth, at = 1, start + 2
    while depth:
        close = sql.find("*/", at)
        if close < 0:
            return Refusal(
                "A comment is opened with /* and never closed.",
                "Everything after it would be read differently by different readers.",
                "Close the comment with */ or remove it.",
                start,
            )
        inner = sql.find("/*", at, close) if dialect in _NESTS else -1
        depth, at = (depth + 1, inner + 2) if inner >= 0 else (depth - 1, close + 2)
    if sql.startswith("/*+", start) and _HINT_SETS.search(sql, start, at):
        return Refusal(
            "An optimizer hint changes a setting (SET_VAR, MAX_EXECUTION_TIME or similar).",
            "Settings hold the limits under which SQL runs here.",
            "Remove the hint.",
            start,
        )
    return at


_HINT = re.compile(r"/\*\+(?:[\w\s,]|\([\w\s,]*\))*\*/")


def _doubt(sql: str, start: int, text: str, kind: str, style: str) -> Refusal | None:
    """Refuse what engines of the long tail are known to read differently from each other.

    Some nest comments (Spark, SQL Server), continue one behind a backslash (Spark), run what is
    in `/*! ... */` (those like MySQL), take `--1` for two signs, or let a backslash hide a quote.
    """
    what = ""
    if kind == "block":
        close = sql.find("*/", start + 2)
        inside = sql[start : close + 2 if close >= 0 else len(sql)]
        if "/*" in inside[2:]:
            what = "A comment stands within another comment."
        elif inside[2:3] in ("!", "M", "m") and re.match(r"/\*M?!", inside, re.IGNORECASE):
            what = "A comment begins with /*!, which some databases run."
        elif inside.startswith("/*+") and not _HINT.fullmatch(inside):
            what = "A hint holds more than names and numbers."
    elif kind == "line" and text.endswith("\\"):
        what = "A comment ends with a backslash, and may go on in the next line."
    elif kind == "line" and text.strip("-") and not text[2].isspace():
        what = "There is no space behind the -- of a comment."
    elif kind in ("text", "name") and style == "other" and re.search(r"\\['\"`]", text):
        what = "A backslash stands before a quote."
    if not what:
        return None
    return Refusal(
        what,
        "Databases differ in where the text goes on from here.",
        "Leave comments out, and write a quote within a text twice.",
        start,
    )


def _blank(text: str) -> str:
    return "".join(c if c in "\r\n" else " " for c in text)


def _broken(sql: str, start: int, kind: str) -> Refusal:
    if kind == "open":
        return Refusal(
            f"A quoted text or name is opened with {sql[start]} and never closed.",
            "The SQL cannot be read to its end.",
            "Close the quote; write a quote inside a text twice.",
            start,
        )
    if sql[start] == "\\":
        return Refusal(
            "There is a backslash outside any text.",
            "It starts a command of a database's shell, which is not SQL.",
            "Remove it, and give the SQL alone.",
            start,
        )
    return Refusal(
        "The SQL contains an invisible control character.",
        "Databases and parsers read it differently.",
        "Remove the invisible character.",
        start,
    )


def _unpaired(bracket: str, position: int, missing: str) -> Refusal:
    return Refusal(
        f"A bracket {bracket} is never {missing}.",
        "The SQL cannot be read with certainty.",
        "Pair the brackets.",
        position,
    )


def _too_deep(position: int | None) -> Refusal:
    return Refusal(
        f"Brackets are nested more than {MAX_DEPTH} deep.",
        "Such SQL cannot be checked safely.",
        "Simplify the SQL, for instance with WITH.",
        position,
    )


def _continued(code: str, literals: list[tuple[int, int]]) -> Refusal | None:
    """Refuse E'...' that goes on in a next literal, where PostgreSQL keeps reading escapes."""
    for (start, end), (after, _) in zip(literals, literals[1:], strict=False):
        if code[start] in "eE" and code[after] == "'" and not code[end:after].strip():
            return Refusal(
                "An escape text E'...' is continued by another text.",
                "PostgreSQL reads the second one with backslash escapes, other readers do not.",
                "Write it as one text, or join the two with ||.",
                after,
            )
    return None


def _outside(
    code: str, dialect: str, literals: list[tuple[int, int]], names: list[tuple[int, int]]
) -> Refusal | None:
    """Refuse what must not stand outside literals, where readers are known to disagree."""
    if dialect == "postgres" or dialect == "duckdb":
        for start, _ in names:
            if start >= 2 and _UNICODE_NAME.match(code, start - 2):
                return Refusal(
                    'A name is written with Unicode escapes (U&"...").',
                    "It could spell a name that is not allowed.",
                    "Write the name as it is, in plain double quotes.",
                    start - 2,
                )
    odd = None if code.isascii() else _ODD_SPACE.search(_masked(code, literals, names))
    if odd is not None:
        return Refusal(
            f"There is an invisible character (U+{ord(odd.group()):04X}) outside any text.",
            "Databases do not read it as a space, or read it differently.",
            "Replace it by an ordinary space.",
            odd.start(),
        )
    return None


def _masked(code: str, literals: list[tuple[int, int]], names: list[tuple[int, int]]) -> str:
    """Blank everything quoted, so that what is found is code."""
    pieces, at = [], 0
    for start, end in sorted((*literals, *names)):
        pieces += [code[at:start], "x" * (end - start)]
        at = end
    return "".join((*pieces, code[at:]))


def _one(
    code: str,
    dialect: str,
    cuts: list[int],
    literals: list[tuple[int, int]],
    names: list[tuple[int, int]],
) -> Scanned | Refusal:
    bounds = [-1, *cuts, len(code)]
    full = [(a + 1, b) for a, b in zip(bounds, bounds[1:], strict=False) if code[a + 1 : b].strip()]
    if not full:
        return Refusal(
            "There is no statement.",
            "The text is empty or holds only comments.",
            "Write a SELECT.",
            0 if code else None,
        )
    start, end = full[0]
    start += len(code[start:end]) - len(code[start:end].lstrip())
    if _DELIMITER.match(code, start, end):
        return Refusal(
            "DELIMITER is a command of a database's shell.",
            "It is not SQL and would change where statements end.",
            "Give one statement without it.",
            start,
        )
    if len(full) > 1:
        second = full[1][0]
        second += len(code[second:]) - len(code[second:].lstrip())
        return Refusal(
            f"There are {len(full)} statements.",
            "Only one statement runs at a time.",
            "Keep the first and remove what follows its semicolon.",
            second,
        )
    end = start + len(code[start:end].rstrip())
    body = " " * start + code[start:end]
    if dialect == "mysql":
        body = _minuses(body, literals, names)
    return Scanned(body, start, end, tuple(literals), tuple(names))


def _minuses(code: str, literals: list[tuple[int, int]], names: list[tuple[int, int]]) -> str:
    """Part `--1`, two minus signs in MySQL, which the parser would take for a comment."""
    masked = _masked(code, literals, names)
    pieces, at = [], 0
    while (found := masked.find("--", at)) >= 0:
        pieces += [code[at:found], " "]
        at = found + 1
    return "".join((*pieces, code[at:]))

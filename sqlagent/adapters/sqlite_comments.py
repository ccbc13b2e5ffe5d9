"""Comments in the statement that made a SQLite table: SQLite keeps the text of the statement and has no other place for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 200_000
"""Characters of a statement from which on it is not read for comments."""

_PIECE = re.compile(
    r"""(?P<line>--[^\n]*)|(?P<block>/\*.*?(?:\*/|\Z))|(?P<quoted>"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\])"""
    r"""|(?P<space>\s+)|(?P<word>\w+)|(?P<mark>.)""",
    re.DOTALL,
)


def column_comments(statement: str) -> dict[str, str]:
    """Give the comments beside column definitions, by the columns' names in lower case.

    A comment belongs to the definition that it stands in, or behind in the same line; on a line of its own to the next one.

    Example:
        >>> column_comments("CREATE TABLE t (id INT, -- the key\\n st TEXT /* A active, C closed */)")
        {'id': 'the key', 'st': 'A active, C closed'}
    """
    found: dict[str, list[str]] = {}
    depth = 0
    now, last = "", ""
    waiting: list[str] = []
    at_end = False  # behind a comma, in its line
    for kind, text in _pieces(statement):
        if kind == "comment":
            name = now or (last if at_end else "")
            if name:
                found.setdefault(name, []).append(text)
            elif depth:
                waiting.append(text)
        elif kind == "space":
            at_end = at_end and "\n" not in text
        elif text == "(":
            depth += 1
        elif text == ")":
            depth -= 1
            if not depth:
                break
        elif text == "," and depth == 1:
            last, now, at_end = now, "", True
        elif depth == 1 and not now:
            now, at_end = text.strip("\"'`[]").lower(), False
            if waiting:
                found.setdefault(now, []).extend(waiting)
                waiting = []
    return {name: " ".join(some) for name, some in found.items()}


def _pieces(statement: str) -> Iterator[tuple[str, str]]:
    for match in _PIECE.finditer(statement[:LONGEST]):
        kind, text = match.lastgroup or "", match.group()
        if kind == "line":
            yield "comment", text[2:].strip()
        elif kind == "block":
            yield "comment", " ".join(text.removesuffix("*/")[2:].split())
        else:
            yield kind, text

"""One query in brackets, as it is sent to Spark; and what Spark says, cut down to what happened."""

from __future__ import annotations

import re

from sqlagent.adapters.failures import refused

QUERIES = frozenset(("select", "with", "values", "table", "from", ""))
DESCRIBES = frozenset(("show", "describe", "desc", "explain"))

# ---------------------------------------------------------------- one query, in brackets

_PIECES = re.compile(
    r"""(?P<text>\b[rR]'[^']*'|\b[rR]"[^"]*"|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<name>`(?:[^`]|``)*`)|(?P<note>/\*.*?\*/|--[^\r\n]*)""",
    re.DOTALL,
)
# Functions that run what a text names, and the clause that gives rows to a script.
_ACTS = re.compile(
    r"\b(?P<call>reflect|try_reflect|java_method|identifier)\b[\s`]*\(|\busing\s*'", re.IGNORECASE
)


def bracketed(sql: str, rows: int) -> str:
    """Write a query so that the server takes nothing but a query and gathers so many rows at most.

    SHOW, DESCRIBE and EXPLAIN, which run nothing, stay as they are. Raises: StatementFailed.

    Example:
        >>> bracketed("SELECT 1", 11)
        '(\\nSELECT 1\\n) LIMIT 11'
        >>> bracketed("SELECT `it's; so`, 'a; b' FROM t; -- all", 3)
        "(\\nSELECT `it's; so`, 'a; b' FROM t\\n) LIMIT 3"
        >>> bracketed("SELECT TRANSFORM(a) USING 'cat' FROM t", 11)
        Traceback (most recent call last):
        ...
        sqlagent.errors.StatementFailed: This gives rows to a script; it is not a read.
    """
    bare = _PIECES.sub(_bare, sql)
    if "/*" in bare or "*/" in bare or re.search(r"/\*(?:(?!\*/).)*/\*|--[^\r\n]*\\\r?\n", sql, re.DOTALL):
        raise refused("A comment stands within a comment, or goes on in the next line; leave comments out.")
    text = bare.strip().rstrip("; \t\r\n")
    if not text:
        raise refused("There is no statement here.")
    if ";" in text:
        raise refused("One statement at a time, please: this text holds several.")
    acts = _ACTS.search(text)
    if acts is not None:
        what = f"{acts['call']} calls code by its name" if acts["call"] else "This gives rows to a script"
        raise refused(f"{what}; it is not a read.")
    word = re.match(r"[A-Za-z]*", text.lstrip("( \t\r\n"))
    first = word[0].lower() if word else ""
    if first in DESCRIBES:
        return sql
    if first not in QUERIES:
        raise refused(f"{first.upper()} is not a read.")
    return f"(\n{_without_end(sql)}\n) LIMIT {int(rows)}"


def _bare(piece: re.Match[str]) -> str:
    """Leave a mark of a text, the letters of a name, and nothing of a comment."""
    if piece["name"]:
        return "`" + re.sub(r"\W", "_", piece["name"][1:-1]) + "`"
    return " ' " if piece["text"] else " "


def _without_end(sql: str) -> str:
    """Leave out a semicolon that ends the statement, with what is behind it."""
    pieces = [found.span() for found in _PIECES.finditer(sql)]
    ends = (m.start() for m in re.finditer(";", sql) if not any(a <= m.start() < b for a, b in pieces))
    return sql[: next(ends, len(sql))]


# ---------------------------------------------------------------- what Spark says

_SAID = re.compile(r"\[[A-Z][A-Z0-9_.]{3,}\]\s+(?!org\.|java\.)(?P<said>.+)", re.DOTALL)
_CLASS = re.compile(r"^(?:Error running query: )?(?:\[[A-Z0-9_.]+\] )?(?:[\w.$]+(?:Exception|Error): )+")
_END = re.compile(
    r"\s*SQLSTATE: \w{5}|\n\s*== |;\s*line \d+ pos|;\s*\n|\s*\(line \d+, pos \d+\)|\n\s+at |\n\n"
)


def said(text: str) -> tuple[str, str]:
    """Cut a message of Spark's down to what happened and what to do.

    Example:
        >>> said("Error running query: [X_NOT_FOUND] org.x.AException: [X_NOT_FOUND] The table `a` cannot "
        ...      "be found. Verify the spelling.\\nIf you ... SQLSTATE: 42P01; line 1 pos 14;\\n'Project")
        ('The table `a` cannot be found.', 'Verify the spelling.')
    """
    found = _SAID.search(text)
    line = found["said"] if found else _CLASS.sub("", text)
    line = re.sub(r"\s+", " ", _END.split(line, maxsplit=1)[0]).strip()
    message, _, advice = line.partition(". ")
    advice = f"{advice.partition('. ')[0].rstrip('.')}." if advice else ""
    return (f"{message.rstrip('.')}." if message else "The server gave no reason."), advice


def class_of(text: str) -> str:
    """Read Spark's own class of an error, which stands before anything a statement could have said.

    Example:
        >>> class_of("Error running query: [CAST_INVALID_INPUT] org.x.AException: [CAST_INVALID_INPUT] The value 'a'")
        'CAST_INVALID_INPUT'
    """
    found = re.match(r"(?:Error running query: )?\[([A-Z][A-Z0-9_]+)[\].]", text)
    return found[1] if found else ""


def position_of(text: str, sql: str) -> int | None:
    """Find the place a message names in the SQL as it was before it was put in brackets."""
    found = re.search(r"\(line (\d+), pos (\d+)\)|line (\d+) pos (\d+)", text)
    if found is None:
        return None
    line, column = (int(n) for n in found.groups() if n is not None)
    if sql.lstrip().split(" ")[0].lower() not in DESCRIBES:
        line -= 1
    lines = sql.split("\n")
    if not 1 <= line <= len(lines):
        return None
    return min(sum(len(before) + 1 for before in lines[: line - 1]) + column, len(sql))

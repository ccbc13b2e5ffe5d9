"""Statements of MySQL as text: which of them read, and where in them a message of the server points."""

from __future__ import annotations

import re

from sqlagent.adapters.failures import refused

# MariaDB's EXPLAIN ANALYZE, which runs a read and tells what it took.
_MEASURED = re.compile(r"\s*ANALYZE(\s+FORMAT\s*=\s*\w+)?(\s+(SELECT|WITH|VALUES)\b|\s*\()", re.IGNORECASE)
# Shows how a user signs in, with the hash of its password.
_HASHES = re.compile(r"\s*SHOW\s+(GRANTS|CREATE\s+USER)\b", re.IGNORECASE)
READS = frozenset(("select", "with", "values", "table", "show", "explain", "describe", "desc"))

# Quoted texts, names and comments. /*! ... */ is no comment to the server, nor are two dashes before a space that
# is not ASCII (U+3000, say): those are minus signs, and what follows runs.
_HIDDEN = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`"""
    r"""|/\*(?!M?!).*?\*/|\#[^\n]*|--(?=[\x00-\x20\x7f]|\Z)[^\n]*""",
    re.DOTALL,
)


def check_reads(sql: str) -> None:
    """Let only a statement through that begins as a read and puts nothing anywhere.

    The server's read-only transaction does not stop SET, LOCK, KILL, CREATE TEMPORARY or
    SELECT ... INTO OUTFILE. A statement that shows the hash of a password is no read either. Raises: StatementFailed.

    Example:
        >>> check_reads("SELECT 'INTO', `into` FROM t")
        >>> check_reads("ANALYZE FORMAT=JSON SELECT 1")
        >>> check_reads("SHOW GRANTS")
        Traceback (most recent call last):
        ...
        sqlagent.errors.StatementFailed: It shows the password hash of a user.
        >>> check_reads("SELECT 1 /*! INTO OUTFILE '/tmp/x' */")
        Traceback (most recent call last):
        ...
        sqlagent.errors.StatementFailed: SELECT ... INTO writes; it is not a read.
    """
    bare = _bare(sql)
    if re.search(r"/\*M?!", bare):
        raise refused(
            "SELECT ... INTO writes; it is not a read." if _has_into(bare) else "/*! ... */ hides SQL."
        )
    if _has_into(bare):
        raise refused("SELECT ... INTO writes; it is not a read.")
    first = re.match(r"[\s(]*([A-Za-z]*)", bare)
    word = first[1].lower() if first else ""
    if not word:
        raise refused("There is no statement here.")
    if _HASHES.match(bare):
        raise refused("It shows the password hash of a user.")
    if word not in READS and not _MEASURED.match(bare):
        raise refused(f"{word.upper()} is not a read.")


def _has_into(bare: str) -> bool:
    return re.search(r"\binto\b", bare, re.IGNORECASE) is not None


def _bare(sql: str) -> str:
    """Blank comments, and put a quote mark where something is quoted, in one pass from left to right."""
    return _HIDDEN.sub(lambda found: " ' " if found[0][0] in "'\"`" else " ", sql)


def position_of(message: str, sql: str) -> int | None:
    """Find where the thing a message names stands in the SQL; None unless it stands there once.

    Example:
        >>> position_of("... to use near 'FORM t' at line 1", "SELECT a FORM t")
        9
    """
    near = re.search(r"near '(.+)' at line \d+", message, re.DOTALL)
    if near is not None:
        return sql.find(near[1]) if sql.count(near[1]) == 1 else None
    named = re.search(r"Unknown column '([^']+)'|Table '(?:[^'.]+\.)?([^']+)' doesn't exist", message)
    if named is None:
        return None
    word = (named[1] or named[2]).split(".")[-1]
    found = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", sql)]
    return found[0] if len(found) == 1 else None

"""Words and texts whose place in a statement the parser and an engine read differently."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.lists import LISTED
from sqlagent.guard.reading import is_word
from sqlagent.values import Refusal

MOST_PARTS = 300
"""Most SELECTs, and most joins, of a statement: what is behind each is looked up, one after the other."""

# Words that begin a statement. T-SQL needs no semicolon before one; a parser takes it for an alias.
_BEGIN = frozenset(
    [
        "alter",
        "call",
        "create",
        "delete",
        "deny",
        "drop",
        "exec",
        "execute",
        "grant",
        "insert",
        "merge",
        "revoke",
        "truncate",
        "update",
    ]
)
_BEGIN_TSQL = _BEGIN | frozenset(
    [
        "add",
        "backup",
        "begin",
        "break",
        "browse",
        "bulk",
        "checkpoint",
        "close",
        "commit",
        "compute",
        "continue",
        "cursor",
        "dbcc",
        "deallocate",
        "declare",
        "disable",
        "disk",
        "dump",
        "enable",
        "fetch",
        "get",
        "go",
        "goto",
        "if",
        "kill",
        "lineno",
        "load",
        "move",
        "offsets",
        "open",
        "openrowset",
        "print",
        "raiserror",
        "read",
        "readtext",
        "receive",
        "reconfigure",
        "restore",
        "return",
        "revert",
        "rollback",
        "save",
        "send",
        "set",
        "setuser",
        "shutdown",
        "statistics",
        "throw",
        "tran",
        "transaction",
        "tsequal",
        "unlock",
        "updatetext",
        "use",
        "waitfor",
        "while",
        "writetext",
    ]
)
_TSQL = frozenset(("tsql", "fabric", "sybase"))


def words_problem(tokens: Sequence[Token], dialect: str) -> Refusal | None:
    """Refuse a word that may begin a second statement, a text that names a table, and far too many parts."""
    begin = frozenset[str]() if dialect in LISTED else _BEGIN_TSQL if dialect in _TSQL else _BEGIN
    selects = joins = 0
    for at, token in enumerate(tokens):
        kind, before = token.token_type, tokens[at - 1].token_type if at else None
        selects += kind == TokenType.SELECT
        joins += kind in (TokenType.JOIN, TokenType.UNION)
        if max(selects, joins) > MOST_PARTS:
            return Refusal(
                f"There are more than {MOST_PARTS} SELECTs or joins.",
                "Such SQL cannot be checked in reasonable time.",
                "Shorten the SQL, for instance by listing values once.",
                token.start,
            )
        if dialect == "sqlite" and before == TokenType.IN and kind == TokenType.STRING:
            return Refusal(
                "A text stands after IN.",
                "SQLite takes it for the name of a table.",
                "Put brackets around it: IN ('text').",
                token.start,
            )
        is_bare = at > 0 and before != TokenType.DOT and kind != TokenType.IDENTIFIER and is_word(token)
        if is_bare and token.text.lower() in begin:
            return Refusal(
                f"{token.text.upper()} stands within the statement.",
                "The database may take it for the beginning of another one.",
                "Quote it if it is a name.",
                token.start,
            )
    return None

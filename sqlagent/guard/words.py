"""Words and texts whose place in a statement the parser and an engine read differently."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.lists import Lists
from sqlagent.guard.plainer import is_word
from sqlagent.language.saying import worded
from sqlagent.values import Refusal

MOST_PARTS = 300
"""Most SELECTs, and most joins, of a statement: what is behind each is looked up, one after the other."""


def words_problem(tokens: Sequence[Token], dialect: str, allowed: Lists) -> Refusal | None:
    """Refuse a word that may begin a second statement, a text that names a table, and far too many parts."""
    if dialect == "postgres" and (long := _cut_alike(tokens)) is not None:
        return Refusal(
            worded("Two names are alike in their first 63 bytes."),
            worded("PostgreSQL cuts names there, and takes them for one."),
            worded("Give one of them a shorter name."),
            long.start,
        )
    selects = joins = 0
    for at, token in enumerate(tokens):
        kind, before = token.token_type, tokens[at - 1].token_type if at else None
        selects += kind == TokenType.SELECT
        joins += kind in (TokenType.JOIN, TokenType.UNION)
        if max(selects, joins) > MOST_PARTS:
            return Refusal(
                worded("There are more than {most_parts} SELECTs or joins.", most_parts=MOST_PARTS),
                worded("Such SQL cannot be checked in reasonable time."),
                worded("Shorten the SQL, for instance by listing values once."),
                token.start,
            )
        if dialect in ("sqlite", "clickhouse") and before == TokenType.IN:
            # ClickHouse takes any bare name for a table, one of a column or an alias too.
            odd = _no_name(tokens, at) if dialect == "sqlite" else _no_bracket(token)
            if odd is not None:
                return Refusal(
                    worded("Neither brackets nor the plain name of a table stands after IN."),
                    worded("The database takes texts and most words there for the name of a table."),
                    worded("Put brackets around values, as in IN ('text'), and quotes around a name."),
                    odd.start,
                )
        is_bare = at > 0 and before != TokenType.DOT and kind != TokenType.IDENTIFIER and is_word(token)
        if is_bare and token.text.lower() in allowed.beginnings:
            return Refusal(
                worded("{word} stands within the statement.", word=token.text.upper()),
                worded("The database may take it for the beginning of another one."),
                worded("Quote it if it is a name."),
                token.start,
            )
    return None


def _cut_alike(tokens: Sequence[Token]) -> Token | None:
    """Find a name that PostgreSQL cuts and that is then another name of the statement."""
    names = [t for t in tokens if t.token_type == TokenType.IDENTIFIER or is_word(t)]
    if all(len(token.text) <= _MOST_BYTES // 4 for token in names):
        return None
    cut: dict[bytes, str] = {}
    for token in names:
        written = token.text if token.token_type == TokenType.IDENTIFIER else token.text.lower()
        if cut.setdefault(written.encode()[:_MOST_BYTES], written) != written:
            return token
    return None


_MOST_BYTES = 63


def _no_bracket(token: Token) -> Token | None:
    return None if token.token_type == TokenType.L_PAREN else token


def _no_name(tokens: Sequence[Token], at: int) -> Token | None:
    """Find what is neither an opening bracket nor a part of a plain name, from a place after IN."""
    if tokens[at].token_type == TokenType.L_PAREN:
        return None
    while True:
        is_called = at + 1 < len(tokens) and tokens[at + 1].token_type == TokenType.L_PAREN
        if tokens[at].token_type not in _NAMES and not (is_called and is_word(tokens[at])):
            return tokens[at]
        if at + 2 >= len(tokens) or tokens[at + 1].token_type != TokenType.DOT:
            return None
        at += 2


_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)

"""Tokens in a form that the parser knows, where it knows less than the engines do.

Only the parser reads these. Calls are checked on the tokens as they were written, and those are sent. Omitted tokens
hold no name of a table and no call.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

LITERAL = {
    TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING,
    TokenType.UNICODE_STRING, TokenType.BYTE_STRING, TokenType.BIT_STRING, TokenType.HEX_STRING,
}  # fmt: skip


def is_word(token: Token) -> bool:
    """Say whether a token is a name or a keyword, and no literal."""
    return token.token_type == TokenType.IDENTIFIER or (
        bool(token.text)
        and (token.text[0].isalpha() or token.text[0] == "_")
        and token.token_type not in LITERAL
    )


def plainer(tokens: list[Token], dialect: str) -> list[Token]:
    """Give the tokens a form that the parser knows less about.

    Functions lose their signature, PostgreSQL's and DuckDB's absolute value its sign, DuckDB's
    x'..' its prefix, and a PIVOT that is ordered or cut becomes a SELECT from it. MySQL's groups lose their order, its
    JSON_TABLE what it does with what is missing, and PostgreSQL's USING (...) its alias.
    """
    parser = Dialect.get_or_raise(dialect).parser_class
    if dialect == "mysql":
        left_out = _orders_of_groups(tokens) | _handling(tokens)
        tokens = _distinct_first([token for at, token in enumerate(tokens) if at not in left_out])
    elif dialect == "postgres":
        left_out = _aliases_of_using(tokens)
        tokens = [token for at, token in enumerate(tokens) if at not in left_out]
    plainer = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        upper = token.text.upper()
        if following is not None and token.token_type == TokenType.PARAMETER:
            if following.token_type in (TokenType.NUMBER, TokenType.DASH, TokenType.L_PAREN):
                continue
        elif following is not None and following.token_type == TokenType.STRING and upper in ("X", "B"):
            if token.token_type == TokenType.VAR and token.end + 1 == following.start:
                continue
        elif upper == "DISTINCTROW":
            token = _changed(token, "DISTINCT", TokenType.DISTINCT)
        elif (
            following is not None
            and following.token_type == TokenType.L_PAREN
            and upper in parser.FUNCTIONS
            and upper not in parser.FUNCTION_PARSERS
            and (upper != "COLUMNS" or dialect == "duckdb")
            and is_word(token)
        ):
            token = _changed(token, "f", TokenType.VAR)
        plainer.append(token)
    return _selected(plainer)


def _orders_of_groups(tokens: Sequence[Token]) -> set[int]:
    """Find ASC and DESC behind what rows are grouped by, reserved words which stand for nothing else."""
    found: set[int] = set()
    grouping = [False]
    for at, token in enumerate(tokens):
        kind = token.token_type
        if kind == TokenType.L_PAREN:
            grouping.append(False)
        elif kind == TokenType.R_PAREN and len(grouping) > 1:
            grouping.pop()
        elif kind == TokenType.GROUP_BY:
            grouping[-1] = True
        elif kind in _AFTER_GROUPS:
            grouping[-1] = False
        elif grouping[-1] and kind in (TokenType.ASC, TokenType.DESC):
            found.add(at)
    return found


_AFTER_GROUPS = frozenset(
    (
        TokenType.SELECT,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.WINDOW,
        TokenType.UNION,
    )
)


def _handling(tokens: Sequence[Token]) -> set[int]:
    """Find `NULL ON EMPTY`, `DEFAULT 'a' ON ERROR` and EXISTS behind COLUMNS of a JSON_TABLE, where no rows are joined."""
    found: set[int] = set()
    tables: list[str] = []
    for at, token in enumerate(tokens):
        word = token.text.upper() if is_word(token) else ""
        if token.token_type == TokenType.L_PAREN:
            opener = tokens[at - 1].text.upper() if at else ""
            inside = bool(tables) and tables[-1] in ("JSON_TABLE", "COLUMNS")
            tables.append(opener if opener == "JSON_TABLE" or (opener == "COLUMNS" and inside) else "")
        elif token.token_type == TokenType.R_PAREN and tables:
            tables.pop()
        elif tables and tables[-1] == "COLUMNS":
            if word == "EXISTS":
                found.add(at)
            elif word in ("EMPTY", "ERROR") and at > 1 and tokens[at - 1].text.upper() == "ON":
                before = tokens[at - 2]
                if before.token_type == TokenType.NULL or before.text.upper() == "ERROR":
                    found.update((at - 2, at - 1, at))
                elif before.token_type in _PLAIN and tokens[at - 3].token_type == TokenType.DEFAULT:
                    found.update((at - 3, at - 2, at - 1, at))
    return found


_PLAIN = (TokenType.STRING, TokenType.NUMBER)


def _distinct_first(tokens: list[Token]) -> list[Token]:
    """Write `SELECT SQL_NO_CACHE DISTINCT` as `SELECT DISTINCT SQL_NO_CACHE`."""
    found: list[Token] = []
    start: int | None = None
    for token in tokens:
        if token.token_type == TokenType.SELECT:
            start = len(found) + 1
        elif start is not None and token.token_type == TokenType.DISTINCT:
            found.insert(start, token)
            start = None
            continue
        elif not token.text.upper().startswith(("SQL_", "HIGH_PRIORITY", "STRAIGHT_JOIN")):
            start = None
        found.append(token)
    return found


def _aliases_of_using(tokens: Sequence[Token]) -> set[int]:
    """Find `AS j` behind `JOIN ... USING (...)`, where that name stands nowhere else."""
    found: set[int] = set()
    for at in range(2, len(tokens) - 1):
        if tokens[at].token_type != TokenType.ALIAS or tokens[at - 1].token_type != TokenType.R_PAREN:
            continue
        opened = at - 2
        while opened and (tokens[opened].token_type == TokenType.COMMA or is_word(tokens[opened])):
            opened -= 1
        if tokens[opened].token_type == TokenType.L_PAREN and tokens[opened - 1].text.upper() == "USING":
            name = tokens[at + 1].text.lower()
            if is_word(tokens[at + 1]) and sum(token.text.lower() == name for token in tokens) == 1:
                found.update((at, at + 1))
    return found


def rows_selected(tokens: list[Token]) -> list[Token]:
    """Write `VALUES (1), (2)` as `SELECT * FROM (VALUES (1), (2))`, as MySQL's parser takes VALUES for a call."""
    found: list[Token] = []
    ends: list[int] = []
    for at, token in enumerate(tokens):
        is_first = at == 0 or tokens[at - 1].token_type == TokenType.L_PAREN
        before = tokens[at - 2].token_type if at > 1 else None
        if (
            token.token_type == TokenType.VALUES
            and is_first
            and before != TokenType.FROM
            and at + 1 < len(tokens)
            and tokens[at + 1].token_type == TokenType.L_PAREN
        ):
            found += _beginning(token)
            ends.append(_rows_end(tokens, at + 1))
        found.append(token)
        while ends and ends[-1] == at:
            found.append(_changed(token, ")", TokenType.R_PAREN))
            ends.pop()
    return found


def _rows_end(tokens: list[Token], at: int) -> int:
    """Find the last bracket of the rows that begin at a place."""
    depth = 0
    for number in range(at, len(tokens)):
        kind = tokens[number].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        following = tokens[number + 1].token_type if number + 1 < len(tokens) else None
        if not depth and kind == TokenType.R_PAREN and following != TokenType.COMMA:
            return number
    return len(tokens) - 1


def _beginning(first: Token) -> list[Token]:
    """Make the tokens of `SELECT * FROM (`."""
    return [
        _changed(first, text, kind)
        for text, kind in (
            ("SELECT", TokenType.SELECT),
            ("*", TokenType.STAR),
            ("FROM", TokenType.FROM),
            ("(", TokenType.L_PAREN),
        )
    ]


def _selected(tokens: list[Token]) -> list[Token]:
    """Write `PIVOT ... ORDER BY ...` as `SELECT * FROM (PIVOT ...) ORDER BY ...`."""
    if tokens[0].token_type not in (TokenType.PIVOT, TokenType.UNPIVOT):
        return tokens
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if not depth and token.token_type in (TokenType.ORDER_BY, TokenType.LIMIT):
            first = tokens[0]
            return [*_beginning(first), *tokens[:i], _changed(first, ")", TokenType.R_PAREN), *tokens[i:]]
    return tokens


def _changed(token: Token, text: str, kind: TokenType) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)

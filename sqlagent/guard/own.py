"""What somebody made in the database: functions, operators and types that bear names of the lists.

A list tells what a name of the engine does. A function of the same name that somebody made is another
one, and which of them is called depends on types that the guard does not know. In PostgreSQL a call is
bound to the engine's own; elsewhere, and for operators and types, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.calls import folded, names_with_columns
from sqlagent.guard.lists import Lists
from sqlagent.guard.reading import is_word
from sqlagent.guard.rebuilding import Rebuilt
from sqlagent.values import Catalog, Refusal


def _quoted_types(tokens: Sequence[Token]) -> Iterator[Token]:
    """Find quoted names where a type stands: the parser takes "Text" for text, PostgreSQL does not."""
    openers: list[str] = []
    opener = ""
    for before, token in zip(tokens, tokens[1:], strict=False):
        if before.token_type == TokenType.L_PAREN:
            openers.append(opener)
        elif before.token_type == TokenType.R_PAREN and openers:
            openers.pop()
        opener = before.text.lower()
        if token.token_type != TokenType.IDENTIFIER:
            continue
        is_cast = before.token_type == TokenType.ALIAS and bool(openers) and openers[-1] in _CASTS
        if is_cast or before.token_type == TokenType.DCOLON:
            yield token


_CASTS = frozenset(("cast", "try_cast", "xmlserialize", "treat"))
OWNER = {"postgres": "pg_catalog."}
# Words of PostgreSQL's grammar, which mean its own functions whatever anybody made.
_GRAMMAR = frozenset(
    [
        "coalesce",
        "greatest",
        "least",
        "nullif",
        "extract",
        "position",
        "overlay",
        "trim",
        "normalize",
        "cast",
        "treat",
        "exists",
        "any",
        "all",
        "some",
        "array",
        "row",
        "values",
        "grouping",
        "xmlconcat",
        "xmlelement",
        "xmlexists",
        "xmlforest",
        "xmlparse",
        "xmlpi",
        "xmlroot",
        "xmlserialize",
        "xmltable",
        "json",
        "json_array",
        "json_arrayagg",
        "json_object",
        "json_objectagg",
        "json_scalar",
        "json_serialize",
        "json_table",
        "json_query",
        "json_value",
        "json_exists",
        "interval",
        "in",
        "not",
        "and",
        "or",
        "on",
        "using",
        "over",
        "as",
        "filter",
        "within",
        "where",
        "then",
        "else",
        "when",
        "case",
        "by",
        "from",
        "join",
    ]
)


def own_problem(tokens: Sequence[Token], built: Rebuilt, catalog: Catalog, allowed: Lists) -> Refusal | None:
    """Refuse a type or an operator that may be somebody's own and not the engine's."""
    types = Dialect.get_or_raise(catalog.dialect).parser_class.TYPE_TOKENS
    for token in tokens if catalog.routines else ():
        if token.token_type in types and token.text.lower() in catalog.routines:
            return _refusal(token)
    if catalog.dialect == "postgres":
        for token in _quoted_types(tokens):
            if token.text not in allowed.types and token.text not in catalog.types:
                return _refusal(token)
    return _operators(built, catalog, allowed) if catalog.dialect == "postgres" else None


def bind(
    root: exp.Expr, tokens: Sequence[Token], built: Rebuilt, catalog: Catalog, added: frozenset[str]
) -> Rebuilt | Refusal:
    """Make every call mean the engine's own function, where somebody made one of the same name."""
    own = frozenset(catalog.routines) - added
    owner = OWNER.get(catalog.dialect, "")
    if owner:
        own -= _GRAMMAR
    found: list[int] = []
    with_columns = names_with_columns(root) if own else set()
    for at, token in enumerate(tokens[:-1] if own else ()):
        if (
            tokens[at + 1].token_type != TokenType.L_PAREN
            or not is_word(token)
            or token.start in with_columns
        ):
            continue
        if at and tokens[at - 1].token_type == TokenType.DOT:
            continue
        is_quoted = token.token_type == TokenType.IDENTIFIER
        if (folded(token.text, catalog.dialect) if is_quoted else token.text.lower()) in own:
            if not owner or token.text.lower() == "substring":
                return _refusal(token)
            found.append(token.start)
    return built.with_owner(owner, found) if found else built


def _refusal(token: Token) -> Refusal:
    return Refusal(
        f"{token.text} may not be used.",
        "Somebody made a function or type of that name in this database, and it may be the one that runs.",
        "Leave it out. An administrator can allow it for this source.",
        token.start,
        "function",
        token.text,
    )


_SIGNS = re.compile(r"[+\-*/<>=~!@#%^&|`?]+")
_ENDS_IN_SIGN = frozenset("~!@#%^&|`?")


def _operators(built: Rebuilt, catalog: Catalog, allowed: Lists) -> Refusal | None:
    """Look up every run of operator characters, cut as PostgreSQL cuts it."""
    code, pieces, at = built.code, [], 0
    for start, end, _ in built.quoted:
        pieces += [code[at:start], " " * (end - start)]
        at = end
    masked = "".join((*pieces, code[at:]))
    for found in _SIGNS.finditer(masked):
        for sign in _cut(found.group()):
            if sign in catalog.routines or sign not in allowed.operators:
                return Refusal(
                    f"The operator {sign[:20]} may not be used.",
                    "It is not on the list of operators that only compute, or somebody made one of that name.",
                    "Put spaces between operators, or call a function instead.",
                    found.start(),
                )
    return None


def _cut(signs: str) -> list[str]:
    """Cut operator characters as PostgreSQL does: only with certain others may + or - end an operator.

    Example:
        >>> _cut("=-"), _cut("@-"), _cut("->>")
        (['=', '-'], ['@-'], ['->>'])
    """
    tail: list[str] = []
    while len(signs) > 1 and signs[-1] in "+-" and not _ENDS_IN_SIGN & set(signs):
        signs, last = signs[:-1], signs[-1]
        tail.append(last)
    return [signs, *reversed(tail)]

"""Objects that somebody made in the database: functions, operators and types that bear names of the lists.

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
from sqlagent.guard.plainer import is_word
from sqlagent.guard.rebuilding import Rebuilt
from sqlagent.guard.typed import typed_problem
from sqlagent.language.saying import worded
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
# Words of the grammar that are looked up by their name too where they stand as a plain call, as in overlay('a', 'b', 1).
# They have a form of their own beside it that cannot be bound; left(text, 1) has none.
_LOOKED_UP = ("substring", "overlay", "current_schema", "filter", "like", "json")
_BOUND = ("left",)


def own_problem(
    root: exp.Expr, tokens: Sequence[Token], built: Rebuilt, catalog: Catalog, allowed: Lists
) -> Refusal | None:
    """Refuse a type, an operator or a table by which somebody's code may run, and all SQL where that code stands for words."""
    types = Dialect.get_or_raise(catalog.dialect).parser_class.TYPE_TOKENS
    for token in tokens if catalog.routines else ():
        if token.token_type in types and token.text.lower() in catalog.routines:
            return _refusal(token)
    unseen: list[str] = [
        worded("the macro {name}", name=name[:70]) for name in _behind_syntax(catalog, allowed)
    ] or [text[:80] for text in catalog.unseen]
    if unseen:
        return Refusal(
            worded("Somebody made {unseen} in this database.", unseen=unseen[0]),
            worded("It is called for signs and words of SQL, so no statement is known to do what it says."),
            worded("Ask the owner of the database to drop or rename it."),
            0,
        )
    if catalog.dialect != "postgres":
        return None
    for token in _quoted_types(tokens):
        if token.text not in allowed.types and token.text not in catalog.types:
            return _refusal(token)
    return typed_problem(root, catalog) or _operators(built, catalog, allowed)


def bind(
    root: exp.Expr,
    tokens: Sequence[Token],
    built: Rebuilt,
    catalog: Catalog,
    allowed: Lists,
    added: frozenset[str],
) -> Rebuilt | Refusal:
    """Make every call mean the engine's own function, where somebody made one of the same name."""
    own = frozenset(catalog.routines) - added
    owner = OWNER.get(catalog.dialect, "")
    forms = (
        {name for name in allowed.grammar if name in _LOOKED_UP or name.startswith("json_")}
        if owner
        else set()
    )
    if owner:
        own -= allowed.grammar - forms - set(_BOUND)
    found: list[int] = []
    with_columns = names_with_columns(root) if own else set()
    for at, token in enumerate(tokens[:-1] if own else ()):
        if (
            tokens[at + 1].token_type != TokenType.L_PAREN
            or not is_word(token)
            or token.start in with_columns
        ):
            continue
        # DuckDB calls a macro behind a dot too: main.length('a'), 'a'.length().
        if at and tokens[at - 1].token_type == TokenType.DOT and catalog.dialect != "duckdb":
            continue
        is_quoted = token.token_type == TokenType.IDENTIFIER
        name = folded(token.text, catalog.dialect) if is_quoted else token.text.lower()
        is_clause = (
            name == "filter" and tokens[at + 2 : at + 3] and tokens[at + 2].token_type == TokenType.WHERE
        )
        if name in own and not is_clause:
            if not owner or name in forms:
                return _refusal(token)
            found.append(token.start)
    return built.with_owner(owner, found) if found else built


def _behind_syntax(catalog: Catalog, allowed: Lists) -> list[str]:
    """Name the macros that DuckDB calls for syntax."""
    if catalog.dialect != "duckdb":
        return []
    return [name for name in catalog.routines if not name.isidentifier() or name in allowed.behind_syntax]


def _refusal(token: Token) -> Refusal:
    return Refusal(
        worded("{text} may not be used.", text=token.text),
        worded(
            "Somebody made a function or type of that name in this database, and it may be the one that runs."
        ),
        worded("Leave it out. An administrator can allow it for this source."),
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
                    worded("The operator {sign} may not be used.", sign=sign[:20]),
                    worded(
                        "It is not on the list of operators that only compute, or somebody made one of that name."
                    ),
                    worded("Put spaces between operators, or call a function instead."),
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

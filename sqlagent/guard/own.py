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
from sqlagent.guard.unknown import start_of
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


def own_problem(
    root: exp.Expr, tokens: Sequence[Token], built: Rebuilt, catalog: Catalog, allowed: Lists
) -> Refusal | None:
    """Refuse a type or an operator that may be somebody's own and not the engine's."""
    types = Dialect.get_or_raise(catalog.dialect).parser_class.TYPE_TOKENS
    for token in tokens if catalog.routines else ():
        if token.token_type in types and token.text.lower() in catalog.routines:
            return _refusal(token)
    if catalog.dialect == "duckdb" and (name := _behind_syntax(catalog)):
        return Refusal(
            f"A macro of this database is called {name[:40]}.",
            "DuckDB calls it for signs and words of SQL, so no statement is known to do what it says.",
            "Ask the owner of the database to drop or rename the macro.",
            0,
        )
    if catalog.dialect == "postgres":
        for token in _quoted_types(tokens):
            if token.text not in allowed.types and token.text not in catalog.types:
                return _refusal(token)
        if catalog.routines and (node := _typed_by_somebody(root, catalog)) is not None:
            return Refusal(
                f"{node.name[:60]} may not be used like this.",
                "Its type, or a cast that somebody made for it, may run code when a value is made of a text.",
                "Name the column alone, or cast it to a type of PostgreSQL: column::text.",
                start_of(node.this),
            )
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


# What DuckDB calls where there is no call to be seen: for operators, literals, casts and words.
_SYNTAX = frozenset(
    [
        "like_escape",
        "ilike_escape",
        "not_like_escape",
        "not_ilike_escape",
        "regexp_full_match",
        "contains",
        "list_contains",
        "array_contains",
        "list_value",
        "struct_pack",
        "row",
        "map",
        "list_slice",
        "array_slice",
        "array_extract",
        "struct_extract",
        "list_extract",
        "to_days",
        "to_months",
        "to_years",
        "to_hours",
        "to_minutes",
        "to_seconds",
        "to_weeks",
        "to_milliseconds",
        "to_microseconds",
        "to_quarters",
        "to_decades",
        "to_centuries",
        "to_millennia",
        "count_star",
        "count",
        "date_part",
        "timezone",
        "get_current_timestamp",
        "get_current_time",
        "current_date",
        "current_time",
        "current_timestamp",
        "current_user",
        "current_schema",
        "current_database",
        "current_role",
        "session_user",
        "user",
        "localtime",
        "localtimestamp",
        "add",
        "subtract",
        "multiply",
        "divide",
        "mod",
        "pow",
        "xor",
        "list_apply",
        "list_filter",
        "list_transform",
        "constant_or_null",
        "coalesce",
        "ifnull",
        "if",
        "case",
        "cast",
        "error",
        "try",
        "concat",
        "list_concat",
        "json_extract",
        "json_extract_string",
        "unnest",
        "in_search_path",
        "overlay",
        "position",
        "substring",
        "trim",
        "extract",
        "grouping",
        "exists",
        "not",
        "and",
        "or",
        "first",
    ]
)


def _behind_syntax(catalog: Catalog) -> str:
    """Name a macro that DuckDB calls for syntax; nothing where there is none."""
    return next((name for name in catalog.routines if not name.isidentifier() or name in _SYNTAX), "")


def _typed_by_somebody(root: exp.Expr, catalog: Catalog) -> exp.Column | None:
    """Find a column, or a whole row, beside which a text is cast to a type with code of somebody's.

    Names are enough here: a column that bears the name of such a column counts as one.
    """
    own = frozenset(catalog.routines)
    acting: dict[str, bool] = {}
    rows: set[str] = set()
    for table in catalog.tables:
        for column in table.columns:
            name, is_array = _base_type(column.type)
            if name in own or f"*{name}" in own:
                acting[column.name] = acting.get(column.name, False) or is_array or f"*{name}" in own
                rows.add(table.name)
    if not acting and "*row" not in own:
        return None
    named = {source.alias_or_name: source.name for source in root.find_all(exp.Table)}
    for node in root.find_all(exp.Column):
        is_plain = isinstance(node.parent, exp.Cast) or not isinstance(node.this, exp.Identifier)
        if node.name in acting and not is_plain and (acting[node.name] or _beside_text(node)):
            return node
        is_row = not node.args.get("table") and node.name in named and isinstance(node.this, exp.Identifier)
        if is_row and ("*row" in own or named[node.name] in rows):
            return node
    return None


def _base_type(written: str) -> tuple[str, bool]:
    """Take the name out of a type as PostgreSQL writes it, and whether it is an array."""
    name = written.removesuffix("[]")
    return name.rpartition(".")[2].partition("(")[0].strip('"'), name != written


def _beside_text(column: exp.Column) -> bool:
    """Say whether a column is given to a function together with a text."""
    node = column.parent
    while node is not None and not isinstance(node, exp.Select):
        if isinstance(node, exp.Func) and not isinstance(node, exp.Connector | exp.Cast):
            return any(literal.is_string for literal in node.find_all(exp.Literal))
        node = node.parent
    return False


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

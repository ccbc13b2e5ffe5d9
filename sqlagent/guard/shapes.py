"""The syntax tree: every shape in it is on a list, and so is every type."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqlagent.guard.calls import unwelcome
from sqlagent.guard.fields import fields_problem, start_within
from sqlagent.guard.lists import Lists, reason_of
from sqlagent.guard.plainer import is_word
from sqlagent.language.saying import number, worded
from sqlagent.values import Catalog, Refusal

_ROOT_NODES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)

_NODES = {
    exp.Insert: worded("INSERT adds rows"), exp.Update: worded("UPDATE changes rows"), exp.Delete: worded("DELETE deletes rows"),
    exp.Merge: worded("MERGE changes rows"), exp.Into: worded("SELECT ... INTO stores the rows somewhere"),
    exp.Lock: worded("FOR UPDATE and FOR SHARE lock rows"), exp.Create: worded("CREATE creates something"),
    exp.Drop: worded("DROP removes something"), exp.NextValueFor: worded("NEXT VALUE advances a sequence"),
    exp.SessionParameter: worded("@@ reads the server's configuration"),
}  # fmt: skip


MOST_WIDTH = 100_000
"""Widest type a value may be cast to; char(10485760) is the widest of PostgreSQL."""

READ = worded("Ask for rows with a SELECT (or WITH ... SELECT).")


def stored_problem(tokens: Sequence[Token]) -> Refusal | None:
    """Say that a statement stores its rows, where the parser only says that a word is out of place."""
    into = next((token.start for token in tokens if token.text.upper() == "INTO" and is_word(token)), None)
    if into is None:
        return None
    why = worded("Only what is known to read, and nothing else, runs here.")
    return Refusal(
        worded("SELECT ... INTO stores the rows somewhere."),
        why,
        worded("Leave INTO out, and download the rows."),
        into,
    )


# Clauses of ClickHouse behind a query, as sqlglot calls them.
_BESIDE = ("settings", "format")


def shapes_problem(
    root: exp.Expr, tokens: Sequence[Token], catalog: Catalog, allowed: Lists, added: frozenset[str]
) -> Refusal | None:
    """Refuse a tree with any shape, type or field that is not on the list."""
    dialect = catalog.dialect
    if not _is_statement(root, dialect):
        return _shape(root)
    if dialect == "postgres" and (refusal := fields_problem(root, catalog, allowed)) is not None:
        return refusal
    for node in root.walk():
        name = type(node).__name__
        if name not in allowed.nodes and node is not root and not _called_by_name(node, allowed, added):
            return (stored_problem(tokens) if isinstance(node, exp.Into) else None) or _shape(node)
        if isinstance(node, exp.Describe | exp.Summarize) and not _described(node):
            return _shape(node)
        if isinstance(node, exp.DataType) and (refusal := _type(node, catalog, allowed)) is not None:
            return refusal
        if isinstance(node, exp.ObjectIdentifier) and str(node.this).lower() in allowed.untyped:
            return _shape(node)
        if dialect == "duckdb" and isinstance(node, exp.Func) and _reads_a_table(node):
            return _many_rows(node)
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Dot):
            return _many_parts(node)
        if isinstance(node, exp.PropertyEQ) and dialect == "mysql":
            return Refusal(
                worded(":= assigns a variable."),
                worded("A statement may not change the session."),
                worded("Use a window function such as ROW_NUMBER() or SUM() OVER instead."),
                start_within(node),
            )
        if isinstance(node, exp.Select) and not node.expressions and not node.args.get("from_"):
            return Refusal(
                worded("A SELECT names nothing to select."),
                worded("There would be no column to show."),
                worded("Name the columns after SELECT."),
                start_within(node),
            )
        if isinstance(node, exp.CTE) and not isinstance(node.this, (*_ROOT_NODES, exp.Pivot)):
            return _shape(node.this)
        if isinstance(node, exp.Query) and (said := next(filter(node.args.get, _BESIDE), "")):
            return Refusal(
                worded("A query says {word}.", word=said.upper()),
                worded(
                    "Settings hold the limits under which SQL runs here, and Mirror chooses the format of rows."
                ),
                worded("Leave {word} out.", word=said.upper()),
                start_within(node),
            )
    return None


def _is_statement(root: exp.Expr, dialect: str) -> bool:
    """Say whether a tree is one of the statements that may run."""
    if isinstance(root, exp.Describe | exp.Summarize):
        return _described(root)
    if isinstance(root, exp.Table):
        return isinstance(root.this, exp.Identifier)
    return isinstance(root, _ROOT_NODES) or (isinstance(root, exp.Pivot) and dialect == "duckdb")


def _described(node: exp.Expr) -> bool:
    """Say whether DESCRIBE or SUMMARIZE is of a named table or of rows, and not of a file."""
    of = node.this
    return isinstance(of, _ROOT_NODES) or (isinstance(of, exp.Table) and isinstance(of.this, exp.Identifier))


def _called_by_name(node: exp.Expr, allowed: Lists, added: frozenset[str]) -> bool:
    """Say whether a node is a call that is looked up by its name on the tokens."""
    if not isinstance(node, exp.Func) or "start" not in node.meta:
        return False
    return node.sql_name().lower() in allowed.functions or any(
        name.lower() in added for name in node.sql_names()
    )


def _shape(node: exp.Expr) -> Refusal:
    names = [name.lower() for name in node.sql_names()] if isinstance(node, exp.Func) else []
    for name in filter(reason_of, names):
        return unwelcome(name, start_within(node))
    known = next((words for kind, words in _NODES.items() if isinstance(node, kind)), None)
    what = (
        worded("{known}.", known=known)
        if known
        else worded("The SQL contains a part that is not on the list ({word}).", word=node.key.upper())
    )
    return Refusal(
        what, worded("Only what is known to read, and nothing else, runs here."), READ, start_within(node)
    )


# Functions of DuckDB that compute beside a column, and read a table or a file of that name where rows come from.
_OF_TABLES = frozenset(("histogram", "histogram_values"))


def _reads_a_table(call: exp.Func) -> bool:
    names = {call.name.lower(), *(name.lower() for name in call.sql_names())}
    around = call.parent
    while isinstance(around, exp.Dot):
        around = around.parent
    return not names.isdisjoint(_OF_TABLES) and isinstance(around, exp.Table | exp.Lateral)


def _many_rows(call: exp.Func) -> Refusal:
    return Refusal(
        worded("The function histogram may not stand where rows come from."),
        worded("It reads a table, or a file, that a text names."),
        worded("Use it in SELECT, for a column of a table."),
        start_within(call),
        "function",
        "histogram",
    )


def _many_parts(node: exp.Table) -> Refusal:
    """Refuse a table whose name has more parts than a catalog knows."""
    return Refusal(
        worded("A table is named with more than three parts."),
        worded("Such a name may reach another server, or a file."),
        worded("Name a table of this source, with its schema where it has one."),
        start_within(node),
        "table",
    )


# ---------------------------------------------------------------- types


def _type(node: exp.DataType, catalog: Catalog, allowed: Lists) -> Refusal | None:
    """Refuse a cast to a type that is not known to hold values and nothing else."""
    kind = node.this
    if kind == exp.DataType.Type.USERDEFINED:
        named = node.args.get("kind")
        written = named.sql(dialect=catalog.dialect) if isinstance(named, exp.Expr) else str(named or "")
        if _is_known_type(written, catalog, allowed):
            return _too_long(node)
    elif not isinstance(kind, exp.DataType.Type) or kind.value.lower() not in allowed.untyped:
        return _too_long(node)
    else:
        written = kind.value
    return Refusal(
        worded("The type {written} may not be used.", written=written[:60]),
        worded("It is not on the list of types that only hold values; a cast to another type may run code."),
        worded("Cast to a type of the database itself, or leave the cast out."),
        start_within(node),
        "type",
        written,
    )


def _too_long(node: exp.DataType) -> Refusal | None:
    """Refuse a type whose every value would be very long, as char(10485760)."""
    for given in node.expressions:
        size = given.this if isinstance(given, exp.DataTypeParam) else None
        if isinstance(size, exp.Literal) and size.is_int and int(size.this) > MOST_WIDTH:
            return Refusal(
                worded("A type is {this} wide.", this=size.this),
                worded("Values of that width could fill the memory."),
                worded(
                    "Give a width of at most {most_width}, or none.", most_width=number(f"{MOST_WIDTH:,}")
                ),
                start_within(node),
            )
    return None


def _is_known_type(written: str, catalog: Catalog, allowed: Lists) -> bool:
    if catalog.dialect in ("sqlite", "mysql"):
        return True  # any word is an affinity in SQLite; MySQL's grammar takes its own types only
    owner, _, name = written.rpartition(".")
    if name[:1] == '"':
        return name[1:-1] in catalog.types
    low = name.lower()
    if low in catalog.types:
        return True
    return low in allowed.types and low not in catalog.routines and owner.lower() in ("", "pg_catalog")

"""The guard's decision on one text: scan, first word, tokens, tree, names; in that order.

Each step refuses by itself, so a trick has to pass all of them. The database is never asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard import commands
from sqlagent.guard.lists import Lists, lists, reason_of
from sqlagent.guard.policy import Policy, further
from sqlagent.guard.reading import ODD_ERRORS, is_word, parse, tokens_of, unread
from sqlagent.guard.scan import Scanned, scan, style_of
from sqlagent.guard.unknown import Refused
from sqlagent.values import Catalog, Refusal

_DEFAULT = Policy()

_ROOTS = {"select", "with", "values", "("}
_MORE_ROOTS = {
    "duckdb": {"from", "pivot", "unpivot", "summarize", "describe", "table"},
    "mysql": {"table", "describe", "desc", "explain"},
    "postgres": {"table"},
    "spark": {"describe", "desc"},
}
_ROOT_NODES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)

_WRITES = {
    "insert": "adds rows", "update": "changes rows", "delete": "deletes rows", "merge": "changes rows",
    "replace": "replaces rows", "truncate": "deletes all rows", "upsert": "changes rows",
    "create": "creates something", "alter": "changes a table's definition", "drop": "removes something",
    "rename": "renames something", "comment": "changes a comment", "grant": "changes permissions",
    "revoke": "changes permissions", "set": "changes a setting", "reset": "changes a setting",
    "use": "switches the database", "copy": "reads or writes files", "load": "loads files or code",
    "install": "loads code", "export": "writes files", "import": "reads files", "attach": "opens another database",
    "detach": "closes a database", "call": "runs a procedure", "do": "runs expressions for their effect",
    "execute": "runs prepared SQL", "exec": "runs a procedure", "prepare": "prepares SQL to be run unseen",
    "deallocate": "changes the session", "discard": "changes the session", "begin": "controls transactions",
    "start": "controls transactions or replication", "commit": "controls transactions",
    "rollback": "controls transactions", "savepoint": "controls transactions", "release": "controls transactions",
    "end": "controls transactions", "abort": "controls transactions", "lock": "locks tables",
    "unlock": "unlocks tables", "vacuum": "rewrites the database", "analyze": "writes statistics",
    "reindex": "rewrites indexes", "refresh": "rewrites stored data", "cluster": "rewrites a table",
    "checkpoint": "makes the server write", "kill": "ends other people's sessions",
    "listen": "changes the session", "notify": "sends a message", "declare": "opens a cursor",
    "fetch": "reads from a cursor", "handler": "opens a table behind the optimizer's back",
    "flush": "changes the server's state", "shutdown": "stops the server", "pragma": "may change a setting",
}  # fmt: skip

_NODES = {
    exp.Insert: "INSERT adds rows", exp.Update: "UPDATE changes rows", exp.Delete: "DELETE deletes rows",
    exp.Merge: "MERGE changes rows", exp.Into: "SELECT ... INTO stores the rows somewhere",
    exp.Lock: "FOR UPDATE and FOR SHARE lock rows", exp.Create: "CREATE creates something",
    exp.Drop: "DROP removes something", exp.NextValueFor: "NEXT VALUE advances a sequence",
    exp.SessionParameter: "@@ reads the server's configuration",
}  # fmt: skip

_READ = "Ask for rows with a SELECT (or WITH ... SELECT)."


@dataclass(frozen=True, slots=True)
class Passed:
    """One read-only statement. `sql` is the text as written, without what follows its last word.

    `explains` says that it returns a plan rather than rows; `runs` is false when nothing of it
    is run (EXPLAIN without ANALYZE, DESCRIBE, SHOW).
    """

    sql: str
    explains: bool = False
    runs: bool = True


def check(sql: str, catalog: Catalog, policy: Policy = _DEFAULT) -> Passed | Refusal:
    """Let one read-only statement through, or refuse it.

    Never raises, whatever the text. About 1 ms for a usual statement. A text is refused when it
    is not one statement, does not read (by list), calls a function that is on no list, or names
    a table or column that the catalog does not have.

    Example:
        >>> from sqlagent.values import Catalog, Column, Table
        >>> shop = Catalog("sqlite", (Table("customers", (Column("name"),)),))
        >>> check("DELETE FROM customers", shop).what
        'DELETE deletes rows.'
        >>> check("SELECT name FROM custmers", shop).advice
        'Did you mean customers?'
    """
    style = style_of(catalog.dialect)
    if not style:
        return Refusal(
            f"SQL of the dialect {catalog.dialect or 'without a name'} cannot be read.",
            "What cannot be read with certainty does not run.",
            "Ask an administrator to set the dialect of this source.",
        )
    scanned = scan(sql, style)
    if isinstance(scanned, Refusal):
        return scanned
    try:
        return _decide(sql, scanned, catalog, policy, lists(catalog.dialect))
    except Refused as refused:
        return refused.refusal
    except RecursionError:
        return Refusal(
            "The SQL is nested too deeply to be checked.",
            "What cannot be checked does not run.",
            "Simplify it, for instance with WITH.",
            scanned.start,
        )
    except ODD_ERRORS:
        return unread(scanned, "its parts do not fit together")


def _decide(sql: str, scanned: Scanned, catalog: Catalog, policy: Policy, allowed: Lists) -> Passed | Refusal:
    passed = Passed(sql[: scanned.end])
    command = commands.match(scanned, catalog, policy, allowed)
    if isinstance(command, Refusal):
        return command
    if command is not None:
        if command.done:
            return replace(passed, runs=False)
        passed = replace(passed, explains=True, runs=command.runs)
        scanned = replace(scanned, code=command.code)
    refusal = _first_word(scanned.code, catalog.dialect, policy)
    if refusal is not None:
        return refusal
    tokens = tokens_of(scanned, catalog.dialect)
    if isinstance(tokens, Refusal):
        return tokens
    root = parse(scanned, tokens, catalog.dialect)
    if isinstance(root, Refusal):
        return _stored(tokens) or root
    added = further(policy)
    problem = (
        _shapes(root, tokens, allowed, catalog.dialect, added)
        or _calls(root, tokens, allowed, added)
        or _special(tokens, allowed, policy)
    )
    if problem is not None:
        return problem
    commands.resolver(catalog, allowed, policy).statement(root)
    if isinstance(root, exp.Describe | exp.Summarize):
        return replace(passed, explains=True, runs=isinstance(root, exp.Summarize))
    return passed


# ---------------------------------------------------------------- deciding


_FIRST = re.compile(r"\s*([^\W\d]\w*|.)", re.DOTALL)


def _first_word(code: str, dialect: str, policy: Policy) -> Refusal | None:
    found = _FIRST.match(code)
    first, start = (found[1], found.start(1)) if found else ("", 0)
    word = first.lower()
    if word in ("describe", "summarize", "desc") and "describe" in policy.refused:
        return commands.switched_off(word.upper(), start)
    if word in _ROOTS or word in _MORE_ROOTS.get(dialect, ()):
        return None
    if word in _WRITES:
        return Refusal(
            f"{word.upper()} {_WRITES[word]}.", "Only statements that read run here.", _READ, start
        )
    return Refusal(
        f"The statement begins with {first[:40]}.",
        "Only statements that read rows run here, and this is not on the list of them.",
        _READ,
        start,
    )


def _stored(tokens: Sequence[Token]) -> Refusal | None:
    """Say that a statement stores its rows, where the parser only says that a word is out of place."""
    into = next((token.start for token in tokens if token.text.upper() == "INTO" and is_word(token)), None)
    if into is None:
        return None
    why = "Only what is known to read, and nothing else, runs here."
    return Refusal(
        "SELECT ... INTO stores the rows somewhere.", why, "Leave INTO out, and download the rows.", into
    )


def _shapes(
    root: exp.Expr, tokens: Sequence[Token], allowed: Lists, dialect: str, added: frozenset[str]
) -> Refusal | None:
    """Refuse a tree with any shape that is not on the list."""
    if not _is_statement(root, dialect):
        return _shape(root)
    for node in root.walk():
        name = type(node).__name__
        if name not in allowed.nodes and node is not root and not _called_by_name(node, allowed, added):
            return (_stored(tokens) if isinstance(node, exp.Into) else None) or _shape(node)
        if isinstance(node, exp.Describe | exp.Summarize) and not _described(node):
            return _shape(node)
        if isinstance(node, exp.PropertyEQ) and dialect == "mysql":
            return Refusal(
                ":= assigns a variable.",
                "A statement may not change the session.",
                "Use a window function such as ROW_NUMBER() or SUM() OVER instead.",
                _position(node),
            )
        if isinstance(node, exp.Select) and not node.expressions and not node.args.get("from_"):
            return Refusal(
                "A SELECT names nothing to select.",
                "There would be no column to show.",
                "Name the columns after SELECT.",
                _position(node),
            )
        if isinstance(node, exp.CTE) and not isinstance(node.this, (*_ROOT_NODES, exp.Pivot)):
            return _shape(node.this)
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
        return _unwelcome(name, _position(node))
    known = next((words for kind, words in _NODES.items() if isinstance(node, kind)), None)
    what = f"{known}." if known else f"The SQL contains a part that is not on the list ({node.key.upper()})."
    return Refusal(what, "Only what is known to read, and nothing else, runs here.", _READ, _position(node))


def _position(node: exp.Expr) -> int | None:
    starts = [n.meta["start"] for n in node.walk() if "start" in n.meta]
    return min(starts) if starts else None


def _calls(root: exp.Expr, tokens: Sequence[Token], allowed: Lists, added: frozenset[str]) -> Refusal | None:
    """Look up every word that stands before an opening bracket, as it is written."""
    named: set[int] | None = None
    called: set[object] | None = None
    for i, token in enumerate(tokens[:-1]):
        if tokens[i + 1].token_type != TokenType.L_PAREN or not is_word(token):
            continue
        quoted = token.token_type == TokenType.IDENTIFIER
        name = token.text.lower() if quoted else token.text.lower().split()[-1]
        dotted = i >= 2 and tokens[i - 1].token_type == TokenType.DOT
        if dotted and f"{tokens[i - 2].text.lower()}.{name}" in added:
            continue
        if dotted and not _may_qualify(tokens[i - 2], tokens, i, allowed):
            return _function(f"{tokens[i - 2].text}.{token.text}", token, allowed, added)
        if name in allowed.functions or (name in added and not dotted):
            continue
        if name in allowed.words and not quoted and not dotted:
            if called is None:
                called = {node.meta.get("start") for node in root.find_all(exp.Anonymous)}
            if token.start not in called:
                continue
        if name in allowed.bare and i + 2 < len(tokens) and tokens[i + 2].token_type == TokenType.R_PAREN:
            continue
        if named is None:
            named = _names_with_columns(root)
        if token.start in named and not dotted:
            continue
        return _function(token.text, token, allowed, added)
    return None


def _may_qualify(owner: Token, tokens: Sequence[Token], i: int, allowed: Lists) -> bool:
    """Say whether `owner.function(` calls the engine's own function (or DuckDB's dot call)."""
    if owner.text.lower() in allowed.schemas and tokens[i - 3 if i >= 3 else 0].token_type != TokenType.DOT:
        return True
    return allowed is lists("duckdb")


def _names_with_columns(root: exp.Expr) -> set[int]:
    """List where aliases stand that may be followed by a list of columns."""
    found: set[int] = set()
    for alias in root.find_all(exp.TableAlias):
        if isinstance(alias.this, exp.Identifier) and alias.args.get("columns"):
            found.add(alias.this.meta.get("start", -1))
    return found


def _own_operator(tokens: Sequence[Token]) -> bool:
    """Say whether OPERATOR( ... names no schema but pg_catalog."""
    owner = [token.text.lower() for token in tokens if is_word(token)]
    return not owner or owner == ["pg_catalog"]


def _unwelcome(name: str, position: int | None) -> Refusal:
    """Refuse a function that never passes, with its reason."""
    return Refusal(
        f"The function {name} may not be called.",
        f"It {reason_of(name.lower().rpartition('.')[2])}.",
        "Leave it out, and ask for rows of the tables of this source.",
        position,
        "function",
        name,
    )


def _function(name: str, token: Token, allowed: Lists, added: frozenset[str]) -> Refusal:
    bare = name.lower().rpartition(".")[2]
    if reason_of(bare):
        return _unwelcome(name, token.start)
    found = process.extract(bare, allowed.functions | added, scorer=fuzz.ratio, limit=2, score_cutoff=80)
    near = tuple(str(n) for n, _, _ in found if n != bare)
    meant = f"Did you mean {near[0]}? " if near else ""
    return Refusal(
        f"The function {name} may not be called.",
        "It is not on the list of functions that only compute.",
        f"{meant}If it only computes, an administrator can allow it for this source.",
        token.start,
        "function",
        name,
        near,
    )


def _special(tokens: Sequence[Token], allowed: Lists, policy: Policy) -> Refusal | None:
    """Decide the few functions whose arguments matter."""
    for i, token in enumerate(tokens[:-2]):
        word = token.text.lower()
        if tokens[i + 1].token_type != TokenType.L_PAREN:
            continue
        if word == "operator" and not _own_operator(tokens[i + 2 : i + 6]):
            return Refusal(
                "An operator is named with its schema.",
                "Operators run functions, and only those of PostgreSQL itself are known to compute.",
                "Write the operator alone.",
                token.start,
            )
        if word == "version" and "version" in policy.refused:
            return commands.switched_off("version()", token.start)
        if word == "current_setting":
            asked = tokens[i + 2]
            alone = i + 3 < len(tokens) and tokens[i + 3].text in (")", ",")
            if asked.token_type == TokenType.STRING and alone and asked.text.lower() in allowed.settings:
                continue
            return Refusal(
                f"The setting {asked.text} may not be read.",
                "Most settings tell about the server; it is not on the list of harmless ones.",
                "Leave it out.",
                token.start,
            )
    return None

"""The guard's decision on one text: lexemes, rebuilt text, first word, tokens, tree, names; in that order.

Each step refuses by itself, so a trick has to pass all of them. The database is never asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlglot import exp

from sqlagent.guard import commands
from sqlagent.guard.calls import calls_problem
from sqlagent.guard.lengths import lengths_problem
from sqlagent.guard.lexing import lex, style_of
from sqlagent.guard.lists import Lists, lists
from sqlagent.guard.own import bind, own_problem
from sqlagent.guard.policy import Policy, further, switched_off
from sqlagent.guard.reading import ODD_ERRORS, parse, tokens_of, unread
from sqlagent.guard.rebuilding import Rebuilt, rebuilt
from sqlagent.guard.shapes import READ, shapes_problem, stored_problem
from sqlagent.guard.spelling import meant_first
from sqlagent.guard.unknown import Refused
from sqlagent.guard.withheld import narrowed
from sqlagent.guard.withholding import withheld_problem
from sqlagent.guard.words import words_problem
from sqlagent.language.saying import worded
from sqlagent.values import Catalog, Failure, Refusal

_DEFAULT = Policy()

_ROOTS = {"select", "with", "values", "("}
_MORE_ROOTS = {
    "duckdb": {"from", "pivot", "unpivot", "summarize", "describe", "table"},
    "mysql": {"table", "describe", "desc", "explain"},
    "postgres": {"table"},
    "spark": {"describe", "desc"},
}
_WRITES = {
    "insert": worded("adds rows"), "update": worded("changes rows"), "delete": worded("deletes rows"), "merge": worded("changes rows"),
    "replace": worded("replaces rows"), "truncate": worded("deletes all rows"), "upsert": worded("changes rows"),
    "create": worded("creates something"), "alter": worded("changes a table's definition"), "drop": worded("removes something"),
    "rename": worded("renames something"), "comment": worded("changes a comment"), "grant": worded("changes permissions"),
    "revoke": worded("changes permissions"), "set": worded("changes a setting"), "reset": worded("changes a setting"),
    "use": worded("switches the database"), "copy": worded("reads or writes files"), "load": worded("loads files or code"),
    "install": worded("loads code"), "export": worded("writes files"), "import": worded("reads files"), "attach": worded("opens another database"),
    "detach": worded("closes a database"), "call": worded("runs a procedure"), "do": worded("runs expressions for their effect"),
    "execute": worded("runs prepared SQL"), "exec": worded("runs a procedure"), "prepare": worded("prepares SQL to be run unseen"),
    "deallocate": worded("changes the session"), "discard": worded("changes the session"), "begin": worded("controls transactions"),
    "start": worded("controls transactions or replication"), "commit": worded("controls transactions"),
    "rollback": worded("controls transactions"), "savepoint": worded("controls transactions"), "release": worded("controls transactions"),
    "end": worded("controls transactions"), "abort": worded("controls transactions"), "lock": worded("locks tables"),
    "unlock": worded("unlocks tables"), "vacuum": worded("rewrites the database"), "analyze": worded("writes statistics"),
    "reindex": worded("rewrites indexes"), "refresh": worded("rewrites stored data"), "cluster": worded("rewrites a table"),
    "checkpoint": worded("makes the server write"), "kill": worded("ends other people's sessions"),
    "listen": worded("changes the session"), "notify": worded("sends a message"), "declare": worded("opens a cursor"),
    "fetch": worded("reads from a cursor"), "handler": worded("opens a table behind the optimizer's back"),
    "flush": worded("changes the server's state"), "shutdown": worded("stops the server"), "pragma": worded("may change a setting"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passed:
    """One read-only statement. `sql` is the text as typed, to show and keep; `sent` is the one to run.

    `sent` holds the words that were read and nothing else: no comment, plain spaces, quotes anew. It is
    the only text that may reach a database. `runs` is false when nothing of it is run (EXPLAIN without ANALYZE, DESCRIBE, SHOW).
    """

    sql: str
    sent: str
    built: Rebuilt
    runs: bool = True

    def placed(self, failure: Failure) -> Failure:
        """Give a failure of `sent` its position in `sql`."""
        return replace(failure, position=self.built.place(failure.position))


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
    catalog = narrowed(catalog, policy.withheld)
    style = style_of(catalog.dialect)
    if not style:
        return Refusal(
            worded(
                "SQL of the dialect {value} cannot be read.",
                value=catalog.dialect or worded("without a name"),
            ),
            worded("SQL that cannot be read with certainty does not run."),
            worded("Ask an administrator to set the dialect of this source."),
        )
    lexemes = lex(sql, style)
    if isinstance(lexemes, Refusal):
        return lexemes
    built = rebuilt(lexemes, style)
    if isinstance(built, Refusal):
        return built
    try:
        decided = _decide(sql, built, catalog, policy, lists(catalog.dialect))
    except Refused as refused:
        decided = refused.refusal
    except RecursionError:
        decided = Refusal(
            worded("The SQL is nested too deeply to be checked."),
            worded("SQL that cannot be checked does not run."),
            worded("Simplify it, for instance with WITH."),
            0,
        )
    except ODD_ERRORS:
        decided = unread(built, worded("its parts do not fit together"))
    if isinstance(decided, Refusal):
        return replace(decided, position=built.place(decided.position))
    return decided


def _decide(sql: str, built: Rebuilt, catalog: Catalog, policy: Policy, allowed: Lists) -> Passed | Refusal:
    passed = Passed(sql[: built.end], built.code, built)
    command = commands.match(built, catalog, policy, allowed)
    if isinstance(command, Refusal):
        return command
    if command is not None and policy.withheld:
        return Refusal(
            worded("Only a SELECT may be run here."),
            worded("Part of this source is not shown to you, and this may tell of it."),
            worded("Look up the names in the schema browser."),
            0,
        )
    if command is not None:
        if command.done:
            return replace(passed, runs=False)
        passed = replace(passed, runs=command.runs)
        built = replace(built, code=command.code)
    refusal = _first_word(built.code, catalog.dialect, policy)
    if refusal is not None:
        return refusal
    tokens = tokens_of(built, catalog.dialect)
    if isinstance(tokens, Refusal):
        return tokens
    strange = words_problem(tokens, catalog.dialect, allowed)
    if strange is not None:
        return strange
    root = parse(built, tokens, catalog.dialect)
    if isinstance(root, Refusal):
        return stored_problem(tokens) or root
    added = further(policy)
    problem = (
        shapes_problem(root, tokens, catalog, allowed, added)
        or calls_problem(root, tokens, allowed, policy, catalog.dialect)
        or own_problem(root, tokens, built, catalog, allowed)
        or lengths_problem(root, tokens, allowed)
    )
    if problem is not None:
        return problem
    commands.resolver(catalog, allowed, policy).statement(root)
    secret = withheld_problem(root, tokens, catalog, policy.withheld) if policy.withheld else None
    if secret is not None:
        return secret
    bound = bind(root, tokens, passed.built, catalog, allowed, added)
    if isinstance(bound, Refusal):
        return bound
    passed = replace(passed, sent=bound.code, built=bound)
    if isinstance(root, exp.Describe | exp.Summarize):
        return replace(passed, runs=isinstance(root, exp.Summarize))
    return passed


_FIRST = re.compile(r"\s*([^\W\d]\w*|.)", re.DOTALL)


def _first_word(code: str, dialect: str, policy: Policy) -> Refusal | None:
    found = _FIRST.match(code)
    first, start = (found[1], found.start(1)) if found else ("", 0)
    word = first.lower()
    if word in ("describe", "summarize", "desc") and "describe" in policy.refused:
        return switched_off(word.upper(), start)
    if word in _ROOTS or word in _MORE_ROOTS.get(dialect, ()):
        return None
    if word in _WRITES:
        return Refusal(
            worded("{word} {writes}.", word=word.upper(), writes=_WRITES[word]),
            worded("Only statements that read run here."),
            READ,
            start,
        )
    return Refusal(
        worded("The statement begins with {first}.", first=first[:40]),
        worded("Only statements that read rows run here, and this is not on the list of them."),
        meant_first(first) or READ,
        start,
    )

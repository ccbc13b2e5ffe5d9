"""Reads the list files beside it: what may pass, one file a dialect and one for all.

Decides nothing. A file has sections in brackets and words between white space; a line that begins
with `#` and a space is a comment.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from sqlagent.language.saying import template

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")
# Those with a list of their own and a way to write texts that others have too.
LISTED = (*DIALECTS, "spark", "clickhouse")
# Dialects of T-SQL, where a statement needs no semicolon before it.
TSQL = ("tsql", "fabric", "sybase")


@dataclass(frozen=True, slots=True)
class Lists:
    """The words that may pass in one dialect, all in lower case but for `nodes`.

    `show` and `explain` are words, not phrases; `tables` are system tables as `schema.name`.
    `types` are those a value may be cast to beside what the parser knows, `untyped` those that it
    knows and that may not be used. `fields` may be asked of any row. Of `bounded` functions the
    argument named behind the colon tells how long the result is, `formats` take a format, `compared`
    take the product of two lengths, `by_name` call what a text names, `listed` make long lists, `folding`
    work step by step on what they made, and `paths` take paths into JSON. Names of
    `grammar` are the engine's own before a bracket, and somebody's when they are quoted; those of
    `behind_syntax` are called by signs and words. `beginnings` begin a statement. Functions `of_rows` tell all columns of
    a row that they are given, `columns_of` the columns of each system table, where they are known.
    """

    functions: frozenset[str]
    bare: frozenset[str]
    words: frozenset[str]
    nodes: frozenset[str]
    tables: frozenset[str]
    columns: frozenset[str]
    settings: frozenset[str]
    show: frozenset[str]
    explain: frozenset[str]
    pragmas: frozenset[str]
    schemas: frozenset[str]
    types: frozenset[str]
    untyped: frozenset[str]
    fields: frozenset[str]
    operators: frozenset[str]
    bounded: dict[str, int]
    formats: frozenset[str]
    compared: frozenset[str]
    by_name: frozenset[str]
    listed: frozenset[str]
    folding: frozenset[str]
    paths: frozenset[str]
    grammar: frozenset[str]
    behind_syntax: frozenset[str]
    beginnings: frozenset[str]
    of_rows: frozenset[str]
    columns_of: dict[str, frozenset[str]]


def read(name: str) -> dict[str, frozenset[str]]:
    """Read one list file into its sections."""
    sections: dict[str, set[str]] = {}
    words: set[str] = set()
    for line in files(__name__).joinpath(f"{name}.txt").read_text("utf-8").splitlines():
        line = line.strip()
        if line.startswith("# "):
            continue
        if line.startswith("["):
            words = sections.setdefault(line.strip("[]"), set())
        else:
            words.update(line.split())
    return {section: frozenset(found) for section, found in sections.items()}


@cache
def lists(dialect: str) -> Lists:
    """Gather what may pass in a dialect: the common list and its own, or that of the long tail."""
    common, own = read("common"), read(dialect if dialect in LISTED else "other")

    def words(section: str) -> frozenset[str]:
        return common.get(section, frozenset()) | own.get(section, frozenset())

    return Lists(
        functions=words("functions"),
        bare=words("functions without arguments"),
        words=words("words"),
        nodes=words("nodes"),
        tables=words("tables"),
        columns=words("columns"),
        settings=words("settings"),
        show=words("show"),
        explain=words("explain"),
        pragmas=words("pragmas"),
        schemas=words("schemas"),
        types=words("types"),
        untyped=words("types that may not be used"),
        fields=words("fields"),
        operators=words("operators"),
        bounded={name: int(place) for name, _, place in (each.partition(":") for each in words("bounded"))},
        formats=words("formats"),
        compared=words("compared"),
        by_name=words("by name"),
        listed=words("listed"),
        folding=words("folding"),
        paths=words("paths"),
        grammar=words("grammar"),
        behind_syntax=words("behind syntax"),
        beginnings=words("beginnings") | (words("beginnings in T-SQL") if dialect in TSQL else frozenset()),
        of_rows=words("of rows"),
        columns_of=read("postgres_columns") if dialect == "postgres" else {},
    )


@cache
def reasons() -> dict[str, str]:
    """Tell by name why a well-known function never passes, as "waits, and holds ..."; `*` in families of names."""
    return {word: reason for reason, words in read("known").items() for word in words}


def reason_of(name: str) -> str:
    """Tell why a function, named without its schema, never passes; nothing where that is not known.

    Example:
        >>> reason_of("PG_SLEEP"), reason_of("pg_read_anything"), reason_of("upper")
        ('waits, and holds the connection meanwhile', 'reads files or lists folders of the server', '')
    """
    low = name.lower()
    found = reasons().get(low)
    if found is not None:
        return found
    return next((reason for family, reason in _families() if fnmatchcase(low, family)), "")


# Reasons of the lists, for the catalogs.
REASONS = (
    template("changes settings, sequences or the session"),
    template("connects to other servers"),
    template("controls the server or other people's sessions"),
    template("could fill the memory or end the process in one call"),
    template("loads or runs code"),
    template("reads files or lists folders of the server"),
    template("runs SQL held in a text, which nobody checked"),
    template("takes or frees locks that others wait for"),
    template("tells about the server rather than about the data"),
    template("waits, and holds the connection meanwhile"),
    template("writes files of the server"),
    template("writes to the database or its log"),
)


@cache
def _families() -> tuple[tuple[str, str], ...]:
    return tuple((word, reason) for word, reason in sorted(reasons().items()) if "*" in word)

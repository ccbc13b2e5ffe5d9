"""EXPLAIN, DESCRIBE, SHOW and PRAGMA: statements around statements, and those that only describe.

EXPLAIN is stripped and what it explains is checked like any other statement. The others pass in
the few forms named here and in the list files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from sqlagent.guard.fields import is_harmless_field
from sqlagent.guard.lists import Lists, reason_of
from sqlagent.guard.policy import Policy, switched_off
from sqlagent.guard.rebuilding import Rebuilt
from sqlagent.guard.unknown import Refused, refusal_of
from sqlagent.language.saying import worded
from sqlagent.sql.names import Resolver
from sqlagent.sql.scopes import Source, SystemNames, Unknown
from sqlagent.values import Catalog, Refusal


@dataclass(frozen=True, slots=True)
class Command:
    """The findings: `done` when nothing is left to check, else the inner statement's `code`."""

    code: str = ""
    runs: bool = False
    done: bool = False


_WORD = re.compile(r"\s*([A-Za-z]+)")
_EXPLAIN = {
    "postgres": r"EXPLAIN\b(?P<options>\s*\([^()]*\)|(?:\s+(?:ANALYZE|ANALYSE|VERBOSE)\b)*)",
    "duckdb": r"EXPLAIN\b(?P<options>(?:\s+ANALYZE\b)?\s*\([^()]*\)|(?:\s+ANALYZE\b)?)",
    "sqlite": r"EXPLAIN\b(?P<options>(?:\s+QUERY\s+PLAN\b)?)",
    "mysql": r"(?:EXPLAIN|DESCRIBE|DESC|ANALYZE(?!\s+TABLE\b))\b"
    r"(?P<options>(?:\s+(?:EXTENDED|PARTITIONS|ANALYZE|FORMAT\s*=\s*\w+)\b)*)(?=\s*(?:SELECT|WITH|VALUES|TABLE|\(|UPDATE|DELETE|INSERT|REPLACE)\b|\s*\()",
    "other": r"EXPLAIN\b(?P<options>(?:\s+(?:EXTENDED|FORMATTED|CODEGEN|COST)\b)?)",
}
_EXPLAINS = {dialect: re.compile(rf"\s*{text}", re.IGNORECASE) for dialect, text in _EXPLAIN.items()}
_NAME = r"""(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[^\W\d][\w$]*)"""
_DESCRIBE = re.compile(
    rf"\s*(?:DESCRIBE|DESC|EXPLAIN)\s+(?:(?P<schema>{_NAME})\.)?(?P<table>{_NAME})(?:\s+(?:{_NAME}|'[^'\\]*'))?\s*\Z",
    re.IGNORECASE,
)
_PRAGMA = re.compile(
    rf"""\s*PRAGMA\s+(?:(?P<schema>\w+)\s*\.\s*)?(?P<name>\w+)\s*\(\s*(?P<of>{_NAME}|'(?:[^']|'')+'|\[[^\]]+\])\s*\)\s*\Z""",
    re.IGNORECASE,
)


def resolver(catalog: Catalog, allowed: Lists, policy: Policy) -> Resolver:
    """Make the walk that refuses the first name that stands for nothing."""
    tables = frozenset() if "system_tables" in policy.refused else allowed.tables
    system = SystemNames(tables, allowed.columns, allowed.schemas, allowed.columns_of)

    def report(unknown: Unknown) -> None:
        raise Refused(refusal_of(unknown, walk))

    def is_field(name: exp.Expr, source: Source) -> bool:
        written = name.name if name.args.get("quoted") else name.name.lower()
        if source.named is None:
            return written not in catalog.routines and not reason_of(written)
        if written in source.named:
            return written not in catalog.routines
        return is_harmless_field(written, catalog, allowed)

    walk = Resolver(
        catalog, report, system, policy.search_path, is_field if catalog.dialect == "postgres" else None
    )
    return walk


def match(built: Rebuilt, catalog: Catalog, policy: Policy, allowed: Lists) -> Command | Refusal | None:
    """Find EXPLAIN, SHOW or PRAGMA at the start; None when it is none of them. Raises: Refused."""
    word = _WORD.match(built.code)
    first = word.group(1).lower() if word else ""
    if first == "show":
        return _show(built, catalog, policy, allowed)
    if catalog.dialect == "mysql" and (table := _DESCRIBE.match(built.code)):
        return _described(table, built, catalog, policy, allowed)
    if first == "pragma" and catalog.dialect == "sqlite":
        return _pragma(built, policy, allowed)
    explain = _EXPLAINS.get(catalog.dialect, _EXPLAINS["other"]).match(built.code)
    if explain is None:
        return None
    return _explain(built, explain, catalog, policy, allowed)


def _described(
    found: re.Match[str], built: Rebuilt, catalog: Catalog, policy: Policy, allowed: Lists
) -> Command | Refusal:
    if "describe" in policy.refused:
        return switched_off("DESCRIBE", 0)
    schema = _identifier(found["schema"]) if found["schema"] else None
    resolver(catalog, allowed, policy).statement(exp.Table(this=_identifier(found["table"]), db=schema))
    return Command(done=True)


def _explain(
    built: Rebuilt, found: re.Match[str], catalog: Catalog, policy: Policy, allowed: Lists
) -> Command | Refusal | None:
    if "explain" in policy.refused:
        return switched_off("EXPLAIN", 0)
    options = found.group("options").lower()
    end = found.end()
    words = re.findall(r"[a-z_]+(?:=\w+)?", re.sub(r"\s*=\s*", "=", options))
    if "(" in options and re.match(r"[\s(]*(?:select|with|values|from|table)\b", options):
        end, words, options = found.start("options"), [], ""
    analyze = catalog.dialect == "mysql" and built.code[: found.start("options")].strip().lower() == "analyze"
    for option in words:
        if option in ("analyze", "analyse"):
            analyze = True
        elif catalog.dialect == "postgres" and option in ("buffers", "timing", "wal", "memory", "serialize"):
            analyze = analyze or False
        elif option not in allowed.explain and not (option.startswith("format=") or option == "json"):
            return Refusal(
                worded("EXPLAIN has an option that is not on the list: {option}.", option=option),
                worded("Only options known to be harmless pass."),
                worded("Leave the option out."),
                0,
            )
    if analyze and "explain_analyze" in policy.refused:
        return switched_off("EXPLAIN ANALYZE", 0)
    code = " " * end + built.code[end:]
    if not code.strip():
        return Refusal(
            worded("EXPLAIN is followed by nothing."),
            worded("There is no statement to explain."),
            worded("Add a SELECT."),
            0,
        )
    if re.match(r"\s*(?:EXPLAIN|SHOW|PRAGMA|DESCRIBE|DESC|SUMMARIZE|ANALYZE)\b", code, re.IGNORECASE):
        return Refusal(
            worded("EXPLAIN is followed by a statement that is not a SELECT."),
            worded("Only read-only statements can be explained."),
            worded("Explain a SELECT."),
            0,
        )
    return Command(code, runs=analyze)


def _show(built: Rebuilt, catalog: Catalog, policy: Policy, allowed: Lists) -> Command | Refusal:
    if "show" in policy.refused:
        return switched_off("SHOW", 0)
    text = built.code.strip()
    refusal = Refusal(
        worded("{text} may not be run.", text=text[:60]),
        worded("SHOW passes for tables, columns and a few harmless settings only."),
        worded("Look in the schema browser, or ask for rows with a SELECT."),
        0,
    )
    body = re.sub(r"\s+LIKE\s+'[^'\\]*'\s*\Z", "", text[4:], flags=re.IGNORECASE).strip()
    phrase = "_".join(body.lower().split())
    if phrase in allowed.show or (catalog.dialect == "postgres" and phrase in allowed.settings):
        return Command(done=True)
    words, _, last = body.rpartition(" ")
    phrase = "_".join(words.lower().split())
    if catalog.dialect == "duckdb" and not words and re.fullmatch(_NAME, last):
        resolver(catalog, allowed, policy).statement(exp.Table(this=_identifier(last)))
        return Command(done=True)
    if phrase in allowed.show and phrase.endswith(("_from", "_in", "_table", "_view")):
        name = re.fullmatch(rf"(?:({_NAME})\.)?({_NAME})", last)
        if name is None:
            return refusal
        parts = [_identifier(p) for p in name.groups() if p]
        table = exp.Table(this=parts[-1], db=parts[0] if len(parts) == 2 else None)
        resolver(catalog, allowed, policy).statement(table)
        return Command(done=True)
    return refusal


def _identifier(text: str) -> exp.Identifier:
    quoted = text[0] in '"`'
    return exp.Identifier(this=text[1:-1] if quoted else text, quoted=quoted)


def _pragma(built: Rebuilt, policy: Policy, allowed: Lists) -> Command | Refusal:
    found = _PRAGMA.match(built.code)
    if found and found.group("name").lower() in allowed.pragmas and "pragma" not in policy.refused:
        return Command(done=True)
    return Refusal(
        worded("This PRAGMA may not be run."),
        worded("Most PRAGMAs change settings or tell about files; only those that describe a table pass."),
        worded("Look in the schema browser, or use PRAGMA table_info(table)."),
        0,
    )

"""The tools of agents, a function each: by a token, counted, recorded in the audit, and within the source's privacy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied
from django.db import models

from mirror.agents import selectors
from mirror.agents.shown import Told, failure_shown, rows_shown, run_shown, version_shown
from mirror.api import selectors as seen
from mirror.api.models import Scope, Token
from mirror.api.problems import Problem, not_found, not_permitted
from mirror.api.services import token_check, token_find, token_use
from mirror.asking import services as asking
from mirror.asking.models import Run, Version
from mirror.audit.acting import Acting, acting_as
from mirror.library.services import ParameterError
from mirror.results.opened_files import ResultGone
from mirror.sources.models import Source
from mirror.sources.selectors import ask_check
from mirror.sources.sight import seen_by
from mirror.work.leases import Leased
from mirror.workbench.errors import WorkbenchError
from mirror.workbench.glancing import glance_plan, glance_read
from mirror.workbench.models import Glance
from sqlagent.catalog.hiding import usable
from sqlagent.prompts.rendering.columns import type_text
from sqlagent.values import Question, Table

# How long an agent waits for a worker before it is told to come again, and how often is looked (seconds).
WAIT_SECONDS, LOOK_SECONDS = 45.0, 0.1
# Tables and columns of one answer.
TABLES, COLUMNS = 15, 60

L = TypeVar("L", bound=Leased)


def tool_call(by: str | Token, origin: str, tool: str, **wish: Any) -> Told:
    """Do what an agent asks, as the person of its token, which its secret or itself tells. Raises: Problem."""
    known: list[Token] = []
    acting = Acting(lambda: known[0].owner if known else None, origin, lambda: known[0].name if known else "")
    with acting_as(acting):
        token = by if isinstance(by, Token) else token_find(by)
        known.append(token)
        does, scope = TOOLS[tool]
        doing = f"MCP {tool}"
        token_check(token, [scope], Token.Use.AGENT, doing)
        about = {name: str(wish[name]) for name in ("source", "run", "version", "saved") if wish.get(name)}
        token_use(token, doing, told=True, about=about)
        try:
            return does(token, **wish)
        except (asking.AskingError, WorkbenchError, ParameterError, ResultGone) as error:
            raise Problem(422, "not-possible", str(error)) from None
        except PermissionDenied as error:
            raise not_permitted(str(error)) from None


def sources(token: Token) -> Told:
    """The sources an agent may ask."""
    found = seen.sources_of(token)
    return {
        "sources": [
            {
                "name": one.name,
                "about": one.description,
                "engine": one.engine,
                "rows": "shown" if selectors.rows_allowed(one) else "not shown to agents",
            }
            for one in found[:200]
        ]
    }


def search_catalog(token: Token, source: str, words: str = "", offset: int = 0) -> Told:
    """Tables of a source in which all words are found: in names, comments and other words of its owner."""
    found_source = _source(token, source)
    ask_check(token.owner, found_source)
    sight = selectors.sight_of(token, found_source)
    if not sight.catalog.tables:
        raise Problem(409, "not-read", "The tables of this source were not read yet. Ask it something first.")
    catalog, _ = usable(sight.catalog, None)
    wanted = words.lower().split()
    found = [table for table in catalog.tables if all(word in _text(table) for word in wanted)]
    shown = found[max(offset, 0) : max(offset, 0) + TABLES]
    after = max(offset, 0) + len(shown)
    told: Told = {"dialect": catalog.dialect, "tables": [_table(table, sight.level) for table in shown]}
    return told | {"found": len(found)} | ({"next_offset": after} if after < len(found) else {})


def _text(table: Table) -> str:
    columns = " ".join(f"{column.name} {column.comment}" for column in table.columns)
    return f"{table.key} {table.comment} {columns}".lower()


def _table(table: Table, level: str) -> Told:
    points = {
        name: f"{key.table}.{other}"
        for key in table.foreign_keys
        for name, other in zip(key.columns, key.referenced, strict=False)
    }
    lines = []
    for column in table.columns[:COLUMNS]:
        line = f"{column.name} {type_text(column.type, level)}".strip()
        line += " key" if column.name in table.primary_key else ""
        line += f" -> {points[column.name]}" if column.name in points else ""
        line += f": {column.comment}" if column.comment else ""
        if level == Source.Privacy.ROWS and column.examples:
            line += f" (such as {', '.join(column.examples[:4])})"
        lines.append(line)
    more = len(table.columns) - len(lines)
    told: Told = {"table": table.key, "columns": lines}
    return told | ({"about": table.comment} if table.comment else {}) | ({"more": more} if more > 0 else {})


def ask(token: Token, source: str, question: str = "", hint: str = "", after: int = 0, run: int = 0) -> Told:
    """Ask a question and wait for its answer; with `run`, wait for one that was asked before."""
    found = _source(token, source)
    if run:
        asked = _run(token, run)
    elif after:
        asked = asking.run_follow(_run(token, after), question, hint)
    else:
        asked = asking.run_ask(token.owner, found, question, hint)
    if asked.thread.source_id != found.pk:
        raise Problem(422, "not-possible", "That question was asked of another source.")
    return run_shown(_ended(Run, asked.pk), selectors.sight_of(token, found))


def choose_reading(token: Token, run: int, reading: int) -> Told:
    """Make another reading of a question the answer."""
    found = _run(token, run)
    version = _ended(Version, asking.reading_use(found, reading).pk)
    question = Question(found.question, found.hint, found.asked)
    return version_shown(version, selectors.sight_of(token, found.thread.source), question)


def run_sql(token: Token, source: str, sql: str) -> Told:
    """Run one statement that reads."""
    found = _source(token, source)
    version = _ended(Version, asking.sql_ask(token.owner, found, sql).pk)
    return version_shown(version, selectors.sight_of(token, found), Question(""), own=sql)


def explain(token: Token, source: str, sql: str) -> Told:
    """How the engine would run a statement; below the level *rows* without conditions, which may hold values."""
    found = _source(token, source)
    sight = selectors.sight_of(token, found)
    glance = _ended(Glance, glance_plan(token.owner, found, sql).pk)
    if glance.failure:
        return {"failure": failure_shown(glance.failure, sight)}
    plan = glance_read(glance)
    if plan is None:
        return {"status": glance.status}
    if not plan.steps:
        return {"plan": plan.text[:10_000]} if sight.level == Source.Privacy.ROWS else {"plan": "not shown"}
    lines = []
    for step in plan.steps[:200]:
        rows = f", {step.rows:,} rows" if step.rows is not None else ""
        notes = f" ({'; '.join(step.notes)})" if step.notes and sight.level == Source.Privacy.ROWS else ""
        lines.append(f"{'  ' * step.depth}{step.does} {step.on}".rstrip() + rows + notes)
    return {"plan": lines}


def rows(token: Token, version: int, offset: int = 0, limit: int = 50) -> Told:
    """More rows of an answer or a statement."""
    found = seen.versions_of(token).filter(pk=version).first()
    if found is None:
        raise not_found()
    sight = selectors.sight_of(token, found.run.thread.source)
    if not sight.has_rows:
        raise Problem(403, "no-rows", sight.no_rows)
    if found.result is None:
        raise Problem(409, "no-rows", "This statement has no rows.")
    told: Told = {
        "columns": [one["name"] for one in found.result.columns],
        "row_count": found.result.row_count,
    }
    return told | rows_shown(found.result, max(offset, 0), limit)


def verified(token: Token, words: str = "", saved: int = 0, arguments: dict[str, str] | None = None) -> Told:
    """SQL that somebody vouched for: found by words, or with `saved` run."""
    found = (
        seen.saved_of(token, words.replace("\x00", "")[:200])
        .exclude(verified_at=None)
        .select_related("verified_by")
    )
    if not saved:
        return {
            "verified": [
                {
                    "saved": one.pk,
                    "name": one.name,
                    "question": one.question,
                    "source": one.source.name,
                    "verified_by": one.verified_by.get_username() if one.verified_by else "",
                    "parameters": {p["name"]: p["kind"] for p in one.parameters},
                }
                for one in found[:50]
            ]
        }
    chosen = seen.saved_of(token).exclude(verified_at=None).filter(pk=saved).first()
    if chosen is None:
        raise not_found()
    run = asking.run_saved(token.owner, chosen, dict(arguments or {}), is_sent=True)
    version = _ended(Version, run.versions.values_list("pk", flat=True)[0])
    return version_shown(version, selectors.sight_of(token, chosen.source), Question(chosen.question))


TOOLS: dict[str, tuple[Callable[..., Told], Scope]] = {
    "sources": (sources, Scope.READ),
    "search_catalog": (search_catalog, Scope.READ),
    "ask": (ask, Scope.ASK),
    "choose_reading": (choose_reading, Scope.ASK),
    "run_sql": (run_sql, Scope.SQL),
    "explain": (explain, Scope.SQL),
    "rows": (rows, Scope.ROWS),
    "verified": (verified, Scope.SAVED),
}


def _source(token: Token, name: str) -> Source:
    found = None if "\x00" in name else seen.sources_of(token).filter(name=name).first()
    if found is None:
        raise Problem(404, "not-found", f"There is no source “{name[:60]}” for this token. Call sources.")
    return seen_by(token.owner, found)


def _run(token: Token, pk: int) -> Run:
    found = seen.run_of(token, pk)
    if found is None:
        raise not_found()
    seen_by(token.owner, found.thread.source)
    return found


def _ended(model: type[L], pk: int) -> L:
    """A row once its work has ended, or as it is when waiting for it took long enough."""
    until = time.monotonic() + WAIT_SECONDS
    rows: models.Manager[L] = model._default_manager
    while time.monotonic() < until and not rows.filter(pk=pk, status="done").exists():
        time.sleep(LOOK_SECONDS)
    return rows.get(pk=pk)

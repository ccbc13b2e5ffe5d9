"""Runs, statements and rows as an agent is told of them: below the level *rows* no stored value leaves.

An agent is a language model elsewhere, so what prompts may hold decides (`sqlagent.prompts.rendering`): SQL without literals
that were not said, faults in words of ours, headings that are names. Row counts are told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse

from mirror.results.cells import json_cell
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_page
from sqlagent.prompts import faults
from sqlagent.prompts.rendering.masking import shown_sql
from sqlagent.prompts.rendering.results import headings
from sqlagent.telling.readings import difference
from sqlagent.values import Failure, FailureKind, LinkedSchema, Question

if TYPE_CHECKING:
    from mirror.agents.selectors import Sight
    from mirror.asking.models import Run, Version
    from mirror.results.models import StoredResult

# Rows that come with an answer, rows of one page, characters of a cell and of a page.
FIRST_ROWS, PAGE_ROWS, CELL_CHARS, PAGE_CHARS = 10, 200, 300, 20_000

Told = dict[str, Any]

# Why there is no plain answer, where the words of the answer may hold stored values.
REASONS = {
    "ambiguous": "It can be understood in more than one way, or words of it were left out.",
    "unanswerable": "The source does not seem to hold what was asked for.",
    "failed": "No attempt gave an answer.",
}


def run_shown(run: Run, sight: Sight) -> Told:
    """The outcome of a question: how sure the answer is, its SQL, and what else was possible."""
    question = Question(run.question, run.hint, run.asked)
    linked = LinkedSchema(sight.catalog, sight.catalog)
    version = run.versions.select_related("result").defer("figure").first()

    is_open = sight.level == "rows"

    def sql_of(sql: str) -> str:
        return shown_sql(sql, question, linked, sight.level)

    told: Told = {
        "run": run.pk,
        "page": settings.SITE_URL.rstrip("/") + reverse("asking:run", args=[run.pk]),
        "status": run.status,
    }
    if not run.is_ended:
        return told | {"next": "It is still being answered: call ask again with this run."}
    told |= {"outcome": run.outcome, "reason": run.reason if is_open else REASONS.get(run.outcome, "")}
    if run.agreement_size:
        told["agreement"] = f"{run.agreement_size} of {run.agreement_pool} attempts gave this"
        told["confidence"] = round(run.confidence, 2) if run.confidence is not None else None
    told["notes"] = [str(note) for note in run.notes] if is_open else list(filter(None, [run.without_llm]))
    if version is not None:
        told["answer"] = version_shown(version, sight, question)
    told["readings"] = [
        {
            "reading": number,
            "difference": one["difference"]
            if is_open
            else _difference(version, sql_of(one["sql"]), sql_of, sight),
            "agreement": one.get("size", 0),
            "sql": sql_of(one["sql"]),
            "row_count": one["row_count"],
        }
        | ({"columns": one["columns"], "rows": one["rows"]} if sight.has_rows else {})
        for number, one in enumerate(run.readings)
    ]
    if run.outcome == "ambiguous" and run.readings:
        told["next"] = "Say what it could mean and ask which is meant, then call choose_reading."
    return {name: value for name, value in told.items() if value not in ("", [])}


def _difference(version: Version | None, sql: str, sql_of: Callable[[str], str], sight: Sight) -> str:
    """How a reading differs from the answer, told of the SQL that the agent sees of both."""
    return difference(sql, sql_of(version.sql), sight.catalog) if version is not None else ""


def version_shown(version: Version, sight: Sight, question: Question, own: str = "") -> Told:
    """One SQL and what it gave; `own` is SQL as the agent wrote it."""
    linked = LinkedSchema(sight.catalog, sight.catalog)
    sql = shown_sql(version.sql, question, linked, sight.level, (own,) if own else ())
    told: Told = {"version": version.pk, "status": version.status, "sql": sql}
    if version.failure:
        return told | {"failure": failure_shown(version.failure, sight)}
    if version.result is None:
        return told
    result = version.result
    names = [one["name"] for one in result.columns]
    told |= {
        "columns": headings(names, sight.level, sql, sight.catalog),
        "row_count": result.row_count,
        "truncated": result.truncated,
    }
    if not sight.has_rows:
        return told | {"no_rows": sight.no_rows}
    told["sentence"] = version.sentence
    try:
        return told | rows_shown(result, 0, FIRST_ROWS)
    except ResultGone as error:
        return told | {"no_rows": str(error)}


def failure_shown(kept: Told, sight: Sight) -> str:
    """Say why SQL gave no rows. The guard's message is about the SQL alone; a database's message may hold its values."""
    if sight.level == "rows" or kept["kind"] in ("refused", "unkept"):
        return " ".join(filter(None, (kept["message"], kept.get("advice", ""))))
    kinds = {kind.value: kind for kind in FailureKind}
    fault = faults.fault_of(Failure(kinds.get(kept["kind"], FailureKind.ERROR), kept["message"]))
    return f"{fault.words}."


def rows_shown(result: StoredResult, offset: int, limit: int) -> Told:
    """Some rows of a result, as many as one answer may hold. Raises: ResultGone."""
    page = rows_page(result, offset, min(max(limit, 1), PAGE_ROWS))
    rows: list[list[Any]] = []
    chars = 0
    for row in page.rows:
        cells = [json_cell(cell, CELL_CHARS) for cell in row]
        chars += sum(len(str(cell)) for cell in cells)
        if rows and chars > PAGE_CHARS:
            break
        rows.append(cells)
    after = offset + len(rows)
    return {"rows": rows} | ({"next_offset": after} if after < result.row_count else {})

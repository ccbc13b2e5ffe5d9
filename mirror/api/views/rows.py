"""SQL that programs run, and rows of what was run."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from ninja import Query, Router

from mirror.api import schemas, selectors
from mirror.api.problems import Problem
from mirror.api.telling import version_told
from mirror.api.views.calls import (
    PROBLEMS,
    ROWS,
    SQL,
    STATEMENTS,
    Key,
    Offset,
    TokenRequest,
    asking_problem,
    done_once,
    seen,
    source_of,
)
from mirror.asking import services
from mirror.exports.names import file_name
from mirror.exports.sending import pieces_sent, sheet_pieces
from mirror.exports.services import rows_taken
from mirror.exports.sheets import sheet_of
from mirror.exports.values import ARROW, FORMATS, Format, Sheet
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultAway, ResultGone, result_open
from mirror.results.rows import rows_page
from mirror.sources.selectors import files_withheld

router = Router(tags=["SQL and rows"])

# Rows that a page of them holds; without a limit all rows are sent, in constant memory.
PAGE_ROWS = 100_000
# Formats a client may ask for, the first of those it likes alike first.
ROW_FORMATS: dict[str, Format] = {
    "application/jsonl": FORMATS["jsonl"],
    "application/x-ndjson": FORMATS["jsonl"],
    "text/csv": FORMATS["csv"],
    "application/vnd.apache.parquet": FORMATS["parquet"],
    "application/vnd.apache.arrow.stream": ARROW,
}


@router.post("/sql", auth=SQL, response={202: schemas.VersionTold, **PROBLEMS}, url_name="sql_run")
def sql_run(request: TokenRequest, sent: schemas.Statement, key: Key) -> HttpResponse:
    """Run one statement that reads, through the guard and within the source's limits, as on the SQL page."""
    source = source_of(request.auth, sent.source)

    def act() -> schemas.VersionTold:
        try:
            made = services.sql_ask(request.auth.owner, source, sent.sql, dict(sent.arguments))
        except services.AskingError as error:
            raise asking_problem(error) from None
        return version_told(made)

    return done_once(request, key, act)


@router.get(
    "/versions/{version}",
    auth=STATEMENTS,
    response={200: schemas.VersionTold, **PROBLEMS},
    url_name="version_read",
)
def version_read(request: TokenRequest, version: int) -> Any:
    """Tell what became of a statement, and where its rows are."""
    return version_told(seen(selectors.versions_of(request.auth).filter(pk=version).first()))


@router.post(
    "/versions/{version}/stop",
    auth=STATEMENTS,
    response={202: schemas.VersionTold, **PROBLEMS},
    url_name="version_stop",
)
def version_stop(request: TokenRequest, version: int, key: Key) -> HttpResponse:
    """Stop a statement in the database. One that has ended stays as it is."""
    found = seen(selectors.versions_of(request.auth).filter(pk=version).first())

    def act() -> schemas.VersionTold:
        services.statement_stop(found)
        found.refresh_from_db()
        return version_told(found)

    return done_once(request, key, act)


@router.get(
    "/versions/{version}/rows", auth=ROWS, response={200: None, 406: schemas.ProblemTold, 410: schemas.ProblemTold, **PROBLEMS},
    url_name="rows_read",
)  # fmt: skip
def rows_read(
    request: TokenRequest,
    version: int,
    offset: Offset,
    limit: Annotated[
        int | None,
        Query(None, ge=1, le=PAGE_ROWS, description="How many rows; without it all are sent."),
    ],
) -> HttpResponseBase:
    """Give the rows of a statement: JSON lines, CSV, Parquet or Arrow, as the header Accept asks, JSON lines by itself.

    In JSON, decimals and integers beyond 2^53 are strings, so that none is rounded.
    """
    found = seen(selectors.versions_of(request.auth).filter(pk=version).first())
    if why := files_withheld(request.user, found.run.thread.source):
        raise Problem(403, "no-files", "These rows may not be taken away.", why)
    format = _format(request.headers.get("Accept", ""))
    if found.result is None:
        raise Problem(409, "no-rows", "This statement has no rows.", _why(found.status, found.failure))
    try:
        sheet = _sheet(found.result, offset, limit)
        sent, first = sheet_pieces(format, sheet), b""
        if format.is_streamed:
            first = next(sent, b"")
        else:
            result_open(found.result)
    except ResultAway as error:
        raise Problem(503, "away", "The rows cannot be fetched now.", str(error), wait=5) from None
    except ResultGone as error:
        raise Problem(410, "gone", "These rows are no longer kept.", f"{error} Run the SQL again.") from None
    rows_taken(found.result, format.name, request.user)
    response = StreamingHttpResponse(pieces_sent(first, sent), content_type=format.media_type)
    response["Vary"] = "Accept"
    response["Cache-Control"] = "private, no-store"
    response["X-Row-Count"] = str(found.result.row_count)
    response["X-Rows-Truncated"] = "true" if found.result.truncated else "false"
    response["Content-Disposition"] = f'attachment; filename="{_name(format)}"'
    return response


def _name(format: Format) -> str:
    return file_name("rows", format.name) if format.name in FORMATS else f"rows.{format.extension}"


def _why(status: str, failure: dict[str, Any] | None) -> str:
    if failure:
        return str(failure["message"])
    return "It is still being run." if status != "done" else "It was not run."


def _sheet(result: StoredResult, offset: int, limit: int | None) -> Sheet:
    """All rows of a result, or some of them."""
    sheet = sheet_of(result)
    if limit is None and not offset:
        return sheet
    page = rows_page(result, offset, min(limit or PAGE_ROWS, PAGE_ROWS))
    return replace(
        sheet, kept=None, batches=lambda: iter([page.rows]), row_count=len(page.rows), truncated=False
    )


def _format(accept: str) -> Format:
    """Choose the format that a client likes best. Raises: Problem (406)."""
    wishes: list[tuple[float, int, str]] = []
    for place, wish in enumerate(accept.split(",") if accept.strip() else ["*/*"]):
        name, *options = (part.strip().lower() for part in wish.split(";"))
        liked = next((one[2:] for one in options if one.startswith("q=")), "1")
        try:
            wishes.append((-float(liked), place, name))
        except ValueError:
            continue
    for weight, _, name in sorted(wishes):
        for media_type, format in ROW_FORMATS.items() if weight else ():
            if name in (media_type, "*/*", media_type.split("/")[0] + "/*"):
                return format
    raise Problem(
        406,
        "not-acceptable",
        "Rows come in no such format.",
        f"Known to Accept: {', '.join(ROW_FORMATS)}.",
    )

"""Questions: asked, followed, stopped, read otherwise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpResponse, StreamingHttpResponse
from ninja import Path, Router

from mirror.api import problems, schemas, selectors
from mirror.api.models import Token
from mirror.api.telling import address, paged, run_told, step_told, version_told
from mirror.api.views.calls import (
    ASK,
    PROBLEMS,
    RUNS,
    Key,
    Limit,
    Offset,
    TokenRequest,
    Trace,
    asking_problem,
    done_once,
    refused,
    rows_given,
    seen,
    site_of,
    source_of,
    with_rows,
)
from mirror.asking import services
from mirror.asking.following import ALIVE, ALIVE_SECONDS, POLL_SECONDS, message, store_read
from mirror.asking.models import Run
from mirror.asking.selectors import steps_of
from mirror.sources.sight import seen_by
from mirror.work.leases import Status

router = Router(tags=["Questions"])


@router.post("/runs", auth=ASK, response={202: schemas.RunTold, **PROBLEMS})
def run_ask(request: TokenRequest, sent: schemas.Question, key: Key, traceparent: Trace) -> HttpResponse:
    """Ask a question. It is answered by and by: follow its events, or read it until its status is done."""
    token = request.auth
    source = source_of(token, sent.source)

    def act() -> schemas.RunTold:
        try:
            if sent.after is None:
                run = services.run_ask(token.owner, source, sent.question, sent.hint, traceparent=traceparent)
            else:
                before = seen(selectors.run_of(token, sent.after))
                if before.thread.source_id != source.pk:
                    raise refused("A follow-up is asked of the source that its question was asked of.")
                run = services.run_follow(before, sent.question, sent.hint, traceparent=traceparent)
        except services.AskingError as error:
            raise asking_problem(error) from None
        return run_told(run, with_rows=with_rows(token, source), at=site_of(request))

    return done_once(request, key, act)


@router.get("/runs", auth=ASK, response={200: schemas.Runs, **PROBLEMS}, url_name="runs_list")
def runs_list(request: TokenRequest, limit: Limit, offset: Offset) -> Any:
    """List one's questions, the newest first."""
    given, here = rows_given(request.auth), site_of(request)
    found = selectors.runs_of(request.auth)

    def told(run: Run) -> schemas.RunTold:
        return run_told(run, with_rows=run.thread.source_id in given, at=here)

    return paged(found, told, address("runs_list"), limit, offset)


@router.get("/runs/{run}", auth=RUNS, response={200: schemas.RunTold, **PROBLEMS}, url_name="run_read")
def run_read(request: TokenRequest, run: int) -> Any:
    """Tell what became of a question: its outcome, how sure it is, the SQL, and other readings."""
    found = _run(request.auth, run)
    return run_told(found, with_rows=with_rows(request.auth, found.thread.source), at=site_of(request))


@router.post("/runs/{run}/stop", auth=ASK, response={202: schemas.RunTold, **PROBLEMS}, url_name="run_stop")
def run_stop(request: TokenRequest, run: int, key: Key) -> HttpResponse:
    """Stop a question, its statement in the database too. One that has ended stays as it is."""
    found = _run(request.auth, run)

    def act() -> schemas.RunTold:
        services.run_stop(found)
        found.refresh_from_db()
        return run_told(found, with_rows=with_rows(request.auth, found.thread.source), at=site_of(request))

    return done_once(request, key, act)


@router.post(
    "/runs/{run}/readings/{reading}",
    auth=ASK,
    response={202: schemas.VersionTold, **PROBLEMS},
    url_name="reading_choose",
)
def reading_choose(request: TokenRequest, run: int, reading: int, key: Key) -> HttpResponse:
    """Make another reading of the question the answer; its SQL is run for all its rows."""
    found = _run(request.auth, run)

    def act() -> schemas.VersionTold:
        try:
            return version_told(services.reading_use(found, reading))
        except services.AskingError as error:
            raise asking_problem(error) from None

    return done_once(request, key, act)


@router.get("/runs/{run}/events", auth=ASK, response={200: None, **PROBLEMS}, url_name="run_events")
async def run_events(request: TokenRequest, run: int = Path(...)) -> StreamingHttpResponse:
    """Follow a question as server-sent events: “step” for each step, then “ended” with the run.

    An event's id goes into the header Last-Event-ID when one connects anew: what was sent already is not sent again.
    """
    token = request.auth
    if not await sync_to_async(_is_seen)(token, run):
        raise problems.not_found()
    said = request.headers.get("Last-Event-ID", "")
    response = StreamingHttpResponse(
        _followed(token, run, said, site_of(request)), content_type="text/event-stream"
    )
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _followed(token: Token, pk: int, said: str, at: str) -> AsyncIterator[str]:
    """Each step once. A run that begins anew, as its worker was lost, has its steps numbered from 1 again."""
    told = monotonic()
    while (read := await store_read(_news, token, pk, said, at)) is not None:
        news, ended = read
        for mark, data in news:
            said, told = mark, monotonic()
            yield message("step", mark, json.dumps(data, ensure_ascii=False))
        if ended is not None:
            yield message("ended", said, ended)
            return
        if monotonic() - told > ALIVE_SECONDS:
            told = monotonic()
            yield ALIVE
        await asyncio.sleep(POLL_SECONDS)


def _news(
    token: Token, pk: int, said: str, at: str
) -> tuple[list[tuple[str, dict[str, Any]]], str | None] | None:
    """The steps since the one that was told last, and the run once it has ended; None where it is gone."""
    run = _found(token, pk)
    if run is None:
        return None
    attempt, _, number = said.partition("-")
    last = int(number) if attempt == str(run.attempts) and number.isdecimal() and len(number) < 9 else 0
    rows = with_rows(token, run.thread.source)
    news = [
        (f"{run.attempts}-{step.number}", step_told(step.kind, step.data, with_rows=rows))
        for step in steps_of(run)
        if step.number > last
    ]
    told = run_told(run, with_rows=rows, at=at) if run.is_ended else None
    return news, told.model_dump_json() if told is not None and told.status == Status.DONE else None


def _is_seen(token: Token, pk: int) -> bool:
    return selectors.run_of(token, pk) is not None


def _found(token: Token, pk: int) -> Run | None:
    run = selectors.run_of(token, pk)
    if run is not None:
        seen_by(token.owner, run.thread.source)
    return run


def _run(token: Token, pk: int) -> Run:
    return seen(_found(token, pk))

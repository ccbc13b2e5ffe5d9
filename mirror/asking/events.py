"""Server-sent events of a run: finished HTML, sent whenever something changed.

Every message is complete by itself and a later one replaces the earlier, so a browser that
reloads or connects anew has lost nothing. The message's id is the number of the newest step;
a browser that has it already (`Last-Event-ID`) is not sent it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import monotonic
from typing import cast

from asgiref.sync import sync_to_async
from django.http import Http404, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from mirror.asking import selectors
from mirror.asking.following import ALIVE, ALIVE_SECONDS, POLL_SECONDS, message, store_read
from mirror.asking.forms import SaveForm
from mirror.asking.pages import run_page, steps_view
from mirror.people.models import User
from mirror.people.requests import PersonRequest
from mirror.sources.sight import seen_by
from mirror.work.leases import Status


@require_GET
async def run_events(request: PersonRequest, pk: int) -> StreamingHttpResponse:
    """Follow a run until it ends: `steps` as they come, then `ended` with the answer."""
    user = cast(User, await request.auser())
    if not await sync_to_async(_is_seen)(user, pk):
        raise Http404(_("There is no such run."))
    response = StreamingHttpResponse(
        _followed(request, pk, request.headers.get("Last-Event-ID", "")), content_type="text/event-stream"
    )
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def _is_seen(user: User, pk: int) -> bool:
    return selectors.runs_visible_to(user).filter(pk=pk).exists()


async def _followed(request: PersonRequest, pk: int, seen: str) -> AsyncIterator[str]:
    told = monotonic()
    while (mark := await store_read(selectors.run_mark, pk)) is not None:
        if mark == Status.DONE:
            yield message("ended", "end", await store_read(_answer, request, pk))
            return
        if mark != seen:
            seen, told = mark, monotonic()
            yield message("steps", mark, await store_read(_steps, request, pk))
        elif monotonic() - told > ALIVE_SECONDS:
            told = monotonic()
            yield ALIVE
        await asyncio.sleep(POLL_SECONDS)
    yield message("ended", "end", "")


def _steps(request: PersonRequest, pk: int) -> str:
    run = selectors.runs_visible_to(request.user).filter(pk=pk).first()
    if run is None:
        return ""
    seen_by(request.user, run.thread.source)
    steps = steps_view(run, selectors.steps_of(run))
    return render_to_string("asking/_steps.html", {"steps": steps, "run_id": pk}, request)


def _answer(request: PersonRequest, pk: int) -> str:
    run = selectors.runs_visible_to(request.user).filter(pk=pk).first()
    if run is None:
        return ""
    seen_by(request.user, run.thread.source)
    page = run_page(run)
    context = {"page": page, "save_form": SaveForm.of(page.name)}
    return render_to_string("asking/_answer.html", context, request)

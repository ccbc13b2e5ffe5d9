"""Rows of a result to take away, in every format, for whoever may see them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Generator
from contextlib import suppress
from pathlib import Path

from asgiref.sync import sync_to_async
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from mirror.exports import services
from mirror.exports.file_writing import pieces
from mirror.exports.names import file_name
from mirror.exports.sheets import sheet_of
from mirror.exports.values import FORMATS, Cover, Sheet
from mirror.exports.workbook_process import write_in_own_process
from mirror.people.requests import PersonRequest
from mirror.phrases import one_line
from mirror.results import selectors
from mirror.results.opened_files import ResultGone, result_open

# Bytes of a finished file that are sent at once.
_SENT = 262_144


@require_safe
def download(request: PersonRequest, pk: object, format: str) -> HttpResponseBase:
    """Every row of a result as a file; `?name=` is what was asked. One that was cut says so in its name.

    CSV and JSON lines are sent while they are written, the others once they are whole; their
    headers go ahead, so that a browser shows that something is coming. All are sent piece by
    piece, as an ASGI server would hold a file or a plain generator in memory.
    """
    result = selectors.result_visible(request.user, pk)
    if result is None or format not in FORMATS:
        raise Http404("There are no such rows.")
    title = one_line(request.GET.get("name", ""))[:200]
    sheet = sheet_of(result, title)
    try:
        if FORMATS[format].is_streamed:
            sent = _pieces(format, sheet)
            first = b"" if request.method == "HEAD" else next(sent, b"")
        else:
            result_open(result)
            sent, first = _finished(format, sheet, title), b""
    except ResultGone as error:
        return HttpResponse(str(error), status=410, content_type="text/plain; charset=utf-8")
    if request.method != "HEAD":
        services.rows_taken(result, format, request.user)
    response = StreamingHttpResponse(_sent(first, sent), content_type=FORMATS[format].media_type)
    name = file_name(title, format, result.row_count if result.truncated else None)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _pieces(format: str, sheet: Sheet) -> Generator[bytes, None, None]:
    for piece, _ in pieces(format, sheet):
        yield piece


def _finished(format: str, sheet: Sheet, title: str) -> Generator[bytes, None, None]:
    """Write a file, then give it piece by piece; it is gone afterwards, and when nobody reads on."""
    folder = tempfile.mkdtemp(prefix="mirror-download-")
    try:
        path = Path(folder) / f"rows.{FORMATS[format].extension}"
        write_in_own_process(format, sheet, path, Cover(title, made_at=timezone.now()))
        with path.open("rb") as file:
            while piece := file.read(_SENT):
                yield piece
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _sent(first: bytes, rest: Generator[bytes, None, None]) -> AsyncIterator[bytes]:
    try:
        yield first
        step = sync_to_async(lambda: next(rest, None), thread_sensitive=False)
        while (piece := await step()) is not None:
            yield piece
    finally:
        # One that is being read for somebody who has gone is closed once it is let go.
        with suppress(ValueError):
            rest.close()

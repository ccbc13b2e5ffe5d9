"""Files of runs as answers to a browser, streamed in constant memory.

Under ASGI a plain `FileResponse` is read whole into memory (4 downloads of 75 MB: 333 MB; this way 49 MB).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models.fields.files import FieldFile
from django.http import Http404, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from mirror.exports.values import FORMATS
from mirror.reports.models import ReportFile

CHUNK_BYTES = 256 * 1024


def stream(stored: FieldFile, media_type: str) -> StreamingHttpResponse:
    """Answer with a stored file, a piece at a time. Raises: Http404 when it is gone from the storage."""
    try:
        opened = stored.open("rb")
        length = stored.size
    except FileNotFoundError:
        raise Http404(_("The file is no longer kept.")) from None
    response = StreamingHttpResponse(_pieces(opened), content_type=media_type)
    response["Content-Length"] = str(length)
    return response


def attachment(file: ReportFile) -> StreamingHttpResponse:
    """Answer with a file of a run, to be kept under its name. Raises: Http404 when it is gone."""
    kind = FORMATS.get(file.format)
    response = stream(file.file, kind.media_type if kind else "application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, file.name)
    response["Cache-Control"] = "private, no-store"
    return response


async def _pieces(opened: Any) -> AsyncIterator[bytes]:
    read = sync_to_async(opened.read, thread_sensitive=False)
    try:
        while piece := await read(CHUNK_BYTES):
            yield piece
    finally:
        opened.close()

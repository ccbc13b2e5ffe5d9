"""A thread to take away, for who asked it and may take rows of its source away."""

from __future__ import annotations

from collections.abc import Generator

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from mirror.asking import selectors
from mirror.asking.pages.chips import chips_said
from mirror.asking.pages.thread_file import thread_file
from mirror.asking.services import thread_files
from mirror.exports.sending import pieces_sent
from mirror.people.requests import PersonRequest
from mirror.sources.selectors import files_withheld
from mirror.sources.sight import seen_by

# How each file ends, and its type.
KINDS = {"html": ("html", "text/html; charset=utf-8"), "notebook": ("zip", "application/zip")}


@require_safe
def thread_export(request: PersonRequest, pk: int, format: str) -> HttpResponseBase:
    """One's thread as an HTML file without scripts, or as a notebook with its rows in Parquet files."""
    thread = get_object_or_404(selectors.threads_visible_to(request.user), pk=pk)
    seen_by(request.user, thread.source)
    if format not in KINDS:
        raise Http404(_("There is no such file."))
    if why := files_withheld(request.user, thread.source):
        raise PermissionDenied(why)
    turns = thread_files.thread_turns(thread)
    sent: Generator[bytes, None, None]
    if format == "notebook":
        versions = [turn.version for turn in turns if turn.version is not None]
        understood = {one.pk: chips_said(one) for one in versions}
        sent = thread_files.notebook_pieces(thread, turns, understood)
    else:
        page = thread_file(thread, turns)
        sent = (piece for piece in (render_to_string("asking/thread_file.html", {"page": page}).encode(),))
    first = b""
    if request.method != "HEAD":
        first = next(sent, b"")
        thread_files.thread_taken(thread, turns, format, request.user)
    extension, media_type = KINDS[format]
    response = StreamingHttpResponse(pieces_sent(first, sent), content_type=media_type)
    name = thread_files.thread_file_name(thread, extension)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

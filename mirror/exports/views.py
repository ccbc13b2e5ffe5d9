"""Downloads of a result's rows, in every format, for people who may see them."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from mirror.exports import services
from mirror.exports.csv_files import MARK, csv_line
from mirror.exports.names import file_name
from mirror.exports.sending import pieces_sent, sheet_pieces
from mirror.exports.sheets import sheet_of
from mirror.exports.values import FORMATS
from mirror.people.requests import PersonRequest
from mirror.phrases import one_line
from mirror.results import selectors
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone, result_open
from mirror.results.pivot_pages import pivot_lines
from mirror.sources.selectors import files_withheld


@require_safe
def pivot(request: PersonRequest, pk: object) -> HttpResponse:
    """A pivot of a result as CSV: as many of its rows as a file takes, which its page says."""
    result = _taken(request, pk)
    try:
        text = "".join(map(csv_line, pivot_lines(result, request.GET)))
    except ResultGone as error:
        return HttpResponse(str(error), status=410, content_type="text/plain; charset=utf-8")
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain; charset=utf-8")
    services.rows_taken(result, "csv", request.user)
    response = HttpResponse(MARK + text.encode(), content_type=FORMATS["csv"].media_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name("pivot", "csv")}"'
    return response


@require_safe
def download(request: PersonRequest, pk: object, format: str) -> HttpResponseBase:
    """Every row of a result as a file; `?name=` is what was asked. One that was cut says so in its name.

    CSV and JSON lines are sent while they are written, the others once they are whole; their
    headers go ahead, so that a browser shows that something is coming. All are sent piece by
    piece, as an ASGI server would hold a file or a plain generator in memory.
    """
    if format not in FORMATS:
        raise Http404("There are no such rows.")
    result = _taken(request, pk)
    title = one_line(request.GET.get("name", ""))[:200]
    sheet = sheet_of(result, title)
    sent, first = sheet_pieces(FORMATS[format], sheet), b""
    try:
        if FORMATS[format].is_streamed:
            first = b"" if request.method == "HEAD" else next(sent, b"")
        else:
            result_open(result)
    except ResultGone as error:
        return HttpResponse(str(error), status=410, content_type="text/plain; charset=utf-8")
    if request.method != "HEAD":
        services.rows_taken(result, format, request.user)
    response = StreamingHttpResponse(pieces_sent(first, sent), content_type=FORMATS[format].media_type)
    name = file_name(title, format, result.row_count if result.truncated else None)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _taken(request: PersonRequest, pk: object) -> StoredResult:
    """The rows that somebody takes away. Raises: Http404, PermissionDenied where files are withheld from their team."""
    result = selectors.result_visible(request.user, pk)
    if result is None:
        raise Http404("There are no such rows.")
    if why := files_withheld(request.user, result.source):
        raise PermissionDenied(why)
    return result

"""Tables of stored rows and their downloads, for whoever owns them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.results import downloads, selectors
from mirror.results.models import StoredResult
from mirror.results.pages import TableWish, table_page


def _result(request: HttpRequest, pk: object) -> StoredResult:
    result = selectors.result_visible(request.user, pk)
    if result is None:
        raise Http404("There are no such rows.")
    return result


@require_safe
@vary_on_headers("HX-Request")
def rows(request: HttpRequest, pk: object) -> HttpResponse:
    """A page of a table, sorted and filtered: a fragment for htmx, a whole page without script."""
    page = table_page(_result(request, pk), TableWish.read(request.GET))
    template = "results/_table.html" if request.headers.get("HX-Request") else "results/table.html"
    return render(request, template, {"table": page}, status=410 if page.gone else 200)


@require_safe
def csv(request: HttpRequest, pk: object) -> HttpResponseBase:
    """Every row as a CSV file, streamed; a result that was cut says so in its name."""
    result = _result(request, pk)
    chunks = downloads.csv_chunks(result)
    try:
        first = next(chunks)
    except selectors.ResultGone as error:
        return HttpResponse(str(error), status=410, content_type="text/plain; charset=utf-8")
    name = downloads.file_name(request.GET.get("name", ""), result)
    response = StreamingHttpResponse(_streamed(first, chunks), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


async def _streamed(first: bytes, rest: Iterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    step = sync_to_async(lambda: next(rest, None), thread_sensitive=False)
    while (chunk := await step()) is not None:
        yield chunk

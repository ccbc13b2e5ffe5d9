"""Tables of stored rows, for their owner."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.people.requests import PersonRequest, is_id, posted_in
from mirror.results import selectors, services
from mirror.results.column_pages import column_line, columns_page
from mirror.results.filters import BadFilter
from mirror.results.forms import FormatForm
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.pages import TableWish, cell_text, format_page, table_page
from mirror.results.pivot_pages import address_with, pivot_page


def _result(request: PersonRequest, pk: object) -> StoredResult:
    result = selectors.result_visible(request.user, pk)
    if result is None:
        raise Http404(_("There are no such rows."))
    return result


@require_safe
@vary_on_headers("HX-Request")
def rows(request: PersonRequest, pk: object) -> HttpResponse:
    """A page of a table, sorted and filtered: a fragment for htmx, a whole page without script."""
    page = table_page(_result(request, pk), TableWish.read(request.GET))
    template = "results/_table.html" if request.headers.get("HX-Request") else "results/table.html"
    return render(request, template, {"table": page}, status=410 if page.gone else 200)


@require_safe
@vary_on_headers("HX-Request")
def pivot(request: PersonRequest, pk: object) -> HttpResponse:
    """Rows against columns: a fragment for htmx, which tells the page it stands on its address; a whole page without script."""
    page = pivot_page(_result(request, pk), request.GET)
    by_htmx = bool(request.headers.get("HX-Request"))
    template = "results/_pivot.html" if by_htmx else "results/pivot.html"
    response = render(request, template, {"page": page}, status=410 if page.gone else 200)
    asked = {**dict(page.asked), **request.GET.dict()}
    address = address_with(request.headers.get("HX-Current-URL", ""), asked) if by_htmx else ""
    if address:
        response["HX-Replace-Url"] = address
    return response


@require_safe
def columns(request: PersonRequest, pk: object) -> HttpResponse:
    """The columns of a result; the facts of each are counted when it comes into view."""
    return render(request, "results/columns.html", {"page": columns_page(_result(request, pk))})


@require_safe
@vary_on_headers("HX-Request")
def column(request: PersonRequest, pk: object, number: int) -> HttpResponse:
    """The content of one column: a line or, with `about`, a list for a menu; a whole page without script."""
    result = _result(request, pk)
    try:
        found = column_line(result, number)
    except IndexError:
        raise Http404(_("There is no such column.")) from None
    except ResultGone as error:
        return HttpResponse(str(error), status=410, content_type="text/plain; charset=utf-8")
    if request.headers.get("HX-Request"):
        template = "results/_about_column.html" if "about" in request.GET else "results/_column.html"
        return render(request, template, {"line": found})
    page = columns_page(result, found)
    return render(request, "results/columns.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def column_format(request: PersonRequest, pk: object, number: int) -> HttpResponse:
    """Choose how a column is shown: a form for a menu, or a page; the table as wished for once it is sent."""
    result, wish = _result(request, pk), TableWish.read(request.GET)
    try:
        page = format_page(result, number, wish)
    except IndexError:
        raise Http404(_("There is no such column.")) from None
    form = FormatForm(posted_in(request), result=result, number=number)
    by_htmx = bool(request.headers.get("HX-Request"))
    if form.is_valid():
        services.column_format_keep(result, page.name, **form.chosen())
        if not by_htmx:
            return redirect(page.back_url)
        context = {"table": table_page(result, wish)}
        response = render(request, "results/_table.html", context)
        response["HX-Trigger"] = "mirror-formatted"
        return response
    template = "results/_format.html" if by_htmx else "results/format.html"
    return render(request, template, {"page": page, "form": form}, status=422 if form.is_bound else 200)


@require_safe
def cell(request: PersonRequest, pk: object) -> HttpResponse:
    """The whole of one cell as text, for a copy of what is too long for a page."""
    result = _result(request, pk)
    place, number = request.GET.get("row", ""), request.GET.get("column", "")
    plain = "text/plain; charset=utf-8"
    if not (is_id(place) and is_id(number)):
        raise Http404(_("There is no such cell."))
    try:
        text = cell_text(result, TableWish.read(request.GET), int(place), int(number))
    except IndexError:
        raise Http404(_("There is no such cell.")) from None
    except BadFilter as error:
        return HttpResponse(str(error), status=400, content_type=plain)
    except ResultGone as error:
        return HttpResponse(str(error), status=410, content_type=plain)
    return HttpResponse(text.encode("utf-8", "replace"), content_type=plain)

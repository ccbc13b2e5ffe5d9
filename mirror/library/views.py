"""Pages of saved SQL: list, look, edit, share, verify, let go. The button that runs it posts to asking."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.library import selectors, services
from mirror.library.forms import ArgumentsForm, ParameterForms, SavedSqlForm
from mirror.library.models import SavedSql
from mirror.library.pages import MeanwhilePage, edits_page, meanwhile_page, saved_list_page, saved_page
from mirror.people.forms import ShareForm
from mirror.people.requests import PersonRequest, search_typed
from mirror.people.selectors import teams_of
from mirror.phrases import joined
from mirror.queries.parameters import names_used, parameters_check

read_or_post = require_http_methods(["GET", "HEAD", "POST"])

PER_PAGE = 50


def _written(request: PersonRequest, pk: int) -> SavedSql:
    """Saved SQL whose texts somebody may change. Raises: Http404, PermissionDenied."""
    saved = _saved(request, pk, to_change=True)
    if not selectors.may_write(request.user, saved):
        raise PermissionDenied(
            _("You write no SQL on %(source)s, so this text stays as it is.") % {"source": saved.source.name}
        )
    return saved


def _saved(request: PersonRequest, pk: int, *, to_change: bool = False) -> SavedSql:
    saved = get_object_or_404(selectors.saved_visible(request.user), pk=pk)
    if to_change and not selectors.may_change(request.user, saved):
        raise PermissionDenied(_("Only %(owner)s changes this saved SQL.") % {"owner": saved.owner})
    return saved


@require_safe
def saved_list(request: PersonRequest) -> HttpResponse:
    """List and search what one may use."""
    search = search_typed(request)
    broken = request.GET.get("broken", "").replace("\x00", "")[:60]
    folder = request.GET.get("folder", "").replace("\x00", "")[:60]
    found = selectors.saved_visible(request.user, search, broken, folder)
    paged = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    page = saved_list_page(request.user, paged, search, broken, folder)
    return render(request, "library/list.html", {"page": page})


@require_safe
def saved(request: PersonRequest, pk: int) -> HttpResponse:
    """Show saved SQL and the form that runs it."""
    saved = _saved(request, pk)
    page = saved_page(request.user, saved, ArgumentsForm(saved=saved))
    return render(request, "library/saved.html", {"page": page})


@read_or_post
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Change name, folder, description, SQL and parameters. Where they changed meanwhile both texts are shown, and nothing is kept."""
    saved = _written(request, pk)
    if request.method != "POST":
        form = SavedSqlForm(instance=saved, initial={"changes": selectors.edit_number(saved)})
        return _form_page(request, saved, form, ParameterForms(initial=saved.parameters))
    form, rows = SavedSqlForm(request.POST, instance=saved), ParameterForms(request.POST)
    if form.is_valid() and rows.is_valid():
        parameters = _parameters(rows)
        try:
            kept = SavedSql.objects.get(pk=pk)
            services.sql_update(kept, **form.cleaned_data, parameters=parameters, by=request.user)
        except services.ChangedMeanwhile:
            return _meanwhile(request, pk, form.cleaned_data["sql"], rows)
        except services.ParameterError as error:
            every = _with_missing(parameters, form.cleaned_data["sql"], saved)
            rows = ParameterForms(initial=every)
            added = every[len(parameters) :]
            form.add_error("sql", _rows_added(saved, form.cleaned_data["sql"], every, added) or str(error))
        else:
            messages.success(request, _("%(name)s is saved.") % {"name": form.cleaned_data["name"]})
            return redirect("library:saved", pk)
    return _form_page(request, saved, form, rows)


def _parameters(rows: Any) -> list[dict[str, Any]]:
    filled = [row.cleaned_data for row in rows if row.cleaned_data and not row.cleaned_data.get("DELETE")]
    return [{key: row[key] for key in ("name", "kind", "label", "default")} for row in filled]


def _with_missing(parameters: list[dict[str, Any]], sql: str, saved: SavedSql) -> list[dict[str, Any]]:
    """The rows typed, and one for each `:name` that has none yet."""
    declared = {parameter["name"] for parameter in parameters}
    missing = [name for name in names_used(sql, saved.source.engine) if name not in declared]
    return parameters + [{"name": name, "kind": "text", "label": "", "default": ""} for name in missing]


def _rows_added(saved: SavedSql, sql: str, rows: list[dict[str, Any]], added: list[dict[str, Any]]) -> str:
    """Say which names of the SQL have rows now that were not typed, where nothing else is wrong."""
    try:
        parameters_check(sql, rows, saved.source.engine)
    except services.ParameterError:
        return ""
    if not added:
        return ""
    names = joined([f":{row['name']}" for row in added])
    return _("New in the SQL: %(names)s. The fields are below; choose the kind, then save.") % {
        "names": names
    }


def _meanwhile(request: PersonRequest, pk: int, sql: str, rows: Any) -> HttpResponse:
    """Show what was typed beside what is kept now; saving once more keeps what was typed as the next edit."""
    saved = _written(request, pk)
    page = meanwhile_page(saved, sql)
    form = SavedSqlForm({**request.POST.dict(), "changes": page.number}, instance=saved)
    return _form_page(request, saved, form, rows, page)


def _form_page(
    request: PersonRequest,
    saved: SavedSql,
    form: SavedSqlForm,
    rows: Any,
    meanwhile: MeanwhilePage | None = None,
) -> HttpResponse:
    page = {
        "saved": saved,
        "name": form.initial["name"],
        "form": form,
        "rows": rows,
        "folders": selectors.folders_of(request.user),
        "meanwhile": meanwhile,
    }
    return render(request, "library/form.html", page, status=422 if form.is_bound else 200)


@require_safe
def edits(request: PersonRequest, pk: int) -> HttpResponse:
    """Show who changed what of saved SQL, newest first."""
    page = edits_page(request.user, _saved(request, pk))
    return render(request, "library/edits.html", {"page": page})


@require_POST
def restore(request: PersonRequest, pk: int, number: int) -> HttpResponse:
    """Go back to the texts of an earlier edit, as a new one."""
    saved = _written(request, pk)
    edit = get_object_or_404(saved.edits, number=number)
    try:
        services.sql_restore(saved, edit, request.user)
    except services.ParameterError as error:
        messages.error(request, str(error))
    else:
        words = _("%(name)s is as it was after edit %(number)s. The edits since are kept.")
        messages.success(request, words % {"name": saved.name, "number": number})
    return redirect("library:edits", pk)


@read_or_post
def share(request: PersonRequest, pk: int) -> HttpResponse:
    """Choose the teams that see saved SQL."""
    saved = _saved(request, pk, to_change=True)
    offered = teams_of(request.user)
    if request.method == "POST":
        form = ShareForm(request.POST, offered=offered)
        if form.is_valid():
            told = services.sql_share(saved, form.cleaned_data["teams"], request.user)
            if told:
                mails = ngettext(
                    "%(count)s member will be told by mail.", "%(count)s members will be told by mail.", told
                )
                messages.success(request, mails % {"count": told})
            return redirect("library:saved", pk)
    else:
        form = ShareForm(offered=offered, initial={"teams": saved.teams.all()})
    status = 422 if form.is_bound else 200
    return render(request, "library/share.html", {"form": form, "saved": saved}, status=status)


@require_POST
def verify(request: PersonRequest, pk: int) -> HttpResponse:
    """Vouch for saved SQL that was saved from a draft."""
    saved = _written(request, pk)
    services.sql_verify(saved, request.user)
    messages.success(request, _("%(name)s is verified by you, and no draft any more.") % {"name": saved.name})
    return redirect("library:saved", pk)


@read_or_post
def delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Let saved SQL go, after asking once."""
    saved = _saved(request, pk, to_change=True)
    if request.method == "POST":
        services.sql_delete(saved)
        messages.success(request, _("%(name)s is gone from the library.") % {"name": saved.name})
        return redirect("library:list")
    return render(request, "library/delete.html", {"saved": saved})

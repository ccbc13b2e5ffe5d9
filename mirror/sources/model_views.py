"""The pages that show a source's semantic model and let its owner correct it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.paging import pager_of
from mirror.people.requests import PersonRequest, posted_in, search_typed
from mirror.phrases import day_said
from mirror.sources import selectors, sight
from mirror.sources.asked_views import source_asked
from mirror.sources.correction_services import (
    CorrectionRefused,
    correction_take_back,
    corrections_set,
)
from mirror.sources.corrections import correction_of, corrections_in_force, corrections_taken_back
from mirror.sources.model_choices import Choices, calendar_choices, column_choices, table_choices, wanted_of
from mirror.sources.model_forms import CalendarForm, ColumnForm, CorrectionForm, TableForm
from mirror.sources.model_pages import (
    COLUMNS_A_PAGE,
    CORRECTIONS_SHOWN,
    TABLES_A_PAGE,
    ColumnPage,
    CorrectionLine,
    ModelPage,
    TablePage,
    correction_line,
)
from mirror.sources.model_telling import (
    calendar_lines,
    column_told,
    table_lines,
    table_told,
    told_words,
)
from mirror.sources.modelling import SeenModel, source_model
from mirror.sources.models import Source, StoredCorrection

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


def _source(request: PersonRequest, pk: int, *, to_correct: bool = False) -> Source:
    source = source_asked(request, pk)
    sight.whole_check(request.user, source)
    if to_correct and not sight.may_correct(request.user, source):
        raise PermissionDenied(
            _("Only %(owner)s, editors and administrators correct this model.") % {"owner": source.owner}
        )
    return source


def _seen(source: Source) -> SeenModel:
    seen = source_model(source)
    if seen is None:
        raise Http404(_("The tables of this source were not read yet."))
    return seen


def _lines(
    rows: Iterable[StoredCorrection], may_see: bool, why: Mapping[int, str] | None = None
) -> list[CorrectionLine]:
    """Corrections as lines; `why` says of those that do nothing, by their keys, why that is."""
    known = why or {}
    told = ((row, told_words(correction_of(row), may_see_values=may_see)) for row in rows)
    return [correction_line(row, says, known.get(row.pk, "")) for row, says in told]


@require_safe
def model(request: PersonRequest, pk: int) -> HttpResponse:
    """Show what a source is about: its tables as things and events, how its days are counted, what was corrected."""
    source = _source(request, pk)
    seen = source_model(source)
    search = search_typed(request)
    found = table_lines(seen, search) if seen is not None else []
    shown = Paginator(found, TABLES_A_PAGE).get_page(request.GET.get("page"))
    rows = list(corrections_in_force(source).select_related("made_by"))
    whys = {one.correction: one.why for one in seen.unapplied} if seen is not None else {}
    why = {row.pk: whys[one] for row in rows if (one := correction_of(row)) in whys}
    working = [row for row in rows if row.pk not in why]
    may_see = selectors.may_see_values(request.user, source)
    page = ModelPage(
        source=source,
        may_correct=sight.may_correct(request.user, source),
        calendar=calendar_lines(tuple(map(correction_of, rows))),
        newest=day_said(seen.model.newest) if seen is not None else "",
        search=search,
        tables=list(shown),
        pager=pager_of(shown, q=search),
        total=len(seen.derived.things) if seen is not None else 0,
        corrections=_lines(working[-CORRECTIONS_SHOWN:][::-1], may_see),
        more_corrections=max(0, len(working) - CORRECTIONS_SHOWN),
        unapplied=_lines([row for row in rows if row.pk in why], may_see, why),
        taken_back=_lines(corrections_taken_back(source)[:CORRECTIONS_SHOWN], may_see),
        is_partial=seen is not None and seen.is_partial,
        knows_values=seen is not None and seen.knows_values,
    )
    return render(request, "sources/model.html", {"page": page})


@read_or_post
def calendar(request: PersonRequest, pk: int) -> HttpResponse:
    """Decide how a source's days are counted."""
    source = _source(request, pk, to_correct=True)
    choices = calendar_choices(tuple(map(correction_of, corrections_in_force(source))))
    form = CalendarForm(posted_in(request), choices=choices)
    if form.is_valid() and _kept(request, source, None, form, choices):
        return redirect("sources:model", pk)
    status = 422 if form.is_bound else 200
    return render(request, "sources/model_calendar.html", {"form": form, "source": source}, status=status)


@read_or_post
def model_table(request: PersonRequest, pk: int) -> HttpResponse:
    """Show one table as what it is; its owner corrects it."""
    source = _source(request, pk, to_correct=request.method == "POST")
    may_correct = sight.may_correct(request.user, source)
    seen, key = _seen(source), request.GET.get("table", "")
    may_see = selectors.may_see_values(request.user, source)
    told = table_told(seen, key, may_see_values=may_see)
    if told is None:
        raise Http404(_("There is no table %(key)s.") % {"key": key})
    choices = table_choices(seen, key)
    form = TableForm(posted_in(request), choices=choices) if may_correct else None
    if form is not None and form.is_valid() and _kept(request, source, seen, form, choices, key):
        return redirect(f"{reverse('sources:model_table', args=[pk])}?{urlencode({'table': key})}")
    shown = Paginator(told.columns, COLUMNS_A_PAGE).get_page(request.GET.get("page"))
    rows = corrections_in_force(source).filter(table=key).select_related("made_by")
    page = TablePage(
        source, may_correct, told, list(shown), pager_of(shown, table=key), _lines(rows, may_see), form
    )
    status = 422 if form is not None and form.is_bound else 200
    return render(request, "sources/model_table.html", {"page": page}, status=status)


@read_or_post
def model_column(request: PersonRequest, pk: int) -> HttpResponse:
    """Show one column; its owner corrects it."""
    source = _source(request, pk, to_correct=request.method == "POST")
    may_correct = sight.may_correct(request.user, source)
    seen, key, name = _seen(source), request.GET.get("table", ""), request.GET.get("column", "")
    may_see = selectors.may_see_values(request.user, source)
    told = column_told(seen, key, name, may_see_values=may_see)
    if told is None:
        raise Http404(_("There is no column %(name)s in %(key)s.") % {"name": name, "key": key})
    choices = column_choices(seen, key, told.name)
    form = ColumnForm(posted_in(request), choices=choices) if may_correct else None
    if form is not None and form.is_valid() and _kept(request, source, seen, form, choices, key, told.name):
        return redirect(f"{reverse('sources:model_table', args=[pk])}?{urlencode({'table': key})}")
    rows = corrections_in_force(source).filter(table=key, column=told.name).select_related("made_by")
    page = ColumnPage(source, may_correct, key, told, _lines(rows, may_see), form)
    status = 422 if form is not None and form.is_bound else 200
    return render(request, "sources/model_column.html", {"page": page}, status=status)


@require_POST
def take_back(request: PersonRequest, pk: int, correction: int) -> HttpResponse:
    """Let a correction go."""
    source = _source(request, pk, to_correct=True)
    row = get_object_or_404(StoredCorrection, pk=correction, source=source)
    correction_take_back(row, request.user)
    messages.success(request, _("The correction is taken back."))
    if request.POST.get("place") == "table" and row.table:
        return redirect(f"{reverse('sources:model_table', args=[pk])}?{urlencode({'table': row.table})}")
    return redirect("sources:model", pk)


def _kept(
    request: PersonRequest,
    source: Source,
    seen: SeenModel | None,
    form: CorrectionForm,
    choices: Choices,
    table: str = "",
    column: str = "",
) -> bool:
    """Keep what a form says, or say on it why that cannot be."""
    wanted = wanted_of(form.wishes(), seen, table, column)
    try:
        changed = corrections_set(
            source, seen, wanted, request.user, table=table, column=column, subjects=choices.subjects
        )
    except CorrectionRefused as error:
        form.refuse({str(subject): why for subject, why in error.problems.items()})
        return False
    if changed:
        messages.success(request, _("Saved. The next question goes by it."))
    return True

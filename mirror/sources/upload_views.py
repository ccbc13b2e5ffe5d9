"""Pages to upload files, look at what was guessed about them, and make tables of them."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from mirror.people.requests import PersonRequest
from mirror.sources import selectors, upload_work, uploading
from mirror.sources.forms import UploadedForm
from mirror.sources.models import Source, Upload
from mirror.sources.upload_forms import FilesForm, ReviewForm, name_for
from mirror.sources.upload_pages import file_blocks
from mirror.sources.uploads import FilePlan, TablePlan
from mirror.stored_words import said_now

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


@read_or_post
def upload(request: PersonRequest, pk: int | None = None) -> HttpResponse:
    """Take files, for a new source or for one that was made of files before."""
    source = _source(request, pk) if pk is not None else None
    if request.method != "POST":
        return render(request, "sources/upload.html", {"form": FilesForm(), "source": source, "problems": []})
    form = FilesForm(request.POST, request.FILES)
    problems: list[str] = []
    if getattr(request, "is_too_large", False):
        form = FilesForm()
        problems.append(
            _(
                "These files are larger than %(upload_megabytes)s MB together, the most that is taken at once. Upload fewer, a part, or Parquet, which is smaller. An administrator can raise UPLOAD_MEGABYTES."
            )
            % {"upload_megabytes": f"{settings.UPLOAD_MEGABYTES:,}"}
        )
    elif form.is_valid() and len(form.cleaned_data["files"]) > uploading.FILES_AT_ONCE:
        problems.append(
            _("The most files taken at once are %(files_at_once)s.")
            % {"files_at_once": uploading.FILES_AT_ONCE}
        )
    elif form.is_valid():
        files = ((file.name, file.chunks()) for file in form.cleaned_data["files"])
        taken = uploading.upload_take(request.user, files, source)
        plans = uploading.upload_plans(taken)
        upload_work.reading_queue(taken, plans, plans)
        return redirect("sources:review", taken.pk)
    page = {"form": form, "source": source, "problems": problems}
    return render(request, "sources/upload.html", page, status=422)


@read_or_post
def review(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Show what was guessed, take corrections, and make the tables. A page that polls is told once that nothing is left: 286."""
    try:
        upload = get_object_or_404(Upload.objects.select_related("source"), pk=pk, owner=request.user)
    except Http404:
        if request.htmx:
            return render(request, "sources/_over.html", status=286)
        raise
    if upload.source and not selectors.may_change(request.user, upload.source):
        raise PermissionDenied(
            _("Only %(owner)s adds tables to this source.") % {"owner": upload.source.owner}
        )
    upload_work.upload_look(upload)
    if not upload.is_ended:
        words = upload_work.upload_words(upload)
        if request.htmx and request.GET.get("was") == words:
            return HttpResponse(status=204)
        return render(request, "sources/working.html", {"upload": upload, "words": words})
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Redirect": request.path})
    if "made" in upload.said:
        return _made(request, upload)
    plans = uploading.upload_plans(upload)
    if not upload.said and not any(plan.tables or plan.encoding for plan in plans):
        return _nothing(request, upload, plans)
    if request.method != "POST":
        return _review_kept(request, upload, plans)
    form = ReviewForm(request.POST, plans=plans)
    kept = None if upload.source else UploadedForm(request.POST, instance=Source())
    if form.is_valid():
        files, tables = form.apply()
        uploading.upload_keep(upload, plans)
        if files or tables or "read" in request.POST:
            return _read_again(request, upload, plans, files, tables)
        if kept is None or kept.is_valid():
            return _make(request, upload, kept)
    return _review_page(request, upload, form, kept)


def _review_kept(request: PersonRequest, upload: Upload, plans: list[FilePlan]) -> HttpResponse:
    """Facts about the files, with the worker's report."""
    form = ReviewForm(plans=plans)
    typed = upload.wish.get("source") or {"name": name_for(plans)}
    kept = None if upload.source else UploadedForm(instance=Source(), initial=typed)
    if not upload.said:
        return _review_page(request, upload, form, kept)
    form = ReviewForm(form.as_kept(), plans=plans)
    if upload.wish.get("source"):
        kept = UploadedForm(upload.wish["source"], instance=Source())
    form.is_valid()
    if problems := upload_work.problems_said(upload):
        form.blame(problems)
    if error := upload_work.error_said(upload):
        form.add_error(None, error)
    return _review_page(request, upload, form, kept, status=200)


def _read_again(
    request: PersonRequest,
    upload: Upload,
    plans: list[FilePlan],
    files: list[FilePlan],
    tables: list[tuple[FilePlan, TablePlan]],
) -> HttpResponse:
    source = (
        None if upload.source else {name: request.POST.get(name, "") for name in UploadedForm.field_order}
    )
    upload_work.reading_queue(upload, plans, files, tables, source)
    return redirect("sources:review", upload.pk)


def _make(request: PersonRequest, upload: Upload, kept: UploadedForm | None) -> HttpResponse:
    upload_work.making_queue(upload, kept.cleaned_data if kept else None)
    return redirect("sources:review", upload.pk)


def _nothing(request: PersonRequest, upload: Upload, plans: list[FilePlan]) -> HttpResponse:
    """Say why no file is a table, delete the files, and ask for another.

    The row stays, as of `_made`: a page that polls may ask twice for where it leads.
    """
    _say_once(request, messages.ERROR, [f"{plan.name}: {said_now(plan.error)}" for plan in plans])
    uploading.files_delete(upload)
    return redirect("sources:upload_more", upload.source.pk) if upload.source else redirect("sources:upload")


def _made(request: PersonRequest, upload: Upload) -> HttpResponse:
    """Lead to the source that a worker made, however often the page asks."""
    source = Source.objects.filter(pk=upload.said["made"], owner=request.user).first()
    if source is None:
        return redirect("sources:list")
    is_new = upload.source is None
    words = (
        _("%(name)s is ready to be asked.") % {"name": source.name}
        if is_new
        else _("The tables were added to %(name)s.") % {"name": source.name}
    )
    _say_once(request, messages.SUCCESS, [words])
    return redirect("sources:source", source.pk)


def _say_once(request: PersonRequest, level: int, texts: list[str]) -> None:
    """Add messages that do not wait to be shown already."""
    waiting = messages.get_messages(request)
    said = {message.message for message in waiting}
    if isinstance(waiting, BaseStorage):
        waiting.used = False  # looking at messages would end them
    for text in texts:
        if text not in said:
            messages.add_message(request, level, text)


def _review_page(
    request: PersonRequest,
    upload: Upload,
    form: ReviewForm,
    kept: UploadedForm | None,
    status: int | None = None,
) -> HttpResponse:
    files = file_blocks(form)
    has_tables = any(file.tables for file in files if not file.plan.error)
    page = {"upload": upload, "form": form, "kept": kept, "files": files, "has_tables": has_tables}
    return render(request, "sources/review.html", page, status=status or (422 if form.is_bound else 200))


@require_POST
def forget(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Throw uploaded files away."""
    upload = get_object_or_404(Upload, pk=pk, owner=request.user)
    uploading.upload_forget(upload)
    messages.success(request, _("The uploaded files were thrown away."))
    return redirect("sources:list")


def _source(request: PersonRequest, pk: int) -> Source:
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if not selectors.may_change(request.user, source):
        raise PermissionDenied(_("Only %(owner)s changes this source.") % {"owner": source.owner})
    if not source.is_upload:
        raise Http404(_("This source is not made of files."))
    return source

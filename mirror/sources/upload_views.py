"""Pages to upload files, look at what was guessed about them, and make tables of them."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from mirror.sources import selectors, services, uploading
from mirror.sources.forms import UploadedForm
from mirror.sources.models import Source, Upload
from mirror.sources.upload_forms import FilesForm, ReviewForm, name_for
from mirror.sources.upload_pages import file_blocks
from mirror.sources.uploads import LoadError

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


@read_or_post
def upload(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Take files, for a new source or for one that was made of files before."""
    source = _source(request, pk) if pk is not None else None
    if request.method != "POST":
        return render(request, "sources/upload.html", {"form": FilesForm(), "source": source})
    form = FilesForm(request.POST, request.FILES)
    problems: list[str] = []
    if getattr(request, "is_too_large", False):
        form = FilesForm()
        problems.append(
            f"These files are larger than {settings.UPLOAD_MEGABYTES:,} MB together, the most that is taken at "
            "once. Upload fewer, a part, or Parquet, which is smaller. An administrator can raise "
            "UPLOAD_MEGABYTES."
        )
    elif form.is_valid() and len(form.cleaned_data["files"]) > uploading.FILES_AT_ONCE:
        problems.append(f"The most files taken at once are {uploading.FILES_AT_ONCE}.")
    elif form.is_valid():
        files = ((file.name, file.chunks()) for file in form.cleaned_data["files"])
        taken = uploading.upload_take(request.user, files, source)
        plans = uploading.upload_plans(taken)
        if any(plan.tables for plan in plans):
            return redirect("sources:review", taken.pk)
        problems += [f"{plan.name}: {plan.error}" for plan in plans]
        uploading.upload_forget(taken)
    page = {"form": form, "source": source, "problems": problems}
    return render(request, "sources/upload.html", page, status=422)


@read_or_post
def review(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show what was guessed, take corrections, and make the tables."""
    upload = get_object_or_404(Upload.objects.select_related("source"), pk=pk, owner=request.user)
    if upload.source and not selectors.may_change(request.user, upload.source):
        raise PermissionDenied(f"Only {upload.source.owner} adds tables to this source.")
    plans = uploading.upload_plans(upload)
    posted = request.POST if request.method == "POST" else None
    form = ReviewForm(posted, plans=plans)
    kept = (
        None if upload.source else UploadedForm(posted, instance=Source(), initial={"name": name_for(plans)})
    )
    if posted is None:
        return _review_page(request, upload, form, kept)
    if form.is_valid():
        files, tables = form.apply()
        uploading.upload_read_again(upload, files, tables)
        uploading.upload_keep(upload, plans)
        if files or tables or "read" in posted:
            messages.info(request, "The files were read again. Look once more at names and types.")
            return _review_page(request, upload, ReviewForm(plans=plans), kept, status=200)
        if kept is None or kept.is_valid():
            return _make(request, upload, form, kept)
    return _review_page(request, upload, form, kept)


def _make(request: HttpRequest, upload: Upload, form: ReviewForm, kept: UploadedForm | None) -> HttpResponse:
    try:
        if kept is None:
            source = uploading.upload_add(upload)
            messages.success(request, f"The tables were added to {source.name}.")
        else:
            source = uploading.upload_create(upload, kept.instance, request.user)
            messages.success(request, f"{source.name} is ready to be asked.")
    except LoadError as error:
        form.blame(error)
    except services.SourceError as error:
        form.add_error(None, f"{error} {error.advice}")
    else:
        return redirect("sources:source", source.pk)
    return _review_page(request, upload, form, kept)


def _review_page(
    request: HttpRequest,
    upload: Upload,
    form: ReviewForm,
    kept: UploadedForm | None,
    status: int | None = None,
) -> HttpResponse:
    page = {"upload": upload, "form": form, "kept": kept, "files": file_blocks(form)}
    return render(request, "sources/review.html", page, status=status or (422 if form.is_bound else 200))


@require_POST
def forget(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Throw uploaded files away."""
    upload = get_object_or_404(Upload, pk=pk, owner=request.user)
    uploading.upload_forget(upload)
    messages.success(request, "The uploaded files were thrown away.")
    return redirect("sources:list")


def _source(request: HttpRequest, pk: int) -> Source:
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if not selectors.may_change(request.user, source):
        raise PermissionDenied(f"Only {source.owner} changes this source.")
    if not source.is_upload:
        raise Http404("This source is not made of files.")
    return source

"""One's history, and threads: looked at, named, pinned and deleted."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.asking import selectors, services
from mirror.asking.common_views import (
    find_thread,
)
from mirror.asking.pages import (
    history_page,
    shared_thread,
    thread_page,
)
from mirror.people.requests import PersonRequest, search_typed
from mirror.sources.sight import seen_by


@require_safe
def history(request: PersonRequest) -> HttpResponse:
    """Everything one has asked, with search."""
    page = history_page(
        request.user,
        search_typed(request),
        request.GET.get("source", "").replace("\x00", ""),
        request.GET.get("page", "1"),
        outcome=request.GET.get("outcome", ""),
        since=request.GET.get("since", ""),
        until=request.GET.get("until", ""),
        by=request.GET.get("by", ""),
    )
    return render(request, "asking/history.html", {"page": page})


@require_safe
def thread(request: PersonRequest, pk: int) -> HttpResponse:
    """One thread as a conversation."""
    mine = selectors.threads_visible_to(request.user).filter(pk=pk).first()
    if mine is None:
        shared = get_object_or_404(selectors.threads_shared_with(request.user), pk=pk)
        return render(request, "asking/shared_thread.html", {"page": shared_thread(shared)})
    seen_by(request.user, mine.source)
    return render(request, "asking/thread.html", {"page": thread_page(mine)})


@require_POST
def thread_rename(request: PersonRequest, pk: int) -> HttpResponse:
    """Give one's thread another title. Rejected input stays in its form."""
    found, typed = find_thread(request, pk), request.POST.get("title", "")
    try:
        services.thread_rename(found, typed)
    except services.AskingError as error:
        page = thread_page(found, problem=str(error), typed=typed)
        return render(request, "asking/thread.html", {"page": page}, status=422)
    return redirect("asking:thread", pk)


@require_POST
def thread_pin(request: PersonRequest, pk: int) -> HttpResponse:
    """Let one's thread stand first, or no longer."""
    services.thread_pin(find_thread(request, pk), is_pinned=request.POST.get("pinned") == "yes")
    return redirect("asking:thread", pk)


@require_http_methods(["GET", "HEAD", "POST"])
def thread_delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Delete one's thread, after asking once."""
    found = find_thread(request, pk)
    if request.method == "POST":
        try:
            services.thread_delete(found, request.user)
        except services.AskingError as error:
            messages.error(request, str(error))
            return redirect("asking:thread", pk)
        messages.success(request, _("The thread is gone, with its SQL and rows."))
        return redirect("asking:history")
    return render(request, "asking/thread_delete.html", {"page": thread_page(found)})

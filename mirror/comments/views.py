"""Write, edit and delete comments, find people to mention, and turn mails about mentions off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.comments import selectors, services
from mirror.comments.errors import CommentError
from mirror.comments.forms import CommentForm
from mirror.comments.models import Comment
from mirror.comments.telling import comment_place
from mirror.people.requests import PersonRequest, posted_in, search_typed
from mirror.sharing.selectors import title_of

if TYPE_CHECKING:
    from mirror.asking.models import Run
    from mirror.dashboards.models import Dashboard


def _thing(request: PersonRequest, kind: str, pk: int) -> Run | Dashboard:
    seen = selectors.run_seen if kind == "run" else selectors.dashboard_seen
    found = seen(request.user, pk)
    if found is None:
        raise Http404(_("There is nothing to comment on."))
    return found


def _comment(request: PersonRequest, pk: int) -> Comment:
    found = get_object_or_404(selectors.comments_visible(request.user), pk=pk)
    if not selectors.may_change(request.user, found):
        raise PermissionDenied(_("Only who wrote a comment changes it."))
    return found


@require_POST
def write(request: PersonRequest, kind: str, pk: int) -> HttpResponse:
    """Write a comment. Rejected input stays in its form."""
    thing = _thing(request, kind, pk)
    form = CommentForm(request.POST)
    form.is_valid()
    try:
        made = services.comment_write(thing, request.user, form.cleaned_data.get("text", ""))
    except CommentError as error:
        form.add_error("text", str(error))
        page = {"run": "asking:run", "dashboard": "dashboards:dashboard"}[kind]
        context = {
            "form": form,
            "comment": None,
            "title": title_of(thing),
            "back": reverse(page, args=[pk]),
        }
        return render(request, "comments/form.html", context, status=422)
    return redirect(comment_place(made))


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Change one's own comment, or delete it from there."""
    found = _comment(request, pk)
    form = CommentForm(posted_in(request), initial={"text": found.text})
    if request.method == "POST" and form.is_valid():
        try:
            services.comment_edit(found, request.user, form.cleaned_data["text"])
            return redirect(comment_place(found))
        except CommentError as error:
            form.add_error("text", str(error))
    context = {
        "form": form,
        "comment": found,
        "title": str(services.thing_of(found)),
        "back": comment_place(found),
    }
    return render(request, "comments/form.html", context, status=422 if form.is_bound else 200)


@require_POST
def delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Delete one's own comment."""
    found = _comment(request, pk)
    place = comment_place(found).partition("#")[0]
    services.comment_delete(found, request.user)
    messages.success(request, _("The comment is gone."))
    return redirect(f"{place}#comments")


@require_safe
def people(request: PersonRequest, kind: str, pk: int) -> JsonResponse:
    """The people who see a thing and whose name begins as typed."""
    found = selectors.people_offered(_thing(request, kind, pk), search_typed(request), request.user)
    return JsonResponse({"people": [{"name": one.username, "full": one.get_full_name()} for one in found]})


@require_POST
def mails(request: PersonRequest) -> HttpResponse:
    """Turn one's mails about mentions on or off."""
    wanted = request.POST.get("wanted") == "yes"
    services.mails_want(request.user, wanted=wanted)
    messages.success(
        request, _("Mails about comments are on.") if wanted else _("Mails about comments are off.")
    )
    return redirect("people:account")

"""Share a question, a thread or a dashboard: with teams, and by links that work without signing in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.asking import selectors as asking_selectors
from mirror.asking.models import Run, Thread, Version
from mirror.asking.pages import shared_run, shared_thread
from mirror.dashboards import selectors as dashboards_selectors
from mirror.dashboards.card_parameters import fields_of
from mirror.dashboards.crossing import WHERE, conditions_read, where_carried
from mirror.dashboards.models import Dashboard
from mirror.people.forms import ShareForm
from mirror.people.requests import PersonRequest
from mirror.people.selectors import teams_of
from mirror.sharing import notices, selectors, services
from mirror.sharing.closed_views import closed_off, link_is_gone
from mirror.sharing.errors import LinkGone, SharingError
from mirror.sharing.forms import LinkForm
from mirror.sharing.models import ShareLink
from mirror.sharing.pages import link_board, link_lines

Thing = Run | Thread | Dashboard

# Where a thing stands.
_PLACES = {Run: "asking:run", Thread: "asking:thread", Dashboard: "dashboards:dashboard"}


def _thing(request: PersonRequest, kind: str, pk: int) -> Thing:
    """A thing of one's own: 404 for who does not see it, 403 for who may look at it alone."""
    user = request.user
    if kind == "dashboard":
        found = get_object_or_404(dashboards_selectors.dashboards_visible(user), pk=pk)
        if not dashboards_selectors.may_change(user, found):
            raise PermissionDenied(_("Only %(owner)s shares this dashboard.") % {"owner": found.owner})
        return found
    mine: Thing | None
    if kind == "run":
        mine = asking_selectors.runs_visible_to(user).filter(pk=pk).first()
        is_shared = asking_selectors.runs_shared_with(user).filter(pk=pk).exists()
    else:
        mine = asking_selectors.threads_visible_to(user).filter(pk=pk).first()
        is_shared = asking_selectors.threads_shared_with(user).filter(pk=pk).exists()
    if mine is not None:
        return mine
    if is_shared:
        raise PermissionDenied(_("This is shared with you to look at. Only who asked it shares it."))
    raise Http404(_("There is no such question or thread."))


def _given(thing: Thing) -> Version | Thread | Dashboard | None:
    """The content of a link to a thing: of a question the version that stands there now."""
    return thing.versions.first() if isinstance(thing, Run) else thing


@require_http_methods(["GET", "HEAD", "POST"])
def share(request: PersonRequest, kind: str, pk: int) -> HttpResponse:
    """Choose the teams that look at a thing, and see its links."""
    thing = _thing(request, kind, pk)
    form = None
    if request.method == "POST":
        form = ShareForm(request.POST, offered=teams_of(request.user))
        if form.is_valid():
            told = notices.thing_share(thing, form.cleaned_data["teams"], request.user)
            words = _("Members of the chosen teams look at it from now on.")
            if told:
                mails = ngettext(
                    "%(count)s member will be told by mail.", "%(count)s members will be told by mail.", told
                )
                words += f" {mails % {'count': told}}"
            messages.success(request, words)
            return redirect(f"sharing:{kind}", pk)
    return _shown(request, kind, thing, form, status=422 if form is not None else 200)


@require_POST
def link_make(request: PersonRequest, kind: str, pk: int) -> HttpResponse:
    """Make a link to a thing."""
    thing = _thing(request, kind, pk)
    given, form = _given(thing), LinkForm(request.POST, parameters=_parameters(thing))
    if form.is_valid():
        try:
            if given is None:
                raise SharingError(_("There is no answer yet that a link could show."))
            services.link_make(given, request.user, form.cleaned_data["hours"], form.values())
        except SharingError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("The link is made. Copy it from the list below."))
            return redirect(reverse(f"sharing:{kind}", args=[pk]) + "#links")
    return _shown(request, kind, thing, link_form=form, status=422)


def _parameters(thing: Thing) -> list[Any]:
    return fields_of(dashboards_selectors.cards_of(thing), {}) if isinstance(thing, Dashboard) else []


def _shown(
    request: PersonRequest,
    kind: str,
    thing: Thing,
    form: ShareForm | None = None,
    link_form: LinkForm | None = None,
    status: int = 200,
) -> HttpResponse:
    offered, given = teams_of(request.user), _given(thing)
    links = selectors.links_to(request.user, given) if given is not None else ShareLink.objects.none()
    withheld = selectors.unsendable(request.user, given) if given is not None else []
    context = {
        "kind": kind,
        "thing": thing,
        "title": selectors.title_of(thing),
        "thread": thing.thread if isinstance(thing, Run) else None,
        "sources": _sources(thing),
        "back": reverse(_PLACES[type(thing)], args=[thing.pk]),
        "form": form or ShareForm(offered=offered, initial={"teams": thing.teams.all()}),
        "link_form": link_form or LinkForm(parameters=_parameters(thing)),
        "links": link_lines(request.user, links, request.build_absolute_uri),
        "no_links": services.links_off() or _withheld(withheld),
    }
    response = render(request, "sharing/share.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _withheld(names: list[str]) -> str:
    return (
        _("The owner of %(names)s does not let your team send its rows.") % {"names": names[0]}
        if names
        else ""
    )


def _sources(thing: Thing) -> str:
    if isinstance(thing, Dashboard):
        return _("the source of each card")
    return (thing.thread if isinstance(thing, Run) else thing).source.name


@require_safe
def links(request: PersonRequest) -> HttpResponse:
    """The links that one made: until when they work, and when they were used last."""
    lines = link_lines(request.user, selectors.links_of(request.user)[:500], request.build_absolute_uri)
    response = render(request, "sharing/links.html", {"links": lines})
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def link_revoke(request: PersonRequest, pk: Any) -> HttpResponse:
    """End a link of one's own now."""
    link = get_object_or_404(selectors.links_of(request.user), pk=pk)
    services.link_revoke(link, request.user)
    messages.success(request, _("The link shows nothing any more."))
    return redirect("sharing:links")


@require_POST
def mails(request: PersonRequest) -> HttpResponse:
    """Turn one's mails about what is shared on or off."""
    wanted = request.POST.get("wanted") == "yes"
    notices.notices_want(request.user, wanted=wanted)
    words = _("Mails about what is shared are on.") if wanted else _("Mails about what is shared are off.")
    messages.success(request, words)
    return redirect("people:account")


@login_not_required
@require_safe
@never_cache
def link(request: HttpRequest, token: str, seen: str = "") -> HttpResponse:
    """The content of a link, without signing in. Every faulty link gets the same answer.

    With `seen` its page asks how cards stand, as something was chosen on one or rows were on their way.
    """
    try:
        found = services.link_open(token, seen)
    except LinkGone:
        return link_is_gone(request)
    return closed_off(_opened(request, found, token))


def _opened(request: HttpRequest, found: ShareLink, token: str) -> HttpResponse:
    until = found.expires_at
    if found.version is not None:
        page = shared_run(found.version.run, found.version, with_sql=False)
        return render(request, "sharing/link_run.html", {"page": page, "until": until})
    if found.thread is not None:
        thread = shared_thread(found.thread, with_sql=False)
        return render(request, "sharing/link_thread.html", {"page": thread, "until": until})
    values = services.values_chosen(found, request.GET)
    conditions = conditions_read(request.GET.getlist(WHERE))
    board = link_board(found, services.link_cards(found, values), values, conditions)
    seen = services.look_token(found)
    carried = where_carried(values, conditions)
    pdf = (
        reverse("sharing:link_pdf_ask", args=[token, seen]) + carried if selectors.pdf_offered(found) else ""
    )
    now = reverse("sharing:link_now", args=[token, seen])
    context = {"page": board, "until": until, "now": now, "pdf": pdf}
    return render(request, "sharing/link_dashboard.html", context)

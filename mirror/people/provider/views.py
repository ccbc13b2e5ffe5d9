"""Pages to sign in by the identity provider, and to say what its groups mean here."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from mirror.people.entering import enter, page_wanted
from mirror.people.models import GroupRule, Session, User
from mirror.people.provider import groups, services, wire
from mirror.people.provider.configured import Provider, identity_of, provider
from mirror.people.provider.errors import NotLetIn, ProviderError, ProviderMistaken
from mirror.people.provider.flows import Flow, flow_keep, flow_take
from mirror.people.provider.forms import RuleForm
from mirror.people.provider.pages import provider_page as page_of
from mirror.people.requests import PersonRequest
from mirror.people.services import PeopleError
from mirror.phrases import filled, one_line


def _provider() -> Provider:
    at = provider()
    if at is None:
        raise Http404("No identity provider is set up.")
    return at


def _back(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("people:provider_back"))


@login_not_required
@never_cache
@require_safe
def provider_begin(request: HttpRequest) -> HttpResponse:
    """Send a browser to the provider; with `connect`, to connect the account of who is signed in.

    `connect` is the mark of the session, which their own page has: an address of another page connects nothing.
    """
    at = _provider()
    wanted, connects = page_wanted(request), 0
    if request.user.is_authenticated:
        mark = Session(session_key=request.session.session_key or "").mark
        if not constant_time_compare(request.GET.get("connect", ""), mark) or identity_of(request.user):
            return redirect("people:account" if "connect" in request.GET else wanted)
        wanted, connects = reverse("people:account"), request.user.pk
    try:
        begun = wire.begin(at, _back(request))
    except ProviderError as error:
        return _failed(request, at, error)
    flow_keep(request.session, begun, wanted, connects)
    return HttpResponseRedirect(begun.url)


@login_not_required
@never_cache
@require_safe
def provider_back(request: HttpRequest) -> HttpResponse:
    """Take a browser back from the provider, and let its user in."""
    at = _provider()
    try:
        flow = flow_take(request.session, request.GET.get("state", ""))
        _refusal_look(request, at)
        proof = services.proof_fetch(request.GET.get("code", ""), flow.nonce, flow.verifier, _back(request))
        user = _connected(request, flow, proof) if flow.connects else services.identity_enter(proof)
    except ProviderError as error:
        return _failed(request, at, error)
    return enter(request, user, Session.Way.PROVIDER, flow.wanted)


def _connected(request: HttpRequest, flow: Flow, proof: services.Proof) -> User:
    user = request.user
    if not isinstance(user, User) or user.pk != flow.connects:
        raise NotLetIn(
            gettext_lazy("You are no longer signed in as the person who began this."),
            gettext_lazy("Begin again."),
        )
    services.identity_connect(user, proof)
    return User.objects.get(pk=user.pk)


def _refusal_look(request: HttpRequest, at: Provider) -> None:
    """Hear an error that the provider sent the browser back with (RFC 6749, 4.1.2.1), or another provider (RFC 9207)."""
    issuer = request.GET.get("iss", at.issuer)
    if issuer.rstrip("/") != at.issuer.rstrip("/"):
        raise NotLetIn(
            gettext_lazy("Another sign-in service answered than the one that was asked."),
            gettext_lazy("Begin again."),
        )
    error = one_line(request.GET.get("error", ""), 60)
    if error in ("access_denied", "login_required", "interaction_required", "consent_required"):
        raise NotLetIn(
            filled(gettext_lazy("%(name)s did not let you in, or you turned back."), name=at.name),
            gettext_lazy("Begin again, or ask who runs it."),
            error,
        )
    if error or not request.GET.get("code"):
        said = one_line(request.GET.get("error_description", ""), 200)
        raise ProviderMistaken(
            filled(
                gettext_lazy("%(name)s refused the request (%(error)s)."),
                name=at.name,
                error=error or "no code",
            ),
            gettext_lazy(
                "An administrator looks at the settings of OpenID Connect, and at what the service knows of Mirror."
            ),
            f"{error}: {said}",
        )


def _failed(request: HttpRequest, at: Provider, error: ProviderError) -> HttpResponse:
    services.refusal_record(error)
    page = {"provider": at, "error": error}
    response = render(request, "people/provider_error.html", page, status=error.status)
    if error.status == 503:
        response["Retry-After"] = "30"
    return response


@login_not_required
@never_cache
@require_safe
def provider_out(request: HttpRequest) -> HttpResponse:
    """Say that somebody is signed out here, and where they sign out of the provider itself."""
    at = _provider()
    address = wire.sign_out_address(at)
    if address:
        back = request.build_absolute_uri(reverse("people:sign_in"))
        asked = urlencode({"client_id": at.client_id, "post_logout_redirect_uri": back})
        address = f"{address}{'&' if '?' in address else '?'}{asked}"
    return render(request, "people/provider_out.html", {"provider": at, "address": address})


# ---------------------------------------------------------------- administrators


def _staff_only(request: PersonRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators manage how people sign in."))


@require_safe
def provider_page(request: PersonRequest) -> HttpResponse:
    """Show the provider and what its groups mean."""
    _staff_only(request)
    return _show_page(request, RuleForm())


def _show_page(request: PersonRequest, form: RuleForm) -> HttpResponse:
    status = 422 if form.is_bound else 200
    page = {"page": page_of(_back(request)), "form": form}
    return render(request, "people/provider.html", page, status=status)


@require_POST
def rule_new(request: PersonRequest) -> HttpResponse:
    """Make a rule for a group."""
    _staff_only(request)
    form = RuleForm(request.POST)
    if form.is_valid():
        try:
            groups.rule_add(form.cleaned_data["group"], form.cleaned_data["means"], request.user)
            return redirect("people:provider")
        except PeopleError as error:
            form.add_error("group", str(error))
    return _show_page(request, form)


@require_POST
def rule_remove(request: PersonRequest, pk: int) -> HttpResponse:
    """Take a rule away."""
    _staff_only(request)
    groups.rule_remove(get_object_or_404(GroupRule, pk=pk), request.user)
    return redirect("people:provider")


@require_POST
def person_disconnect(request: PersonRequest, pk: int) -> HttpResponse:
    """Have somebody sign in by a password or a link again."""
    _staff_only(request)
    person = get_object_or_404(User, pk=pk, is_service=False)
    try:
        services.identity_disconnect(person, request.user)
        messages.success(
            request, _("%(person)s signs in by a password or a one-time link again.") % {"person": person}
        )
    except PeopleError as error:
        messages.error(request, str(error))
    return redirect("people:people")

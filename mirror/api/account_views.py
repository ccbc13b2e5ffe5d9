"""Pages about services, for administrators: made with a token that is shown once, given another, ended."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from mirror.api import services
from mirror.api.account_forms import AccountForm
from mirror.api.models import Token
from mirror.api.pages import accounts_page
from mirror.people.requests import PersonRequest
from mirror.people.selectors import services_all


def _staff_only(request: PersonRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators manage services."))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accounts(request: PersonRequest) -> HttpResponse:
    """List services; the token of one that is made shows its secret on this answer and never again."""
    _staff_only(request)
    if request.method != "POST":
        return _shown(request, AccountForm(person=request.user))
    form = AccountForm(request.POST, person=request.user)
    if form.is_valid():
        try:
            made, secret = services.account_make(request.user, **form.wish())
        except services.TokenError as error:
            form.add_error(None, str(error))
        else:
            return _shown(request, AccountForm(person=request.user), secret=secret, made=made)
    return _shown(request, form, status=422)


@never_cache
@require_POST
def give_another(request: PersonRequest, pk: int) -> HttpResponse:
    """Give a service one more token like its last one, shown once."""
    _staff_only(request)
    service = get_object_or_404(services_all(), pk=pk)
    try:
        made, secret = services.account_renew(service, request.user)
    except services.TokenError as error:
        messages.error(request, str(error))
        return redirect("services:services")
    return _shown(request, AccountForm(person=request.user), secret=secret, made=made)


@require_POST
def revoke(request: PersonRequest, pk: int) -> HttpResponse:
    """End one token of a service."""
    _staff_only(request)
    token = get_object_or_404(Token.objects.filter(owner__is_service=True), pk=pk)
    services.token_revoke(token, request.user)
    messages.success(
        request,
        _("The token …%(ending)s of %(owner)s works no more.")
        % {"ending": token.ending, "owner": token.owner},
    )
    return redirect("services:services")


@require_POST
def end(request: PersonRequest, pk: int) -> HttpResponse:
    """End a service with all its tokens."""
    _staff_only(request)
    service = get_object_or_404(services_all(), pk=pk)
    services.account_end(service, request.user)
    messages.success(request, _("The service %(service)s was ended.") % {"service": service})
    return redirect("services:services")


def _shown(
    request: PersonRequest,
    form: AccountForm,
    status: int = 200,
    *,
    secret: str = "",
    made: Token | None = None,
) -> HttpResponse:
    context = {"page": accounts_page(secret, made), "form": form}
    return render(request, "api/accounts.html", context, status=status)

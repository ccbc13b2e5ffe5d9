"""Pages about tokens: made, shown once, revoked; and what the API offers."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.api import selectors, services
from mirror.api.forms import TokenForm
from mirror.api.models import Token
from mirror.api.pages import operations_page, tokens_page
from mirror.api.v1_urls import document
from mirror.people.requests import PersonRequest


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: PersonRequest) -> HttpResponse:
    """List one's tokens; one that is made shows its secret on this answer and never again."""
    if request.method != "POST":
        return _shown(request, TokenForm(person=request.user))
    form = TokenForm(request.POST, person=request.user)
    if form.is_valid():
        try:
            made, secret = services.token_make(request.user, **form.wish())
        except services.TokenError as error:
            form.add_error(None, str(error))
        else:
            return _shown(request, TokenForm(person=request.user), secret=secret, made=made)
    return _shown(request, form, status=422)


def _shown(
    request: PersonRequest, form: TokenForm, status: int = 200, *, secret: str = "", made: Token | None = None
) -> HttpResponse:
    context = {"page": tokens_page(request.user, secret, made), "form": form}
    return render(request, "api/tokens.html", context, status=status)


@require_POST
def revoke(request: PersonRequest, pk: int) -> HttpResponse:
    """End one of one's tokens."""
    token = get_object_or_404(selectors.tokens_of(request.user), pk=pk)
    services.token_revoke(token, request.user)
    messages.success(request, _("“%(token)s” works no more.") % {"token": token})
    return redirect("api:tokens")


@require_safe
def operations(request: PersonRequest) -> HttpResponse:
    """The operations of the API, made of its document."""
    return render(request, "api/operations.html", {"page": operations_page(document())})


@require_safe
def openapi(request: PersonRequest) -> HttpResponse:
    """The OpenAPI document."""
    return JsonResponse(document(), json_dumps_params={"indent": 2})

"""Pages on which administrators set language models and test them."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.llms import endpoint_tests, services
from mirror.llms.forms import EndpointForm
from mirror.llms.models import Endpoint, EndpointTest
from mirror.llms.pages import endpoints_page, tested_page
from mirror.people.requests import PersonRequest, posted_in


def _staff_only(request: PersonRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators set language models."))


@require_safe
def endpoints(request: PersonRequest) -> HttpResponse:
    """List the language models in the order in which they are asked."""
    _staff_only(request)
    return render(request, "llms/list.html", {"page": endpoints_page()})


@sensitive_post_parameters("key")
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint_new(request: PersonRequest) -> HttpResponse:
    """Add a language model."""
    _staff_only(request)
    return _form(request, Endpoint())


@sensitive_post_parameters("key")
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint_edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Change a language model."""
    _staff_only(request)
    return _form(request, get_object_or_404(Endpoint, pk=pk))


def _form(request: PersonRequest, endpoint: Endpoint) -> HttpResponse:
    name = endpoint.name
    form = EndpointForm(posted_in(request), instance=endpoint)
    if form.is_valid():
        services.endpoint_keep(form.instance, form.chosen, request.user, new_key=form.new_key)
        so = (
            "The next question goes by it."
            if form.instance.is_on
            else "It is not used, so no question goes to it."
        )
        messages.success(request, _("%(name)s is kept. %(so)s") % {"name": form.instance.name, "so": so})
        return redirect("llms:list")
    context = {"form": form, "pk": endpoint.pk, "name": name}
    return render(request, "llms/form.html", context, status=422 if form.is_bound else 200)


@require_POST
def endpoint_move(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask a language model earlier or later."""
    _staff_only(request)
    endpoint = get_object_or_404(Endpoint, pk=pk)
    services.endpoint_move(endpoint, up=request.POST.get("to") == "up", by=request.user)
    return redirect("llms:list")


@require_POST
def endpoint_remove(request: PersonRequest, pk: int) -> HttpResponse:
    """Remove a language model."""
    _staff_only(request)
    endpoint = get_object_or_404(Endpoint, pk=pk)
    services.endpoint_remove(endpoint, request.user)
    messages.success(request, _("%(name)s is removed.") % {"name": endpoint.name})
    return redirect("llms:list")


# ---------------------------------------------------------------- tests


@require_POST
def endpoint_test(request: PersonRequest, pk: int) -> HttpResponse:
    """Call a language model."""
    _staff_only(request)
    test = endpoint_tests.endpoint_test_ask(get_object_or_404(Endpoint, pk=pk), request.user)
    return redirect("llms:tested", test.pk)


@require_POST
def settings_test(request: PersonRequest) -> HttpResponse:
    """Call the language model of the settings."""
    _staff_only(request)
    return redirect("llms:tested", endpoint_tests.endpoint_test_ask(None, request.user).pk)


@require_safe
def tested(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Follow a test, then show what was sent and what came back. A page that polls is told once that it is gone: 286 ends its polling."""
    try:
        test = _test(request, pk)
    except Http404:
        if request.htmx:
            return render(request, "llms/_test_gone.html", status=286)
        raise
    endpoint_tests.endpoint_test_look(test)
    if not test.is_ended and request.htmx and request.GET.get("was") == test.status:
        return HttpResponse(status=204)
    return render(request, "llms/test.html", {"page": tested_page(test)})


@require_POST
def test_stop(request: PersonRequest, pk: UUID) -> HttpResponse:
    """End a test before its reply."""
    endpoint_tests.endpoint_test_stop(_test(request, pk))
    return redirect("llms:tested", pk)


def _test(request: PersonRequest, pk: UUID) -> EndpointTest:
    _staff_only(request)
    return get_object_or_404(EndpointTest.objects.select_related("endpoint"), pk=pk, owner=request.user)

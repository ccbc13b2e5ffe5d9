"""Run saved SQL, and show its last rows."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.asking import selectors, services
from mirror.asking.common_views import (
    to_run,
    to_version,
)
from mirror.asking.pages import (
    last_page,
)
from mirror.library.forms import ArgumentsForm
from mirror.library.pages import saved_page
from mirror.library.selectors import may_run, saved_visible
from mirror.people.requests import PersonRequest, wants_fragment
from mirror.results.pages import TableWish


@require_POST
def run_saved(request: PersonRequest, pk: int) -> HttpResponse:
    """Run saved SQL with values for its parameters; a wrong value goes back to where it was typed."""
    saved = get_object_or_404(saved_visible(request.user), pk=pk)
    if not may_run(request.user, saved):
        raise PermissionDenied(_("You may not run this saved SQL on its source."))
    form = ArgumentsForm(request.POST, saved=saved)
    if not form.is_valid():
        page = saved_page(request.user, saved, form)
        return render(request, "library/saved.html", {"page": page}, status=422)
    try:
        return to_run(request, services.run_saved(request.user, saved, form.arguments()))
    except services.AskingError as error:
        messages.error(request, str(error))
        return redirect("library:saved", saved.pk)


@require_safe
@vary_on_headers("HX-Request")
def saved_last(request: PersonRequest, pk: int) -> HttpResponse:
    """The last rows of saved SQL, for its page; without scripts one goes to the run itself, or is told that there is none."""
    saved = get_object_or_404(saved_visible(request.user), pk=pk)
    found = selectors.version_of_saved(request.user, saved)
    if wants_fragment(request):
        page = last_page(saved, found, TableWish.read(request.GET))
        return render(request, "asking/_last.html", {"page": page, "version": page.version})
    if found is None:
        messages.info(
            request, _("You have no result of %(name)s yet. Run it to see one.") % {"name": saved.name}
        )
        return redirect("library:saved", pk)
    return to_version(request, found)

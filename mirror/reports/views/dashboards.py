"""A dashboard becomes the beginning of a report."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from mirror.dashboards.card_parameters import values_given
from mirror.dashboards.selectors import cards_of, dashboards_visible
from mirror.people.requests import PersonRequest
from mirror.phrases import counted
from mirror.reports import services


@require_POST
def of_dashboard(request: PersonRequest, pk: int) -> HttpResponse:
    """Have SQL of the library for each card, with the values of the address, and go to a new report of them."""
    found = get_object_or_404(dashboards_visible(request.user), pk=pk)
    values = values_given(request.GET, cards_of(found))
    sendable = services.dashboard_sendable(request.user, found, values)
    if not sendable.saved:
        messages.error(
            request,
            _(
                "No card of this dashboard can be sent: a report takes answers and saved SQL that you may run."
            ),
        )
        return redirect("dashboards:dashboard", pk)
    if sendable.made:
        messages.info(
            request,
            _("The SQL of %(cards)s was saved in your library, as a report sends saved SQL.")
            % {"cards": counted(sendable.made, "card")},
        )
    if sendable.left_out:
        messages.warning(request, _("Left out: %(cards)s.") % {"cards": ", ".join(sendable.left_out)})
    told = [("dashboard", str(pk)), *(("saved", str(one.pk)) for one in sendable.saved), *values.items()]
    return redirect(f"{reverse('reports:new')}?{urlencode(told)}")

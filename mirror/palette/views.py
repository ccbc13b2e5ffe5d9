"""The palette as a page, and its lines as a fragment for the dialog."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.palette.pages import keys_page, palette_page
from mirror.people.requests import PersonRequest, search_typed, wants_fragment
from mirror.phrases import one_line


@require_safe
@vary_on_headers("X-Requested-With")
def palette(request: PersonRequest) -> HttpResponse:
    """Places that fit what is typed."""
    page = palette_page(request.user, one_line(search_typed(request)))
    name = "palette/_options.html" if wants_fragment(request) else "palette/palette.html"
    return render(request, name, {"page": page})


@require_safe
def keys(request: PersonRequest) -> HttpResponse:
    """The list of keys."""
    return render(request, "palette/keys.html", {"page": keys_page(request.user)})

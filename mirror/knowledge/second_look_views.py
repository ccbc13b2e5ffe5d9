"""The page that asks once more before something doubtful is verified."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from mirror.knowledge.second_looks import SecondLook
from mirror.people.requests import PersonRequest


def asked_again(request: PersonRequest, look: SecondLook, **sent: str) -> HttpResponse | None:
    """The page of what there is to doubt, which sends the same again; None where there is nothing, or it was seen and confirmed."""
    if not look.doubts or look.is_seen(request.POST.get("seen", "")):
        return None
    response = render(request, "knowledge/verify.html", {"look": look, "sent": sent})
    response["Cache-Control"] = "no-store"
    return response

"""What every page knows of asking: the newest threads, for the rail beside it, and whether there is anything to ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from mirror.asking import selectors
from mirror.sources.selectors import only_views

RAIL_THREADS = 6


@dataclass(frozen=True, slots=True)
class RailThread:
    """One thread in the rail; its address is that of its newest question."""

    title: str
    url: str
    is_current: bool


def rail(request: HttpRequest) -> dict[str, Any]:
    """The newest threads of whoever is signed in, and whether they only look; read from the store only by a page that shows them."""
    return {
        "rail_threads": SimpleLazyObject(lambda: _threads(request)),
        "rail_only_views": SimpleLazyObject(
            lambda: request.user.is_authenticated and only_views(request.user)
        ),
    }


def _threads(request: HttpRequest) -> list[RailThread]:
    if not request.user.is_authenticated:
        return []
    made = []
    for thread, newest in selectors.threads_recent(request.user, RAIL_THREADS):
        url = reverse("asking:run", args=[newest])
        made.append(RailThread(thread.title, url, request.path == url))
    return made

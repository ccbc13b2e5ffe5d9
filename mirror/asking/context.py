"""What every page knows of asking: the newest threads, for the rail beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from mirror.asking import selectors

RAIL_THREADS = 6


@dataclass(frozen=True, slots=True)
class RailThread:
    """One thread in the rail; its address is that of its newest question."""

    title: str
    url: str
    is_current: bool


def rail(request: HttpRequest) -> dict[str, Any]:
    """The newest threads of whoever is signed in; read from the store only by a page that shows them."""
    return {"rail_threads": SimpleLazyObject(lambda: _threads(request))}


def _threads(request: HttpRequest) -> list[RailThread]:
    if not request.user.is_authenticated:
        return []
    made = []
    for thread, newest in selectors.threads_recent(request.user, RAIL_THREADS):
        url = reverse("asking:run", args=[newest])
        made.append(RailThread(thread.title, url, request.path == url))
    return made

"""Facts for every page about asking: the newest threads, for the rail beside it, and whether there is anything to ask."""

from __future__ import annotations

from collections.abc import Iterable
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
    is_on_own: bool


def rail(request: HttpRequest) -> dict[str, Any]:
    """The newest threads of the signed-in person, and whether they only look; read when a page shows them."""
    threads = SimpleLazyObject(lambda: _threads(request))
    return {
        "rail_threads": threads,
        "rail_only_views": SimpleLazyObject(lambda: _only_views(request, threads)),
    }


def _only_views(request: HttpRequest, threads: Iterable[RailThread]) -> bool:
    """Say whether a person only views sources; a thread on a source of their own answers it without a statement."""
    if not request.user.is_authenticated:
        return False
    return not any(thread.is_on_own for thread in threads) and only_views(request.user)


def _threads(request: HttpRequest) -> list[RailThread]:
    if not request.user.is_authenticated:
        return []
    made = []
    for thread, newest, owner in selectors.threads_recent(request.user, RAIL_THREADS):
        url = reverse("asking:run", args=[newest])
        made.append(RailThread(thread.title, url, request.path == url, owner == request.user.pk))
    return made

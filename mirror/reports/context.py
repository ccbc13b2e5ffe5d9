"""Facts for every page about sending: whether an administrator has paused all of it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from mirror.reports.sending.pausing import pause_now


def sending(request: HttpRequest) -> dict[str, Any]:
    """The pause that is on, if there is one; read from the store only by a page that shows it."""
    return {"sending_pause": SimpleLazyObject(pause_now)}

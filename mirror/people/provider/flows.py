"""Sign-ins by the provider that a browser has begun: what its session keeps until it comes back, each for one return."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from mirror.people.provider.errors import Stale
from mirror.people.provider.wire import Begun

FLOWS = "provider_flows"
# For how long somebody may take at the provider (seconds), and how many may be under way in one browser.
FLOW_SECONDS, MOST = 900, 5


@dataclass(frozen=True, slots=True, repr=False)
class Flow:
    """One sign-in under way. `connects` is the person who wants to connect the account; 0 for nobody."""

    nonce: str
    verifier: str
    wanted: str
    connects: int


def flow_keep(session: Any, begun: Begun, wanted: str, connects: int = 0) -> None:
    """Keep a sign-in that begins; the oldest of too many goes."""
    flows = list(session.get(FLOWS, ()))[-(MOST - 1) :]
    session[FLOWS] = [*flows, [begun.state, time.time(), begun.nonce, begun.verifier, wanted, connects]]


def flow_take(session: Any, state: str) -> Flow:
    """Take the sign-in that a browser came back from; it cannot be taken again. Raises: Stale."""
    flows = list(session.get(FLOWS, ()))
    found = next((flow for flow in flows if state and flow[0] == state), None)
    if found is not None:
        session[FLOWS] = [flow for flow in flows if flow is not found]
        if time.time() - found[1] < FLOW_SECONDS:
            return Flow(*found[2:])
    raise Stale(
        _("It was begun in another browser, was used already, or took too long."),
        _("Begin again."),
        "unknown state",
    )

"""The ways a parcel goes out. One module a kind; each is handed a `Parcel` and answers or raises.

A channel knows no row of the store and no report: `target` and `secret` are what its row holds. Each module has the same
three functions, `check`, `describe` and `deliver`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from mirror.delivery.errors import ChannelError
from mirror.delivery.parcel import Parcel
from mirror.delivery.reach import NOWHERE, Reach

KINDS = ("mail", "webhook", "slack", "folder", "s3")


def check(
    kind: str, target: Mapping[str, Any], secret: str, *, by_staff: bool, reach: Reach = NOWHERE
) -> dict[str, Any]:
    """Clean the typed fields of a channel; the return value is kept as its `target`.

    `reach` says which private hosts it may be at. Raises: ChannelError, in words for beside the field it names.
    """
    cleaned: dict[str, Any] = _module(kind).check(target, secret, by_staff=by_staff, reach=reach)
    return cleaned


def describe(kind: str, target: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where to, in words without a secret: one for each delivery (mail: one a recipient)."""
    return tuple(place[:500] for place in _module(kind).describe(target))


def deliver(
    kind: str,
    target: Mapping[str, Any],
    secret: str,
    parcel: Parcel,
    to: str = "",
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> str:
    """Hand a parcel over and give what came of it, fit to be shown: of a webhook's answer its status alone.

    `before` is called right before the point after which the other side may have taken it; if
    it raises, nothing was sent that arrives. `reach` says which private hosts may be called. Files and S3 objects are written under
    the same name at each attempt, so a second attempt changes nothing there.
    Raises: DeliveryFailed.
    """
    answer: str = _module(kind).deliver(target, secret, parcel, to, before, reach)
    return answer


def new_secret() -> str:
    """Make a key that signs a webhook's messages."""
    return "whsec_" + secrets.token_urlsafe(32)


def _module(kind: str) -> ModuleType:
    if kind not in KINDS:
        raise ChannelError(f"There is no channel of the kind “{kind}”.", "kind")
    # When it is used: the client of S3 alone is slow to load and large.
    return import_module(f"mirror.delivery.{kind}")

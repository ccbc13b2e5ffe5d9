"""A call that is done once, however often it is sent with its key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from mirror.api import problems
from mirror.api.models import KeptCall, Token

# How long answers to calls with a key are kept.
KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a call: its address and its state now. `is_repeated` where it was done before."""

    location: str
    body: dict[str, Any]
    is_repeated: bool = False


def call_once(token: Token, key: str, body_hash: str, act: Callable[[], Done]) -> Done:
    """Carry out a call; with a key only once, and give the same answer when it is sent again. Raises: Problem, as `act`.

    Refused calls are not kept: they may be sent again under their key.
    """
    if not key:
        with transaction.atomic():
            return act()
    KeptCall.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    try:
        with transaction.atomic():
            # A second one of this key waits here until the first has ended, and then is its repetition.
            call = KeptCall.objects.create(token=token, key=key, body_hash=body_hash, body=None)
            done = act()
            call.location, call.body = done.location, done.body
            call.save(update_fields=["location", "body"])
            return done
    except IntegrityError:
        kept = KeptCall.objects.filter(token=token, key=key).first()
        if kept is None:
            raise
        if kept.body_hash != body_hash:
            raise problems.other_body() from None
        return Done(kept.location, kept.body or {}, is_repeated=True)

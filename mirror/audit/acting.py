"""The current actor and origin, for services that are not told: set by a middleware for a request, by a command for a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Acting:
    """An actor: `person` gives the user on demand, None for somebody who is not signed in; `token` the name of theirs."""

    person: Callable[[], Any]
    origin: str
    token: Callable[[], str] = str


_acting: ContextVar[Acting | None] = ContextVar("acting", default=None)


def acting_now() -> Acting | None:
    """Give the current actor; None where none was set."""
    return _acting.get()


@contextmanager
def acting_as(acting: Acting) -> Iterator[None]:
    """Say who acts, for a block."""
    before = _acting.set(acting)
    try:
        yield
    finally:
        _acting.reset(before)


def origin_now() -> str:
    """From where somebody acts now; empty where nobody said."""
    acting = acting_now()
    return acting.origin if acting is not None else ""

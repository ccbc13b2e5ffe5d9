"""What a channel is handed and what it says back. Plain values; a channel knows no row of the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any


@dataclass(frozen=True, slots=True)
class Section:
    """One SQL of a report as a reader sees it: a sentence, a picture, its first rows."""

    title: str
    sentence: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int
    truncated: bool = False
    image: bytes | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to hand over: its name, type and size, and how to open it for reading.

    `url` is a link that works without signing in, for a time; empty where none was made.
    """

    name: str
    media_type: str
    size: int
    open: Callable[[], IO[bytes]]
    rows: int = 0
    notes: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Parcel:
    """What one delivery carries.

    `about` is one of `Delivery.About`; `uid` is the same at each attempt, so that a receiver can drop
    a second copy; `report` is the report's number, which tells it from others of its title; `url` leads to
    the run, behind sign-in. `message` says in words why a notice is sent
    (an alert's value, a failure's reason and next attempt); it is empty for a plain report. `stop_url` leads
    an outside recipient to where they stop these mails; empty for others.
    """

    uid: str
    about: str
    title: str
    note: str
    message: str
    url: str
    made_at: datetime
    scheduled_for: datetime | None
    zone: str
    sections: tuple[Section, ...] = ()
    files: tuple[Attachment, ...] = ()
    attempt: int = 1
    report: int = 0
    stop_url: str = ""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which hosts on this machine and in private networks a report's messages may go to.

    `is_everywhere`: all of them. Otherwise `hosts`, in small letters, as they stand in an address: `host` or `host:port`.
    Metadata services of clouds are never among them.
    """

    is_everywhere: bool = False
    hosts: frozenset[str] = frozenset()

    def covers(self, host: str, port: int) -> bool:
        """Say whether a host may be called although it is private.

        Example:
            >>> reach = Reach(hosts=frozenset({"hooks.internal", "10.1.2.3:8443", "fd12::1"}))
            >>> reach.covers("Hooks.Internal", 80), reach.covers("10.1.2.3", 443), reach.covers("fd12::1", 443)
            (True, False, True)
        """
        name = host.casefold().rstrip(".")
        return self.is_everywhere or bool(
            self.hosts & {name, f"{name}:{port}", f"[{name}]", f"[{name}]:{port}"}
        )


NOWHERE = Reach()


class DeliveryFailed(Exception):
    """The other side did not take it; the message is what it answered, fit to be shown.

    `is_permanent`: trying again is no use. `is_refused`: this recipient will never take mail. `retry_after`:
    seconds the other side asked to wait.
    """

    def __init__(
        self,
        message: str,
        *,
        is_permanent: bool = False,
        is_refused: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.is_permanent, self.is_refused, self.retry_after = is_permanent, is_refused, retry_after


class ChannelError(ValueError):
    """What was typed about a channel cannot stand; `field` is the field it is said beside."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field

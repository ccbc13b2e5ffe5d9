"""The kinds of work there are, as their subjects register them: whose rows, by which queue, what is done with one."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from celery import current_app
from django.db import transaction
from django.db.models import Q
from kombu.exceptions import OperationalError

from mirror.work.leases import Lease, Leased

log = logging.getLogger(__name__)

# The one task that does work, by its name: who sends its messages does not import it.
DOOR = "mirror.work.tasks.work"
# The header of a message that names the request it was sent by.
REQUEST = "mirror_request"


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """Something of which only so much work takes part at once: a source, a person.

    `model` is "app.Model"; `most` says how much for one of its rows, of which `fields` are read.
    """

    model: str
    most: Callable[[Any], int]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """How rows of a kind come to what they share. Those that `counted` lets through take part while worked on."""

    path: str
    counted: Q = field(default_factory=Q)


class Kind(ABC):
    """One kind of work. Its module is imported when the work is done, so that registering it costs nothing.

    `name` is what a message says; `module` does the work, and is loaded before a row is taken: that may take longer than
    a short lease; `earlier` are the names of tasks that messages of earlier versions carry.
    Lines of the log about its work carry the fields of a row that `logged` names, under these names.
    A row waits since its `waits_since`, or since the time it was put off to.
    A row that is taken begins with the fields `afresh`. Nobody waits for what `is_background`. A row whose workers died `attempts` times is given up.
    """

    name: ClassVar[str]
    model: ClassVar[type[Leased]]
    module: ClassVar[str]
    queue: ClassVar[str] = "celery"
    shares: ClassVar[Mapping[Share, Way]] = {}
    is_background: ClassVar[bool] = False
    attempts: ClassVar[int] = 3
    waits_since: ClassVar[str] = "created_at"
    logged: ClassVar[Mapping[str, str]] = {}
    afresh: ClassVar[Mapping[str, Any]] = {}
    earlier: ClassVar[tuple[str, ...]] = ()

    @property
    def lost_seconds(self) -> float:
        """After how long a message that nobody came for is sent again."""
        return 30.0

    @abstractmethod
    def do(self, lease: Lease) -> None:
        """Do the work of a taken row to its end, or put it off."""

    @abstractmethod
    def broke(self, lease: Lease) -> None:
        """End a row that met an error nobody expected."""

    @abstractmethod
    def stopped(self, row: Any) -> bool:
        """End a row that was to stop before a worker heard of it, as it was read; False if it has moved on since."""

    @abstractmethod
    def given_up(self, row: Any, died: int) -> bool:
        """End a row over which so many workers died, as it was read; False if it has moved on since."""

    def earlier_pk(self, told: Any) -> Any:
        """The row that a message of an earlier version means."""
        return told

    def tell(self, pk: Any) -> None:
        """Send a worker the message of a row now. Raises: kombu's OperationalError when the broker is away."""
        from mirror.logs import request_now

        told = pk if isinstance(pk, int) else str(pk)
        named = {REQUEST: request_now()}
        current_app.send_task(DOOR, args=(self.name, told), queue=self.queue, headers=named)


KINDS: dict[str, Kind] = {}
_BY_MODEL: dict[type[Leased], Kind] = {}


def register(*kinds: type[Kind]) -> None:
    """Make kinds of work known, from a subject's `ready`."""
    for kind in kinds:
        KINDS[kind.name] = _BY_MODEL[kind.model] = kind()


def kind_of(model: type[Leased]) -> Kind:
    """The kind of work that rows of a model are."""
    return _BY_MODEL[model]


def tell(kind: Kind, pk: Any) -> None:
    """Send a worker the message of a row now. Of a broker that is away the log tells: the recovery sends it again."""
    try:
        kind.tell(pk)
    except OperationalError as error:
        log.warning("The broker is away, %s %s was not sent: %s", kind.model.__name__, pk, error)


def send(row: Leased) -> None:
    """Tell a worker of a queued row once it is certain to be there.

    A broker that is away is logged and nothing more: the row is the truth, and a message that
    seems lost is sent again by the recovery.
    """
    kind, pk = kind_of(type(row)), row.pk
    transaction.on_commit(lambda: tell(kind, pk), robust=True)

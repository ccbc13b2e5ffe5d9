"""The purpose of the SQL of an editor, told by a language model beside the rules: asked by a worker, for somebody who waits."""

from __future__ import annotations

from contextlib import suppress
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from django.db import transaction

from mirror.asking.models import LlmTelling
from mirror.asking.services import llm_asks
from mirror.queries.helping import sql_problem
from mirror.sources.sight import sight_of
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost
from mirror.work.watching import Watch
from sqlagent.errors import Cancelled
from sqlagent.makers.llm_telling import llm_told

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source


@transaction.atomic
def llm_telling_ask(owner: User, source: Source, sql: str, editor: tuple[str, int]) -> LlmTelling:
    """Have a worker ask the source's language model what one statement is for. An earlier telling of the same person is stopped."""
    llm_asks.earlier_end(LlmTelling, owner)
    place, place_id = editor
    telling = LlmTelling.objects.create(
        owner=owner,
        source=source,
        text=storable(sql),
        place=place,
        place_id=place_id,
        sight=sight_of(owner, source).key,
    )
    send(telling)
    return telling


def llm_telling_look(telling: LlmTelling) -> None:
    """See to it that what somebody waits for is worked on, and end it in words when no worker is there."""
    llm_asks.ask_look(telling, untold(llm_asks.NO_WORKER))


def llm_telling_stop(telling: LlmTelling) -> None:
    """End a telling: one that waits at once, one under way when its worker hears of it."""
    llm_asks.ask_stop(telling, untold(llm_asks.STOPPED))


def untold(why: str) -> dict[str, Any]:
    """The end of a telling for which a language model said nothing that is shown."""
    return {"text": "", "words": why, "llm": "", "sent": []}


# ---------------------------------------------------------------- a worker's part


def llm_telling_do(lease: Lease) -> None:
    """Ask the model and keep what it tells."""
    telling = LlmTelling.objects.select_related("source", "owner").filter(pk=str(lease.pk)).first()
    if telling is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        said = _said(telling, watch.cancelled)
        lease.end(said=storable(untold(llm_asks.STOPPED) if watch.is_stopped else said))


def llm_telling_break(lease: Lease) -> None:
    """End a telling that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said=untold(llm_asks.BROKEN))


def _said(telling: LlmTelling, cancelled: Flag) -> dict[str, Any]:
    try:
        with llm_asks.llm_at_hand(telling) as asked:
            source = asked.source
            # Nobody is told by a model about tables that are withheld from them, nor about SQL that does not run.
            if (refused := sql_problem(source, telling.text)) is not None:
                return untold(f"This SQL would be refused, so no language model was asked: {refused.what}")
            found = llm_told(
                telling.text, asked.catalog, asked.llm, privacy=source.privacy, cancelled=cancelled
            )
    except llm_asks.Unasked as error:
        return untold(str(error))
    except Cancelled:
        return untold(llm_asks.STOPPED)
    who = f"{found.llm} was asked. " if found.llm and not found.text else ""
    return {"text": found.text, "words": f"{who}{found.why}"} | llm_asks.sent_kept(
        source, found.llm, found.sent
    )

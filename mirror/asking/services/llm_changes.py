"""SQL of an editor changed in words by a language model: asked by a worker, for somebody who waits.

The guard admitted the proposed SQL, and people accept it change by change.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from django.db import transaction

from mirror.asking.models import LlmChange
from mirror.asking.services import llm_asks
from mirror.asking.services.rewriting import Proposal
from mirror.knowledge.knowing import knowledge_of
from mirror.queries.helping import sql_problem
from mirror.sources.sight import sight_of
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost
from mirror.work.watching import Watch
from sqlagent.errors import Cancelled
from sqlagent.makers.llm_rewriting import LlmRewritten, llm_rewritten
from sqlagent.method.linking import link
from sqlagent.method.templates import with_knowledge
from sqlagent.sql.statements import statement_at
from sqlagent.values import Question

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source


@transaction.atomic
def llm_change_ask(
    owner: User,
    source: Source,
    text: str,
    at: int | None,
    wish: str,
    rules: Proposal,
    editor: tuple[str, int],
) -> LlmChange:
    """Have a worker ask the source's language model for a change of the statement at a place of a text.

    `rules` are proposed where it proposes nothing. An earlier change of the same person that is waited for is stopped.
    """
    llm_asks.earlier_end(LlmChange, owner)
    place, place_id = editor
    change = LlmChange.objects.create(
        owner=owner,
        source=source,
        text=storable(text),
        at=at,
        wish=storable(wish),
        place=place,
        place_id=place_id,
        rules=storable({"sql": rules.sql, "words": rules.words}),
        sight=sight_of(owner, source).key,
    )
    send(change)
    return change


def llm_change_look(change: LlmChange) -> None:
    """See to it that what somebody waits for is worked on, and end it in words when no worker is there."""
    llm_asks.ask_look(change, unproposed(change, llm_asks.NO_WORKER))


def llm_change_stop(change: LlmChange) -> None:
    """End a change: one that waits at once, one under way when its worker hears of it."""
    llm_asks.ask_stop(change, unproposed(change, llm_asks.STOPPED))


def unproposed(change: LlmChange, why: str) -> dict[str, Any]:
    """The end of a change for which a language model proposed nothing: what the rules propose stands."""
    sql = change.rules.get("sql", "")
    return {"sql": sql, "words": f"{why} {change.rules['words']}" if sql else why}


# ---------------------------------------------------------------- a worker's part


def llm_change_do(lease: Lease) -> None:
    """Ask the model and say what came of it."""
    change = LlmChange.objects.select_related("source", "owner").filter(pk=str(lease.pk)).first()
    if change is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        said = _said(change, watch.cancelled)
        lease.end(said=storable(unproposed(change, llm_asks.STOPPED) if watch.is_stopped else said))


def llm_change_break(lease: Lease) -> None:
    """End a change that met an error nobody expected."""
    change = LlmChange.objects.filter(pk=str(lease.pk)).first()
    if change is not None:
        with suppress(LeaseLost):
            lease.end(said=unproposed(change, llm_asks.BROKEN))


def _said(change: LlmChange, cancelled: Flag) -> dict[str, Any]:
    try:
        with llm_asks.llm_at_hand(change) as asked:
            return _proposed(change, asked, cancelled)
    except llm_asks.Unasked as error:
        return {"sql": "", "words": str(error)} if error.is_gone else unproposed(change, str(error))
    except Cancelled:
        return unproposed(change, llm_asks.STOPPED)


def _proposed(change: LlmChange, asked: llm_asks.Asked, cancelled: Flag) -> dict[str, Any]:
    """Ask once."""
    source, catalog = asked.source, asked.catalog
    wish = Question(" ".join(change.wish.split()))
    linked = with_knowledge(wish, link(wish, catalog, asked.index), knowledge_of(source))
    place = statement_at(change.text, len(change.text) if change.at is None else change.at, catalog.dialect)
    found = llm_rewritten(wish, place.text, linked, asked.llm, privacy=source.privacy, cancelled=cancelled)
    told = llm_asks.sent_kept(source, found.llm, found.sent)
    if refused := _refused(source, found):
        return unproposed(change, refused) | told
    clauses = f" Changed: {', '.join(found.clauses)}." if found.clauses else ""
    sql = change.text[: place.start] + found.sql + change.text[place.end :]
    return {"sql": sql, "words": f"Proposed by {found.llm}, a language model.{clauses}"} | told


def _refused(source: Source, found: LlmRewritten) -> str:
    """Say why a model's reply is not proposed; empty where it is."""
    who = f"{found.llm} was asked." if found.llm else ""
    if found.declined:
        return f"{who} It says that this cannot be done here: “{found.declined}”"
    if not found.sql:
        return f"{who} {found.why}".strip()
    problem = sql_problem(source, found.sql)
    return f"{who} Its SQL would be refused: {problem.what}" if problem is not None else ""

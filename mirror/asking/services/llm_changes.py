"""SQL of an editor changed in words by a language model: asked by a worker, for somebody who waits.

Where pages are made no model is called. What is proposed was admitted by the guard and is accepted change by change.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from django.db import close_old_connections, transaction
from django.utils import timezone

from mirror.asking.models import LlmChange
from mirror.asking.services.rewriting import Proposal
from mirror.knowledge.knowing import knowledge_of
from mirror.llms.budgets import budget_spent, uses_keep
from mirror.llms.opening import llms_open
from mirror.llms.selectors import llm_names
from mirror.llms.standing import opened_troubles_keep
from mirror.queries.helping import sql_problem
from mirror.sources.selectors import may_ask, may_see_values
from mirror.sources.sight import seen_by, sight_now, sight_of
from mirror.sources.unpacked import source_at_hand
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.recovery import row_look, waits_long
from mirror.work.watching import Watch
from sqlagent.catalog.hiding import usable
from sqlagent.errors import Cancelled, SqlAgentError
from sqlagent.makers.llm_rewriting import LlmRewritten, llm_rewritten
from sqlagent.method.linking import link
from sqlagent.method.templates import with_knowledge
from sqlagent.sql.statements import statement_at
from sqlagent.values import Question

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

# Seconds after which somebody is told that no worker comes; and how long a change is kept.
WORKER_SECONDS = 60
KEPT = timedelta(hours=1)

BROKEN = (
    "Something in Mirror itself broke while asking the language model. It was logged. Trying again may help."
)
GIVEN_UP = "The worker was interrupted {count} times over this."
STOPPED = "It was stopped."
NO_WORKER = f"No worker has taken this for {WORKER_SECONDS} seconds, and nothing was sent."
NOT_SEEN = "The source is not there for you any more."
NOT_READ = "The tables of this source were not read yet, so no language model was asked."


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
    LlmChange.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    under_way = LlmChange.objects.filter(owner=owner).exclude(status=Status.DONE)
    under_way.filter(status=Status.QUEUED).delete()
    under_way.update(stop_requested=True)
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


def llm_unasked(owner: User, source: Source) -> str:
    """Say which budget forbids to ask the source's language model now; empty where it may be asked."""
    spent = budget_spent(owner, source)
    return f"{spent} is used up, so no language model is asked." if spent else ""


def llm_asked(source: Source) -> str:
    """The language model that is asked for a source first; empty where none is set."""
    return next(iter(llm_names(source)), "")


def llm_change_look(change: LlmChange) -> None:
    """See to it that what somebody waits for is worked on, and end it in words when no worker is there."""
    if waits_long(change, change.created_at, WORKER_SECONDS):
        end_unheld(change, said=unproposed(change, NO_WORKER))
    row_look(change)


def llm_change_stop(change: LlmChange) -> None:
    """End a change: one that waits at once, one under way when its worker hears of it."""
    if change.status == Status.QUEUED:
        end_unheld(change, said=unproposed(change, STOPPED))
    LlmChange.objects.filter(pk=change.pk, status=Status.RUNNING).update(stop_requested=True)


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
        lease.end(said=storable(unproposed(change, STOPPED) if watch.is_stopped else said))


def llm_change_break(lease: Lease) -> None:
    """End a change that met an error nobody expected."""
    change = LlmChange.objects.filter(pk=str(lease.pk)).first()
    if change is not None:
        with suppress(LeaseLost):
            lease.end(said=unproposed(change, BROKEN))


def _said(change: LlmChange, cancelled: Flag) -> dict[str, Any]:
    """Ask once, within the rights, the budgets and the privacy of this moment."""
    owner = change.owner
    source = seen_by(owner, change.source)
    if not may_ask(owner, source) or sight_now(source).key != change.sight:
        return {"sql": "", "words": NOT_SEEN}
    if why := llm_unasked(owner, source):
        return unproposed(change, why)
    catalog, index = source_at_hand(source, is_page=False)
    if catalog is None:
        return unproposed(change, NOT_READ)
    catalog, index = usable(catalog, index if may_see_values(owner, source) else None)
    wish = Question(" ".join(change.wish.split()))
    linked = with_knowledge(wish, link(wish, catalog, index), knowledge_of(source))
    place = statement_at(change.text, len(change.text) if change.at is None else change.at, catalog.dialect)
    try:
        llms = llms_open(source, owner)
    except SqlAgentError as error:
        return unproposed(change, str(error))
    llm = llms.asked()
    if llm is None:
        return unproposed(
            change, " ".join(llms.notes) or "No language model is set for this source any more."
        )
    close_old_connections()
    try:
        found = llm_rewritten(wish, place.text, linked, llm, privacy=source.privacy, cancelled=cancelled)
    except Cancelled:
        return unproposed(change, STOPPED)
    finally:
        llms.close()
        opened_troubles_keep(llms)
        uses_keep(llms.all(), person=owner, source=source)
    told = {
        "llm": found.llm,
        "privacy": source.privacy,
        "sent": [{"role": one.role, "text": one.text} for one in found.sent],
    }
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

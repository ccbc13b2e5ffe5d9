"""Questions to a source's language model about the SQL of an editor: rights, budgets and privacy of the moment, and its ends in words.

Where pages are made no model is called: a worker asks, for somebody who waits, one thing of a kind at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import close_old_connections
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.models import LlmAsk
from mirror.llms.budgets import budget_spent, uses_keep
from mirror.llms.opening import llms_open
from mirror.llms.selectors import llm_names
from mirror.llms.standing import opened_troubles_keep
from mirror.sources.selectors import may_ask, may_see_values
from mirror.sources.sight import seen_by, sight_now
from mirror.sources.unpacked import source_at_hand
from mirror.work.leases import Status, end_unheld
from mirror.work.recovery import row_look, waits_long
from sqlagent.catalog.hiding import usable
from sqlagent.errors import SqlAgentError

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.ports import Llm
    from sqlagent.values import Catalog, LlmMessage

# Seconds after which somebody is told that no worker comes; and how long what was asked is kept.
WORKER_SECONDS = 60
KEPT = timedelta(hours=1)

BROKEN = gettext_noop(
    "Something in Mirror itself broke while asking the language model. It was logged. Trying again may help."
)
GIVEN_UP = "The worker was interrupted {count} times over this."
STOPPED = gettext_noop("It was stopped.")
NO_WORKER = f"No worker has taken this for {WORKER_SECONDS} seconds, and nothing was sent."
NOT_SEEN = gettext_noop("The source is not there for you any more.")
NOT_READ = gettext_noop("The tables of this source were not read yet, so no language model was asked.")
NOT_SET = gettext_noop("No language model is set for this source any more.")


class Unasked(Exception):
    """Why no language model is asked, in words. With `is_gone` the source is not there for who asks, and nothing else is told."""

    def __init__(self, words: str, *, is_gone: bool = False) -> None:
        super().__init__(words)
        self.is_gone = is_gone


@dataclass(frozen=True, slots=True)
class Asked:
    """A language model that may be asked now, with the source as its person sees it. `index` is None where stored values are hidden from them."""

    source: Source
    catalog: Catalog
    index: Any
    llm: Llm


def llm_asked(source: Source) -> str:
    """The language model that is asked for a source first; empty where none is set."""
    return next(iter(llm_names(source)), "")


def llm_unasked(owner: User, source: Source) -> str:
    """Say which budget forbids to ask the source's language model now; empty where it may be asked."""
    spent = budget_spent(owner, source)
    return _("%(budget)s is used up, so no language model is asked.") % {"budget": spent} if spent else ""


def earlier_end(model: type[LlmAsk], owner: User) -> None:
    """Forget what is over, and stop what the same person still waits for."""
    model._default_manager.filter(created_at__lt=timezone.now() - KEPT).delete()
    under_way = model._default_manager.filter(owner=owner).exclude(status=Status.DONE)
    under_way.filter(status=Status.QUEUED).delete()
    under_way.update(stop_requested=True)


def ask_look(row: LlmAsk, nobody: Mapping[str, Any]) -> None:
    """See to it that what somebody waits for is worked on, and end it with `nobody` when no worker is there."""
    if waits_long(row, row.created_at, WORKER_SECONDS):
        end_unheld(row, said=nobody)
    row_look(row)


def ask_stop(row: LlmAsk, stopped: Mapping[str, Any]) -> None:
    """End what waits at once, with `stopped`, and what is under way when its worker hears of it."""
    if row.status == Status.QUEUED:
        end_unheld(row, said=stopped)
    type(row)._default_manager.filter(pk=row.pk, status=Status.RUNNING).update(stop_requested=True)


@contextmanager
def llm_at_hand(row: LlmAsk) -> Iterator[Asked]:
    """Open the model of a row's source for its owner, within the rights, the budgets and the privacy of this moment, and keep its use.

    Raises: Unasked.
    """
    owner = row.owner
    source = seen_by(owner, row.source)
    if not may_ask(owner, source) or sight_now(source).key != row.sight:
        raise Unasked(NOT_SEEN, is_gone=True)
    if why := llm_unasked(owner, source):
        raise Unasked(why)
    catalog, index = source_at_hand(source, is_page=False)
    if catalog is None:
        raise Unasked(NOT_READ)
    catalog, index = usable(catalog, index if may_see_values(owner, source) else None)
    try:
        llms = llms_open(source, owner)
    except SqlAgentError as error:
        raise Unasked(str(error)) from None
    llm = llms.asked()
    if llm is None:
        raise Unasked(" ".join(llms.notes) or NOT_SET)
    close_old_connections()
    try:
        yield Asked(source, catalog, index, llm)
    finally:
        llms.close()
        opened_troubles_keep(llms)
        uses_keep(llms.all(), person=owner, source=source)


def sent_kept(source: Source, llm: str, sent: tuple[LlmMessage, ...]) -> dict[str, Any]:
    """The sent messages, for readers of the run."""
    return {
        "llm": llm,
        "privacy": source.privacy,
        "sent": [{"role": one.role, "text": one.text} for one in sent],
    }

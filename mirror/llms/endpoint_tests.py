"""One call of a language model by a worker, for an administrator who waits: what was sent, and what came back.

A worker makes it, as it makes those of questions: where pages are made no model is called.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.llms.addresses import UrlRefused
from mirror.llms.budgets import uses_keep
from mirror.llms.models import Endpoint, EndpointTest
from mirror.llms.opening import endpoint_open, settings_open
from mirror.llms.selectors import settings_llms
from mirror.llms.standing import troubles_keep
from mirror.secrets import SecretUnreadable
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.recovery import row_look, waits_long
from mirror.work.watching import Watch
from sqlagent.errors import SqlAgentError
from sqlagent.values import LlmMessage, LlmRequest

if TYPE_CHECKING:
    from mirror.people.models import User
    from sqlagent.adapters.openai import OpenAiLlm

# Seconds after which an administrator is told that no worker takes a test; and how long a test is kept.
WORKER_SECONDS = 60
KEPT = timedelta(hours=1)
# Characters of a reply that are shown.
REPLY_CHARS = 4_000

BROKEN = "Something in Mirror itself broke while doing this. It was logged. Trying again may help."
GIVEN_UP = "The worker was interrupted {count} times over this call."
STOPPED = "It was stopped."
NO_WORKER = f"No worker has taken this for {WORKER_SECONDS} seconds, and nothing was sent. Ask whether the workers run."
NOT_SET = "No language model is set where Mirror runs."

# Nothing of a source: any model may be tried, whatever it may be used for.
REQUEST = LlmRequest(
    (
        LlmMessage("system", "You write SQL. Reply with one SQL statement and nothing else."),
        LlmMessage(
            "user",
            "The table city has the columns id, name and country. How many cities are there in each country?",
        ),
    ),
    purpose="test",
)


@transaction.atomic
def endpoint_test_ask(endpoint: Endpoint | None, by: User) -> EndpointTest:
    """Have a worker call an endpoint, or the model of the settings. An earlier test that somebody waits for is ended."""
    EndpointTest.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    under_way = EndpointTest.objects.filter(owner=by).exclude(status=Status.DONE)
    under_way.filter(status=Status.QUEUED).delete()
    under_way.update(stop_requested=True)
    test = EndpointTest.objects.create(owner=by, endpoint=endpoint)
    record("tested a language model", endpoint or "the model of the settings", by=by)
    send(test)
    return test


def endpoint_test_look(test: EndpointTest) -> None:
    """See to it that what somebody waits for is worked on, and end it in words when no worker is there."""
    if waits_long(test, test.created_at, WORKER_SECONDS):
        end_unheld(test, said={"error": NO_WORKER})
    row_look(test)


def endpoint_test_stop(test: EndpointTest) -> None:
    """End a test: one that waits at once, one under way when its worker hears of it."""
    if test.status == Status.QUEUED:
        end_unheld(test, said={"error": STOPPED})
    EndpointTest.objects.filter(pk=test.pk, status=Status.RUNNING).update(stop_requested=True)


# ---------------------------------------------------------------- a worker's part


def endpoint_test_do(lease: Lease) -> None:
    """Call the model and say what came of it."""
    test = EndpointTest.objects.select_related("endpoint", "owner").filter(pk=str(lease.pk)).first()
    if test is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        said = _said(test, watch.cancelled)
        lease.end(said={"error": STOPPED} if watch.is_stopped else storable(said))


def endpoint_test_break(lease: Lease) -> None:
    """End a test that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said={"error": BROKEN})


def _said(test: EndpointTest, cancelled: Flag) -> dict[str, Any]:
    """Call once, without a second try, and tell it. It counts as a use of who asked for it."""
    endpoint = test.endpoint
    sent = [{"role": message.role, "text": message.text} for message in REQUEST.messages]
    begun = time.monotonic()
    try:
        llm = _opened(endpoint)
    except (UrlRefused, SecretUnreadable, SqlAgentError) as error:
        return {"error": str(error)}
    if llm is None:
        return {"error": NOT_SET}
    try:
        reply = llm.complete(REQUEST, cancelled)
    except SqlAgentError as error:
        lost = llm.usage
        return {
            "error": str(error),
            "sent": sent,
            "seconds": round(time.monotonic() - begun, 2),
            "prompt_tokens": lost.prompt_tokens,
            "reply_tokens": lost.completion_tokens,
            "estimated_tokens": lost.estimated_tokens,
        }
    finally:
        llm.close()
        troubles_keep([(endpoint, llm)] if endpoint is not None else [])
        uses_keep([llm], person=test.owner, source=None)
    usage = reply.usage
    return {
        "sent": sent,
        "reply": _without_key(reply.text, endpoint)[:REPLY_CHARS],
        "seconds": round(usage.seconds, 2),
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.completion_tokens,
        "estimated_tokens": usage.estimated_tokens,
        "money": usage.money,
        "currency": settings.LLM_CURRENCY,
    }


def _opened(endpoint: Endpoint | None) -> OpenAiLlm | None:
    if endpoint is not None:
        return endpoint_open(endpoint, max_retries=0)
    found = settings_llms()
    return settings_open(found[0], max_retries=0) if found else None


def _without_key(text: str, endpoint: Endpoint | None) -> str:
    """A reply in which no server gives the key back."""
    key = str(endpoint.key) if endpoint is not None else settings.LLM_API_KEY
    return text.replace(key, "***") if key else text

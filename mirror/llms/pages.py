"""Data of the pages of language models. No key is in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Prefetch
from django.utils.translation import gettext as _

from mirror.llms.models import Endpoint, EndpointTest
from mirror.llms.selectors import settings_llms
from mirror.phrases import plain_number, separated
from mirror.secrets import is_kept
from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class EndpointLine:
    """One endpoint in the order in which they are asked."""

    id: int
    name: str
    model: str
    address: str
    has_key: bool
    prices: str
    sources: tuple[str, ...]
    is_for_all: bool
    is_on: bool
    trouble: str
    trouble_at: datetime | None
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class SettingsLine:
    """A model of the settings, to be read alone."""

    model: str
    host: str
    has_key: bool
    prices: str


@dataclass(frozen=True, slots=True)
class EndpointsPage:
    """All language models: those of the interface, then those of the settings."""

    lines: tuple[EndpointLine, ...]
    settings: tuple[SettingsLine, ...]
    ranker: str


@dataclass(frozen=True, slots=True)
class TestedPage:
    """A test of one endpoint, or of the model of the settings: what was sent and what came back, once it has ended."""

    id: UUID
    endpoint: Endpoint | None
    status: str
    is_ended: bool
    error: str
    sent: tuple[dict[str, str], ...]
    reply: str
    seconds: float
    prompt_tokens: int
    reply_tokens: int
    estimated_tokens: int
    cost: str


def tested_page(test: EndpointTest) -> TestedPage:
    """Show a test as far as it is."""
    said = test.said
    return TestedPage(
        id=test.pk,
        endpoint=test.endpoint,
        status=test.status,
        is_ended=test.is_ended,
        error=said.get("error", ""),
        sent=tuple(said.get("sent", ())),
        reply=said.get("reply", ""),
        seconds=said.get("seconds", 0.0),
        prompt_tokens=said.get("prompt_tokens", 0),
        reply_tokens=said.get("reply_tokens", 0),
        estimated_tokens=said.get("estimated_tokens", 0),
        cost=f"{separated(format(said['money'], ',.3g'))} {said['currency']}" if said.get("money") else "",
    )


def endpoints_page() -> EndpointsPage:
    """List what may be asked."""
    found = list(Endpoint.objects.prefetch_related(Prefetch("sources", Source.objects.only("name"))))
    lines = tuple(
        EndpointLine(
            id=one.pk,
            name=one.name,
            model=one.model,
            address=one.base_url,
            has_key=is_kept(one, "key"),
            prices=_prices(one.price_prompt, one.price_reply),
            sources=tuple(sorted(source.name for source in one.sources.all())),
            is_for_all=one.is_for_all,
            is_on=one.is_on,
            trouble=one.trouble,
            trouble_at=one.trouble_at,
            is_first=at == 0,
            is_last=at == len(found) - 1,
        )
        for at, one in enumerate(found)
    )
    own = tuple(SettingsLine(one.model, one.host, bool(one.key), one.prices) for one in settings_llms())
    return EndpointsPage(lines, own, settings.RANKER_MODEL if settings.RANKER_BASE_URL else "")


def _prices(prompt: float, reply: float) -> str:
    """Give the prices of a million tokens in words; empty where they cost nothing."""
    return (
        _("%(prompt)s in, %(reply)s out %(currency)s a million tokens")
        % {
            "prompt": plain_number(prompt),
            "reply": plain_number(reply),
            "currency": settings.LLM_CURRENCY,
        }
        if prompt or reply
        else ""
    )

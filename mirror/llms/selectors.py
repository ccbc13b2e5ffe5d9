"""Which language models there are, and which are asked for a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q, QuerySet

from mirror.llms.models import Endpoint

if TYPE_CHECKING:
    from mirror.sources.models import Source

# Where an API key alone leads.
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class SettingsLlm:
    """A language model of the settings (`.env`)."""

    url: str
    model: str
    key: str
    prices: str

    @property
    def host(self) -> str:
        """Its address without a name and a password that stand in it."""
        return urlsplit(self.url).netloc.rpartition("@")[2] or self.url


def settings_llms() -> tuple[SettingsLlm, ...]:
    """The language models of the settings: none, one, or one and the one to fall back on."""
    if not (settings.LLM_BASE_URL or settings.LLM_API_KEY):
        return ()
    first = SettingsLlm(
        settings.LLM_BASE_URL or OPENAI_URL, settings.LLM_MODEL, settings.LLM_API_KEY, settings.LLM_PRICES
    )
    if not settings.LLM_SECOND_BASE_URL:
        return (first,)
    model = settings.LLM_SECOND_MODEL or settings.LLM_MODEL
    url, key = settings.LLM_SECOND_BASE_URL, settings.LLM_SECOND_API_KEY
    return first, SettingsLlm(url, model, key, settings.LLM_SECOND_PRICES)


def endpoints_for(source: Source) -> QuerySet[Endpoint]:
    """The endpoints that a source's questions may go to, the preferred one first."""
    theirs = Endpoint.objects.filter(sources=source.pk).values("pk")
    return Endpoint.objects.filter(Q(is_for_all=True) | Q(pk__in=theirs), is_on=True)


def llm_names(source: Source) -> tuple[str, ...]:
    """The language models asked for a source, the preferred one first; none: the built-in analyst answers.

    Those of the settings where no endpoint may be used for it.
    """
    own = tuple(endpoint.label for endpoint in endpoints_for(source))
    return own or tuple(one.model for one in settings_llms())

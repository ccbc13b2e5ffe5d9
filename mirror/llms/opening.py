"""Language models opened to be asked, as they are set at this moment: nobody has to start anything again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from mirror.llms.addresses import UrlRefused, host_check
from mirror.llms.budgets import budget_over
from mirror.llms.selectors import endpoints_for, settings_llms
from mirror.secrets import SecretUnreadable
from sqlagent.method.fallback import FallbackLlm, Rests
from sqlagent.ports import Llm
from sqlagent.values import Prices

if TYPE_CHECKING:
    from mirror.llms.models import Endpoint
    from mirror.llms.selectors import SettingsLlm
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.adapters.openai import OpenAiLlm


# Servers that failed of late, for all runs of this process: else each question would wait for a silent one anew.
_RESTS = Rests()


@dataclass(frozen=True, slots=True)
class OpenLlms:
    """The models that a source's questions go to, the preferred one first; `ranker` only ranks. `notes` tell of those left out.

    `keys` name each of `llms` with all its settings, so that a changed one counts as another; `endpoints` are their rows, where they have some.
    `over` says which budget is used up, where there are models and none may be asked.
    """

    llms: tuple[OpenAiLlm, ...] = ()
    ranker: OpenAiLlm | None = None
    notes: tuple[str, ...] = ()
    over: str = ""
    keys: tuple[str, ...] = ()
    endpoints: tuple[Endpoint, ...] = ()

    def asked(self, around: Callable[[Llm], Llm] | None = None) -> Llm | None:
        """Give the model to ask: the first, with the next as its fallback, wrapped by `around`.

        One that failed is left alone for a minute by all runs of this process.
        """
        llm: Llm | None = None
        for one, key in zip(reversed(self.llms), reversed(self.keys), strict=True):
            llm = one if llm is None else FallbackLlm(one, llm, rests=_RESTS, key=key)
        return around(llm) if llm is not None and around is not None else llm

    def ranking(self, around: Callable[[Llm], Llm] | None = None) -> Llm | None:
        """Give the model that ranks, wrapped by `around`."""
        return around(self.ranker) if self.ranker is not None and around is not None else self.ranker

    def all(self) -> tuple[OpenAiLlm, ...]:
        """List every model that may have been asked."""
        return (*self.llms, *([self.ranker] if self.ranker else []))

    def close(self) -> None:
        """Give idle connections back."""
        for one in self.all():
            one.close()


def llms_open(source: Source, person: User | None = None) -> OpenLlms:
    """Open the models that a source's questions may go to: its endpoints, else those of the settings.

    None where a budget of the source, the person or one of their teams is used up.

    From endpoints nothing goes to the models of the settings: the choice of endpoints for a source rules out all others. One whose key cannot be read or that may not be called is left out, with a note. Raises: LlmRejected for settings
    that cannot work.
    """
    endpoints = list(endpoints_for(source))
    if (endpoints or settings_llms()) and (over := budget_over(person, source)):
        return OpenLlms(notes=(over,), over=over)
    if not endpoints:
        return _of_settings()
    llms, notes, keys, opened = [], [], [], []
    for endpoint in endpoints:
        try:
            llms.append(endpoint_open(endpoint))
        except (UrlRefused, SecretUnreadable) as error:
            why = "Its address may not be called." if isinstance(error, UrlRefused) else error
            notes.append(f"{endpoint.label} was not asked: {why}")
            continue
        prices = endpoint.price_prompt, endpoint.price_reply
        keys.append(_key(endpoint.pk, endpoint.label, endpoint.base_url, str(endpoint.key), *prices))
        opened.append(endpoint)
    return OpenLlms(tuple(llms), notes=tuple(notes), keys=tuple(keys), endpoints=tuple(opened))


def endpoint_open(endpoint: Endpoint, **more: Any) -> OpenAiLlm:
    """Open one endpoint. Raises: UrlRefused, SecretUnreadable, LlmRejected."""
    from sqlagent.adapters.openai import Told

    host_check(endpoint.base_url)
    return _opened(
        endpoint.base_url,
        endpoint.model,
        str(endpoint.key),
        Prices(endpoint.price_prompt, endpoint.price_prompt, endpoint.price_reply),
        label=endpoint.label,
        told=Told("its address", "its model", "its key"),
        follows=False,
        **more,
    )


def settings_open(one: SettingsLlm, **more: Any) -> OpenAiLlm:
    """Open a model of the settings. Raises: LlmRejected."""
    return _opened(one.url, one.model, one.key, Prices.read(one.prices), **more)


def settings_keys() -> dict[str, SettingsLlm]:
    """The models of the settings by the names that stand for all their settings."""
    return {_key(one): one for one in settings_llms()}


def _of_settings() -> OpenLlms:
    """The first of two is asked once and not again: the second is there for that."""
    found = settings_llms()
    if not found:
        return OpenLlms()
    once = {"max_retries": 0} if len(found) > 1 else {}
    llms = (settings_open(found[0], **once), *map(settings_open, found[1:]))
    return OpenLlms(llms, _ranker(), keys=tuple(map(_key, found)))


def _key(*settings_of: object) -> str:
    """Name a language model by all its settings; none can be read from the name."""
    return hashlib.sha256(repr((settings_of, settings.LLM_TIMEOUT)).encode()).hexdigest()


def _ranker() -> OpenAiLlm | None:
    if not settings.RANKER_BASE_URL:
        return None
    url, model, key = settings.RANKER_BASE_URL, settings.RANKER_MODEL, settings.RANKER_API_KEY
    return _opened(url, model, key, Prices.read(settings.RANKER_PRICES))


def _opened(url: str, model: str, key: str, prices: Prices, **more: Any) -> OpenAiLlm:
    # Loaded by whom it serves: it is a quarter of what each process takes to start (0.5 s).
    from sqlagent.adapters.openai import OpenAiLlm

    wish = {"timeout": settings.LLM_TIMEOUT, "stream": settings.LLM_STREAM} | more
    return OpenAiLlm(base_url=url, model=model, api_key=key, prices=prices, **wish)

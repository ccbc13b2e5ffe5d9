"""How language models do, those of the interface and of the settings: why their last call failed, kept for administrators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils import timezone

from mirror.llms.models import Endpoint, SettingsTrouble
from mirror.secrets import SecretUnreadable
from mirror.storable import storable
from mirror.work.store import store_keep

if TYPE_CHECKING:
    from mirror.llms.opening import OpenLlms
    from sqlagent.adapters.openai import OpenAiLlm

# Characters of a failure that are kept.
TROUBLE_CHARS = 1_000


def opened_troubles_keep(opened: OpenLlms) -> None:
    """Keep of all models that were opened for a source, of the interface or of the settings, how their last call went."""
    if opened.endpoints:
        troubles_keep(zip(opened.endpoints, opened.llms, strict=False))
        return
    told = [
        (key, llm.trouble)
        for key, llm in zip(opened.keys, opened.llms, strict=True)
        if llm.trouble is not None
    ]

    def write() -> None:
        for key, trouble in told:
            words = str(storable(trouble))[:TROUBLE_CHARS]
            found = SettingsTrouble.objects.filter(key=key)
            if not words:
                found.delete()
            elif not found.filter(trouble=words).exists():
                SettingsTrouble.objects.update_or_create(
                    key=key, defaults={"trouble": words, "trouble_at": timezone.now()}
                )

    if told:
        store_keep(write)


def troubles_keep(opened: Iterable[tuple[Endpoint, OpenAiLlm]]) -> None:
    """Keep of endpoints that were called whether the last call failed, and why; wait for a store that is away.

    One whose settings were changed meanwhile keeps nothing: its failure was that of the settings before.
    """
    told = [(endpoint, llm.trouble) for endpoint, llm in opened if llm.trouble is not None]

    def write() -> None:
        for endpoint, trouble in told:
            words = str(storable(trouble))[:TROUBLE_CHARS]
            same = {"pk": endpoint.pk, "base_url": endpoint.base_url, "model": endpoint.model}
            rows = Endpoint.objects.filter(**same).exclude(trouble=words)
            if any(_key_of(row) == _key_of(endpoint) for row in rows):
                rows.update(trouble=words, trouble_at=timezone.now() if words else None)

    if told:
        store_keep(write)


def _key_of(endpoint: Endpoint) -> str | None:
    """The key of an endpoint; None where it cannot be read."""
    try:
        return str(endpoint.key)
    except SecretUnreadable:
        return None

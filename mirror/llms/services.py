"""Actions of administrators on language models: add, change, order and remove them, and bound their use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max

from mirror.audit.services import record
from mirror.llms.models import Endpoint, MonthlyBudget
from mirror.secrets import is_kept

if TYPE_CHECKING:
    from mirror.people.models import Team, User
    from mirror.sources.models import Source

# Fields of an endpoint that the audit names when they change.
FIELDS = ("name", "base_url", "model", "price_prompt", "price_reply", "is_on")


class SubjectGone(Exception):
    """The subject of a budget was deleted; the message is fit to be shown."""


@transaction.atomic
def endpoint_keep(endpoint: Endpoint, sources: Iterable[Source] | None, by: User, *, new_key: bool) -> None:
    """Keep a new or a changed endpoint; `sources` are those it may be used for, None all.

    `new_key`: its key was typed or taken away, so that this is told.
    """
    before = Endpoint.objects.filter(pk=endpoint.pk).first() if endpoint.pk else None
    endpoint.is_for_all = sources is None
    endpoint.trouble, endpoint.trouble_at = "", None
    if before is None:
        endpoint.place = (Endpoint.objects.aggregate(last=Max("place"))["last"] or 0) + 1
    endpoint.save()
    chosen = sorted(sources or (), key=lambda source: source.name)
    endpoint.sources.set(chosen)
    told: dict[str, Any] = {
        "address": endpoint.base_url,
        "model": endpoint.model,
        "sources": "all" if sources is None else [source.name for source in chosen],
        "has_key": is_kept(endpoint, "key"),
    }
    if before is None:
        record("added a language model", endpoint, by=by, **told)
        return
    changed = [name for name in FIELDS if getattr(before, name) != getattr(endpoint, name)]
    changed += ["key"] if new_key else []
    record("changed a language model", endpoint, by=by, changed=changed, **told)


@transaction.atomic
def endpoint_move(endpoint: Endpoint, *, up: bool, by: User) -> None:
    """Ask an endpoint before the one before it, or after the one after it; nothing happens where none is there, or it was removed itself."""
    order = list(Endpoint.objects.select_for_update())
    if endpoint not in order:
        return
    at = order.index(endpoint)
    to = at - 1 if up else at + 1
    if not 0 <= to < len(order):
        return
    order[at], order[to] = order[to], order[at]
    for place, one in enumerate(order, 1):
        Endpoint.objects.filter(pk=one.pk).update(place=place)
    record("changed a language model", endpoint, by=by, place=to + 1)


@transaction.atomic
def endpoint_remove(endpoint: Endpoint, by: User) -> None:
    """Remove an endpoint with its key. Runs under way finish with it."""
    address, model = endpoint.base_url, endpoint.model
    record("removed a language model", endpoint, by=by, address=address, model=model)
    endpoint.delete()


@transaction.atomic
def budget_set(about: User | Team | Source | None, tokens: int | None, money: float | None, by: User) -> None:
    """Bound what a person, a team, a source, or without one every person, may use in a month; in place of an earlier bound.

    Raises: SubjectGone.
    """
    kind = about._meta.model_name if about is not None else ""
    place = {"user": "person", "team": "team", "source": "source"}.get(str(kind), "")
    key = f"{place}-{about.pk}" if about is not None else MonthlyBudget.EVERYBODY
    found = {place: about} if about is not None else {}
    # Held until the budget is kept: one deleted in between would be found by the store alone.
    if about is not None and not _held(about):
        raise SubjectGone(f"This {place} was deleted in the meantime. Nothing was set.")
    budget, _ = MonthlyBudget.objects.update_or_create(
        key=key,
        defaults={"tokens": tokens, "money": money},
        create_defaults={"tokens": tokens, "money": money, **found},
    )
    record("set a budget", budget, by=by, of=place or "every person", tokens=tokens, money=_told(money))


def _held(row: User | Team | Source) -> bool:
    """Hold a row for the rest of the transaction; False where it is gone."""
    rows = type(row)._default_manager.select_for_update().filter(pk=row.pk)
    return bool(rows.values_list("pk", flat=True))


@transaction.atomic
def budget_remove(budget: MonthlyBudget, by: User) -> None:
    """Bound it no longer."""
    record("took back a budget", budget, by=by, tokens=budget.tokens, money=_told(budget.money))
    budget.delete()


def _told(money: float | None) -> str:
    return f"{money:g}" if money is not None else ""

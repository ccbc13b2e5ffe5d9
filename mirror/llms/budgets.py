"""Use of language models in a month, and the budgets that bound it.

A budget is compared when a run begins: runs under way may exceed it, each by its own cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from mirror.llms.models import LABEL_CHARS, MonthlyBudget, Use
from mirror.work.store import store_keep

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.adapters.openai import OpenAiLlm

# Beyond this share of a budget people are warned before they ask.
NEAR = 0.8


@dataclass(frozen=True, slots=True)
class Used:
    """Calls, tokens and money of a month. `estimated_tokens` are those that no server counted."""

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    money: float = 0.0
    estimated_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Sent and replied together: budgets count them alike."""
        return self.prompt_tokens + self.reply_tokens


@dataclass(frozen=True, slots=True)
class Standing:
    """One budget and its use this month."""

    budget: MonthlyBudget
    used: Used
    month: date

    @property
    def share(self) -> float:
        """The used part of it, 1 at its bound; of two bounds the nearer one."""
        bounds = ((self.used.tokens, self.budget.tokens), (self.used.money, self.budget.money))
        return max((_share(used, most) for used, most in bounds if most is not None), default=0.0)

    @property
    def is_used_up(self) -> bool:
        """Whether no further run may begin with a language model."""
        return self.share >= 1

    @property
    def subject(self) -> str:
        """Which budget it is, to somebody whose question it bounds.

        Example:
            >>> Standing(MonthlyBudget(), Used(), date(2026, 11, 1)).subject
            'Your language-model budget for November'
        """
        month = date_format(self.month, "F")
        if self.budget.source_id:
            return _("The language-model budget of this source for %(month)s") % {"month": month}
        if self.budget.team is not None:
            said = _("The language-model budget of the team %(team)s for %(month)s")
            return said % {"team": self.budget.team, "month": month}
        return _("Your language-model budget for %(month)s") % {"month": month}

    @property
    def warning(self) -> str:
        """The warning for somebody who is about to ask; empty while enough is left."""
        if self.is_used_up:
            after = (self.month + timedelta(days=31)).replace(day=1)
            said = _("%(budget)s is used up: the built-in analyst answers until %(month)s.")
            return said % {"budget": self.subject, "month": date_format(after, "F")}
        said = _("%(budget)s is used to %(percent)s %%.")
        return said % {"budget": self.subject, "percent": int(self.share * 100)} if self.share > NEAR else ""


def _share(used: float, most: float) -> float:
    return used / most if most else 1.0


def month_now() -> date:
    """Give the first day of this month, in the time zone of the settings."""
    return timezone.localdate().replace(day=1)


def used_of(uses: QuerySet[Use]) -> Used:
    """Add uses up."""
    summed = uses.aggregate(
        calls=Sum("calls", default=0),
        prompt_tokens=Sum("prompt_tokens", default=0),
        reply_tokens=Sum("reply_tokens", default=0),
        money=Sum("money", default=0.0),
        estimated_tokens=Sum("estimated_tokens", default=0),
    )
    return Used(**summed)


def standings(person: User | None, source: Source | None) -> list[Standing]:
    """List the budgets that bound a question of somebody on a source, each with its use this month.

    A person's own budget goes before that of every person.
    """
    about = Q(source=source.pk) if source is not None else Q(pk=None)
    if person is not None:
        about |= Q(person=person) | Q(team__members=person) | Q(key=MonthlyBudget.EVERYBODY)
    found = list(MonthlyBudget.objects.filter(about).select_related("team").distinct())
    if any(budget.person_id for budget in found):
        found = [budget for budget in found if budget.key != MonthlyBudget.EVERYBODY]
    month = month_now()
    return [Standing(budget, used_of(_uses(budget, person).filter(month=month)), month) for budget in found]


def _uses(budget: MonthlyBudget, person: User | None) -> QuerySet[Use]:
    if budget.source_id:
        return Use.objects.filter(source=budget.source_id)
    if budget.team_id:
        return Use.objects.filter(teams=budget.team_id)
    return Use.objects.filter(person=person)


def budget_spent(person: User | None, source: Source) -> str:
    """Name the budget that is used up, so that no language model may be asked now; empty where one may."""
    over = next((one for one in standings(person, source) if one.is_used_up), None)
    return over.subject if over is not None else ""


def budget_over(person: User | None, source: Source) -> str:
    """Say why no language model may be asked now, in the words of the run; empty where one may."""
    spent = budget_spent(person, source)
    return f"{spent} is used up: the built-in analyst was asked instead." if spent else ""


def budget_warnings(person: User, source: Source) -> tuple[str, ...]:
    """List the warnings for somebody who is about to ask."""
    return tuple(one.warning for one in standings(person, source) if one.warning)


def uses_keep(
    llms: Iterable[OpenAiLlm], *, person: User | None, source: Source | None, run: int | None = None
) -> None:
    """Keep the use of opened models, calls in vain included; wait for a store that is away."""
    used = [(llm.name, llm.usage) for llm in llms if llm.usage.calls]
    if not used:
        return

    def write() -> None:
        teams = list(person.teams.all()) if person is not None else []
        for name, usage in used:
            kept = Use.objects.create(
                month=month_now(),
                person=person,
                source=source,
                run=run,
                llm=name[:LABEL_CHARS],
                calls=usage.calls,
                prompt_tokens=usage.prompt_tokens,
                cached_tokens=usage.cached_tokens,
                reply_tokens=usage.completion_tokens,
                estimated_tokens=usage.estimated_tokens,
                money=usage.money,
            )
            kept.teams.set(teams)

    store_keep(write)

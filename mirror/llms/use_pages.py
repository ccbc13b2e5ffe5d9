"""Data of the pages on use of language models: a month for administrators, one's own for everybody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext as _

from mirror.llms.budgets import Standing, Used, month_now, standings, used_of
from mirror.llms.models import MonthlyBudget, Use
from mirror.people.models import Team, User
from mirror.phrases import counted, plain_number, separated
from mirror.sources.models import Source

if TYPE_CHECKING:
    from django.db.models import QuerySet

# Rows of one table: those that used most.
ROWS = 100
# Months that can be chosen, and months of one's own.
MONTHS, OWN_MONTHS = 36, 6
FORM = "%Y-%m"
FIGURES = ("calls", "prompt_tokens", "reply_tokens", "money", "estimated_tokens")


@dataclass(frozen=True, slots=True)
class UseLine:
    """The use of one person, team, source or model; `percent` is that of its budget, where it has one."""

    name: str
    used: Used
    money: str
    percent: int | None
    look: str


@dataclass(frozen=True, slots=True)
class UseTable:
    """The use of all persons, teams, sources or models, most tokens first."""

    kind: str
    title: str
    lines: tuple[UseLine, ...]


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """One budget in words."""

    id: int
    about: str
    kind: str
    bounds: str


@dataclass(frozen=True, slots=True)
class UsePage:
    """A month of everybody, and the budgets. Budgets of earlier months are not kept: `is_past` months are held against those of now."""

    month: date
    months: tuple[tuple[str, date], ...]
    chosen: str
    is_past: bool
    tables: tuple[UseTable, ...]
    budgets: tuple[BudgetLine, ...]
    total: str
    currency: str


@dataclass(frozen=True, slots=True)
class OwnUse:
    """Somebody's use in the last months, and their budgets of this one."""

    months: tuple[tuple[date, str], ...]
    budgets: tuple[tuple[str, int, str], ...]


def use_page(typed: str) -> UsePage:
    """Show the month that is named as 2026-11, else this one."""
    known = sorted({*Use.objects.values_list("month", flat=True).distinct(), month_now()}, reverse=True)[
        :MONTHS
    ]
    month = next((one for one in known if one.strftime(FORM) == typed), month_now())
    uses = Use.objects.filter(month=month)
    budgets = list(MonthlyBudget.objects.select_related("person", "team", "source").defer("source__catalog"))
    return UsePage(
        month=month,
        months=tuple((one.strftime(FORM), one) for one in known),
        chosen=month.strftime(FORM),
        is_past=month < month_now(),
        tables=(
            UseTable("person", _("People"), _lines(uses, "person", User, "username", budgets)),
            UseTable("team", _("Teams"), _lines(uses, "teams", Team, "name", budgets)),
            UseTable("source", _("Sources"), _lines(uses, "source", Source, "name", budgets)),
            UseTable("llm", _("Language models"), _models(uses)),
        ),
        budgets=tuple(
            BudgetLine(one.pk, str(one), one.key.partition("-")[0], _bounds(one)) for one in budgets
        ),
        total=_said(used_of(uses)),
        currency=settings.LLM_CURRENCY,
    )


def own_use(person: User) -> OwnUse:
    """Show what somebody used, a month a line, and how much of their budgets."""
    rows = _summed(Use.objects.filter(person=person), "month").order_by("-month")[:OWN_MONTHS]
    stands = standings(person, None)
    return OwnUse(
        months=tuple((row["month"], _said(_used(row))) for row in rows),
        budgets=tuple((f"{one.subject}, {_bounds(one.budget)}", _percent(one), _look(one)) for one in stands),
    )


def _summed(uses: QuerySet[Use], by: str) -> Any:
    return uses.order_by().values(by).annotate(**{f"{name}_sum": Sum(name) for name in FIGURES})


def _used(row: dict[str, Any]) -> Used:
    return Used(**{name: row[f"{name}_sum"] for name in FIGURES})


def _lines(
    uses: QuerySet[Use],
    by: str,
    model: type[User] | type[Team] | type[Source],
    named: str,
    budgets: Iterable[MonthlyBudget],
) -> tuple[UseLine, ...]:
    """Give one line for each that used something, or has a budget of its own; use without a known person or source comes last."""
    used = {row[by]: _used(row) for row in _summed(uses, by)}
    place = by.removesuffix("s")
    own = {getattr(one, f"{place}_id"): one for one in budgets if getattr(one, f"{place}_id")}
    every = (
        next((one for one in budgets if one.key == MonthlyBudget.EVERYBODY), None) if by == "person" else None
    )
    names = dict(model._default_manager.filter(pk__in={*used, *own} - {None}).values_list("pk", named))
    lines = [_line(name, used.get(pk, Used()), own.get(pk, every)) for pk, name in names.items()]
    lines.sort(key=lambda line: (-line.used.tokens, line.name))
    nobody = {"person": _("From a shell"), "source": _("Tests, and sources that are gone")}.get(by)
    if nobody and None in used:
        lines = [*lines[:ROWS], _line(nobody, used[None], None)]
    return tuple(lines[: ROWS + 1])


def _models(uses: QuerySet[Use]) -> tuple[UseLine, ...]:
    lines = [_line(row["llm"], _used(row), None) for row in _summed(uses, "llm")]
    return tuple(sorted(lines, key=lambda line: (-line.used.tokens, line.name))[:ROWS])


def _line(name: str, used: Used, budget: MonthlyBudget | None) -> UseLine:
    stands = Standing(budget, used, month_now()) if budget is not None else None
    return UseLine(
        name,
        used,
        plain_number(used.money, 4) if used.money else "",
        _percent(stands) if stands else None,
        _look(stands) if stands else "",
    )


def _percent(stands: Standing) -> int:
    return int(stands.share * 100)


def _look(stands: Standing) -> str:
    return "badge-bad" if stands.is_used_up else "badge-warn" if stands.warning else ""


def _bounds(budget: MonthlyBudget) -> str:
    """Give its bounds in words."""
    tokens = counted(budget.tokens, "token") if budget.tokens is not None else ""
    money = f"{plain_number(budget.money)} {settings.LLM_CURRENCY}" if budget.money is not None else ""
    return ", ".join(filter(None, (tokens, money)))


def _said(used: Used) -> str:
    """Give use in words."""
    said = [counted(used.calls, "call"), counted(used.tokens, "token")]
    if used.estimated_tokens:
        about = separated(f"{used.estimated_tokens:,}")
        said.append(_("of these about %(count)s estimated") % {"count": about})
    if used.money:
        said.append(f"{plain_number(used.money, 4)} {settings.LLM_CURRENCY}")
    return ", ".join(said)

"""Data of the pages of upkeep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.utils.translation import gettext as _

from mirror.audit.models import HERE, AuditRow
from mirror.audit.selectors import rows_found, rows_visible
from mirror.audit.verbs import detail_said, said, value_said
from mirror.paging import Pager, pager_of
from mirror.upkeep.forms import AuditForm, TransferForm
from mirror.upkeep.selectors import OwnedThing

if TYPE_CHECKING:
    from mirror.people.models import User

ROWS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class OwnedPage:
    """Everything that one person owns, and the form that transfers it; `chosen` are the keys that are ticked."""

    person: User
    things: list[OwnedThing]
    questions: int
    form: TransferForm
    chosen: set[str]
    error: str


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One row of the audit in words."""

    at: datetime
    who: str
    verb: str
    thing: str
    kind: str
    origin: str
    is_refused: bool
    details: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Rows of the audit that somebody may see, the newest first."""

    lines: list[AuditLine]
    pager: Pager
    form: AuditForm
    search: str
    is_searched: bool


def audit_page(user: User, search: str, form: AuditForm, number: str) -> AuditPage:
    """Show the rows that are looked for; fields that cannot be read find no rows."""
    asked: dict[str, Any] = form.cleaned_data if form.is_valid() else {}
    since, until, about = asked.get("since"), asked.get("until"), asked.get("about") or ""
    rows = rows_found(rows_visible(user), search=search, about=about, since=since, until=until)
    page = Paginator(rows, ROWS_A_PAGE).get_page(number)
    return AuditPage(
        lines=[_line(row) for row in page],
        pager=pager_of(page, q=search, about=about, since=_day(since), until=_day(until)),
        form=form,
        search=search,
        is_searched=bool(search or about or since or until),
    )


def _day(day: date | None) -> str:
    return f"{day:%Y-%m-%d}" if day else ""


def _line(row: AuditRow) -> AuditLine:
    details = (
        f"{detail_said(name)}: {_words(name, value)}"
        for name, value in row.details.items()
        if value not in ("", [], None)
    )
    return AuditLine(
        at=row.at,
        who=row.who or (_("a command") if row.origin == HERE else _("nobody signed in")),
        verb=said(row.verb, row.outcome == AuditRow.Outcome.REFUSED),
        thing=row.thing,
        kind=row.kind,
        origin=_("here") if row.origin == HERE else row.origin,
        is_refused=row.outcome == AuditRow.Outcome.REFUSED,
        details="; ".join(details),
    )


def _words(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return ", ".join(value_said(name, str(one)) for one in (value if isinstance(value, list) else [value]))

"""Everything that somebody owns, for administrators: names and states, nothing of what is inside."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from mirror.dashboards.models import Dashboard
from mirror.library.models import SavedSql
from mirror.people.models import User
from mirror.phrases import counted
from mirror.reports.models import Report
from mirror.sources.models import Source

# Transferable things, by the word that a form sends; in the order in which they go over.
Owned = Source | SavedSql | Dashboard | Report
KINDS: dict[str, type[Owned]] = {
    "source": Source,
    "saved": SavedSql,
    "dashboard": Dashboard,
    "report": Report,
}


@dataclass(frozen=True, slots=True)
class OwnedThing:
    """One thing somebody owns."""

    kind: str
    pk: int
    name: str
    about: str
    teams: tuple[str, ...]

    @property
    def key(self) -> str:
        """How a form names it."""
        return f"{self.kind}-{self.pk}"


def owned_by(person: User) -> list[OwnedThing]:
    """List all that somebody owns and could be transferred: sources, saved SQL, dashboards, reports, each by name."""
    sources = Source.objects.filter(owner=person).defer("catalog").prefetch_related("teams").order_by("name")
    saved = (
        SavedSql.objects.filter(owner=person)
        .select_related("source")
        .prefetch_related("teams")
        .order_by("name")
    )
    reports = Report.objects.filter(owner=person).prefetch_related("teams", "channels").order_by("title")
    boards = Dashboard.objects.filter(owner=person).annotate(size=Count("cards"))
    return [
        *(_thing("source", one, one.name, str(one.get_engine_display())) for one in sources),
        *(_thing("saved", one, one.name, f"on {one.source.name}") for one in saved),
        *(
            _thing("dashboard", one, one.name, counted(one.size, "card"))
            for one in boards.prefetch_related("teams").order_by("name")
        ),
        *(_thing("report", one, one.title, _report_state(one)) for one in reports),
    ]


def questions_of(person: User) -> int:
    """How many threads somebody has: they are theirs alone and go to nobody."""
    return person.threads.count()


def heirs_of(person: User) -> QuerySet[User]:
    """List who could be given what somebody owns: everybody else who may sign in."""
    return User.objects.filter(is_active=True, is_service=False).exclude(pk=person.pk).order_by("username")


def _thing(kind: str, row: Owned, name: str, about: str) -> OwnedThing:
    return OwnedThing(kind, row.pk, name, about, tuple(sorted(team.name for team in row.teams.all())))


def _report_state(report: Report) -> str:
    if report.is_paused:
        return "paused"
    return "on schedule" if report.next_at else "by hand"


def things_chosen(person: User, keys: list[str]) -> list[Owned]:
    """The rows that a form named, as far as the person owns them, in the order in which they go over."""
    chosen: list[Owned] = []
    for kind, model in KINDS.items():
        pks = [key.partition("-")[2] for key in keys if key.partition("-")[0] == kind]
        wanted = [int(pk) for pk in pks if pk.isascii() and pk.isdigit() and len(pk) < 10]
        chosen += model._default_manager.filter(owner=person, pk__in=wanted).order_by("pk")
    return chosen

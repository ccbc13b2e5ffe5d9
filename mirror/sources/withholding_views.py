"""The page on which the owner of a source withholds tables and columns from a team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from mirror.people.models import Team
from mirror.people.requests import PersonRequest, posted_in, search_typed
from mirror.sources import selectors, services
from mirror.sources.models import Source, WithheldName
from mirror.sources.sight import name_key, names_of

# Names that are withheld from one team; tables that are shown as boxes.
MOST, TABLES = 500, 60


@dataclass(frozen=True, slots=True)
class Box:
    """A table or column to tick; `name` is what it is called in the field of names."""

    name: str
    label: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A table with its columns; it `is_open` where one of them is ticked or searched for."""

    table: Box
    columns: tuple[Box, ...]
    is_open: bool


class WithholdForm(forms.Form):
    """For each team that a source is shared with: tables and columns in boxes, and the names of others, one a line.

    Ticked and typed names together are withheld. Boxes stand for what a search finds; what is withheld besides stands in the field, so that it
    stays. Sent without boxes, the field says all of it.
    """

    def __init__(self, *args: Any, source: Source, teams: list[Team], words: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.teams, self.names_there = teams, names_of(source)
        self.found, self.more = _tables_found(source, words)
        self._words = words.casefold().split()
        there = {name for table, columns in self.found for name in (table, *columns)}
        self.known = {str(row): (row.table, row.column) for row in source.withheld_names.all()}
        self.kept = {team.pk: set(map(str, source.withheld_names.filter(team=team))) for team in teams}
        for team in teams:
            self.fields[f"team_{team.pk}"] = forms.CharField(
                label=_("Others, by name"),
                required=False,
                max_length=MOST * WithheldName.CHARS,
                initial="\n".join(sorted(self.kept[team.pk] - there)),
                widget=forms.Textarea(attrs={"rows": 2, "class": "mono", "spellcheck": "false"}),
                help_text=_("A table, or table.column, one a line."),
            )

    def trees(self) -> list[tuple[Team, list[Branch], Any]]:
        """The boxes of each team, and its field."""
        made = []
        for team in self.teams:
            on = set(self._ticked(team)) if self.is_bound else self.kept[team.pk]
            branches = [self._branch(table, columns, on) for table, columns in self.found]
            made.append((team, branches, self[f"team_{team.pk}"]))
        return made

    def _ticked(self, team: Team) -> list[str]:
        return self.data.getlist(f"box_{team.pk}") if isinstance(self.data, QueryDict) else []

    def _branch(self, table: str, columns: tuple[str, ...], on: set[str]) -> Branch:
        boxes = tuple(Box(name, name[len(table) + 1 :], name in on) for name in columns)
        is_sought = bool(self._words) and not _holds(table, self._words)
        return Branch(Box(table, table, table in on), boxes, is_sought or any(one.is_on for one in boxes))

    def clean(self) -> dict[str, Any]:
        """Find what each line names. One that was kept stays, also where the table has gone meanwhile."""
        cleaned = super().clean() or self.cleaned_data
        for team in self.teams:
            field = f"team_{team.pk}"
            typed = [line.strip() for line in (cleaned.get(field) or "").splitlines() if line.strip()]
            lines = list(dict.fromkeys([*self._ticked(team), *typed]))
            found = {
                line: self.names_there.get(name_key(line)) or self.known.get(line) for line in lines[:MOST]
            }
            unknown = [line for line, one in found.items() if one is None]
            if unknown or len(lines) > MOST:
                said = ", ".join(line[:80] for line in unknown[:5])
                words = (
                    _("No table or column is called %(said)s.") % {"said": said}
                    if unknown
                    else _("At most %(most)s names.") % {"most": MOST}
                )
                self.add_error(field, words)
            cleaned[field] = [one for one in found.values() if one is not None]
        return cleaned

    def names(self, team: Team) -> list[tuple[str, str]]:
        """The names withheld from a team."""
        return list(self.cleaned_data[f"team_{team.pk}"])


def _holds(name: str, words: list[str]) -> bool:
    return all(word in name.casefold() for word in words)


def _tables_found(source: Source, words: str) -> tuple[list[tuple[str, tuple[str, ...]]], int]:
    """The tables whose names, or the name of a column, hold every word, each with the names of its columns; and how many are left out."""
    tables: dict[str, list[str]] = {}
    for table, column in names_of(source).values():
        columns = tables.setdefault(table, [])
        if column:
            columns.append(f"{table}.{column}")
    said = words.casefold().split()
    found = []
    for table, columns in tables.items():
        shown = columns if _holds(table, said) else [name for name in columns if _holds(name, said)]
        if shown or _holds(table, said):
            found.append((table, tuple(shown)))
    return found[:TABLES], max(len(found) - TABLES, 0)


@require_http_methods(["GET", "HEAD", "POST"])
def withhold(request: PersonRequest, pk: int) -> HttpResponse:
    """Withhold tables and columns of a source from the teams that it is shared with."""
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if not selectors.may_change(request.user, source):
        raise PermissionDenied(
            _("Only %(owner)s decides what of this source is shown to whom.") % {"owner": source.owner}
        )
    offered = selectors.teams_to_share_with(request.user)
    teams = list(source.teams.filter(pk__in=offered.values("pk")).order_by("name"))
    posted = posted_in(request)
    words = search_typed(request)
    form = WithholdForm(posted, source=source, teams=teams, words=words)
    if form.is_valid():
        for team in teams:
            services.names_withhold(source, team, form.names(team), request.user)
        messages.success(
            request, _("The tables and columns that teams see of %(name)s are saved.") % {"name": source.name}
        )
        return redirect("sources:source", pk)
    status = 422 if form.is_bound else 200
    context = {"form": form, "source": source, "words": words}
    return render(request, "sources/withhold.html", context, status=status)

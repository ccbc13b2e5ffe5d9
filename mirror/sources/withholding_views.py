"""The page on which the owner of a source withholds tables and columns from a team."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from mirror.people.models import Team
from mirror.people.requests import PersonRequest
from mirror.sources import selectors, services
from mirror.sources.models import Source, WithheldName
from mirror.sources.sight import name_key, names_of

# Names that are withheld from one team.
MOST = 500


class WithholdForm(forms.Form):
    """For each team that a source is shared with, the names of tables and columns, one a line."""

    def __init__(self, *args: Any, source: Source, teams: list[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.teams, self.names_there = teams, names_of(source)
        for team in teams:
            kept = sorted(map(str, source.withheld_names.filter(team=team)))
            self.fields[f"team_{team.pk}"] = forms.CharField(
                label=str(team),
                required=False,
                max_length=MOST * WithheldName.CHARS,
                initial="\n".join(kept),
                widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
            )
        self.known = {str(row): (row.table, row.column) for row in source.withheld_names.all()}

    def clean(self) -> dict[str, Any]:
        """Find what each line names. One that was kept stays, also where the table has gone meanwhile."""
        cleaned = super().clean() or self.cleaned_data
        for team in self.teams:
            field = f"team_{team.pk}"
            lines = [line.strip() for line in (cleaned.get(field) or "").splitlines() if line.strip()]
            found = {
                line: self.names_there.get(name_key(line)) or self.known.get(line) for line in lines[:MOST]
            }
            unknown = [line for line, one in found.items() if one is None]
            if unknown or len(lines) > MOST:
                said = ", ".join(line[:80] for line in unknown[:5])
                words = f"No table or column is called {said}." if unknown else f"At most {MOST} names."
                self.add_error(field, words)
            cleaned[field] = [one for one in found.values() if one is not None]
        return cleaned

    def names(self, team: Team) -> list[tuple[str, str]]:
        """What is withheld from a team."""
        return list(self.cleaned_data[f"team_{team.pk}"])


@require_http_methods(["GET", "HEAD", "POST"])
def withhold(request: PersonRequest, pk: int) -> HttpResponse:
    """Withhold tables and columns of a source from the teams that it is shared with."""
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if not selectors.may_change(request.user, source):
        raise PermissionDenied(f"Only {source.owner} decides what of this source is shown to whom.")
    offered = selectors.teams_to_share_with(request.user)
    teams = list(source.teams.filter(pk__in=offered.values("pk")).order_by("name"))
    posted = request.POST if request.method == "POST" else None
    form = WithholdForm(posted, source=source, teams=teams)
    if form.is_valid():
        for team in teams:
            services.names_withhold(source, team, form.names(team), request.user)
        messages.success(request, f"What teams see of {source.name} is saved.")
        return redirect("sources:source", pk)
    status = 422 if form.is_bound else 200
    return render(request, "sources/withhold.html", {"form": form, "source": source}, status=status)

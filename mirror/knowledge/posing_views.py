"""The page of questions to verify: made on request, shown with rows, verified in chosen wordings or refused for good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from mirror.knowledge import selectors
from mirror.knowledge.models import PosedRound
from mirror.knowledge.pages import columns_headed
from mirror.knowledge.posing import (
    OPEN,
    VERIFIED,
    question_refuse,
    question_verify,
    round_ask,
    round_look,
)
from mirror.knowledge.source_views import source_permitted
from mirror.people.requests import PersonRequest
from mirror.sources.models import Source

WORDINGS = 8
"""Wordings taken from one form."""


@dataclass(frozen=True, slots=True)
class QuestionsPage:
    """Questions to verify: `round` is the one under way or made, if any; `verified` how many of it were vouched for."""

    source: Source
    waiting: int
    round: PosedRound | None
    questions: list[dict[str, Any]]
    verified: int
    tab: str = "questions"
    may_teach: bool = True

    @property
    def headed(self) -> list[tuple[dict[str, Any], list[tuple[str, bool]]]]:
        """Each question with the headings of its rows."""
        return [(one, columns_headed(one["shown"])) for one in self.questions]

    @property
    def error(self) -> str:
        """Why there are none."""
        return str(self.round.said.get("error", "")) if self.round is not None else ""


@require_safe
def questions(request: PersonRequest, pk: int) -> HttpResponse:
    """Show the questions of the last round, or follow it while it is made."""
    source = source_permitted(request, pk, to_teach=True)
    row = selectors.rounds_of(request.user, source).first()
    if row is not None:
        round_look(row)
        if request.htmx and not row.is_ended and request.GET.get("was") == row.status:
            return HttpResponse(status=204)
        if request.htmx and row.is_ended:
            return HttpResponse(status=204, headers={"HX-Redirect": request.path})
    made = row.said.get("questions", []) if row is not None else []
    page = QuestionsPage(
        source,
        selectors.waiting_count(source),
        row,
        [one for one in made if one["state"] == OPEN],
        sum(one["state"] == VERIFIED for one in made),
    )
    return render(request, "knowledge/questions.html", {"page": page})


@require_POST
def pose(request: PersonRequest, pk: int) -> HttpResponse:
    """Have questions made."""
    round_ask(source_permitted(request, pk, to_teach=True), request.user)
    return redirect("knowledge:questions", pk)


@require_POST
def decide(request: PersonRequest, pk: int, round: int) -> HttpResponse:
    """Verify a question in the wordings that were chosen, or never pose it again."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.rounds_of(request.user, source), pk=round)
    key, wish = request.POST.get("key", ""), request.POST.get("do", "")
    if wish == "refuse":
        if question_refuse(row, key, request.user):
            messages.success(request, _("It is not proposed again."))
    elif wish == "verify":
        wordings = request.POST.getlist("wording")[:WORDINGS]
        if not any(one.strip() for one in wordings):
            messages.error(request, _("Choose at least one wording, or write one."))
            return redirect("knowledge:questions", pk)
        done = question_verify(row, key, wordings, request.user)
        if done.verified:
            messages.success(
                request,
                ngettext("%(count)s question verified.", "%(count)s questions verified.", len(done.verified))
                % {"count": len(done.verified)},
            )
        for wording, why in done.refused:
            messages.error(
                request, _("“%(wording)s” was not verified. %(why)s") % {"wording": wording, "why": why}
            )
    return redirect("knowledge:questions", pk)

"""The start page: the question box, the source beside it, examples and what was asked before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings

from mirror.asking import selectors, services
from mirror.asking.pages.words import heading_said, mark_of, privacy_said
from mirror.asking.services.answer_standing import newest_answer_standings
from mirror.llms.budgets import budget_warnings
from mirror.llms.selectors import llm_names
from mirror.sources.selectors import sources_asked, sources_visible
from mirror.sources.sight import seen_by

if TYPE_CHECKING:
    from mirror.people.models import User

RECENT = 6


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """A source that can be asked."""

    id: int
    name: str
    description: str
    privacy: str
    is_chosen: bool
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecentRun:
    """A question asked before."""

    id: int
    title: str
    source: str
    state: str
    is_verified: bool
    is_hint_unused: bool
    when: datetime


@dataclass(frozen=True, slots=True)
class AskPage:
    """Everything the start page shows. `question` and `hint` are what was typed and `problem` why it was not taken.

    `looked_at` names the sources that one sees where one may ask none.
    `missed` is a source that was chosen before, or named, and is not there for this person: another one is chosen instead.
    """

    sources: tuple[SourceChoice, ...]
    looked_at: tuple[str, ...]
    chosen: SourceChoice | None
    question: str
    hint: str
    problem: str
    missed: str
    recent: tuple[RecentRun, ...]
    llm: str
    budget: tuple[str, ...]
    longest: int
    longest_hint: int


def ask_page(
    user: User, *, source: str = "", shown: str = "", question: str = "", hint: str = "", problem: str = ""
) -> AskPage:
    """Show the start page with a source chosen: the one named, the one shown last, the one asked last, or the first.

    Where the one named or shown is not to be had, that is said.
    """
    recent = selectors.runs_recent(user, RECENT)
    wanted = [source, shown, recent[0].thread.source.name if recent else ""]
    visible = list(sources_asked(user))
    names = [found.name for found in visible]
    chosen = next((name for name in [*wanted, *names] if name in names), "")
    picked = next((found for found in visible if found.name == chosen), None)
    if picked is not None:
        seen_by(user, picked)
    asked = llm_names(picked) if picked is not None else ()
    missed = next((name for name in wanted[:2] if name), "")
    choices = tuple(
        SourceChoice(
            id=found.pk,
            name=found.name,
            description=found.description,
            privacy=privacy_said(found.privacy),
            is_chosen=found.name == chosen,
            examples=services.questions_first(found) if found.name == chosen else (),
        )
        for found in visible
    )
    stand = newest_answer_standings(recent)
    return AskPage(
        sources=choices,
        looked_at=() if visible else tuple(sources_visible(user).values_list("name", flat=True)),
        chosen=next((choice for choice in choices if choice.is_chosen), None),
        question=question,
        hint=hint,
        problem=problem,
        missed=missed if chosen and missed not in ("", chosen) and not problem else "",
        recent=tuple(
            RecentRun(
                id=run.pk,
                title=heading_said(run.named, next(iter(run.versions.all()), None)),
                source=run.thread.source.name,
                state=mark_of(run, next(iter(run.versions.all()), None), stand[run.pk]),
                is_verified=stand[run.pk].is_verified,
                is_hint_unused=bool(run.unused_hint),
                when=run.created_at,
            )
            for run in recent
        ),
        llm=", ".join(asked),
        budget=budget_warnings(user, picked) if picked is not None and asked else (),
        longest=settings.QUESTION_CHARS,
        longest_hint=services.HINT_CHARS,
    )

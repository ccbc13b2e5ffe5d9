"""How far an answer is believed now: somebody vouches for it, or it is a draft. Every page and file that says so asks here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mirror.asking.models import Run, Version
from mirror.asking.services.knowing import question_of
from mirror.knowledge.models import StoredAnswer
from mirror.knowledge.selectors import answers_in_force
from mirror.library.drafts import draft_said
from mirror.queries.parameters import ParameterError, sql_bind


@dataclass(frozen=True, slots=True)
class AnswerStanding:
    """`answer` is the verified answer whose SQL a version shows. It `is_verified` by that, or as it was made of one.

    `draft` says in English why it is one, and `saying` what that is made of; nothing of an answer that somebody vouches for.
    """

    answer: StoredAnswer | None = None
    is_verified: bool = False
    draft: str = ""
    saying: Mapping[str, Any] = field(default_factory=dict)

    @property
    def draft_said(self) -> str:
        """Why it is a draft, in the language that is active; empty where nothing says so."""
        return draft_said(self.draft, self.saying)

    @property
    def is_vouched(self) -> bool:
        """Say whether somebody vouches for what is shown: how sure its maker was tells nothing more."""
        return self.answer is not None


UNKNOWN = AnswerStanding()
"""Of what nobody vouches for, and no page shows."""


def answer_standings(shown: Iterable[tuple[Run, Version | None]]) -> dict[int, AnswerStanding]:
    """Say how answers stand, each a run with the version that is shown of it, by the numbers of the runs. One read for any number."""
    pairs = list(shown)
    asked = {run.pk: one for run, version in pairs if (one := _asked(run, version)) is not None}
    found = answers_in_force(asked.values())
    return {run.pk: _standing(run, version, found.get(asked.get(run.pk))) for run, version in pairs}


def newest_answer_standings(runs: Iterable[Run]) -> dict[int, AnswerStanding]:
    """Say how the answers of runs stand by their newest versions, which are read with the runs."""
    return answer_standings((run, next(iter(run.versions.all()), None)) for run in runs)


def answer_standing(run: Run, version: Version | None) -> AnswerStanding:
    """Say how one answer stands."""
    return answer_standings([(run, version)])[run.pk]


def _standing(run: Run, version: Version | None, answer: StoredAnswer | None) -> AnswerStanding:
    is_own = version is None or version.origin == Version.Origin.ANSWER
    is_made_of_one = is_own and bool((run.known or {}).get("vouched"))
    is_verified = answer is not None or is_made_of_one
    if version is None or answer is not None:
        return AnswerStanding(answer, is_verified)
    return AnswerStanding(answer, is_verified, version.draft, version.draft_saying)


def _asked(run: Run, version: Version | None) -> tuple[int, str, str] | None:
    """The source, question and SQL of a version that can be verified, its values in their places; None of others."""
    if not getattr(run, "has_verified", True):  # told by selectors of lists: nothing is read for it
        return None
    if version is None or not run.asked or not version.is_ended or version.failure or not version.sql:
        return None
    source, sql = run.thread.source, version.sql
    if version.parameters:
        try:
            sql = sql_bind(sql, version.parameters, version.arguments, source.engine)
        except ParameterError:
            return None
    return source.pk, " ".join(question_of(run).split()), sql

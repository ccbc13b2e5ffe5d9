"""Feedback of a reader on an answer: verified, right or wrong."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from mirror.asking.errors import AskingError
from mirror.asking.models import Run, Version
from mirror.knowledge.answer_services import AnswerRefused, answer_verify
from mirror.knowledge.feedback_services import FeedbackRefused, feedback_give
from mirror.knowledge.models import Feedback, StoredAnswer
from mirror.knowledge.second_looks import SecondLook, empty_doubt
from mirror.library.drafts import draft_said


def version_verify(version: Version) -> StoredAnswer:
    """Vouch for what a version shows as the answer to its run's question. Raises: AskingError.

    The question is kept as it was typed; of a follow-up, which says little by itself, its stand-alone form.
    """
    run = version.run
    if not version.is_ended or version.failure or not version.sql:
        raise AskingError(_("Only SQL that ran can be verified."))
    if run.hint:
        raise AskingError(
            _("This was asked with a hint. Make the hint a term of the source, ask again, and verify that.")
        )
    shape = _shape(version)
    try:
        return answer_verify(
            run.thread.source,
            question_of(run),
            version.sql,
            run.thread.owner,
            parameters=version.parameters,
            **shape,
        )
    except AnswerRefused as error:
        raise AskingError(str(error)) from None


def version_look(version: Version, place: str, back: str) -> SecondLook:
    """Doubts about a version before it is verified at `place`: a draft may be no answer, and no rows none either."""
    run, result = version.run, version.result
    doubts = (_draft_why(version), empty_doubt(result.row_count if result is not None else None))
    return SecondLook(
        run.thread.owner_id,
        place,
        question_of(run),
        version.sql,
        tuple(why for why in doubts if why),
        back,
        is_draft=bool(version.draft),
    )


def _draft_why(version: Version) -> str:
    """Why a version is a draft, in the language of who reads it; empty where it is none."""
    return draft_said(version.draft, version.draft_saying)


def version_feedback(version: Version, *, is_right: bool, reason: str = "", should_be: str = "") -> Feedback:
    """Keep what the reader of a version says of it. Raises: AskingError."""
    run = version.run
    try:
        return feedback_give(
            run.thread.source,
            run.thread.owner,
            run=run.pk,
            version=version.number,
            question=question_of(run),
            sql=version.sql,
            is_right=is_right,
            reason=reason,
            should_be=should_be,
            draft=version.draft,
            **_shape(version),
        )
    except FeedbackRefused as error:
        raise AskingError(str(error)) from None


def question_of(run: Run) -> str:
    """The question that a run's SQL answers."""
    return run.question if run.follows_id is not None and run.question else run.asked


def _shape(version: Version) -> dict[str, Any]:
    """The shape of a version's rows, and the values in its SQL."""
    result = version.result
    columns = [{"name": c["name"], "kind": c["kind"]} for c in result.columns] if result is not None else []
    count = result.row_count if result is not None else None
    return {"arguments": version.arguments, "columns": columns, "row_count": count}

"""Operations on feedback: given, made into something by an owner of the source, dismissed for good.

Nothing here reaches a maker of answers. The SQL and the reason that somebody gives are shown to an owner, who decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.knowledge.answer_services import answer_verify
from mirror.knowledge.models import Feedback, StoredAnswer

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

SQL_CHARS = 20_000
WAITING_MOST = 200


class FeedbackRefused(ValueError):
    """Feedback that is not taken; the message is fit to be shown."""


@transaction.atomic
def feedback_give(
    source: Source,
    by: User,
    *,
    run: int,
    version: int,
    question: str,
    sql: str,
    is_right: bool,
    reason: str = "",
    should_be: str = "",
    draft: str = "",
    arguments: Mapping[str, Any] | None = None,
    columns: Sequence[Mapping[str, Any]] = (),
    row_count: int | None = None,
) -> Feedback:
    """Keep somebody's feedback on an answer, in place of their earlier one. Raises: FeedbackRefused.

    Feedback that an owner dismissed for the same question and SQL is dismissed when anybody gives it again.
    """
    if not is_right and reason not in Feedback.Reason.values:
        raise FeedbackRefused(_("Choose what is wrong."))
    should_be = should_be.replace("\x00", "").strip()
    if len(should_be) > SQL_CHARS:
        raise FeedbackRefused(
            _("This SQL has %(should_be)s characters; the longest taken has %(sql_chars)s.")
            % {"should_be": f"{len(should_be):,}", "sql_chars": f"{SQL_CHARS:,}"}
        )
    mine = Feedback.objects.filter(by=by, run=run, version=version).first()
    waiting = Feedback.objects.filter(source=source, by=by, state=Feedback.State.OPEN)
    if mine is None and waiting.count() >= WAITING_MOST:
        raise FeedbackRefused(
            _("%(waiting_most)s of yours wait to be read. More are taken when some were.")
            % {"waiting_most": WAITING_MOST}
        )
    told = Feedback.objects.filter(
        source=source, question=question, sql=sql, is_right=is_right, reason=reason
    )
    is_known = told.filter(state=Feedback.State.DISMISSED, should_be=should_be).exists()
    row = mine or Feedback(source=source, by=by, run=run, version=version)
    row.question, row.sql, row.arguments = question, sql, dict(arguments or {})
    row.draft = draft
    row.columns, row.row_count = [dict(one) for one in columns], row_count
    row.is_right, row.reason, row.should_be = (
        is_right,
        "" if is_right else reason,
        "" if is_right else should_be,
    )
    row.state = Feedback.State.DISMISSED if is_known else Feedback.State.OPEN
    row.made, row.handled_by, row.handled_at = "", None, None
    row.save()
    return row


@transaction.atomic
def feedback_verify(row: Feedback, sql: str, by: User) -> StoredAnswer:
    """Make a verified answer of feedback, with the SQL that an owner saw. Raises: AnswerRefused."""
    shape: dict[str, Any] = {}
    if " ".join(sql.split()) == " ".join(row.sql.split()):
        shape = {"columns": row.columns, "row_count": row.row_count}
    made = answer_verify(row.source, row.question, sql, by, **shape)
    feedback_end(row, Feedback.State.DONE, by, "verified answer")
    return made


@transaction.atomic
def feedback_end(row: Feedback, state: str, by: User, made: str = "") -> None:
    """Take feedback from the queue: done, with what was made of it, or dismissed for good."""
    row.state, row.made, row.handled_by, row.handled_at = state, made, by, timezone.now()
    row.save(update_fields=["state", "made", "handled_by", "handled_at"])
    record("answered feedback", row.source, by=by, state=state, made=made)

"""Operations on verified answers: vouched for, taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.knowledge.models import StoredAnswer
from mirror.queries.parameters import ParameterError, sql_bind
from mirror.sources.catalogs import catalog_read
from mirror.sources.guarding import Refusal, sql_check_whole
from mirror.sources.models import Source
from mirror.stored_words import said_now
from sqlagent.language.saying import spaced
from sqlagent.method.templates import moves_on

if TYPE_CHECKING:
    from mirror.people.models import User

MOST = 5_000


class AnswerRefused(ValueError):
    """An answer that cannot be verified; the message is fit to be shown."""


@transaction.atomic
def answer_verify(
    source: Source,
    question: str,
    sql: str,
    by: User,
    *,
    parameters: Sequence[Mapping[str, Any]] = (),
    arguments: Mapping[str, Any] | None = None,
    columns: Sequence[Mapping[str, Any]] = (),
    row_count: int | None = None,
) -> StoredAnswer:
    """Vouch for the SQL of a question as it was asked; an earlier answer to the same words is taken back. Raises: AnswerRefused.

    Values of parameters are put into the SQL, for a question asked again has none.
    """
    Source.objects.select_for_update().filter(pk=source.pk).first()
    question = " ".join(question.split())
    if not question:
        raise AnswerRefused(_("This was not asked as a question, so there is nothing to verify it for."))
    if word := moves_on(question, sql):
        raise AnswerRefused(
            _(
                "“%(word)s” means other days tomorrow, and this SQL names fixed ones. Edit the SQL to count from today's date, or ask by date."
            )
            % {"word": word}
        )
    if parameters:
        try:
            sql = sql_bind(sql, parameters, arguments or {}, source.engine)
        except ParameterError as error:
            raise AnswerRefused(str(error)) from None
    if source.catalog:
        checked = sql_check_whole(source, sql, catalog_read(source.catalog))
        if isinstance(checked, Refusal):
            raise AnswerRefused(said_now(spaced(checked.what, checked.why)))
    known = StoredAnswer.objects.filter(source=source, taken_back_at=None)
    same = known.filter(question__iexact=question)
    if not same.exists() and known.count() >= MOST:
        raise AnswerRefused(
            _("This source has %(most)s verified answers, which is the most.") % {"most": f"{MOST:,}"}
        )
    same.update(taken_back_by=by, taken_back_at=timezone.now())
    row = StoredAnswer.objects.create(
        source=source,
        question=question,
        sql=sql,
        arguments=dict(arguments or {}),
        columns=[{"name": one["name"], "kind": str(one.get("kind", ""))} for one in columns],
        row_count=row_count,
        verified_by=by,
    )
    record("verified an answer", source, by=by, question=question)
    return row


@transaction.atomic
def examples_set(source: Source, answers: Iterable[int], by: User) -> None:
    """Have language models shown these verified answers, by their numbers, with every question of a source, and no others."""
    wanted = set(answers)
    known = StoredAnswer.objects.filter(source=source)
    gone = known.filter(is_example=True).exclude(pk__in=wanted).update(is_example=False)
    new = known.filter(pk__in=wanted, taken_back_at=None, is_example=False).update(is_example=True)
    if gone or new:
        record("changed the examples", source, by=by, shown=len(wanted))


@transaction.atomic
def answer_take_back(row: StoredAnswer, by: User) -> None:
    """Take a verification back; its author and time stay."""
    row.taken_back_by, row.taken_back_at = by, timezone.now()
    row.save(update_fields=["taken_back_by", "taken_back_at"])
    record("took back a verified answer", row.source, by=by, question=row.question)

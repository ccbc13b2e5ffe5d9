"""The knowledge of a source as the values that `sqlagent` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.formats import date_format

from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.sources.catalogs import catalog_read
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.sight import says_withheld, withheld_now
from mirror.sources.unpacked import values_seen
from sqlagent.values import Knowledge, Term, TermKind, VerifiedAnswer

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source


def knowledge_of(source: Source) -> Knowledge:
    """Terms in force that work, and verified answers that still run: two looks into the store."""
    answers = StoredAnswer.objects.filter(source=source, taken_back_at=None, problem="")
    ordered = answers.select_related("verified_by").order_by("verified_at", "pk")
    are_seen = values_seen(source)
    rows = [row for row in ordered if _answer_is_shown(source, row) and are_seen(row.sql)]
    return Knowledge(
        terms_of(source),
        tuple(map(answer_of, rows)),
        tuple(answer_of(row) for row in rows if row.is_example),
    )


def as_if_unverified(known: Knowledge, one: VerifiedAnswer) -> Knowledge:
    """The knowledge of a source where nothing is verified: its terms, and its examples but for the question itself."""
    return Knowledge(known.terms, examples=tuple(other for other in known.examples if other.key != one.key))


def terms_of(source: Source) -> tuple[Term, ...]:
    """Terms in force that work, in the order they were written: one look into the store."""
    rows = StoredTerm.objects.filter(source=source, status=StoredTerm.Status.FORCE, problem="")
    known = (term_of(row) for row in rows.select_related("owner").order_by("pk"))
    are_seen = values_seen(source)
    return tuple(
        term
        for term in known
        if not says_withheld(source, " ".join((*term.phrases, term.body, term.description)))
        and are_seen(term.body)
    )


def _answer_is_shown(source: Source, row: StoredAnswer) -> bool:
    """Say whether a verified answer reads only what is shown to who has the source in hand."""
    if not withheld_now(source):
        return True
    catalog = catalog_read(source.catalog) if source.catalog else None
    return catalog is not None and not isinstance(sql_check(source, row.sql, catalog), Refusal)


def term_of(row: StoredTerm) -> Term:
    """A row as a value."""
    return Term(
        row.phrase,
        TermKind(row.kind),
        row.sql or row.body,
        tuple(row.synonyms),
        row.description,
        row.unit,
        said_name(row.owner),
        row.holds_values,
    )


def answer_of(row: StoredAnswer) -> VerifiedAnswer:
    """A row as a value; the day it was verified in words."""
    day = date_format(timezone.localtime(row.verified_at), "j M Y")
    return VerifiedAnswer(row.question, row.sql, said_name(row.verified_by), day, str(row.pk))


def said_name(user: User | None) -> str:
    """A person's name; empty for nobody."""
    return user.called if user is not None else ""

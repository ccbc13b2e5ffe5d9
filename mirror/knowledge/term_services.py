"""Operations on terms of a source: checked, saved, retired, deleted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.knowledge.evaluation_work import evaluation_after_terms
from mirror.knowledge.models import StoredTerm
from mirror.sources.models import Source
from sqlagent.catalog.glossary.mentions import phrase_stems
from sqlagent.values import TermKind

if TYPE_CHECKING:
    from mirror.people.models import User

MOST, SYNONYMS = 5_000, 20
PHRASE_CHARS, RULE_CHARS, BODY_CHARS = 80, 600, 2_000

_ALLOWED = re.compile(r"[\w .,'’&/%+#-]+")
_SAYS = re.compile(r"\b(?:means?|refers?\s+to|stands?\s+for|denotes?|is\s+defined\s+as)\b", re.IGNORECASE)


class TermRefused(ValueError):
    """A term that cannot be; `problems` are sentences fit to be shown, by the field they are about."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = dict(problems)


@dataclass(frozen=True, slots=True)
class TermWish:
    """A term as it was typed."""

    phrase: str
    kind: str
    body: str
    synonyms: tuple[str, ...] = ()
    unit: str = ""
    description: str = ""
    status: str = StoredTerm.Status.FORCE

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> TermWish:
        """A wish as JSON holds it, or a form gives it."""
        synonyms = plain.get("synonyms") or ()
        names = [re.sub(r"\s+", " ", str(one)).strip() for one in synonyms]
        return cls(
            re.sub(r"\s+", " ", str(plain.get("phrase", ""))).strip(),
            str(plain.get("kind", "")),
            str(plain.get("body", "")).strip(),
            tuple(dict.fromkeys(one for one in names if one)),
            str(plain.get("unit", "")).strip(),
            str(plain.get("description", "")).strip(),
            str(plain.get("status") or StoredTerm.Status.FORCE),
        )


def term_check(source: Source, wish: TermWish, *, is_new: bool = True) -> None:
    """Look at what needs no source: phrase, synonyms, lengths. Raises: TermRefused."""
    problems: dict[str, str] = {}
    if wish.kind not in StoredTerm.Kind.values:
        problems["kind"] = _("Choose what it stands for.")
    if wish.status not in StoredTerm.Status.values:
        problems["status"] = _("Choose how it stands.")
    if why := phrase_problem(wish.phrase):
        problems["phrase"] = why
    if len(wish.synonyms) > SYNONYMS:
        problems["synonyms"] = _("At most %(synonyms)s other words can be given; these are %(wish)s.") % {
            "synonyms": SYNONYMS,
            "wish": len(wish.synonyms),
        }
    for one in wish.synonyms:
        if why := phrase_problem(one):
            problems.setdefault("synonyms", f"“{one[:80]}”: {why}")
    most = RULE_CHARS if wish.kind == StoredTerm.Kind.RULE else BODY_CHARS
    if not wish.body:
        problems["body"] = _("Write what it means.")
    elif len(wish.body) > most:
        problems["body"] = _("This has %(wish)s characters; the longest taken has %(most)s.") % {
            "wish": f"{len(wish.body):,}",
            "most": f"{most:,}",
        }
    if is_new and StoredTerm.objects.filter(source=source).count() >= MOST:
        problems["phrase"] = _("This source has %(most)s terms, which is the most. Delete some first.") % {
            "most": f"{MOST:,}"
        }
    if problems:
        raise TermRefused(problems)


def phrase_problem(phrase: str) -> str:
    """Say why words can be no phrase of a term; empty when they can."""
    if not phrase:
        return _("Write the words that people say.")
    if len(phrase) > PHRASE_CHARS:
        return _("This has %(phrase)s characters; the longest taken has %(phrase_chars)s.") % {
            "phrase": len(phrase),
            "phrase_chars": PHRASE_CHARS,
        }
    if not _ALLOWED.fullmatch(phrase):
        return _("Letters, digits, spaces and . , ' & / % + # - may stand in it.")
    if sum(c.isalnum() for c in phrase) < 2:
        return _("One letter stands in nearly every question: write at least two.")
    if not any(c.isalpha() for c in phrase):
        return _("A number alone is no word.")
    if not phrase_stems(phrase):
        return _("These words stand in any question, so nothing would be asked by them.")
    if said := _SAYS.search(phrase):
        return _("“%(said)s” cannot stand in it: it divides a phrase from its meaning.") % {"said": said[0]}
    return ""


@transaction.atomic
def term_save(
    source: Source,
    wish: TermWish,
    sql: str,
    by: User,
    term: StoredTerm | None = None,
    *,
    holds_values: bool = False,
) -> StoredTerm:
    """Keep a term that was tried: `sql` is its body with full names. Raises: TermRefused; nothing changes then.

    A term that was changed belongs to who changed it. One made of verified SQL `holds_values`, and does so however it is changed.
    """
    Source.objects.select_for_update().filter(pk=source.pk).first()
    term_check(source, wish, is_new=term is None)
    row = term or StoredTerm(source=source)
    row.owner, row.phrase, row.kind, row.body, row.sql = by, wish.phrase, wish.kind, wish.body, sql
    row.synonyms, row.unit, row.description = list(wish.synonyms), wish.unit[:20], wish.description[:300]
    row.status, row.problem = wish.status, ""
    row.holds_values = row.holds_values or holds_values
    row.save()
    record("changed a term", source, by=by, phrase=row.phrase, kind=row.kind, status=row.status)
    evaluation_after_terms(source)
    return row


@transaction.atomic
def term_status(row: StoredTerm, status: str, by: User) -> None:
    """Put a term into force, or retire it."""
    row.status = status
    row.save(update_fields=["status", "updated_at"])
    record("changed a term", row.source, by=by, phrase=row.phrase, kind=row.kind, status=status)
    evaluation_after_terms(row.source)


@transaction.atomic
def term_delete(row: StoredTerm, by: User) -> None:
    """Let a term go."""
    source, phrase = row.source, row.phrase
    row.delete()
    record("deleted a term", source, by=by, phrase=phrase)
    evaluation_after_terms(source)


def others_of(source: Source, besides: int | None = None) -> dict[str, tuple[TermKind, str]]:
    """Kind and typed body of the other terms of a source, by phrase: what a body may be made of."""
    rows: Sequence[tuple[str, str, str]] = list(
        StoredTerm.objects.filter(source=source)
        .exclude(pk=besides or 0)
        .exclude(status=StoredTerm.Status.RETIRED)
        .order_by("-pk")
        .values_list("phrase", "kind", "body")
    )
    return {phrase: (TermKind(kind), body) for phrase, kind, body in rows}

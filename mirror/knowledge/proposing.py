"""Terms proposed to the owner of a source, from what recurs and from what sets a wrong answer right: accepted by writing them, or refused for good.

Read are verified answers and their latest evaluation, SQL saved for teams that the owner sees, and edits that readers sent as feedback: nothing that is somebody's own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mirror.audit.services import record
from mirror.knowledge.models import Feedback, RefusedProposal, StoredAnswer, StoredTerm
from mirror.knowledge.remedies import remedies_of
from mirror.knowledge.term_services import phrase_problem
from mirror.library.selectors import saved_visible
from mirror.recent import Recent
from mirror.sources.catalogs import source_catalog
from sqlagent.catalog.glossary.recurring import Edited, Recurring, Stated, recurring, unused
from sqlagent.catalog.keys import catalog_key
from sqlagent.language.words import fold

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

READ, SHOWN = 300, 10
"""Statements of each sort that are looked at, the latest; proposals that are shown at once."""

_kept: Recent[tuple[object, ...], tuple[tuple[Recurring, bool], ...]] = Recent(8)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A term that might be of use. `key` names it; `is_word` where a word was left unused in answers that were edited, `is_remedy` where the
    term sets the answer to a verified question right.
    """

    key: str
    kind: str
    phrase: str
    body: str
    texts: tuple[str, ...]
    is_word: bool
    is_remedy: bool = False


def may_see_proposals(user: User, source: Source) -> bool:
    """Say whether somebody is shown what is proposed: the source's owner alone, for what saved SQL they see goes in."""
    return source.owner_id == user.pk


def proposals_of(source: Source) -> list[Proposal]:
    """Proposals to the owner of a source now: no term yet, and not refused."""
    if not source.catalog:
        return []
    terms = list(StoredTerm.objects.filter(source=source).values_list("phrase", "sql", "synonyms"))
    bodies = {sql for _, sql, _ in terms}
    phrases = {fold(word) for phrase, _, synonyms in terms for word in (phrase, *synonyms)}
    refused = set(RefusedProposal.objects.filter(source=source).values_list("key", flat=True))
    made: dict[str, Proposal] = {}
    remedies = remedies_of(source)
    for one, is_word in (*((one, True) for one in remedies), *_found(source)):
        phrase = "" if phrase_problem(one.phrase) else one.phrase
        key = hashlib.sha256(f"{one.kind}\n{one.body or fold(phrase)}".encode()).hexdigest()
        is_known = one.body in bodies or (is_word and fold(phrase) in phrases)
        if key in refused or is_known or not (one.body or phrase):
            continue
        is_remedy = one in remedies
        said = Proposal(key, str(one.kind), phrase, one.body, one.texts, is_word and not is_remedy, is_remedy)
        made.setdefault(key, said)
    return list(made.values())[:SHOWN]


def proposal_refuse(source: Source, key: str, by: User) -> bool:
    """Never propose something again; False where it is not proposed now."""
    if key not in {one.key for one in proposals_of(source)}:
        return False
    RefusedProposal.objects.get_or_create(source=source, key=key, defaults={"by": by})
    record("refused a proposed term", source, by=by)
    return True


def _found(source: Source) -> tuple[tuple[Recurring, bool], ...]:
    catalog = source_catalog(source)
    answers = StoredAnswer.objects.filter(source=source, taken_back_at=None, problem="")
    saved = saved_visible(source.owner).filter(source=source, teams__isnull=False, problem="").distinct()
    edits = Feedback.objects.filter(source=source, is_right=False).exclude(should_be="")
    edits = edits.exclude(state=Feedback.State.DISMISSED)
    verified = list(answers.order_by("-pk").values_list("question", "sql")[:READ])
    shared = [(one.question or one.name, one.sql) for one in saved.order_by("-updated_at")[:READ]]
    edited = list(edits.order_by("-pk").values_list("question", "sql", "should_be")[:READ])

    def make() -> tuple[tuple[Recurring, bool], ...]:
        stated = [Stated(text, sql) for text, sql in (*verified, *shared)]
        words = unused([Edited(*one) for one in edited], catalog)
        return (*((one, True) for one in words), *((one, False) for one in recurring(stated, catalog)))

    key = (source.pk, catalog_key(catalog), tuple(verified), tuple(shared), tuple(edited))
    return _kept.get(key, make)

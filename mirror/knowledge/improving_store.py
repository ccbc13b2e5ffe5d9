"""The edits of an improvement in the store: terms, descriptions and examples that it brings into force, and takes out again.

`Improvement.learnt` holds what it brought: `terms` (their numbers), `descriptions` (the number of each, and what was said there before) and
`examples` (the answers before, and now).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mirror.knowledge.answer_services import examples_set
from mirror.knowledge.knowing import answer_of, term_of
from mirror.knowledge.models import Improvement, StoredAnswer, StoredTerm
from mirror.knowledge.term_services import TermRefused, TermWish, term_save, term_status
from mirror.sources.correction_services import CorrectionRefused, corrections_set
from mirror.sources.corrections import corrections_in_force
from mirror.sources.modelling import source_model
from mirror.sources.models import Source
from sqlagent.evaluation.improving import Edit, History
from sqlagent.evaluation.improving.changes import DESCRIPTION, EXAMPLES, description_of
from sqlagent.values import Correction, Knowledge, Subject

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from mirror.people.models import User
    from mirror.sources.models import StoredCorrection

Change = Mapping[str, Any]

DESCRIBED = {Subject.DESCRIPTION}


def start_of(source: Source, row: Improvement | None) -> Knowledge:
    """The knowledge of a source but for what an improvement brought itself: terms in force and examples, nothing verified."""
    own = set(row.learnt.get("terms", ())) if row is not None else set()
    terms = StoredTerm.objects.filter(source=source, status=StoredTerm.Status.FORCE, problem="")
    return Knowledge(
        tuple(term_of(one) for one in terms.exclude(pk__in=own).select_related("owner").order_by("pk")),
        examples=tuple(map(answer_of, _answers(source).filter(pk__in=_examples_before(source, row)))),
    )


def base_of(source: Source, row: Improvement | None) -> str:
    """Name what an improvement started from: terms, descriptions and examples but for those that it brought itself."""
    known = start_of(source, row)
    plain: list[Any] = [[one.phrase, str(one.kind), one.body, list(one.synonyms)] for one in known.terms]
    plain += [[one.table, one.column, one.told] for one in descriptions_before(source, row)]
    plain += [one.key for one in known.examples]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()


def descriptions_before(source: Source, row: Improvement | None) -> list[Correction]:
    """The descriptions in force, with what was said before in place of those that an improvement made."""
    was = dict(row.learnt.get("descriptions", ())) if row is not None else {}
    found = []
    for one in _descriptions(source):
        told = was.get(one.pk, one.told)
        found.append(Correction(Subject.DESCRIPTION, one.table, one.column, told=told))
    return sorted((one for one in found if one.told), key=lambda one: (one.table, one.column))


def is_as_left(source: Source, row: Improvement) -> bool:
    """Whether nobody changed what an improvement started from, nor what it brought."""
    if base_of(source, row) != row.base:
        return False
    tree = History.of(row.tree)
    terms, described, examples = _sorted(tree.edits(tree.in_force))
    own = StoredTerm.objects.filter(
        pk__in=row.learnt.get("terms", ()), status=StoredTerm.Status.FORCE, problem=""
    )
    there = [_plain(one) for one in own]
    own_said = _descriptions(source).filter(pk__in=dict(row.learnt.get("descriptions", ())))
    said = {(one.table, one.column): one.told for one in own_said}
    is_shown = examples is None or _examples_now(source) == set(row.learnt["examples"]["now"])
    return len(there) == len(terms) and all(one in there for one in terms) and said == described and is_shown


def bring(row: Improvement, edits: Sequence[Edit], by: User) -> None:
    """Put some edits into force; other edits of the improvement are removed."""
    take_out(row, edits, by)
    terms, described, examples = _sorted(edits)
    learnt = {"terms": [], "descriptions": [], **row.learnt}
    open_terms = [dict(one.change) for one in edits if not one.holds_values]
    for change in terms:
        if (pk := _term_brought(row.source, change, by, change not in open_terms)) is not None:
            learnt["terms"] = list(dict.fromkeys([*learnt["terms"], pk]))
    for (table, column), told in described.items():
        said = _descriptions(row.source).filter(table=table, column=column).first()
        if said is None or said.told != told:
            was = dict(learnt["descriptions"]).get(said.pk, said.told) if said is not None else ""
            if _described(row.source, table, column, told, by):
                made = _descriptions(row.source).get(table=table, column=column)
                learnt["descriptions"] = [*learnt["descriptions"], [made.pk, was]]
    if examples is not None:
        before = _examples_before(row.source, row)
        examples_set(row.source, examples, by)
        learnt["examples"] = {"was": sorted(before), "now": sorted(_examples_now(row.source))}
    row.learnt = learnt


def take_out(row: Improvement, edits: Sequence[Edit], by: User) -> None:
    """Retire what an improvement brought and these edits do not hold; descriptions and examples are again what they were before."""
    terms, described, examples = _sorted(edits)
    for term in StoredTerm.objects.filter(pk__in=row.learnt.get("terms", ()), status=StoredTerm.Status.FORCE):
        if _plain(term) not in terms:
            term_status(term, StoredTerm.Status.RETIRED, by)
    was = dict(row.learnt.get("descriptions", ()))
    for said in _descriptions(row.source).filter(pk__in=was):
        if (said.table, said.column) not in described:
            _described(row.source, said.table, said.column, was[said.pk], by)
    if examples is None and "examples" in row.learnt:
        examples_set(row.source, row.learnt["examples"]["was"], by)
        row.learnt = {name: held for name, held in row.learnt.items() if name != "examples"}


def _sorted(edits: Iterable[Edit]) -> tuple[list[Change], dict[tuple[str, str], str], list[int] | None]:
    """Changes that are terms, descriptions by their place, and the set of examples that edits leave; the last one counts, None where there is none."""
    terms: list[Change] = []
    described: dict[tuple[str, str], str] = {}
    examples = None
    for change in (dict(one.change) for one in edits):
        if change["kind"] == DESCRIPTION:
            said = description_of(change)
            described[said.table, said.column] = said.told
        elif change["kind"] == EXAMPLES:
            examples = [int(key) for key in change["answers"]]
        else:
            terms.append(change)
    return terms, described, examples


def _plain(term: StoredTerm) -> dict[str, str]:
    return {"kind": term.kind, "phrase": term.phrase, "body": term.sql}


def _term_brought(source: Source, change: Change, by: User, holds_values: bool) -> int | None:
    """Have a term in force, and give its number; None where it cannot be."""
    same = StoredTerm.objects.filter(
        source=source, kind=change["kind"], phrase__iexact=change["phrase"], sql=change["body"]
    ).first()
    if same is not None:
        if same.status != StoredTerm.Status.FORCE:
            term_status(same, StoredTerm.Status.FORCE, by)
        return same.pk
    about = "learnt from verified answers"
    wish = TermWish(change["phrase"], change["kind"], change["body"], description=about)
    with suppress(TermRefused):
        return term_save(source, wish, change["body"], by, holds_values=holds_values).pk
    return None


def _described(source: Source, table: str, column: str, told: str, by: User) -> bool:
    """Make `told` the description of a table or column; empty leaves none. Says whether it could be."""
    wanted = [Correction(Subject.DESCRIPTION, table, column, told=told)] if told else []
    try:
        corrections_set(
            source, source_model(source), wanted, by, table=table, column=column, subjects=DESCRIBED
        )
    except CorrectionRefused:
        return False
    return True


def _descriptions(source: Source) -> QuerySet[StoredCorrection]:
    return corrections_in_force(source).filter(subject=Subject.DESCRIPTION)


def _answers(source: Source) -> QuerySet[StoredAnswer]:
    held = StoredAnswer.objects.filter(source=source, taken_back_at=None, problem="")
    return held.select_related("verified_by").order_by("verified_at", "pk")


def _examples_now(source: Source) -> set[int]:
    return set(_answers(source).filter(is_example=True).values_list("pk", flat=True))


def _examples_before(source: Source, row: Improvement | None) -> set[int]:
    if row is not None and "examples" in row.learnt:
        return set(row.learnt["examples"]["was"])
    return _examples_now(source)

"""Terms and verified answers looked at again when a source's tables, or what may run there, changed. Nothing is read from the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.knowledge.term_services import others_of
from mirror.sources.guarding import Refusal, sql_check_whole
from sqlagent.catalog.glossary.bodies import BodyReader, BodyRefused
from sqlagent.values import TermKind

if TYPE_CHECKING:
    from mirror.sources.models import Source
    from sqlagent.values import Catalog


def problems_keep(source: Source, catalog: Catalog) -> int:
    """Keep with each term and verified answer why it no longer works, or that it does; return how many do not."""
    reader = BodyReader(catalog, others_of(source))
    broken = 0
    for term in StoredTerm.objects.filter(source=source).exclude(kind=StoredTerm.Kind.RULE):
        sql, problem = _term(source, term, catalog, reader)
        broken += bool(problem)
        if (term.sql, term.problem) != (sql, problem):
            StoredTerm.objects.filter(pk=term.pk).update(sql=sql, problem=problem)
    for answer in StoredAnswer.objects.filter(source=source, taken_back_at=None):
        checked = sql_check_whole(source, answer.sql, catalog)
        problem = f"{checked.what} {checked.why}".strip() if isinstance(checked, Refusal) else ""
        broken += bool(problem)
        if problem != answer.problem:
            StoredAnswer.objects.filter(pk=answer.pk).update(problem=problem)
    return broken


def _term(source: Source, term: StoredTerm, catalog: Catalog, reader: BodyReader) -> tuple[str, str]:
    """A term's body with full names, and what is wrong with it now."""
    try:
        body = reader.read(TermKind(term.kind), term.body)
    except BodyRefused as error:
        return term.sql, str(error)
    checked = sql_check_whole(source, body.probe, catalog)
    if isinstance(checked, Refusal):
        return term.sql, f"{checked.what} {checked.why}".strip()
    return body.sql, ""

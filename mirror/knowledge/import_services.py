"""Import of a file as knowledge of a source: entry by entry, each tried as one that is typed; omitted ones say why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mirror.audit.services import record
from mirror.knowledge import selectors
from mirror.knowledge.answer_services import AnswerRefused, answer_verify
from mirror.knowledge.knowledge_files import (
    ANSWER_FIELDS,
    TERM_FIELDS,
    KnowledgeFile,
    dumped,
    term_plain,
    written,
)
from mirror.knowledge.models import StoredTerm
from mirror.knowledge.snowflake_writing import snowflake_view
from mirror.knowledge.term_services import TermRefused, TermWish, others_of, term_check, term_save
from mirror.phrases import one_line
from mirror.sources.catalogs import source_catalog
from mirror.sources.guarding import Refusal, sql_check
from sqlagent.catalog.glossary.bodies import BodyReader, BodyRefused
from sqlagent.errors import DatabaseError
from sqlagent.values import Limits, TermKind

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.queries.running import OpenedSource
    from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class Taken:
    """The fate of one entry: `new`, `changed`, `same`, `left out` (with `why`), or `only here` in a comparison."""

    what: str
    name: str
    why: str = ""


def knowledge_written(source: Source) -> str:
    """Everything known of a source as a file."""
    return written(
        source.name, list(selectors.terms_of(source)), list(selectors.answers_of(source).order_by("question"))
    )


def knowledge_as_snowflake(source: Source) -> tuple[str, list[Taken]]:
    """Everything known of a source as a semantic view of Snowflake, and what has no place in one."""
    terms = list(selectors.terms_of(source))
    answers = list(selectors.answers_of(source).filter(problem="").order_by("question"))
    plain, left = snowflake_view(source, source_catalog(source), terms, answers)
    return dumped(plain), [Taken("left out", one_line(name, 100), why) for name, why in left]


def knowledge_compare(source: Source, found: KnowledgeFile) -> Iterator[Taken]:
    """Tell what an import would do, as far as names and texts say; nothing is tried on the source."""
    here = {(one.phrase.casefold(), one.kind): term_plain(one) for one in selectors.terms_of(source)}
    for entry in found.terms:
        key = (str(entry.get("phrase", "")).casefold(), str(entry.get("kind", "")))
        known = here.pop(key, None)
        yield Taken("new" if known is None else "same" if known == dict(entry) else "changed", _name(entry))
    answers = {one.question.casefold(): one.sql for one in selectors.answers_of(source)}
    for entry in found.verified:
        sql = answers.pop(str(entry.get("question", "")).casefold(), None)
        yield Taken("new" if sql is None else "same" if sql == entry.get("sql") else "changed", _name(entry))
    yield from (Taken("only here", str(plain["phrase"])) for plain in here.values())
    yield from (Taken("only here", question) for question in answers)


def knowledge_import(opened: OpenedSource, found: KnowledgeFile, by: User) -> Iterator[Taken]:
    """Import a file and tell the result of each entry. Entries that the file lacks stay."""
    source = opened.source
    for name, why in found.strange:
        yield Taken("left out", one_line(name, 100), why)
    others = {
        **others_of(source),
        **{
            str(one.get("phrase")): (TermKind(one["kind"]), str(one.get("sql", "")))
            for one in found.terms
            if one.get("kind") in StoredTerm.Kind.values
        },
    }
    reader = BodyReader(opened.catalog, others)
    for entry in found.terms:
        yield _term(opened, entry, by, reader)
    for entry in found.verified:
        yield _answer(source, entry, by)
    record("imported knowledge", source, by=by, terms=len(found.terms), verified=len(found.verified))


def _term(opened: OpenedSource, entry: Mapping[str, Any], by: User, reader: BodyReader) -> Taken:
    source, name = opened.source, _name(entry)
    if why := _form_problem(entry, TERM_FIELDS):
        return Taken("left out", name, why)
    wish = TermWish.read({**entry, "body": entry.get("sql", "")})
    known = StoredTerm.objects.filter(source=source, phrase__iexact=wish.phrase, kind=wish.kind).first()
    if known is not None and term_plain(known) == dict(entry):
        return Taken("same", name)
    try:
        term_check(source, wish, is_new=known is None)
        sql = wish.body
        if wish.kind != StoredTerm.Kind.RULE:
            body = reader.read(TermKind(wish.kind), wish.body)
            checked = sql_check(source, body.probe, opened.catalog)
            if isinstance(checked, Refusal):
                return Taken("left out", name, f"{checked.what} {checked.why}".strip())
            opened.database.execute(checked.sent, Limits(seconds=15.0, rows=1))
            sql = body.sql
        term_save(source, wish, sql, by, known)
    except (TermRefused, BodyRefused) as error:
        return Taken("left out", name, str(error))
    except DatabaseError as error:
        return Taken("left out", name, error.failure.message)
    return Taken("new" if known is None else "changed", name)


def _answer(source: Source, entry: Mapping[str, Any], by: User) -> Taken:
    name = _name(entry)
    if why := _form_problem(entry, ANSWER_FIELDS):
        return Taken("left out", name, why)
    question, sql = str(entry["question"]), str(entry["sql"])
    known = selectors.answers_of(source).filter(question__iexact=" ".join(question.split())).first()
    if known is not None and known.sql == sql:
        return Taken("same", name)
    try:
        answer_verify(source, question, sql, by)
    except AnswerRefused as error:
        return Taken("left out", name, str(error))
    return Taken("new" if known is None else "changed", name)


def _form_problem(entry: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    """Fault in the form of an entry; empty where there is none."""
    if not entry:
        return "It is no entry of names and values."
    strange = sorted(str(key) for key in entry if key not in fields)
    if strange:
        return f"Mirror does not know {', '.join(strange)[:100]}."
    for name, value in entry.items():
        is_list = name == "synonyms"
        if is_list and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            return "“synonyms” is no list of texts."
        if not is_list and not isinstance(value, str):
            return f"“{name}” is no text."
    missing = [
        name for name in (("phrase", "kind", "sql") if "phrase" in fields else fields) if not entry.get(name)
    ]
    return f"“{missing[0]}” is missing." if missing else ""


def _name(entry: Mapping[str, Any]) -> str:
    return one_line(str(entry.get("phrase") or entry.get("question") or "(an entry without a name)"), 100)

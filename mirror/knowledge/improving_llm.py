"""A language model that edits what is known of a source and answers with it: on the source's models, budgets and privacy.

Decides what of its proposals can be tried on the source: a term runs without rows through the guard, a description is of a table or column that
there is, and an example is a verified answer of the work part.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from mirror.knowledge.effects import Teller
from mirror.knowledge.models import StoredTerm
from mirror.knowledge.term_services import TermRefused, TermWish, others_of, term_check
from mirror.llms.budgets import uses_keep
from mirror.llms.opening import llms_open
from mirror.llms.standing import opened_troubles_keep
from mirror.sources.guarding import Refusal, sql_check
from sqlagent.catalog.glossary.bodies import BodyRefused, body_read
from sqlagent.catalog.hiding import usable
from sqlagent.errors import DatabaseError, LlmError
from sqlagent.evaluation.improving.changes import DESCRIPTION, EXAMPLES
from sqlagent.evaluation.improving.llm_editor import NotFit
from sqlagent.method.templates import RULES_SHOWN
from sqlagent.prompts.rendering.schema import COMMENT_CHARS
from sqlagent.prompts.silences import plainly
from sqlagent.values import Answer, Catalog, Knowledge, Limits, LlmReply, LlmRequest, TermKind, Usage

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.queries.running import OpenedSource

NONE_SET = "No language model is set for this source."


class Unasked(Exception):
    """No language model can be asked now; the message is fit to be shown."""


class Asker:
    """Asks the models of one source on somebody's budget. It is an `Llm`; `used` adds up what everything cost."""

    def __init__(self, teller: Teller, person: User | None, used: Mapping[str, Any]) -> None:
        self.teller, self.person = teller, person
        self.used: dict[str, Any] = {"calls": 0, "tokens": 0, "money": 0.0, "names": [], **used}

    @property
    def name(self) -> str:
        """The model that replied last."""
        return str(self.used["names"][-1]) if self.used["names"] else ""

    def answer(self, text: str, knowledge: Knowledge, catalog: Catalog) -> Answer:
        """Answer a question as a run of somebody is, with what is known. Raises: Unasked."""
        teller = replace(self.teller, opened=replace(self.teller.opened, catalog=catalog))
        try:
            found = teller.answer_with_llm(text, knowledge, self.person)
        except LlmError as error:
            raise Unasked(plainly(error)) from None
        if found is None:
            raise Unasked(self._why_not())
        answer, name = found
        self._count(answer.usage, name)
        if answer.without_llm and not answer.usage.completion_tokens:
            raise Unasked(answer.without_llm)
        return answer

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once. Raises: Unasked, Cancelled."""
        source = self.teller.opened.source
        try:
            llms = llms_open(source, self.person)
        except LlmError as error:
            raise Unasked(plainly(error)) from None
        try:
            llm = llms.asked()
            if llm is None:
                raise Unasked(llms.over or NONE_SET)
            reply = llm.complete(request, cancelled)
            self._count(reply.usage, reply.llm or llm.name)
            return reply
        except LlmError as error:
            raise Unasked(plainly(error)) from None
        finally:
            llms.close()
            opened_troubles_keep(llms)
            uses_keep(llms.all(), person=self.person, source=source)

    def _why_not(self) -> str:
        llms = llms_open(self.teller.opened.source, self.person)
        llms.close()
        return llms.over or NONE_SET

    def _count(self, usage: Usage, name: str) -> None:
        used = self.used
        used["calls"] += usage.calls
        used["tokens"] += usage.prompt_tokens + usage.completion_tokens
        used["money"] = round(used["money"] + usage.money, 6)
        if name:
            used["names"] = [*(one for one in used["names"] if one != name), name]


class Fitting:
    """Looks at a proposed change on its source. `work` are the verified answers of the work part."""

    def __init__(self, opened: OpenedSource, work: Set[str]) -> None:
        self.opened, self.work = opened, work

    def __call__(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give a change with full names. Raises: NotFit."""
        if change["kind"] == EXAMPLES:
            return self.examples(change)
        return self.description(change) if change["kind"] == DESCRIPTION else self.term(change)

    def examples(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """A set of examples. Raises: NotFit."""
        if not set(change["answers"]) <= self.work:
            raise NotFit("An example is no verified answer of the work part.")
        return change

    def description(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """A description of a table or column that people and language models see. Raises: NotFit."""
        shown, _ = usable(self.opened.catalog, None)
        name, told = str(change["table"]).lower(), str(change["body"])
        tables = [one for one in shown.tables if name in (one.key.lower(), one.name.lower())]
        if len(tables) != 1:
            raise NotFit("There is no such table.")
        column = tables[0].column(str(change["column"])) if change["column"] else None
        if change["column"] and column is None:
            raise NotFit("There is no such column.")
        if not 0 < len(told) <= COMMENT_CHARS:
            raise NotFit(f"A description has 1 to {COMMENT_CHARS} characters; this has {len(told):,}.")
        return {**change, "table": tables[0].key, "column": column.name if column is not None else ""}

    def term(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """A term or a rule. Raises: NotFit."""
        source = self.opened.source
        wish = TermWish(str(change["phrase"]), str(change["kind"]), str(change["body"]))
        try:
            term_check(source, wish)
        except TermRefused as error:
            raise NotFit(str(error)) from None
        rows = StoredTerm.objects.filter(source=source)
        words = {
            one.casefold()
            for phrase, more in rows.values_list("phrase", "synonyms")
            for one in (phrase, *more)
        }
        if wish.phrase.casefold() in words:
            raise NotFit(f"“{wish.phrase}” is a term already.")
        if wish.kind == StoredTerm.Kind.RULE:
            rules = rows.filter(kind=StoredTerm.Kind.RULE, status=StoredTerm.Status.FORCE)
            if rules.count() >= RULES_SHOWN:
                raise NotFit(f"There are {RULES_SHOWN} rules, and no prompt tells of more.")
            return change
        return {**change, "body": self._run(wish)}

    def _run(self, wish: TermWish) -> str:
        """Run a term without rows, and give its body with full names. Raises: NotFit."""
        opened = self.opened
        try:
            body = body_read(TermKind(wish.kind), wish.body, opened.catalog, others_of(opened.source))
        except BodyRefused as error:
            raise NotFit(str(error)) from None
        checked = sql_check(opened.source, body.probe, opened.catalog)
        if isinstance(checked, Refusal):
            raise NotFit(f"{checked.what} {checked.why}".strip(), "It is not one read-only expression.")
        try:
            opened.database.execute(checked.sent, Limits(seconds=15.0, rows=1))
        except DatabaseError as error:  # a database's own words may hold stored values
            raise NotFit(error.failure.message, "The database refuses it.") from None
        return body.sql

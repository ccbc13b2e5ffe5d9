"""A language model that edits what is known of a source and answers with it: on the source's models, budgets and privacy.

Decides what of its proposals can be tried on the source, where the store and its rights come in (`sqlagent/evaluation/improving/fitting.py` has the rest).
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
from mirror.sources.guarding import Passed, Refusal, sql_check
from sqlagent.errors import LlmError
from sqlagent.evaluation.improving.fitting import Fitting
from sqlagent.evaluation.improving.llm_editor import NotFit
from sqlagent.method.templates import RULES_SHOWN
from sqlagent.prompts.silences import plainly
from sqlagent.values import Answer, Catalog, Knowledge, LlmReply, LlmRequest, Usage

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


class StoredFitting(Fitting):
    """Looks at a proposed change on a source of the store: its policy, its rights of sight, and the terms that it has."""

    def __init__(self, opened: OpenedSource, work: Set[str]) -> None:
        super().__init__(opened.database, opened.catalog, work)
        self.opened = opened

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
        return {**change, "body": self.run({**change, "body": wish.body}, others_of(source))}

    def checked(self, sql: str) -> Passed | Refusal:
        """The answer of the guard about a statement, with what was decided for the source."""
        return sql_check(self.opened.source, sql, self.catalog)

"""The editor that is a language model: shown failures of the work part with their evidence, it proposes one edit a call.

Decides how much it is shown and what of a reply is an edit at all; whether that can be tried on the source is asked of `fit`. A reply
that is no edit is told as `Unfit`, and the editor is told of it the next time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event as Flag
from typing import Any

from sqlagent import prompts
from sqlagent.catalog import meanings
from sqlagent.catalog.hiding import usable
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.evaluation.improving.changes import DESCRIPTION, EXAMPLES, applied, change_text
from sqlagent.evaluation.improving.rules import Seen
from sqlagent.evaluation.improving.versions import Edit, History, State, Unfit
from sqlagent.makers.analyst.source import source_of
from sqlagent.method import linking
from sqlagent.method.templates import EXAMPLES_SHOWN
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.values import (
    Catalog,
    Knowledge,
    LinkedSchema,
    LlmMessage,
    LlmRequest,
    Question,
    TermKind,
    VerifiedAnswer,
)

FAILURES, TRIED = 8, 20
"""Failures that one call shows, and proposals of before. The next call shows the next failures."""

REPLY_TOKENS, REPLY_CHARS = 3_000, 8_000
"""Room for thoughts and an edit; a longer reply is none."""

TEMPERATURE = 0.7
"""So that the same failures do not give the same proposal for ever."""

WHY_CHARS = 300

BECAME = {
    State.ACCEPTED: "in force",
    State.ROLLED_BACK: "was in force and taken back",
    State.PROPOSED: "did not help enough",
    State.REFUSED: "did not help",
}

FORM = {
    "type": "object",
    "properties": {
        "why": {"type": "string"},
        "kind": {"type": "string", "enum": [*map(str, TermKind), DESCRIPTION, EXAMPLES, "none"]},
        **{name: {"type": "string"} for name in ("phrase", "body", "table", "column")},
        "questions": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["why", "kind", "phrase", "body", "table", "column", "questions"],
    "additionalProperties": False,
}


class NotFit(ValueError):
    """A proposal that cannot be tried; the message is fit to be shown, and `told` is what the editor is told of it."""

    def __init__(self, message: str, told: str = "") -> None:
        super().__init__(message)
        self.told = told or message


Fit = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Looks at a change on its source and gives it with full names. Raises: NotFit."""


@dataclass(frozen=True, slots=True)
class Context:
    """The material of an editor: the source as it is known at the start, and how much of it may be told."""

    catalog: Catalog
    index: ValueIndex | None
    knowledge: Knowledge
    answers: Mapping[str, VerifiedAnswer]
    privacy: str = "schema"


class LlmEditor:
    """Proposes edits of all kinds. `seen` gives the questions of the work part as they were answered last."""

    def __init__(
        self,
        llm: Llm,
        context: Context,
        seen: Callable[[], Mapping[str, Seen]],
        history: History,
        fit: Fit,
        cancelled: Flag | None = None,
    ) -> None:
        self.llm, self.context, self.seen = llm, context, seen
        self.history, self.fit, self.cancelled = history, fit, cancelled

    def propose(self, edits: Sequence[Edit], failures: Sequence[str]) -> Edit | Unfit | None:
        """Ask for the next edit: one call, which counts on the budget of the history. Raises: LlmError, Cancelled."""
        seen = self.seen()
        shown = self.shown([key for key in failures if key in seen])
        if not shown:
            return None
        self.history.calls += 1
        reply = self.llm.complete(self.request(edits, [seen[key] for key in shown]), self.cancelled)
        author = reply.llm or self.llm.name
        change: Mapping[str, Any] = {}
        why = ""
        try:
            said = said_in(reply.text)
            why = str(said.get("why", ""))[:WHY_CHARS]
            if said.get("kind") == "none":
                return None
            change = change_of(said, shown)
            taken = {str(one.change.get("phrase", "")).casefold() for one in edits} - {""}
            if str(change.get("phrase", "")).casefold() in taken:
                raise NotFit(f"“{change['phrase']}” is a term already.")
            # below `rows` it was shown no stored value, so that it can write none
            return Edit(self.fit(change), author, why, self.context.privacy == "rows")
        except NotFit as error:
            self.history.turned_down(change_text(change) if change else "no edit", error.told)
            return Unfit(str(error), Edit(change, author, why) if change else None)

    def shown(self, failures: Sequence[str]) -> list[str]:
        """The failures that this call shows: each call begins where the one before ended."""
        begin = self.history.edits_asked * FAILURES % max(len(failures), 1)
        return [*failures[begin:], *failures[:begin]][:FAILURES]

    def request(self, edits: Sequence[Edit], failures: Sequence[Seen]) -> LlmRequest:
        """The prompt about some failures, with what is known after some edits."""
        here = self.context
        known, catalog = applied(edits, here.knowledge, here.catalog, here.answers)
        model = source_of(catalog, here.index).model
        shown, index = usable(catalog, here.index)
        linked = meanings.with_meanings(LinkedSchema(shown, shown), model, here.privacy)
        linked = replace(linked, knowledge=replace(known, verified=known.examples))
        text = prompts.render(
            "edit_knowledge",
            engine=rendering.ENGINES.get(catalog.dialect, catalog.dialect.capitalize() or "SQL"),
            schema=rendering.schema_text(linked.catalog, here.privacy),
            rules=rendering.rules_text(linked, here.privacy),
            terms=rendering.terms_text(Question(""), linked, here.privacy),
            examples=rendering.verified_text(Question(""), linked, here.privacy),
            failures=rendering.failures_text(
                [
                    rendering.Failed(
                        one.text, linking.link(Question(one.text), shown, index), one.sql, one.shown
                    )
                    for one in failures
                ],
                here.privacy,
            ),
            tried=rendering.tried_text(self.tried()),
            most=str(EXAMPLES_SHOWN),
        )
        return LlmRequest(
            (LlmMessage("user", text),),
            temperature=TEMPERATURE,
            max_tokens=REPLY_TOKENS,
            seed=self.history.edits_asked,
            purpose="edit",
            schema=FORM,
        )

    def tried(self) -> list[tuple[str, str]]:
        """Earlier proposals with what became of them, the latest last. Of the gate only that much is told."""
        versions = [
            (change_text(one.edit.change), BECAME[one.state])
            for one in self.history.versions
            if one.edit is not None
        ]
        unfit = [(what, f"could not be tried: {why}") for what, why in self.history.unfit]
        return [*versions[-TRIED:], *unfit]


def said_in(reply: str) -> dict[str, Any]:
    """Read the object that a reply holds. Raises: NotFit."""
    if len(reply) > REPLY_CHARS:
        raise NotFit(f"The reply has {len(reply):,} characters; the longest taken has {REPLY_CHARS:,}.")
    said = replies.json_in(reply)
    if not isinstance(said.get("kind"), str):
        raise NotFit("The reply holds no edit.")
    return said


def change_of(said: Mapping[str, Any], shown: Sequence[str]) -> dict[str, Any]:
    """Make of a reply the change that it proposes; `shown` are the questions that its numbers mean. Raises: NotFit.

    Example:
        >>> change_of({"kind": "filter", "phrase": " grand ", "body": "orders.amount > 105", "table": "x"}, ())
        {'kind': 'filter', 'phrase': 'grand', 'body': 'orders.amount > 105'}
        >>> change_of({"kind": "examples", "questions": [2, 2, 9]}, ("17", "18"))
        {'kind': 'examples', 'answers': ['18']}
    """
    kind = str(said["kind"]).strip().lower()
    if kind == EXAMPLES:
        numbers = said.get("questions")
        chosen = dict.fromkeys(n for n in numbers if type(n) is int) if isinstance(numbers, list) else {}
        answers = [shown[n - 1] for n in chosen if 0 < n <= len(shown)][:EXAMPLES_SHOWN]
        if not answers:
            raise NotFit("No question was chosen as an example.")
        return {"kind": kind, "answers": answers}
    names = ("table", "column", "body") if kind == DESCRIPTION else ("phrase", "body")
    if kind != DESCRIPTION and kind not in list(TermKind):
        raise NotFit("The reply names no kind of edit.")
    texts = {name: said.get(name) or "" for name in names}
    if not all(isinstance(text, str) for text in texts.values()):
        raise NotFit("The reply holds no edit.")
    return {"kind": kind, **{name: " ".join(text.split()) for name, text in texts.items()}}

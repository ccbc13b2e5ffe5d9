"""Prompts to candidates: what is sent to a language model to get SQL.

Decides the families of prompts and which of them a wave uses. `rendering` decides what a model
may see, `replies` where SQL stands in a reply; candidates are judged later.

Diversity comes from the families and from a second rendering of the schema; temperature only
adds to it (docs/method.md, Sampling). Every call of a wave opens with the same bytes (system message with
the schema, then the question), so that a serving engine's prefix cache pays for them once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import replace
from threading import Event as Flag

from sqlagent import prompts
from sqlagent.errors import BudgetSpent, Cancelled, LlmError, LlmTooLong
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.prompts.silences import NO_SQL, plainly
from sqlagent.sql import literals
from sqlagent.values import (
    Candidate,
    Execution,
    LinkedSchema,
    LlmMessage,
    LlmReply,
    LlmRequest,
    Question,
    Turn,
)

TEMPERATURES = (0.7, 0.8)
"""Of all samples but the first, which is greedy (docs/method.md, Sampling)."""

REPLY_TOKENS = 6_000
"""Room for a plan and a long statement; models that think aloud need most of it."""

EXAMPLES = 5
"""Verified SQL shown in one prompt, most fitting first; more of them crowd out the schema."""

HINTS = 3
"""Drafts of the built-in generator shown in one prompt."""

LOOKS = 2
"""Times that one sample of the looking family may look at the data before it has to write."""

POLL_SECONDS = 0.05

FIRST_FAMILIES = ("direct", "examples", "plan", "divide")
"""The first two have short replies: they are the first wave where a budget has a small one."""
NEXT_FAMILIES = ("requirements", "second_look", "plan", "divide")
LOOKING, SETTLING = "look", "settle"
"""Families that have no turn: one is led with where an attempt is in doubt, the other is asked by `settle`."""

Look = Callable[[str], Execution]
"""Runs a statement by which a model looks at the data: guarded, within few rows and little time."""


class LlmSampler:
    """A `Sampler` that asks a language model, one call a candidate, a wave at once.

    `examples` are verified questions with their SQL, most fitting first; `hints` are drafts
    of the built-in generator, shown to every second family. `declined` gathers what replies
    said is missing where they called the question unanswerable; `problems` tells of calls
    that gave no candidate. `too_long` counts the prompts of the last wave that did not fit the model. With `look`, samples
    of the looking family may look at the data before they write, twice each: each time is one call more.
    """

    def __init__(
        self,
        llm: Llm,
        *,
        privacy: str = "schema",
        examples: Sequence[Turn] = (),
        hints: Sequence[str] = (),
        look: Look | None = None,
    ) -> None:
        self._llm = llm
        self._look = look
        self._privacy = privacy
        self._examples = tuple(examples)[:EXAMPLES]
        self._hints = tuple(hints)[:HINTS]
        self.declined: list[str] = []
        self.problems: list[str] = []
        self.too_long = 0

    def sample(
        self,
        question: Question,
        linked: LinkedSchema,
        *,
        count: int,
        start: int = 0,
        round: int = 0,
        feedback: Sequence[str] = (),
        families: Sequence[str] = (),
        cancelled: Flag | None = None,
    ) -> Iterator[Candidate]:
        """Yield candidates as the calls of a wave come back: at most `count`, one call each.

        A call that fails or replies without SQL yields nothing and is told in `problems`.
        Where every call failed, the last error is raised, or that the prompt is too long; where every reply lacked SQL
        and none called the question unanswerable, an LlmError says so. A caller that stops
        early ends the calls still open.

        Raises: LlmError, Cancelled.
        """
        wave = [
            self.request(
                question,
                linked,
                index=start + i,
                round=round,
                feedback=feedback,
                family=families[i] if i < len(families) else "",
            )
            for i in range(count)
        ]
        yield from self._asked(wave, question, linked, round, cancelled)

    def settle(
        self,
        question: Question,
        linked: LinkedSchema,
        cases: Sequence[Mapping[str, str]],
        *,
        round: int = 1,
        cancelled: Flag | None = None,
    ) -> Iterator[Candidate]:
        """Ask which of two answers is meant, once for each of the `cases`: the same two in either order, greedily.

        A case holds what stands in the prompt (`rendering.case_text`). Raises: LlmError, Cancelled, as `sample` does.
        """
        system = rendering.system_message(linked, self._privacy, "cards", wide=True)
        task = rendering.task_text(question, linked, self._privacy)
        wave = [
            (
                SETTLING,
                LlmRequest(
                    (system, LlmMessage("user", f"{task}\n\n{self._settling_text(case)}")),
                    max_tokens=REPLY_TOKENS,
                    seed=1 + at + 1_000 * round,
                    purpose=f"sample:{SETTLING}",
                ),
            )
            for at, case in enumerate(cases)
        ]
        yield from self._asked(wave, question, linked, round, cancelled)

    @staticmethod
    def _settling_text(case: Mapping[str, str]) -> str:
        return prompts.render(f"sample_{SETTLING}", output=prompts.source("sample_output"), **case)

    def _asked(
        self,
        wave: Sequence[tuple[str, LlmRequest]],
        question: Question,
        linked: LinkedSchema,
        round: int,
        cancelled: Flag | None,
    ) -> Iterator[Candidate]:
        """Make the calls of a wave at once, and yield what they came to."""
        if not wave:
            return
        stop = Flag()
        found, declined = 0, len(self.declined)
        errors: list[LlmError] = []
        pool = ThreadPoolExecutor(max_workers=len(wave), thread_name_prefix="sample")
        try:
            calls = {
                pool.submit(
                    copy_context().run, self._complete, family, request, stop, question, linked
                ): family
                for family, request in wave
            }
            for call in _as_they_come(calls, cancelled):
                try:
                    reply = call.result()
                except LlmError as problem:
                    errors.append(problem)
                    continue
                if candidate := self._candidate(reply, calls[call], question, linked, round):
                    found += 1
                    yield candidate
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
        too_long = [error for error in errors if isinstance(error, LlmTooLong)]
        self.too_long = len(too_long)
        self.problems += [plainly(e) for e in errors if not isinstance(e, BudgetSpent | LlmTooLong)]
        if not found and len(self.declined) == declined:
            silent = LlmError(NO_SQL)
            raise next(iter((*too_long, *errors[-1:])), silent)

    def _complete(
        self, family: str, request: LlmRequest, stop: Flag, question: Question, linked: LinkedSchema
    ) -> LlmReply:
        """Ask once; where the reply looks at the data first, show what it saw and ask again, within `LOOKS`."""
        reply = self._llm.complete(request, stop)
        for left in range(LOOKS - 1, -1, -1):
            sql = replies.look_in(reply.text) if family == LOOKING and self._look is not None else ""
            if not sql or stop.is_set():
                break
            assert self._look is not None
            seen = rendering.look_text(self._look(sql), question, linked, self._privacy)
            more = "Look once more, or write" if left else "Now write"
            told = f"<result>\n{seen}\n</result>\n\n{more} the SQL.\n\n{prompts.source('sample_output')}"
            said = LlmMessage("assistant", f"LOOK: {sql}")
            request = replace(request, messages=(*request.messages, said, LlmMessage("user", told)))
            reply = self._llm.complete(request, stop)
        return reply

    def request(
        self,
        question: Question,
        linked: LinkedSchema,
        *,
        index: int,
        round: int = 0,
        feedback: Sequence[str] = (),
        family: str = "",
    ) -> tuple[str, LlmRequest]:
        """Make the call of the `index`th sample of a run, with the name of its family.

        The first four samples read the schema as cards, the next four as DDL, and so on; a
        resampling round has families of its own and sees the whole catalog. `family` goes before
        the one whose turn it is.
        """
        families = NEXT_FAMILIES if round else self._first_families()
        family = family or families[index % len(families)]
        style = "ddl" if index // 4 % 2 else "cards"
        texts = {
            "output": prompts.source("sample_output"),
            "hints": self._hints_text(question, linked),
            "examples": self._examples_text(question, linked),
            "feedback": self._feedback_text(feedback, question, linked),
            "wider": _wider(linked) if round else "",
            "looks": _NUMBERS[LOOKS] if self._look is not None else "",
        }
        name = f"sample_{family}"
        asked = prompts.render(name, **{k: v for k, v in texts.items() if k in prompts.fields(name)})
        greedy = index == 0 and round == 0
        return family, LlmRequest(
            messages=(
                rendering.system_message(linked, self._privacy, style, wide=round > 0),
                LlmMessage("user", f"{rendering.task_text(question, linked, self._privacy)}\n\n{asked}"),
            ),
            temperature=0.0 if greedy else TEMPERATURES[index % 2],
            max_tokens=REPLY_TOKENS,
            seed=1 + index + 1_000 * round,
            purpose=f"sample:{family}",
        )

    def _first_families(self) -> tuple[str, ...]:
        if self._examples:
            return FIRST_FAMILIES
        return tuple("columns" if family == "examples" else family for family in FIRST_FAMILIES)

    def _hints_text(self, question: Question, linked: LinkedSchema) -> str:
        shown = (rendering.shown_sql(sql, question, linked, self._privacy) for sql in self._hints)
        return ";\n".join(shown)

    def _examples_text(self, question: Question, linked: LinkedSchema) -> str:
        return "\n\n".join(
            f"Question: {rendering.one_line(turn.question, 400)}\n"
            f"SQL: {rendering.shown_sql(turn.sql, question, linked, self._privacy, (turn.question,))}"
            for turn in self._examples
        )

    def _feedback_text(self, feedback: Sequence[str], question: Question, linked: LinkedSchema) -> str:
        lines = (rendering.shown_words(line, question, linked, self._privacy) for line in feedback)
        return "\n".join(f"- {line}" for line in lines)

    def _candidate(
        self, reply: LlmReply, family: str, question: Question, linked: LinkedSchema, round: int
    ) -> Candidate | None:
        sql = "" if replies.look_in(reply.text) else replies.sql_in(reply.text)
        if sql:
            bound = sql if self._privacy == "rows" else literals.bind(sql, question, linked)
            return Candidate(bound, family=family, round=round, written=sql, llm=reply.llm)
        if missing := replies.declined_in(reply.text):
            self.declined.append(missing)
        else:
            self.problems.append("A reply held no SQL.")
        return None


_NUMBERS = ("", "once", "twice")


def _wider(linked: LinkedSchema) -> str:
    """Say how many tables a resampling round sees that the first one did not; empty where it sees the same."""
    more = 0 if linked.is_trimmed else len(linked.full.tables) - len(linked.catalog.tables)
    return f"{more} table{'s' * (more > 1)}" if more > 0 else ""


def _as_they_come(calls: dict[Future[LlmReply], str], cancelled: Flag | None) -> Iterator[Future[LlmReply]]:
    """Yield calls as they end. Raises: Cancelled once the flag is set."""
    open_calls = set(calls)
    while open_calls:
        if cancelled is not None and cancelled.is_set():
            raise Cancelled("The run was stopped.")
        done, open_calls = wait(open_calls, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        yield from sorted(done, key=list(calls).index)

"""Prompts to candidates: what is sent to a language model to get SQL.

Decides the families of prompts and which of them a wave uses. What a model may see is
`rendering`'s decision, where SQL stands in a reply `replies`'; which candidates are any good
is decided later.

Diversity comes from the families and from a second rendering of the schema; temperature only
adds to it (docs/method.md, Sampling). Every call of a wave opens with the same bytes (system message with
the schema, then the question), so that a serving engine's prefix cache pays for them once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Event as Flag

from sqlagent import prompts
from sqlagent.errors import BudgetSpent, Cancelled, LlmError, LlmTooLong
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.prompts.silences import NO_SQL, plainly
from sqlagent.sql import literals
from sqlagent.values import (
    Candidate,
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

POLL_SECONDS = 0.05


FIRST_FAMILIES = ("direct", "examples", "plan", "divide")
"""The first two have short replies: they are the first wave where a budget has a small one."""
NEXT_FAMILIES = ("requirements", "second_look", "plan", "divide")


class LlmSampler:
    """A `Sampler` that asks a language model, one call a candidate, a wave at once.

    `examples` are verified questions with their SQL, most fitting first; `hints` are drafts
    of the built-in generator, shown to every second family. `declined` gathers what replies
    said is missing where they called the question unanswerable; `problems` tells of calls
    that gave no candidate. `too_long` counts the prompts of the last wave that did not fit the model.
    """

    def __init__(
        self,
        llm: Llm,
        *,
        privacy: str = "schema",
        examples: Sequence[Turn] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self._llm = llm
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
        if not wave:
            return
        stop = Flag()
        found, declined = 0, len(self.declined)
        errors: list[LlmError] = []
        pool = ThreadPoolExecutor(max_workers=len(wave), thread_name_prefix="sample")
        try:
            calls = {
                pool.submit(copy_context().run, self._llm.complete, request, stop): family
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
        sql = replies.sql_in(reply.text)
        if sql:
            bound = sql if self._privacy == "rows" else literals.bind(sql, question, linked)
            return Candidate(bound, family=family, round=round, written=sql, llm=reply.llm)
        if missing := replies.declined_in(reply.text):
            self.declined.append(missing)
        else:
            self.problems.append("A reply held no SQL.")
        return None


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

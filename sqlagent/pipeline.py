"""The whole journey on one screen: a question in, events out, an answer at the end.

    link -> sample -> guard -> execute -> group -> (check) -> rank -> audit -> (resample) -> conclude

Decides only the order of the stages and what a question may cost; every stage decides its
own matter. With an LLM and without one this is one code path: the makers of candidates and
of judgements differ, nothing else does. The method is R3-SQL's (arXiv 2604.25325).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from threading import Event as Flag
from time import monotonic

from sqlagent.catalog import examples, meanings
from sqlagent.catalog.glossary.mentions import Explained, explained
from sqlagent.catalog.hiding import usable
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import Cancelled, LlmError, LlmTooLong, SqlAgentError
from sqlagent.events import (
    Audited,
    Checked,
    Ended,
    Event,
    Executed,
    Grouped,
    Linked,
    Noted,
    Ranked,
    Rewritten,
    Sampling,
)
from sqlagent.guard import Policy
from sqlagent.journey import evidence
from sqlagent.journey.chosen import makers
from sqlagent.journey.concluding import conclude
from sqlagent.journey.rival_terms import told_apart
from sqlagent.journey.setting import Setting
from sqlagent.journey.state import State
from sqlagent.journey.typed import as_typed, typed_sql
from sqlagent.journey.vouched import vouched
from sqlagent.makers import following, llm_repair, repair
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.generation import LOOKING, LlmSampler
from sqlagent.method import (
    answer_checks,
    execution,
    grouping,
    linking,
    looking_up,
    presenting,
    ranking,
    resampling,
    sampling,
    templates,
    trimming,
)
from sqlagent.method.metering import MeteredLlm
from sqlagent.ports import Database, Fetch, Llm
from sqlagent.prompts import rendering
from sqlagent.prompts.silences import plainly
from sqlagent.values import (
    Answer,
    Budget,
    Candidate,
    Catalog,
    Execution,
    ExecutionGroup,
    Knowledge,
    LinkedSchema,
    Outcome,
    Question,
    Ranking,
    Turn,
)

NOTHING_KNOWN = Knowledge()

FRAME_SECONDS = 5.0
"""Seconds for the analyst's frame beside a language model: the model waits for it, and may be right without."""


def answer(
    question: Question,
    *,
    database: Database,
    catalog: Catalog | None = None,
    index: ValueIndex | None = None,
    llm: Llm | None = None,
    ranker: Llm | None = None,
    turns: Sequence[Turn] = (),
    budget: Budget | None = None,
    privacy: str = "schema",
    cancelled: Flag | None = None,
    cache: execution.Cache | None = None,
    policy: Policy | None = None,
    fetch: Fetch | None = None,
    knowledge: Knowledge = NOTHING_KNOWN,
) -> Iterator[Event]:
    """Answer a question, yielding each event as it happens and exactly one `Ended` last.

    Expected faults (a source that is gone, an LLM that is silent, a pool where everything fails) end as one of the four
    outcomes with the reason; nothing expected is raised. Costs at most `budget`.

    `turns` are the earlier questions of the thread: with them a follow-up is rewritten to its stand-alone form first. SQL
    typed as a question runs as it is, if the guard lets it through. A team's knowledge of the source (`knowledge`) goes
    before all else: a question that is the template of a verified answer is answered by its SQL, and its terms fix the
    meaning of their words. A `ranker` beside the `llm` compares and marks candidates in its place. The rows of an answer that
    were cut are fetched once more, by `fetch` where it is given, else into memory.
    """
    budget, cancelled, started = budget or Budget(), cancelled or Flag(), monotonic()
    meter = MeteredLlm(llm, budget) if llm else None
    try:
        catalog = catalog or database.catalog()
        known, index = usable(catalog, index)
        setting = Setting(
            database=database,
            catalog=catalog,
            known=known,
            index=index,
            llm=meter,
            ranker=MeteredLlm(ranker, budget, beside=meter) if ranker and meter else None,
            knowledge=knowledge,
            budget=budget,
            privacy=privacy,
            cancelled=cancelled,
            cache=cache,
            policy=policy,
            fetch=fetch,
        )
        if sql := typed_sql(question, catalog, policy):
            yield from as_typed(sql, question, setting)
            return
        if turns:
            question = following.stand_alone(
                question,
                turns,
                known,
                meter,
                index=index,
                whole=catalog,
                privacy=privacy,
                cancelled=cancelled,
            )
            yield Rewritten(question)
        ended = (yield from vouched(question, setting)) or (yield from _asked(question, setting))
    except Cancelled:
        ended = Answer(Outcome.FAILED, question, reason="Stopped.")
    except SqlAgentError as error:
        words = plainly(error) if isinstance(error, LlmError) else str(error)
        ended = Answer(Outcome.FAILED, question, reason=words)
    usage, sent = (meter.usage, tuple(meter.sent)) if meter else (ended.usage, ())
    notes = tuple(dict.fromkeys((*ended.notes, *meter.notes))) if meter else ended.notes
    usage = replace(usage, seconds=monotonic() - started)
    is_in_vain = meter is not None and sent and not ended.sql and not ended.without_llm
    asked = ended.llm or (meter.name if meter and is_in_vain else "")
    faults = tuple(meter.faults) if meter else ()
    ended = replace(ended, question=question, usage=usage, sent=sent, notes=notes, llm=asked, faults=faults)
    yield Ended(ended)


def _asked(question: Question, setting: Setting) -> Generator[Event, None, Answer]:
    """Answer a question in each way that the team's terms explain it; the first way is told of. Raises: Cancelled, SqlAgentError."""
    ways = explained(question, setting.knowledge.terms, setting.catalog)
    ends = [(yield from _on_its_way(ways[0], setting))]
    ends += [_silently(_on_its_way(way, setting)) for way in ways[1:]]
    near = templates.near(question.text, setting.knowledge.verified)
    return replace(told_apart(ways, ends), near=near)


def _on_its_way(way: Explained, setting: Setting) -> Generator[Event, None, Answer]:
    """Link a question, take it through its rounds, conclude. Raises: Cancelled, SqlAgentError."""
    linked, looked = _linked(way.question, setting)
    yield Linked(linked)
    journey = Journey.start(way, _shown(way.question, linked, looked, setting), looked, setting)
    yield from journey.rounds()
    return conclude(journey)


def _silently(steps: Generator[Event, None, Answer]) -> Answer:
    """Take a question to its end without telling of it."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: Answer = end.value
            return answer


def _linked(question: Question, setting: Setting) -> tuple[LinkedSchema, looking_up.LookedUp]:
    """Link a question, with its words looked up in columns whose values are not read yet. Raises: Cancelled."""
    linked = linking.link(question, setting.known, setting.index)
    looker = setting.executor(setting.limits(looking_up.ROWS, looking_up.STATEMENT_SECONDS))
    looked = looking_up.look_up(question, linked, setting.index, looker, cancelled=setting.cancelled)
    if looked.index is not setting.index:
        linked = linking.link(question, setting.known, looked.index)
    return linked, looked


def _shown(
    question: Question, linked: LinkedSchema, looked: looking_up.LookedUp, setting: Setting
) -> LinkedSchema:
    """The schema as a language model is shown it, with meanings, verified answers and rows, as far as privacy goes."""
    if setting.llm is None:
        return linked
    model = source_of(setting.catalog, looked.index).model
    linked = meanings.with_meanings(linked, model, setting.privacy)
    linked = templates.with_knowledge(question, linked, setting.knowledge)
    if setting.privacy == "schema":
        return linked
    return examples.with_examples(linked, setting.database, looked.index)


class Journey(State):
    """The rounds of one question."""

    __slots__ = ()

    @classmethod
    def start(
        cls, way: Explained, linked: LinkedSchema, looked: looking_up.LookedUp, setting: Setting
    ) -> Journey:
        """Begin: nothing sampled yet, the makers chosen."""
        chosen = makers(way.question, linked, looked, setting)
        return cls(
            way=way,
            linked=linked,
            looked=looked,
            setting=setting,
            llm=setting.llm,
            sampler=chosen.sampler,
            judge=chosen.judge,
            prober=chosen.prober,
            analysis=chosen.analysis,
            doubt=chosen.doubt,
            frame=chosen.beside,
            executor=setting.executor(setting.limits(setting.budget.rows), is_cached=True),
            ordered=grouping.asks_order(way.question),
            deadline=monotonic() + setting.budget.seconds,
        )

    def rounds(self) -> Iterator[Event]:
        """Sample, execute, rank and audit; then once more with feedback when the audit says so.

        No auditor is asked where every attempt agreed and the checks passed, where every reply declined, nor where one
        question settled which of two answers is meant. No round begins on a budget that is used up. `faithful` replaces the pool, whatever was in it; else the gate decides.
        """
        for number in range(self.setting.budget.rounds + 1):
            earlier, earlier_pool = self.ranking, tuple(self.pool)
            yield Sampling(number, self.verdict.unmet if number else ())
            if number and self.is_replacing:
                self.pool, self.groups, self.replaced = [], (), self.replaced + len(self.pool)
            was_settled = bool(number) and (yield from self.settled_by_asking(number))
            if not was_settled:
                yield from self.gather(number)
            self.rank()
            if number and self.stands(earlier):
                self.pool, self.ranking = list(earlier_pool), earlier
                self.groups = tuple(r.group for r in earlier.groups)
            yield Ranked(self.ranking)
            if was_settled:
                self.verdict = resampling.settled(self.ranking)
                return
            if self.llm is not None and (self.is_checked or self.setting.budget.audit == "never"):
                self.verdict = resampling.unaudited(self.ranking)
                return
            if self.is_voted and self.declined and not self.pool:
                return
            self.verdict = resampling.audit(self.question, self.linked, self.ranking, self.pool, self.judge)
            yield Audited(self.verdict)
            is_spent = self.llm is not None and self.llm.is_spent
            if self.verdict.accepted or is_spent or monotonic() > self.deadline:
                return

    def stands(self, earlier: Ranking) -> bool:
        """Whether the winner of the round before stays: by the gate, or because a pool that replaced it came to nothing."""
        if self.is_replacing:
            return bool(earlier.groups) and not self.ranking.groups
        return resampling.keeps_earlier(self.question, self.linked, earlier, self.ranking, self.judge)

    def gather(self, number: int) -> Iterator[Event]:
        """One round of sampling, in waves, until the groups settle or the samples are used up.

        Of a language model its calls count, else candidates. A small first wave without SQL is no end yet.
        """
        made, calls = len(self.pool), self.calls
        self.asked_before = calls
        budget = (
            sampling.replacing(self.setting.budget) if number and self.is_replacing else self.setting.budget
        )
        if self.is_voted and number == 0 and self.frame is not None:
            self.run_beside(self.frame)
        while count := sampling.next_wave(
            self.calls - calls if self.llm else len(self.pool) - made,
            budget,
            first=self.is_voted and number == 0,
            vouched=self.beside is not None,
        ):
            if self.setting.cancelled.is_set():
                raise Cancelled("The run was stopped.")
            wave = yield from self.sampled(number, count)
            if not wave and not (self.is_voted and self.calls <= self.setting.budget.first):
                break
            yield from self.ran(wave)
            yield from self.checks()
            settled = self.is_checked or (
                self.setting.budget.mode == "fast" and sampling.settled(self.groups)
            )
            if settled or monotonic() > self.deadline:
                break
        yield from self.asked_to_mend()
        if self.is_voted and self.beside is not None and not self.is_joined and self.pool and not self.groups:
            yield from self.join_beside()

    def checks(self) -> Iterator[Event]:
        """Where every attempt of a language model agreed, check their answer; without problems no more is asked.

        A single attempt is enough where the analyst's frame says the same. A frame that says something else, or that the
        checks doubt, counts for nothing.
        """
        self.is_checked, self.problems = False, ()
        if not self.is_voted:
            return
        if self.beside is not None and not self.is_joined and sampling.unanimous(self.groups, self.calls, 1):
            both = self.grouped([*self.pool, self.beside])
            self.is_vouched = len(both) == 1
            if self.is_vouched and self.calls < sampling.AGREEING and not self.problems_of(both[0]):
                yield from self.join_beside()
        if not sampling.unanimous(self.groups, self.calls + self.is_joined):
            return
        self.problems = self.problems_of(self.groups[0])
        self.is_checked = not self.problems
        yield Checked(self.groups[0].size, self.problems, self.is_joined)

    def problems_of(self, group: ExecutionGroup) -> tuple[str, ...]:
        """The problems that the checks find in the members of a group, each once."""
        found = [
            answer_checks.problems(self.question, self.linked, one, self.looked.index)
            for one in group.members
        ]
        return tuple(dict.fromkeys(problem for problems in found for problem in problems))

    def grouped(self, pool: Sequence[Execution]) -> tuple[ExecutionGroup, ...]:
        """Gather a pool by result; where attempts vote, presentations of one answer vote together."""
        groups = grouping.group_by_execution(pool, self.ordered)
        return (
            presenting.joined(self.question, self.linked, groups, self.ordered) if self.is_voted else groups
        )

    def sampled(self, number: int, count: int) -> Generator[Event, None, list[Candidate]]:
        """Ask the sampler for a wave; where an LLM is silent, the built-in makers answer as they do without one.

        A prompt that does not fit the model is asked again with less of the schema, as long as there is less.
        """
        wave: list[Candidate] = []
        try:
            for candidate in self.asked(number, count):
                wave.append(candidate)
        except LlmError as error:
            smaller = trimming.trimmed(self.linked) if isinstance(error, LlmTooLong) else None
            if smaller is not None:
                self.linked, self.calls = smaller, self.calls - count
                return (yield from self.sampled(number, count))
            if not wave and not self.pool and not self.replaced:
                self.go_on_without(error)
                yield Noted(self.without_llm)
                wave = list(self.asked(0, sampling.next_wave(0, self.setting.budget)))
        too_long = self.sampler.too_long if isinstance(self.sampler, LlmSampler) else 0
        if too_long and (smaller := trimming.trimmed(self.linked)) is not None:
            self.linked, self.calls = smaller, self.calls - too_long
        return wave

    def go_on_without(self, error: LlmError) -> None:
        """Choose the makers anew as if no language model were set, and link without what only it is shown."""
        self.without_llm = f"{plainly(error)} The built-in analyst was asked instead."
        self.notes.append(self.without_llm)
        self.linked = linking.link(self.question, self.setting.known, self.looked.index)
        setting = replace(self.setting, llm=None, ranker=None)
        chosen = makers(self.question, self.linked, self.looked, setting)
        self.llm, self.sampler, self.judge, self.prober = None, chosen.sampler, chosen.judge, chosen.prober
        self.analysis, self.doubt = chosen.analysis, chosen.doubt

    def asked(self, number: int, count: int) -> Iterator[Candidate]:
        """The sampler's next candidates, told what the auditor and the checks found unmet."""
        start = self.calls if self.llm else len(self.pool)
        widens = self.is_voted and number == 0 and start == self.setting.budget.first > 0
        begins = self.is_voted and number > 0 and start == self.asked_before
        looked = evidence.looked_lines(self) if widens or begins else ()
        lead = sampling.families(self.groups, self.problems, self.linked.full) if widens else ()
        self.calls += count
        return self.sampler.sample(
            self.question,
            self.linked,
            count=count,
            start=start,
            round=number,
            feedback=(
                *(self.feedback() if number else ()),
                *rendering.check_lines(self.problems),
                *looked,
            ),
            families=(LOOKING, *lead) if looked else lead,
            cancelled=self.setting.cancelled,
        )

    def feedback(self) -> Sequence[str]:
        """The feedback of earlier rounds to the next one, as a language model may see it."""
        return rendering.feedback_lines(
            self.verdict,
            self.ranking,
            self.pool,
            self.declined,
            self.question,
            self.linked,
            self.setting.privacy,
            evidence.findings(self),
        )

    def settled_by_asking(self, number: int) -> Generator[Event, None, bool]:
        """Where two answers stand against each other, ask in either order which is meant; True where both replies ran.

        That is the whole round then: nobody is asked to try again. The votes decide, by the gate of every round.
        """
        found = evidence.cases(self) if self.is_voted and isinstance(self.sampler, LlmSampler) else ()
        if not found:
            return False
        assert isinstance(self.sampler, LlmSampler)
        before = len(self.pool)
        try:
            wave = list(
                self.sampler.settle(
                    self.question, self.linked, found, round=number, cancelled=self.setting.cancelled
                )
            )
        except LlmError:
            wave = []
        yield from self.ran(wave)
        return len(self.pool) - before == len(found) and all(e.rows is not None for e in self.pool[before:])

    def ran(self, wave: Sequence[Candidate]) -> Iterator[Event]:
        """Run a wave into the pool, and group it."""
        for ran in self.executor.run(wave, cancelled=self.setting.cancelled):
            mended = self.mended(ran)
            yield Executed(self.replaced + len(self.pool), mended)
            self.pool.append(mended)
        self.groups = self.grouped(self.pool)
        if wave:
            yield Grouped(self.groups, len(self.pool))

    def run_beside(self, frame: Candidate) -> None:
        """Run the analyst's frame beside a language model's attempts; one without rows, or that takes long, is left out."""
        executor = self.setting.executor(self.setting.limits(self.setting.budget.rows, FRAME_SECONDS))
        ran = next(iter(executor.run([frame], cancelled=self.setting.cancelled)))
        self.beside = ran if ran.status in ("ok", "truncated") else None

    def join_beside(self) -> Iterator[Event]:
        """Put what the analyst's frame gave into the pool."""
        assert self.beside is not None
        self.is_joined = True
        yield Executed(self.replaced + len(self.pool), self.beside)
        self.pool.append(self.beside)
        self.groups = self.grouped(self.pool)
        yield Grouped(self.groups, len(self.pool))

    def mended(self, ran: Execution) -> Execution:
        """Give a candidate that did not work its repair by rule, and run it again."""
        if ran.status in ("ok", "truncated"):
            return ran
        mend = repair.mend(ran.sql, self.linked.full, self.looked.index, ran.failure)
        if mend is None:
            return ran
        candidate = replace(ran.candidate, sql=mend.sql, notes=(*ran.candidate.notes, *mend.notes))
        again = next(iter(self.executor.run([candidate], cancelled=self.setting.cancelled)))
        if again.failure is not None:
            return ran
        # the candidate keeps the text as it was sampled: what a mending put in may be a stored value
        return replace(again, candidate=replace(again.candidate, sql=ran.candidate.sql))

    def asked_to_mend(self) -> Iterator[Event]:
        """Where most of a pool failed, let the LLM mend what rules could not."""
        if self.llm is None:
            return
        for failed in llm_repair.worth_mending(self.pool):
            mended = llm_repair.mend(
                self.question,
                self.linked,
                failed,
                lambda candidate: next(
                    iter(self.executor.run([candidate], cancelled=self.setting.cancelled))
                ),
                self.llm,
                privacy=self.setting.privacy,
                cancelled=self.setting.cancelled,
            )
            if mended is not failed:
                at = next(n for n, e in enumerate(self.pool) if e is failed)
                self.pool[at] = mended
                yield Executed(self.replaced + at, mended)

    def rank(self) -> None:
        """Group the pool, pruned to its size by pointwise rank when rounds were joined, and order the groups."""
        kept = resampling.prune(
            self.question, self.linked, self.pool, self.judge, self.setting.budget.samples
        )
        self.groups = self.grouped(kept)
        self.ranking = ranking.rank(
            self.question,
            self.linked,
            self.groups,
            pool=len(kept),
            judge=self.judge,
            mode=self.setting.budget.mode,
        )

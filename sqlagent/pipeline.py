"""The whole journey on one screen: a question in, events out, an answer at the end.

    link -> sample -> guard -> execute -> group -> (check) -> rank -> audit -> (resample) -> answer

Decides only the order of the stages and what a question may cost; every stage decides its
own matter. With an LLM and without one this is one code path: the makers of candidates and
of judgements differ, nothing else does. The method is R3-SQL's (arXiv 2604.25325).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event as Flag
from time import monotonic

from sqlagent import guard
from sqlagent.catalog import examples, hints, meanings
from sqlagent.catalog.glossary.mentions import Explained, explained
from sqlagent.catalog.hiding import usable
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import Cancelled, DatabaseError, LlmError, LlmTooLong, SqlAgentError
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
from sqlagent.language.leftovers import leftovers, sums_a_key
from sqlagent.makers import analyst, following, llm_repair, repair
from sqlagent.makers.analyst import Analysis, AnalystJudge, AnalystSampler
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.telling import LONG_TITLE
from sqlagent.makers.generation import LlmSampler
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.makers.judging import FeatureJudge
from sqlagent.makers.llm_judging import LlmJudge
from sqlagent.method import (
    answer_checks,
    confidence,
    execution,
    grouping,
    linking,
    looking_up,
    presenting,
    probing,
    ranking,
    resampling,
    sampling,
    templates,
    trimming,
)
from sqlagent.method.metering import MeteredLlm
from sqlagent.ports import Database, Fetch, Judge, Llm, Sampler
from sqlagent.prompts import rendering
from sqlagent.telling import readings
from sqlagent.values import (
    Answer,
    Budget,
    Candidate,
    Catalog,
    Execution,
    ExecutionGroup,
    Finding,
    Knowledge,
    Limits,
    LinkedSchema,
    Outcome,
    Question,
    Ranking,
    Reading,
    Rows,
    Turn,
    Usage,
    UsedTerm,
    Verdict,
    Vouched,
)

NOTHING_KNOWN = Knowledge()


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

    Expected faults (a source that is gone, an LLM that is silent, a pool where everything
    fails) end as one of the four outcomes with the reason; nothing expected is raised.
    `turns` are the earlier questions of the thread: with them a follow-up is rewritten to
    its stand-alone form first. SQL typed as a question runs as it is, if the guard lets it
    through. What a team knows of the source (`knowledge`) goes before all else: a question that is the template of a verified
    answer is answered by its SQL, and words that its terms explain mean that. Costs at most `budget`. A `ranker` beside the `llm` compares and marks candidates in its place. The rows of an answer that were cut are fetched once more, by `fetch`
    where it is given, else into memory.
    """
    budget = budget or Budget()
    cancelled = cancelled or Flag()
    started = monotonic()
    meter = MeteredLlm(llm, budget) if llm else None
    try:
        catalog = catalog or database.catalog()
        if sql := _typed_sql(question, catalog, policy):
            most = _limits(budget, budget.rows if fetch else budget.result_rows)
            executor = execution.Executor(database, catalog, most, policy=policy)
            fetches = fetch if budget.result_rows > budget.rows else None
            yield from _as_typed(sql, question, executor, cancelled, fetches)
            return
        known, index = usable(catalog, index)
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
        ended = yield from _vouched(
            question, knowledge, database, catalog, index, budget, cancelled, policy, fetch
        )
        if ended is None:
            ways = explained(question, knowledge.terms, catalog)
            ends = []
            for number, way in enumerate(ways):
                end = _journey(
                    way,
                    knowledge,
                    database,
                    catalog,
                    index,
                    meter,
                    MeteredLlm(ranker, budget, beside=meter) if ranker and meter else None,
                    budget,
                    privacy,
                    cancelled,
                    cache,
                    policy,
                    fetch,
                )
                ends.append((yield from end) if number == 0 else _silently(end))
            ended = _told_apart(ways, ends)
            ended = replace(ended, near=templates.near(question.text, knowledge.verified))
    except Cancelled:
        ended = Answer(Outcome.FAILED, question, reason="Stopped.")
    except SqlAgentError as error:
        ended = Answer(Outcome.FAILED, question, reason=str(error))
    usage, sent = (meter.usage, tuple(meter.sent)) if meter else (ended.usage, ())
    notes = tuple(dict.fromkeys((*ended.notes, *meter.notes))) if meter else ended.notes
    usage = replace(usage, seconds=monotonic() - started)
    yield Ended(replace(ended, question=question, usage=usage, sent=sent, notes=notes))


def _journey(
    way: Explained,
    knowledge: Knowledge,
    database: Database,
    catalog: Catalog,
    index: ValueIndex | None,
    meter: MeteredLlm | None,
    ranker: MeteredLlm | None,
    budget: Budget,
    privacy: str,
    cancelled: Flag,
    cache: execution.Cache | None,
    policy: Policy | None,
    fetch: Fetch | None,
) -> Generator[Event, None, Answer]:
    """Link a question whose terms were chosen, and answer it. Raises: Cancelled, SqlAgentError."""
    question = way.question
    known, index = usable(catalog, index)
    linked = linking.link(question, known, index)
    most = replace(_limits(budget, looking_up.ROWS), seconds=looking_up.STATEMENT_SECONDS)
    looker = execution.Executor(database, catalog, most, policy=policy)
    looked = looking_up.look_up(question, linked, index, looker, cancelled=cancelled)
    if looked.index is not index:
        index = looked.index
        linked = linking.link(question, known, index)
    yield Linked(linked)
    if meter:
        linked = meanings.with_meanings(linked, source_of(catalog, index).model, privacy)
        linked = templates.with_knowledge(question, linked, knowledge)
    if meter and privacy != "schema":
        linked = examples.with_examples(linked, database, index)
    journey = Journey.start(
        question,
        linked,
        catalog,
        database,
        looked,
        meter,
        ranker,
        budget,
        privacy,
        cancelled,
        cache,
        policy,
        fetch,
    )
    journey.way = way
    yield from journey.rounds()
    return journey.conclude()


def _silently(steps: Generator[Event, None, Answer]) -> Answer:
    """Take a journey to its end without telling of it."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: Answer = end.value
            return answer


def _told_apart(ways: Sequence[Explained], ends: Sequence[Answer]) -> Answer:
    """One answer of those that rival terms lead to: the first, with the others as readings. Nobody chooses silently."""
    shown = next((n for n, end in enumerate(ends) if end.rows is not None), 0)
    first, way = ends[shown], ways[shown]
    others = [other for n, other in enumerate(ways) if n != shown]
    readings_ = []
    for other, end in zip(others, (end for n, end in enumerate(ends) if n != shown), strict=True):
        new = [one.term for one in other.mentions if one not in way.mentions]
        said = "; ".join(
            f"“{term.phrase}” as {_by(term.description or term.body, term.author)}" for term in new
        )
        if end.rows is not None and end.sql != first.sql:
            readings_.append(Reading(end.sql, said, end.rows, max(1, end.size), end.frame))
    if not readings_ or first.rows is None:
        return first
    rivals = [one for one in way.mentions if any(one not in other.mentions for other in others)]
    words = _quoted([one.words for one in rivals])
    reason = f"Two terms of this source explain {words}; pick the one you meant."
    return replace(first, outcome=Outcome.AMBIGUOUS, reason=reason, readings=(*readings_, *first.readings))


def _by(said: str, author: str) -> str:
    """What a term means, and who says so."""
    return f"{said}, by {author}" if author else said


SURE_OF_VOUCHED = 0.97
"""How many answers of identical templates are right (docs/knowledge.md)."""


def _vouched(
    question: Question,
    knowledge: Knowledge,
    database: Database,
    catalog: Catalog,
    index: ValueIndex | None,
    budget: Budget,
    cancelled: Flag,
    policy: Policy | None,
    fetch: Fetch | None,
) -> Generator[Event, None, Answer | None]:
    """Answer a question that is the template of a verified answer by its SQL; None where none is, or it does not run. Raises: Cancelled."""
    found = (
        templates.matched(question, knowledge.verified, catalog.dialect, index)
        if knowledge.verified
        else None
    )
    if found is None:
        return None
    executor = execution.Executor(
        database, catalog, _limits(budget, budget.rows if fetch else budget.result_rows), policy=policy
    )
    ran = next(iter(executor.run([Candidate(found.sql, "verified")], cancelled=cancelled)))
    yield Executed(0, ran)
    if ran.failure is not None:
        yield Noted(f"A verified answer no longer runs: {ran.failure.message}")
        return None
    rows, note = ran.rows, ""
    if fetch and rows is not None and rows.truncated:
        rows, note = fetch(found.sql, rows)
    return Answer(
        Outcome.ANSWERED,
        question,
        vouched_words(found),
        found.sql,
        rows,
        confidence=SURE_OF_VOUCHED if found.exchanged else 1.0,
        size=1,
        pool=1,
        notes=(note,) if note else (),
        title=_as_title(question.text),
        vouched=found,
    )


def _as_title(text: str) -> str:
    """A question as the title of its verified rows; empty where it is long for one."""
    said = " ".join(text.split()).rstrip(" ?.!")
    return said[:1].upper() + said[1:] if len(said) <= LONG_TITLE else ""


def vouched_words(found: Vouched) -> str:
    """Say who verified an answer, when, and what was exchanged in it."""
    by = f" by {found.answer.author}" if found.answer.author else ""
    when = f" on {found.answer.when}" if found.answer.when else ""
    if not found.exchanged:
        return f"Verified{by}{when}."
    swaps = ", ".join(f"“{one.now}” for “{one.was}”" for one in found.exchanged)
    return f"Verified{by}{when} as “{found.answer.question}”, with {swaps}."


_READS = re.compile(r"[(\s]*(select|with|explain)\b", re.IGNORECASE)
_WRITES = re.compile(
    r"\s*(insert\s+into|delete\s+from|update\s+\S+\s+set|truncate\s+table|(create|drop|alter)\s+table)\b",
    re.IGNORECASE,
)


def _typed_sql(question: Question, catalog: Catalog, policy: Policy | None) -> str:
    """Give the statement that somebody typed instead of a question; empty when it is none.

    SQL is what the guard lets through, reads and refuses for a function that it calls, or what
    plainly writes: nobody asks in such words.
    """
    if _WRITES.match(question.text):
        return question.text
    if not _READS.match(question.text):
        return ""
    verdict = guard.check(question.text, catalog, policy or Policy())
    if isinstance(verdict, guard.Passed):
        return verdict.sql
    return question.text if verdict.kind == "function" else ""


def _as_typed(
    sql: str, question: Question, executor: execution.Executor, cancelled: Flag, fetch: Fetch | None
) -> Iterator[Event]:
    """Run what was typed as it is: one candidate, nothing sampled and nothing judged. Raises: Cancelled."""
    ran = next(iter(executor.run([Candidate(sql, "typed")], cancelled=cancelled)))
    yield Executed(0, ran)
    usage = Usage(seconds=ran.rows.seconds if ran.rows else 0.0)
    if ran.failure is not None:
        said = f"{ran.failure.message} {ran.failure.advice}".strip()
        yield Ended(Answer(Outcome.FAILED, question, said, pool=1, usage=usage))
        return
    rows, note = ran.rows, ""
    if fetch and rows is not None and rows.truncated:
        rows, note = fetch(sql, rows)
    reason = "You typed SQL, so it ran as it is."
    answered = Answer(
        Outcome.ANSWERED, question, reason, sql, rows, confidence=1.0, size=1, pool=1, usage=usage
    )
    yield Ended(replace(answered, notes=(note,) if note else ()))


DOUBTED = 0.2
"""Confidence at most in a draft for words that the analyst did not understand as a whole: 7 in 100 were right."""
LEAST_SURE = 0.4
"""Answers of the generator that are less sure than this are drafts: fewer than two of five such are right."""


@dataclass(slots=True)
class Journey:
    """One question on its way: the parts that answer it and the pool they have gathered."""

    question: Question
    linked: LinkedSchema
    database: Database
    index: ValueIndex | None
    looked: looking_up.LookedUp
    llm: MeteredLlm | None
    privacy: str
    sampler: Sampler
    judge: Judge
    executor: execution.Executor
    budget: Budget
    cancelled: Flag
    ordered: bool
    deadline: float
    fetch: Fetch | None = None
    prober: probing.Prober | None = None
    pool: list[Execution] = field(default_factory=list)
    replaced: int = 0
    groups: tuple[ExecutionGroup, ...] = ()
    ranking: Ranking = Ranking((), 0)
    verdict: Verdict = Verdict(False, "nothing was tried")
    notes: list[str] = field(default_factory=list)
    calls: int = 0
    problems: tuple[str, ...] = ()
    is_checked: bool = False
    analysis: Analysis | None = None
    doubt: str = ""
    unused_hint: tuple[str, ...] = ()
    way: Explained | None = None
    terms: tuple[UsedTerm, ...] = ()

    @classmethod
    def start(
        cls,
        question: Question,
        linked: LinkedSchema,
        catalog: Catalog,
        database: Database,
        looked: looking_up.LookedUp,
        llm: MeteredLlm | None,
        ranker: MeteredLlm | None,
        budget: Budget,
        privacy: str,
        cancelled: Flag,
        cache: execution.Cache | None,
        policy: Policy | None,
        fetch: Fetch | None,
    ) -> Journey:
        """Choose the makers: an LLM's where there is one, else the analyst's or the generator's.

        `catalog` is the whole one, by which the guard goes; `linked` lacks what the owner hid.
        """
        index = looked.index
        features, faithful = FeatureJudge(index), budget.mode == "faithful"
        grammar = GrammarSampler(index)
        is_known = linked.full.dialect in analyst.WRITTEN
        analysis = (
            analyst.analyse(question, replace(linked, full=catalog), index)
            if llm is None and is_known
            else None
        )
        doubt = analysis.doubt if analysis is not None else ""
        if analysis is not None and not analysis.speaks:
            analysis = None
        drafts = grammar.sample(question, linked, count=budget.drafts) if llm and budget.drafts else ()
        shown = [draft.sql for draft in drafts]
        asking = LlmSampler(llm, privacy=privacy, hints=shown) if llm else None
        few = replace(_limits(budget, probing.ROWS), seconds=probing.STATEMENT_SECONDS)
        looker = execution.Executor(database, catalog, few, policy=policy)
        prober = (
            probing.Prober(looker, linked.full, has_values=privacy == "rows", cancelled=cancelled)
            if llm and not faithful
            else None
        )
        return cls(
            question=question,
            linked=linked,
            database=database,
            index=index,
            looked=looked,
            sampler=(asking if asking else AnalystSampler(analysis) if analysis else grammar),
            judge=(
                LlmJudge(
                    llm,
                    features,
                    privacy,
                    marks=faithful,
                    cancelled=cancelled,
                    declined=asking.declined,
                    evidence=prober.findings if prober else None,
                    ranker=ranker,
                )
                if llm and asking
                else AnalystJudge()
                if analysis
                else features
            ),
            analysis=analysis,
            doubt=doubt,
            executor=execution.Executor(
                database,
                catalog,
                _limits(budget, budget.rows),
                cache=cache,
                policy=policy,
            ),
            budget=budget,
            cancelled=cancelled,
            ordered=grouping.asks_order(question),
            deadline=monotonic() + budget.seconds,
            llm=llm,
            privacy=privacy,
            fetch=fetch,
            prober=prober,
        )

    @property
    def is_voted(self) -> bool:
        """Whether attempts of a language model vote, so that agreement may end the run early; not where `faithful`."""
        return self.llm is not None and self.budget.mode == "fast"

    def rounds(self) -> Iterator[Event]:
        """Sample, execute, rank and audit; then once more with feedback when the audit says so.

        No auditor is asked where every attempt agreed and the checks passed, nor where every reply declined. No round
        begins on a budget that is used up. `faithful` replaces the pool, whatever was in it; else the gate decides.
        """
        for number in range(self.budget.rounds + 1):
            earlier, earlier_pool = self.ranking, tuple(self.pool)
            yield Sampling(number, self.verdict.unmet if number else ())
            if number and self.is_replacing:
                self.pool, self.groups, self.replaced = [], (), self.replaced + len(self.pool)
            yield from self.gather(number)
            self.rank()
            if number and self.stands(earlier):
                self.pool, self.ranking = list(earlier_pool), earlier
                self.groups = tuple(r.group for r in earlier.groups)
            yield Ranked(self.ranking)
            if self.llm is not None and (self.is_checked or self.budget.audit == "never"):
                self.verdict = resampling.unaudited(self.ranking)
                return
            if self.is_voted and self.declined and not self.pool:
                return
            self.verdict = resampling.audit(self.question, self.linked, self.ranking, self.pool, self.judge)
            yield Audited(self.verdict)
            is_spent = self.llm is not None and self.llm.is_spent
            if self.verdict.accepted or is_spent or monotonic() > self.deadline:
                return

    @property
    def is_replacing(self) -> bool:
        """Whether a further round replaces the pool, as the paper does; the built-in generator's beam only goes on."""
        return self.llm is not None and self.budget.mode == "faithful"

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
        budget = sampling.replacing(self.budget) if number and self.is_replacing else self.budget
        while count := sampling.next_wave(
            self.calls - calls if self.llm else len(self.pool) - made,
            budget,
            first=self.is_voted and number == 0,
        ):
            if self.cancelled.is_set():
                raise Cancelled("The run was stopped.")
            wave = yield from self.sampled(number, count)
            if not wave and not (self.is_voted and self.calls <= self.budget.first):
                break
            for ran in self.executor.run(wave, cancelled=self.cancelled):
                mended = self.mended(ran)
                yield Executed(self.replaced + len(self.pool), mended)
                self.pool.append(mended)
            self.groups = self.grouped(self.pool)
            if wave:
                yield Grouped(self.groups, len(self.pool))
            yield from self.checks()
            settled = self.is_checked or (self.budget.mode == "fast" and sampling.settled(self.groups))
            if settled or monotonic() > self.deadline:
                break
        yield from self.asked_to_mend()

    def checks(self) -> Iterator[Event]:
        """Where every attempt of a language model agreed, check their answer; without problems no more is asked."""
        self.is_checked = False
        if not self.is_voted or not sampling.unanimous(self.groups, self.calls):
            self.problems = ()
            return
        members = self.groups[0].members
        found = [answer_checks.problems(self.question, self.linked, one, self.index) for one in members]
        self.problems = tuple(dict.fromkeys(problem for problems in found for problem in problems))
        self.is_checked = not self.problems
        yield Checked(len(members), self.problems)

    def grouped(self, pool: Sequence[Execution]) -> tuple[ExecutionGroup, ...]:
        """Gather a pool by result; where attempts vote, presentations of one answer vote together."""
        groups = grouping.group_by_execution(pool, self.ordered)
        return (
            presenting.joined(self.question, self.linked, groups, self.ordered) if self.is_voted else groups
        )

    def sampled(self, number: int, count: int) -> Generator[Event, None, list[Candidate]]:
        """Ask the sampler for a wave; where an LLM is silent, the built-in generator steps in.

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
                note = f"{error} The built-in generator answered instead."
                self.notes.append(note)
                yield Noted(note)
                if self.linked.is_trimmed:
                    self.linked = linking.link(self.question, self.linked.full, self.index)
                self.llm, self.sampler, self.judge = (
                    None,
                    GrammarSampler(self.index),
                    FeatureJudge(self.index),
                )
                wave = list(self.asked(number, sampling.next_wave(0, self.budget)))
        too_long = self.sampler.too_long if isinstance(self.sampler, LlmSampler) else 0
        if too_long and (smaller := trimming.trimmed(self.linked)) is not None:
            self.linked, self.calls = smaller, self.calls - too_long
        return wave

    def asked(self, number: int, count: int) -> Iterator[Candidate]:
        """The sampler's next candidates, told what the auditor and the checks found unmet."""
        start = self.calls if self.llm else len(self.pool)
        widens = self.is_voted and number == 0 and start == self.budget.first > 0
        self.calls += count
        return self.sampler.sample(
            self.question,
            self.linked,
            count=count,
            start=start,
            round=number,
            feedback=(*(self.feedback() if number else ()), *rendering.check_lines(self.problems)),
            families=sampling.families(self.groups, self.problems, self.linked.full) if widens else (),
            cancelled=self.cancelled,
        )

    def feedback(self) -> Sequence[str]:
        """What the next round is told of the ones before, as a language model may see it."""
        findings: Sequence[Finding] = ()
        if self.prober is not None and self.privacy != "schema" and len(self.ranking.groups) > 1:
            one, other = (ranked.representative.sql for ranked in self.ranking.groups[:2])
            findings = self.prober.findings(one, other)
        return rendering.feedback_lines(
            self.verdict,
            self.ranking,
            self.pool,
            self.declined,
            self.question,
            self.linked,
            self.privacy,
            findings,
        )

    @property
    def declined(self) -> Sequence[str]:
        """What replies said is missing where they called the question unanswerable."""
        return self.sampler.declined if isinstance(self.sampler, LlmSampler) else ()

    def mended(self, ran: Execution) -> Execution:
        """Give a candidate that did not work its repair by rule, and run it again."""
        if ran.status in ("ok", "truncated"):
            return ran
        mend = repair.mend(ran.sql, self.linked.full, self.index, ran.failure)
        if mend is None:
            return ran
        candidate = replace(ran.candidate, sql=mend.sql, notes=(*ran.candidate.notes, *mend.notes))
        again = next(iter(self.executor.run([candidate], cancelled=self.cancelled)))
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
                lambda candidate: next(iter(self.executor.run([candidate], cancelled=self.cancelled))),
                self.llm,
                privacy=self.privacy,
                cancelled=self.cancelled,
            )
            if mended is not failed:
                at = next(n for n, e in enumerate(self.pool) if e is failed)
                self.pool[at] = mended
                yield Executed(self.replaced + at, mended)

    def rank(self) -> None:
        """Group the pool, pruned to its size by pointwise rank when rounds were joined, and order the groups."""
        kept = resampling.prune(self.question, self.linked, self.pool, self.judge, self.budget.samples)
        self.groups = self.grouped(kept)
        self.ranking = ranking.rank(
            self.question,
            self.linked,
            self.groups,
            pool=len(kept),
            judge=self.judge,
            mode=self.budget.mode,
        )

    def conclude(self) -> Answer:
        """Decide the outcome, and fetch the whole result of a winner that was cut."""
        checked = self.is_checked if self.is_voted else None
        sure = confidence.confidence(self.ranking, self.pool, self.verdict, self.linked, checked)
        found = readings.read(self.ranking, self.linked.full)
        words = self.linked if self.llm is None else None
        outcome, reason = confidence.outcome(
            sure, self.ranking, self.pool, self.verdict, words, found, self.question, checked
        )
        if outcome is Outcome.AMBIGUOUS:
            found = readings.pick_from(self.ranking, confidence.rivals(self.ranking, found), self.linked.full)
        if self.analysis is not None and (self.ranking.groups or not self.pool):
            sure, outcome, reason = self.as_the_analyst_read(self.analysis)
        elif self.doubt and outcome is Outcome.ANSWERED:
            sure, outcome, reason = min(sure, DOUBTED), Outcome.AMBIGUOUS, self.doubt
        elif self.llm is None and outcome is Outcome.ANSWERED and (doubt := self.doubted(sure)):
            sure, outcome, reason = min(sure, DOUBTED), Outcome.AMBIGUOUS, doubt
        if len(self.declined) > len(self.pool):
            outcome, reason = Outcome.UNANSWERABLE, self.declined[0]
        elif self.analysis is None and not self.verdict.answerable:
            outcome, reason = Outcome.UNANSWERABLE, self.verdict.reason
        outcome, reason, sure = self.as_far_as_explained(outcome, reason, sure)
        outcome, reason, sure = self.as_far_as_read(outcome, reason, sure)
        if self.llm is not None and self.llm.is_spent and self.pool:
            self.notes.append(f"{self.llm.told} The answer is the best of what was found until then.")
        if self.linked.is_trimmed and self.llm is not None:
            shown, of = len(self.linked.catalog.tables), len(self.linked.full.tables)
            self.notes.append(
                f"The whole schema does not fit the language model, so it saw {shown} of {of} tables "
                "and of these what the question's words point at."
            )
        self.notes += dict.fromkeys(note for maker in (self.sampler, self.judge) for note in _told_by(maker))
        common = Answer(
            outcome,
            self.question,
            reason,
            confidence=sure,
            notes=tuple(self.notes),
            unused_hint=self.unused_hint,
            terms=self.terms,
        )
        if not self.ranking.groups or outcome in (Outcome.UNANSWERABLE, Outcome.FAILED):
            return replace(common, confidence=0.0, pool=len(self.pool))
        best = self.ranking.groups[0]
        rows = best.representative.rows
        assert rows is not None
        note = ""
        if rows.truncated and self.budget.result_rows > self.budget.rows:
            rows, note = (self.fetch or self.in_memory)(best.representative.sql, rows)
        return replace(
            common,
            sql=best.representative.sql,
            rows=rows,
            size=best.group.size,
            pool=self.ranking.pool,
            readings=found,
            title=best.representative.candidate.title,
            frame=best.representative.frame,
            notes=(*common.notes, *best.representative.candidate.notes, *([note] if note else ())),
        )

    def as_the_analyst_read(self, analysis: Analysis) -> tuple[float, Outcome, str]:
        """Tell how sure the analyst is of its first frame; another one is a draft, where the first did not run."""
        outcome, reason = analysis.outcome()
        failed = [
            execution.failure
            for execution in self.pool
            if analysis.candidates and execution.candidate.sql == analysis.candidates[0].sql
        ]
        if failed and failed[0] is not None and self.ranking.groups and outcome is not Outcome.UNANSWERABLE:
            reason = (
                f"Not sure: the likeliest reading failed ({failed[0].message}). This draft is another one."
            )
            return min(analysis.chance, DOUBTED), Outcome.AMBIGUOUS, reason
        return analysis.chance, outcome, reason

    def as_far_as_explained(self, outcome: Outcome, reason: str, sure: float) -> tuple[Outcome, str, float]:
        """Tell what of the hint says nothing here, and doubt an answer that does not follow it.

        Without a language model alone: one that is shown the hint reads it for itself.
        """
        if not self.question.hint.strip():
            return outcome, reason, sure
        hint = hints.read(self.question.hint, self.linked.full, self.index)
        best = self.ranking.groups[0].representative if self.ranking.groups else None
        known = (
            self.analysis.follows(best.candidate.sql)
            if self.analysis is not None and best is not None
            else {}
        )
        shows = best is not None and outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS)
        sql = best.sql if best is not None and shows else ""
        left = hints.left_out(hint, self.question.text, sql, self.linked.full, known)
        terms = self.way.terms if self.way is not None else {}
        out = {one.clause for one in left}
        self.terms = tuple(UsedTerm(m.words, m.term, clause not in out) for clause, m in terms.items())
        if self.llm is not None:
            return outcome, reason, sure
        unread = (text for text in hint.unread if not (shows and known.get(text)))
        unused = dict.fromkeys((*unread, *(one.clause for one in left)))
        self.unused_hint = tuple(clause for clause in unused if clause not in terms)
        if left and outcome is Outcome.ANSWERED:
            words = _quoted([one.words for one in left])
            who = "the terms of this source say" if left[0].clause in terms else "the hint says"
            doubt = f"Not sure: the SQL leaves out what {who} of {words}. This is a draft."
            return Outcome.AMBIGUOUS, doubt, min(sure, DOUBTED)
        return outcome, reason, sure

    def as_far_as_read(self, outcome: Outcome, reason: str, sure: float) -> tuple[Outcome, str, float]:
        """Doubt an answer where a word may be a value that is not read yet, and say what was looked up.

        Without a language model alone: one that knows a word writes it into its SQL.
        """
        sql = self.ranking.groups[0].representative.sql if self.ranking.groups else ""
        for column, text in self.looked.found:
            if all(part in sql for part in (text, column.column, column.table.rpartition(".")[2])):
                self.notes.append(
                    f"“{text}” was looked up in {column.table}.{column.column}, whose values are not read yet."
                )
        unused = self.analysis.unused if self.analysis is not None else ()
        doubts = looking_up.doubts(self.looked, self.linked, sql, unused)
        if not doubts or self.llm is not None:
            return outcome, reason, sure
        if outcome in (Outcome.UNANSWERABLE, Outcome.AMBIGUOUS):
            return outcome, f"{reason} {doubts}", sure
        if outcome is Outcome.ANSWERED:
            return Outcome.AMBIGUOUS, f"Not sure: {doubts[0].lower()}{doubts[1:]}", min(sure, DOUBTED)
        return outcome, reason, sure

    def doubted(self, sure: float) -> str:
        """Say why the generator's answer is a draft: words that its SQL leaves out, or too little certainty."""
        sql = self.ranking.groups[0].representative.sql
        if left := leftovers(self.question.text, sql):
            quoted = " and ".join(f"“{words}”" for words in left)
            return f"Not sure: the SQL leaves out {quoted}. This is a draft."
        if sums_a_key(sql):
            return "Not sure: the SQL adds up numbers that only identify rows. This is a draft."
        return "Not sure: the attempts differ too much. This is a draft." if sure < LEAST_SURE else ""

    def in_memory(self, sql: str, rows: Rows) -> tuple[Rows, str]:
        """Fetch the winner whole, as `Fetch` does."""
        try:
            return self.executor.whole(sql, _limits(self.budget, self.budget.result_rows)), ""
        except DatabaseError as error:
            return rows, f"Only the first rows are shown: {error}"


def _quoted(texts: Sequence[str]) -> str:
    """A few texts in quotes, each cut to a line."""
    return ", ".join(f"“{text if len(text) <= 80 else text[:79] + '…'}”" for text in texts[:4])


def _limits(budget: Budget, rows: int) -> Limits:
    return Limits(budget.statement_seconds, rows, budget.cell_chars, budget.total_chars)


def _told_by(maker: Sampler | Judge) -> Sequence[str]:
    """What a maker that asks an LLM has to say about calls that came to nothing."""
    if isinstance(maker, LlmSampler):
        return maker.problems
    return maker.notes if isinstance(maker, LlmJudge) else ()

"""The analyst behind the `Sampler` port: its frames as candidates, and whether it is the one to speak.

Decides what is said of a question it understood in part. A frame whose words are all used speaks
for itself; where words are left, the answer is no more than a draft, and says which.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from threading import Event as Flag

from sqlagent.catalog import hints
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import Cancelled
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.language.saying import Saying, all_of, day, one_of, template, worded
from sqlagent.language.words import MAX_CHARS
from sqlagent.makers.analyst.answering import DRAFT, Understood, today_of, understand
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.faults import spared
from sqlagent.makers.analyst.future import to_come
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.hinted import explained
from sqlagent.makers.analyst.idle_words import idle_words
from sqlagent.makers.analyst.in_force import by_state_notes
from sqlagent.makers.analyst.languages import language_of
from sqlagent.makers.analyst.left_out_notes import left_out_notes
from sqlagent.makers.analyst.money_notes import money_notes
from sqlagent.makers.analyst.own_business import without_idle_deeds
from sqlagent.makers.analyst.reading import Reading, asked_for
from sqlagent.makers.analyst.reads import sharing
from sqlagent.makers.analyst.rivals import is_rival
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.makers.analyst.stored_frames import plain
from sqlagent.makers.analyst.sureness import chance, told_chance
from sqlagent.makers.analyst.telling import expression, parts, read_as, title, told
from sqlagent.makers.analyst.unfolding import NOTHING_TOLD, Told
from sqlagent.makers.analyst.unrecorded import nouns, unrecorded
from sqlagent.makers.analyst.voids import note
from sqlagent.sql.formatting import formatted
from sqlagent.values import Candidate, LinkedSchema, Outcome, Question, Why

OFFERED = 4
"""Frames that become candidates: the answer and the readings beside it."""

HOPELESS = 1.9
"""Cost from which on a frame that leaves words out, of which the source knows nothing, is not even a draft."""

DOUBTED = 0.55
"""Chance below which nothing is called an answer: on 18 databases that nobody had read 85 % and more of those above it were right (docs/analyst.md)."""

UNREADABLE = worded("Not sure: the words were not understood as a whole. This is a draft.")
"""Doubt of another maker's answer to what the analyst does not speak for."""

_OURS = re.compile(r"\b(?:our|ours|us|we|my)\b", re.IGNORECASE)
"""Words by which somebody speaks of a business of their own."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_WRITTEN = re.compile(r"[.?!]\s*$")
_BUSINESS = frozenset(
    {
        "share",
        "ratio",
        "growth",
        "running",
        "moving",
        "vs",
        "late",
        "on time",
        "span",
        "tenure",
        "current",
        "distribution",
    }
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analyst's reading of one question: its candidates, best first, and how sure it is of the first one."""

    reading: Reading
    frames: tuple[Understood, ...]
    candidates: tuple[Candidate, ...]
    speaks: bool
    doubt: str = ""
    missing: tuple[str, ...] = ()
    language: str = ""
    future: str = ""
    hinted: frozenset[str] = frozenset()
    text: str = ""
    foreign: tuple[str, ...] = ()

    def follows(self, sql: str) -> dict[str, bool]:
        """Whether a candidate takes each clause of the hint that frames may hold as it says; empty of SQL of another maker."""
        made = [
            one for one, candidate in zip(self.frames, self.candidates, strict=True) if candidate.sql == sql
        ]
        return {clause: clause in made[0].follows for clause in self.hinted} if made else {}

    @property
    def unused(self) -> tuple[str, ...]:
        """Words of the question that the first frame does not hold."""
        return self.frames[0].frame.unused if self.frames else self.reading.unknown

    @property
    def sure(self) -> float:
        """How sure to call the first frame right: the step of its chance; 0 without one."""
        return told_chance(self.chance) if self.frames else 0.0

    @property
    def chance(self) -> float:
        """How probable the first frame is right (`sureness`), by which answers and drafts are told apart; 0 without one."""
        if not self.frames:
            return 0.0
        first = self.frames[0].frame
        contested = any(is_rival(first, other.frame) for other in self.frames[1:])
        return chance(first, self.text, self.reading.glued, is_contested=contested)

    def outcome(self) -> tuple[Outcome, str]:
        """How a question ends that the analyst speaks for, and why, in words."""
        return self._ended()[:2]

    @property
    def why(self) -> str:
        """Why it ends so, as one of `Why`; empty where no code is for it."""
        return self._ended()[2]

    def _ended(self) -> tuple[Outcome, str, str]:
        if self.language:
            return (
                Outcome.UNANSWERABLE,
                worded(
                    "The question seems to be in {language}; it is understood in English only.",
                    language=worded(self.language),
                ),
                Why.LANGUAGE,
            )
        if self.future:
            return Outcome.UNANSWERABLE, self.future, ""
        if not self.frames or self.missing:
            words = self.reading.asked or self.missing or self.reading.unknown
            if not words:
                return (
                    Outcome.UNANSWERABLE,
                    worded("These words do not say what of this source is asked for."),
                    "",
                )
            return (
                Outcome.UNANSWERABLE,
                worded("Nothing here tells of {words}.", words=one_of(_quoted(words))),
                "",
            )
        first = self.frames[0].frame
        if self.reading.asked:
            return (
                Outcome.UNANSWERABLE,
                worded("Nothing here is about {words}.", words=one_of(_quoted(self.reading.asked))),
                "",
            )
        typed = [old for old, new in self.reading.mended if new in self.foreign]
        unknown = {word.lower() for text in (*self.foreign, *typed) for word in text.split()}
        strange = any(set(text.lower().split()) & unknown for text in first.unused)
        if strange and first.cost >= HOPELESS:
            return (
                Outcome.UNANSWERABLE,
                worded("Nothing here tells of {words}.", words=one_of(_quoted(first.unused))),
                "",
            )
        if first.unused:
            return (
                Outcome.AMBIGUOUS,
                worded(
                    "Not sure: this is a draft that leaves out {words}.", words=all_of(_quoted(first.unused))
                ),
                "",
            )
        if any(is_rival(first, other.frame) for other in self.frames[1:]):
            return (
                Outcome.AMBIGUOUS,
                worded("The question can be read in more than one way; pick the reading you meant."),
                Why.TIED,
            )
        if self.frames[0].doubt:
            return Outcome.AMBIGUOUS, worded("Not sure: {why} This is a draft.", why=self.frames[0].doubt), ""
        if first.cost >= DRAFT:
            return (
                Outcome.AMBIGUOUS,
                worded("Not sure that this is what was meant; it is the likeliest reading."),
                Why.UNSURE,
            )
        if self.chance < DOUBTED and not self.hinted:  # words that somebody explained may mean nothing else
            return (
                Outcome.AMBIGUOUS,
                worded(
                    "Not sure: so many parts may have been meant otherwise that this may well be wrong. This is a draft."
                ),
                Why.UNSURE,
            )
        return Outcome.ANSWERED, worded("Understood as {meaning}.", meaning=told(first)), ""


def analyse(
    question: Question, linked: LinkedSchema, index: ValueIndex | None, clock: date | None = None
) -> Analysis:
    """Read a question over the whole catalog; never raises, whatever the text. Some ten milliseconds, and a reading more for each word that may be idle.

    An error of ours costs what the analyst made: it does not speak then, and whatever another maker gives is a draft.
    """
    silent = Analysis(Reading(()), (), (), speaks=False, doubt=UNREADABLE)
    return spared(lambda: _analysed(question, linked, index, clock), silent)


def _analysed(
    question: Question, linked: LinkedSchema, index: ValueIndex | None, clock: date | None
) -> Analysis:
    source = source_of(linked.full, index)
    today, told_of = today_of(source, clock), NOTHING_TOLD
    model = source.model
    if question.hint:
        source, told_of = explained(source, question, linked.full, index, today)
    text = question.text[:MAX_CHARS]
    with sharing() as reads:
        reading, frames = understand(text, source, today, told_of)
        frames = _with_idle(text, reading, frames, source, today, told_of)
    if reads.faults and not frames:
        return Analysis(reading, (), (), speaks=False, doubt=UNREADABLE)
    kept = frames[:OFFERED]
    best = kept[0].frame.cost if kept else 0.0
    odds = [math.exp(-6.0 * (one.frame.cost - best)) for one in kept]
    candidates = tuple(
        Candidate(
            formatted(one.sql, linked.full.dialect) or one.sql,
            "analyst",
            0,
            round(-one.frame.cost, 4),
            notes(one, reading, today, source),
            weight=8 * share / sum(odds),
            title=title(told_of.unnamed(one.frame)),
            frame=json.dumps(plain(one.frame, model), ensure_ascii=False),
            parts=parts(one.frame),
        )
        for one, share in zip(kept, odds, strict=True)
    )
    unknown = () if frames else missing(reading, source)
    lacking = tuple(dict.fromkeys((*unknown, *unrecorded(text, reading, frames, source.vocabulary))))
    foreign = nouns(reading.unknown, text, source.vocabulary)
    reading = replace(reading, asked=tuple(word for word in reading.asked if word in foreign))
    strange = {*reading.unknown, *(old for old, _ in reading.mended)}
    language = language_of(_WORD.findall(question.text), {w for text in strange for w in text.split()})
    future = to_come(question.text, reading, frames, today, source.model.newest)
    speaking = bool(language or future) or speaks(question.text, reading, frames, source, lacking)
    doubt = "" if speaking or _is_written(question.text) and not source.is_business else UNREADABLE
    hinted = told_of.clauses()
    made = Analysis(
        reading,
        tuple(kept),
        candidates,
        speaking,
        doubt,
        lacking,
        language,
        future,
        hinted,
        question.text,
        foreign,
    )
    hint = hints.read(question.hint, linked.full, index)
    held = kept[0].follows if kept else frozenset()
    if speaking and not source.is_business and not hints.computes(hint, question.text) <= held:
        return replace(made, speaks=False)  # a formula that somebody gave and that no frame holds
    if speaking and _is_written(question.text) and not NOT_UNDERSTOOD.search(question.text):
        outcome, reason = made.outcome()
        beyond = outcome is Outcome.UNANSWERABLE and not (language or future)
        if beyond and hint.definitions:
            return replace(made, speaks=False)  # somebody explained words that frames do not hold
        if (
            outcome is Outcome.AMBIGUOUS and made.unused and not source.is_business
        ):  # a draft: the generator's are no worse
            return replace(made, speaks=False, doubt=reason)
    return made


def _with_idle(
    text: str, reading: Reading, frames: list[Understood], source: Source, today: date, told_of: Told
) -> list[Understood]:
    """Give the frames, of which the first one leaves out what changes nothing in it, where it would be an answer else."""
    if not frames or frames[0].frame.unused or frames[0].frame.cost >= DRAFT:
        return frames

    def again(words: str) -> str:
        found = understand(words, source, today, told_of)[1]
        return found[0].sql if found else ""

    first = frames[0]
    said = without_idle_deeds(text, source.vocabulary)
    if idle := idle_words(said, first, reading, source.model, again):
        first = replace(first, frame=replace(first.frame, unused=tuple(idle)))
    return [first, *frames[1:]]


def speaks(
    text: str, reading: Reading, frames: Sequence[Understood], source: Source, lacking: Sequence[str] = ()
) -> bool:
    """Whether the analyst answers rather than the generator that learned from written questions.

    The kind of source decides. Where many rows happen on days, of 240 questions the analyst is right in 133 and the
    generator in 12, all of which the analyst has right too. On small collections of facts, of 475 written questions the
    generator is right in 68 %, the analyst in 32: there a written sentence is the generator's, unless it speaks of business
    and all of it was understood (docs/analyst.md).
    """
    if source.is_business or not _is_written(text):
        return bool(frames) or bool(reading.asked) or bool(lacking)
    if not frames or frames[0].frame.unused or frames[0].frame.cost >= DRAFT:
        return False
    concept = any(
        item.targets
        and item.targets[0].kind == "concept"
        and not any(t.kind == "field" and t.cost < 0.05 for t in item.targets)
        for item in reading.items
    )
    operators = any(item.op in _BUSINESS for item in reading.items)
    return (
        concept
        or operators
        or bool(_OURS.search(text))
        or any(item.kind == "period" for item in reading.items)
    )


def _is_written(text: str) -> bool:
    """Whether a question is written out as a sentence, as those are that the generator learned from."""
    words = len(text.split())
    return bool(_WRITTEN.search(text)) and words >= 4 or text[:1].isupper() and words >= 8


def missing(reading: Reading, source: Source) -> tuple[str, ...]:
    """Business words that nothing in this source answers to, where they are what is asked for."""
    return tuple(
        item.text
        for item in asked_for(reading.items)
        if item.targets
        and item.targets[0].kind == "concept"
        and not meant(source, item.targets[0].column)
        and item.targets[0].column != "reports"
        and all(t.kind == "concept" or t.cost > 0.3 for t in item.targets)
    )


MENDED = template("“{word}” was read as “{other}”.")
"""The note on a misspelt word."""


def notes(one: Understood, reading: Reading, today: date, source: Source) -> tuple[str, ...]:
    """The notes on a frame: how it was understood, what was mended, which day counts as today."""
    model = source.model
    out: list[str] = [worded("Understood as {meaning}.", meaning=told(one.frame))]
    figures = one.frame.measures if one.frame.formula is None else ()
    out += [read_as(m.said, expression(m.expr)) for m in figures if m.said and m.expr is not None]
    out += one.frame.why
    out += [*note(one.frame), *left_out_notes(one.frame, today, model), *money_notes(one.frame, source)]
    out += by_state_notes(one.frame, source, today)
    out += [worded(MENDED, word=old, other=new) for old, new in reading.mended]
    relative = any(i.period is not None and i.period.relative for i in reading.items)
    relative = relative or any(c.op == "held" and c.said == "today" for c in conditions(one.frame))
    if model.newest and today.isoformat() == model.newest and relative:
        out.append(worded("Today is taken as {day}, the last day with data.", day=day(model.newest)))
    return tuple(out)


def _quoted(words: Sequence[str]) -> list[Saying]:
    return [worded("“{word}”", word=word) for word in words[:4]]


class AnalystSampler:
    """Gives an analysis' candidates, best first, each once."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

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
        """Yield up to `count` candidates after `start`. Raises: Cancelled."""
        for candidate in self.analysis.candidates[start : start + count]:
            if cancelled is not None and cancelled.is_set():
                raise Cancelled("stopped")
            yield replace(candidate, round=round)

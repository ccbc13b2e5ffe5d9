"""The end of a question: its outcome, how sure it is, why, and the rows of the winner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlagent.catalog import hints
from sqlagent.errors import DatabaseError
from sqlagent.journey.part_note import part_note
from sqlagent.journey.phrases import quoted
from sqlagent.journey.state import State
from sqlagent.journey.ties import tie_note
from sqlagent.journey.unjoined import unjoined
from sqlagent.language.leftovers import leftovers, sums_a_key
from sqlagent.language.saying import begun_small, in_commas, in_quotes, spaced, worded
from sqlagent.makers.analyst import Analysis
from sqlagent.makers.generation import LlmSampler
from sqlagent.makers.llm_judging import LlmJudge
from sqlagent.method import confidence, looking_up
from sqlagent.ports import Judge, Sampler
from sqlagent.telling import readings
from sqlagent.values import Answer, Outcome, Ranking, Reading, Rows, UsedTerm, Why

DOUBTED = 0.2
"""Confidence at most in a draft for words that the analyst did not understand as a whole: 7 in 100 were right."""
LEAST_SURE = 0.4
"""Answers of the generator that are less sure than this are drafts: fewer than two of five such are right."""

_SHOWN = (Outcome.ANSWERED, Outcome.AMBIGUOUS)


@dataclass(frozen=True, slots=True)
class Ending:
    """The words on the winner: each step below may doubt it, and none makes it surer."""

    outcome: Outcome
    reason: str
    sure: float
    readings: tuple[Reading, ...] = ()
    notes: tuple[str, ...] = ()
    unused_hint: tuple[str, ...] = ()
    terms: tuple[UsedTerm, ...] = ()
    why: str = ""

    def doubted(self, reason: str) -> Ending:
        """The same as a draft, for this reason."""
        return replace(self, outcome=Outcome.AMBIGUOUS, reason=reason, sure=min(self.sure, DOUBTED), why="")


def conclude(state: State) -> Answer:
    """Decide the outcome, and fetch the whole result of a winner that was cut."""
    end = _as_declined(state, _as_judged(state))
    end = _as_far_as_joined(state, _as_far_as_read(state, _as_far_as_explained(state, end)))
    end = _as_far_as_whole(state, end)
    notes = (*state.notes, *end.notes, *_of_the_model(state))
    common = Answer(
        end.outcome,
        state.question,
        end.reason,
        confidence=end.sure,
        notes=notes,
        unused_hint=end.unused_hint,
        terms=end.terms,
        why=end.why,
        without_llm=state.without_llm,
    )
    if not state.ranking.groups or end.outcome in (Outcome.UNANSWERABLE, Outcome.FAILED):
        asked = state.llm.name if state.llm is not None else ""
        return replace(common, confidence=0.0, pool=len(state.pool), llm=asked)
    best = state.ranking.groups[0]
    winner, rows, note = best.representative, best.representative.rows, ""
    assert rows is not None
    if rows.truncated and state.setting.budget.result_rows > state.setting.budget.rows:
        rows, note = state.setting.fetched(winner.sql, rows) if state.setting.fetch else _whole(state, rows)
    parts = part_note(winner.frame, rows, state.linked.full, state.looked.index)
    tied = tie_note(winner.sql, rows, state.executor, state.setting)
    return replace(
        common,
        sql=winner.sql,
        rows=rows,
        size=best.group.size,
        pool=state.ranking.pool,
        readings=end.readings,
        title=winner.candidate.title,
        frame=winner.frame,
        llm=winner.candidate.llm,
        notes=(
            *notes,
            *winner.candidate.notes,
            *(one for one in (parts, note, tied) if one),
        ),
    )


def _as_far_as_whole(state: State, end: Ending) -> Ending:
    """A draft where the least of some periods is one that the data do not cover whole."""
    if end.outcome is not Outcome.ANSWERED or not state.ranking.groups:
        return end
    winner = state.ranking.groups[0].representative
    if winner.rows is None:
        return end
    why = part_note(winner.frame, winner.rows, state.linked.full, state.looked.index, is_of_least=True)
    return end.doubted(worded("Not sure: {why} This is a draft.", why=why)) if why else end


def _as_judged(state: State) -> Ending:
    """The outcome by the ranking and the audit; of the built-in makers by what they understood."""
    checked = state.is_checked if state.is_voted else None
    sure = confidence.confidence(
        state.ranking, state.pool, state.verdict, state.linked, checked, state.is_vouched
    )
    found = readings.read(state.ranking, state.linked.full)
    words = state.linked if state.llm is None else None
    outcome, reason = confidence.outcome(
        sure, state.ranking, state.pool, state.verdict, words, found, state.question, checked
    )
    beside = found
    if outcome is Outcome.AMBIGUOUS:
        rivals = confidence.rivals(state.ranking, found)
        found = readings.pick_from(state.ranking, rivals, state.linked.full)
    end = Ending(outcome, reason, sure, found)
    if state.analysis is not None and (state.ranking.groups or not state.pool):
        end = _as_the_analyst_read(state, state.analysis, end)
        # beside an answer stand other readings, among choices it is one of them
        return replace(end, readings=beside) if end.outcome is Outcome.ANSWERED else end
    if outcome is not Outcome.ANSWERED:
        return end
    doubt = state.doubt or (_doubt(state, sure) if state.llm is None else "")
    return end.doubted(doubt) if doubt else end


def _as_the_analyst_read(state: State, analysis: Analysis, end: Ending) -> Ending:
    """Tell how sure the analyst is of its first frame; another one is a draft, where the first did not run."""
    outcome, reason = analysis.outcome()
    end = replace(end, outcome=outcome, reason=reason, sure=analysis.sure, why=analysis.why)
    if end.why == Why.TIED and state.ranking.groups and not end.readings:
        end = replace(end, reason=_nothing_to_pick(state.ranking), why="")
    first = analysis.candidates[0].sql if analysis.candidates else None
    failure = next((ran.failure for ran in state.pool if ran.candidate.sql == first), None)
    if failure is None or not state.ranking.groups or outcome is Outcome.UNANSWERABLE:
        return end
    return end.doubted(
        worded(
            "Not sure: the likeliest reading failed ({message}). This draft is another one.",
            message=failure.message,
        )
    )


def _nothing_to_pick(ranking: Ranking) -> str:
    """Say why a question of several readings offers none of them."""
    if ranking.groups[0].group.size == ranking.pool > 1:
        return worded(
            "The question can be read in more than one way; the readings that were tried give the same rows. Check what was understood."
        )
    return worded(
        "The question can be read in more than one way; no other reading gives rows to choose from. Check what was understood."
    )


def _doubt(state: State, sure: float) -> str:
    """Say why the generator's answer is a draft: words that its SQL leaves out, or too little certainty."""
    sql = state.ranking.groups[0].representative.sql
    if left := leftovers(state.question.text, sql):
        words = in_commas([in_quotes(words) for words in left], worded(" and "))
        return worded("Not sure: the SQL leaves out {words}. This is a draft.", words=words)
    if sums_a_key(sql):
        return worded("Not sure: the SQL adds up numbers that only identify rows. This is a draft.")
    return worded("Not sure: the attempts differ too much. This is a draft.") if sure < LEAST_SURE else ""


def _as_declined(state: State, end: Ending) -> Ending:
    """Call a question unanswerable where most replies did, or the auditor."""
    if len(state.declined) > len(state.pool):
        return replace(end, outcome=Outcome.UNANSWERABLE, reason=state.declined[0], why="")
    if state.analysis is None and not state.verdict.answerable:
        return replace(end, outcome=Outcome.UNANSWERABLE, reason=state.verdict.reason)
    return end


def _as_far_as_explained(state: State, end: Ending) -> Ending:
    """Tell what of the hint says nothing here, and doubt an answer that does not follow it.

    Without a language model alone: one that is shown the hint reads it for itself.
    """
    question, catalog = state.question, state.linked.full
    if not question.hint.strip():
        return end
    hint = hints.read(question.hint, catalog, state.looked.index)
    best = state.ranking.groups[0].representative if state.ranking.groups else None
    known = (
        state.analysis.follows(best.candidate.sql) if state.analysis is not None and best is not None else {}
    )
    shows = best is not None and end.outcome in _SHOWN
    left = hints.left_out(hint, question.text, best.sql if best is not None and shows else "", catalog, known)
    out, terms = {one.clause for one in left}, state.way.terms
    used = tuple(UsedTerm(m.words, m.term, clause not in out) for clause, m in terms.items())
    end = replace(end, terms=used)
    if state.llm is not None:
        return end
    unread = (text for text in hint.unread if not (shows and known.get(text)))
    unused = dict.fromkeys((*unread, *(one.clause for one in left)))
    end = replace(end, unused_hint=tuple(clause for clause in unused if clause not in terms))
    if left and end.outcome is Outcome.ANSWERED:
        words = quoted([one.words for one in left])
        if left[0].clause in terms:
            return end.doubted(
                worded(
                    "Not sure: the SQL leaves out what the terms of this source say of {words}. This is a draft.",
                    words=words,
                )
            )
        return end.doubted(
            worded(
                "Not sure: the SQL leaves out what the hint says of {words}. This is a draft.", words=words
            )
        )
    return end


def _as_far_as_read(state: State, end: Ending) -> Ending:
    """Doubt an answer where a word may be a value that is not read yet, and say what was looked up.

    Without a language model alone: one that knows a word writes it into its SQL.
    """
    sql = state.ranking.groups[0].representative.sql if state.ranking.groups else ""
    looked = tuple(
        f"“{text}” was looked up in {column.table}.{column.column}, whose values are not read yet."
        for column, text in state.looked.found
        if all(part in sql for part in (text, column.column, column.table.rpartition(".")[2]))
    )
    end = replace(end, notes=(*end.notes, *looked))
    unused = state.analysis.unused if state.analysis is not None else ()
    doubts = looking_up.doubts(state.looked, state.linked, sql, unused)
    if not doubts or state.llm is not None:
        return end
    if end.outcome is Outcome.ANSWERED:
        return end.doubted(worded("Not sure: {doubts}", doubts=begun_small(doubts)))
    if end.outcome in (Outcome.UNANSWERABLE, Outcome.AMBIGUOUS):
        return replace(end, reason=spaced(end.reason, doubts))
    return end


def _as_far_as_joined(state: State, end: Ending) -> Ending:
    """Say which key that the question needs tells no rows apart, so that a table is not joined."""
    sql = state.ranking.groups[0].representative.sql if state.ranking.groups else ""
    told = unjoined(state.linked, state.looked.index, sql) if state.llm is None else ()
    if not told or end.outcome is Outcome.FAILED:
        return end
    if end.outcome is Outcome.ANSWERED:
        return replace(end, notes=(*end.notes, *told))
    return replace(end, reason=spaced(end.reason, *told))


def _of_the_model(state: State) -> Sequence[str]:
    """Notes on the asking of a language model: a spent budget, a cut schema, calls that came to nothing."""
    out = []
    if state.llm is not None and state.llm.is_spent and state.pool:
        out.append(f"{state.llm.told} The answer is the best of what was found until then.")
    if state.llm is not None and state.linked.is_trimmed:
        shown, of = len(state.linked.catalog.tables), len(state.linked.full.tables)
        out.append(
            f"The whole schema does not fit the language model, so it saw {shown} of {of} tables "
            "and of these what the question's words point at."
        )
    return (*out, *dict.fromkeys(note for maker in (state.sampler, state.judge) for note in _told_by(maker)))


def _told_by(maker: Sampler | Judge) -> Sequence[str]:
    """Notes of a maker that asks a language model, on calls that came to nothing."""
    if isinstance(maker, LlmSampler):
        return maker.problems
    return maker.notes if isinstance(maker, LlmJudge) else ()


def _whole(state: State, rows: Rows) -> tuple[Rows, str]:
    """Fetch the winner whole into memory; the rows so far and what is to be said, where that fails."""
    sql, setting = state.ranking.groups[0].representative.sql, state.setting
    try:
        return state.executor.whole(sql, setting.limits(setting.budget.result_rows)), ""
    except DatabaseError as error:
        return rows, f"Only the first rows are shown: {error}"

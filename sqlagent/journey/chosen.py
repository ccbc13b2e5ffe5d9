"""Chooses the maker of an answer: a language model where there is one, else the analyst, else the learned generator."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlagent.journey.setting import Setting
from sqlagent.makers import analyst
from sqlagent.makers.analyst import Analysis, AnalystJudge, AnalystSampler
from sqlagent.makers.generation import LlmSampler, Look
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.makers.judging import FeatureJudge
from sqlagent.makers.llm_judging import LlmJudge
from sqlagent.method import answer_checks, looking_up, probing
from sqlagent.ports import Judge, Sampler
from sqlagent.values import Candidate, Execution, LinkedSchema, Narrowing, Outcome, Question


@dataclass(frozen=True, slots=True)
class Makers:
    """The sampler of candidates and their judge; `analysis` and `doubt` are the analyst's, `prober` asks small questions of the data.

    `beside` is the analyst's likeliest frame beside the candidates of a language model.
    """

    sampler: Sampler
    judge: Judge
    prober: probing.Prober | None = None
    analysis: Analysis | None = None
    doubt: str = ""
    beside: Candidate | None = None


def makers(question: Question, linked: LinkedSchema, looked: looking_up.LookedUp, setting: Setting) -> Makers:
    """Choose the makers of a question. The analyst reads it here: a few milliseconds."""
    grammar, features = GrammarSampler(looked.index), FeatureJudge(looked.index)
    if setting.llm is not None:
        chosen = _asking(question, linked, grammar, features, setting)
        return replace(chosen, beside=_beside(question, linked, looked, setting))
    if linked.full.dialect not in analyst.WRITTEN:
        return Makers(grammar, features)
    analysis = analyst.analyse(question, replace(linked, full=setting.catalog), looked.index)
    if not analysis.speaks:
        return Makers(grammar, features, doubt=analysis.doubt)
    return Makers(AnalystSampler(analysis), AnalystJudge(), analysis=analysis, doubt=analysis.doubt)


def _beside(
    question: Question, linked: LinkedSchema, looked: looking_up.LookedUp, setting: Setting
) -> Candidate | None:
    """The analyst's likeliest frame; None where it has none, or the budget leaves it out."""
    if not setting.budget.frame or linked.full.dialect not in analyst.WRITTEN:
        return None
    made = analyst.analyse(question, replace(linked, full=setting.catalog), looked.index)
    if not made.candidates or made.outcome()[0] is Outcome.UNANSWERABLE:
        return None
    return replace(made.candidates[0], score=None, weight=1.0)


def _asking(
    question: Question,
    linked: LinkedSchema,
    grammar: GrammarSampler,
    features: FeatureJudge,
    setting: Setting,
) -> Makers:
    """The makers that ask a language model; drafts of the generator are shown to it where the budget says so."""
    llm, budget, privacy = setting.llm, setting.budget, setting.privacy
    assert llm is not None
    drafts = grammar.sample(question, linked, count=budget.drafts) if budget.drafts else ()
    is_faithful = budget.mode == "faithful"
    # the guard of probes goes by what is not hidden: what they find is told to a model
    looker = setting.executor(setting.limits(probing.ROWS, probing.STATEMENT_SECONDS), by=setting.known)
    prober = (
        None
        if is_faithful
        else probing.Prober(looker, linked.full, has_values=privacy == "rows", cancelled=setting.cancelled)
    )
    sampler = LlmSampler(
        llm,
        privacy=privacy,
        hints=[draft.sql for draft in drafts],
        look=_look(prober, setting) if prober is not None else None,
    )

    def narrowing(execution: Execution) -> Narrowing | None:
        guessed = answer_checks.guessed_texts(question, linked, execution)
        is_in_doubt = bool(guessed) or execution.status in ("empty", "all_null")
        return prober.narrowing(execution.sql, guessed) if prober is not None and is_in_doubt else None

    judge = LlmJudge(
        llm,
        features,
        privacy,
        marks=is_faithful,
        cancelled=setting.cancelled,
        declined=sampler.declined,
        evidence=prober.findings if prober else None,
        narrowing=narrowing,
        ranker=setting.ranker,
    )
    return Makers(sampler, judge, prober)


def _look(prober: probing.Prober, setting: Setting) -> Look | None:
    """Let a model look at the data itself: only where it may see rows, and where nothing of the source is hidden from it."""
    return prober.look if setting.privacy == "rows" and setting.known == setting.catalog else None

"""Who answers a question: a language model where there is one, else the analyst, else the learned generator."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlagent.journey.setting import Setting
from sqlagent.makers import analyst
from sqlagent.makers.analyst import Analysis, AnalystJudge, AnalystSampler
from sqlagent.makers.generation import LlmSampler
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.makers.judging import FeatureJudge
from sqlagent.makers.llm_judging import LlmJudge
from sqlagent.method import looking_up, probing
from sqlagent.ports import Judge, Sampler
from sqlagent.values import LinkedSchema, Question


@dataclass(frozen=True, slots=True)
class Makers:
    """Who makes candidates and who judges them; `analysis` and `doubt` are the analyst's, `prober` asks small questions of the data."""

    sampler: Sampler
    judge: Judge
    prober: probing.Prober | None = None
    analysis: Analysis | None = None
    doubt: str = ""


def makers(question: Question, linked: LinkedSchema, looked: looking_up.LookedUp, setting: Setting) -> Makers:
    """Choose the makers of a question. The analyst reads it here: a few milliseconds."""
    grammar, features = GrammarSampler(looked.index), FeatureJudge(looked.index)
    if setting.llm is not None:
        return _asking(question, linked, grammar, features, setting)
    if linked.full.dialect not in analyst.WRITTEN:
        return Makers(grammar, features)
    analysis = analyst.analyse(question, replace(linked, full=setting.catalog), looked.index)
    if not analysis.speaks:
        return Makers(grammar, features, doubt=analysis.doubt)
    return Makers(AnalystSampler(analysis), AnalystJudge(), analysis=analysis, doubt=analysis.doubt)


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
    sampler = LlmSampler(llm, privacy=privacy, hints=[draft.sql for draft in drafts])
    is_faithful = budget.mode == "faithful"
    looker = setting.executor(setting.limits(probing.ROWS, probing.STATEMENT_SECONDS))
    prober = (
        None
        if is_faithful
        else probing.Prober(looker, linked.full, has_values=privacy == "rows", cancelled=setting.cancelled)
    )
    judge = LlmJudge(
        llm,
        features,
        privacy,
        marks=is_faithful,
        cancelled=setting.cancelled,
        declined=sampler.declined,
        evidence=prober.findings if prober else None,
        ranker=setting.ranker,
    )
    return Makers(sampler, judge, prober)

"""Where a question stands on its way: what was gathered so far, and who goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlagent.catalog.glossary.mentions import Explained
from sqlagent.journey.setting import Setting
from sqlagent.makers.analyst import Analysis
from sqlagent.makers.generation import LlmSampler
from sqlagent.method import execution, looking_up, probing
from sqlagent.method.metering import MeteredLlm
from sqlagent.ports import Judge, Sampler
from sqlagent.values import Candidate, Execution, ExecutionGroup, LinkedSchema, Question, Ranking, Verdict


@dataclass(slots=True, kw_only=True)
class State:
    """One question on its way: its makers, the pool, the groups and their order, what the auditor said.

    `question` has the terms that `way` chose; `llm` is None without a language model, and once it is silent. `replaced`
    counts the candidates of pools that were given up, `asked_before` the calls of the rounds before. `without_llm` says that the language model is silent. `beside` is what
    the analyst's `frame` gave, which stands in the pool once it `is_joined` to it; `is_vouched` says whether it agrees with attempts that
    all agree, and is None where there is none.
    """

    way: Explained
    linked: LinkedSchema
    looked: looking_up.LookedUp
    setting: Setting
    llm: MeteredLlm | None
    sampler: Sampler
    judge: Judge
    prober: probing.Prober | None
    analysis: Analysis | None
    doubt: str
    executor: execution.Executor
    ordered: bool
    deadline: float
    pool: list[Execution] = field(default_factory=list)
    replaced: int = 0
    groups: tuple[ExecutionGroup, ...] = ()
    ranking: Ranking = Ranking((), 0)
    verdict: Verdict = Verdict(False, "nothing was tried")
    notes: list[str] = field(default_factory=list)
    without_llm: str = ""
    frame: Candidate | None = None
    beside: Execution | None = None
    is_joined: bool = False
    is_vouched: bool | None = None
    calls: int = 0
    asked_before: int = 0
    problems: tuple[str, ...] = ()
    is_checked: bool = False

    @property
    def question(self) -> Question:
        """The question as it is asked: with the terms that explain its words."""
        return self.way.question

    @property
    def is_voted(self) -> bool:
        """Whether attempts of a language model vote, so that agreement may end the run early; not where `faithful`."""
        return self.llm is not None and self.setting.budget.mode == "fast"

    @property
    def is_replacing(self) -> bool:
        """Whether a further round replaces the pool, as the paper does; the built-in generator's beam only goes on."""
        return self.llm is not None and self.setting.budget.mode == "faithful"

    @property
    def declined(self) -> Sequence[str]:
        """Things that replies called missing where they called the question unanswerable."""
        return self.sampler.declined if isinstance(self.sampler, LlmSampler) else ()

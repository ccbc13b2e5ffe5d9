"""A model that only ranks, behind a port of its own: pointwise by the probability of its yes, pairwise by its letter.

R3-SQL's ranker is trained; any model behind an OpenAI-compatible server can take its place here. How far it is
believed is `ranking`'s business, who judges where it is silent the judge's.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event as Flag

from sqlagent import prompts
from sqlagent.makers.llm_judging import verdicts
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.values import LinkedSchema, LlmMessage, LlmReply, LlmRequest, Question

REPLY_TOKENS = 1_500
"""One word, with room for a ranker that thinks aloud."""

SEED = 7
"""Ranking is greedy; servers that sample anyway are at least told the same seed."""


class Ranker:
    """Asks the ranker: one call a candidate for marks, one call a pair and order for preferences."""

    def __init__(self, llm: Llm, privacy: str, cancelled: Flag | None = None) -> None:
        self._llm, self._privacy, self._cancelled = llm, privacy, cancelled

    @property
    def name(self) -> str:
        """The ranker's name."""
        return self._llm.name

    def mark(self, question: Question, linked: LinkedSchema, candidate: str) -> float | None:
        """Give 0 to 100 for how likely a candidate is right; None where the reply makes no sense. Raises: LlmError."""
        asked = prompts.render("rank_point", candidate=candidate)
        reply = self._ask(question, linked, asked, "rank:point", ("yes", "no"))
        if (told := _share(reply.chances, "yes", "no")) is not None:
            return 100 * told
        return _mark_in(reply.text)

    def prefers(self, question: Question, linked: LinkedSchema, candidates: str) -> float | None:
        """Give the probability that A answers better than B; None where the reply makes no sense. Raises: LlmError."""
        asked = prompts.render("rank_pair", candidates=candidates)
        reply = self._ask(question, linked, asked, "rank:pair", ("a", "b"))
        told = _share(reply.chances, "a", "b")
        return verdicts.preference(reply.text) if told is None else told

    def _ask(
        self, question: Question, linked: LinkedSchema, asked: str, purpose: str, choices: tuple[str, ...]
    ) -> LlmReply:
        task = rendering.task_text(question, linked, self._privacy)
        request = LlmRequest(
            (rendering.system_message(linked, self._privacy), LlmMessage("user", f"{task}\n\n{asked}")),
            max_tokens=REPLY_TOKENS,
            seed=SEED,
            purpose=purpose,
            choices=choices,
        )
        return self._llm.complete(request, self._cancelled)


def _share(chances: Mapping[str, float], one: str, other: str) -> float | None:
    """The first word's probability out of both; None where neither was told.

    Example:
        >>> _share({"yes": 0.75, "no": 0.25}, "yes", "no"), _share({}, "yes", "no")
        (0.75, None)
    """
    both = chances.get(one, 0.0) + chances.get(other, 0.0)
    return chances.get(one, 0.0) / both if both > 0 else None


def _mark_in(reply: str) -> float | None:
    """Read a word or a score given in words: yes, no, 0.8, 80, 80 %, 4 of 5, or JSON with a score.

    Example:
        >>> _mark_in("Yes."), _mark_in("<think>no?</think>no"), _mark_in('{"score": 0.25}'), _mark_in("Score: 80%")
        (100.0, 0.0, 25.0, 80.0)
        >>> _mark_in("4/5"), _mark_in("1"), _mark_in("It depends.")
        (80.0, 100.0, None)
    """
    value = next(iter(replies.json_in(reply).values()), None)
    said = replies.without_thoughts(reply) if value is None else str(value)
    word = (said.strip().splitlines() or [""])[-1].rpartition(":")[2].strip(" .*`\"'").lower()
    if word in ("yes", "true", "correct", "right"):
        return 100.0
    if word in ("no", "false", "incorrect", "wrong"):
        return 0.0
    part, _, whole = word.replace(" of ", "/").rstrip("% ").partition("/")
    try:
        score, most = float(part), float(whole or 1)
    except ValueError:
        return None
    if whole:
        return min(100.0, max(0.0, 100 * score / most)) if most > 0 else None
    return min(100.0, max(0.0, score if score > 1 or word.endswith("%") else 100 * score))

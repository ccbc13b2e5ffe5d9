"""A model that only ranks, behind a port of its own: pointwise by the probability of its yes, pairwise by its letter.

R3-SQL's ranker is trained; any model behind an OpenAI-compatible server can take its place here. How far it is
believed is `ranking`'s business, who judges where it is silent the judge's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event as Flag
from threading import Lock

from sqlagent import prompts
from sqlagent.errors import BudgetSpent, LlmError
from sqlagent.makers.llm_judging import verdicts
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.prompts.silences import plainly
from sqlagent.values import LinkedSchema, LlmMessage, LlmReply, LlmRequest, Question

REPLY_TOKENS = 1_500
"""One word, with room for a ranker that thinks aloud."""

SEED = 7
"""Ranking is greedy; servers that sample anyway are at least told the same seed."""


SILENCES = 2
"""Calls without a verdict after which a ranker is asked no more: each may have cost its whole time-out."""

MARKED_AT_ONCE = 4
"""Candidates marked at the same time."""


class Ranker:
    """Asks the ranker: one call a candidate for marks, one call a pair and order for preferences.

    An equal request is not made twice. A call that gives no verdict is told to `note`, ending with the judge used
    `instead`.
    """

    def __init__(
        self, llm: Llm, privacy: str, cancelled: Flag | None, note: Callable[[str], None], instead: str
    ) -> None:
        self._llm, self._privacy, self._cancelled = llm, privacy, cancelled
        self._note, self._instead = note, instead
        self._said: dict[str, float] = {}
        self._silences, self._lock = 0, Lock()

    @property
    def speaks(self) -> bool:
        """Whether it is still asked."""
        return self._silences < SILENCES

    def marks(
        self, question: Question, linked: LinkedSchema, candidates: Mapping[str, str]
    ) -> dict[str, float] | None:
        """Give 0 to 100 for how likely each candidate is right, by name; None where one of them got no mark. Raises: Cancelled."""

        def mark(candidate: str) -> float | None:
            return self._verdict(
                question, linked, "rank_point", "candidate", candidate, ("yes", "no"), _mark_in
            )

        with ThreadPoolExecutor(MARKED_AT_ONCE, thread_name_prefix="ranker") as pool:
            shares = list(pool.map(mark, candidates.values()))
        found = {name: 100 * one for name, one in zip(candidates, shares, strict=True) if one is not None}
        return found if len(found) == len(candidates) else None

    def prefers(self, question: Question, linked: LinkedSchema, candidates: str) -> float | None:
        """Give the probability that A answers better than B; None where there is no verdict. Raises: Cancelled."""
        return self._verdict(
            question, linked, "rank_pair", "candidates", candidates, ("a", "b"), verdicts.preference
        )

    def _verdict(
        self,
        question: Question,
        linked: LinkedSchema,
        prompt: str,
        what: str,
        shown: str,
        words: tuple[str, str],
        read: Callable[[str], float | None],
    ) -> float | None:
        """Ask once, or remember what was said: the probability of the first word, 0 to 1."""
        asked = prompts.render(prompt, **{what: shown})
        key = f"{question.text}\n{question.hint}\n{asked}"
        if key in self._said:
            return self._said[key]
        if not self.speaks:
            return None
        said, why = None, "Its reply made no sense."
        try:
            reply = self._ask(question, linked, asked, prompt.replace("_", ":"), words)
            said = _share(reply.chances, *words)
            said = read(reply.text) if said is None else said
        except BudgetSpent:
            self._silences = SILENCES
            return None
        except LlmError as error:
            why = plainly(error)
        if said is None:
            self._note(f"The ranker {self._llm.name} gave no verdict, {self._instead}. {why}")
            with self._lock:
                self._silences += 1
            return None
        self._said[key] = said
        return said

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
    """Read a word or a score given in words, as 0 to 1: yes, no, 0.8, 80, 80 %, 4 of 5, or JSON with a score.

    Example:
        >>> _mark_in("Yes."), _mark_in("<think>no?</think>no"), _mark_in('{"score": 0.25}'), _mark_in("Score: 80%")
        (1.0, 0.0, 0.25, 0.8)
        >>> _mark_in("4/5"), _mark_in("1"), _mark_in("It depends.")
        (0.8, 1.0, None)
    """
    value = next(iter(replies.json_in(reply).values()), None)
    said = replies.without_thoughts(reply) if value is None else str(value)
    word = (said.strip().splitlines() or [""])[-1].rpartition(":")[2].strip(" .*`\"'").lower()
    if word in ("yes", "true", "correct", "right"):
        return 1.0
    if word in ("no", "false", "incorrect", "wrong"):
        return 0.0
    part, _, whole = word.replace(" of ", "/").rstrip("% ").partition("/")
    try:
        score, most = float(part), float(whole or 1)
    except ValueError:
        return None
    if most <= 0:
        return None
    share = score / most if whole else score / 100 if score > 1 or word.endswith("%") else score
    return min(1.0, max(0.0, share))

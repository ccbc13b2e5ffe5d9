"""The judge that asks a language model.

`LlmJudge` is the second maker behind the `Judge` port. It decides what the model is shown and
how its words are read; how far a verdict is believed (both orders, share gate, margin) is
`ranking`'s business. Where a reply makes no sense or none comes, the deterministic judge
passed in as `features` speaks instead, and `notes` says so.

Calls of a round of n samples in M groups, sampling included:

    fast      n + J + D + 1    J = 2 (one order, and the same in reverse) where M > 1 and the share
                               gate is open, else 0; D = 2 where the two orders disagree on
                               the winner, else 0; 1 for the audit
    faithful  n + K + 2P + F + 1   K = different SQL texts / 32, rounded up (0 for a single text), or with a ranker
                               one for each different text;
                               P = pairs of different SQL texts across groups; F = 2 for the final
                               comparison of the top two, 0 where that pair was among P

A resampling round costs the same again, plus 2 for the acceptance gate where it has to
compare two winners; pairs and orders judged before are not asked again. n = 32 in ten
groups of different texts makes about 32 + 1 + 2 x 450 + 2 + 1 calls: `faithful` is for reproduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event as Flag
from threading import Lock
from typing import Any

from sqlagent import prompts
from sqlagent.errors import BudgetSpent, Cancelled, LlmError
from sqlagent.makers.llm_judging import forms, verdicts
from sqlagent.makers.llm_judging.ranker import Ranker
from sqlagent.makers.llm_judging.showing import Evidence, Followed, Showing
from sqlagent.makers.llm_judging.verdicts import label
from sqlagent.ports import Judge, Llm
from sqlagent.prompts import rendering, replies
from sqlagent.prompts.silences import plainly
from sqlagent.values import (
    Execution,
    ExecutionGroup,
    LinkedSchema,
    LlmMessage,
    LlmRequest,
    Question,
    Verdict,
)

SHOWN = 8
"""Groups shown in one listwise call (docs/method.md, Ranking)."""

MARKED = 32
"""Candidates marked in one pointwise call: the paper's n."""

AUDITED = 8
"""Groups shown to the auditor; faults of the largest are enough."""

REPLY_TOKENS = 2_500
"""A few lines of reasons and one of JSON, with room for models that think aloud."""

SILENCES = 2
"""Calls without a reply after which a judge is asked no more: each may have cost its whole time-out."""

SEED = 7
"""Judging is greedy; servers that sample anyway are at least told the same seed."""

VERDICTS = {
    "present": "an attempt meets the question",
    "no_data": "an attempt meets the question, and there are no such rows",
    "missing": "",
    "unanswerable": "",
}
"""The auditor's words, and what is said where it gives no reason; empty where the right SQL is not there."""


class LlmJudge:
    """A `Judge` that asks a language model and falls back on a deterministic one.

    Calls: one an `audit` of a pool with groups; two an `order` of two groups or more and two a
    `prefers`, since a caller of one order asks for the mirrored one next: both are asked at
    the same time, and the second question is answered from memory. `utilities` asks the features and costs nothing, unless `marks` is set (`faithful`
    mode): then one call for every 32 different SQL texts. An equal request (question, fingerprints and SQL) is not
    made twice. `declined` is the sampler's own list of missing things, by replies that called the question
    unanswerable; the auditor is shown those of the moment.

    With `evidence` judge and auditor are shown, clause by clause, in what candidates differ, and what the data say of
    the two largest; with `narrowing` the auditor is also shown step by step how the rows of candidates in doubt become fewer. A `ranker` compares pairs in the judge's place, and marks candidates, one call each, wherever results
    differ; after two calls without a reply, or that make no sense, the judge does that again.
    """

    def __init__(
        self,
        llm: Llm,
        features: Judge,
        privacy: str = "schema",
        *,
        marks: bool = False,
        cancelled: Flag | None = None,
        declined: Sequence[str] = (),
        evidence: Evidence | None = None,
        narrowing: Followed | None = None,
        ranker: Llm | None = None,
    ) -> None:
        self._llm, self._features, self._privacy = llm, features, privacy
        self._marks, self._cancelled, self._declined = marks, cancelled, declined
        self._showing = Showing(privacy, evidence, narrowing)
        instead = f"so {llm.name} or deterministic features judged instead"
        self._ranker = Ranker(ranker, privacy, cancelled, self._note, instead) if ranker else None
        self._said: dict[tuple[str, ...], str] = {}
        self._silences = 0
        self._lock = Lock()
        self.notes: list[str] = []

    # ------------------------------------------------------------ the four judgements

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> Sequence[float]:
        """Score each execution by itself, higher is better; equal SQL gets equal scores.

        With `marks` the model's marks come first and the features settle equal marks. Where a
        reply leaves half of the candidates unmarked, the features alone decide.
        """
        fitted = [float(score) for score in self._features.utilities(question, linked, executions)]
        ranker = self._ranker if _results_differ(executions) else None
        is_ranked = ranker is not None and ranker.speaks
        if not (self._marks or is_ranked) or len({e.sql for e in executions}) < 2:
            return fitted
        marks = self._ranked(ranker, question, linked, executions) if ranker and is_ranked else None
        if marks is None and not self._marks:
            return fitted
        marks = marks or self._marked(question, linked, executions)
        if marks is None:
            return fitted
        spread = max(fitted) - min(fitted) or 1.0
        known = [marks[e.sql] for e in executions if e.sql in marks]
        middle = sum(known) / len(known)
        return [
            marks.get(e.sql, middle) + 0.5 * (fit - min(fitted)) / spread
            for e, fit in zip(executions, fitted, strict=True)
        ]

    def order(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[int]:
        """Order groups best first, as indices, shown in the order given (two calls, or none when mirrored before).

        At most `SHOWN` are shown; the rest follow, as the features order them. So do groups
        that the reply leaves out.
        """
        if len(groups) < 2:
            return list(range(len(groups)))
        shown = groups[:SHOWN]
        reply = self._ask_mirrored("judge_order", question, linked, shown, forms.order_form())
        order = replies.letters_in(reply, len(shown)) if reply is not None else ()
        rest = self._features.order(question, linked, groups)
        if not order and reply is not None:
            self._note("The judge's order made no sense, so deterministic features ordered the groups.")
        return list(dict.fromkeys((*order, *rest)))

    def prefers(
        self, question: Question, linked: LinkedSchema, first: ExecutionGroup, second: ExecutionGroup
    ) -> float:
        """Probability that `first` answers better than `second`, shown in this order (two calls, or none when mirrored before)."""
        if self._ranker is not None and self._ranker.speaks:
            shown = self._showing.groups((first, second), question, linked)
            if (ranked := self._ranker.prefers(question, linked, shown)) is not None:
                return ranked
        reply = self._ask_mirrored("judge_duel", question, linked, (first, second), forms.duel_form())
        said = verdicts.preference(reply) if reply is not None else None
        if said is None:
            if reply is not None:
                self._note("The judge's comparison made no sense, so deterministic features decided it.")
            return self._features.prefers(question, linked, first, second)
        return said

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        """Say whether the pool likely holds the right SQL and which requirements are unmet (one call).

        A verdict of "present" that still names something unmet contradicts itself and counts
        as missing: the acceptance gate makes another round safe, a wrong answer is not.
        """
        if not groups:
            return Verdict(False, "no attempt returned a result")
        others = "\n".join(f"- {line}" for line in rendering.declined_lines(tuple(self._declined)))
        shown, form = groups[:AUDITED], forms.audit_form(tuple(VERDICTS))
        evidence = self._showing.findings(question, linked, shown)
        reply = self._ask(
            "judge_audit",
            question,
            linked,
            shown,
            form,
            True,
            others=others,
            evidence=evidence,
            steps=self._showing.steps(question, linked, shown),
        )
        value = replies.json_in(reply) if reply is not None else {}
        word = str(value.get("verdict", "")).strip().lower().replace(" ", "_")
        if word not in VERDICTS:
            word = verdicts.bare_verdict(reply or "", VERDICTS)
        if not word:
            if reply is not None:
                self._note("The auditor's verdict made no sense, so deterministic features audited the pool.")
            return self._features.audit(question, linked, groups)
        unmet = verdicts.phrases(value.get("unmet"))
        reason = " ".join(str(value.get("reason") or "").split())[:300]
        is_there = VERDICTS[word]
        return Verdict(
            accepted=bool(is_there) and not unmet,
            reason=reason or is_there or "no attempt fits",
            unmet=unmet,
            answerable=word != "unanswerable",
            has_no_data=word == "no_data" and not unmet,
        )

    # ------------------------------------------------------------ asking

    def _marked(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> dict[str, float] | None:
        """Ask for marks, 0 to 100, of each different SQL; None where too few came back."""
        texts = list({e.sql: e for e in executions}.values())
        marks: dict[str, float] = {}
        for at in range(0, len(texts), MARKED):
            batch = texts[at : at + MARKED]
            shown = "\n\n".join(
                f"[{label(i)}]\n<sql>\n{self._showing.sql(e, question, linked)}\n</sql>"
                for i, e in enumerate(batch)
            )
            key = ("judge_score", question.text, question.hint, *(e.sql for e in batch))
            form = forms.marks_form([label(i) for i in range(len(batch))])
            reply = self._call("judge_score", question, linked, key, shown, form)
            for i, mark in verdicts.marks(reply or "", len(batch)).items():
                marks[batch[i].sql] = mark
        if len(marks) * 2 < len(texts):
            self._note("The judge's marks made no sense, so deterministic features scored the candidates.")
            return None
        return marks

    def _ranked(
        self, ranker: Ranker, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> dict[str, float] | None:
        """Ask the ranker for a mark of each different SQL that ran; None where one of them got none."""
        ran = {e.sql: e for e in executions if e.rows is not None}
        shown = {
            sql: self._showing.group(ExecutionGroup("", (e,)), question, linked) for sql, e in ran.items()
        }
        marks = ranker.marks(question, linked, shown)
        return {e.sql: marks.get(e.sql, 0.0) for e in executions} if marks else None

    def _ask_mirrored(
        self,
        prompt: str,
        question: Question,
        linked: LinkedSchema,
        groups: Sequence[ExecutionGroup],
        form: dict[str, Any],
    ) -> str | None:
        """Ask in the order given and in the mirrored one at the same time; give the first reply."""
        evidence = self._showing.findings(question, linked, groups)

        def ask(shown: Sequence[ExecutionGroup]) -> str | None:
            differences = self._showing.differences(question, linked, shown)
            return self._ask(
                prompt, question, linked, shown, form, differences=differences, evidence=evidence
            )

        with ThreadPoolExecutor(1, thread_name_prefix="mirrored") as pool:
            mirrored = pool.submit(copy_context().run, ask, tuple(groups)[::-1])
            reply = ask(groups)
            mirrored.result()
        return reply

    def _ask(
        self,
        prompt: str,
        question: Question,
        linked: LinkedSchema,
        groups: Sequence[ExecutionGroup],
        form: dict[str, Any],
        sizes: bool = False,
        **also: str,
    ) -> str | None:
        key: tuple[str, ...] = (prompt, question.text, question.hint, *also.values())
        key += tuple(part for g in groups for part in (g.fingerprint, g.members[0].sql, str(g.size) * sizes))
        shown = self._showing.groups(groups, question, linked, sizes)
        return self._call(prompt, question, linked, key, shown, form, **also)

    def _call(
        self,
        prompt: str,
        question: Question,
        linked: LinkedSchema,
        key: tuple[str, ...],
        candidates: str,
        form: dict[str, Any],
        **also: str,
    ) -> str | None:
        """Ask once, or remember what was said; None where the model gave nothing."""
        with self._lock:
            if key in self._said:
                return self._said[key]
            if self._silences >= SILENCES:
                return None
        task = rendering.task_text(question, linked, self._privacy)
        asked = prompts.render(prompt, candidates=candidates, **also)
        request = LlmRequest(
            messages=(
                rendering.system_message(linked, self._privacy),
                LlmMessage("user", f"{task}\n\n{asked}"),
            ),
            temperature=0.0,
            max_tokens=REPLY_TOKENS,
            seed=SEED,
            purpose=prompt.replace("_", ":"),
            schema=form,
        )
        if self._cancelled is not None and self._cancelled.is_set():
            raise Cancelled("The run was stopped.")
        try:
            reply = self._llm.complete(request, self._cancelled).text
        except BudgetSpent:
            with self._lock:
                self._silences = SILENCES
            return None
        except LlmError as error:
            self._note(f"The judge gave no reply, so deterministic features judged instead. {plainly(error)}")
            with self._lock:
                self._silences += 1
            return None
        with self._lock:
            self._said[key] = reply
        return reply

    def _note(self, note: str) -> None:
        with self._lock:
            if note not in self.notes:
                self.notes.append(note)


def _results_differ(executions: Sequence[Execution]) -> bool:
    """Tell whether a pool gave more than one result: where it did not, nobody is asked for marks."""
    rows = [execution.rows.rows for execution in executions if execution.rows is not None]
    return any(other != rows[0] for other in rows[1:])

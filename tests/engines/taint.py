"""Looks for stored values in prompts below *rows*: random and hostile runs over a marked database.

    .venv/bin/python -m tests.engines.taint --runs 10000

Every stored value of the lab is a mark found nowhere else. A run is the whole pipeline with a scripted
language model: questions that misspell marks, follow-ups on SQL that somebody edited, samples that cast,
pivot, raise errors, explain and alias, repairs that do it again, judges and auditors who talk nonsense. Half of the
runs go without the guard, so that what it refuses today is tried as well. A prompt that holds a mark
(as it is, in another case, backwards, in hexadecimal or base64) that nobody typed, nor the model guessed, is a finding.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from sqlagent import guard, pipeline
from sqlagent.events import Ended
from sqlagent.guard.rebuilding import Rebuilt
from sqlagent.testing import ScriptedLlm
from sqlagent.values import Budget, LlmRequest, Outcome, Question, Turn
from tests.engines.marked_lab import Marked, marked
from tests.engines.telling_sql import EDITED, EVERYWHERE, FOLLOWING, OWN, QUESTIONS, TEXTS

ENGINES = ("sqlite", "duckdb", "postgres", "mysql")
# Runs of ten on each engine: what runs in this process is faster.
SHARES = {"sqlite": 5, "duckdb": 3, "postgres": 1, "mysql": 1}
STATEMENT_SECONDS = 2.0


def slipped(text: str, chance: random.Random) -> str:
    """Misspell a mark: one letter or digit another, so that the value index finds the stored one."""
    at = chance.randrange(1, len(text))
    while not text[at].isalnum():
        at = chance.randrange(1, len(text))
    other = chance.choice("123456789" if text[at].isdigit() else "aeioubdgklmnprst")
    return text[:at] + (other if other != text[at] else "y" if other.isalpha() else "0") + text[at + 1 :]


class Hostile:
    """A language model that samples SQL at random, to learn what is stored or by mistake."""

    def __init__(self, engine: str, words: str, chance: random.Random) -> None:
        self.engine, self.words, self.chance = engine, words, chance

    def __call__(self, request: LlmRequest) -> str:
        purpose = request.purpose.partition(":")[0] if ":" in request.purpose else request.purpose
        seen = request.messages[-1].text
        if purpose in ("sample", "repair"):
            return self._sql_reply(seen)
        if purpose == "follow":
            return self.chance.choice(QUESTIONS).format(m=self.words, n=10)
        if request.purpose == "judge:audit":
            return self._verdict(seen)
        letters = re.findall(r"^\[(\w+)\]", seen, re.MULTILINE)
        self.chance.shuffle(letters)
        return self.chance.choice(
            (
                json.dumps({"order": letters, "better": self.chance.choice("AB"), "confidence": 0.9}),
                json.dumps({"marks": {name: self.chance.randint(0, 100) for name in letters}}),
                "nonsense",
            )
        )

    def _sql_reply(self, seen: str) -> str:
        if self.chance.random() < 0.03:
            return "UNANSWERABLE: nothing of this is stored"
        sql = self.sql()
        if self.chance.random() < 0.1:  # says again what it was shown
            sql = f"SELECT '{''.join(c for c in seen[-300:] if c not in chr(39) + chr(10))}' AS seen, ({sql})"
        return f"```sql\n{sql}\n```"

    def sql(self) -> str:
        """One statement of the engine's, or of all."""
        text = self.chance.choice(OWN[self.engine] if self.chance.random() < 0.6 else EVERYWHERE)
        sql = text.format(
            t=self.chance.choice(TEXTS),
            m=self.words,
            M=self.words.upper(),
            a=self.chance.choice(("v", "total")),
        )
        roll = self.chance.random()
        if roll < 0.08:
            return sql.replace(" FROM", ", " + self.chance.choice(TEXTS) + " FROM", 1)
        if roll < 0.12:
            cut = self.chance.randrange(7, len(sql))
            return sql[:cut] + sql[cut + self.chance.randint(1, 4) :]
        return sql

    def _verdict(self, seen: str) -> str:
        said = [line for line in seen.splitlines() if line.strip()]
        unmet = [self.chance.choice(said), f"use '{self.words}'", "a filter on the customer's city"]
        return self.chance.choice(
            (
                json.dumps({"verdict": "missing", "reason": "no", "unmet": unmet}),
                json.dumps({"verdict": "missing", "reason": "no", "unmet": []}),
                json.dumps({"verdict": "present", "reason": "yes", "unmet": []}),
                "no verdict",
            )
        )


@dataclass
class Findings:
    """Prompts that the runs sent, and stored values in them."""

    runs: int = 0
    prompts: int = 0
    leaks: list[tuple[str, str, str, str]] = field(default_factory=list)
    purposes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        shown = "".join(f"\n  {' | '.join(leak)}" for leak in self.leaks[:20])
        stages = ", ".join(f"{count:,} {name}" for name, count in self.purposes.most_common())
        ended = ", ".join(f"{count:,} {name}" for name, count in self.statuses.most_common())
        return (
            f"{self.runs:,} runs sent {self.prompts:,} prompts ({stages}); statements: {ended}; "
            f"{len(self.leaks)} held a stored value{shown}"
        )


class Watch:
    """Finds marks in texts; a text that was looked through is not looked through again."""

    def __init__(self, marks: list[str]) -> None:
        self.forms = {mark: _forms(mark) for mark in marks}
        self.clean: set[int] = set()

    def found(self, text: str, typed: str) -> list[str]:
        """The marks that stand in a text and were not typed."""
        key = hash((text, typed))
        if key in self.clean:
            return []
        low = text.casefold()
        bare = re.sub(r"[\W_]+", "", low)
        held = [m for m, forms in self.forms.items() if any(form in low or form in bare for form in forms)]
        found = [mark for mark in held if not any(form in typed.casefold() for form in self.forms[mark])]
        if not found:
            self.clean.add(key)
        return found


def _forms(mark: str) -> tuple[str, ...]:
    low = mark.casefold()
    bare = re.sub(r"\W", "", low)
    coded = base64.b64encode(mark.encode()).decode().rstrip("=")[:-1].casefold()
    return tuple({low, bare, low[::-1], mark.encode().hex(), coded})


def run(lab: Marked, watch: Watch, seed: int, findings: Findings, is_small: bool = False) -> None:
    """One random run: a question or a follow-up, answered under a level below *rows*.

    A small one has two samples a round, at most two rounds and seldom drafts, and takes a quarter of the time.
    """
    chance = random.Random(seed)
    mark = chance.choice(lab.marks)
    words = mark if chance.random() < 0.1 else slipped(mark, chance)
    typed = chance.choice(QUESTIONS).format(m=words, n=chance.randint(1, 9) * 1_000)
    asked, turns = Question(typed), ()
    if chance.random() < 0.35:
        other = chance.choice(lab.marks)
        edited = chance.choice(EDITED).format(s=other, s9=other if other.isdigit() else 87654321)
        earlier = typed if chance.random() < 0.9 else edited
        turns = (
            Turn(earlier, edited),
            Turn(typed, Hostile(lab.engine, slipped(other, chance), chance).sql()),
        )
        asked = Question(chance.choice(FOLLOWING).format(m=words))
        typed = f"{typed}\n{earlier}"
    llm = ScriptedLlm(Hostile(lab.engine, words, chance))
    budget = Budget(
        samples=2 if is_small else 4,
        wave=2 if is_small else chance.choice((2, 4)),
        rounds=chance.choice((0, 1) if is_small else (0, 1, 1, 2)),
        mode=chance.choice(("fast", "fast", "faithful")),
        statement_seconds=STATEMENT_SECONDS,
        drafts=2 if chance.random() < (0.02 if is_small else 0.2) else 0,
    )
    privacy = chance.choice(("schema", "masked"))
    away = (
        patch.object(
            guard, "check", lambda sql, *_: guard.Passed(sql, sql, Rebuilt(sql, (0,), (0,), 0, len(sql), ()))
        )
        if chance.random() < 0.5
        else nullcontext()
    )
    with away:
        events = list(
            pipeline.answer(
                asked, database=lab.database, catalog=lab.catalog, index=lab.index, llm=llm, turns=turns,
                budget=budget, privacy=privacy,
            )
        )  # fmt: skip
    answer = events[-1].answer if isinstance(events[-1], Ended) else None
    assert answer is not None and answer.outcome in Outcome
    findings.runs += 1
    findings.prompts += llm.calls
    for event in events:
        if (execution := getattr(event, "execution", None)) is not None:
            findings.statuses[execution.status] += 1
    for request in llm.requests:
        findings.purposes[request.purpose.partition(":")[0]] += 1
        for message in request.messages:
            for leaked in watch.found(message.text, f"{typed}\n{asked.text}\n{words}"):
                at = message.text.casefold().find(leaked.casefold())
                near = " ".join(message.text[max(0, at - 80) : at + 60].split())
                findings.leaks.append((lab.engine, f"seed {seed}", f"{request.purpose} {leaked}", near))


def hunt(engine: str, folder: Path, runs: int, seed: int = 0, is_small: bool = False) -> Findings:
    """Make runs on one engine; the same seed makes the same runs."""
    findings = Findings()
    with marked(engine, folder) as lab:
        watch = Watch(lab.marks)
        for number in range(runs):
            run(lab, watch, seed + number, findings, is_small)
    return findings


def main() -> None:
    """Hunt on the engines named and tell what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=ENGINES)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    whole = sum(SHARES[engine] for engine in options.engines)
    leaks = 0
    for engine in options.engines:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = hunt(engine, Path(folder), options.runs * SHARES[engine] // whole, options.seed)
        leaks += len(found.leaks)
        print(f"{engine}: {found} ({time.monotonic() - began:.0f} s)", flush=True)  # noqa: T201 - a command
    raise SystemExit(1 if leaks else 0)


if __name__ == "__main__":
    main()

"""Runs with a language model as training data: verified rewards and preference pairs (docs/traces.md).

Decides what of a run is exported and in which form. Rewards are by execution against gold, never by a judge. Nothing is
sent anywhere: two files are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlagent.evaluation.items import BadInput, json_lines, write_lines
from sqlagent.prompts import replies

SCHEMA = 1
"""Version of the lines' form, told in each."""

_NEEDED = ("id", "db", "question", "answerable", "systems", "exchanges", "candidates")


@dataclass(frozen=True, slots=True)
class Traces:
    """The results of runs: every sampled reply with its reward, and pairs of a right and a wrong one a question."""

    rewards: tuple[dict[str, Any], ...]
    pairs: tuple[dict[str, Any], ...]
    runs: int

    def told(self) -> str:
        """Say how many there are of each, in a sentence."""
        right = sum(line["reward"] == 1.0 for line in self.rewards)
        return f"{self.runs} runs: {len(self.rewards)} replies with a reward, {right} of them right; {len(self.pairs)} pairs"


def run_lines(paths: Sequence[Path], needed: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the runs of files that `answer --llm env --json FILE` wrote, each with its place. Raises: BadInput where one lacks what is needed."""
    for path in paths:
        for place, run in json_lines(path):
            if missing := [name for name in needed if name not in run]:
                raise BadInput(
                    f"{place}: '{missing[0]}' is missing; runs are written by answer --llm env --json FILE."
                )
            yield place, run


def read(paths: Sequence[Path]) -> Traces:
    """Read files that `answer --llm env --json FILE` wrote. Raises: BadInput with the line that is wrong."""
    rewards: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    runs = 0
    for place, run in run_lines(paths, _NEEDED):
        runs += 1
        try:
            sampled = list(_sampled(run))
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise BadInput(
                f"{place}: an exchange or a candidate is not as runs have it ({error})."
            ) from error
        rewards += sampled
        pairs += _pairs(sampled)
    if not runs:
        raise BadInput("The files hold no runs.")
    return Traces(tuple(rewards), tuple(pairs), runs)


def _sampled(run: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every reply that was asked for SQL, with its reward: 1 for right rows, 0 for others and for none.

    A reply that declines is right where the question has no gold. Replies of judges have no verified reward.
    """
    verdicts = {candidate["sql"]: bool(candidate["right"]) for candidate in run["candidates"]}
    statuses = {candidate["sql"]: str(candidate["status"]) for candidate in run["candidates"]}
    for exchange in run["exchanges"]:
        stage, _, family = str(exchange["purpose"]).partition(":")
        if stage != "sample":
            continue
        reply = str(exchange["reply"])
        sql = replies.sql_in(reply)
        declines = not sql and bool(replies.declined_in(reply))
        right = verdicts.get(sql, False) if run["answerable"] else declines
        yield {
            "schema": SCHEMA,
            "id": str(run["id"]),
            "db": str(run["db"]),
            "family": family,
            "messages": [
                {"role": "system", "content": str(run["systems"][exchange["system"]])},
                {"role": "user", "content": str(exchange["user"])},
            ],
            "temperature": exchange.get("temperature"),
            "completion": reply,
            "sql": sql,
            "status": "declined" if declines else statuses.get(sql, "none"),
            "reward": 1.0 if right else 0.0,
        }


def _pairs(sampled: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Pair each different right reply of a question with each different wrong one, both under the right one's prompt."""
    chosen = _different([line for line in sampled if line["reward"] == 1.0])
    rejected = _different([line for line in sampled if line["reward"] == 0.0])
    for good in chosen:
        for bad in rejected:
            yield {
                "schema": SCHEMA,
                "id": good["id"],
                "db": good["db"],
                "messages": good["messages"],
                "chosen": good["completion"],
                "rejected": bad["completion"],
                "same_prompt": good["messages"] == bad["messages"],
                "rejected_status": bad["status"],
            }


def _different(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first reply of each SQL, or of each text where it has none, in the order of their first coming."""
    found: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        found.setdefault(str(line["sql"] or line["completion"]), line)
    return list(found.values())


def write(traces: Traces, folder: Path) -> None:
    """Write `rewards.jsonl` and `pairs.jsonl` into a folder, which is made. Raises: BadInput."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from error
    for name, lines in (("rewards", traces.rewards), ("pairs", traces.pairs)):
        write_lines(folder / f"{name}.jsonl", lines)

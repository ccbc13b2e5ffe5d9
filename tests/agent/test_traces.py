"""Runs with a language model become rewards and pairs, by execution alone."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sqlagent.evaluation.__main__ import main
from sqlagent.evaluation.answering import llm_from_environment
from tests.scripted_server import ScriptedServer

RIGHT, WRONG = "SELECT COUNT(*) FROM city WHERE land = 'Norway'", "SELECT COUNT(*) FROM city"
QUESTIONS = [
    {"id": "1", "db": "towns", "question": "How many cities are in Norway?", "gold": RIGHT},
    {"id": "2", "db": "towns", "question": "How warm was it in Norway?", "golds": []},
]


def reply(body: dict[str, Any]) -> str:
    asked = body["messages"][1]["content"]
    if "warm" in asked:
        return "UNANSWERABLE: no weather is recorded"
    if "settle which columns" in asked:
        return f"```sql\n{WRONG}\n```"
    return f"```sql\n{RIGHT}\n```" if "verdict" not in asked else '{"verdict": "present", "unmet": []}'


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "databases" / "towns"
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "towns.sqlite")
    connection.executescript(
        "CREATE TABLE city (name TEXT, land TEXT);"
        "INSERT INTO city VALUES ('Oslo', 'Norway'), ('Bergen', 'Norway'), ('Lyon', 'France');"
    )
    connection.close()
    questions, out = tmp_path / "q.jsonl", tmp_path / "runs.jsonl"
    questions.write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))
    server = ScriptedServer(reply).start()
    monkeypatch.setenv("LLM_BASE_URL", server.base_url)
    monkeypatch.setenv("LLM_MODEL", "scripted")
    llm_from_environment.cache_clear()
    try:
        where = ["--questions", str(questions), "--databases", str(folder.parent)]
        assert main(["answer", *where, "--llm", "env", "--alone", "--json", str(out)]) == 0
    finally:
        server.stop()
        llm_from_environment.cache_clear()
    return out


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_runs_become_rewards_and_pairs(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, foreign = lines(runs)
    assert first["first"] and first["right"] and first["calls"] > 2 and not first["checked"]
    assert foreign["right"] and not foreign["answerable"]
    capsys.readouterr()
    assert main(["traces", "--runs", str(runs), "--out", str(tmp_path / "out")]) == 0
    rewards, pairs = lines(tmp_path / "out" / "rewards.jsonl"), lines(tmp_path / "out" / "pairs.jsonl")
    by_sql = {(line["id"], line["sql"]): (line["reward"], line["status"]) for line in rewards}
    assert by_sql == {("1", RIGHT): (1.0, "ok"), ("1", WRONG): (0.0, "ok"), ("2", ""): (1.0, "declined")}
    assert all([m["role"] for m in line["messages"]] == ["system", "user"] for line in rewards)
    assert all("How many cities" in line["messages"][1]["content"] for line in rewards if line["id"] == "1")
    (pair,) = pairs
    assert RIGHT in pair["chosen"] and WRONG in pair["rejected"] and not pair["same_prompt"]
    assert f"2 runs: {len(rewards)} replies with a reward" in capsys.readouterr().out


def test_kept_runs_tell_how_often_they_were_right_and_sure(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = lines(runs)[0]
    capsys.readouterr()
    assert main(["runs", "--runs", str(runs), str(runs)]) == 0
    said = capsys.readouterr().out
    assert f"2 runs: 2 right, first sample 2, any sample 2; {first['calls']:.2f} calls a question" in said
    assert f"error {1 - first['confidence']:.3f} [" in said and "over 2 answers (fewer than 200" in said
    many = tmp_path / "many.jsonl"
    sure = {"confidence": 0.9, "outcome": "answered", "answerable": True, "calls": 1, "candidates": []}
    rows = [sure | {"right": n % 10 != 0, "first": True} for n in range(200)]
    many.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["runs", "--runs", str(many)]) == 0
    told = capsys.readouterr().out
    assert (
        "error 0.000 [0.000, " in told
        and "over 200 answers\n" in told
        and "said 0.90, was right 0.90 (200)" in told
    )


def test_the_documented_fields_are_those_that_are_written(runs: Path, tmp_path: Path) -> None:
    assert main(["traces", "--runs", str(runs), "--out", str(tmp_path)]) == 0
    text = Path("docs/traces.md").read_text()
    for name in ("rewards", "pairs"):
        part = text.partition(f"## {name}.jsonl")[2].partition("## ")[0]
        told = {
            field for row in re.findall(r"^\| (`.*?) \|", part, re.M) for field in re.findall(r"`(\w+)`", row)
        }
        assert set(lines(tmp_path / f"{name}.jsonl")[0]) == told
    part = text.partition("## A run")[2].partition("## ")[0]
    told = {
        field for row in re.findall(r"^\| (`.*?) \|", part, re.M) for field in re.findall(r"`(\w+)`", row)
    }
    assert told <= set(lines(runs)[0])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "hold no runs"),
        ("{", "line 1: not JSON"),
        ('{"id": "1"}', "line 1: 'db' is missing"),
        (
            '{"id": "1", "db": "d", "question": "q", "answerable": true, "systems": [], "candidates": [],'
            ' "exchanges": [{"purpose": "sample:direct", "reply": "SELECT 1", "system": 3}]}',
            "line 1: an exchange or a candidate is not as runs have it",
        ),
    ],
)
def test_a_file_that_holds_no_runs_is_refused_in_words(
    content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(content)
    assert main(["runs", "--runs", str(file)]) == 2
    capsys.readouterr()
    assert main(["traces", "--runs", str(file), "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

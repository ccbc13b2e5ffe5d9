"""Effect of verified questions on others with a language model: order of asking, prompts, kept replies, the gated editor."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sqlagent.errors import LlmUnreachable
from sqlagent.evaluation.__main__ import main
from sqlagent.evaluation.items import BadInput, read_items
from sqlagent.evaluation.kept_replies import KeptReplies
from sqlagent.evaluation.learning_llm import ALIKE, EDITED, NEAREST, NOTHING, Plan, measure, report
from sqlagent.method.templates import near, with_knowledge
from sqlagent.testing import ScriptedLlm
from sqlagent.values import (
    Catalog,
    Knowledge,
    LinkedSchema,
    LlmMessage,
    LlmRequest,
    Question,
    VerifiedAnswer,
)

FLAGS = ("Norway", "Malta", "Panama", "Cyprus", "Greece", "Japan", "Chile", "Spain", "Italy", "Kenya")
COLUMNS = ("tonnage", "crew", "length", "width", "speed")


def gold(flag: str, column: str) -> str:
    return f"SELECT ROUND(AVG({column}), 1) AS {flag}_{column} FROM ships WHERE flag = '{flag}'"


@pytest.fixture
def port(tmp_path: Path) -> tuple[Path, str]:
    folder = tmp_path / "databases" / "port"
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "port.sqlite")
    columns = ", ".join(f"{column} REAL" for column in COLUMNS)
    connection.execute(f"CREATE TABLE ships (id INTEGER PRIMARY KEY, flag TEXT, {columns})")
    for n in range(60):
        row = (n, FLAGS[n % 10], *((n * (k + 3)) % 17 + n / 7 + 0.0123 for k in range(5)))
        connection.execute("INSERT INTO ships VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    lines = [
        {
            "id": f"{flag}-{column}",
            "db": "port",
            "question": f"For ships under the flag of {flag}, the mean {column} in version {n}{k}",
            "gold": gold(flag, column),
            "candidates": [{"sql": gold(flag, column)}, {"sql": "SELECT 1" if k % 2 else gold(flag, column)}],
        }
        for n, flag in enumerate(FLAGS)
        for k, column in enumerate(COLUMNS)
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file, str(folder.parent)


def answering(request: LlmRequest) -> str:
    """Round the mean only where the prompt shows or tells that the owners round."""
    text = request.messages[-1].text
    if request.purpose == "edit":
        edit = {"why": "rounded", "kind": "rule", "phrase": "means", "body": "Round means to one place."}
        return json.dumps({**edit, "table": "", "column": "", "questions": []})
    asked = text.split("<question>")[1].split("</question>")[0]
    flag = next(one for one in FLAGS if one in asked)
    column = next(one for one in COLUMNS if f"mean {one}" in asked)
    rounds = "ROUND(" in text or "Round means" in text
    return f"```sql\n{gold(flag, column) if rounds else f'SELECT AVG({column}) FROM ships WHERE flag = {flag!r}'}\n```"


def prompts(llm: ScriptedLlm) -> list[str]:
    return [request.messages[-1].text for request in llm.requests]


def test_habits_of_verified_answers_are_learnt_and_nothing_is_known_before_all_was_asked_plainly(
    port, tmp_path
):
    file, databases = port
    llm, plan = ScriptedLlm(answering), Plan(tested=6, contested=True, alike=True, side=3)
    found = measure(read_items(file, pool=True), databases, KeptReplies(llm, tmp_path / "kept"), plan)
    right = {way: [one.right for one in found.said if one.way == way] for way in (NOTHING, ALIKE, NEAREST)}
    assert right == {NOTHING: [False] * 6, ALIKE: [False] * 6, NEAREST: [True] * 6}
    (one,) = found.splits
    assert len(one.learnt) == 30 and not set(one.learnt) & set(one.tested)
    assert all(item.id.split("-")[1] in ("crew", "width") for item in one.tested)
    shown = ["<verified>" in text for text in prompts(llm)]
    assert shown == sorted(shown)
    assert not [item.id for item in one.tested if any(item.gold in text for text in prompts(llm))]
    assert "6 of 6 right (100.0 %)" in report(found) and "6 won, 0 lost, p = 0.0312" in report(found)


def test_questions_of_one_sql_count_once_where_they_are_to_be_apart(port, tmp_path):
    file, databases = port
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    twice = [{**one, "id": one["id"] + "-2", "gold": one["gold"].lower() + " "} for one in lines]
    file.write_text("".join(json.dumps(line) + "\n" for line in (*lines, *twice)))
    llm = KeptReplies(ScriptedLlm(answering), tmp_path / "kept")
    (one,) = measure(read_items(file), databases, llm, Plan(tested=50, apart=True)).splits
    held = [item.id.removesuffix("-2") for item in (*one.learnt, *one.tested)]
    assert len(held) == len(set(held)) == 50


def test_a_run_that_was_interrupted_goes_on_and_no_prompt_is_asked_twice(port, tmp_path):
    file, databases = port
    items, plan = read_items(file), Plan(tested=6, side=2)
    with pytest.raises(BadInput, match="8 prompts were asked"):
        measure(items, databases, KeptReplies(ScriptedLlm(answering), tmp_path / "kept", 8), plan)
    llm = ScriptedLlm(answering)
    found = measure(items, databases, KeptReplies(llm, tmp_path / "kept"), plan)
    assert (found.prompts, found.asked) == (found.asked + 8, llm.calls) and llm.calls > 0
    again = measure(items, databases, KeptReplies(ScriptedLlm([]), tmp_path / "kept"), plan)
    assert again.said == found.said and again.asked == 0


def test_a_call_that_fails_is_no_wrong_answer_and_the_next_run_asks_it_again(tmp_path):
    request = LlmRequest((LlmMessage("user", "one?"),))
    with pytest.raises(BadInput, match="run it again"):
        KeptReplies(ScriptedLlm([LlmUnreachable("No reply.")]), tmp_path / "kept").complete(request)
    llm = KeptReplies(ScriptedLlm(["one", "two"]), tmp_path / "kept")
    assert (llm.kept, llm.complete(request).text, llm.complete(request).text) == (0, "one", "one")
    other = LlmRequest((LlmMessage("user", "one?"),), seed=2)
    assert (llm.complete(other).text, llm.kept, llm.asked) == ("two", 2, 2)
    next(tmp_path.glob("kept/*.json")).write_text("nonsense")
    with pytest.raises(BadInput, match="delete it"):
        [llm.complete(one) for one in (request, other)]


def test_the_editor_sees_the_work_part_alone_and_its_rule_comes_into_force_by_the_gate(port, tmp_path):
    file, databases = port
    llm, plan = ScriptedLlm(answering), Plan(tested=4, edits=1)
    found = measure(read_items(file), databases, KeptReplies(llm, tmp_path / "kept"), plan)
    steps = found.steps["port", 0]
    assert steps[0].startswith("began: 0 of ") and steps[1].startswith("accepted: rule of means: Round")
    assert [one.right for one in found.said if one.way == EDITED] == [True] * 4
    (edit,) = [text for text in prompts(llm) if "You keep the notes" in text]
    (one,) = found.splits
    told = [item.id for item in one.learnt if f"Verified: {item.gold}" in edit]
    assert 0 < len(told) <= 8 and not [item.id for item in one.tested if item.gold in edit]
    assert "editor on port, split 0:" in report(found)


def test_the_command_needs_a_folder_of_replies_and_says_so(port, capsys):
    file, databases = port
    command = ["learning", "--questions", str(file), "--databases", databases, "--llm", "env"]
    assert main(command) == 2
    assert "--replies" in capsys.readouterr().err


def test_a_prompt_tells_of_verified_answers_that_no_person_would_call_alike():
    known = tuple(
        VerifiedAnswer(f"average {what} of ships", f"SELECT AVG({what}) FROM ships")
        for what in ("tonnage", "crew", "length", "width", "speed", "age")
    )
    question = Question("which ships have a tonnage above the usual one in the harbour of Bergen?")
    assert near(question.text, known) == ()
    empty = Catalog("sqlite", ())
    told = with_knowledge(question, LinkedSchema(empty, empty), Knowledge((), known)).knowledge.verified
    assert 0 < len(told) <= 5 and told[0] is known[0]

"""The shop's questions in other words, on the shop and on a copy with every name changed.

The paraphrases were written by somebody who had not read the generator. Right means: the rows of
the SQL meant, as a bag, whatever else is shown beside them. No language model is asked.
"""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.method.grouping import fingerprint
from sqlagent.pipeline import answer
from sqlagent.values import Answer, Limits, Question, Rows
from tests.shop_renamed import rename_shop

CASES = Path(__file__).parents[1] / "agent" / "cases" / "shop"
ENOUGH = 20
"""Of thirty paraphrases at least so many must be answered right."""


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


EXAMPLES = {line["question"]: line["sql"] for line in lines("examples.jsonl")}


@pytest.fixture(scope="module", params=["shop", "renamed"])
def source(request: pytest.FixtureRequest, part: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "shop":
        return part
    path = tmp_path_factory.mktemp("renamed") / "renamed.sqlite3"
    rename_shop(part, path)
    return path


def said(questions: list[str], path: Path) -> dict[str, Answer]:
    database = open_database("sqlite", database=str(path))
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    return {
        text: list(answer(Question(text), database=database, catalog=catalog, index=index))[-1].answer  # type: ignore[union-attr]
        for text in questions
    }


def shows(found: Rows | None, wanted: Rows) -> bool:
    """Whether the wanted columns are among those found, with the same rows."""
    if found is None or len(found.columns) < len(wanted.columns):
        return False
    key = fingerprint(wanted, ordered=False)
    return any(
        fingerprint(Rows(wanted.columns, tuple(tuple(row[i] for i in places) for row in found.rows)), False)
        == key
        for places in permutations(range(len(found.columns)), len(wanted.columns))
    )


def right(questions: dict[str, str], source: Path, part: Path) -> list[str]:
    """The questions answered right; each is given with the example that it means."""
    meant = open_database("sqlite", database=str(part))
    wanted = {example: meant.execute(sql, Limits()) for example, sql in EXAMPLES.items()}
    found = said(list(questions), source)
    return [text for text, example in questions.items() if shows(found[text].rows, wanted[example])]


def test_every_example_question_is_answered_right(source: Path, part: Path) -> None:
    assert right({text: text for text in EXAMPLES}, source, part) == list(EXAMPLES)


def test_most_paraphrases_are_answered_right(source: Path, part: Path) -> None:
    paraphrases = {line["question"]: line["like"] for line in lines("paraphrases.jsonl")}
    found = right(paraphrases, source, part)
    assert len(paraphrases) == 30
    assert len(found) >= ENOUGH, sorted(set(paraphrases) - set(found))

"""The fit of the told confidence: first answers are kept, and each set of databases is left out in turn."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sqlagent.evaluation.fit_sureness import FIRST, fit
from sqlagent.evaluation.items import BadInput

GOLD = "SELECT COUNT(*) FROM kilns"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two questions of a pottery, of which the first is answered rightly and the second is not."""
    path = tmp_path / "data" / "potters"
    (path / "databases" / "pottery").mkdir(parents=True)
    with sqlite3.connect(path / "databases" / "pottery" / "pottery.sqlite") as db:
        db.execute("CREATE TABLE kilns (id INTEGER PRIMARY KEY, name TEXT)")
        db.executemany("INSERT INTO kilns (name) VALUES (?)", [("north",), ("south",)])
    asked = {"how many kilns are there": GOLD, "number of kilns": "SELECT 77"}
    lines = [
        {"id": str(number), "db": "pottery", "question": question, "golds": [gold]}
        for number, (question, gold) in enumerate(asked.items())
    ]
    (path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_first_answers_are_kept_and_read_by_later_fits(folder: Path, tmp_path: Path) -> None:
    fit(folder.parent, tmp_path / "one.json")
    kept = [json.loads(line) for line in (folder / FIRST).read_text().splitlines()]
    assert [line["right"] for line in kept] == [True, False]
    assert all(0.8 < line["chance"] < 1 for line in kept)

    for line in kept:
        line["right"] = True
    (folder / FIRST).write_text("".join(json.dumps(line) + "\n" for line in kept))
    report = fit(folder.parent, tmp_path / "two.json")
    assert "potters: 2, 2" in report
    one, two = (json.loads((tmp_path / name).read_text())["steps"] for name in ("one.json", "two.json"))
    assert one[:4] == two[:4] and one[4] < two[4]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no JSON", "not JSON"),
        ("{}", "`chance` is a number"),
        ('{"chance": "much", "right": true}', "`chance` is a number"),
        ('{"chance": 0.5, "right": "no"}', "`right` is true or false"),
        ("[1]", "an object is expected"),
    ],
)
def test_first_answers_that_cannot_be_read_are_named(
    folder: Path, tmp_path: Path, text: str, told: str
) -> None:
    (folder / FIRST).write_text(text)
    with pytest.raises(BadInput, match=f"first.jsonl, line 1: .*{told}"):
        fit(folder.parent, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()

"""Questions with several accepted golds: which rows agree, and what is summed up of the answers."""

from __future__ import annotations

import json

import pytest

from sqlagent.evaluation import lenient
from sqlagent.evaluation.items import read_items
from sqlagent.testing import MemoryDatabase


@pytest.mark.parametrize(
    ("said", "gold", "ordered", "agree"),
    [
        ([("a", 1), ("b", 2)], [(2, "b"), (1, "a")], False, True),
        ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)], True, False),
        ([(33.33,)], [(33.3333333,)], False, True),
        ([(33.3,)], [(33.3333333,)], False, False),
        ([(0,)], [(0.001,)], False, False),
        ([(40,)], [(40.4,)], False, False),
        ([("2025", 3)], [(2025, 3)], False, True),
        ([(1, 2)], [(1,)], False, False),
        ([(None,)], [(0,)], False, False),
        ([], [], True, True),
        ([(1.0, 7), (1.004, 8)], [(1.0, 8), (1.0, 7)], False, False),
    ],
)
def test_rows_agree_as_people_would_say(said, gold, ordered, agree):
    assert lenient.rows_agree(said, gold, ordered) is agree


def test_any_gold_will_do_and_a_statement_that_fails_is_none_of_them():
    golds = lenient.Golds(
        MemoryDatabase("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)"),
        ("SELECT COUNT(*) FROM t", "SELECT SUM(a) FROM t"),
        False,
    )
    assert golds.which("SELECT 3") == 1
    assert golds.which("SELECT 4") is None
    assert golds.which("SELECT nothing FROM nowhere") is None


def test_a_line_with_several_golds_is_read_with_its_families(tmp_path):
    file = tmp_path / "questions.jsonl"
    lines = [
        {"id": "1", "db": "d", "question": "how many", "golds": ["SELECT 1", "SELECT 2"], "tags": ["count"]},
        {"id": "2", "db": "d", "question": "why", "golds": [], "family": "none"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    first, second = read_items(file)
    assert (first.gold, first.golds, first.tags) == ("SELECT 1", ("SELECT 1", "SELECT 2"), ("count",))
    assert (second.gold, second.golds, second.tags) == (None, (), ("none",))


def judged(**changed):
    line = {
        "db": "d", "tags": ("t",), "answerable": True, "outcome": "answered", "right": True, "with_readings": True,
        "confidence": 0.9, "declined": False,
    }  # fmt: skip
    return lenient.Judged(**line | changed)


def test_the_figures_tell_precision_and_how_much_of_what_is_right_is_said_plainly():
    found = lenient.figures(
        [
            judged(),
            judged(right=False, with_readings=True),
            judged(outcome="ambiguous"),
            judged(answerable=False, outcome="unanswerable", declined=True),
            judged(outcome="unanswerable", right=False, with_readings=False, declined=True),
        ]
    )
    assert found["answerable"] == {"n": 4, "right": 2, "right_with_readings": 3, "called_unanswerable": 1}
    assert found["unanswerable"] == {"n": 1, "right": 1}
    assert found["answered"] == {"n": 2, "right": 1, "precision": 0.5, "coverage_of_right": 0.5}

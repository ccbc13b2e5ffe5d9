"""`manage.py ask`: the same pipeline from a shell, for people and for programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from mirror.asking.management.commands.ask import answer_json, answer_lines
from sqlagent.values import Answer, Outcome, Question, Reading, Rows
from tests import warm

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, on the store of this test."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
    }
    command = [sys.executable, "manage.py", "ask", *words]
    return warm.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


def test_a_question_is_answered_with_its_steps_sql_and_rows(shop) -> None:
    done = ask("How many customers are there?", "--source", "shop")
    assert done.returncode == 0, done.stderr
    assert "attempt 1:" in done.stdout
    assert "1 attempts" not in done.stdout
    assert "SELECT" in done.stdout
    assert "% sure" in done.stdout
    assert done.stdout.index("attempt 1:") < done.stdout.index("% sure")


def test_the_last_line_is_one_json_object_and_steps_go_elsewhere(shop) -> None:
    done = ask("How many customers are there?", "--source", "shop", "--json")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    answer = json.loads(done.stdout)
    assert answer["outcome"] == "answered"
    assert answer["rows"] == [[5600]] or answer["rows"][0][0] > 0
    assert set(answer["agreement"]) == {"size", "pool"}
    assert 0 <= answer["confidence"] <= 1
    assert "attempt 1:" in done.stderr


def test_what_cannot_be_answered_exits_with_one(shop) -> None:
    done = ask("Which penguins migrate to Saturn?", "--source", "shop", "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["sql"], answer["rows"]) == ("unanswerable", "", [])
    assert answer["reason"]


def test_a_source_that_is_gone_is_a_failed_answer(shop) -> None:
    type(shop).objects.update(database="/nowhere/shop.sqlite3")
    done = ask("How many customers are there?", "--source", "shop", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["outcome"] == "failed"
    assert "Traceback" not in done.stderr


def test_an_unknown_source_is_told_with_those_that_are_known(shop) -> None:
    with pytest.raises(CommandError, match="no source named 'stock'. Known sources: shop"):
        call_command("ask", "How many?", source="stock")


@pytest.mark.parametrize("question", ["", "  ", "x" * 3000])
def test_a_question_that_cannot_be_taken_is_told(shop, question) -> None:
    with pytest.raises(CommandError, match="question"):
        call_command("ask", question, source="shop", stdout=StringIO())


def test_a_hint_that_hides_characters_is_refused(shop) -> None:
    with pytest.raises(CommandError, match=r"This hint holds a character that cannot be seen \(U\+202E\)"):
        call_command("ask", "How many?", "--source", "shop", "--hint", "a\u202eb means c > 1")


ANSWER = Answer(
    Outcome.AMBIGUOUS,
    Question("q"),
    reason="two ways",
    sql="SELECT 1",
    rows=Rows(("id", "money", "x"), ((2**60, Decimal("1234567.50"), None), (7, Decimal("-1.00"), "a\nb"))),
    confidence=0.51234,
    size=3,
    pool=7,
    readings=(Reading("SELECT 2", "after returns", Rows(("n",), ((Decimal("0.1"),),)), 2),),
)


def test_json_keeps_decimals_and_large_integers_exact() -> None:
    shown = json.loads(json.dumps(answer_json(ANSWER)))
    assert shown["rows"] == [["1152921504606846976", "1234567.50", None], [7, "-1.00", "a\nb"]]
    assert shown["agreement"] == {"size": 3, "pool": 7}
    assert shown["readings"] == [
        {"sql": "SELECT 2", "difference": "after returns", "columns": ["n"], "rows": [["0.1"]]}
    ]


def test_people_see_a_table_and_the_other_reading() -> None:
    text = "\n".join(answer_lines(ANSWER))
    assert "Ambiguous: two ways" in text
    assert "1,234,567.50" in text
    assert "51% sure. 3 of 7 attempts gave this answer" in text
    assert "Another reading: after returns" in text


def test_what_is_not_used_of_a_hint_stands_under_the_outcome(shop) -> None:
    words = ("revenue by country in 2025", "--source", "shop", "--hint", "please use the good numbers")
    lines = ask(*words).stdout.splitlines()
    told = next(n for n, line in enumerate(lines) if line.startswith("Answered"))
    assert lines[told + 1] == "Not used of the hint: “please use the good numbers”."
    found = json.loads(ask(*words, "--json").stdout)
    assert (found["outcome"], found["unused_hint"]) == ("answered", ["please use the good numbers"])

"""Help for SQL that somebody is writing: laid out, and looked at before it runs."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking.models import Version
from mirror.sources.catalog_services import catalog_refresh


@pytest.fixture
def run(answered):
    """A run about the shop, whose tables were read."""
    catalog_refresh(answered.thread.source)
    return answered


def post(client, name: str, run, sql: str):
    return client.post(reverse(f"queries:{name}", args=[run.thread.source_id]), {"sql": sql})


def test_sql_is_laid_out(as_alice, run):
    reply = post(as_alice, "format_sql", run, "select name, count(*) from stores group by name")
    assert reply.content.decode() == "SELECT name, COUNT(*)\nFROM stores\nGROUP BY name"


def test_sql_that_cannot_be_read_is_left_alone(as_alice, run):
    reply = post(as_alice, "format_sql", run, "selec name")
    assert reply.status_code == 422
    assert "left as it was" in reply.content.decode()


@pytest.mark.parametrize(
    ("sql", "position", "words"),
    [
        ("SELECT nme FROM stores", 7, "nme"),
        ("DELETE FROM stores", 0, "DELETE"),
        ("SELECT * FROM nowhere", 14, "nowhere"),
    ],
)
def test_what_would_be_refused_is_said_with_its_place(as_alice, run, sql: str, position: int, words: str):
    problem = post(as_alice, "check_sql", run, sql).json()["problem"]
    assert problem["position"] == position
    assert words in problem["words"]


def test_what_would_be_refused_is_said_in_the_language_of_the_page(as_alice, run):
    url = reverse("queries:check_sql", args=[run.thread.source_id])
    reply = as_alice.post(url, {"sql": "DELETE FROM stores"}, headers={"accept-language": "de"})
    assert reply.json()["problem"]["words"].startswith(
        "DELETE löscht Zeilen. Hier laufen nur Anweisungen, die lesen."
    )


@pytest.mark.parametrize("sql", ["SELECT name FROM stores", "", "  "])
def test_nothing_is_said_of_sql_that_may_run(as_alice, run, sql: str):
    assert post(as_alice, "check_sql", run, sql).json()["problem"] is None


def test_the_length_of_sql_is_told_as_it_is(as_alice, run) -> None:
    problem = post(as_alice, "check_sql", run, "SELECT " + "1," * 500_000 + "1").json()["problem"]
    assert "1,000,008 characters long" in problem["words"]


@pytest.mark.parametrize("name", ["format_sql", "check_sql"])
def test_nothing_is_kept_and_strangers_find_nothing(as_alice, as_bob, as_charlie, run, name: str):
    before = Version.objects.count()
    assert post(as_alice, name, run, "SELECT 1").status_code == 200
    assert Version.objects.count() == before
    assert post(as_bob, name, run, "SELECT 1").status_code == 200, "the source is shared with Bob"
    assert post(as_charlie, name, run, "SELECT 1").status_code == 404

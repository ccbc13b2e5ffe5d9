"""While somebody types: questions asked before, names of the source, values stored in it."""

from __future__ import annotations

import re
import sqlite3

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.sources import catalogs, opening
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source, StoredIndex
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.grammar import completing, sampler
from tests.web.working import answer, values_read

pytestmark = pytest.mark.django_db

# Of one completion: who asks (2), what they see and the source, what of it is withheld, its index, its corrections, the questions asked before,
# its terms, its language models.
QUERIES = 9


@pytest.fixture
def known(shop, media):
    """The shop, and a folder for what is stored of its answers."""
    return shop


def suggested(client, typed: str, source: str = "shop") -> list[tuple[str, str]]:
    reply = client.get(reverse("asking:suggest"), {"q": typed, "source": source})
    return [(found["text"], found["note"]) for found in reply.json()["suggestions"]]


def test_names_of_tables_and_columns_are_offered_in_words(known, as_alice) -> None:
    found = suggested(as_alice, "how many cust")
    assert ("customers", "table") in found
    assert any(note.startswith("column of") for _, note in suggested(as_alice, "highest sal"))


def test_stored_values_are_offered_by_their_first_words(known, as_alice) -> None:
    found = suggested(as_alice, "customers in unit")
    assert ("United States", "country of customers") in found
    reply = as_alice.get(reverse("asking:suggest"), {"q": "customers in united st", "source": "shop"}).json()
    states = next(one for one in reply["suggestions"] if one["text"] == "United States")
    assert states["start"] == len("customers in ")


def test_examples_and_ones_own_questions_are_offered(known, alice, as_alice, as_bob) -> None:
    services.run_ask(alice, known, "Which zebras were sold?")
    assert ("Which zebras were sold?", "question") in suggested(as_alice, "zebras")
    assert suggested(as_bob, "zebras") == []
    example = known.examples[0]
    assert (example, "question") in suggested(as_bob, example[:12])


@pytest.mark.parametrize("typed", ["", " ", "a", "of the ", "%%%", "x" * 5000])
def test_nothing_is_offered_where_there_is_nothing_to_go_on(known, as_alice, typed) -> None:
    assert suggested(as_alice, typed) == []


def test_a_source_that_was_never_read_offers_its_examples_and_is_not_read_now(shop, as_alice) -> None:
    type(shop).objects.update(database="/nowhere/at/all.sqlite3", catalog=None, catalog_version="")
    assert suggested(as_alice, "revenue")


def test_a_stranger_is_offered_nothing(known, as_charlie, client) -> None:
    address = reverse("asking:suggest") + "?source=shop&q=cust"
    assert as_charlie.get(address).status_code == 404
    assert client.get(address).status_code == 302


def test_a_value_is_completed_where_it_begins(known, as_alice) -> None:
    reply = as_alice.get(reverse("asking:suggest"), {"q": "revenue in norw", "source": "shop"}).json()
    assert {"text": "Norway", "note": "country of customers", "start": 11} in reply["suggestions"]


def test_values_read_for_an_older_catalog_are_not_offered(known, as_alice) -> None:
    StoredIndex.objects.filter(source=known).update(catalog_version="older")
    assert suggested(as_alice, "revenue in norw") == []


def test_completing_reads_and_works_out_nothing_anew_after_the_first_word(
    known, as_alice, monkeypatch, django_assert_max_num_queries
) -> None:
    suggested(as_alice, "customers in no")
    done: list[str] = []
    for owner, name in [
        (ValueIndex, "__init__"),
        (catalogs, "catalog_read"),
        (opening, "open_database"),
        (sampler, "Schema"),
    ]:
        monkeypatch.setattr(owner, name, lambda *given, name=name, **named: done.append(name))
    spoken = completing._spoken.cache_info().misses
    for typed in ("cust", "total am", "customers in nor", "revenue per coun"):
        with django_assert_max_num_queries(QUERIES):
            assert suggested(as_alice, typed)
    assert done == []
    assert completing._spoken.cache_info().misses == spoken


# ---------------------------------------------------------------- before anything is typed


@pytest.fixture
def fresh(alice, tmp_path, media):
    """A small source of Alice's own that nobody wrote examples for."""
    path = tmp_path / "gym.sqlite3"
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
            CREATE TABLE visits (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (id),
                visited_on DATE, status TEXT, price REAL);
            INSERT INTO members VALUES (1, 'Ann', 'Bergen', 30), (2, 'Bob', 'Oslo', 41), (3, 'Cy', 'Oslo', 22);
            INSERT INTO visits VALUES (1, 1, '2024-01-02', 'paid', 12.5), (2, 2, '2024-02-03', 'open', 8),
                (3, 2, '2024-02-09', 'paid', 9), (4, 3, '2024-03-05', 'paid', 12.5);
        """)
    source = Source.objects.create(owner=alice, name="gym", engine=Source.Engine.SQLITE, database=str(path))
    catalog_refresh(source)
    values_read(source)
    source.refresh_from_db()
    return source


def shown(client, source: str) -> list[str]:
    page = client.get(reverse("asking:ask"), {"source": source}).content.decode()
    return re.findall(r'data-example="([^"]+)"', page)


def test_a_fresh_source_shows_questions_of_several_kinds(fresh, as_alice) -> None:
    found = shown(as_alice, "gym")
    assert len(found) >= 6
    for kind in (" by status", " by month, 2024", "Share of ", "Number of ", "Average "):
        assert [question for question in found if kind in question], kind


@pytest.mark.django_db(transaction=True)
def test_every_question_shown_is_answered(fresh, alice) -> None:
    for question in services.questions_first(fresh):
        run = answer(services.run_ask(alice, fresh, question))
        assert run.outcome == "answered", f"{question}: {run.outcome}, {run.reason}"


@pytest.mark.django_db(transaction=True)
def test_a_chart_is_titled_by_what_was_understood(fresh, alice) -> None:
    run = answer(services.run_ask(alice, fresh, "Number of visits by status, 2024"))
    chart = run.versions.get().chart
    assert chart["title"] == "Number of visits by status, 2024"


def test_examples_somebody_wrote_are_shown_instead(fresh, as_alice) -> None:
    Source.objects.filter(pk=fresh.pk).update(examples=["Who visits most?"])
    assert shown(as_alice, "gym") == ["Who visits most?"]


def test_a_source_that_was_never_read_shows_no_questions(fresh, as_alice) -> None:
    Source.objects.filter(pk=fresh.pk).update(catalog=None, catalog_version="", database="/nowhere.sqlite3")
    assert shown(as_alice, "gym") == []


def test_who_may_not_see_a_source_is_shown_nothing_of_it(fresh, as_bob) -> None:
    assert shown(as_bob, "gym") == []
    assert as_bob.get(reverse("asking:suggest"), {"q": "berg", "source": "gym"}).status_code == 404


def marked(client, typed: str, rest: str = "") -> list[tuple[str, bool]]:
    reply = client.get(reverse("asking:suggest"), {"q": typed, "rest": rest, "source": "shop"}).json()
    return [(f"{typed}{rest}"[m["start"] : m["end"]], m["is_understood"]) for m in reply["marks"]]


def test_words_that_are_understood_are_marked_and_others_are_told(known, as_alice) -> None:
    assert marked(as_alice, "frobnicated revenue by category 2025 ") == [
        ("frobnicated", False),
        ("revenue", True),
        ("by", True),
        ("category", True),
        ("2025", True),
    ]
    assert ("custmers", True) in marked(as_alice, "top 5 custmers by revenue"), "what is mended is understood"


def test_a_word_that_may_go_on_is_not_called_unknown(known, as_alice) -> None:
    assert not [word for word, is_understood in marked(as_alice, "revenue by cou") if not is_understood]
    assert ("frob", False) in marked(as_alice, "revenue by frob ")
    assert ("frob", False) in marked(as_alice, "revenue", " by frob")


def test_nothing_is_marked_where_a_language_model_answers(known, as_alice, settings) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "some"
    assert marked(as_alice, "revenue by category ") == []


@pytest.mark.parametrize(
    "typed", ["customer10", "orders of customer1", "employee12", "anna", "1 3", "valentina"]
)
def test_values_of_persons_are_never_suggested(known, as_alice, typed) -> None:
    for text, note in suggested(as_alice, typed):
        assert "@" not in text
        assert note not in (
            "email of customers",
            "email of employees",
            "name of customers",
            "name of employees",
        )


def test_names_of_things_are_still_suggested(known, as_alice) -> None:
    assert [text for text, note in suggested(as_alice, "bike") if note == "name of products"]

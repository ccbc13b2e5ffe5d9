"""SQL of an editor changed and told in words: for the script, as pages without it, and for nobody who does not see the source."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking.services.runs import run_ask
from mirror.sources.models import Source
from mirror.workbench import services
from tests.web.working import answer

pytestmark = pytest.mark.django_db
SQL = "SELECT country, COUNT(*) AS customers\nFROM customers\nGROUP BY country\nORDER BY customers DESC"


def proposed(browser, source: Source, words: str, sql: str = SQL, **more: object) -> dict[str, str]:
    place = reverse("asking:change_sql", args=[source.pk])
    reply = browser.post(place, {"sql": sql, "words": words, **more}, headers={"accept": "application/json"})
    assert reply.status_code == 200
    return reply.json()


def test_a_change_in_words_comes_back_as_the_whole_text_with_its_words(shop, as_alice):
    both = f"SELECT 1;\n{SQL};\n-- end"
    found = proposed(as_alice, shop, "top 3", both.replace("\n", "\r\n"), at=20)
    assert found["sql"] == f"SELECT 1;\n{SQL}\nLIMIT 3;\n-- end"
    assert found["words"] == "Proposed: at most 3 rows, ordered by customers, largest first."


def test_words_that_come_to_nothing_are_named(shop, as_alice):
    found = proposed(as_alice, shop, "top 3 and only the shiny ones")
    assert "LIMIT 3" in found["sql"] and "left out: “only the shiny ones”" in found["words"]
    assert "Without a language model" in proposed(as_alice, shop, "make it nicer")["words"]
    assert proposed(as_alice, shop, " ")["sql"] == ""
    assert "would be refused" in proposed(as_alice, shop, "top 3", "SELECT nope FROM customers")["words"]


def test_stored_values_change_sql_only_for_those_who_may_see_them(shop, as_alice, as_bob):
    assert "country = 'Norway'" in proposed(as_alice, shop, "only Norway")["sql"]
    assert proposed(as_bob, shop, "only Norway")["sql"] == "", "the source shows its schema only"
    assert "country = 'Norway'" in proposed(as_bob, shop, "country is Norway")["sql"], "that tells nothing"


def test_sql_of_an_answer_is_changed_and_told_by_its_frame(transactional_db, shop, alice, as_alice, media):
    run = answer(run_ask(alice, shop, "revenue by country"))
    sql = run.versions.get().sql
    told = as_alice.post(
        reverse("asking:explain_sql", args=[shop.pk]), {"sql": sql}, headers={"hx-request": "true"}
    )
    assert "per country" in told.content.decode() and "One row for each" in told.content.decode()
    assert "category" in proposed(as_alice, shop, "by category instead", sql)["sql"]


def test_without_scripts_a_proposal_is_a_page_with_a_button_to_take_it(shop, alice, as_alice):
    tab = services.tab_new(alice, shop, SQL)
    sent = {"sql": SQL, "words": "top 3", "place": "tab", "place_id": tab.pk}
    page = as_alice.post(reverse("asking:change_sql", args=[shop.pk]), sent).content.decode()
    assert "LIMIT 3" in page and page.count("ORDER BY customers DESC") >= 2
    assert f'action="{reverse("workbench:keep", args=[tab.pk])}"' in page
    told = as_alice.post(reverse("asking:explain_sql", args=[shop.pk]), sent).content.decode()
    assert "the number of rows, called customers" in told
    for wrong in ({"place": "elsewhere"}, {"place_id": "x"}):
        assert (
            as_alice.post(reverse("asking:change_sql", args=[shop.pk]), {**sent, **wrong}).status_code == 404
        )


@pytest.mark.parametrize("name", ["change_sql", "explain_sql"])
def test_a_stranger_finds_no_such_source(shop, as_alice, as_bob, as_charlie, name):
    place = reverse(f"asking:{name}", args=[shop.pk])
    sent = {"sql": SQL, "words": "top 3", "place": "run", "place_id": 1}
    assert [one.post(place, sent).status_code for one in (as_alice, as_bob, as_charlie)] == [200, 200, 404]
    assert as_alice.get(place).status_code == 405

"""A question that says how its answer is drawn: “revenue by country on a map”."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking import services as asking
from tests.web.working import answer


@pytest.mark.parametrize(
    ("question", "mark"),
    [
        ("revenue by country on a map", "map"),
        ("revenue by country as a map", "map"),
        ("Revenue per month, as an area chart", "area"),
    ],
)
def test_it_is_drawn_so_and_no_draft(transactional_db, shop, alice, media, as_alice, question, mark):
    run = answer(asking.run_ask(alice, shop, question))
    version = run.versions.get()
    assert (run.outcome, version.chart["mark"], version.draft) == ("answered", mark, ""), run.reason
    assert version.chart["chosen"], "it stays so where the SQL is changed"
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert f'<h1 id="question">{question}' in page
    typed = {"q": question, "source": shop.name}
    assert as_alice.get(reverse("asking:suggest"), typed).status_code == 200


def test_rows_that_no_map_shows_say_so(transactional_db, shop, alice, media):
    run = answer(asking.run_ask(alice, shop, "revenue per month on a map"))
    chart = run.versions.get().chart
    assert run.outcome == "answered" and chart["mark"] == "line"
    assert chart["note"] == "These rows are not drawn as a map: no column holds countries or coordinates."

"""Notes beside an answer: misspelt words beside what was understood, ties and part periods beside the rows."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking import services
from tests.web.working import answer


@pytest.fixture
def asked(transactional_db, shop, media, alice, as_alice):
    """Ask, and give the run with its page."""

    def ask(text):
        run = answer(services.run_ask(alice, shop, text))
        return run, as_alice.get(reverse("asking:run", args=[run.pk]))

    return ask


def test_mended_words_stand_beside_what_was_understood(asked) -> None:
    _, page = asked("revenu by catgory 2025")
    notes = ("“revenu” was read as “revenue”.", "“catgory” was read as “category”.")
    assert page.context["page"].word_notes == notes
    assert page.context["page"].row_notes == ()
    assert f'<p class="small muted" id="word-notes">{" ".join(notes)}</p>' in page.content.decode()


def test_part_periods_stand_under_the_sentence(asked) -> None:
    run, page = asked("revenue by year")
    (note,) = page.context["page"].row_notes
    assert "part year" in note and note in run.notes
    html = page.content.decode()
    assert html.index('class="sentence"') < html.index('id="row-notes"') < html.index('id="understood"')


def test_rows_of_another_version_have_no_notes_of_the_first(asked, as_alice) -> None:
    run, page = asked("revenue by year")
    version = run.versions.get()
    assert page.context["page"].row_notes
    as_alice.post(
        reverse("asking:edit", args=[run.pk]), {"sql": "SELECT 1 AS one", "version": version.number}
    )
    edited = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert edited.row_notes == () and edited.word_notes == ()

"""How SQL departs from the question above it: told wherever the question is, and true of the SQL."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.translation import override

from mirror.asking import services as asking
from mirror.asking.models import LlmChange, Version
from mirror.asking.pages.words import departs_said
from mirror.asking.services.departures import CHANGED, EDITED, changes_told
from mirror.dashboards.services import card_add_version, dashboard_make
from mirror.results.models import StoredResult
from mirror.sharing.selectors import title_of
from mirror.sharing.services import link_make, link_title, link_token
from mirror.stored_words import sayings
from mirror.work.leases import Status
from sqlagent.language.saying import worded
from tests.web.working import answer, work

QUESTION = "revenue by country"
TOP = "changed: top 3"


@pytest.fixture
def run(transactional_db, shop, alice, team, media):
    """A question of Alice's that her team looks at."""
    found = answer(asking.run_ask(alice, shop, QUESTION))
    asking.run_share(found, [team], alice)
    return found


def edited(browser, run, sql: str, changed: str = "", base: Version | None = None) -> Version:
    version = base or run.versions.first()
    sent = {"sql": sql, "changed": changed, "version": version.number}
    assert browser.post(reverse("asking:edit", args=[run.pk]), sent).status_code == 302
    made = run.versions.first()
    return made if made.is_ended else work(made)


def proposed(browser, run, words: str, sql: str = "") -> str:
    sent = {"sql": sql or run.versions.first().sql, "words": words}
    place = reverse("asking:change_sql", args=[run.thread.source_id])
    return browser.post(place, sent, headers={"accept": "application/json"}).json()["sql"]


def text(browser, name: str, *args: object) -> str:
    return browser.get(reverse(name, args=args)).content.decode()


def test_an_accepted_change_is_told_wherever_its_question_is(run, alice, as_alice, as_bob, client):
    version = edited(as_alice, run, proposed(as_alice, run, "top 3"), "top 3")
    said = f"{QUESTION} ({TOP})"
    assert version.departs == TOP and version.origin == Version.Origin.EDIT
    drawn = Version.objects.get(pk=version.pk)
    assert (
        drawn.chart["title"].endswith("(top 3)")
        and drawn.chart["title"] == drawn.figure["layout"]["title"]["text"]
    )
    page = text(as_alice, "asking:run", run.pk)
    assert f'<span id="departs" class="departs"> ({TOP})</span></h1>' in page
    for place in (["asking:history"], ["asking:thread", run.thread_id], ["asking:ask"]):
        assert said in text(as_alice, *place), place
    assert said in text(as_bob, "asking:run", run.pk) and said in title_of(run)
    others = as_bob.get(reverse("asking:history"), {"by": "others"}).content.decode()
    assert said in others
    link = link_make(version, alice, 24)
    assert said in link_title(link) and said in text(client, "sharing:link", link_token(link))
    assert card_add_version(dashboard_make(alice, "Board"), version).title == said
    assert asking.version_save(version, name="Top").question == said
    assert StoredResult.objects.filter(version=version).exists()


def test_columns_are_called_in_words_where_no_sql_is_seen(run, alice, as_alice, client):
    sql = "SELECT country, 100.0 * 1 / 8 AS return_rate FROM customers GROUP BY country"
    version = edited(as_alice, run, sql)
    assert version.chart["percents"] == ["return_rate"] and "'ticksuffix': ' %'" in str(version.figure)
    page = text(client, "sharing:link", link_token(link_make(version, alice, 24)))
    assert (
        ">Return rate</th>" in page
        and "return_rate" not in page.partition("<table")[2].partition("</table>")[0]
    )
    assert ">return_rate</th>" in text(as_alice, "asking:run", run.pk) or "return_rate" in text(
        as_alice, "asking:run", run.pk
    )


def test_sql_that_was_typed_over_is_called_edited(run, as_alice):
    top = proposed(as_alice, run, "top 3")
    assert edited(as_alice, run, top.replace("LIMIT 3", "LIMIT 4"), "top 3").departs == EDITED, "it says 4"
    assert f"({EDITED})</span></h1>" in text(as_alice, "asking:run", run.pk)
    again = edited(as_alice, run, proposed(as_alice, run, "top 2"), "top 2")
    assert again.departs == EDITED, "what was typed stands below"


def test_changes_that_follow_each_other_are_told_together(run, as_alice):
    first = edited(as_alice, run, proposed(as_alice, run, "top 3"), "top 3")
    both = proposed(as_alice, run, "sort ascending")
    second = edited(as_alice, run, both, "top 3\nsort ascending", first)
    assert second.departs == f"{TOP}; sort ascending"
    asked = run.versions.get(origin=Version.Origin.ANSWER)
    assert edited(as_alice, run, both, base=asked).departs == second.departs, "the same SQL says the same"
    at_once = f"{TOP}; sort ascending; top 2"
    third = proposed(as_alice, run, "top 2")
    assert edited(as_alice, run, third, "top 2", second).departs == at_once


def test_two_changes_before_one_run_are_told_both(run, as_alice):
    both = proposed(as_alice, run, "sort ascending", proposed(as_alice, run, "top 3"))
    assert edited(as_alice, run, both, "top 3\nsort ascending").departs == f"{TOP}; sort ascending"


def test_the_sql_of_the_answer_departs_in_nothing(run, as_alice):
    sql = run.versions.get().sql
    edited(as_alice, run, proposed(as_alice, run, "top 3"), "top 3")
    assert edited(as_alice, run, sql).departs == ""
    assert "departs</" not in text(as_alice, "asking:run", run.pk)


def test_a_wish_that_was_left_out_in_part_is_no_heading(run, as_alice):
    wish = "top 3 and only the shiny ones"
    assert edited(as_alice, run, proposed(as_alice, run, wish), wish).departs == EDITED


def test_a_change_by_a_language_model_is_told_by_its_wish(run, alice, as_alice):
    old, new = run.versions.get().sql, "SELECT country FROM customers"
    LlmChange.objects.create(
        owner=alice, source=run.thread.source, text=old, wish="only the shiny ones", place="run",
        place_id=run.pk, said={"sql": new, "words": "Proposed"}, rules={"sql": "", "words": ""}, status=Status.DONE,
    )  # fmt: skip
    assert edited(as_alice, run, new, "only the shiny ones").departs == "changed: only the shiny ones"


def test_a_chip_that_was_changed_is_told_too(run, as_alice):
    page = asking.version_change(run.versions.get(), *_a_choice(run))
    assert page.departs == f"changed: {page.change}"


def _a_choice(run) -> tuple[str, str]:
    from mirror.asking.pages.chips import chips_view

    view = chips_view(run.versions.get(), "")
    for chip in view.chips:
        for heading in chip.headings:
            for choice in heading.choices:
                slot, _, key = choice.value.partition(" ")
                return slot, key
    raise AssertionError("no chip offers anything")


def test_sql_without_a_question_departs_from_nothing(transactional_db, shop, alice, media):
    version = asking.sql_ask(alice, shop, "SELECT 1")
    assert asking.version_edit(version.run, "SELECT 2").departs == ""


@pytest.mark.parametrize(
    ("first", "german"),
    [
        (
            worded("filter changed: {condition}", condition="channel is web"),
            "Filter geändert: channel is web",
        ),
        (worded("period changed to {period}", period="2025"), "Zeitraum 2025"),
    ],
)
def test_changes_of_chips_are_told_in_german(first, german):
    kept = str(first).replace(" changed to ", " to ")
    base = Version(departs=f"{CHANGED}{kept}", saying=sayings(departs=changes_told(kept, first, None)))
    more = worded("{words} shown instead of {said}", words="orders", said="customers")
    version = Version(departs=f"{base.departs}; {more}")
    version.saying = sayings(departs=changes_told(version.departs, more, base))
    assert departs_said(version) == version.departs
    with override("de"):
        said = departs_said(version)
    assert said == f"geändert: {german}; orders gezeigt statt customers"

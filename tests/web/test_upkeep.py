"""Things of a person who left are found and transferred; and the page of the audit."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.audit.models import AuditRow
from mirror.audit.services import record
from mirror.library.models import SavedSql
from mirror.people.services import user_create, user_deactivate
from mirror.reports.models import Report
from mirror.sources.models import Source
from mirror.upkeep.services import TransferRefused, things_transfer

pytestmark = pytest.mark.django_db


@pytest.fixture
def left(shop, alice, admin):
    """Alice left: a shared source, saved SQL and a private report that was paused are hers."""
    saved = SavedSql.objects.create(owner=alice, source=shop, name="Customers", sql="SELECT 1")
    report = Report.objects.create(owner=alice, title="Private & paused", is_paused=True)
    report.parts.create(saved=saved, name="Customers")
    user_deactivate(alice, admin)
    return {"source": shop, "saved": saved, "report": report}


def url(person) -> str:
    return reverse("upkeep:owned", args=[person.pk])


def keys(left) -> list[str]:
    return [f"{kind}-{row.pk}" for kind, row in left.items()]


def owners() -> set[str]:
    rows = [*Source.objects.all(), *SavedSql.objects.all(), *Report.objects.all()]
    return {row.owner.username for row in rows}


def test_administrators_see_all_that_somebody_owns_and_nobody_else_does(
    left, alice, bob, as_bob, as_charlie, as_admin, client
):
    page = as_admin.get(url(alice)).content.decode()
    for words in ("shop", "Customers", "Private &amp; paused", "paused", "shared with Analysts"):
        assert words in page
    for stranger in (as_bob, as_charlie):
        assert stranger.get(url(alice)).status_code == 403
        assert stranger.post(url(alice), {"thing": keys(left), "to": bob.pk}).status_code == 403
    assert client.get(url(alice)).status_code == 302
    assert as_admin.get(reverse("upkeep:owned", args=[10**8])).status_code == 404
    assert owners() == {"alice"}
    looked = AuditRow.objects.get(verb="looked at what somebody owns")
    assert (looked.who, looked.thing) == ("admin", "alice")


def test_what_somebody_left_goes_to_somebody_else_who_then_changes_it(left, alice, bob, as_bob, as_admin):
    source = reverse("sources:edit", args=[left["source"].pk])
    assert as_bob.get(source).status_code == 403, "its password could never be rotated"
    answer = as_admin.post(url(alice), {"thing": keys(left), "to": bob.pk}, follow=True)
    assert "3 of alice&#x27;s went to bob." in answer.content.decode()
    assert owners() == {"bob"}
    assert as_bob.get(source).status_code == 200
    assert as_bob.get(reverse("reports:report", args=[left["report"].pk])).status_code == 200
    rows = AuditRow.objects.filter(verb="transferred").order_by("pk")
    assert [(row.who, row.thing, row.details["owner"], row.details["to"]) for row in rows] == [
        ("admin", thing, "alice", "bob") for thing in ("shop", "Customers", "Private & paused")
    ]


def test_a_report_whose_sources_stay_behind_does_not_go_and_nothing_else_does(left, alice, charlie, as_admin):
    chosen = keys(left)[1:]
    answer = as_admin.post(url(alice), {"thing": chosen, "to": charlie.pk})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "charlie does not see all the saved SQL of “Private &amp; paused”" in page
    assert f'value="{chosen[0]}" checked' in page and f'value="{keys(left)[0]}" checked' not in page
    assert owners() == {"alice"}
    assert not AuditRow.objects.filter(verb="transferred").exists()


def test_of_somebody_who_is_here_nothing_is_taken(shop, alice, bob, admin, as_admin):
    page = as_admin.get(url(alice)).content.decode()
    assert "Transfer" not in page.replace("transferred", "")
    answer = as_admin.post(url(alice), {"thing": f"source-{shop.pk}", "to": bob.pk})
    assert answer.status_code == 422
    assert "may still sign in" in answer.content.decode()
    assert owners() == {"alice"}


@pytest.mark.parametrize(
    "things",
    [
        [],
        ["source-"],
        ["source-x"],
        ["source-999999"],
        ["user-1"],
        ["source"],
        ["source-" + "9" * 40],
        ["-1"],
    ],
)
def test_nonsense_transfers_nothing(left, alice, bob, as_admin, things):
    answer = as_admin.post(url(alice), {"thing": things, "to": bob.pk})
    assert answer.status_code == 422
    assert owners() == {"alice"}


def test_what_others_own_is_not_transferred_with_it(left, alice, bob, as_admin):
    other = SavedSql.objects.create(owner=bob, source=left["source"], name="Bob's", sql="SELECT 2")
    carol = user_create("carol")
    answer = as_admin.post(url(alice), {"thing": [f"saved-{other.pk}"], "to": carol.pk})
    assert answer.status_code == 422
    other.refresh_from_db()
    assert other.owner == bob


def test_nothing_goes_to_who_was_shut_out_or_is_nobody(left, alice, bob, admin, as_admin):
    user_deactivate(bob, admin)
    for nobody in (bob.pk, alice.pk, 10**8, "x", ""):
        assert as_admin.post(url(alice), {"thing": keys(left), "to": nobody}).status_code == 422
    with pytest.raises(TransferRefused):
        things_transfer(alice, keys(left), bob, admin)
    assert owners() == {"alice"}


def test_saved_sql_goes_to_nobody_who_does_not_see_its_source(left, alice, charlie, as_admin):
    saved = f"saved-{left['saved'].pk}"
    answer = as_admin.post(url(alice), {"thing": [saved], "to": charlie.pk})
    assert answer.status_code == 422
    assert "does not see the source of “Customers”" in answer.content.decode()
    assert owners() == {"alice"}
    source = f"source-{left['source'].pk}"
    assert as_admin.post(url(alice), {"thing": [saved, source], "to": charlie.pk}).status_code == 302
    left["saved"].refresh_from_db()
    assert left["saved"].owner == charlie


def test_a_member_cannot_transfer_by_the_service_either(left, alice, bob, charlie):
    with pytest.raises(TransferRefused):
        things_transfer(alice, keys(left), bob, charlie)


# ---------------------------------------------------------------- the page of the audit


@pytest.fixture
def told(alice, bob):
    record("shared a source", "the shop", by=alice, teams=["Analysts"], is_all=True)
    record("ran SQL", "<b>bold</b>", by=bob, is_refused=True, why="It writes.")


def rows(client, **asked) -> str:
    return client.get(reverse("upkeep:audit"), asked).content.decode()


def test_administrators_see_all_and_everybody_their_own(told, as_alice, as_bob, as_charlie, as_admin, client):
    assert "the shop" in rows(as_admin) and "It writes." in rows(as_admin)
    assert "the shop" in rows(as_alice) and "It writes." not in rows(as_alice)
    assert "the shop" not in rows(as_bob) and "&lt;b&gt;bold" in rows(as_bob)
    assert "the shop" not in rows(as_charlie) and "It writes." not in rows(as_charlie)
    assert "teams: Analysts; is all: yes" in rows(as_alice)
    assert client.get(reverse("upkeep:audit")).status_code == 302
    assert as_alice.post(reverse("upkeep:audit")).status_code == 405


def test_it_is_searched_by_words_group_and_day(told, as_admin, as_charlie):
    assert "the shop" in rows(as_admin, q="ALICE shared") and "It writes." not in rows(
        as_admin, q="alice shared"
    )
    assert "the shop" not in rows(as_admin, about="Reports")
    assert "the shop" in rows(as_admin, about="Sources", since="2020-01-01")
    assert "the shop" not in rows(as_admin, until="2020-01-01")
    assert "Nothing found" in rows(as_charlie, q="alice"), "nobody finds what is not theirs"
    for nonsense in (
        {"since": "tomorrow"},
        {"about": "x"},
        {"page": "x"},
        {"q": "\x00"},
        {"until": "9" * 99},
    ):
        assert as_admin.get(reverse("upkeep:audit"), nonsense).status_code == 200
    assert "Days are written as" in rows(as_admin, since="tomorrow")


def test_it_comes_a_page_at_a_time(alice, as_admin):
    for number in range(60):
        record("transferred", f"thing {number}", by=alice)
    first, second = rows(as_admin, about="Administration"), rows(as_admin, about="Administration", page=2)
    assert "thing 59" in first and "thing 5<" not in first and "1–50 of 60" in first
    assert "thing 5<" in second
    assert "about=Administration&amp;page=2" in first

"""The mail to who may look at something since it was shared: sent once, by a real mail server, if they see it and want it then."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking import services as asking
from mirror.audit.models import AuditRow
from mirror.dashboards import services as dashboards
from mirror.dashboards.models import Dashboard
from mirror.library.services import sql_save, sql_share
from mirror.reports.services import sending_pause, sending_resume
from mirror.sharing import notices
from mirror.sharing.models import ShareNotice
from mirror.sources.models import TeamRole, WithheldName
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import REVENUE, answer, unwatched

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "bob@example.com"


@pytest.fixture(autouse=True)
def addresses(alice, bob, charlie) -> None:
    """Everybody has a mail address."""
    for person in (alice, bob, charlie):
        type(person).objects.filter(pk=person.pk).update(email=f"{person.username}@example.com")


@pytest.fixture
def board(alice) -> Dashboard:
    """A dashboard of Alice's that nobody else sees."""
    return dashboards.dashboard_make(alice, "Customers of the <north>")


def told(row: ShareNotice) -> ShareNotice:
    """A worker's part."""
    with unwatched():
        assert work_do("share_notice", row.pk)
    row.refresh_from_db()
    return row


def shared(thing, team, alice) -> ShareNotice:
    assert notices.thing_share(thing, [team], alice) == 1
    return ShareNotice.objects.get()


def test_who_may_look_now_gets_one_mail_and_who_shares_none(post, board, team, alice, as_alice) -> None:
    page = as_alice.post(reverse("sharing:dashboard", args=[board.pk]), {"teams": [team.pk]}, follow=True)
    assert "1 member will be told by mail." in page.content.decode()
    row = told(ShareNotice.objects.get())
    assert (row.status, row.is_sent) == (Status.DONE, True), row.answer
    (mail,) = (one.message for one in post.mails(ADDRESS))
    plain, body = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert "Customers of the <north>" in mail["Subject"] and "<north>" not in body
    for text in (plain, body):
        assert text.count("Alice") == text.count("Alice shared a dashboard with you") == 1, "said once"
        assert f"/dashboards/{board.pk}/" in text
    assert "turn these mails off" in plain
    notices.thing_share(board, [], alice)
    assert notices.thing_share(board, [team], alice) == 0, "told once"
    assert not post.mails("alice@example.com") and not post.mails("charlie@example.com")


@pytest.mark.parametrize("kind", ["run", "thread"])
def test_questions_and_threads_are_told_to_those_who_see_their_source(
    post, shop, team, alice, kind, media
) -> None:
    run = answer(asking.run_ask(alice, shop, REVENUE))
    thing = run if kind == "run" else run.thread
    row = told(shared(thing, team, alice))
    assert row.is_sent, row.answer
    (mail,) = (one.message for one in post.mails(ADDRESS))
    said = mail.get_body(("plain",)).get_content()
    assert REVENUE in mail["Subject"] and f"/{kind}s/{thing.pk}/" in said
    if kind == "thread":
        assert notices.thing_share(run, [team], alice) == 0, "they see it with its thread"


def test_members_are_told_of_saved_sql_once(post, shop, team, alice, as_alice, as_charlie) -> None:
    saved = sql_save(alice, shop, "Revenue of a month", "SELECT 1 AS revenue")
    place = reverse("library:share", args=[saved.pk])
    assert as_charlie.post(place, {"teams": [team.pk]}).status_code == 404
    page = as_alice.post(place, {"teams": [team.pk]}, follow=True).content.decode()
    assert "1 member will be told by mail." in page
    assert told(ShareNotice.objects.get()).is_sent
    (mail,) = (one.message for one in post.mails(ADDRESS))
    plain = mail.get_body(("plain",)).get_content()
    assert "Revenue of a month" in mail["Subject"] and "Alice shared saved SQL with you" in plain
    assert f"Open the saved SQL: http://127.0.0.1:8000/library/{saved.pk}/" in plain
    assert "SELECT" not in plain
    for teams in ([], [team.pk]):
        assert "told by mail" not in as_alice.post(place, {"teams": teams}, follow=True).content.decode()
    shop.teams.clear()
    other = sql_save(alice, shop, "Of a source they do not see", "SELECT 2 AS n")
    assert sql_share(other, [team], alice) == 0


def test_nobody_is_told_of_what_they_cannot_see(post, shop, team, alice, media) -> None:
    run = answer(asking.run_ask(alice, shop, REVENUE))
    type(shop).objects.filter(pk=shop.pk).update(withholds=True)
    WithheldName.objects.create(source=shop, team=team, table="customers")
    assert notices.thing_share(run, [team], alice) == 0
    shop.teams.clear()
    assert notices.thing_share(run.thread, [team], alice) == 0 and not ShareNotice.objects.exists()


def test_a_viewer_is_told_as_they_may_look(shop, team, alice, media) -> None:
    run = answer(asking.run_ask(alice, shop, REVENUE))
    TeamRole.objects.create(source=shop, team=team, role=TeamRole.Role.VIEWER)
    assert notices.thing_share(run, [team], alice) == 1


@pytest.mark.parametrize("why", ["off", "unshared", "no address", "left", "deleted"])
def test_no_mail_goes_to_who_does_not_want_or_see_it_then(post, board, team, alice, bob, why) -> None:
    row = shared(board, team, alice)
    if why == "off":
        notices.notices_want(bob, wanted=False)
    elif why == "unshared":
        notices.thing_share(board, [], alice)
    elif why == "no address":
        type(bob).objects.filter(pk=bob.pk).update(email="")
    elif why == "left":
        bob.memberships.all().delete()
    else:
        dashboards.dashboard_delete(board)
        with unwatched():
            assert not work_do("share_notice", row.pk)
        assert not post.mails(ADDRESS)
        return
    row = told(row)
    assert (row.status, row.is_sent) == (Status.DONE, False) and row.answer
    assert not post.mails(ADDRESS)


def test_a_pause_of_all_sending_holds_mails_back_until_it_ends_or_drops_them(
    post, board, team, alice
) -> None:
    sending_pause(why="moving")
    row = told(shared(board, team, alice))
    assert (row.status, row.attempts) == (Status.QUEUED, 0) and "paused" in row.answer
    assert sending_resume() == 1
    assert told(row).is_sent
    sending_pause()
    notices.thing_share(dashboards.dashboard_make(alice, "Two"), [team], alice)
    sending_resume(drop=True)
    dropped = ShareNotice.objects.order_by("pk").last()
    assert (dropped.status, dropped.is_sent) == (Status.DONE, False)
    assert len(post.mails(ADDRESS)) == 1


def test_mails_are_turned_off_and_on_under_ones_account(board, team, alice, bob, as_bob) -> None:
    place, account = reverse("sharing:mails"), reverse("people:account")
    assert "shared with a team of yours" in as_bob.get(account).content.decode()
    assert as_bob.post(place, {"wanted": "no"}).status_code == 302
    assert "You get no mails about what is shared" in as_bob.get(account).content.decode()
    assert notices.thing_share(board, [team], alice) == 0
    as_bob.post(place, {"wanted": "yes"})
    assert notices.wants_notices(bob) and as_bob.get(place).status_code == 405
    assert AuditRow.objects.filter(verb__contains="mails of sharing").count() == 2

"""The mail to who is mentioned in a comment: sent once, by a real mail server, if they see the comment and want it then."""

from __future__ import annotations

import pytest
from django.utils import timezone

from mirror.comments import services
from mirror.comments.models import Mention
from mirror.dashboards import services as dashboards
from mirror.dashboards.models import Dashboard
from mirror.reports.services import sending_pause, sending_resume
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import unwatched

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board(alice, bob, team) -> Dashboard:
    """A dashboard of Alice's that Bob sees."""
    bob.email = "bob@example.com"
    bob.save()
    made = dashboards.dashboard_make(alice, "Customers of the north")
    dashboards.dashboard_share(made, [team], alice)
    return made


def mentioned(board, alice, text: str = "@bob: is this right?\n<b>Look</b>.") -> Mention:
    services.comment_write(board, alice, text)
    return Mention.objects.get()


def told(row: Mention) -> Mention:
    """A worker's part."""
    with unwatched():
        assert work_do("mention", row.pk)
    row.refresh_from_db()
    return row


def test_who_is_mentioned_gets_one_mail_that_leads_to_the_comment(post, board, alice) -> None:
    row = told(mentioned(board, alice))
    assert (row.status, row.is_sent) == (Status.DONE, True), row.answer
    (mail,) = (one.message for one in post.mails("bob@example.com"))
    plain, page = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert "Customers of the north" in mail["Subject"]
    for text in (plain, page):
        assert "Alice mentioned you" in text and "is this right?" in text
        assert f"/dashboards/{board.pk}/#comment-{row.comment_id}" in text
    assert "<b>Look</b>" in plain and "<b>Look</b>" not in page and "turn these mails off" in plain
    services.comment_edit(row.comment, alice, "@bob: and now?")
    assert Mention.objects.filter(status=Status.QUEUED).count() == 0


@pytest.mark.parametrize("why", ["off", "unshared", "unnamed", "no address", "gone"])
def test_no_mail_goes_to_who_does_not_want_or_see_it_then(post, board, alice, bob, why) -> None:
    row = mentioned(board, alice)
    if why == "off":
        services.mails_want(bob, wanted=False)
    elif why == "unshared":
        dashboards.dashboard_share(board, [], alice)
    elif why == "unnamed":
        services.comment_edit(row.comment, alice, "never mind")
    elif why == "no address":
        type(bob).objects.filter(pk=bob.pk).update(email="")
    else:
        services.comment_delete(row.comment, alice)
        with unwatched():
            assert not work_do("mention", row.pk)
        assert not post.mails("bob@example.com")
        return
    row = told(row)
    assert (row.status, row.is_sent) == (Status.DONE, False) and row.answer
    assert not post.mails("bob@example.com")


def test_a_server_that_is_away_is_tried_again(post, board, alice, settings) -> None:
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 9
    row = told(mentioned(board, alice))
    assert (row.status, row.tries) == (Status.QUEUED, 1) and row.not_before > timezone.now()
    settings.EMAIL_PORT = port
    Mention.objects.update(not_before=None)
    assert told(row).is_sent and len(post.mails("bob@example.com")) == 1


def test_a_pause_of_all_sending_holds_mails_back_until_it_ends_or_drops_them(post, board, alice) -> None:
    sending_pause(why="moving")
    row = told(mentioned(board, alice))
    assert (row.status, row.attempts) == (Status.QUEUED, 0) and "paused" in row.answer
    assert sending_resume() == 1
    assert told(row).is_sent
    services.comment_write(board, alice, "@bob again")
    sending_pause()
    sending_resume(drop=True)
    dropped = Mention.objects.order_by("pk").last()
    assert (dropped.status, dropped.is_sent) == (Status.DONE, False)
    assert len(post.mails("bob@example.com")) == 1

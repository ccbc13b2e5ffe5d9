"""The mail about questions that are answered worse than before: it keeps to the pause as reports do."""

from __future__ import annotations

from html import unescape

import pytest

from mirror.knowledge import term_services
from mirror.knowledge.models import StoredTerm
from mirror.reports.services import sending_pause, sending_resume
from mirror.work.leases import Status
from tests.web.test_evaluations import evaluated, known, nordic, url, worked

pytestmark = pytest.mark.django_db
__all__ = ["known"]


def test_what_got_worse_is_marked_mailed_when_sending_goes_on_and_dropped_where_it_is_dropped(
    post, as_alice, alice, shop, known
):
    alice.email = "alice@example.com"
    alice.save()
    evaluated(shop, alice)
    sending_pause(why="moving")
    term_services.term_delete(known, alice)
    row = evaluated(shop, cause="terms")
    assert (row.status, row.told) == (Status.QUEUED, "waiting")
    assert row.summary["since"] == {"won": 0, "lost": 1, "of": 2, "p": 1.0}
    worked(row)  # it is held back, which is no attempt
    assert (row.status, row.attempts) == (Status.QUEUED, 0) and "paused" in row.told_answer
    page = unescape(as_alice.get(url("evaluation", shop.pk, row.pk)).content.decode())
    assert "right before" in page and page.index("nordic customers") and "colours by mood" not in page
    assert sending_resume() == 1
    worked(row)
    assert (row.status, row.told) == (Status.DONE, "sent"), row.told_answer
    (mail,) = (one.message for one in post.mails("alice@example.com"))
    assert "Worse" in mail["Subject"] and "nordic customers" in mail.get_body(("plain",)).get_content()
    nordic(shop, alice)
    evaluated(shop, cause="terms")
    StoredTerm.objects.all().delete()
    sending_pause()
    row = evaluated(shop, alice)
    sending_resume(drop=True)
    row.refresh_from_db()
    assert (row.status, row.told) == (Status.DONE, "given_up")

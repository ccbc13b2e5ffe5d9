"""Comments on questions and dashboards: who sees, writes, edits and deletes them, and what is taken."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from mirror.asking import services as asking
from mirror.asking.models import Run
from mirror.audit.models import AuditRow
from mirror.comments import services, urls
from mirror.comments.errors import CommentError
from mirror.comments.models import TEXT_CHARS, Comment, Mention
from mirror.comments.selectors import people_seeing
from mirror.dashboards import services as dashboards
from mirror.dashboards.models import Dashboard
from tests.web.working import REVENUE, answer

KINDS = ["run", "dashboard"]


@pytest.fixture
def run(transactional_db, shop, alice, media) -> Run:
    """A question of Alice's with its answer."""
    return answer(asking.run_ask(alice, shop, REVENUE))


@pytest.fixture
def board(transactional_db, alice) -> Dashboard:
    """A dashboard of Alice's."""
    return dashboards.dashboard_make(alice, "Customers")


@pytest.fixture
def thing(request, run, board) -> Run | Dashboard:
    """One or the other."""
    return {"run": run, "dashboard": board}[request.param]


def share(thing: Run | Dashboard, teams: list, by) -> None:
    (asking.run_share if isinstance(thing, Run) else dashboards.dashboard_share)(thing, teams, by)


def page_of(thing: Run | Dashboard) -> str:
    name = "asking:run" if isinstance(thing, Run) else "dashboards:dashboard"
    return reverse(name, args=[thing.pk])


def write_url(thing: Run | Dashboard) -> str:
    return reverse("comments:run" if isinstance(thing, Run) else "comments:dashboard", args=[thing.pk])


def url(name: str, *args: object) -> str:
    return reverse(f"comments:{name}", args=args)


def test_every_address_is_walked() -> None:
    walked = {"run", "dashboard", "run_people", "dashboard_people", "edit", "delete", "mails"}
    assert {path.name for path in urls.urlpatterns} == walked


@pytest.mark.parametrize("thing", KINDS, indirect=True)
def test_people_who_see_a_thing_comment_on_it_and_strangers_find_nothing(
    thing, team, alice, bob, as_alice, as_bob, as_charlie
) -> None:
    assert as_bob.post(write_url(thing), {"text": "Too early"}).status_code == 404
    share(thing, [team], alice)
    for browser, text in ((as_alice, "What of returns?"), (as_bob, "They are in it.")):
        made = browser.post(write_url(thing), {"text": text})
        assert made.url == f"{page_of(thing)}#comment-{Comment.objects.last().pk}"
    people = write_url(thing) + "people/"
    assert as_charlie.post(write_url(thing), {"text": "x"}).status_code == 404
    assert as_charlie.get(people).status_code == 404
    for browser in (as_alice, as_bob):
        page = browser.get(page_of(thing)).content.decode()
        assert page.index("What of returns?") < page.index("They are in it.")
    told = AuditRow.objects.filter(verb="wrote a comment").order_by("number").values_list("who", "thing_id")
    assert list(told) == [("alice", str(thing.pk)), ("bob", str(thing.pk))]
    assert "They are in it." not in str(list(AuditRow.objects.values())), "the audit has no text"


@pytest.mark.parametrize("thing", KINDS, indirect=True)
def test_one_edits_and_deletes_ones_own_alone(thing, team, alice, bob, as_alice, as_bob, as_charlie) -> None:
    share(thing, [team], alice)
    comment = services.comment_write(thing, bob, "First")
    for browser, status in ((as_charlie, 404), (as_alice, 403)):
        assert browser.get(url("edit", comment.pk)).status_code == status
        assert browser.post(url("edit", comment.pk), {"text": "Mine"}).status_code == status
        assert browser.post(url("delete", comment.pk)).status_code == status
    assert "First" in as_bob.get(url("edit", comment.pk)).content.decode()
    assert url("edit", comment.pk) not in as_alice.get(page_of(thing)).content.decode()
    as_bob.post(url("edit", comment.pk), {"text": "Second"})
    page = as_alice.get(page_of(thing)).content.decode()
    assert "Second" in page and "First" not in page and "edited" in page
    said = '<span class="sr-only"> your comment of <time datetime="'
    assert said in as_bob.get(page_of(thing)).content.decode(), "in the time zone of the page, as beside it"
    share(thing, [], alice)
    assert as_bob.post(url("edit", comment.pk), {"text": "Third"}).status_code == 404, "not seen any more"
    share(thing, [team], alice)
    assert as_bob.post(url("delete", comment.pk)).status_code == 302
    assert not Comment.objects.exists()
    verbs = AuditRow.objects.filter(verb__contains="a comment").order_by("at", "number")
    done = [one.verb for one in verbs if one.outcome == "done"]
    assert done == ["wrote a comment", "edited a comment", "deleted a comment"]


def test_text_is_shown_as_it_was_typed_and_never_as_html(board, alice, as_alice) -> None:
    services.comment_write(board, alice, "<script>alert(1)</script> & <b>\nsecond line @alice <i>")
    page = as_alice.get(page_of(board)).content.decode().partition('id="comments"')[2]
    assert "<script>alert" not in page and "<b>" not in page and "<i>" not in page
    assert "<script>alert(1)</script> & <b>\nsecond line" in unescape(page)
    assert '<span class="mention">@alice</span>' in page


@pytest.mark.parametrize(
    ("text", "words"),
    [("  \n ", "Type a comment first."), ("x" * (TEXT_CHARS + 1), "the longest taken has 4,000")],
)
def test_what_is_not_taken_stays_typed(board, alice, as_alice, text, words) -> None:
    answered = as_alice.post(write_url(board), {"text": text})
    assert answered.status_code == 422 and words in answered.content.decode()
    assert text.strip() in answered.content.decode() and not Comment.objects.exists()
    comment = services.comment_write(board, alice, "y")
    assert as_alice.post(url("edit", comment.pk), {"text": text}).status_code == 422
    comment.refresh_from_db()
    assert comment.text == "y"


def test_comments_of_one_person_are_bounded_an_hour_and_of_one_thing_in_all(
    board, alice, as_alice, settings, monkeypatch
) -> None:
    settings.COMMENTS_PER_HOUR = 2
    for text in "ab":
        assert as_alice.post(write_url(board), {"text": text}).status_code == 302
    refused = as_alice.post(write_url(board), {"text": "the third"})
    assert refused.status_code == 422
    assert "2 comments within an hour" in refused.content.decode() and "the third" in refused.content.decode()
    settings.COMMENTS_PER_HOUR = 60
    monkeypatch.setattr(services, "COMMENTS", 2)
    with pytest.raises(CommentError, match="which is the most"):
        services.comment_write(board, alice, "c")


@pytest.mark.parametrize("thing", KINDS, indirect=True)
def test_only_people_who_see_a_thing_are_offered_and_mentioned(
    thing, team, alice, bob, charlie, admin, as_alice, shop
) -> None:
    people = write_url(thing) + "people/"
    assert list(people_seeing(thing)) == [alice]
    services.comment_write(thing, alice, "@bob, @charlie and @admin: look. alice@bob.example is no name")
    assert not Mention.objects.exists()
    share(thing, [team], alice)
    assert as_alice.get(people).json() == {"people": [{"name": "bob", "full": "Bob"}]}
    assert as_alice.get(people, {"q": "BO"}).json()["people"][0]["name"] == "bob"
    assert as_alice.get(people, {"q": "char"}).json() == {"people": []}
    comment = services.comment_write(thing, alice, "@Bob. @charlie @alice @bob")
    assert [one.person for one in Mention.objects.all()] == [bob]
    services.comment_edit(comment, alice, "@bob once more")
    assert Mention.objects.count() == 1, "told once"
    if isinstance(thing, Run):
        shop.teams.clear()
        assert list(people_seeing(thing)) == [alice], "a question is seen with its source alone"


@pytest.mark.parametrize("thing", KINDS, indirect=True)
def test_an_author_is_told_who_got_no_mail_and_not_who_exists(
    thing, team, alice, bob, charlie, as_alice, as_bob
) -> None:
    services.comment_write(thing, alice, "@Bob, @charlie, @nobody. and @alice: see a@b.example")
    said = unescape(as_alice.get(page_of(thing)).content.decode())
    assert "@Bob was not told: they do not see this page." in said
    unknown = [f"@{name} was not told: nobody of this name sees this page." for name in ("charlie", "nobody")]
    assert all(line in said for line in unknown), "a stranger is told as a name that nobody has"
    assert said.count("was not told") == 3
    share(thing, [team], alice)
    said = unescape(as_alice.get(page_of(thing)).content.decode())
    assert "@bob was not told: they did not see this page when it was written." in said.replace(
        "@Bob", "@bob"
    )
    assert "was not told" not in as_bob.get(page_of(thing)).content.decode(), "that is for its author"
    services.comment_write(thing, alice, "@bob now")
    assert as_alice.get(page_of(thing)).content.decode().count("was not told") == 3


def test_too_many_mentions_are_refused(board, team, alice, django_user_model) -> None:
    names = [f"p{number}" for number in range(services.MENTIONED + 1)]
    for name in names:
        team.memberships.create(user=django_user_model.objects.create_user(name))
    share(board, [team], alice)
    with pytest.raises(CommentError, match="at most 10"):
        services.comment_write(board, alice, " ".join(f"@{name}" for name in names))
    assert not Comment.objects.exists() and not Mention.objects.exists()


def test_a_comment_goes_with_its_question(run, alice) -> None:
    services.comment_write(run, alice, "Gone soon")
    run.thread.delete()
    assert not Comment.objects.exists()


def test_links_show_no_comments(run, alice, client) -> None:
    from mirror.sharing import services as sharing

    services.comment_write(run, alice, "Between us")
    link = sharing.link_make(run.versions.get(), alice, 1)
    page = client.get(reverse("sharing:link", args=[sharing.link_token(link)])).content.decode()
    assert REVENUE in page and "Between us" not in page


def test_mails_about_mentions_are_turned_off_and_on(alice, as_alice) -> None:
    account = reverse("people:account")
    assert "Turn these mails off" in as_alice.get(account).content.decode()
    as_alice.post(url("mails"), {"wanted": "no"})
    as_alice.post(url("mails"), {"wanted": "no"})
    assert "You get no mails about comments" in as_alice.get(account).content.decode()
    as_alice.post(url("mails"), {"wanted": "yes"})
    assert "Turn these mails off" in as_alice.get(account).content.decode()
    assert AuditRow.objects.filter(verb__contains="mails of mentions").count() == 2

"""Language models that administrators set: who may, which one is asked, what a test tells, and that no key comes out."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from mirror.api.services import token_make
from mirror.asking import services as asking
from mirror.audit.models import AuditRow
from mirror.llms import endpoint_tests
from mirror.llms.models import Endpoint, EndpointTest, MonthlyBudget, SettingsTrouble
from mirror.llms.services import endpoint_move
from mirror.work.doing import work_do
from tests.scripted_server import Bad, ScriptedServer, serving
from tests.web.working import answer, unwatched

KEY = "sk-very-secret-0123456789"
COUNT = "```sql\nSELECT count(*) AS n FROM customers\n```"
ASKED = "How many customers are there?"


def typed(url: str, **other: object) -> dict[str, object]:
    fields = {"name": "Local", "base_url": url, "model": "scripted-1", "reach": "all", "is_on": "on"}
    return fields | other


def endpoint(server: ScriptedServer | str, name: str = "Local", **fields: object) -> Endpoint:
    url = server if isinstance(server, str) else server.base_url
    place = Endpoint.objects.count() + 1
    return Endpoint.objects.create(name=name, base_url=url, model=f"{name}-1", place=place, **fields)


def called(browser, address: str) -> str:
    """Have a model called, do a worker's part, and give the page."""
    page = browser.post(address).headers["Location"]
    with unwatched():
        work_do("endpoint_test", EndpointTest.objects.get().pk)
    return browser.get(page).content.decode()


# ---------------------------------------------------------------- who may


def test_members_and_strangers_set_no_language_model(as_alice, as_charlie, db) -> None:
    kept = endpoint("http://127.0.0.1:9/v1", key=KEY)
    for browser in (as_alice, as_charlie):
        for name in ("list", "new", "edit"):
            args = [kept.pk] if name == "edit" else []
            assert browser.get(reverse(f"llms:{name}", args=args)).status_code == 403
        for name in ("edit", "test", "move", "remove"):
            assert (
                browser.post(reverse(f"llms:{name}", args=[kept.pk]), typed("http://x/")).status_code == 403
            )
        assert browser.post(reverse("llms:settings_test")).status_code == 403
    assert Endpoint.objects.get().base_url == "http://127.0.0.1:9/v1" and not EndpointTest.objects.exists()


def test_a_test_is_seen_by_who_asked_for_it_alone(as_admin, alice, as_alice, settings) -> None:
    page = as_admin.post(reverse("llms:test", args=[endpoint("http://127.0.0.1:9/v1").pk])).headers[
        "Location"
    ]
    alice.is_staff = True
    alice.save()
    assert (as_admin.get(page).status_code, as_alice.get(page).status_code) == (200, 404)


def test_a_page_that_follows_a_test_is_told_once_that_it_is_gone(as_admin, as_alice) -> None:
    kept = endpoint("http://127.0.0.1:9/v1")
    page = as_admin.post(reverse("llms:test", args=[kept.pk])).headers["Location"]
    as_admin.post(reverse("llms:remove", args=[kept.pk]))
    polled = as_admin.get(f"{page}?was=queued", headers={"HX-Request": "true"})
    assert polled.status_code == 286, "htmx stops polling at this"
    said = polled.content.decode()
    assert "This test is gone" in said and 'id="working"' in said and "hx-get" not in said
    assert as_admin.get(page).status_code == 404
    assert as_alice.get(page, headers={"HX-Request": "true"}).status_code == 403


@pytest.mark.parametrize("was", ["queued", "running"])
def test_a_test_that_is_removed_while_its_page_is_made_is_no_error(as_admin, monkeypatch, was) -> None:
    kept = endpoint("http://127.0.0.1:9/v1")
    page = as_admin.post(reverse("llms:test", args=[kept.pk])).headers["Location"]
    look = endpoint_tests.row_look

    def removed_before(row) -> None:
        Endpoint.objects.all().delete()
        look(row)

    monkeypatch.setattr(endpoint_tests, "row_look", removed_before)
    polled = f"{page}?was={was}", {"HX-Request": "true"}
    assert as_admin.get(polled[0], headers=polled[1]).status_code in (200, 204)
    assert as_admin.get(polled[0], headers=polled[1]).status_code == 286, "the next look tells"


# ---------------------------------------------------------------- what is kept


def test_a_key_is_sealed_and_comes_out_on_no_page_and_in_no_audit(as_admin, shop, caplog) -> None:
    wish = typed("http://127.0.0.1:9/v1/", key=KEY, reach="chosen", sources=[shop.pk], price_prompt="2.5")
    assert as_admin.post(reverse("llms:new"), wish).status_code == 302
    kept = Endpoint.objects.get()
    assert (kept.base_url, kept.key, kept.price_prompt) == ("http://127.0.0.1:9/v1", KEY, 2.5)
    assert KEY not in str(Endpoint.objects.values_list("key", flat=True).get())
    refused = as_admin.post(reverse("llms:new"), wish | {"key": KEY})
    assert refused.status_code == 422
    pages = [refused, as_admin.get(reverse("llms:list")), as_admin.get(reverse("llms:edit", args=[kept.pk]))]
    said = "".join(page.content.decode() for page in pages) + caplog.text
    row = AuditRow.objects.get(verb="added a language model")
    assert KEY not in said + json.dumps(row.details)
    assert (row.thing, row.details["sources"], row.details["has_key"]) == ("Local", ["shop"], True)


def test_another_address_asks_for_the_key_again_and_a_kept_one_stays(as_admin) -> None:
    kept = endpoint("http://127.0.0.1:9/v1", key=KEY)
    address = reverse("llms:edit", args=[kept.pk])
    moved = as_admin.post(address, typed("http://127.0.0.1:10/v1"))
    assert moved.status_code == 422 and "Type the key again" in moved.content.decode()
    assert as_admin.post(address, typed("http://127.0.0.1:9/v1", model="other")).status_code == 302
    kept = Endpoint.objects.get()
    assert (kept.model, kept.key, kept.base_url) == ("other", KEY, "http://127.0.0.1:9/v1")
    assert as_admin.post(address, typed("http://127.0.0.1:10/v1", no_key="on")).status_code == 302
    kept = Endpoint.objects.get()
    assert (kept.key, kept.base_url) == ("", "http://127.0.0.1:10/v1")
    changes = AuditRow.objects.filter(verb="changed a language model").order_by("number")
    assert [row.details["changed"] for row in changes] == [["model"], ["base_url", "model", "key"]]


def test_pages_that_name_sources_leave_their_catalogs_unread(
    as_admin, alice, as_alice, shop, django_assert_max_num_queries
) -> None:
    kept = endpoint("http://127.0.0.1:9/v1", is_for_all=False)
    kept.sources.add(shop)
    MonthlyBudget.objects.create(key=f"source-{shop.pk}", source=shop, tokens=1)
    token_make(alice, "nightly", ["read"], days=1, sources=[shop])
    pages = [
        (as_admin, reverse("llms:list")),
        (as_admin, reverse("llms:edit", args=[kept.pk])),
        (as_admin, reverse("llms:use")),
        (as_admin, reverse("services:services")),
        (as_alice, reverse("api:tokens")),
    ]
    for browser, address in pages:
        with django_assert_max_num_queries(30) as made:
            assert browser.get(address).status_code == 200
        assert not [one["sql"] for one in made if '"sources_source"."catalog",' in one["sql"]], address


def test_an_endpoint_that_was_removed_meanwhile_is_not_moved(admin) -> None:
    kept, other = endpoint("http://127.0.0.1:9/v1"), endpoint("http://127.0.0.1:9/v1", "Other")
    Endpoint.objects.filter(pk=kept.pk).delete()
    endpoint_move(kept, up=False, by=admin)
    assert Endpoint.objects.get() == other
    assert not AuditRow.objects.filter(verb="changed a language model").exists()


@pytest.mark.parametrize("field", ["name", "model"])
@pytest.mark.parametrize("sign", ["\n", "\r", "\u2028", "\x1b", "\u202e", "\u2067", "\u200b"])
def test_a_name_with_a_line_end_or_a_hidden_character_is_refused_in_words(as_admin, field, sign) -> None:
    refused = as_admin.post(reverse("llms:new"), typed("http://127.0.0.1:9/v1", **{field: f"Loc{sign}al"}))
    assert (refused.status_code, Endpoint.objects.exists()) == (422, False)
    assert "a line end, or a character that cannot be seen" in " ".join(refused.context["form"].errors[field])
    fine = typed("http://127.0.0.1:9/v1", **{field: "Örtlich 本地 👩\u200d💻"})
    assert as_admin.post(reverse("llms:new"), fine).status_code == 302


@pytest.mark.parametrize("key", ["99999999999999999999", "0", "x"])
def test_a_source_that_no_row_can_be_is_refused(as_admin, key) -> None:
    wish = typed("http://127.0.0.1:9/v1", reach="chosen", sources=[key])
    assert as_admin.post(reverse("llms:new"), wish).status_code == 422
    assert not Endpoint.objects.exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://169.254.169.254/v1", "where clouds keep their secrets"),
        ("https://user:secret@models.example/v1", "a key has its own field"),
        ("https://models.example/v1?key=secret", "a key has its own field"),
        ("http://8.8.8.8/v1", "could be read on the way"),
        ("ftp://models.example", "Type an address such as"),
        ("http://[::1/v1", "not an address of the web"),
    ],
)
def test_an_address_that_may_not_be_called_or_holds_a_secret_is_refused(as_admin, url, said) -> None:
    refused = as_admin.post(reverse("llms:new"), typed(url))
    assert (refused.status_code, Endpoint.objects.exists()) == (422, False)
    assert said in " ".join(refused.context["form"].errors["base_url"])


# ---------------------------------------------------------------- testing one


def test_a_test_makes_one_real_call_and_shows_what_was_sent_and_what_came_back(as_admin) -> None:
    with serving(f"SELECT 1 -- {KEY}") as server:
        kept = endpoint(server, key=KEY, price_prompt=1_000_000.0)
        said = called(as_admin, reverse("llms:test", args=[kept.pk]))
    assert server.calls == 1 and server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "SELECT 1 -- ***" in said and KEY not in said
    assert "The table city has the columns" in said
    sent = EndpointTest.objects.get().said
    assert sent["prompt_tokens"] > 0 and sent["money"] == pytest.approx(sent["prompt_tokens"])
    assert f"{sent['prompt_tokens']} tokens sent" in said and f"It replied after {sent['seconds']} s" in said


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (None, "could not be reached"),
        (Bad(status=401, message=f"wrong key {KEY}"), "did not accept the key. Check its key."),
        (
            Bad(status=404),
            "knows no model called Local-1, or has no such address. Check its model and its address.",
        ),
        (Bad(status=307, headers={"location": "http://169.254.169.254/"}), "says that it moved (307)"),
        (Bad("hang"), "gave no reply within 0.3 seconds"),
        (Bad("nonsense"), "no chat completion"),
    ],
    ids=["refused", "401", "404", "moved", "timeout", "not JSON"],
)
def test_what_goes_wrong_with_a_test_is_told_in_plain_words(as_admin, settings, reply, words) -> None:
    settings.LLM_TIMEOUT = 0.3 if reply == Bad("hang") else 10.0
    with serving(reply or "x") as server:
        kept = endpoint(server if reply else "http://127.0.0.1:9/v1", key=KEY)
        said = called(as_admin, reverse("llms:test", args=[kept.pk]))
    assert words in said.replace("&#x27;", "'") and KEY not in said


@pytest.mark.parametrize(
    "reply", ["SELECT 1 \x00 \ud800", Bad(status=400, message="broke \x00 \ud800")], ids=["reply", "error"]
)
def test_what_no_store_and_no_page_can_hold_is_shown_as_signs_for_it(as_admin, reply) -> None:
    with serving(reply) as server:
        said = called(as_admin, reverse("llms:test", args=[endpoint(server).pk]))
    assert "␀ ?" in said
    assert not {"\x00", "\ud800"} & set(str(EndpointTest.objects.get().said))


def test_the_model_of_the_settings_is_shown_without_its_key_and_tested_too(as_admin, settings) -> None:
    with serving("SELECT 2") as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_API_KEY = server.base_url, "of-env", KEY
        listed = as_admin.get(reverse("llms:list")).content.decode()
        said = called(as_admin, reverse("llms:settings_test"))
    assert "of-env" in listed and "key set" in listed and KEY not in listed
    assert "SELECT 2" in said and server.calls == 1


# ---------------------------------------------------------------- who is asked


def test_a_question_goes_to_the_endpoint_that_is_set_when_its_run_begins(
    transactional_db, shop, alice, media, as_alice, settings
) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "of-env"
    run = asking.run_ask(alice, shop, ASKED)
    with serving(COUNT) as server:
        endpoint(server, "Only")
        run = answer(run)
    assert (run.outcome, run.llm, server.calls) == ("answered", "Only-1 (Only)", 1), run.reason
    assert server.bodies[0]["model"] == "Only-1"
    assert (
        "<dt>Written by</dt><dd>Only-1 (Only)</dd>"
        in as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    )


def test_the_next_endpoint_answers_where_the_first_is_down_and_the_run_says_who_wrote_its_sql(
    transactional_db, shop, alice, media
) -> None:
    with serving(Bad(status=503)) as busy, serving(COUNT) as fine:
        endpoint(busy, "First")
        endpoint("http://127.0.0.1:9/v1", "Second")
        endpoint(fine, "Third")
        run = answer(asking.run_ask(alice, shop, ASKED))
    assert (run.outcome, run.llm) == ("answered", "Third-1 (Third)"), run.reason
    assert busy.calls >= 3, "the client's own tries come first"
    assert "First-1 (First) failed, so Third-1 (Third) was asked instead." in run.notes


def test_a_silent_server_is_waited_for_once_a_minute_and_not_once_a_question(
    transactional_db, shop, alice, media, settings, as_admin
) -> None:
    settings.LLM_TIMEOUT = 0.5
    with serving(Bad("hang")) as silent, serving(COUNT) as fine:
        kept = endpoint(silent, "First")
        endpoint(fine, "Second")
        answer(asking.run_ask(alice, shop, ASKED))
        calls = silent.calls
        again = answer(asking.run_ask(alice, shop, ASKED))
        assert silent.calls == calls > 0, "it is left alone"
        assert "First-1 (First) failed, so Second-1 (Second) was asked instead." in again.notes
        kept.refresh_from_db()
        assert "gave no reply within 0.5 seconds" in kept.trouble, (
            "a run that left it alone tells nothing new"
        )
        changed = typed(silent.base_url, name="First", model="First-1", price_prompt="1")
        as_admin.post(reverse("llms:edit", args=[kept.pk]), changed)
        kept.refresh_from_db()
        assert (kept.trouble, kept.trouble_at) == ("", None)
        answer(asking.run_ask(alice, shop, ASKED))
    assert silent.calls > calls, "a setting was changed"


@pytest.mark.parametrize(
    ("status", "short", "words"),
    [
        (401, "its key is not accepted", "did not accept the key"),
        (403, "its key is not accepted", "did not accept the key"),
        (404, "its model or its address is not known", "knows no model called First-1"),
    ],
)
def test_where_a_server_refuses_every_request_the_next_is_asked_and_administrators_are_told(
    transactional_db, shop, alice, media, as_admin, as_alice, status, short, words
) -> None:
    replies: list[object] = [Bad(status=status, message=f"wrong {KEY} \x00")]
    with serving(lambda body: replies[0]) as wrong, serving(COUNT) as fine:
        kept = endpoint(wrong, "First", key=KEY)
        endpoint(fine, "Second")
        run = answer(asking.run_ask(alice, shop, ASKED))
        note = f"First-1 (First) failed ({short}), so Second-1 (Second) was asked instead."
        assert (run.outcome, run.llm) == ("answered", "Second-1 (Second)") and note in run.notes
        assert note in as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
        for page in ("llms:list", "upkeep:status"):
            said = as_admin.get(reverse(page)).content.decode()
            assert words in said and KEY not in said
            assert as_alice.get(reverse(page)).status_code == 403
        assert "The language model First failed its last call" in said
        replies[0] = COUNT
        called(as_admin, reverse("llms:test", args=[kept.pk]))
    kept.refresh_from_db()
    assert (kept.trouble, kept.trouble_at) == ("", None), "a test that goes well says so"


def test_a_model_of_the_settings_that_fails_stands_on_status_until_it_replies(
    transactional_db, shop, alice, media, settings, as_admin
) -> None:
    def status() -> str:
        return as_admin.get(reverse("upkeep:status")).content.decode()

    replies: list[object] = [Bad(status=401, message=f"wrong {KEY}")]
    with serving(lambda body: replies[0]) as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_API_KEY = server.base_url, "of-env", KEY
        answer(asking.run_ask(alice, shop, ASKED))
        told = status()
        assert "of-env" in told and "of the settings, failed its last call" in told and KEY not in told
        settings.LLM_MODEL = "another"
        assert "failed its last call" not in status(), "the trouble was that of other settings"
        settings.LLM_MODEL = "of-env"
        replies[0] = COUNT
        answer(asking.run_ask(alice, shop, ASKED))
        assert not SettingsTrouble.objects.exists() and "failed its last call" not in status()


@pytest.mark.parametrize(("field", "value"), [("model", "Other-1"), ("key", "sk-another")])
def test_a_failure_of_settings_that_were_changed_meanwhile_is_not_kept(
    transactional_db, shop, alice, media, field, value
) -> None:
    def moved(body: object) -> Bad:
        one = Endpoint.objects.get()
        setattr(one, field, value)
        one.save()
        return Bad(status=401)

    with serving(moved) as wrong:
        endpoint(wrong, "First")
        answer(asking.run_ask(alice, shop, ASKED))
    assert Endpoint.objects.get().trouble == ""


def test_an_endpoint_of_other_sources_and_one_that_is_off_are_never_asked(
    transactional_db, shop, alice, media, settings
) -> None:
    with serving(COUNT) as other, serving(COUNT) as own:
        endpoint(other, "Elsewhere", is_for_all=False)
        endpoint(other, "Off", is_on=False)
        settings.LLM_BASE_URL, settings.LLM_MODEL = own.base_url, "of-env"
        run = answer(asking.run_ask(alice, shop, ASKED))
    assert (run.llm, other.calls) == ("of-env", 0)


def test_nothing_goes_from_an_endpoint_that_is_down_to_the_settings(
    transactional_db, shop, alice, media, settings
) -> None:
    with serving(COUNT) as env:
        settings.LLM_BASE_URL, settings.LLM_MODEL = env.base_url, "of-env"
        settings.RANKER_BASE_URL, settings.RANKER_MODEL = env.base_url, "ranker"
        own = endpoint("http://127.0.0.1:9/v1", "Down", is_for_all=False, key=KEY)
        own.sources.add(shop)
        run = answer(asking.run_ask(alice, shop, ASKED))
        settings.MIRROR_ENCRYPTION_KEYS = ["A" * 43 + "="]
        unread = answer(asking.run_ask(alice, shop, ASKED))
    assert (env.calls, run.llm, unread.llm) == (0, "", "")
    assert any("The built-in analyst was asked instead" in note for note in run.notes)
    assert any(note.startswith("Down-1 (Down) was not asked: A stored secret") for note in unread.notes)


def test_the_privacy_of_a_source_holds_with_an_endpoint(transactional_db, shop, alice, media) -> None:
    with serving(COUNT) as server:
        endpoint(server)
        answer(asking.run_ask(alice, shop, "How many customers are there in each country?"))
        at_schema = server.asked("Germany")
        type(shop).objects.update(privacy="rows")
        answer(asking.run_ask(alice, shop, "How many customers are there in each country?"))
    assert not at_schema and server.asked("Germany")


def test_the_order_is_changed_by_a_button(as_admin) -> None:
    first, second = endpoint("http://127.0.0.1:9/v1", "One"), endpoint("http://127.0.0.1:9/v1", "Two")
    as_admin.post(reverse("llms:move", args=[second.pk]), {"to": "up"})
    as_admin.post(reverse("llms:move", args=[second.pk]), {"to": "up"})
    assert list(Endpoint.objects.all()) == [second, first]
    as_admin.post(reverse("llms:remove", args=[first.pk]))
    assert list(Endpoint.objects.all()) == [second]


def test_a_model_that_is_kept_unused_is_not_said_to_be_asked_next(as_admin) -> None:
    kept = endpoint("http://127.0.0.1:9/v1", "Dead one")
    address = reverse("llms:edit", args=[kept.pk])
    off = {name: value for name, value in typed(kept.base_url, name="Dead one").items() if name != "is_on"}
    said = as_admin.post(address, off, follow=True).content.decode()
    assert (
        "Dead one is kept. It is not used, so no question goes to it." in said and "not used</span>" in said
    )
    said = as_admin.post(address, typed(kept.base_url, name="Dead one"), follow=True).content.decode()
    assert "Dead one is kept. The next question goes by it." in said

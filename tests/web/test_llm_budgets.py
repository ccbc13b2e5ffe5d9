"""Monthly use of language models: kept by run, bounded by person, team and source, shown to people with the right."""

from __future__ import annotations

from datetime import date

import pytest
from django.urls import reverse
from django.utils.module_loading import import_string

from mirror.asking import services as asking
from mirror.audit.models import AuditRow
from mirror.llms import services
from mirror.llms.models import Endpoint, EndpointTest, MonthlyBudget, Use
from mirror.llms.services import budget_set
from mirror.work.doing import work_do
from tests.scripted_server import Bad, ScriptedServer, serving
from tests.web.working import answer, unwatched

COUNT = "```sql\nSELECT count(*) AS n FROM customers\n```"
ASKED = "How many customers are there?"
NOVEMBER = date(2026, 11, 1)


@pytest.fixture
def server(transactional_db, media):
    """A model that answers, at 1 a million tokens sent and 2 a million replied."""
    server = ScriptedServer(COUNT).start()
    Endpoint.objects.create(
        name="Local", base_url=server.base_url, model="m-1", price_prompt=1.0, price_reply=2.0
    )
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def november(monkeypatch) -> None:
    monkeypatch.setattr("mirror.llms.budgets.month_now", lambda: NOVEMBER)
    monkeypatch.setattr("mirror.llms.use_pages.month_now", lambda: NOVEMBER)


def used(tokens: int, month: date = NOVEMBER, **of: object) -> Use:
    return Use.objects.create(month=month, llm="m-1", calls=1, prompt_tokens=tokens, **of)


def test_what_a_run_used_is_kept_with_its_person_teams_and_source(server, shop, alice, team) -> None:
    run = answer(asking.run_ask(alice, shop, ASKED))
    use = Use.objects.get()
    assert (use.person, use.source, use.run, use.llm, use.month) == (
        alice,
        shop,
        run.pk,
        "m-1 (Local)",
        NOVEMBER,
    )
    assert list(use.teams.all()) == [team]
    tokens = (use.calls, use.prompt_tokens, use.reply_tokens)
    assert tokens == tuple(run.usage[name] for name in ("calls", "prompt_tokens", "completion_tokens"))
    assert use.cached_tokens == run.usage["cached_tokens"]
    assert use.money == pytest.approx((use.prompt_tokens + 2 * use.reply_tokens) / 1_000_000)
    run.thread.delete()
    assert Use.objects.filter(person=alice).exists(), "it counts on"


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (
            "source",
            "The language-model budget of this source for November is used up: the built-in analyst was asked instead.",
        ),
        (
            "team",
            "The language-model budget of the team Analysts for November is used up: the built-in analyst was asked instead.",
        ),
        (
            "person",
            "Your language-model budget for November is used up: the built-in analyst was asked instead.",
        ),
        (
            "everybody",
            "Your language-model budget for November is used up: the built-in analyst was asked instead.",
        ),
    ],
)
def test_a_budget_that_is_used_up_stops_hard_and_the_analyst_answers(
    server, shop, alice, admin, team, as_alice, about, words
) -> None:
    budget_set({"source": shop, "team": team, "person": alice}.get(about), 1_000, None, admin)
    used(1_000, month=date(2026, 10, 1), person=alice, source=shop).teams.add(team)
    first = answer(asking.run_ask(alice, shop, ASKED))
    assert (first.llm, first.without_llm) == ("m-1 (Local)", ""), "the last month counts for nothing"
    calls = server.calls
    assert Use.objects.get(run=first.pk).prompt_tokens > 1_000, "a run under way may exceed it"
    second = answer(asking.run_ask(alice, shop, ASKED))
    assert (second.outcome, second.llm, second.without_llm) == ("answered", "", words)
    assert server.calls == calls and words in second.notes
    page = as_alice.get(reverse("asking:run", args=[second.pk])).content.decode()
    assert f"<p>{words}</p>" in page
    before = as_alice.get(reverse("asking:ask")).content.decode()
    assert "is used up: the built-in analyst answers until December." in before


def test_a_call_in_vain_counts_its_prompt_as_estimated_on_every_page(
    server, shop, alice, as_alice, as_admin, settings
) -> None:
    settings.LLM_TIMEOUT = 1.0
    with serving(Bad("hang")) as silent:
        Endpoint.objects.update(place=1)
        Endpoint.objects.create(name="Silent", base_url=silent.base_url, model="s-1", price_prompt=1.0)
        run = answer(asking.run_ask(alice, shop, ASKED))
        told = as_admin.post(reverse("llms:test", args=[Endpoint.objects.get(name="Silent").pk]))
        with unwatched():
            work_do("endpoint_test", EndpointTest.objects.get().pk)
    lost = Use.objects.get(llm="s-1 (Silent)", run=run.pk)
    assert (run.llm, lost.reply_tokens) == ("m-1 (Local)", 0)
    assert 0 < lost.calls < silent.calls, "the test called it too"
    assert lost.prompt_tokens == lost.estimated_tokens > 100
    assert lost.money == pytest.approx(lost.prompt_tokens / 1_000_000)
    assert Use.objects.get(llm="m-1 (Local)").estimated_tokens == 0
    assert run.usage["estimated_tokens"] == lost.estimated_tokens
    words = f"of these about {lost.estimated_tokens:,} estimated"
    assert words in as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert words in as_alice.get(reverse("people:account")).content.decode()
    month = as_admin.get(reverse("llms:use")).content.decode()
    assert "Of these estimated" in month and f'<td class="num">{lost.estimated_tokens:,}</td>' in month
    tested = as_admin.get(told.headers["Location"]).content.decode()
    assert "tokens are counted as sent, by an estimate." in tested


@pytest.mark.parametrize("asked", [ASKED, "SELECT count(*) AS n FROM customers"])
def test_an_answer_that_needs_no_model_tells_of_no_budget(server, shop, alice, admin, asked) -> None:
    asking.version_verify(answer(asking.run_ask(alice, shop, ASKED)).versions.get())
    budget_set(alice, 0, None, admin)
    run = answer(asking.run_ask(alice, shop, asked))
    assert (run.outcome, run.without_llm, run.notes) == ("answered", "", [])
    assert not run.steps.filter(kind="noted").exists()
    other = answer(asking.run_ask(alice, shop, "How many orders are there?"))
    assert other.without_llm in other.notes and "is used up" in other.without_llm
    assert [step.data["message"] for step in other.steps.filter(kind="noted")] == [other.without_llm]


def test_one_persons_own_budget_goes_before_that_of_everybody_and_others_are_not_bounded(
    server, shop, alice, bob, admin
) -> None:
    budget_set(None, 100, None, admin)
    budget_set(alice, 1_000_000, None, admin)
    used(100, person=alice)
    used(100, person=bob)
    assert answer(asking.run_ask(alice, shop, ASKED)).llm == "m-1 (Local)"
    assert answer(asking.run_ask(bob, shop, ASKED)).llm == ""


def test_money_is_bounded_too_and_little_left_is_told_before_asking(
    server, shop, alice, admin, as_alice
) -> None:
    budget_set(alice, None, 1.0, admin)
    address = reverse("asking:ask")
    assert as_alice.get(address).context["page"].budget == ()
    Use.objects.create(month=NOVEMBER, person=alice, llm="m-1", calls=1, money=0.832)
    warned = as_alice.get(address)
    assert warned.context["page"].budget == ("Your language-model budget for November is used to 83 %.",)
    assert "is used to 83 %." in warned.content.decode()
    run = answer(asking.run_ask(alice, shop, ASKED))
    assert (
        run.llm and "is used to 83 %." in as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    )
    Endpoint.objects.all().delete()
    assert as_alice.get(address).context["page"].budget == (), "without a language model nothing is bounded"


def test_administrators_see_the_use_of_all_and_set_budgets_that_the_audit_tells_of(
    as_admin, alice, bob, shop, team
) -> None:
    used(1_500, person=alice, source=shop).teams.add(team)
    used(400, person=bob, source=shop, month=date(2026, 10, 1))
    for about, tokens in ((f"person-{alice.pk}", 1_000), (f"source-{shop.pk}", 100_000), ("everybody", 5)):
        sent = {"about": about, "tokens": tokens}
        assert as_admin.post(reverse("llms:budget_set"), sent).status_code == 302
    assert as_admin.post(reverse("llms:budget_set"), {"about": "everybody"}).status_code == 422
    page = as_admin.get(reverse("llms:use")).context["page"]
    lines = {
        table.kind: [(line.name, line.used.tokens, line.percent) for line in table.lines]
        for table in page.tables
    }
    assert lines == {
        "person": [("alice", 1_500, 150)],
        "team": [("Analysts", 1_500, None)],
        "source": [("shop", 1_500, 1)],
        "llm": [("m-1", 1_500, None)],
    }
    said = "Budgets of earlier months are not kept: shares are of those of now."
    assert said not in as_admin.get(reverse("llms:use")).content.decode()
    earlier = as_admin.get(reverse("llms:use"), {"month": "2026-10"})
    assert said in earlier.content.decode() and ">Of its budget of now<" in earlier.content.decode()
    october = earlier.context["page"]
    assert [line.name for line in october.tables[0].lines if line.used.tokens] == ["bob"]
    budget = MonthlyBudget.objects.get(person=alice)
    as_admin.post(reverse("llms:budget_remove", args=[budget.pk]))
    assert set(MonthlyBudget.objects.values_list("key", flat=True)) == {"everybody", f"source-{shop.pk}"}
    told = (
        AuditRow.objects.filter(verb__contains="budget")
        .order_by("day", "number")
        .values_list("verb", "thing")
    )
    assert list(told) == [
        ("set a budget", "alice"),
        ("set a budget", "shop"),
        ("set a budget", "every person"),
        ("took back a budget", "alice"),
    ]


@pytest.mark.parametrize("kind", ["team", "source", "person"])
@pytest.mark.parametrize(
    "place", ["mirror.llms.forms.BudgetForm.clean_about", "mirror.llms.services.budget_set"]
)
def test_what_is_deleted_while_its_budget_is_set_is_told_plainly(
    as_admin, team, shop, bob, monkeypatch, kind, place
) -> None:
    row = {"team": team, "source": shop, "person": bob}[kind]
    module, _, name = place.rpartition(".")
    owner = import_string(module) if name == "clean_about" else services
    goes_on, pk = getattr(owner, name), row.pk

    def deleted_first(*args: object):
        type(row).objects.filter(pk=pk).delete()
        return goes_on(*args)

    monkeypatch.setattr(owner, name, deleted_first)
    refused = as_admin.post(reverse("llms:budget_set"), {"about": f"{kind}-{pk}", "tokens": 5})
    assert refused.status_code == 422
    assert f"This {kind} was deleted in the meantime. Nothing was set." in refused.content.decode()
    assert not MonthlyBudget.objects.exists()
    assert not AuditRow.objects.filter(verb="set a budget").exists()


def test_ones_own_use_is_on_the_account_page_and_that_of_others_is_not_seen(
    as_alice, as_charlie, alice, admin, team
) -> None:
    used(1_234, person=alice).teams.add(team)
    budget_set(alice, 2_000, None, admin)
    own = as_alice.get(reverse("people:account")).content.decode()
    assert (
        "1 call, 1,234 tokens" in own
        and "Your language-model budget for November, 2,000 tokens: 61 % used" in own
    )
    assert "1,234" not in as_charlie.get(reverse("people:account")).content.decode()
    for browser in (as_alice, as_charlie):
        assert browser.get(reverse("llms:use")).status_code == 403
        assert (
            browser.post(reverse("llms:budget_set"), {"about": "everybody", "tokens": 0}).status_code == 403
        )
        pk = MonthlyBudget.objects.get().pk
        assert browser.post(reverse("llms:budget_remove", args=[pk])).status_code == 403


@pytest.mark.parametrize("typed", ["0.000000000001", "1e-12", "0.009"])
def test_a_budget_of_less_than_a_cent_is_refused(as_admin, typed) -> None:
    page = as_admin.post(reverse("llms:budget_set"), {"about": "everybody", "money": typed})
    assert page.status_code == 422 and "Type 0, or at least 0.01." in page.content.decode()
    assert not MonthlyBudget.objects.exists()


@pytest.mark.parametrize(
    ("typed", "words"),
    [("0", "0 USD"), ("0.01", "0.01 USD"), ("1234567.5", "1,234,567.5 USD"), ("1e9", "1,000,000,000 USD")],
)
def test_a_budget_is_written_in_digits(as_admin, settings, typed, words) -> None:
    settings.LLM_CURRENCY = "USD"
    assert (
        as_admin.post(reverse("llms:budget_set"), {"about": "everybody", "money": typed}).status_code == 302
    )
    assert [one.bounds for one in as_admin.get(reverse("llms:use")).context["page"].budgets] == [words]


def test_a_tiny_budget_of_before_and_tiny_use_are_written_in_digits(as_admin, admin, settings) -> None:
    settings.LLM_CURRENCY = "USD"
    budget_set(admin, None, 1e-12, admin)
    Use.objects.create(month=NOVEMBER, person=admin, llm="m-1", calls=1, money=0.0000012)
    page = as_admin.get(reverse("llms:use")).content.decode()
    assert "0.000000000001 USD" in page and "0.0000012" in page and "1e-12" not in page and "e-06" not in page

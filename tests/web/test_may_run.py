"""Statements allowed on a source: the right to decide, the ones never allowed, and all ways of asking held to it."""

from __future__ import annotations

import ast
from html import unescape
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

import mirror
from mirror.asking import services
from mirror.library import services as library
from mirror.queries.helping import sql_problem
from mirror.sources import guarding
from mirror.sources.catalog_services import catalog_refresh
from sqlagent.guard import Policy
from tests.web.working import answer, ran

KINDS = list(guarding.KINDS)
# SQLite has it, and no list: it only computes, but nobody thought of it.
SQL = "SELECT fts5_source_id() AS made FROM customers LIMIT 1"


@pytest.fixture
def address(shop) -> str:
    return reverse("sources:may_run", args=[shop.pk])


def post(browser, address: str, functions: str = "", kinds: list[str] = KINDS):
    return browser.post(address, {"functions": functions, "kinds": kinds})


def test_the_owner_narrows_administrators_who_see_it_widen_and_nobody_else_decides(
    shop, team, admin, as_alice, as_bob, as_charlie, as_admin, address
):
    browsers = (as_alice, as_bob, as_charlie, as_admin)
    assert [browser.get(address).status_code for browser in browsers] == [200, 403, 404, 404]
    assert [post(browser, address, "fts5_source_id").status_code for browser in browsers[1:]] == [
        403,
        404,
        404,
    ]
    refused = post(as_alice, address, "fts5_source_id")
    assert refused.status_code == 422
    assert "Only administrators allow further functions" in refused.content.decode()
    team.members.add(admin)
    assert post(as_admin, address, "fts5_source_id()\nApp.VatOf").status_code == 302
    shop.refresh_from_db()
    assert shop.guarding == {"functions": ["app.vatof", "fts5_source_id"], "refused": []}
    assert "fts5_source_id" in as_alice.get(address).content.decode()
    assert post(as_alice, address, "fts5_source_id", KINDS[1:]).status_code == 302
    shop.refresh_from_db()
    assert shop.guarding == {"functions": ["fts5_source_id"], "refused": [KINDS[0]]}
    links = [
        address in b.get(reverse("sources:source", args=[shop.pk])).content.decode() for b in browsers[:2]
    ]
    assert links == [True, False]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("load_extension", "load_extension loads or runs code. This is never allowed."),
        ("vat_of, main.writefile", "main.writefile writes files of the server."),
        ("pragma_journal_mode", "never allowed"),
        ("drop table x;", "drop table x is not a function"),
        ("a.b.c", "Write name, or schema.name."),
        ("upper", "upper may be called already."),
        ("f\n" * 3 + "\n".join(f"f{n}" for n in range(300)), "At most 200"),
    ],
)
def test_what_acts_cannot_be_allowed_by_an_administrator_either(as_alice, alice, shop, address, typed, says):
    alice.is_staff = True
    alice.save()
    page = post(as_alice, address, typed)
    assert page.status_code == 422
    assert says in unescape(page.content.decode())
    shop.refresh_from_db()
    assert shop.guarding == {}


def test_a_function_is_refused_until_it_is_allowed_and_then_runs_wherever_sql_is_asked(
    answered, shop, alice, admin, media, capsys
):
    catalog_refresh(shop)
    saved = library.sql_save(alice, shop, "Made", SQL)
    refused = ran(answered, SQL)
    assert refused.failure["kind"] == "refused"
    assert "an administrator can allow it" in refused.failure["advice"]
    assert sql_problem(answered.thread.source, SQL) is not None
    assert "an administrator can allow it" in answer(services.run_ask(alice, shop, SQL)).reason
    with pytest.raises(SystemExit):
        call_command("ask", SQL, source="shop")
    catalog_refresh(shop)
    saved.refresh_from_db()
    assert "fts5_source_id" in saved.problem.lower()
    with pytest.raises(guarding.PolicyRefused):
        guarding.policy_set(shop, ["fts5_source_id"], [], alice)
    guarding.policy_set(shop, ["fts5_source_id"], [], admin)
    saved.refresh_from_db()
    assert saved.problem == "", "saved SQL is looked at again at once"
    answered.refresh_from_db()
    assert ran(answered, SQL).result.row_count == 1
    answered.thread.source.refresh_from_db()
    assert sql_problem(answered.thread.source, SQL) is None
    run = answer(services.run_ask(alice, shop, SQL))
    assert (run.outcome, run.versions.get().result.row_count) == ("answered", 1)
    call_command("ask", SQL, source="shop")
    assert "Answered" in capsys.readouterr().out


def test_a_kind_that_is_switched_off_is_refused_and_says_who_decided(answered, shop, alice):
    explain = "EXPLAIN QUERY PLAN SELECT name FROM customers"
    assert ran(answered, explain).failure is None
    guarding.policy_set(shop, [], ["explain", "no such kind"], alice)
    failure = ran(answered, explain).failure
    assert "switched off for this source" in failure["message"]


def test_an_administrator_decides_from_a_shell_too(shop, admin, capsys):
    call_command("may_run", "shop", allow=["VAT_OF()"], refuse=["show"])
    said = capsys.readouterr().out
    assert "Further functions on shop: vat_of." in said
    assert "refused  show" in said
    shop.refresh_from_db()
    assert shop.guarding == {"functions": ["vat_of"], "refused": ["show"]}
    call_command("may_run", "shop", disallow=["vat_of"], permit=["show"])
    shop.refresh_from_db()
    assert guarding.policy_of(shop) == Policy()
    for wrong, says in (
        ({"allow": ["writefile"]}, "never allowed"),
        ({"name": "shp"}, "no source named 'shp'"),
    ):
        with pytest.raises(CommandError, match=says):
            call_command("may_run", wrong.pop("name", "shop"), **wrong)


def test_one_place_asks_the_guard():
    root = Path(mirror.__file__).parent
    asking = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "check" and ast.unparse(node.value) == "guard"
    }
    assert asking == {"sources/guarding.py"}

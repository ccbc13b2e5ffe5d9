"""The pages about tokens: made, shown once, revoked, by whom they are of alone."""

from __future__ import annotations

import logging
import re

import pytest
from django.urls import reverse

from mirror.api import services
from mirror.api.models import Token
from mirror.logs import WithoutTokens
from tests.web.api_world import Caller, secret_of

TOKENS = "/account/tokens/"
WISH = {
    "name": "Nightly <b>export</b>",
    "use": "program",
    "scopes": ["read", "sql"],
    "reach": "all",
    "days": "30",
}


def test_a_token_is_shown_once_and_works(as_bob, team, shop):
    made = as_bob.post(TOKENS, WISH)
    (secret,) = re.findall(r"mir_[\w-]{43}", made.content.decode())
    assert "no-store" in made["Cache-Control"]
    page = as_bob.get(TOKENS).content.decode()
    assert secret not in page
    assert "Nightly &lt;b&gt;export" in page
    assert "never used" in page
    assert Caller(secret).get("/sources").json()["total"] == 1
    assert "last used" in as_bob.get(TOKENS).content.decode()
    token = Token.objects.get()
    assert as_bob.post(reverse("api:revoke", args=[token.pk])).status_code == 302
    assert Caller(secret).get("/sources").status_code == 401
    assert "revoked" in as_bob.get(TOKENS).content.decode()


def test_nobody_sees_or_revokes_tokens_of_others(as_alice, as_charlie, as_admin, bob, client):
    secret_of(bob)
    token = Token.objects.get()
    for browser in (as_alice, as_charlie, as_admin):
        assert f"…{token.ending}" not in browser.get(TOKENS).content.decode()
        assert browser.post(reverse("api:revoke", args=[token.pk])).status_code == 404
    assert client.get(TOKENS).status_code == 302
    assert client.post(reverse("api:revoke", args=[token.pk])).status_code == 302
    token.refresh_from_db()
    assert token.works


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": " "}, "required"),
        ({"scopes": []}, "required"),
        ({"scopes": ["everything"]}, "not one of the available"),
        ({"reach": "chosen", "sources": ["9" * 30]}, "not one of the available"),
        ({"days": "9999"}, "not one of the available"),
        ({"reach": "chosen"}, "Choose the sources that it may use."),
        ({"reach": "chosen", "sources": ["SHOP"]}, "not one of the available"),
        ({"use": "x"}, "not one of the available"),
    ],
)
def test_a_token_that_cannot_be_is_not_made(as_charlie, shop, wrong, words):
    sent = WISH | wrong
    if "sources" in sent:
        sent["sources"] = [shop.pk]
    answer = as_charlie.post(TOKENS, sent)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Token.objects.exists()


def test_services_refuse_what_a_form_would(charlie, bob, team, shop, monkeypatch):
    for wrong in (
        {"name": ""},
        {"scopes": ["nothing"]},
        {"scopes": ["read", "nothing"]},
        {"days": 0},
        {"days": 400},
        {"sources": []},
        {"sources": [shop]},
    ):
        wish = {"name": "x", "scopes": ["read"], "days": 1} | wrong
        with pytest.raises(services.TokenError):
            services.token_make(charlie, wish.pop("name"), wish.pop("scopes"), **wish)
    monkeypatch.setattr("mirror.api.services.tokens.TOKENS", 1)
    services.token_make(bob, "x", ["read"], days=1)
    with pytest.raises(services.TokenError, match="Revoke one first"):
        services.token_make(bob, "x", ["read"], days=1)


def test_the_operations_are_shown_without_scripts_of_others(as_bob, client):
    page = as_bob.get(reverse("api:operations")).content.decode()
    assert "/api/v1/versions/{version}/rows" in page
    assert "Idempotency-Key" in page
    assert "Needs a token that may: Run SQL" in page
    assert not re.findall(r'(?:src|href)="https?:', page)
    assert as_bob.get(reverse("api:openapi")).json()["openapi"].startswith("3.1")
    assert client.get(reverse("api:operations")).status_code == 302


def test_a_token_reaches_no_log():
    record = logging.LogRecord("x", logging.INFO, "", 1, "GET %s", ("/api/v1/x?token=mir_" + "a" * 43,), None)
    WithoutTokens().filter(record)
    assert record.getMessage() == "GET /api/v1/x?token=mir_..."

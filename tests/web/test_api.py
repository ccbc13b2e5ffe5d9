"""The API by tokens: who gets what, what is refused and how it is told, and that nothing is done twice."""

from __future__ import annotations

import io
import json
import re
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from mirror.api import problems
from mirror.api.models import KeptCall, Token
from mirror.api.v1_urls import document, operation_scopes
from mirror.asking.models import Run, Version
from mirror.audit.models import AuditRow
from mirror.people.models import CodeMaker, User
from mirror.people.services import user_activate, user_deactivate
from mirror.results.models import StoredResult
from tests.web.api_world import ALL, Caller, World, secret_of, world_make

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ["stranger", "expired", "revoked", "agent", "charlie", "other source", "without the scope", "bob"]
COLUMNS.append("viewer")  # bob, once his team is one; the last, as nothing gives the role back


@pytest.fixture
def world(alice, bob, charlie, team, shop, media) -> World:
    return world_make(alice, bob, charlie, team, shop)


@pytest.fixture
def bobs(world) -> Caller:
    return Caller(world.secrets["bob"])


def told(answer, status: int, code: str) -> dict:
    """The problem of an answer, which is told as all are."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == problems.MEDIA_TYPE
    body = json.loads(answer.content)
    assert body["type"] == problems.TYPE + code
    assert body["status"] == status
    assert body["title"].endswith(".")
    return body


def all_of(answer) -> bytes:
    """All that is streamed."""

    async def read() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(read)()


# ---------------------------------------------------------------- who gets what


def table() -> dict[tuple[str, str], list[str]]:
    """The committed table: method and path to a status a column."""
    text = (ROOT / "docs/api.md").read_text().partition("| operation |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+) ([^`]+)` \| (.*?) \|$", text, re.MULTILINE)
    return {(method, f"/api/v1{path}"): cells.split(" | ") for method, path, cells in rows}


def test_the_table_names_every_operation_and_no_other():
    assert set(table()) == set(operation_scopes())


BODIES = {
    "/api/v1/runs": {"source": "shop", "question": "How many orders?"},
    "/api/v1/sql": {"source": "shop", "sql": "SELECT 1"},
    "/api/v1/saved/{saved}/runs": {"arguments": {"land": "Norway"}},
}


@pytest.mark.parametrize("operation", sorted(operation_scopes()), ids=" ".join)
def test_everybody_gets_what_the_table_says(world, bob, shop, team, operation):
    method, path = operation
    places = {
        "name": "shop",
        "run": world.report_run.pk if "report-runs" in path else world.run.pk,
        "reading": 0,
        "version": world.version.pk,
        "saved": world.saved.pk,
        "report": world.report.pk,
        "file": world.file.pk,
    }
    address = path.format(**places).removeprefix("/api/v1")
    scopes = operation_scopes()[operation]
    secrets = world.secrets | {
        "without the scope": secret_of(bob, [one for one in ALL if one not in scopes] or ALL)
    }
    found = []
    for column in COLUMNS:
        if column == "viewer":
            shop.team_roles.create(team=team, role="viewer")
        caller = Caller(secrets["bob" if column == "viewer" else column])
        answer = caller.post(address, BODIES.get(path)) if method == "POST" else caller.get(address)
        found.append(str(answer.status_code))
        if answer.status_code >= 400:
            assert answer["Content-Type"] == problems.MEDIA_TYPE
        elif column in ("charlie", "other source"):
            assert json.loads(answer.content).get("items", []) == [] or path.endswith("/sources")
            assert "shop" not in answer.content.decode()
        assert "Set-Cookie" not in answer
        assert not [name for name in answer.headers if name.startswith("Access-Control")]
    assert found == table()[operation], dict(zip(COLUMNS, found, strict=True))


def test_the_document_is_the_committed_one():
    kept = json.loads((ROOT / "docs/openapi.json").read_text())
    assert document() == kept, "run: manage.py openapi > docs/openapi.json"


# ---------------------------------------------------------------- tokens


def test_a_secret_is_kept_as_a_hash_and_works_until_its_person_is_shut_out(world, bob, alice, bobs):
    secret = world.secrets["bob"]
    assert not Token.objects.filter(token_hash__contains=secret).exists()
    assert bobs.get("/token").json()["person"] == "bob"
    user_deactivate(bob, alice)
    told(bobs.get("/token"), 401, "shut-out")
    user_activate(bob)
    told(bobs.get("/token"), 401, "revoked-token")


def test_a_token_waits_until_its_person_has_the_codes_that_are_asked(world, bob, bobs, settings):
    """Made before the setting; a service has no codes, and its tokens work on."""
    settings.SECOND_FACTOR_REQUIRED = "everyone"
    told(bobs.get("/token"), 401, "codes-lacking")
    refused = AuditRow.objects.filter(verb="used a token", who="bob", outcome="refused").latest("pk")
    assert refused.details["why"] == "without a second factor"
    User.objects.filter(pk=bob.pk).update(is_service=True)
    assert bobs.get("/token").status_code == 200
    User.objects.filter(pk=bob.pk).update(is_service=False)
    CodeMaker.objects.create(user=bob, secret="x", confirmed_at=timezone.now())
    assert bobs.get("/token").status_code == 200


def test_a_session_opens_nothing(world, as_bob):
    answer = as_bob.get("/api/v1/sources")
    told(answer, 401, "no-token")
    assert answer["WWW-Authenticate"].startswith("Bearer")
    told(as_bob.post("/api/v1/sql", {"source": "shop", "sql": "SELECT 1"}), 401, "no-token")


def test_a_token_limited_to_a_source_loses_all_with_it(world, bob, shop):
    limited = Caller(secret_of(bob, sources=[shop]))
    assert [one["name"] for one in limited.get("/sources").json()["items"]] == ["shop"]
    assert limited.get("/runs").json()["total"] == 1
    shop.delete()
    assert limited.get("/sources").json()["items"] == []


def test_a_token_sees_no_more_than_its_person_still_does(world, bobs, shop):
    assert bobs.get(f"/runs/{world.run.pk}").status_code == 200
    shop.teams.clear()
    told(bobs.get(f"/runs/{world.run.pk}"), 404, "not-found")
    told(bobs.get(f"/versions/{world.version.pk}/rows"), 404, "not-found")
    told(bobs.get(f"/report-runs/{world.report_run.pk}"), 404, "not-found")


def test_the_audit_tells_what_a_token_did_and_was_refused(world, bob, bobs):
    before = AuditRow.objects.order_by("-pk").first().pk
    bobs.get("/sources")
    bobs.get("/sources")
    bobs.post("/sql", {"source": "shop", "sql": "SELECT 1"})
    bobs.get(f"/versions/{world.version.pk}/rows")
    Caller(world.secrets["expired"]).get("/sources")
    Caller(secret_of(bob, ["read"])).get("/runs")
    rows = AuditRow.objects.filter(pk__gt=before, who="bob").order_by("pk")
    assert [(row.verb, row.token, row.outcome) for row in rows] == [
        ("used a token", "test", "done"),
        ("used a token", "test", "done"),
        ("downloaded rows", "test", "done"),
        ("used a token", "", "refused"),
        ("made a token", "", "done"),
        ("used a token", "test", "refused"),
    ]
    assert rows[1].details["doing"] == "POST /api/v1/sql"
    assert rows[3].details["why"] == "expired"


def test_calls_above_the_pace_wait(world, settings, bobs):
    settings.API_CALLS_PER_MINUTE = 3
    assert [bobs.get("/token").status_code for _ in range(3)] == [200, 200, 200]
    answer = bobs.get("/token")
    told(answer, 429, "too-many-calls")
    assert 1 <= int(answer["Retry-After"]) <= 20
    Token.objects.filter(name="test").update(free_at=timezone.now())
    assert bobs.get("/token").status_code == 200


@pytest.mark.parametrize(
    "query", ["?token={0}", "?access_token=x", "?q={0}", "?api_key=1", "/{0}"], ids=range(5)
)
def test_a_token_in_an_address_is_refused(world, query):
    secret = world.secrets["bob"]
    answer = Client().get(f"/api/v1/sources{query.format(secret)}")
    told(answer, 400, "token-in-address")
    assert secret not in answer.content.decode()


# ---------------------------------------------------------------- bad input


def test_what_is_sent_wrongly_is_told_by_its_place(world, bobs):
    body = told(bobs.post("/runs", {"source": "shop", "qestion": "x"}), 422, "not-valid")
    assert {one["where"] for one in body["errors"]} == {"body.question", "body.qestion"}
    for sent in ("{", "[1", "\xff", ""):
        answer = bobs.client.post(
            "/api/v1/runs", sent.encode("latin-1"), "application/json", headers=bobs.headers
        )
        assert answer.status_code in (400, 422)
        assert answer["Content-Type"] == problems.MEDIA_TYPE
    told(bobs.get("/runs?limit=1000000"), 422, "not-valid")
    told(bobs.get("/runs?offset=-1"), 422, "not-valid")
    told(bobs.get(f"/runs/{10**40}"), 404, "not-found")
    told(bobs.get("/sources/sh%00op"), 404, "not-found")
    told(bobs.get("/saved?search=%00"), 422, "not-valid")
    told(bobs.post("/sql", {"source": "shop", "sql": "SELECT '\x00'"}), 422, "not-valid")
    told(bobs.post("/runs", {"source": "shop", "question": "\ud800"}), 422, "not-valid")
    told(bobs.post("/runs", {"source": "shop", "\ud800": "x"}), 422, "not-valid")
    for odd in ("\x00", "\ud800"):
        told(bobs.post(f"/saved/{world.saved.pk}/runs", {"arguments": {"land": odd}}), 422, "not-valid")
        told(bobs.post(f"/saved/{world.saved.pk}/runs", {"arguments": {odd: "x"}}), 422, "not-valid")
    deep = b'{"source": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    answer = bobs.client.post("/api/v1/runs", deep, "application/json", headers=bobs.headers)
    assert answer.status_code in (400, 422)
    told(bobs.get("/nothing"), 404, "not-found")
    told(bobs.client.delete("/api/v1/runs", headers=bobs.headers), 405, "wrong-method")
    told(bobs.client.options("/api/v1/runs", headers={"Origin": "https://evil.example"}), 405, "wrong-method")
    told(bobs.post("/runs", {"source": "shop", "question": "x" * 5_000}), 422, "not-possible")
    told(bobs.post("/runs", {"source": "nowhere", "question": "x"}), 404, "not-found")
    told(bobs.post("/runs", {"source": "shop", "question": "x", "after": 10**9}), 404, "not-found")
    told(bobs.post("/sql", {"source": "shop", "sql": " "}), 422, "not-possible")
    told(bobs.post("/sql", {"source": "shop", "sql": "SELECT 1", "arguments": {"a": 1}}), 422, "not-valid")
    told(bobs.post(f"/runs/{world.run.pk}/readings/9"), 422, "not-possible")
    told(bobs.post(f"/saved/{world.saved.pk}/runs", {"arguments": {"country": "x"}}), 422, "not-valid")


def test_a_body_of_fifty_megabytes_is_not_read(world, bobs):
    told(bobs.post("/runs", {"source": "shop", "question": "x" * 50_000_000}), 413, "too-large")
    assert not Run.objects.filter(asked__startswith="xx").exists()


def test_too_much_on_its_way_is_told_with_when_to_come_again(world, settings, bobs):
    settings.QUEUED_PER_PERSON = 0
    answer = bobs.post("/runs", {"source": "shop", "question": "How many orders?"})
    told(answer, 429, "too-much-waits")
    assert answer["Retry-After"] == "5"


def test_a_store_that_is_away_is_told(world, bobs, monkeypatch):
    from django.db import OperationalError

    def away(*_):
        raise OperationalError("database is locked")

    monkeypatch.setattr("mirror.api.services.token_find", away)
    answer = bobs.get("/sources")
    told(answer, 503, "away")
    assert "locked" not in answer.content.decode()
    assert answer["Retry-After"] == "5"


def test_an_error_of_ours_is_told_without_its_words(world, bobs, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("mirror.api.services.token_find", broken)
    answer = bobs.get("/sources")
    told(answer, 500, "broken")
    assert "secret" not in answer.content.decode()


# ---------------------------------------------------------------- once


def test_a_call_with_a_key_is_done_once(world, bobs):
    body = {"source": "shop", "question": "How many orders were placed?"}
    first = bobs.post("/runs", body, **{"Idempotency-Key": "k1"})
    again = bobs.post("/runs", body, **{"Idempotency-Key": "k1"})
    assert first.status_code == again.status_code == 202
    assert (first["Location"], first.json()) == (again["Location"], again.json())
    assert again["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first
    assert Run.objects.filter(asked=body["question"]).count() == 1
    other = bobs.post("/runs", body | {"question": "Other?"}, **{"Idempotency-Key": "k1"})
    told(other, 422, "key-reused")
    told(
        bobs.post("/sql", {"source": "shop", "sql": "SELECT 1"}, **{"Idempotency-Key": "k1"}),
        422,
        "key-reused",
    )
    told(bobs.post("/runs", body, **{"Idempotency-Key": "k" * 201}), 422, "not-valid")


def test_a_key_is_of_one_token_and_what_was_refused_may_be_sent_again(world, bob, bobs, settings):
    body = {"source": "shop", "question": "How many orders were placed?"}
    settings.QUEUED_PER_PERSON = 0
    told(bobs.post("/runs", body, **{"Idempotency-Key": "k"}), 429, "too-much-waits")
    settings.QUEUED_PER_PERSON = 10
    assert bobs.post("/runs", body, **{"Idempotency-Key": "k"}).status_code == 202
    other = Caller(secret_of(bob)).post("/runs", body, **{"Idempotency-Key": "k"})
    assert "Idempotent-Replayed" not in other
    assert Run.objects.filter(asked=body["question"]).count() == 2
    KeptCall.objects.update(created_at=timezone.now() - timedelta(days=2))
    assert "Idempotent-Replayed" not in bobs.post("/runs", body, **{"Idempotency-Key": "k"})


# ---------------------------------------------------------------- what is told


def test_a_run_tells_how_sure_it_is_and_its_readings(world, bob, bobs):
    run = bobs.get(f"/runs/{world.run.pk}").json()
    assert (run["outcome"], run["confidence"], run["agreement"]) == (
        "ambiguous",
        0.61,
        {"size": 5, "pool": 7},
    )
    assert run["version"]["sql"] == "SELECT 1"
    assert run["version"]["row_count"] == 2
    assert run["sentence"] == "There are two."
    assert [(one["difference"], one["rows"]) for one in run["readings"]] == [("by year", [[2]])]
    blind = Caller(secret_of(bob, ["ask"])).get(f"/runs/{world.run.pk}").json()
    assert blind["readings"][0]["rows"] == []
    chosen = bobs.post(f"/runs/{world.run.pk}/readings/0").json()
    assert (chosen["sql"], chosen["origin"], chosen["status"]) == ("SELECT 2", "reading", "queued")


def test_a_catalog_is_searched_and_paged(world, bobs):
    first = bobs.get("/sources/shop/catalog?limit=2").json()
    assert len(first["items"]) == 2
    rest = bobs.get(first["next"].removeprefix("/api/v1")).json()
    assert {one["name"] for one in first["items"]}.isdisjoint(one["name"] for one in rest["items"])
    (found,) = bobs.get("/sources/shop/catalog?search=customers email").json()["items"][:1]
    assert found["name"] == "customers"
    assert {"name": "country", "kind": "text"}.items() <= next(
        one.items() for one in found["columns"] if one["name"] == "country"
    )


def test_saved_sql_takes_its_values(world, bobs):
    made = bobs.post(f"/saved/{world.saved.pk}/runs", {"arguments": {"land": "Norway"}})
    assert made.json()["version"]["arguments"] == {"land": "Norway"}
    assert made["Location"] == made.json()["url"]
    told(bobs.post(f"/saved/{world.saved.pk}/runs", {"arguments": {"land": ""}}), 422, "not-valid")
    # A caller that polls until it is done finds rows; links have the host of the call.
    assert made.json()["status"] == made.json()["version"]["status"] == "queued"
    assert made.json()["page"].startswith("http://testserver/")
    Version.objects.filter(pk=made.json()["version"]["id"]).update(status="done")
    assert bobs.get(f"/runs/{made.json()['id']}").json()["status"] == "done"


def test_only_the_owner_runs_a_report(world, alice, bobs):
    told(bobs.post(f"/reports/{world.report.pk}/runs"), 403, "not-the-owner")
    alices = Caller(secret_of(alice))
    made = alices.post(f"/reports/{world.report.pk}/runs")
    assert made.status_code == 202
    told(alices.post(f"/reports/{world.report.pk}/runs"), 422, "not-possible")
    runs = alices.get(f"/reports/{world.report.pk}/runs").json()
    assert [one["cause"] for one in runs["items"]] == ["now", "now"]
    address = runs["items"][1]["files"][0]["url"].removeprefix("/api/v1")
    assert all_of(alices.get(address)) == b"a\n1\n"
    told(Caller(secret_of(alice, ["reports"])).get(address), 403, "scope-missing")


# ---------------------------------------------------------------- rows


def rows(caller: Caller, world: World, accept: str = "", query: str = ""):
    answer = caller.get(f"/versions/{world.version.pk}/rows{query}", **({"Accept": accept} if accept else {}))
    return answer, all_of(answer) if answer.streaming else b""


def test_rows_come_exactly_in_every_format(world, bobs):
    answer, lines = rows(bobs, world)
    assert answer["Content-Type"] == "application/jsonl"
    assert [json.loads(line) for line in lines.splitlines()] == [
        {"id": "1152921504606846976", "amount": "1.50", "name": "=1+1"},
        {"id": 7, "amount": "0.10", "name": None},
    ]
    assert (answer["X-Row-Count"], answer["X-Rows-Truncated"]) == ("2", "false")
    _, csv = rows(bobs, world, "text/csv")
    assert csv.decode("utf-8-sig").splitlines()[1] == '1152921504606846976,1.50,"\'=1+1"'
    kept, parquet = rows(bobs, world, "application/vnd.apache.parquet")
    one = pq.read_table(io.BytesIO(parquet))
    arrow, stream = rows(bobs, world, "application/vnd.apache.arrow.stream")
    two = pa.ipc.open_stream(stream).read_all()
    assert one.schema == two.schema
    assert one.to_pylist() == two.to_pylist()
    assert two["id"].to_pylist() == [2**60, 7]
    assert str(two["amount"].to_pylist()[1]) == "0.10"


def test_what_a_client_likes_best_is_taken(world, bobs):
    liked = "application/xml, text/csv;q=0.5, application/vnd.apache.arrow.stream;q=0.9, */*;q=0"
    assert rows(bobs, world, liked)[0]["Content-Type"] == "application/vnd.apache.arrow.stream"
    assert rows(bobs, world, "text/*")[0]["Content-Type"].startswith("text/csv")
    for unknown in ("application/xml", "text/csv;q=0", "nonsense", ";;,"):
        body = told(rows(bobs, world, unknown)[0], 406, "not-acceptable")
        assert "text/csv" in body["detail"]


@pytest.mark.parametrize("accept", ["", "text/csv", "application/vnd.apache.arrow.stream"])
def test_a_page_of_rows(world, bobs, accept):
    _, got = rows(bobs, world, accept, "?offset=1&limit=1")
    assert b"1152921504606846976" not in got
    assert len(got) > 10


def test_a_million_rows_at_once_are_a_stream_and_no_page(world, bobs):
    told(rows(bobs, world, "", "?limit=1000000")[0], 422, "not-valid")


def test_rows_that_are_gone_or_not_there_yet(world, bobs):
    waiting = bobs.post("/sql", {"source": "shop", "sql": "SELECT 1"}).json()
    told(bobs.get(f"/versions/{waiting['id']}/rows"), 409, "no-rows")
    assert bobs.post(f"/versions/{waiting['id']}/stop").json()["status"] == "done"
    stopped = told(bobs.get(f"/versions/{waiting['id']}/rows"), 409, "no-rows")
    assert stopped["detail"]
    StoredResult.objects.update(expires_at=timezone.now())
    told(bobs.get(f"/versions/{world.version.pk}/rows"), 410, "gone")
    assert bobs.get(f"/versions/{world.version.pk}").json()["rows"] is None

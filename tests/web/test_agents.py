"""Agents by MCP: what each tool gives, and that what a source keeps from language models is kept from them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import anyio
import pytest
import uvicorn
from django.db import connection
from django.urls import reverse
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mirror.agents import tools
from mirror.agents.models import AgentRows
from mirror.agents.services import agent_rows_set
from mirror.agents.serving import http_app, server_make
from mirror.agents.tools import tool_call
from mirror.api.models import Token
from mirror.api.problems import Problem
from mirror.asking.models import Run, Version
from mirror.audit.models import AuditRow
from mirror.library.services import sql_save, sql_verify
from mirror.sources.models import Source
from mirror.store_threads import StoreThreads
from mirror.work.doing import work_do
from mirror.workbench.models import Glance
from tests.web.api_world import ALL, secret_of
from tests.web.working import REVENUE, unwatched

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
NAMES = {Run: "run", Version: "version", Glance: "glance"}


@pytest.fixture
def at_once(monkeypatch):
    """Work is done when it is waited for."""

    def ended(model, pk):
        with unwatched():
            work_do(NAMES[model], pk)
        return model.objects.get(pk=pk)

    monkeypatch.setattr(tools, "_ended", ended)


def agent(person, scopes=None, **more):
    """Call tools by a token for agents."""
    secret = secret_of(person, ALL if scopes is None else scopes, use=Token.Use.AGENT, **more)
    return lambda tool, **wish: tool_call(secret, "10.0.0.9", tool, **wish)


@pytest.fixture
def bobs(bob, team, shop, media, at_once):
    return agent(bob)


@pytest.fixture
def rows_shown(shop):
    Source.objects.filter(pk=shop.pk).update(privacy="rows")


@pytest.fixture
def threads():
    made = StoreThreads()
    yield made
    made.end()


def refused(call, *args, **wish) -> Problem:
    with pytest.raises(Problem) as told:
        call(*args, **wish)
    return told.value


# ---------------------------------------------------------------- answers


def test_an_answer_carries_how_sure_it_is(bobs, rows_shown):
    told = bobs("ask", source="shop", question=REVENUE)
    assert told["outcome"] == "answered"
    assert 0 < told["confidence"] <= 1
    assert "attempts gave this" in told["agreement"]
    assert len(told["answer"]["rows"]) == told["answer"]["row_count"] == 5
    assert told["page"].endswith(f"/runs/{told['run']}/")
    assert bobs("ask", source="shop", run=told["run"])["answer"] == told["answer"]
    page = bobs("rows", version=told["answer"]["version"], offset=3, limit=10**9)
    assert page["rows"] == told["answer"]["rows"][3:]


def test_an_ambiguous_answer_has_readings_to_choose(bobs, rows_shown, shop, bob):
    told = bobs("ask", source="shop", question=REVENUE)
    reading = {"sql": "SELECT 7 AS n", "difference": "by year", "size": 2, "frame": None}
    preview = {"columns": ["n"], "rows": [[7]], "row_count": 1}
    Run.objects.filter(pk=told["run"]).update(outcome="ambiguous", readings=[reading | preview])
    told = bobs("ask", source="shop", run=told["run"])
    assert "choose_reading" in told["next"]
    assert told["readings"][0]["difference"] == "by year"
    chosen = bobs("choose_reading", run=told["run"], reading=0)
    assert (chosen["sql"], chosen["rows"]) == ("SELECT 7 AS n", [[7]])
    assert refused(bobs, "choose_reading", run=told["run"], reading=5).status == 422


def test_a_question_that_takes_long_is_waited_for_again(bob, team, shop, media, monkeypatch):
    monkeypatch.setattr(tools, "WAIT_SECONDS", 0)
    told = agent(bob)("ask", source="shop", question=REVENUE)
    assert told["status"] == "queued"
    assert "call ask again" in told["next"]


def test_sql_and_its_plan(bobs, rows_shown):
    told = bobs("run_sql", source="shop", sql="SELECT id FROM customers ORDER BY id")
    assert told["rows"][0] == [1]
    assert told["next_offset"] == 10
    assert bobs("rows", version=told["version"], offset=10, limit=2)["rows"] == [[11], [12]]
    assert "not run" in str(
        bobs("run_sql", source="shop", sql="DELETE FROM customers")
    ).lower() or "DELETE" in str(bobs("run_sql", source="shop", sql="DELETE FROM customers"))
    assert any(
        "customers" in line for line in bobs("explain", source="shop", sql="SELECT * FROM customers")["plan"]
    )
    assert refused(bobs, "run_sql", source="shop", sql="").status == 422


def test_the_catalog_leaves_out_what_its_owner_hid(bobs, shop, alice):
    told = bobs("search_catalog", source="shop", words="customers email")
    assert [one["table"] for one in told["tables"]][:1] == ["customers"]
    assert "country" in str(told)
    shop.corrections.create(subject="hidden", table="customers", column="country", made_by=alice)
    assert "country" not in str(bobs("search_catalog", source="shop", words="customers email")["tables"][0])
    assert bobs("search_catalog", source="shop", words="nothing like it")["found"] == 0


def test_sql_that_people_vouched_for(bobs, rows_shown, shop, alice, team):
    saved = sql_save(alice, shop, "Customers of", "SELECT count(*) AS n FROM customers WHERE country = :land")
    saved.teams.add(team)
    assert bobs("verified")["verified"] == []
    assert refused(bobs, "verified", saved=saved.pk).status == 404
    sql_verify(saved, alice)
    (told,) = bobs("verified", words="customers")["verified"]
    assert (told["verified_by"], told["parameters"]) == ("alice", {"land": "text"})
    assert bobs("verified", saved=saved.pk, arguments={"land": "Norway"})["rows"][0][0] > 0


# ---------------------------------------------------------------- privacy


MARKED = "Zorbania"


def test_at_schema_only_no_stored_value_reaches_an_agent(bobs, shop, tmp_path, shop_file):
    copy = tmp_path / "marked.sqlite3"
    shutil.copy(shop_file, copy)
    with closing(sqlite3.connect(copy)) as db:
        db.execute("UPDATE customers SET country = ?, name = ?", (MARKED, MARKED))
        db.commit()
    Source.objects.filter(pk=shop.pk).update(database=str(copy))
    told = [
        bobs("ask", source="shop", question="How many customers in each country?"),
        bobs("ask", source="shop", question="Customers by name"),
        bobs("run_sql", source="shop", sql="SELECT country FROM customers"),
        bobs(
            "run_sql",
            source="shop",
            sql="SELECT CAST(country AS INTEGER) + load_extension('x') FROM customers",
        ),
        bobs("run_sql", source="shop", sql="SELECT json_extract(country, '$.a') FROM customers"),
        bobs("explain", source="shop", sql="SELECT * FROM customers WHERE country > 'A'"),
        bobs("search_catalog", source="shop"),
    ]
    assert told[2]["row_count"] > 100
    assert "owner of this source lets no rows" in told[2]["no_rows"]
    assert MARKED not in json.dumps(told)
    assert refused(bobs, "rows", version=told[2]["version"]).status == 403
    Run.objects.filter(pk=told[0]["run"]).update(
        outcome="ambiguous",
        reason=f"There is no {MARKED}.",
        notes=[f"“Zorbanja” was read as “{MARKED}”."],
        readings=[
            {"sql": f"SELECT 1 WHERE 'x' = '{MARKED}'", "difference": f"country is {MARKED}", "size": 1,
             "columns": [MARKED], "rows": [[MARKED]], "row_count": 1}
        ],
    )  # fmt: skip
    Version.objects.filter(run=told[0]["run"]).update(
        sentence=f"{MARKED} leads.", sql=f"SELECT 1 WHERE '{MARKED}' > ''"
    )
    seen = bobs("ask", source="shop", run=told[0]["run"])
    assert MARKED not in json.dumps(seen)
    assert "more than one way" in seen["reason"]
    assert seen["readings"][0]["difference"]


def test_its_owner_may_say_so_all_the_same(bobs, bob, shop, alice):
    sql = "SELECT country FROM customers"
    assert "rows" not in bobs("run_sql", source="shop", sql=sql)
    agent_rows_set(shop, True, alice)
    assert len(bobs("run_sql", source="shop", sql=sql)["rows"]) == 10
    assert bobs("sources")["sources"][0]["rows"] == "shown"
    assert "rows" not in agent(bob, ["sql"])("run_sql", source="shop", sql=sql)
    agent_rows_set(shop, False, alice)
    assert "rows" not in bobs("run_sql", source="shop", sql=sql)


def test_the_owner_alone_decides(as_alice, as_bob, as_charlie, client, shop):
    address = reverse("agents:agents", args=[shop.pk])
    assert "Give agents rows all the same" in as_alice.get(address).content.decode()
    assert as_bob.post(address, {"rows": "on"}).status_code == 403
    assert as_charlie.post(address, {"rows": "on"}).status_code == 404
    assert client.post(address, {"rows": "on"}).status_code == 302
    assert not AgentRows.objects.exists()
    as_alice.post(address, {"rows": "on"})
    assert AgentRows.objects.get().allowed_by.username == "alice"
    assert AuditRow.objects.filter(verb="changed what agents see", who="alice").count() == 1
    as_alice.post(address, {})
    assert not AgentRows.objects.exists()
    Source.objects.filter(pk=shop.pk).update(privacy="rows")
    assert "so agents may too" in as_alice.get(address).content.decode()


# ---------------------------------------------------------------- who


def test_a_tool_needs_a_token_for_agents_its_scope_and_its_source(bob, charlie, team, shop, media):
    assert refused(tool_call, "", "here", "sources").code == "unknown-token"
    assert refused(tool_call, secret_of(bob), "here", "sources").code == "program-token"
    for name, (_, scope) in tools.TOOLS.items():
        lacking = agent(bob, [one for one in ALL if one != scope])
        assert refused(lacking, name).code == "scope-missing"
    stranger = agent(charlie)
    assert stranger("sources") == {"sources": []}
    for tool, wish in {
        "search_catalog": {}, "ask": {"question": "x"}, "run_sql": {"sql": "SELECT 1"}, "explain": {"sql": "SELECT 1"},
    }.items():  # fmt: skip
        assert refused(stranger, tool, source="shop", **wish).status == 404
    assert refused(stranger, "rows", version=1).status == 404
    assert refused(stranger, "choose_reading", run=1, reading=0).status == 404


def test_every_call_is_in_the_audit(bobs):
    before = AuditRow.objects.order_by("-pk").first().pk
    bobs("sources")
    bobs("search_catalog", source="shop")
    bobs("search_catalog", source="shop")
    refused(bobs, "run_sql", source="nowhere", sql="SELECT 1")
    rows = AuditRow.objects.filter(pk__gt=before).order_by("pk")
    assert [(row.who, row.token, row.origin, row.details.get("doing")) for row in rows] == [
        ("bob", "test", "10.0.0.9", f"MCP {tool}")
        for tool in ("sources", "search_catalog", "search_catalog", "run_sql")
    ]


# ---------------------------------------------------------------- the protocol


def test_the_tools_take_few_tokens(threads):
    async def listed():
        async with Client(server_make(threads, "x")) as client:
            return (await client.list_tools()).tools

    found = anyio.run(listed)
    assert {one.name for one in found} == set(tools.TOOLS)
    assert len(found) <= 8
    told = json.dumps([one.model_dump(by_alias=True, exclude_none=True) for one in found])
    assert len(told) / 4 <= 2_500


async def talked(server, mode: str = "auto") -> tuple[list[str], str, bool]:
    """Answers to a client of the SDK: the tools, the sources, and whether a wrong call is an error."""
    async with Client(server, mode=mode) as client:
        names = [one.name for one in (await client.list_tools()).tools]
        told = await client.call_tool("sources", {})
        wrong = await client.call_tool("run_sql", {"source": "nowhere", "sql": "SELECT 1"})
        return names, told.content[0].text, wrong.is_error and "There is no source" in wrong.content[0].text


def setup_lines(command: str) -> dict:
    """The JSON of docs/agents.md that sets a client up over stdin and stdout."""
    text = (ROOT / "docs/agents.md").read_text()
    blocks = [json.loads(block.split("```")[0]) for block in text.split("```json\n")[1:]]
    return next(one["mcpServers"]["mirror"] for one in blocks if command in one["mcpServers"]["mirror"])


def test_the_lines_of_the_document_set_a_client_up(shop, bob, media):
    secret = secret_of(bob, use=Token.Use.AGENT)
    lines = setup_lines("command")
    assert lines["args"][1:] == ["mcp"]
    env = os.environ | {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "MIRROR_TOKEN": secret,
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
    }
    params = StdioServerParameters(command=sys.executable, args=["manage.py", "mcp"], env=env, cwd=str(ROOT))
    names, sources, is_error = anyio.run(talked, params)
    assert set(names) == set(tools.TOOLS)
    assert json.loads(sources)["sources"][0]["name"] == "shop"
    assert is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_both_eras_are_spoken_over_http(shop, bob, media, threads, mode):
    secret = secret_of(bob, use=Token.Use.AGENT)
    server = uvicorn.Server(uvicorn.Config(http_app(threads), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]
        address = f"http://127.0.0.1:{port}/mcp"

        async def with_token(secret: str):
            async with create_mcp_http_client(headers={"Authorization": f"Bearer {secret}"}) as http:
                return await talked(streamable_http_client(address, http_client=http), mode)

        names, sources, is_error = anyio.run(with_token, secret)
        assert set(names) == set(tools.TOOLS)
        assert "shop" in sources
        assert is_error
        with pytest.raises(BaseException, match="401|Unauthorized|token|TaskGroup"):
            anyio.run(with_token, secret[:-1])
    finally:
        server.should_exit = True
        thread.join()

"""Calls of programs over the servers that answer them: the same as through all middleware, in threads that keep their connection."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
import uvicorn
from django.db import connection, connections
from django.db.backends.signals import connection_created

from mirror import store_threads
from mirror.agents.serving import http_app
from mirror.api.models import Token
from mirror.api.services import token_revoke
from mirror.api.v1_urls import operation_scopes
from mirror.people.services import user_deactivate
from mirror.program_calls import Application
from mirror.store_threads import StoreThreads
from tests.web.api_world import Caller, World, secret_of, world_make
from tests.web.test_agents import refused
from tests.web.test_api import COLUMNS, table

pytestmark = pytest.mark.django_db(transaction=True)
# Statements of one call of the API and of one tool over HTTP: the token, the call counted, the audit of a tool, what is
# seen. More of them is a decision.
STATEMENTS = {"API": 5, "MCP": 16}


@pytest.fixture
def world(alice, bob, charlie, team, shop, media) -> World:
    return world_make(alice, bob, charlie, team, shop)


@contextmanager
def served(app: Any) -> Iterator[int]:
    """The port of a server in a thread of this process."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def port() -> Iterator[int]:
    app = Application()
    with served(app) as port:
        yield port
    app.threads.end()


@pytest.fixture
def opened() -> Iterator[list[list[str]]]:
    """The statements of each connection that is opened by another thread than this."""
    found: list[list[str]] = []

    def listen(connection: Any, **_: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            return
        said: list[str] = []

        def told(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            said.append(sql)
            return execute(sql, params, many, context)

        connection.execute_wrappers.append(told)
        found.append(said)

    connection_created.connect(listen)
    yield found
    connection_created.disconnect(listen)


def sent(
    port: int, method: str, path: str, secret: str = "", body: Any = None
) -> tuple[int, dict[str, str], bytes]:
    """Make a call: status, headers, body."""
    web = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    web.request(method, path, json.dumps(body) if body is not None else None, headers)
    answer = web.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


# ---------------------------------------------------------------- the same answers


PLACES = {"name": "shop", "reading": 0}


def test_everybody_gets_the_same_as_through_all_middleware(world, port, bob, shop, team):
    """Each look, and what no scope or wrong body lets through; what is done once is told by its own tests."""
    kept = table()
    for method, path in sorted(operation_scopes()):
        if method != "GET" or path.endswith("/events"):
            continue
        places = PLACES | {
            "run": world.report_run.pk if "report-runs" in path else world.run.pk,
            "version": world.version.pk,
            "saved": world.saved.pk,
            "report": world.report.pk,
            "file": world.file.pk,
        }
        address = path.format(**places)
        for column in COLUMNS[:-1]:
            if column == "without the scope":
                continue
            secret = world.secrets[column]
            status, headers, body = sent(port, method, address, secret)
            assert str(status) == kept[method, path][COLUMNS.index(column)], (address, column)
            full = Caller(secret).get(address.removeprefix("/api/v1"))
            expected = {name.lower(): value for name, value in full.headers.items()}
            for one in (headers, expected):
                for name in ("date", "server", "x-request-id", "transfer-encoding", "content-length"):
                    one.pop(name, None)
            # Cookies change no answer, and are not read on the short way.
            expected["vary"] = expected["vary"].removesuffix(", Cookie")
            assert headers == expected, (address, column)
            if not full.streaming and path != "/api/v1/token":
                told = full.content.replace(b"http://testserver/", b"http://127.0.0.1:%d/" % port)
                assert body == told, (address, column)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/nowhere", 404),
        ("GET", "/api/../people/", 404),
        ("GET", "/api/v1/runs?token=x", 400),
        ("DELETE", "/api/v1/runs", 405),
        ("POST", "/api/v1/runs", 422),
        ("GET", "/people/", 302),
    ],
)
def test_what_is_no_call_is_told_alike(world, port, method, path, status):
    found, headers, body = sent(port, method, path, world.secrets["bob"])
    assert found == status
    assert status == 302 or json.loads(body)["status"] == status
    assert "set-cookie" not in headers


def test_another_host_is_refused(world, port):
    web = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {world.secrets['bob']}", "Host": "elsewhere.example"}
    web.request("GET", "/api/v1/sources", headers=headers)
    assert web.getresponse().status == 400


def test_a_stream_of_rows_and_of_steps_comes_whole(world, port):
    rows = sent(port, "GET", f"/api/v1/versions/{world.version.pk}/rows", world.secrets["bob"])[2]
    assert len(rows.splitlines()) == 2
    status, headers, body = sent(port, "GET", f"/api/v1/runs/{world.run.pk}/events", world.secrets["bob"])
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert b"event: ended" in body


# ---------------------------------------------------------------- rights at the next call


def test_a_call_after_a_right_ended_is_refused_on_the_same_connection(world, port, alice, bob, team, shop):
    secret = world.secrets["bob"]
    web = http.client.HTTPConnection("127.0.0.1", port)

    def status(path: str) -> int:
        web.request("GET", f"/api/v1{path}", headers={"Authorization": f"Bearer {secret}"})
        answer = web.getresponse()
        answer.read()
        return answer.status

    catalog, run = "/sources/shop/catalog", f"/runs/{world.run.pk}"
    assert (status(catalog), status(run)) == (200, 200)
    shop.teams.remove(team)
    assert (status(catalog), status(run)) == (404, 404)
    shop.teams.add(team)
    assert status(run) == 200
    token_revoke(Token.objects.get(owner=bob, name="test", is_limited=False, use="program"), bob)
    assert status(run) == 401
    secret = secret_of(bob)
    assert status(run) == 200
    user_deactivate(bob, alice)
    assert status(run) == 401


def tool_called(port: int, secret: str, between: Any, times: int = 1) -> list[bool]:
    """Whether calls of a tool over HTTP were refused, one after each thing that is done between them."""
    from httpx2 import HTTPError
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client
    from mcp.shared.exceptions import MCPError

    async def calls() -> list[bool]:
        found = []
        async with create_mcp_http_client(headers={"Authorization": f"Bearer {secret}"}) as web:
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
            async with Client(transport) as client:
                for act in between:
                    await anyio.to_thread.run_sync(act)
                    try:
                        found.append((await client.call_tool("search_catalog", {"source": "shop"})).is_error)
                    except (MCPError, HTTPError):
                        found.append(True)
        return found

    return anyio.run(calls)


def test_a_tool_after_a_right_ended_is_refused(alice, bob, team, shop, media):
    token_secret = secret_of(bob, use=Token.Use.AGENT)

    def own(act: Any) -> Any:
        def acted() -> None:
            try:
                act()
            finally:
                connection.close()

        return acted

    def nothing() -> None:
        pass

    threads = StoreThreads()
    with served(http_app(threads)) as port:
        acts = [
            nothing,
            own(lambda: shop.teams.remove(team)),
            own(lambda: shop.teams.add(team)),
            own(lambda: token_revoke(Token.objects.get(owner=bob), bob)),
        ]
        assert tool_called(port, token_secret, acts) == [False, True, False, True]
        secret = secret_of(bob, use=Token.Use.AGENT)
        assert tool_called(port, secret, [nothing, own(lambda: user_deactivate(bob, alice))]) == [False, True]
    threads.end()


def test_a_token_found_long_before_its_tool_is_found_anew(bob, team, shop, media, monkeypatch):
    """A body may come an hour after its headers: the token of then counts no more."""
    from mirror.agents import serving

    found = []
    real = serving.tool_call
    monkeypatch.setattr(
        serving, "tool_call", lambda by, *a, **k: (found.append(type(by)), real(by, *a, **k))[1]
    )
    threads = StoreThreads()
    secret = secret_of(bob, use=Token.Use.AGENT)
    with served(http_app(threads)) as port:
        assert tool_called(port, secret, [lambda: None]) == [False]
        monkeypatch.setattr(serving, "FOUND_SECONDS", 0.0)
        assert tool_called(port, secret, [lambda: None]) == [False]
    threads.end()
    assert found == [Token, str]


# ---------------------------------------------------------------- the store


def test_calls_keep_their_connection_and_make_few_statements(world, port, opened):
    secret = world.secrets["bob"]
    for _ in range(3):
        assert sent(port, "GET", f"/api/v1/runs/{world.run.pk}", secret)[0] == 200
    for said in opened:
        said.clear()
    for _ in range(10):
        assert sent(port, "GET", f"/api/v1/runs/{world.run.pk}", secret)[0] == 200
    assert len(opened) <= 3, "opened anew"
    assert sum(map(len, opened)) <= 10 * STATEMENTS["API"], opened


def test_without_kept_connections_each_call_opens_one(world, opened, monkeypatch):
    monkeypatch.setattr(store_threads, "KEPT", 0)
    app = Application()
    with served(app) as port:
        for _ in range(5):
            sent(port, "GET", f"/api/v1/runs/{world.run.pk}", world.secrets["bob"])
    app.threads.end()
    assert len(opened) == 5


def test_tools_keep_their_connection_and_make_few_statements(bob, team, shop, media, opened):
    threads = StoreThreads()
    secret = secret_of(bob, use=Token.Use.AGENT)

    def forget() -> None:
        for said in opened:
            said.clear()

    with served(http_app(threads)) as port:
        assert not any(tool_called(port, secret, [lambda: None, forget, *([lambda: None] * 4)]))
    threads.end()
    assert len(opened) <= 3, "opened anew"
    assert sum(map(len, opened)) <= 5 * STATEMENTS["MCP"], opened


def test_a_thread_keeps_no_transaction_and_no_language(db):
    from django.utils import translation

    threads = StoreThreads()

    def leaves() -> None:
        connections["default"].set_autocommit(False)
        translation.activate("de")

    def finds() -> tuple[bool, str]:
        return connections["default"].get_autocommit(), translation.get_language()

    async def both() -> Any:
        await threads.do(leaves)
        return await threads.do(finds)

    assert anyio.run(both) == (True, "en")
    threads.end()


def test_a_refusal_of_a_tool_is_a_problem(bob):
    from mirror.agents.tools import tool_call

    assert refused(tool_call, "mir_none", "10.0.0.9", "sources").status == 401

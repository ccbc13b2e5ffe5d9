"""Cost of a call of the API and of an agents' tool above the service it calls: `python -m tests.web.bench_api`.

Web server and MCP server run in processes of their own, on loopback, over one connection. Exit code 1 when the 95th
percentile is above what it may be; busy processors count as well.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio

CALLS = 300
ALLOWED = {"API": 10.0, "MCP": 20.0}


Measured = tuple[float, float]


def _figures(took: list[float]) -> Measured:
    """The median and the 95th percentile."""
    took = sorted(took)
    return took[len(took) // 2], took[int(len(took) * 0.95)]


def _milliseconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return (time.perf_counter() - began) * 1_000


@contextmanager
def served(*command: str, port: int) -> Iterator[Callable[[], float]]:
    """A server until the block ends; says how many milliseconds of a processor it took so far."""
    process = subprocess.Popen([sys.executable, *command])
    try:
        while True:
            try:
                http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.1)
        yield lambda: _processor(process.pid)
    finally:
        process.terminate()
        process.wait()


def _processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")


def api(secret: str, path: str, port: int, service: Callable[[], object]) -> tuple[Measured, Measured]:
    """The service and a call of the API over one connection, in turns, so that other work on the machine slows both."""
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def call() -> None:
        connection.request("GET", path, headers={"Authorization": f"Bearer {secret}"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        json.loads(answer.read())

    call()
    service()
    took = [(_milliseconds(service), _milliseconds(call)) for _ in range(CALLS)]
    return _figures([one for one, _ in took]), _figures([one for _, one in took])


def mcp(secret: str, port: int, service: Callable[[], object]) -> tuple[Measured, Measured]:
    """The service and a call of a tool over one connection, in turns."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async def calls() -> list[tuple[float, float]]:
        took = []
        async with create_mcp_http_client(headers={"Authorization": f"Bearer {secret}"}) as web:
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
            async with Client(transport) as client:
                for _ in range(CALLS + 1):
                    alone = await anyio.to_thread.run_sync(lambda: _milliseconds(service))
                    began = time.perf_counter()
                    assert not (await client.call_tool("search_catalog", {"source": "shop"})).is_error
                    took.append((alone, (time.perf_counter() - began) * 1_000))
        return took[1:]

    took = anyio.run(calls)
    return _figures([one for one, _ in took]), _figures([one for _, one in took])


def main() -> int:
    """Make a store, measure, say how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "MIRROR_ENV_FILE": os.devnull,
            "MIRROR_VAR_DIR": folder,
            "SECRET_KEY": "bench",
            "MIRROR_ENCRYPTION_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
            "DJANGO_SETTINGS_MODULE": "mirror.settings",
            "API_CALLS_PER_MINUTE": "1000000",
            "LOG_LEVEL": "WARNING",
        }
        import django

        django.setup()
        from django.core.management import call_command

        from mirror.agents import tools
        from mirror.api.models import Token
        from mirror.api.services import token_make
        from mirror.api.telling import run_told
        from mirror.asking.selectors import run_visible
        from mirror.asking.services import run_ask
        from mirror.people.services import user_create
        from mirror.sources.catalog_services import catalog_refresh
        from mirror.sources.models import Source
        from tests import stores

        call_command("migrate", verbosity=0, interactive=False)
        alice = user_create("alice")
        stores.shop_copy(Path(folder) / "shop.sqlite3")
        shop = Source.objects.create(
            owner=alice, name="shop", engine="sqlite", database=str(Path(folder) / "shop.sqlite3")
        )
        catalog_refresh(shop)
        run = run_ask(alice, shop, "How many orders were placed in 2025?")
        scopes = ["read", "ask", "sql", "rows"]
        program = token_make(alice, "bench", scopes, days=1)[1]
        of_agent, agent = token_make(alice, "bench", scopes, days=1, use=Token.Use.AGENT)

        def told() -> None:
            found = run_visible(alice, run.pk)
            assert found is not None
            run_told(found, with_rows=True, at="http://127.0.0.1:8791/").model_dump_json()

        uvicorn = (
            "-m",
            "uvicorn",
            "mirror.asgi:application",
            "--port",
            "8791",
            "--log-level",
            "error",
            "--timeout-keep-alive",
            "60",
        )
        mcp_server = ("manage.py", "mcp", "--http", "--port", "8792")
        with served(*uvicorn, port=8791) as of_api, served(*mcp_server, port=8792) as of_mcp:
            measured = {}
            before = of_api()
            took = api(program, f"/api/v1/runs/{run.pk}", 8791, told)
            measured["API"] = (*took, of_api() - before)
            before = of_mcp()
            took = mcp(agent, 8792, lambda: tools.search_catalog(of_agent, "shop"))
            measured["MCP"] = (*took, of_mcp() - before)
    is_well = True
    for name, (service, call, processor) in measured.items():
        above = call[1] - service[1]
        is_well &= above <= ALLOWED[name]
        print(
            f"{name}: service {service[0]:.1f} ms (p95 {service[1]:.1f}), call {call[0]:.1f} ms (p95 {call[1]:.1f}, "
            f"{processor / CALLS:.1f} of a processor), "
            f"above it {above:.1f} of {ALLOWED[name]:.0f} ms"
        )
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())

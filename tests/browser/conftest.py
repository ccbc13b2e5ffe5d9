"""A real Mirror for a real Chromium: web server, Celery worker and scheduler, as `script/server` runs them.

One server serves all browser tests, in a folder of its own. Every page is watched: a script error, a
message of the console or a broken content security policy fails the test that met it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
START_SECONDS = 60

# A view that never ends by itself: something to stop.
ENDLESS = """
CREATE TABLE stations (id INTEGER PRIMARY KEY, height REAL);
INSERT INTO stations VALUES (1, 12.5), (2, 40);
CREATE VIEW measurements AS
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT i AS id, i * 0.5 AS height FROM n;
"""

expect.set_options(timeout=10_000)


@dataclass(frozen=True)
class Mirror:
    """A running Mirror: its address, its folder, and the link that signs its administrator in."""

    url: str
    folder: Path
    link: str


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    """Start everything, wait for the sign-in link, stop everything."""
    folder = tmp_path_factory.mktemp("mirror")
    dropped = ("DATABASE_URL", "REDIS_URL", "LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "PRODUCTION", "DEBUG")
    environment = {name: value for name, value in os.environ.items() if name not in dropped} | {
        "MIRROR_VAR_DIR": str(folder),
        "MIRROR_ENV_FILE": os.devnull,
        "STATEMENT_SECONDS": "20",
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
    }
    for name in ("SECRET_KEY", "MIRROR_ENCRYPTION_KEYS", "ALLOWED_HOSTS"):
        environment.pop(name, None)
    port = _free_port()
    log = folder / "serve.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "script" / "serve.py"), "--port", str(port)],
            cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        yield Mirror(f"http://127.0.0.1:{port}", folder, _link(process, log))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _link(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        text = log.read_text()
        if "Sign in once with " in text:
            return text.split("Sign in once with ")[1].split()[0]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"Mirror did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """Debian's Chromium; without a sandbox where root runs it, and never calling home."""
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail("No Chromium was found. Install one: apt-get install chromium", pytrace=False)
    arguments = ["--disable-background-networking", "--disable-component-update"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    return {**browser_type_launch_args, "executable_path": found, "args": arguments}


@pytest.fixture(scope="session")
def signed_in(mirror: Mirror, browser: Browser) -> dict[str, object]:
    """What a browser keeps once the administrator used the link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(mirror.link)
    page.get_by_role("main").get_by_role("button").click()
    page.wait_for_url(f"{mirror.url}/**")
    state = context.storage_state()
    context.close()
    return dict(state)


@pytest.fixture
def browser_context_args(
    browser_context_args: dict[str, object], mirror: Mirror, signed_in: dict[str, object]
) -> dict[str, object]:
    """Signed in, on a wide screen, without motion."""
    return {
        **browser_context_args,
        "base_url": mirror.url,
        "storage_state": signed_in,
        "viewport": {"width": 1440, "height": 900},
        "reduced_motion": "reduce",
    }


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that tolerates no error: of a script, of the console, of the content security policy."""
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(f"{page.url}: {error}"))
    page.on("console", lambda told: told.type == "error" and trouble.append(f"{page.url}: {told.text}"))
    yield page
    # A 422 is how a form says no; the browser's console calls it an error.
    met = [line for line in trouble if "status of 422" not in line and "status of 404" not in line]
    assert not met, "\n".join(met)


@pytest.fixture(scope="session")
def endless_file(mirror: Mirror) -> Path:
    """A database whose rows never end."""
    path = mirror.folder / "endless.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.executescript(ENDLESS)
    connection.close()
    return path

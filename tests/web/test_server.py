"""`script/serve.py` for real: first start, sign-in, a killed worker, a taken port, a clean end."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import PASSWORD, postgres_server

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"http://\S+/sign-in/link/\S+/")


class Running:
    """A started Mirror: its process, its folder and a browser without pictures."""

    def __init__(self, folder: Path, port: int, **environment: str) -> None:
        kept = {
            k: v
            for k, v in os.environ.items()
            if k not in ("SECRET_KEY", "MIRROR_ENCRYPTION_KEYS", "ALLOWED_HOSTS")
        }
        kept.pop("DJANGO_SETTINGS_MODULE", None)
        kept.pop("MIRROR_VAR_DIR", None)
        self.folder, self.port = folder, port
        self.process = subprocess.Popen(
            [sys.executable, "script/serve.py", "--port", str(port)],
            cwd=ROOT,
            env={**kept, "MIRROR_VAR_DIR": str(folder), "HOME": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )
        self.said = self.link = ""
        self.signed_in_at: tuple[str, int, str, str] = ("", 0, "", "")

    def up(self) -> Running:
        """Wait for the one line on standard output."""
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = LINK.search(self.said)
        assert found, f"said {self.said!r}, then {self.process.communicate()[1]!r}"
        self.link = found.group()
        return self

    def sign_in(self) -> tuple[int, str, str]:
        """Use the link: open it and press its button."""
        _, _, page = self.get(self.link)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        return self.get(self.link, {"csrfmiddlewaretoken": token.group(1)})

    def get(self, path: str, data: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Fetch a page: status, address in the end, text."""
        sent = urllib.parse.urlencode(data).encode() if data is not None else None
        address = path if path.startswith("http") else f"http://127.0.0.1:{self.port}{path}"
        try:
            with self.opener.open(urllib.request.Request(address, sent), timeout=20) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.url or "", error.read().decode()

    def children(self) -> set[int]:
        """Every process that descends from ours."""
        parents: dict[int, int] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(stat.parent.name)] = int(fields[1])
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
            found |= more
        return found - {self.process.pid}

    def part(self, words: str) -> int:
        """The direct child whose command line holds `words`."""
        for pid in self.children():
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
            if words in line and parent == str(self.process.pid):
                return pid
        raise AssertionError(f"no child runs {words}")

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Ask it to end; exit code and what it said on standard error."""
        self.process.send_signal(sign)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Mirror started in an empty folder, and a browser signed in to it by the link."""
    running = Running(tmp_path_factory.mktemp("var"), free_port())
    try:
        running.up()
        running.signed_in_at = running.get("/")[1], *running.sign_in()
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


def test_a_first_start_makes_what_it_needs_and_says_one_line(started):
    assert started.said == f"Mirror is up. Sign in once with {started.link}\n"
    secrets = started.folder / "secrets.env"
    assert oct(secrets.stat().st_mode & 0o777) == "0o600"
    assert (started.folder / "shop.sqlite3").is_file()
    status, _, text = started.get("/healthz")
    assert status == 200
    assert json.loads(text) == {
        "status": "up",
        **dict.fromkeys(("web", "store", "worker", "intake", "reports", "deliveries"), "up"),
    }

    before, status, after, _ = started.signed_in_at
    assert "/sign-in/" in before
    assert status == 200
    assert "/sign-in/" not in after
    assert "shop" in started.get("/sources/")[2]
    assert started.get(started.link)[0] == 410


def test_static_files_come_from_our_own_server_with_a_strict_policy(started):
    with started.opener.open(f"http://127.0.0.1:{started.port}/sources/", timeout=20) as answer:
        page, policy = answer.read().decode(), answer.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy + ";"
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert files
    assert {started.get(file)[0] for file in files} == {200}
    assert not re.findall(r'(?:src|href)="https?://', page)


def test_the_worker_makes_the_values_of_the_shop_searchable(started):
    until = time.monotonic() + 30
    while "searchable" not in (page := started.get("/sources/1/")[2]) and time.monotonic() < until:
        time.sleep(0.3)
    assert "searchable" in page


@pytest.mark.parametrize(
    ("own_folder", "words"),
    [
        (True, "running already, at http://127.0.0.1:{port}"),
        (False, "Cannot listen on 127.0.0.1 port {port}"),
    ],
)
def test_a_second_start_is_told_why_not_and_the_way_out(started, tmp_path, own_folder, words):
    second = Running(started.folder if own_folder else tmp_path, started.port)
    _, errors = second.process.communicate(timeout=30)
    assert second.process.returncode == 1
    assert words.format(port=started.port) in errors
    assert "Ctrl-C" in errors or "--port" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("name", ["mirror", "intake", "deliveries"])
def test_a_killed_worker_is_started_again(started, name):
    worker = started.part(f"--hostname {name}@")
    os.kill(worker, signal.SIGKILL)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            if started.part(f"--hostname {name}@") != worker:
                break
        except (AssertionError, FileNotFoundError):
            pass
        time.sleep(0.2)
    assert started.part(f"--hostname {name}@") != worker


def test_no_log_holds_a_secret(started):
    keys = [
        line.partition("=")[2]
        for line in (started.folder / "secrets.env").read_text().splitlines()
        if "=" in line
    ]
    assert started.get(started.link, {"csrfmiddlewaretoken": "wrong"})[0] == 403
    logs = "".join(path.read_text() for path in (started.folder / "logs").glob("*.log"))
    assert len(keys) == 2
    assert not any(key in logs for key in keys)
    assert not re.search(r"/sign-in/link/\w", logs)


def test_it_ends_cleanly_with_all_its_children_and_starts_again_in_seconds(started):
    until = time.monotonic() + 20
    while len(children := started.children()) < 11 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(children) >= 11, "web, scheduler, four workers, two each of two of them, a server of one"
    code, errors = started.stop(signal.SIGINT)
    assert code == 0
    assert errors.endswith("Stopped.\n")
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]

    before = time.monotonic()
    again = Running(started.folder, started.port)
    again.up()
    assert time.monotonic() - before < 15
    children = again.children()
    again.process.kill()
    again.process.communicate()
    until = time.monotonic() + 20
    while [pid for pid in children if Path(f"/proc/{pid}").exists()] and time.monotonic() < until:
        time.sleep(0.2)
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()], "children die with their parent"


@pytest.mark.parametrize("name", ["SECRET_KEY", "MIRROR_ENCRYPTION_KEYS"])
def test_a_missing_secret_in_production_stops_the_start_with_its_name(tmp_path, name):
    secrets = {"SECRET_KEY": "x" * 50, "MIRROR_ENCRYPTION_KEYS": os.environ["MIRROR_ENCRYPTION_KEYS"]}
    del secrets[name]
    running = Running(tmp_path, free_port(), PRODUCTION="1", **secrets)
    _, errors = running.process.communicate(timeout=30)
    assert running.process.returncode == 1
    assert name in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "secrets.env").exists()


def test_it_keeps_its_store_on_a_server_when_told_so(tmp_path):
    server = postgres_server()
    with server.connect() as db:
        db.execute("CREATE DATABASE mirror_store")
    url = f"postgres://{server.user}:{urllib.parse.quote(PASSWORD)}@{server.host}:{server.port}/mirror_store"
    running = Running(tmp_path, free_port(), DATABASE_URL=url)
    running.up()
    status, _, text = running.get("/healthz")
    assert (status, json.loads(text)["store"]) == (200, "up")
    assert running.stop()[0] == 0
    assert not (tmp_path / "store.sqlite3").exists()
    with server.connect("mirror_store") as db:
        assert db.execute("SELECT name FROM sources_source").fetchall() == [("shop",)]


def test_a_store_that_is_not_there_is_told_in_words(tmp_path):
    running = Running(tmp_path, free_port(), DATABASE_URL="postgres://nobody:hushhush@127.0.0.1:1/nowhere")
    _, errors = running.process.communicate(timeout=30)
    assert running.process.returncode == 1
    assert "The store does not answer" in errors
    assert "hushhush" not in errors
    assert "Traceback" not in errors


def test_health_names_what_is_down(client, db):
    from datetime import timedelta

    from django.utils import timezone

    from mirror.health.models import Heartbeat
    from mirror.health.services import beat

    assert client.get("/healthz").json()["worker"] == "down"
    beat("one")
    assert client.get("/healthz").json()["why"] == {
        "intake": "No worker for intake has started.",
        "reports": "No worker for reports has started.",
        "deliveries": "No worker for deliveries has started.",
    }
    beat("two", ["deliveries", "reports", "intake"])
    assert client.get("/healthz").status_code == 200
    Heartbeat.objects.update(at=timezone.now() - timedelta(minutes=1))
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert "sign of life" in answer.json()["why"]["worker"]

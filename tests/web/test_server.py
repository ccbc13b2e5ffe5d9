"""`script/serve.py` for real: first start, sign-in, a killed worker, a taken port, a clean end."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import brotli
import pytest

from mirror.modes import too_open
from script import serve
from tests import warm
from tests.processes import command, runs
from tests.server_processes import free_port
from tests.servers import PASSWORD, PostgresServer, RedisServer
from tests.stores import shop_copy, static_copy

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"http://\S+/sign-in/link/\S+/")


class Running:
    """A started Mirror: its process, its folder and a browser without pictures."""

    starts = staticmethod(warm.Popen)

    def __init__(self, folder: Path, port: int, **environment: str) -> None:
        kept = {
            k: v
            for k, v in os.environ.items()
            if k not in ("SECRET_KEY", "MIRROR_ENCRYPTION_KEYS", "ALLOWED_HOSTS")
        }
        kept.pop("DJANGO_SETTINGS_MODULE", None)
        kept.pop("MIRROR_VAR_DIR", None)
        self.folder, self.port = folder, port
        self.process = self.starts(
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
        assert self.said.startswith("Mirror is up"), (
            f"said {self.said!r}, then {self.process.communicate()[1]!r}"
        )
        found = LINK.search(self.said)
        self.link = found.group() if found else ""
        return self

    def sign_in(self) -> tuple[int, str, str]:
        """Use the link: open it and press its button."""
        return self.fill(self.link)

    def fill(self, path: str, **fields: str) -> tuple[int, str, str]:
        """Open a page and send its form."""
        return self.get(path, {"csrfmiddlewaretoken": self.form_token(path), **fields})

    def form_token(self, path: str) -> str:
        """CSRF token of a page's form."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path)[2])
        assert token
        return token.group(1)

    def get(
        self, path: str, data: dict[str, str] | bytes | None = None, **headers: str
    ) -> tuple[int, str, str]:
        """Fetch a page: status, address in the end, text."""
        sent = urllib.parse.urlencode(data).encode() if isinstance(data, dict) else data
        address = path if path.startswith("http") else f"http://127.0.0.1:{self.port}{path}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            with self.opener.open(urllib.request.Request(address, sent, named), timeout=20) as answer:
                return answer.status, answer.url, answer.read().decode(errors="replace")
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

    def health(self) -> tuple[int, dict[str, Any], float]:
        """Status and body of /healthz, and its seconds."""
        began = time.monotonic()
        status, _, text = self.get("/healthz")
        return status, json.loads(text), time.monotonic() - began

    def wait_for_health(self, wanted: int, seconds: float = 30) -> dict[str, Any]:
        """Ask until /healthz answers so."""
        until = time.monotonic() + seconds
        while (answer := self.health())[0] != wanted and time.monotonic() < until:
            time.sleep(0.3)
        assert answer[0] == wanted, answer
        return answer[1]

    def open_to_others(self) -> list[str]:
        """Paths of its folder that others on the machine may read, write or enter."""
        return [f"{path.lstat().st_mode & 0o777:o} {path}" for path in too_open(self.folder)]


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
        **dict.fromkeys(("web", "store", "broker", "worker", "intake", "reports", "deliveries"), "up"),
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


def over_the_wire(started: Running, page: str, imports: str, without: Sequence[str] = ()) -> int:
    """Bytes of all scripts that a page loads, as they are sent, with those that they import."""
    wanted = re.findall(r'<script src="(/static/[^"]+)"', started.get(page)[2])
    sent = 0
    seen: set[str] = set()
    while wanted:
        path = wanted.pop()
        if path in seen or any(name in path for name in without):
            continue
        seen.add(path)
        address = f"http://127.0.0.1:{started.port}{path}"
        asked = urllib.request.Request(address, headers={"Accept-Encoding": "gzip, deflate, br"})
        with started.opener.open(asked, timeout=20) as answer:
            body = answer.read()
            assert answer.headers["Content-Encoding"] == "br", path
            kept = answer.headers["Cache-Control"]
        assert "immutable" in kept and int(re.findall(r"max-age=(\d+)", kept)[0]) >= 365 * 86_400, path
        sent += len(body)
        if "/js/build/" not in path:
            found = re.findall(imports, brotli.decompress(body).decode())
            wanted += [urllib.parse.urljoin(path, name) for name in found]
    assert len(seen) > 5
    return sent


def test_scripts_are_small_on_the_wire_and_kept_for_a_year(started):
    at_once, ever = r"""(?:from|import)\s*["'](\./[^"']+)["']""", r"""["'](\./[^"'\s]+\.js)["']"""
    assert over_the_wire(started, "/", at_once) <= 40_000
    run = over_the_wire(
        started, "/", ever, without=("mirror-sql", "mirror-board", "mirror-zone", "build/maps")
    )
    assert run <= 450_000, (
        "all that a run loads, chart and editor; the own scripts of the SQL page, of dashboards and of reports are no part of it"
    )
    with_map = over_the_wire(started, "/", ever, without=("mirror-sql", "mirror-board", "mirror-zone"))
    assert 50_000 < with_map - run <= 80_000, (
        "what draws maps, with the shapes of countries, comes with the first map"
    )


def test_the_worker_makes_the_values_of_the_shop_searchable(started):
    until = time.monotonic() + 30
    while "searchable" not in (page := started.get("/sources/1/")[2]) and time.monotonic() < until:
        time.sleep(0.3)
    assert "searchable" in page


def test_nobody_else_on_the_machine_may_read_what_it_writes(started):
    assert oct(started.folder.stat().st_mode & 0o777) == "0o700"
    file = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="sales.csv"\r\n'
        b"Content-Type: text/csv\r\n\r\nplace,amount\r\nOslo,5\r\n\r\n--x\r\n"
        b'Content-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n%s\r\n--x--\r\n'
    )
    token = started.form_token("/sources/upload/").encode()
    status, review, _ = started.get(
        "/sources/upload/", file % token, Content_Type="multipart/form-data; boundary=x"
    )
    assert (status, "/sources/upload/" in review) == (200, True)
    _, run, _ = started.fill(
        "/", source="shop", question="SELECT country, count(*) FROM customers GROUP BY 1"
    )
    found, written, until = set(), set(), time.monotonic() + 30
    while not {"store.sqlite3-wal", ".parquet"} <= written and time.monotonic() < until:
        found |= set(started.open_to_others())
        for _, _, files in os.walk(started.folder):
            written |= {*files, *(Path(name).suffix for name in files)}
        started.get(run)
    assert not found | set(started.open_to_others())
    assert {"store.sqlite3", "store.sqlite3-wal", "store.sqlite3-shm", "secrets.env", "running"} <= written
    assert {"web.log", "worker.log", "reports.log", "deliveries.log", "scheduler.log"} <= written
    assert ".parquet" in written, "a stored result"
    uploaded = [path for path in (started.folder / "uploads").rglob("*") if path.is_file()]
    assert "place,amount" in "".join(path.read_text(errors="replace") for path in uploaded)


def test_who_calls_is_not_believed_from_a_header(started):
    browser, tried = Running.__new__(Running), []
    browser.port = started.port
    browser.opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    )
    for number in range(6):
        fields = {
            "csrfmiddlewaretoken": browser.form_token("/sign-in/"),
            "username": "nobody",
            "password": "wrong",
        }
        tried.append(browser.get("/sign-in/", fields, X_Forwarded_For=f"203.0.113.{number}")[0])
    assert tried == [200] * 5 + [429]


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


@pytest.mark.parametrize("name", ["mirror", "mirror-2", "intake", "deliveries"])
def test_a_killed_worker_is_started_again(started, name):
    worker = started.part(f"({name}@")
    os.kill(worker, signal.SIGKILL)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            if started.part(f"({name}@") != worker:
                break
        except (AssertionError, FileNotFoundError):
            pass
        time.sleep(0.2)
    assert started.part(f"({name}@") != worker


# How the parts and what they start are called in the system's list.
TITLES = {
    "Mirror: web server",
    "Mirror: worker",
    "Mirror: worker-2",
    "Mirror: worker for intake",
    "Mirror: worker for reports",
    "Mirror: worker for deliveries",
    "Mirror: scheduler",
    "Mirror: statements of SQLite files",
    "Mirror: statements of DuckDB files",
    "Mirror: reads files and databases",
}


def test_the_systems_list_of_processes_names_each_part(started):
    assert started.fill("/", source="shop", question="SELECT count(*) FROM orders")[0] == 200
    until, statements = time.monotonic() + 60, "Mirror: statements of SQLite files"
    while time.monotonic() < until:
        titles = {command(pid).rstrip(b"\0 ").decode().split(" (")[0] for pid in started.children()}
        # A process that has just started has no title yet.
        if titles <= TITLES and statements in titles:
            break
        time.sleep(0.1)
    assert titles <= TITLES
    assert {"Mirror: scheduler", "Mirror: worker", "Mirror: worker for reports", statements} <= titles


def test_a_refused_request_is_one_line_of_the_log_and_health_none(started):
    assert started.get(started.link, {"csrfmiddlewaretoken": "wrong"})[0] == 403
    log = (started.folder / "logs" / "web.log").read_text()
    assert "Traceback" not in log
    assert "healthz" not in log


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


def test_a_link_is_ended_by_choosing_a_password(started):
    chosen = {"new_password1": "a long pass phrase", "new_password2": "a long pass phrase"}
    assert started.fill("/account/", **chosen)[:2] == (200, f"http://127.0.0.1:{started.port}/account/")


def test_a_static_file_is_kept_by_everybody_and_a_page_by_no_proxy(started):
    path = re.findall(r'href="(/static/css/[^"]+)"', started.get("/")[2])[0]
    address = f"http://127.0.0.1:{started.port}{path}"
    with started.opener.open(address, timeout=20) as answer:
        assert (
            "public" in answer.headers["Cache-Control"] and "private" not in answer.headers["Cache-Control"]
        )
        seen = answer.headers["Last-Modified"]
    with pytest.raises(urllib.error.HTTPError) as unchanged:
        started.opener.open(urllib.request.Request(address, headers={"If-Modified-Since": seen}), timeout=20)
    assert unchanged.value.code == 304 and "no-store" not in unchanged.value.headers.get("Cache-Control", "")
    with started.opener.open(f"http://127.0.0.1:{started.port}/", timeout=20) as page:
        assert page.headers["Cache-Control"] == "private, no-cache"


def test_it_ends_cleanly_with_all_its_children_and_starts_again_with_what_it_made(started):
    until = time.monotonic() + 20
    while len(children := started.children()) < 10 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(children) >= 10, (
        "web, scheduler, two that answer, three more workers, two of one, a server of one"
    )
    code, errors = started.stop(signal.SIGINT)
    assert code == 0
    assert errors.endswith("Stopped.\n")
    assert not list(filter(runs, children))
    assert "Others on this machine" not in errors

    made = [started.folder / name for name in ("secrets.env", "shop.sqlite3")]
    before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in made]
    (started.folder / "store.sqlite3").chmod(0o644)
    started.folder.chmod(0o755)
    again = Running(started.folder, started.port, WORKERS="1")
    again.up()
    assert [(path.stat().st_ino, path.stat().st_mtime_ns) for path in made] == before
    assert again.said == f"Mirror is up at http://127.0.0.1:{started.port}/\n", "somebody has a password"
    assert not again.open_to_others()
    children = again.children()
    again.process.kill()
    _, errors = again.process.communicate()
    assert "sample shop" not in errors, "what is there is not built again"
    assert f"could read or enter 2 files and folders of {started.folder}. Now only you can." in errors
    until = time.monotonic() + 20
    while list(filter(runs, children)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not list(filter(runs, children)), "children die with their parent"


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


def test_production_in_the_settings_file_counts_as_in_the_environment(tmp_path):
    """The first start made keys that the settings then did not read, and stopped."""
    file, folder = tmp_path / "env", tmp_path / "data"
    file.write_text(f"PRODUCTION=true\nMIRROR_VAR_DIR={folder}\n")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("SECRET_KEY", "MIRROR_ENCRYPTION_KEYS", "MIRROR_VAR_DIR")
    } | {"MIRROR_ENV_FILE": str(file), "DJANGO_SETTINGS_MODULE": "mirror.settings"}
    for called in (["script/serve.py", "--port", str(free_port())], ["manage.py", "sign_in_link"]):
        done = warm.run(
            [sys.executable, *called], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 1
        assert "SECRET_KEY and MIRROR_ENCRYPTION_KEYS must come from" in done.stderr, done.stderr
        assert not (folder / "secrets.env").exists()
    made = subprocess.run(
        [sys.executable, "-m", "mirror.keys"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    file.write_text(file.read_text() + made.stdout)
    done = warm.run(
        [sys.executable, "manage.py", "migrate", "--check"], cwd=ROOT, env=environment, capture_output=True
    )
    assert b"must come from" not in done.stderr
    assert (folder).is_dir() and not (folder / "secrets.env").exists()


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """One of its own, because it is stopped."""
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    server = RedisServer()
    server.start()
    yield server
    server.remove()


def in_production(postgres: PostgresServer, redis: RedisServer, port: int) -> dict[str, str]:
    """The settings of an installation on servers, behind a proxy of its own machine."""
    login = f"{postgres.user}:{urllib.parse.quote(PASSWORD)}"
    return {
        "PRODUCTION": "true",
        "SECRET_KEY": "x" * 50,
        "MIRROR_ENCRYPTION_KEYS": os.environ["MIRROR_ENCRYPTION_KEYS"],
        "DATABASE_URL": f"postgres://{login}@{postgres.host}:{postgres.port}/mirror_store",
        "REDIS_URL": redis.url,
        "SITE_URL": f"http://127.0.0.1:{port}",
        "WORKERS": "1",
        "TRUSTED_PROXIES": "127.0.0.1",
    }


def link_asked_for(var: Path, environment: dict[str, str]) -> str:
    """The link that `manage.py sign_in_link` gives."""
    where = {"MIRROR_VAR_DIR": str(var), "DJANGO_SETTINGS_MODULE": "mirror.settings"}
    done = warm.run(
        [sys.executable, "manage.py", "sign_in_link"],
        cwd=ROOT,
        env={**os.environ, **environment, **where},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def wrong_password(running: Running, address: str) -> int:
    """Status for a wrong password from an address."""
    token = running.form_token("/sign-in/")
    fields = {"csrfmiddlewaretoken": token, "username": "admin", "password": "wrong"}
    return running.get("/sign-in/", fields, X_Forwarded_For=address)[0]


@pytest.mark.timeout(180)
def test_in_production_on_servers_it_says_no_link_and_health_names_what_went_away(tmp_path, postgres, redis):
    with postgres.connect() as db:
        db.execute("CREATE DATABASE mirror_store")
    port = free_port()
    shop_copy(tmp_path / "shop.sqlite3")
    static_copy(tmp_path)
    environment = in_production(postgres, redis, port)
    running = Running(tmp_path, port, **environment)
    try:
        running.up()
        assert running.said == (
            f"Mirror is up at http://127.0.0.1:{port}/ and nobody has a password yet. "
            "For a link to sign in with, run: .venv/bin/python manage.py sign_in_link\n"
        )
        running.link = link_asked_for(tmp_path, environment)
        tried = [wrong_password(running, f"203.0.113.{number}") for number in (1, 1, 1, 1, 1, 1, 2)]
        assert tried == [200] * 5 + [429, 200], "the proxy's word about who calls is believed"
        assert running.sign_in()[0] == 200
        assert running.health()[:2] == (
            200,
            {
                "status": "up",
                **dict.fromkeys(
                    ("web", "store", "broker", "worker", "intake", "reports", "deliveries"), "up"
                ),
            },
        )
        assert not (tmp_path / "store.sqlite3").exists()
        with postgres.connect("mirror_store") as db:
            assert db.execute("SELECT name FROM sources_source").fetchall() == [("shop",)]

        redis.stop(signal.SIGKILL)
        status, body, seconds = running.health()
        assert (status, body["broker"], body["store"]) == (503, "down", "up")
        assert body["why"]["broker"] == "The broker does not answer; the log says why."
        assert seconds < 2
        redis.start()
        running.wait_for_health(200)

        postgres.stop(signal.SIGQUIT)
        status, body, seconds = running.health()
        assert (status, body["store"], body["broker"], body["worker"]) == (503, "down", "up", "unknown")
        assert seconds < 2
        postgres.start()
        running.wait_for_health(200)
        assert "/sign-in/" not in running.get("/")[1], "the session went on"
        assert running.stop()[0] == 0
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.process.communicate()


def test_who_asks_again_does_not_interrupt_the_end():
    """A container is often told twice: the second signal cut the end off, with a traceback and exit 1."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with pytest.raises(serve.Stopped):
            serve._stop(signal.SIGTERM, None)
        assert {signal.getsignal(number) for number in kept} == {signal.SIG_IGN}
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def test_a_store_that_is_not_there_is_told_in_words(tmp_path):
    running = Running(tmp_path, free_port(), DATABASE_URL="postgres://nobody:hushhush@127.0.0.1:1/nowhere")
    _, errors = running.process.communicate(timeout=30)
    assert running.process.returncode == 1
    assert "The store does not answer" in errors
    assert "hushhush" not in errors
    assert "Traceback" not in errors


@pytest.mark.django_db(transaction=True)
def test_health_names_what_is_down(client):
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


@pytest.mark.django_db(transaction=True)
def test_health_names_a_folder_of_messages_that_takes_none(client, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "file")}
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["broker"]) == (503, "down")
    (tmp_path / "messages").mkdir()
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "messages")}
    assert client.get("/healthz").json()["broker"] == "up"
    assert not list((tmp_path / "messages").iterdir()), "nothing is left behind"


@pytest.mark.django_db(transaction=True)
def test_a_store_that_hangs_is_down_within_two_seconds_and_costs_one_thread(client, monkeypatch):
    from mirror.health import services

    go_on = threading.Event()
    monkeypatch.setattr(services, "_STORE", services._Look(lambda: go_on.wait(30) and {}))
    began = time.monotonic()
    answers = [client.get("/healthz") for _ in range(3)]
    assert time.monotonic() - began < 6
    assert {answer.status_code for answer in answers} == {503}
    assert "has not answered within 1.5 seconds" in answers[0].json()["why"]["store"]
    assert [thread.name for thread in threading.enumerate()].count("health") == 1
    go_on.set()


@pytest.mark.parametrize("cookie", ["", "0" * 32, "x", "\x00;"])
def test_health_is_answered_before_anything_that_may_need_what_is_down(client, settings, monkeypatch, cookie):
    """A session, a host that is not ours, a broken look: never a page."""
    from mirror.health import services

    def broken() -> dict[str, str]:
        raise RuntimeError("nobody expected this")

    monkeypatch.setattr(services, "_STORE", services._Look(broken))
    client.cookies[settings.SESSION_COOKIE_NAME] = cookie
    answer = client.get("/healthz", headers={"host": "203.0.113.7"})
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/json"
    assert answer.json()["store"] == "down"
    assert "expected" not in answer.content.decode()

"""Runs Mirror on one machine: prepares the store, then keeps web, workers and scheduler up.

It decides what a first start makes (keys, tables, the first administrator, the sample shop),
in which order things start and stop, and what is said meanwhile. Each child writes its own
log under `var/logs`; a child that ends by itself is started again, and one that will not stay
up stops everything with the end of its log.
"""

from __future__ import annotations

import argparse
import fcntl
import io
import logging
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.chdir(ROOT)
os.environ["DJANGO_SETTINGS_MODULE"] = "mirror.settings"
from sqlagent.forks.forking import THREADLESS  # noqa: E402

# Before a library is loaded that would start one. Parts are forks of this process.
os.environ |= THREADLESS

from django.core.exceptions import ImproperlyConfigured  # noqa: E402
from django.core.management.base import SystemCheckError  # noqa: E402
from django.db import OperationalError  # noqa: E402

from mirror.forked import ThreadRunning, apart, fork, preload  # noqa: E402
from mirror.keys import keys_file, keys_make  # noqa: E402
from mirror.logs import JsonLines  # noqa: E402
from mirror.modes import tighten, umask_set  # noqa: E402
from script.parts import (  # noqa: E402
    LOADED,
    LOADED_LAST,
    ROLES,
    models_warm,
    role_of,
    runs,
    tasks_load,
    worker_name,
    workers,
)

# How long the parts may take to come up, and to end after being asked to (seconds).
UP_SECONDS, STOP_SECONDS = 60, 8
# How long a part that runs by itself waits for a store that another prepares (seconds).
PREPARED_SECONDS = 120
# A part that ends this often within a minute is broken, not unlucky.
RESTARTS_A_MINUTE = 5
LOG_BYTES = 5_000_000


def say(text: str) -> None:
    """Tell the person at the terminal what is happening."""
    if os.environ.get("LOG_FORMAT") == "json":
        line = logging.LogRecord("mirror.server", logging.INFO, __file__, 0, text.strip(), None, None)
        text = JsonLines().format(line)
    print(text, file=sys.stderr, flush=True)


@dataclass
class Part:
    """A child process that is kept up: a fork of this one that runs a function."""

    name: str
    run: Callable[[], object]
    log: Path | None
    lock: IO[str]
    process: ForkProcess | None = None
    started: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS_A_MINUTE))

    def start(self) -> None:
        """Start it in a session of its own, so that a Ctrl-C reaches it once, through us."""
        if self.log is not None and self.log.is_file() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".old.log"))
        self.process = fork(self.name, self.run, self.log, self.lock.close)
        self.started.append(time.monotonic())

    @property
    def ended(self) -> bool:
        """It was started and runs no more."""
        return self.process is not None and self.process.exitcode is not None

    @property
    def broken(self) -> bool:
        """It ended too often within a minute to be started again."""
        often = len(self.started) == RESTARTS_A_MINUTE
        return often and time.monotonic() - self.started[0] < 60

    def last_words(self) -> str:
        """The end of its log."""
        if self.log is None:
            return ""  # it stands above
        lines = self.log.read_text(errors="replace").splitlines() if self.log.is_file() else []
        return "\n".join(f"  {line}" for line in lines[-15:])


class Stopped(Exception):
    """Somebody asked for the end: Ctrl-C or SIGTERM."""


def _stop(number: int, frame: FrameType | None) -> None:
    """End once: who asks again, as an impatient container does, does not interrupt the end."""
    _asks_ignored()
    raise Stopped


def _asks_ignored() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="script/server", description="Run Mirror on this machine.")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    parser.add_argument(
        "--only",
        choices=("prepare", *ROLES),
        default=os.environ.get("MIRROR_ROLE") or None,
        help="run one part, for several machines or containers (default: MIRROR_ROLE, or all parts); prepare makes the "
        "store and ends, the others wait for it",
    )
    given = parser.parse_args()
    if given.only not in (None, "prepare", *ROLES):
        parser.error(f"MIRROR_ROLE is {given.only}, and has to be prepare, {', '.join(ROLES)} or empty")
    return given


def port_check(host: str, port: int) -> None:
    """Stop with a clear word when the address cannot be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            sys.exit(
                f"Cannot listen on {host} port {port}: {error}.\n"
                f"Is Mirror running already? Otherwise choose another port: script/server --port {port + 1}"
            )


@contextmanager
def folder_held(address: str, only: str | None = None) -> Iterator[IO[str]]:
    """Hold this installation's folder, so that two never run from it; parts that run by themselves (`only`) share it.

    The lock goes with the process, however it ends; its forks close the file. Raises: SystemExit naming where the other one is.
    """
    from django.conf import settings

    with (settings.VAR_DIR / "running").open("a+") as lock:
        try:
            fcntl.flock(lock, (fcntl.LOCK_SH if only else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            sys.exit(
                f"Mirror is running already, at {lock.read().strip()}. Stop that one first, with Ctrl-C."
            )
        lock.truncate(0)
        lock.write(address)
        lock.flush()
        yield lock


def hosts_allow(host: str) -> None:
    """Let the server answer to the names people reach it by, unless ALLOWED_HOSTS says which."""
    from mirror.settings import env

    if host in ("127.0.0.1", "::1", "localhost") or "ALLOWED_HOSTS" in env.ENVIRON:
        return
    names = {"localhost", "127.0.0.1", "[::1]", socket.gethostname(), socket.getfqdn()}
    if host not in ("0.0.0.0", "::"):
        names.add(host)
    else:
        names.update(str(found[4][0]) for found in _own_addresses())
    os.environ["ALLOWED_HOSTS"] = ",".join(sorted(names))


def site_named(address: str) -> None:
    """Begin links in mails with where this server listens, unless SITE_URL says where it is reached."""
    from mirror import settings

    if "SITE_URL" not in settings.env.ENVIRON:
        # The settings are read already, and are taken over by Django and by the parts.
        os.environ["SITE_URL"] = settings.SITE_URL = address


def _own_addresses() -> list[tuple[object, ...]]:
    try:
        return list(socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET))
    except OSError:
        return []


def var_close() -> None:
    """Close what others on this machine may read of this installation, and say it once."""
    from mirror.settings import ENV_FILE, VAR_DIR

    closed, left = tighten(VAR_DIR)
    if closed:
        them = "1 file or folder" if closed == 1 else f"{closed:,} files and folders"
        say(f"Others on this machine could read or enter {them} of {VAR_DIR}. Now only you can.")
    if left:
        say(
            f"{left[0]} is open to others on this machine and belongs to somebody else. Close it: chmod go= {left[0]}"
        )
    if ENV_FILE.is_file() and ENV_FILE.stat().st_mode & 0o077:
        say(
            f"{ENV_FILE} can be read by others on this machine, with all secrets in it. Close it: chmod 600 {ENV_FILE}"
        )


def prepare(address: str) -> str:
    """Bring the store up to date and make what a first start needs. Return what to say once all is up.

    A link that signs an administrator in is said while nobody has a password, and never in production: there
    what is said ends up in a journal that others read.
    """
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    from mirror.health.services import forget
    from mirror.people.selectors import password_exists
    from mirror.people.services import first_admin, link_create
    from mirror.sources.models import Source
    from mirror.static_files import static_files_make

    version_check()
    # Once for all parts; Celery would make these checks in each worker.
    call_command("check", stdout=io.StringIO())
    say("Preparing the store ...")
    call_command("migrate", verbosity=0, interactive=False)
    static_files_make()
    admin = first_admin()
    shop = settings.VAR_DIR / "shop.sqlite3"
    if not shop.is_file() or not Source.objects.exists():
        say("Building the sample shop ...")
        call_command("demo", owner=admin.username, stdout=sys.stderr)
    for name in ("web", "scheduler", *(worker.name for worker in workers())):
        forget(worker_name(name))
    if password_exists():
        welcome = f"Mirror is up at {address}/"
    elif settings.PRODUCTION:
        command = ".venv/bin/python manage.py sign_in_link"
        welcome = f"Mirror is up at {address}/ and nobody has a password yet. For a link to sign in with, run: {command}"
    else:
        welcome = f"Mirror is up. Sign in once with {address}/sign-in/link/{link_create(admin)}/"
    connection.close()
    return welcome


def version_check() -> None:
    """Refuse a store that a newer Mirror has migrated: its tables are not what this code writes. Raises: SystemExit."""
    from mirror.upkeep.backup import store_state

    if newer := store_state.unknown(store_state.applied()):
        sys.exit(
            f"The store is of a newer Mirror: it has {newer[-1]}, which this one does not know.\n"
            "Start that version, or restore a backup that this one made."
        )


def prepared_wait(seconds: float = PREPARED_SECONDS) -> None:
    """Wait until another process has made the store what this code needs. Raises: SystemExit."""
    import django
    from django.db import connection

    django.setup()
    from mirror.upkeep.backup import store_state

    deadline, is_told = time.monotonic() + seconds, False
    while True:
        try:
            version_check()
            missing = store_state.missing(store_state.applied())
            words = f"{len(missing)} migrations are missing"
        except OperationalError as error:
            missing, words = ["all"], str(error).strip()
        connection.close()
        if not missing:
            return
        if time.monotonic() > deadline:
            sys.exit(f"The store is not prepared: {words}. Run: script/server --only prepare")
        if not is_told:
            say("Waiting for the store to be prepared ...")
            is_told = True
        time.sleep(1)


def parts(host: str, port: int, lock: IO[str], only: str | None = None) -> list[Part]:
    """List the parts in the order they start. A part that runs alone writes to this process's output."""
    from django.conf import settings

    logs = settings.VAR_DIR / "logs"
    if only:
        return [Part(words, run, None, lock) for words, log, run in runs(host, port) if role_of(log) == only]
    logs.mkdir(exist_ok=True)
    return [Part(words, run, logs / f"{log}.log", lock) for words, log, run in runs(host, port)]


def look_after(running: list[Part]) -> None:
    """Start parts again that ended by themselves. Raises: SystemExit when one will not stay up."""
    for part in running:
        if part.ended:
            if part.broken:
                raise SystemExit(
                    f"The {part.name} will not stay up. The end of {part.log}:\n{part.last_words()}"
                )
            say(f"The {part.name} ended by itself and is started again.")
            part.start()


def address_shown(host: str, port: int) -> str:
    """Say where a browser on this machine finds the server."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def healthy(address: str) -> bool:
    """Ask the server itself whether everything is up."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def wait_until_up(running: list[Part], address: str) -> None:
    """Wait for a healthy answer. Raises: SystemExit naming the part that is not up."""
    deadline = time.monotonic() + UP_SECONDS
    while not healthy(address):
        look_after(running)
        if time.monotonic() > deadline:
            words = "\n".join(f"{part.log}:\n{part.last_words()}" for part in running)
            raise SystemExit(
                f"Mirror did not come up within {UP_SECONDS} seconds. The ends of its logs:\n{words}"
            )
        time.sleep(0.2)


def stop(running: list[Part]) -> None:
    """End all parts: asked first, made to after `STOP_SECONDS`. Work cut off is handed back at the next start."""
    alive = [part.process for part in running if part.process and part.process.exitcode is None]
    for process in alive:
        process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    while any(process.exitcode is None for process in alive) and time.monotonic() < deadline:
        time.sleep(0.05)
    for process in alive:
        if process.exitcode is None:
            process.kill()
        process.join()


def run(host: str, port: int, running: list[Part]) -> NoReturn:
    """Prepare, start, say where, look after. Ends by an exception: Stopped or SystemExit."""
    address = address_shown(host, port)
    with folder_held(address) as lock:
        port_check(host, port)
        var_close()
        import django

        django.setup()
        preload(LOADED, tasks_load, models_warm)
        # The parts do not share the modules that migrate a store and build a shop.
        welcome = apart(lambda: prepare(address))
        preload(LOADED_LAST)
        os.environ["CELERY_SKIP_CHECKS"] = "1"
        running += parts(host, port, lock)
        say("Starting web server, workers and scheduler ...")
        for part in running:
            part.start()
        wait_until_up(running, address)
        print(welcome, flush=True)
        while True:
            time.sleep(1)
            look_after(running)


def run_only(role: str, host: str, port: int, running: list[Part]) -> NoReturn:
    """Run one part of Mirror, or prepare the store. Ends by an exception: Stopped or SystemExit."""
    with folder_held(f"as {role}", role) as lock:
        if role == "prepare":
            print(prepare(os.environ.get("SITE_URL") or address_shown(host, port)), flush=True)
            raise SystemExit(0)
        if role == "web":
            port_check(host, port)
        prepared_wait()
        # These checks ran when the store was prepared.
        os.environ["CELERY_SKIP_CHECKS"] = "1"
        preload((*LOADED, *LOADED_LAST), tasks_load, models_warm)
        running += parts(host, port, lock, role)
        for part in running:
            part.start()
        say(f"Started: {', '.join(part.name for part in running)}.")
        while True:
            time.sleep(1)
            look_after(running)


def main() -> None:
    """Run until asked to stop, then stop everything."""
    wanted = arguments()
    umask_set()
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    running: list[Part] = []
    try:
        if keys_make():
            say(f"Made fresh keys in {keys_file()}.")
        hosts_allow(wanted.host)
        if wanted.only in (None, "web"):
            site_named(address_shown(wanted.host, wanted.port))
        if wanted.only:
            run_only(wanted.only, wanted.host, wanted.port, running)
        run(wanted.host, wanted.port, running)
    except Stopped:
        say("\nStopping ...")
    except (ThreadRunning, SystemCheckError) as error:
        sys.exit(f"Mirror cannot start. {error}")
    except ImproperlyConfigured as error:
        sys.exit(f"Mirror cannot start: {error}. The file .env.example says what each setting is for.")
    except OperationalError as error:
        sys.exit(
            f"The store does not answer: {str(error).strip()}\nIs DATABASE_URL right, and is that server up?"
        )
    finally:
        _asks_ignored()
        stop(running)
    say("Stopped.")


if __name__ == "__main__":
    main()

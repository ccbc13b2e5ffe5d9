"""A whole Mirror as `script/server` runs it, in a folder of its own, and the Chromium to look at it with."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import warm
from tests.stores import folder_fill

ROOT = Path(__file__).resolve().parent.parent.parent
# The first is the same without windows: it takes half as much of a processor.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
START_SECONDS = 60

# A developer's own settings must not reach a test.
DROPPED = (
    "DATABASE_URL", "REDIS_URL", "LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "LLM_MONEY", "RANKER_BASE_URL", "PRODUCTION", "DEBUG",
    "SECRET_KEY", "MIRROR_ENCRYPTION_KEYS", "ALLOWED_HOSTS", "EMAIL_HOST", "SITE_URL",
)  # fmt: skip


@dataclass(frozen=True)
class Mirror:
    """A running Mirror: its address, its folder, and the link that signs its administrator in."""

    url: str
    folder: Path
    link: str


@contextmanager
def running_mirror(folder: Path, told: dict[str, str] | None = None) -> Iterator[Mirror]:
    """Start web server, worker and scheduler, wait for the sign-in link; stop everything at the end. `told` are more settings."""
    folder_fill(folder)
    environment = {name: value for name, value in os.environ.items() if name not in DROPPED} | {
        "MIRROR_VAR_DIR": str(folder),
        "MIRROR_ENV_FILE": os.devnull,
        "STATEMENT_SECONDS": "20",
        "WORKERS": "1",
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        **(told or {}),
    }
    port = _free_port()
    log = folder / "serve.log"
    with log.open("wb") as out:
        process = warm.Popen(
            [sys.executable, str(ROOT / "script" / "serve.py"), "--port", str(port)],
            cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        yield Mirror(f"http://127.0.0.1:{port}", folder, _link(process, log))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def chromium() -> dict[str, object]:
    """Launch arguments of this machine's Chromium: no sandbox where root runs it, and never calling home.

    Raises: FileNotFoundError with what to install.
    """
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None:
        raise FileNotFoundError("No Chromium was found. Install one: apt-get install chromium")
    arguments = ["--disable-background-networking", "--disable-component-update"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    return {"executable_path": found, "args": arguments}


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

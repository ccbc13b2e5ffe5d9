"""Settings of the tests: Mirror's own, in a folder of their own that goes away afterwards.

Nothing is taken from the developer's `.env`, keys or services. The environment is set rather than
the values, so that servers and workers started by tests see the same.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_made = Path(tempfile.mkdtemp(prefix="mirror-tests-"))
_pid = os.getpid()


@atexit.register
def _tidy() -> None:
    if os.getpid() == _pid:
        shutil.rmtree(_made, ignore_errors=True)


_servers = (
    "DATABASE_URL",
    "REDIS_URL",
    "LLM_BASE_URL",
    "LLM_API_KEY",
    "LLM_MODEL",
    "LLM_SECOND_BASE_URL",
    "LLM_MONEY",
    "RANKER_BASE_URL",
    "EMAIL_HOST",
)
for _name in (*_servers, "PRODUCTION", "DEBUG"):
    os.environ.pop(_name, None)
os.environ |= {
    "MIRROR_ENV_FILE": os.devnull,
    "MIRROR_VAR_DIR": str(_made),
    "SECRET_KEY": "a key for tests",
    "MIRROR_ENCRYPTION_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
    "ALLOWED_HOSTS": "localhost,127.0.0.1,testserver",
    # Recipients of tests that are about something else; `tests/reports/test_recipients.py` takes the defaults.
    "MAIL_DOMAINS": "example.com,example.org",
}

from mirror.settings import *  # noqa: E402, F403
from mirror.settings import DATABASES, MIDDLEWARE, VAR_DIR  # noqa: E402
from tests.stores import folder_share  # noqa: E402

folder_share()

# A file, not memory: a live server and a worker process read the same store.
DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
# Writes of the tests' own process need not survive a power cut: each closing connection would wait for the disk. Servers and
# workers that tests start and kill write as Mirror does.
DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
# Scripts and styles come from the servers that tests start. Here each request would start a loop of events for them, a third
# of what it costs, and each client look through the folder anew (13 ms).
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("servestatic.")]

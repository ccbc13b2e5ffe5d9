"""A store with all its tables and nothing in them, and the sample shop: made once a run and copied.

Migrating takes five seconds of a processor and the shop three, copies none. Whoever needs one first makes it, in a folder
that all processes of a run share (`MIRROR_TEST_STORES`); the others wait. Tests of a first start, of an upgrade and of the
shop make their own.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "MIRROR_TEST_STORES"
STORE, SHOP = "store.sqlite3", "shop.sqlite3"
MIGRATES = """
import django
from django.core.management import call_command
django.setup()
call_command("migrate", verbosity=0, interactive=False)
"""


def folder_share() -> None:
    """Name the folder to the processes that this one starts, and remove it with this one; once a run."""
    if VARIABLE in os.environ:
        return
    made, pid = tempfile.mkdtemp(prefix="mirror-stores-"), os.getpid()
    os.environ[VARIABLE] = made

    def remove() -> None:
        if os.getpid() == pid:
            shutil.rmtree(made, ignore_errors=True)

    atexit.register(remove)


def store_copy(to: Path) -> None:
    """Put a copy of the store at a path."""
    _copy(STORE, _migrate, to)


def shop_copy(to: Path) -> None:
    """Put a copy of the sample shop at a path."""
    from mirror.sources.demo import write_shop

    _copy(SHOP, write_shop, to)


def folder_fill(folder: Path) -> None:
    """Put both where a Mirror of this folder looks for them: it starts as one that was started before."""
    store_copy(folder / STORE)
    shop_copy(folder / SHOP)


def ids_part(path: Path) -> None:
    """Let the ids of each table of a store begin at a thousand of its own.

    An address or a query that takes the id of another table's row then finds nothing. Otherwise both are 1 in a test that
    runs alone, and the mistake shows by chance.
    """
    with closing(sqlite3.connect(path)) as db, db:
        counted = "SELECT name FROM sqlite_master WHERE type = 'table' AND upper(sql) LIKE '%AUTOINCREMENT%' ORDER BY 1"
        tables = [name for (name,) in db.execute(counted)]
        db.execute("DELETE FROM sqlite_sequence")
        db.executemany(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            [(name, 1_000 * place) for place, name in enumerate(tables)],
        )


def _copy(name: str, make: Callable[[Path], object], to: Path) -> None:
    folder_share()
    folder = Path(os.environ[VARIABLE])
    whole = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            make(whole.with_suffix(".half"))
            whole.with_suffix(".half").rename(whole)
    shutil.copyfile(whole, to)


def _migrate(path: Path) -> None:
    dropped = ("REDIS_URL", "PRODUCTION", "DEBUG")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "DATABASE_URL": f"sqlite:///{path}",
        "MIRROR_ENV_FILE": os.devnull,
        "MIRROR_VAR_DIR": str(path.with_suffix(".var")),
        "SECRET_KEY": "a key for an empty store",
        "MIRROR_ENCRYPTION_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
    }
    subprocess.run([sys.executable, "-c", MIGRATES], cwd=ROOT, env=environment, check=True)

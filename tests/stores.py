"""A store with all its tables and nothing in them, the sample shop, what Mirror knows of it, scripts and styles: made once a run and copied.

Migrating takes two seconds of a processor, the shop three, its tables and values two, compressing six; copies take none. The first
process that needs one makes it, in a folder that all processes of a run share (`MIRROR_TEST_STORES`); the others wait. Tests of a
first start, of an upgrade and of the shop make their own.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "MIRROR_TEST_STORES"
STORE, SHOP, KNOWN, STATIC = "store.sqlite3", "shop.sqlite3", "shop.known", "static.made"
MIGRATES = """
import django
from django.core.management import call_command
django.setup()
call_command("migrate", verbosity=0, interactive=False)
"""
COMPRESSES = """
import django
from mirror.static_files import static_files_make
django.setup()
static_files_make()
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
    """Put them where a Mirror of this folder looks for them: it starts as one that was started before."""
    store_copy(folder / STORE)
    shop_copy(folder / SHOP)
    static_copy(folder)


def static_copy(folder: Path) -> None:
    """Put scripts and styles, named and compressed, where a Mirror of this folder serves them from."""
    shutil.copytree(made(STATIC, _compress) / "static", folder / "static")


def shop_known(source: Any, at: datetime) -> None:
    """Let a source that is the sample shop have its tables and values read, as a worker would have done at `at`."""
    from mirror.sources.models import StoredIndex

    found = pickle.loads(
        made(KNOWN, lambda path: path.write_bytes(pickle.dumps(_known(source)))).read_bytes()
    )
    for name, value in {**found["source"], "catalog_at": at}.items():
        setattr(source, name, value)
    source.save()
    ready = {"state": StoredIndex.State.READY, "queued_at": at, "ended_at": at, "updated_at": at}
    StoredIndex.objects.create(source=source, **ready, **found["index"])


def ids_part(path: Path) -> None:
    """Let the ids of each table of a store begin at a thousand of its own.

    An address or a query that takes the id of another table's row then finds nothing. Otherwise both are 1 in a test that
    runs alone, and the mistake shows by chance.
    """
    with closing(sqlite3.connect(path)) as db, db:
        counted = "SELECT name FROM sqlite_master WHERE type = 'table' AND upper(sql) LIKE '%AUTOINCREMENT%' ORDER BY 1"
        tables = [name for (name,) in db.execute(counted)]
        _firsts.update({name: 1_000 * place for place, name in enumerate(tables)})
        db.execute("DELETE FROM sqlite_sequence")
        db.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", _firsts.items())


_firsts: dict[str, int] = {}


def ids_first(table: str) -> int:
    """Tell after which number the ids of a table begin (`ids_part`)."""
    return _firsts[table]


def store_empty() -> None:
    """Remove all rows of the tests' store, as Django's `flush` does after a test with transactions of its own.

    That one empties each table and makes content types and permissions anew: 0.1 s of a processor. Most tables are empty,
    and those two stay as they are.
    """
    from django.db import connection, transaction

    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute(_filled())
        for (table,) in cursor.fetchall():
            cursor.execute(f'DELETE FROM "{table}"')


def store_keep(to: Path) -> None:
    """Keep all rows of the tests' store in a file, for tests that begin with them."""
    from django.db import connection

    connection.ensure_connection()
    with closing(sqlite3.connect(to)) as kept:
        connection.connection.backup(kept)


def store_bring(kept: Path) -> None:
    """Put the rows of such a file into the tests' store, which is empty, with the ids that they had."""
    from django.db import connection, transaction

    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        cursor.execute("ATTACH DATABASE %s AS kept", [str(kept)])
        try:
            with transaction.atomic():
                cursor.execute(_filled("kept."))
                for (table,) in cursor.fetchall():
                    cursor.execute(f'INSERT INTO main."{table}" SELECT * FROM kept."{table}"')
        finally:
            cursor.execute("DETACH DATABASE kept")


@cache
def _filled(where: str = "") -> str:
    """SQL that names the tables in which there is a row."""
    from django.db import connection

    kept = {"django_content_type", "auth_permission"}
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - kept
    return " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {where}\"{table}\")" for table in sorted(tables)
    )


def _copy(name: str, make: Callable[[Path], object], to: Path) -> None:
    shutil.copyfile(made(name, make), to)


def made(name: str, make: Callable[[Path], object]) -> Path:
    """Where a file or folder lies that all processes share, once one of them has made it."""
    folder_share()
    folder = Path(os.environ[VARIABLE])
    whole = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            make(whole.with_suffix(".half"))
            whole.with_suffix(".half").rename(whole)
    return whole


def _known(source: Any) -> dict[str, dict[str, Any]]:
    """Read tables, powers and values, as workers do."""
    from django.conf import settings

    from mirror.sources.catalogs import catalog_fetch, catalog_json
    from mirror.sources.opening import open_source
    from sqlagent.catalog.value_index import ValueIndex
    from sqlagent.catalog.value_reading import ValueReading

    catalog = catalog_fetch(source)
    reading = ValueReading(catalog)
    with closing(open_source(source)) as database:
        reading.read(database, per_column=settings.VALUE_INDEX_PER_COLUMN, seconds=600, stop=lambda: False)
    assert not reading.left
    index = ValueIndex.of(reading)
    values = {"data": index.to_bytes(), "size": len(index), "coverage": reading.coverage()}
    return {
        "source": {
            "catalog": catalog_json(catalog),
            "catalog_version": catalog.version,
            "powers": source.powers,
        },
        "index": {"catalog_version": catalog.version, **values},
    }


def _migrate(path: Path) -> None:
    _alone(MIGRATES, path.with_suffix(".var"), DATABASE_URL=f"sqlite:///{path}")


def _compress(path: Path) -> None:
    _alone(COMPRESSES, path)


def _alone(code: str, folder: Path, **environment: str) -> None:
    """Run code in a Mirror of its own."""
    dropped = ("REDIS_URL", "PRODUCTION", "DEBUG", "DATABASE_URL")
    kept = {name: value for name, value in os.environ.items() if name not in dropped} | {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "MIRROR_ENV_FILE": os.devnull,
        "MIRROR_VAR_DIR": str(folder),
        "SECRET_KEY": "a key for an empty store",
        "MIRROR_ENCRYPTION_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
    }
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=kept | environment, check=True)

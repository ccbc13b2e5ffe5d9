"""Make a backup, with Mirror running or not: rows as they were at one moment, then the files."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.keys import NAMES
from mirror.upkeep.backup import archive, store_state
from mirror.upkeep.backup.archive import Writer
from mirror.upkeep.backup.errors import BackupError
from mirror.upkeep.backup.rows import columns, rows_packed, tables
from mirror.upkeep.backup.sealing import sealed

# Parts of the data folder that belong to an installation besides its store, its stored files and its keys.
FOLDERS = ("uploads", "files", "folders", "shop.sqlite3")
SNAPSHOT = "snapshot"


def backup_make(path: Path, passphrase: str, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Write a backup of this installation; returns what it holds. Raises: BackupError, and no file is left then."""
    path = path.absolute()
    if path.exists():
        raise BackupError(f"There is a file {path} already. Name another one.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}.")
    keys = sealed(
        {"SECRET_KEY": settings.SECRET_KEY, NAMES[1]: ",".join(settings.MIRROR_ENCRYPTION_KEYS)}, passphrase
    )
    named = store_state.applied()
    if newer := store_state.unknown(named):
        raise BackupError(f"The store is of a newer Mirror ({newer[-1]}). Make the backup with that one.")
    if store_state.missing(named):
        raise BackupError("The store is of an older Mirror. Start this one once, or run: manage.py migrate")
    with archive.written(path) as out, _snapshot() as alias:
        kept = tables(apps)
        out.add_json(
            "manifest.json",
            {
                "format": archive.FORMAT,
                "made_at": timezone.now().isoformat(),
                "engine": connection.vendor,
                "migrations": store_state.applied(alias),
                "tables": {model._meta.db_table: columns(model) for model in kept},
            },
        )
        out.add_json("keys.json", keys)
        counts = {}
        for model in kept:
            table, counts[model._meta.db_table] = model._meta.db_table, 0
            for number, (packed, count) in enumerate(rows_packed(model, alias), 1):
                out.add_bytes(f"rows/{table}/{number:06}.jsonl.gz", packed)
                counts[table] += count
        tell(f"{sum(counts.values()):,} rows of {len(counts)} tables")
        files = {"media": _media(out), "data": _data(out)}
        tell(f"{files['media']:,} stored files, {files['data']:,} files of the data folder")
        told = {"rows": counts, "files": files}
        out.end(told)
    record("backed up", path.name, rows=sum(counts.values()), files=sum(files.values()))
    return told


@contextmanager
def _snapshot() -> Iterator[str]:
    """A connection that reads the store as it is now, whatever is written meanwhile; it stops nobody who writes."""
    kept = copy.deepcopy(connections.databases[DEFAULT_DB_ALIAS])
    if connection.vendor != "postgresql":
        kept["OPTIONS"] = {**kept.get("OPTIONS", {}), "transaction_mode": "DEFERRED"}
    kept["NAME"] = connection.settings_dict["NAME"]
    connections.databases[SNAPSHOT] = kept
    try:
        with transaction.atomic(using=SNAPSHOT):
            if connection.vendor == "postgresql":
                with connections[SNAPSHOT].cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield SNAPSHOT
    finally:
        connections[SNAPSHOT].close()
        del connections[SNAPSHOT], connections.databases[SNAPSHOT]


def _media(out: Writer, folder: str = "") -> int:
    """Add the stored files, wherever they are kept; one that ended meanwhile is left out."""
    count = 0
    try:
        folders, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return 0
    for name in sorted(names):
        place = f"{folder}{name}"
        try:
            with default_storage.open(place, "rb") as file:
                out.add_file(f"media/{place}", file, default_storage.size(place))
        except FileNotFoundError:
            continue
        count += 1
    return count + sum(_media(out, f"{folder}{name}/") for name in sorted(folders))


def _data(out: Writer) -> int:
    """Add what lies in the data folder. Links are left out: what they lead to is elsewhere."""
    root, count = Path(settings.VAR_DIR), 0
    for name in FOLDERS:
        for path in _files(root / name):
            try:
                with path.open("rb") as file:
                    out.add_file(f"data/{path.relative_to(root)}", file, os.fstat(file.fileno()).st_size)
            except FileNotFoundError:
                continue
            count += 1
    return count


def _files(place: Path) -> Iterator[Path]:
    if place.is_symlink():
        return
    if place.is_file():
        yield place
    elif place.is_dir():
        for inside in sorted(place.iterdir()):
            yield from _files(inside)

"""Put a backup back: nothing is changed before the file was read to its end and found whole.

A store on SQLite is made aside and takes its place once it is complete. On PostgreSQL the tables are made and filled in
the database that the settings name, which has to be empty, or is emptied where that was asked for.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.utils import timezone

from mirror.audit.services import record
from mirror.health.models import Heartbeat
from mirror.health.services import DEAD_SECONDS
from mirror.keys import NAMES, keys_file
from mirror.people.provider.vouching import identities_rest
from mirror.phrases import counted
from mirror.reports.services import sending_pause
from mirror.upkeep.backup import archive, checking, store_state
from mirror.upkeep.backup.errors import BackupError
from mirror.upkeep.backup.making import FOLDERS
from mirror.upkeep.backup.rows import Loader
from mirror.upkeep.backup.sealing import opened

PAUSED = "This is a restored copy. Another Mirror may send the same."


def keys_take_out(path: Path, passphrase: str, to: Path) -> None:
    """Write the keys of a backup as lines of a new settings' file. Raises: BackupError."""
    if os.path.lexists(to):
        raise BackupError(f"There is a file {to} already. Name another one.")
    _, kept, _ = checking.checked(path, FOLDERS)
    _keys_write(to, opened(kept, passphrase))


def backup_restore(
    path: Path, passphrase: str, *, replace: bool = False, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Make this installation what a backup holds; returns that. All sending is paused afterwards, and people of an identity provider sign in anew. Raises: BackupError.

    `replace` deletes what is here first.
    """
    manifest, kept, end = checking.checked(path, FOLDERS)
    if newer := store_state.unknown(manifest["migrations"]):
        raise BackupError(
            f"This backup is of a newer Mirror ({newer[-1]}). Install that version, and restore it there."
        )
    keys = opened(kept, passphrase)
    if settings.PRODUCTION or not keys_file().is_file():
        _keys_check(keys)
    with _nothing_running(), _store_aside(replace=replace) as finish:
        try:
            counts = _rows(path, manifest)
        except DatabaseError as error:
            raise BackupError(f"The rows of the backup do not fit together: {error}") from error
        if counts != end["rows"]:
            raise BackupError("Not all rows of the backup could be read back. Nothing was restored.")
        tell(f"{sum(counts.values()):,} rows of {len(counts)} tables")
        call_command("migrate", verbosity=0, interactive=False)
        with transaction.atomic():
            sending_pause(why=PAUSED)
            identities_rest()
            record("restored", path.name, rows=sum(counts.values()))
        files = _files(path)
        if files != end["files"]:
            raise BackupError("Not all files of the backup could be read back.")
        tell(f"{files['media']:,} stored files, {files['data']:,} files of the data folder")
        finish()
        if not settings.PRODUCTION and keys_file().is_file():
            _keys_write(keys_file(), keys)
    return end


# ---------------------------------------------------------------- what has to be so before


def _keys_check(keys: dict[str, str]) -> None:
    """Check that the settings hold the keys of the backup's secrets."""
    lost = set(filter(None, keys[NAMES[1]].split(","))) - set(settings.MIRROR_ENCRYPTION_KEYS)
    if lost or keys["SECRET_KEY"] != settings.SECRET_KEY:
        raise BackupError(
            "SECRET_KEY and MIRROR_ENCRYPTION_KEYS are set here and are not those of the backup, so its secrets and links "
            "would not open. Write the backup's with: manage.py restore FILE --keys-to keys.env; set them, and restore."
        )


@contextmanager
def _nothing_running() -> Iterator[None]:
    """Hold the folder, as a running Mirror does. Raises: BackupError while one runs, here or on another machine."""
    with (Path(settings.VAR_DIR) / "running").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise BackupError(f"Mirror is running, at {lock.read().strip()}. Stop it first.") from None
        try:
            alive = Heartbeat.objects.filter(at__gt=timezone.now() - timedelta(seconds=DEAD_SECONDS))
            names = list(alive.values_list("worker", flat=True))
        except DatabaseError:
            names = []  # a store without tables
        if names:
            raise BackupError(f"Workers of this store run ({', '.join(sorted(names))}). Stop them first.")
        yield


@contextmanager
def _store_aside(*, replace: bool) -> Iterator[Callable[[], None]]:
    """Make an empty store. Calling the result puts it in place of the old one; otherwise that stays."""
    named = store_state.applied()
    if newer := store_state.unknown(named):
        raise BackupError(f"The store here is of a newer Mirror ({newer[-1]}). Install that version first.")
    if others := _others_tables(is_ours="people" in named):
        raise BackupError(
            f"The database of the settings holds tables that are not Mirror's ({', '.join(others[:3])}). "
            "Name an empty one in DATABASE_URL. Nothing was changed."
        )
    if not replace and (people := _people(named)):
        there = counted(people, "person", "people")
        raise BackupError(f"There is a store here already, with {there}. --replace destroys it.")
    connection.close()
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            for table in connection.introspection.table_names(cursor):
                cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)} CASCADE")
        yield lambda: None
        return
    usual = connection.settings_dict["NAME"]
    place = Path(str(usual))
    aside = place.with_name(f"{place.name}.restoring")
    _sqlite_forget(aside)
    connection.settings_dict["NAME"] = str(aside)
    try:

        def finish() -> None:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            _sqlite_forget(place)
            os.replace(aside, place)

        yield finish
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
        _sqlite_forget(aside)


def _others_tables(*, is_ours: bool) -> list[str]:
    """List tables that Mirror did not make; a store that `is_ours` may hold tables of an earlier version."""
    known = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    labels = tuple(f"{config.label}_" for config in apps.get_app_configs()) if is_ours else ()
    with connection.cursor() as cursor:
        names = set(connection.introspection.table_names(cursor)) - known - {"django_migrations"}
    return sorted(name for name in names if not name.startswith(labels))


def _people(named: store_state.Named) -> int:
    if "people" not in named:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM people_user")
        return int(cursor.fetchone()[0])


def _sqlite_forget(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


# ---------------------------------------------------------------- rows and files


def _rows(path: Path, manifest: dict[str, Any]) -> dict[str, int]:
    """Make the tables as the backup had them and fill them."""
    state = _tables_make(manifest["migrations"])
    loader = Loader(state.apps, manifest["tables"], connection)
    counts = dict.fromkeys(manifest["tables"], 0)
    with transaction.atomic():
        loader.empty()
        for name, content, _ in archive.members(path):
            if name.startswith("rows/"):
                table = name.split("/")[1]
                counts[table] = counts.get(table, 0) + loader.load(table, content)
        loader.numbers_go_on()
    return counts


def _tables_make(named: store_state.Named) -> ProjectState:
    """Migrate the empty store to where a backup was: at once if that is where this code is, else one by one."""
    executor = MigrationExecutor(connection)
    if not store_state.missing(named):
        return executor.migrate(executor.loader.graph.leaf_nodes())
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    return executor.migrate(store_state.last(named))


def _files(path: Path) -> dict[str, int]:
    counts = {"media": 0, "data": 0}
    for name, content, _ in archive.members(path):
        kind, _, place = name.partition("/")
        if kind not in counts:
            continue
        if kind == "media":
            _media_put(place, content)
        else:
            _data_put(Path(settings.VAR_DIR) / place, content)
        counts[kind] += 1
    return counts


def _media_put(place: str, content: IO[bytes]) -> None:
    if default_storage.exists(place):
        default_storage.delete(place)
    kept = default_storage.save(place, File(content, name=place))
    if kept != place:
        raise BackupError(f"The stored file {place} could not be put back under its name.")


def _data_put(path: Path, content: IO[bytes]) -> None:
    if not path.parent.resolve().is_relative_to(Path(settings.VAR_DIR).resolve()):
        raise BackupError(
            f"{path.parent} is a link that leads out of the data folder. Put a folder there first."
        )
    aside = path.with_name(f".{path.name}.restoring")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            for piece in archive.pieces(content):
                file.write(piece)
        os.replace(aside, path)
    except OSError as error:
        raise BackupError(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):  # where its folder could not be made
            aside.unlink()


def _keys_write(to: Path, keys: dict[str, str]) -> None:
    """Put keys into a file that its user alone reads. Raises: BackupError."""
    try:
        # A file of a name that nobody could guess, made here and opened by nobody else.
        number, aside = tempfile.mkstemp(prefix=f".{to.name}.", dir=to.parent)
    except OSError as error:
        raise BackupError(f"The keys could not be written to {to}: {error.strerror or error}.") from error
    try:
        with os.fdopen(number, "w") as out:
            out.write("# Keys of a backup.\n" + "".join(f"{name}={keys[name]}\n" for name in NAMES))
        os.replace(aside, to)
    finally:
        Path(aside).unlink(missing_ok=True)

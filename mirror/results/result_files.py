"""Where the files of stored results lie: in Django's default storage, and read on this machine.

Decides when a file is copied here and how long the copy stays. A file never changes once it is
kept, so a copy is as good as the file: paging through a million rows fetches them once.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, default_storage
from django.db import transaction
from django.utils.translation import gettext_noop

from mirror.results.models import ForgottenFile, StoredResult
from sqlagent.errors import without_folders

log = logging.getLogger(__name__)

# A copy used within the last of these is not thrown away: somebody may be about to open it.
IN_USE_SECONDS = 60
# A copy nobody has looked at for so long goes, wherever its row went.
COPY_SECONDS = 24 * 3600


class ResultNotKept(Exception):
    """Rows came back and could not be stored; message and advice are fit to be shown."""

    advice = gettext_noop("The SQL is kept: run it again once the storage is back.")


def file_keep(result: StoredResult, path: Path) -> None:
    """Store a finished file as a result's own. Raises: ResultNotKept."""
    try:
        with path.open("rb") as file:
            result.file.save(path.name, File(file), save=False)
    except OSError as error:
        log.warning("The rows of result %s could not be stored: %s", result.pk, error)
        raise ResultNotKept(f"The rows came back and could not be stored: {words_of(error)}") from None
    if not _is_here(result.file.storage, result.file.name):
        _copy_take(result, path)


@contextmanager
def file_here(result: StoredResult) -> Iterator[Path]:
    """Give a result's file on this machine: itself, or a copy of it. Raises: OSError, FileNotFoundError."""
    storage, name = result.file.storage, str(result.file.name)
    if _is_here(storage, name):
        path = Path(storage.path(name))
        if not path.is_file():
            raise FileNotFoundError("The file with these rows is missing.")
    else:
        path = _copy(result)
        if not path.is_file():
            _fetch(storage, name, path)
        os.utime(path)
    yield path


def file_forget(name: str) -> None:
    """Delete a file once the deletion of its row is certain, now or when the storage is back."""
    forgotten = ForgottenFile.objects.create(name=name)
    transaction.on_commit(lambda: _delete(forgotten))


def files_tidy() -> None:
    """Delete files that could not be deleted when their rows were, and copies that nobody looks at."""
    for forgotten in ForgottenFile.objects.order_by("pk")[:1000]:
        if not _delete(forgotten):
            break
    _copies_tidy(0)


def _delete(forgotten: ForgottenFile) -> bool:
    with suppress(OSError):
        (_folder() / Path(forgotten.name).name).unlink(missing_ok=True)
    try:
        default_storage.delete(forgotten.name)
    except OSError as error:
        log.warning("The file of a deleted result could not be deleted yet: %s", error)
        return False
    ForgottenFile.objects.filter(pk=forgotten.pk).delete()
    return True


def words_of(error: OSError) -> str:
    """An error of a storage without the paths that the system puts into its own."""
    return without_folders(str(error)) if error.errno is None else f"{error.strerror}."


# ---------------------------------------------------------------- copies


def _is_here(storage: Storage, name: str | None) -> bool:
    try:
        storage.path(name or "")
    except NotImplementedError:
        return False
    return True


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "copies"


def _copy(result: StoredResult) -> Path:
    return _folder() / Path(result.file.name or "").name


def _fetch(storage: Storage, name: str | None, path: Path) -> None:
    """Copy a file here under its own name, whole or not at all."""
    with _beside(path) as beside:
        if hasattr(storage, "fetch"):
            storage.fetch(name, beside)
        else:
            with storage.open(name or "") as original, beside.open("wb") as copy:
                shutil.copyfileobj(original, copy)
        _copies_tidy(beside.stat().st_size)
        beside.replace(path)


def _copy_take(result: StoredResult, path: Path) -> None:
    """Keep what was just stored as a copy too: it is looked at next. A disk that is full goes without."""
    with suppress(OSError), _beside(_copy(result)) as beside:
        shutil.copyfile(path, beside)
        _copies_tidy(beside.stat().st_size)
        beside.replace(_copy(result))


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _copies_tidy(coming: int) -> None:
    """Throw old copies away, and the longest unused until `coming` bytes have room.

    Those in use stay: the bound may be passed for a minute.
    """
    if not _folder().is_dir():
        return
    now, found = _disk_time(), []
    for path in _folder().glob("*"):
        with suppress(FileNotFoundError):
            kept = path.stat()
            found.append((kept.st_mtime, kept.st_size, path))
    room = settings.RESULT_COPIES_MEGABYTES * 1_000_000 - coming - sum(size for _, size, _ in found)
    for used, size, path in sorted(found, key=lambda one: one[0]):
        age = now - used
        if age > COPY_SECONDS or (room < 0 and age > IN_USE_SECONDS):
            path.unlink(missing_ok=True)
            room += size


def _disk_time() -> float:
    """The time where the copies lie: the clock that files get their times from."""
    with tempfile.TemporaryFile(dir=_folder()) as fresh:
        return os.fstat(fresh.fileno()).st_mtime

"""The file of a backup: a tar written and read front to back, in constant memory, that shows where it was cut or changed.

Its members, in this order: `manifest.json`, `keys.json`, `rows/TABLE/NUMBER.jsonl.gz`, `media/...`, `data/...`, `end.json`.
The last holds one digest over all before it. A damaged file is found before anything is changed; who may write to
the file can write another digest: keep backups where nobody else writes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn, Self

from mirror.upkeep.backup.errors import BackupError

FORMAT = 1
END = "end.json"
CHUNK = 1 << 20
# A header before a member holds its name where that is long.
HEADER_BYTES = 1 << 16
BROKEN = "This file is not a whole backup: it was cut off or changed. Nothing was restored."


class Writer:
    """Adds members to a backup that is being made."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar, self._digest, self.members = tar, hashlib.sha256(), 0

    def add_json(self, name: str, value: Any) -> None:
        """Add a small value."""
        self.add_bytes(name, json.dumps(value, indent=1).encode())

    def add_bytes(self, name: str, content: bytes) -> None:
        """Add what is in memory."""
        self.add_file(name, io.BytesIO(content), len(content))

    def add_file(self, name: str, file: IO[bytes], size: int) -> None:
        """Add an open file of `size` bytes. Raises: BackupError when it has fewer."""
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600
        hashed = _Hashed(file)
        try:
            self._tar.addfile(info, hashed)
        except tarfile.TarError as error:
            raise BackupError(f"{name} could not be added: {error}") from None
        except OSError as error:
            if "unexpected end of data" in str(error):
                raise BackupError(f"{name} changed while it was read. Make the backup again.") from None
            raise
        self._tar.members = []  # type: ignore[attr-defined] # tarfile would remember every member
        self._note(name, hashed.hexdigest())

    def end(self, told: dict[str, Any]) -> None:
        """Write the digest over all members."""
        self.add_json(END, {**told, "members": self.members, "digest": self._digest.hexdigest()})

    def _note(self, name: str, digest: str) -> None:
        self._digest.update(f"{name}\0{digest}\n".encode())
        self.members += 1


class _Hashed:
    """A file that is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._digest.update(piece)
        return piece

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


@contextmanager
def written(path: Path) -> Iterator[Writer]:
    """Write a backup aside and put it in its place once it is whole. Raises: BackupError."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT, bufsize=CHUNK) as tar:
                yield Writer(tar)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        raise BackupError(f"The backup could not be written: {error.strerror or error}.") from error
    finally:
        aside.unlink(missing_ok=True)


class _Header(tarfile.TarInfo):
    """A header as `written` makes it: of a plain file, or of its long name. For other kinds tarfile reads into memory as many bytes as the header claims."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read 512 bytes. Raises: BackupError, and what tarfile raises."""
        found = super().frombuf(buf, encoding, errors)
        is_name = found.type == tarfile.XHDTYPE and found.size <= HEADER_BYTES
        if found.size < 0 or not (is_name or found.type == tarfile.REGTYPE):
            raise BackupError(BROKEN)
        return found

    def _proc_gnusparse_10(self, *_: Any) -> NoReturn:
        """A file with holes, whose list of them may be as long as the file."""
        raise BackupError(BROKEN)


def members(path: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Give each member's name, its content to be read at once, and its size, in order. Raises: BackupError."""
    try:
        with tarfile.open(path, mode="r|", bufsize=CHUNK, tarinfo=_Header) as tar:
            for info in tar:
                content = tar.extractfile(info) if info.size >= 0 else None
                if content is None:
                    raise BackupError(BROKEN)
                yield info.name, content, info.size
                tar.members = []  # type: ignore[attr-defined] # as above
    except (tarfile.TarError, EOFError):
        raise BackupError(BROKEN) from None
    except FileNotFoundError:
        raise BackupError(f"There is no file {path}.") from None
    except OSError as error:
        raise BackupError(f"The backup could not be read: {error.strerror or error}.") from error


def pieces(content: IO[bytes]) -> Iterator[bytes]:
    """Give what a member holds, a piece at a time. Raises: BackupError where the file ends within it."""
    try:
        while piece := content.read(CHUNK):
            yield piece
    except (tarfile.TarError, EOFError):
        raise BackupError(BROKEN) from None

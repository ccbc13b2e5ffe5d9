"""Whether a backup is whole, and holds nothing but what a backup holds: looked at to its end before anything is replaced."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import Any

from mirror.upkeep.backup.archive import BROKEN, CHUNK, END, FORMAT, members, pieces
from mirror.upkeep.backup.errors import BackupError


def place_check(name: str, first: tuple[str, ...]) -> None:
    """Refuse a member that leads out of where it belongs; `first` is what data may lie in. Raises: BackupError."""
    kind, _, place = name.partition("/")
    if kind not in ("media", "data"):
        return
    parts = PurePosixPath(place).parts
    is_elsewhere = not parts or place.startswith("/") or ".." in parts or "\x00" in place
    if is_elsewhere or (kind == "data" and parts[0] not in first):
        raise BackupError(f"The backup names a file outside of the data folder: {place[:200]}")


def checked(path: Path, first: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Read a backup to its end and give its manifest, its sealed keys and what it ends with.

    Raises: BackupError unless every byte is what was written.
    """
    digest, count = hashlib.sha256(), 0
    found: dict[str, dict[str, Any]] = {}
    for name, content, size in members(path):
        if END in found:
            raise BackupError(BROKEN)
        place_check(name, first)
        own = hashlib.sha256()
        if name in ("manifest.json", "keys.json", END):
            if size > CHUNK:
                raise BackupError(BROKEN)
            data = b"".join(pieces(content))
            own.update(data)
            found[name] = _object(data)
        else:
            for piece in pieces(content):
                own.update(piece)
        if name != END:
            digest.update(f"{name}\0{own.hexdigest()}\n".encode())
            count += 1
    end = found.get(END)
    if end is None or (end.get("members"), end.get("digest")) != (count, digest.hexdigest()):
        raise BackupError(BROKEN)
    manifest = found.get("manifest.json", {})
    if manifest.get("format") != FORMAT:
        raise BackupError(
            f"This backup has the form {manifest.get('format')}; this Mirror reads form {FORMAT}."
        )
    lists = (manifest.get("migrations"), manifest.get("tables"))
    if not all(_is_lists(one) for one in lists) or not all(
        isinstance(end.get(name), dict) for name in ("rows", "files")
    ):
        raise BackupError(BROKEN)
    return manifest, found.get("keys.json", {}), end


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise BackupError(BROKEN) from None
    if not isinstance(value, dict):
        raise BackupError(BROKEN)
    return value


def _is_lists(value: Any) -> bool:
    """Say whether a value names lists of words."""
    return isinstance(value, dict) and all(
        isinstance(one, list) and all(isinstance(word, str) for word in one) for one in value.values()
    )

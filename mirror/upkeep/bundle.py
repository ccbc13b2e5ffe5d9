"""A file for who helps: versions, settings, numbers and the ends of logs; no secret, no question, no row, no name of a person."""

from __future__ import annotations

import json
import platform
import re
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.utils import timezone

from mirror.logs import line_plain
from mirror.upkeep.backup import store_state
from mirror.upkeep.doctor import Finding

LOG_BYTES = 200_000
# Settings that are told as they are: numbers, switches and names of files. Of all others only whether they are set.
_SAFE = (bool, int, float)
_SECRET = re.compile(
    r"KEY|SECRET|PASSWORD|TOKEN|URL|HOST|USER|FROM|BUCKET|DOMAIN|PROX|ORIGIN|FINGERPRINT", re.IGNORECASE
)
# Texts that are hidden however short they are.
_KEPT_CLOSE = re.compile(r"KEY|SECRET|PASSWORD|PASSWD|TOKEN", re.IGNORECASE)
# Names of secrets in a line of a log.
_TOLD_SECRET = re.compile(
    r"(?:password|passwd|pwd|secret|token|key)[\"']?[ \t]*[=:][ \t]*(?:bearer[ \t]+)?(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)"
    r"|\bbearer[ \t]+\S+",
    re.IGNORECASE,
)
# Texts in a line of a log that could name somebody or something.
_NAMES = re.compile(
    r"\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,200}|[a-z][a-z0-9+._-]{0,40}://\S+|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|(?<![\w:])(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}"
    r"|(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?![\w:])"
    r"|“[^”\n]{1,2000}”|'[^'\n]{3,2000}'|\"[^\"\n]{3,2000}\"",
    re.IGNORECASE,
)
# A longer line of a log is cut: what it says stands at its beginning.
LINE_CHARS = 2_000


def bundle_write(path: Path, found: Iterable[Finding]) -> None:
    """Write the bundle. Raises: FileExistsError, OSError."""
    with path.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(
            "doctor.txt", "\n".join(f"{one.state:5} {one.about}: {hidden(one.words)}" for one in found)
        )
        out.writestr("versions.json", _json(_versions()))
        out.writestr("settings.json", _json(_settings()))
        out.writestr("rows.json", _json(_rows()))
        for log in sorted((Path(settings.VAR_DIR) / "logs").glob("*.log")):
            out.writestr(f"logs/{log.name}", hidden(_end(log)))


def hidden(text: str) -> str:
    """A text without addresses, what stands in quotes, and secrets of the settings."""
    if secrets := _secrets():
        text = re.sub("|".join(map(re.escape, secrets)), "[secret]", text)
    return _NAMES.sub("[…]", _TOLD_SECRET.sub("[secret]", text))


def _secrets() -> list[str]:
    """The values of secret settings, at any depth, the longest first: one may begin with another."""
    found = {
        one for name in dir(settings) if name.isupper() for one in _within(name, getattr(settings, name))
    }
    store = connection.settings_dict  # it may differ from the settings
    found |= {one for name in ("PASSWORD", "USER", "HOST") for one in _within(name, store.get(name))}
    return sorted(found, key=len, reverse=True)


def _within(names: str, value: Any) -> Iterator[str]:
    """Give the secrets of a setting; `names` are its own and those of what it lies in."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _within(f"{names} {name}", one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _within(names, one)
    elif isinstance(value, str) and _SECRET.search(names):
        least = 1 if _KEPT_CLOSE.search(names) else 6
        if len(value) >= least:
            yield value


def _versions() -> dict[str, Any]:
    packages = {dist.metadata["Name"]: dist.version for dist in distributions()}
    return {
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "store": connection.vendor,
        "migrations": {app: names[-1] for app, names in store_state.applied().items()},
        "packages": dict(sorted(packages.items())),
    }


def _settings() -> dict[str, Any]:
    """Numbers and switches as they are; of everything else whether it is set."""
    told = {}
    for name in sorted(name for name in dir(settings) if name.isupper()):
        value = getattr(settings, name)
        is_told = isinstance(value, _SAFE) and not _SECRET.search(name)
        told[name] = value if is_told else "set" if value else "empty"
    return told


def _rows() -> dict[str, int]:
    return {
        model._meta.db_table: model._base_manager.count()
        for model in apps.get_models()
        if model._meta.managed
    }


def _end(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - LOG_BYTES, 0))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(line[:LINE_CHARS] for one in lines for line in line_plain(one).splitlines())


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, default=str)

"""What a restore does with files that somebody else laid, and with backups that somebody else wrote."""

from __future__ import annotations

import io
import json
import os
import stat
import tarfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from mirror.keys import NAMES
from mirror.upkeep.backup import archive, restoring
from mirror.upkeep.backup.errors import BackupError
from mirror.upkeep.backup.sealing import opened

KEYS = dict.fromkeys(NAMES, "x")


def test_keys_go_into_no_file_that_somebody_laid_out_before(tmp_path):
    to, laid = tmp_path / "keys.env", tmp_path / f".keys.env.{os.getpid()}"
    laid.touch()
    laid.chmod(0o666)
    restoring._keys_write(to, KEYS)
    assert stat.S_IMODE(to.stat().st_mode) == 0o600


def test_keys_are_not_written_through_a_link(tmp_path):
    to, laid, other = (tmp_path / name for name in ("keys.env", f".keys.env.{os.getpid()}", "other"))
    other.write_text("precious")
    laid.symlink_to(other)
    restoring._keys_write(to, KEYS)
    assert other.read_text() == "precious"
    assert to.is_file() and not to.is_symlink()
    assert sorted(tmp_path.iterdir()) == sorted([to, laid, other])


def _tar(path: Path, *members: tuple[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def _whole(path: Path, manifest: Any, told: dict[str, Any], *places: str) -> Path:
    with archive.written(path) as out:
        out.add_json("manifest.json", manifest)
        for place in places:
            out.add_bytes(place, b"x")
        out.end(told)
    return path


TOLD: dict[str, Any] = {"rows": {}, "files": {}}
MANIFEST: dict[str, Any] = {"format": archive.FORMAT, "migrations": {}, "tables": {}}


@pytest.mark.parametrize("name", ["manifest.json", "keys.json", "end.json"])
@pytest.mark.parametrize("content", [b"{}", b"[]", b"7", b"null", b"[" * 100_000, b'{"members": 1}'])
def test_members_of_another_shape_are_no_backup(tmp_path, name, content):
    members = [(name, content)] if name == "end.json" else [(name, content), ("end.json", b"{}")]
    with pytest.raises(BackupError, match="not a whole backup"):
        archive.checked(_tar(tmp_path / "it.tar", *members), restoring.FOLDERS)


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        ({"format": archive.FORMAT}, TOLD),
        ({**MANIFEST, "migrations": [1]}, TOLD),
        ({**MANIFEST, "migrations": {"audit": 7}}, TOLD),
        ({**MANIFEST, "tables": {"people_user": [None]}}, TOLD),
        (MANIFEST, {"rows": {}}),
        (MANIFEST, {"rows": [], "files": {}}),
    ],
)
def test_a_right_digest_over_another_shape_is_no_backup_either(tmp_path, manifest, told):
    with pytest.raises(BackupError, match="not a whole backup"):
        archive.checked(_whole(tmp_path / "it.tar", manifest, told), restoring.FOLDERS)


def test_a_huge_manifest_is_not_read_into_memory(tmp_path):
    file = _tar(tmp_path / "it.tar", ("manifest.json", b" " * (64 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(BackupError, match="not a whole backup"):
            archive.checked(file, restoring.FOLDERS)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


SEALED: dict[str, Any] = {"salt": "AAAA", "cost": 16, "block": 8, "lanes": 1, "sealed": "a"}


@pytest.mark.parametrize(
    "kept",
    [
        {},
        *({**SEALED, "cost": cost} for cost in (-65536, 0, 1, 3, None, "x", [], float("inf"))),
        {**SEALED, "cost": 2**30, "lanes": -1},
        {**SEALED, "block": 0},
        {**SEALED, "salt": "x"},
        {**SEALED, "salt": 7},
        {**SEALED, "sealed": None},
    ],
    ids=json.dumps,
)
def test_keys_of_another_shape_are_no_backup(kept):
    with pytest.raises(BackupError, match="not a whole backup"):
        opened(kept, "x" * 12)


def test_files_are_not_put_through_a_link_out_of_the_data_folder(settings, tmp_path):
    settings.VAR_DIR, outside = tmp_path / "var", tmp_path / "outside"
    settings.VAR_DIR.mkdir()
    outside.mkdir()
    (settings.VAR_DIR / "folders").symlink_to(outside)
    file = _whole(tmp_path / "it.tar", MANIFEST, TOLD, "data/folders/below/evil")
    with pytest.raises(BackupError, match="out of the data folder"):
        restoring._files(file)
    assert not list(outside.iterdir())

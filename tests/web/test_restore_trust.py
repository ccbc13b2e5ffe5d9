"""Restores next to files planted by somebody else, and of backups written by somebody else."""

from __future__ import annotations

import gzip
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
from mirror.upkeep.backup import archive, checking, restoring
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
        checking.checked(_tar(tmp_path / "it.tar", *members), restoring.FOLDERS)


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
        checking.checked(_whole(tmp_path / "it.tar", manifest, told), restoring.FOLDERS)


def test_a_huge_manifest_is_not_read_into_memory(tmp_path):
    file = _tar(tmp_path / "it.tar", ("manifest.json", b" " * (64 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(BackupError, match="not a whole backup"):
            checking.checked(file, restoring.FOLDERS)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def _harmful(kind: str) -> bytes:
    many = tarfile.TarInfo("x")
    if kind == "negative":
        many.size = -512
        return many.tobuf(tarfile.GNU_FORMAT)
    if kind == "holes":
        many.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1"}
        many.size = 32 << 20
        return many.tobuf(tarfile.PAX_FORMAT) + b"9000000\n".ljust(512, b"\n") + b"0\n" * (16 << 20)
    if kind == "global":
        return tarfile.TarInfo.create_pax_global_header({"comment": "x" * (32 << 20)})
    many.type = {"name": tarfile.XHDTYPE, "long": tarfile.GNUTYPE_LONGNAME, "link": tarfile.SYMTYPE}[kind]
    many.size = 32 << 20
    return many.tobuf(tarfile.GNU_FORMAT) + b"x" * many.size


@pytest.mark.parametrize("kind", ["name", "long", "global", "holes", "link", "negative"])
def test_a_header_that_tells_of_much_is_not_read_into_memory(tmp_path, kind):
    file = tmp_path / "it.tar"
    file.write_bytes(_harmful(kind) + b"\0" * 1024)
    tracemalloc.start()
    try:
        with pytest.raises(BackupError, match="not a whole backup"):
            checking.checked(file, restoring.FOLDERS)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_names_longer_than_a_header_are_read(tmp_path):
    place = f"data/uploads/{'ü' * 200}"
    file = _whole(tmp_path / "it.tar", MANIFEST, TOLD, place)
    assert [name for name, _, _ in archive.members(file)] == ["manifest.json", place, archive.END]


def _loaded(content: bytes) -> int:
    from django.apps import apps
    from django.db import connection

    from mirror.upkeep.backup.rows import Loader, columns

    named = {"people_team": columns(apps.get_model("people", "Team"))}
    return Loader(apps, named, connection).load("people_team", io.BytesIO(content))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content",
    [
        b"plain",
        gzip.compress(b'[1, "a"]', mtime=0)[:-9],
        gzip.compress(b"{", mtime=0),
        gzip.compress(b"7", mtime=0),
        gzip.compress(b"[]", mtime=0),
        gzip.compress(b'[1, "a", "no time"]', mtime=0),
        gzip.compress(b"[" * 100_000, mtime=0),
    ],
)
def test_rows_of_another_shape_are_said_to_be_none(content):
    with pytest.raises(BackupError, match=r"cannot be read|not a whole backup"):
        _loaded(content)


@pytest.mark.django_db
def test_a_row_that_unpacks_to_much_is_not_read_into_memory(monkeypatch):
    monkeypatch.setattr("mirror.upkeep.backup.rows.ROW_BYTES", 1 << 20)
    packed = gzip.compress(b" " * (64 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(BackupError, match="not a whole backup"):
            _loaded(packed)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.django_db
@pytest.mark.parametrize(("table", "is_mirror"), [("payroll", True), ("reports_2024", False)])
@pytest.mark.parametrize("replace", [True, False])
def test_a_database_that_holds_tables_of_something_else_is_not_emptied(
    monkeypatch, table, is_mirror, replace
):
    from django.db import connection

    if not is_mirror:
        monkeypatch.setattr(restoring.store_state, "applied", dict)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {table} (id integer)")
    with pytest.raises(BackupError, match=table), restoring._store_aside(replace=replace):
        pass
    with connection.cursor() as cursor:
        assert table in connection.introspection.table_names(cursor)


def test_keys_overwrite_no_file(tmp_path):
    to = tmp_path / ".env"
    to.write_text("precious")
    with pytest.raises(BackupError, match="already"):
        restoring.keys_take_out(tmp_path / "it.tar", "x" * 12, to)
    assert to.read_text() == "precious"


def test_keys_into_a_folder_that_is_not_there_are_refused_in_words(tmp_path):
    with pytest.raises(BackupError, match="could not be written"):
        restoring._keys_write(tmp_path / "no" / "keys.env", KEYS)


def test_a_file_where_a_folder_belongs_is_said(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    (settings.VAR_DIR / "folders").touch()
    file = _whole(tmp_path / "it.tar", MANIFEST, TOLD, "data/folders/below/it")
    with pytest.raises(BackupError, match="could not be written"):
        restoring._files(file)


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

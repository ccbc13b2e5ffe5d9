"""Files below the data folder are found again where the folder is moved, or restored elsewhere."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.urls import reverse

from mirror.sources.kept_paths import contracted, expanded
from mirror.sources.models import Source
from mirror.sources.opening import how_to_open, open_source
from mirror.sources.services import source_check

migration = import_module("mirror.sources.migrations.0015_kept_paths")


@pytest.fixture
def folder(settings, tmp_path: Path) -> Path:
    """A data folder of its own with a shop in it."""
    settings.VAR_DIR = tmp_path / "here"
    settings.SOURCE_FILES_DIR = settings.VAR_DIR / "files"
    (settings.VAR_DIR / "files").mkdir(parents=True)
    with closing(sqlite3.connect(settings.VAR_DIR / "shop.sqlite3")) as db:
        db.executescript("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
    return settings.VAR_DIR


def _moved(folder: Path, settings) -> Path:
    settings.VAR_DIR = folder.with_name("there")
    settings.SOURCE_FILES_DIR = settings.VAR_DIR / "files"
    shutil.move(folder, settings.VAR_DIR)
    return settings.VAR_DIR


def _raw(source: Source) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT database FROM sources_source WHERE id = %s", [source.pk])
        return cursor.fetchone()[0]


def _raw_set(source: Source, path: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sources_source SET database = %s WHERE id = %s", [path, source.pk])


def _source(owner, path: Path, **fields) -> Source:
    return Source.objects.create(owner=owner, name="shop", engine="sqlite", database=str(path), **fields)


def test_the_sample_is_found_where_the_folder_was_moved(alice, folder, settings):
    source = _source(alice, folder / "shop.sqlite3", is_sample=True)
    assert _raw(source) == "$VAR_DIR/shop.sqlite3"
    there = _moved(folder, settings)
    source = Source.objects.get(pk=source.pk)
    assert source.database == str(there / "shop.sqlite3")
    with closing(open_source(source)) as database:
        assert [table.name for table in database.catalog().tables] == ["orders"]


def test_a_file_that_somebody_connected_is_found_too_and_its_form_shows_where_it_is(
    alice, as_alice, folder, settings
):
    shutil.copy(folder / "shop.sqlite3", folder / "files" / "mine.sqlite3")
    source = Source(owner=alice, name="mine", engine="sqlite", database="mine.sqlite3")
    source_check(source, alice)
    source.save()
    there = _moved(folder, settings)
    assert how_to_open(Source.objects.get(pk=source.pk))["database"] == str(there / "files" / "mine.sqlite3")
    shown = as_alice.get(reverse("sources:edit", args=[source.pk])).content.decode()
    assert str(there / "files" / "mine.sqlite3") in shown


def test_a_file_elsewhere_and_the_name_of_a_database_stay_as_they_are(alice, folder, tmp_path):
    outside = tmp_path / "outside.sqlite3"
    assert _raw(_source(alice, outside)) == str(outside)
    assert contracted("erp") == expanded("erp") == "erp"


def test_saving_it_again_is_no_move(alice, folder):
    from mirror.sources.powers import is_moved

    source = _source(alice, folder / "shop.sqlite3")
    assert not is_moved(Source.objects.get(pk=source.pk))


def test_absolute_paths_of_an_earlier_version_are_rewritten(alice, folder):
    source = _source(alice, folder / "shop.sqlite3", is_sample=True)
    _raw_set(source, str(folder / "shop.sqlite3"))
    migration.paths_keep(apps, None)
    assert _raw(source) == "$VAR_DIR/shop.sqlite3"


@pytest.mark.parametrize(
    ("own", "fields"),
    [("shop.sqlite3", {"is_sample": True}), ("uploads/sources/a1.duckdb", {"is_upload": True})],
)
def test_files_of_a_folder_that_was_moved_before_are_found(alice, folder, own, fields):
    (folder / own).parent.mkdir(parents=True, exist_ok=True)
    (folder / own).touch()
    source = _source(alice, folder / own, **fields)
    _raw_set(source, f"/gone/var/{own}")
    migration.paths_keep(apps, None)
    assert _raw(source) == f"$VAR_DIR/{own}"


def test_a_file_that_is_nowhere_keeps_its_path(alice, folder):
    source = _source(alice, folder / "shop.sqlite3", is_upload=True)
    _raw_set(source, "/gone/var/uploads/sources/a1.duckdb")
    migration.paths_keep(apps, None)
    assert _raw(source) == "/gone/var/uploads/sources/a1.duckdb"


def test_a_database_of_a_server_is_never_named_like_a_path_of_ours(as_alice, alice, folder):
    typed = {
        "name": "pg",
        "host": "127.0.0.1",
        "port": "5432",
        "database": "$VAR_DIR/",
        "username": "u",
        "privacy": "schema",
    }
    answer = as_alice.post(reverse("sources:connect") + "?engine=postgres", typed)
    assert "A name cannot begin with $VAR_DIR/ here." in answer.content.decode()
    assert not Source.objects.filter(name="pg").exists()

"""A database that changes under Mirror: what changed is told, with the saved SQL that it breaks."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import duckdb
import pytest
from django.urls import reverse

from mirror.library.models import SavedSql
from mirror.library.selectors import broken_by
from mirror.library.services import sql_save, sql_update
from mirror.sources.catalog_services import catalog_look, catalog_refresh
from mirror.sources.catalogs import catalog_read
from mirror.sources.drift import catalog_drift
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.models import Source
from sqlagent.values import Catalog, Column, Table
from tests.web.working import visited

BEFORE = """
CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, weight INT, born DATE);
CREATE TABLE visits (pet_id INT, day DATE);
INSERT INTO pets VALUES (1, 'Rex', 12, '2020-01-01');
"""
AFTER = """
DROP TABLE visits;
ALTER TABLE pets RENAME COLUMN name TO called;
ALTER TABLE pets DROP COLUMN weight;
ALTER TABLE pets ADD COLUMN weight REAL;
CREATE TABLE owners (name TEXT);
"""


def change(source: Source, script: str) -> None:
    with closing(sqlite3.connect(source.database)) as db:
        db.executescript(script)


@pytest.fixture
def pets(alice, team, tmp_path) -> Source:
    """A file of pets that Alice shares with Bob, its tables read."""
    source = Source(owner=alice, name="pets", engine=Source.Engine.SQLITE, database=str(tmp_path / "p.db"))
    change(source, BEFORE)
    source.save()
    source.teams.add(team)
    catalog_refresh(source)
    return source


@pytest.fixture
def kept(pets, alice) -> dict[str, SavedSql]:
    """Saved SQL that what happens next breaks, and some that it does not."""
    since = [{"name": "since", "kind": "date", "default": "", "label": ""}]
    return {
        "by name": sql_save(alice, pets, "by name", "SELECT name FROM pets"),
        "all": sql_save(alice, pets, "all", "SELECT count(*) FROM pets"),
        "visits": sql_save(
            alice, pets, "visits", "SELECT * FROM visits WHERE day > :since", parameters=since
        ),
        "born": sql_save(alice, pets, "born", "SELECT id FROM pets WHERE born > :since", parameters=since),
    }


def refresh(client, source: Source) -> str:
    return visited(client, reverse("sources:refresh", args=[source.pk])).content.decode()


def test_what_changed_is_told_after_reading_the_tables_again(as_alice, pets):
    assert "Nothing has changed" in refresh(as_alice, pets)
    pets.refresh_from_db()
    assert pets.drift is None
    change(pets, AFTER)
    page = refresh(as_alice, pets)
    assert "1 new table, 1 table gone, 1 new column, 1 column gone, 1 type changed" in page
    assert "pets.weight: INT → REAL" in page
    pets.refresh_from_db()
    found = {kind: names for kind, names in pets.drift.items() if kind != "at"}
    assert found == {
        "tables_added": ["owners"],
        "tables_removed": ["visits"],
        "columns_added": ["pets.called"],
        "columns_removed": ["pets.name"],
        "types_changed": ["pets.weight: INT → REAL"],
    }
    again = refresh(as_alice, pets)
    assert "Nothing has changed" in again
    assert "pets.called" in again, "what was found last stays on the page, with its time"


def test_saved_sql_that_breaks_is_named_with_the_reason(as_alice, pets, kept):
    change(pets, AFTER)
    refresh(as_alice, pets)
    pets.refresh_from_db()
    broken = broken_by(pets, catalog_read(pets.catalog))
    assert set(broken) == {kept["by name"].pk, kept["visits"].pk}
    assert "name" in broken[kept["by name"].pk]
    listed = as_alice.get(reverse("library:list"), {"broken": "pets"}).content.decode()
    assert "by name" in listed
    assert ">all<" not in listed
    assert as_alice.get(reverse("library:list")).content.decode().count("no longer runs") == 2
    assert "visits" in as_alice.get(reverse("library:saved", args=[kept["visits"].pk])).content.decode()


def test_saved_sql_runs_again_when_its_table_is_back_or_its_sql_is_mended(as_alice, pets, kept):
    change(pets, AFTER)
    refresh(as_alice, pets)
    mended = SavedSql.objects.get(pk=kept["by name"].pk)
    assert mended.problem
    told = {"name": "by name", "description": "", "sql": "SELECT called FROM pets", "parameters": []}
    sql_update(mended, **told, by=mended.owner)
    assert not mended.problem
    change(pets, "CREATE TABLE visits (pet_id INT, day DATE)")
    refresh(as_alice, pets)
    assert not SavedSql.objects.exclude(problem="").exists()


def test_somebody_sees_only_what_is_theirs_of_what_breaks(as_alice, as_bob, pets, kept):
    change(pets, AFTER)
    refresh(as_bob, pets)
    assert "Everything still runs" in as_bob.get(reverse("library:list"), {"broken": "pets"}).content.decode()
    assert reverse("library:list") + "?broken=pets" in refresh(as_bob, pets)


def test_tables_of_two_schemas_are_told_apart():
    def catalog(*schemas: str) -> Catalog:
        return Catalog("postgres", tuple(Table("t", (Column("a", "INT"),), schema) for schema in schemas), "")

    assert catalog_drift(catalog("x", "y"), catalog("y", "z")) == {
        "tables_added": ["z.t"], "tables_removed": ["x.t"],
    }  # fmt: skip


def test_a_function_that_somebody_makes_is_learned_though_no_table_changed(charlie, tmp_path):
    path = tmp_path / "macros.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE t (a INTEGER)")
    source = Source.objects.create(owner=charlie, name="macros", engine="duckdb", database=str(path))
    catalog_refresh(source)
    assert not catalog_look(source)
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE MACRO upper(a) AS a")
    assert catalog_look(source)
    assert source.catalog["routines"] == ("upper",)
    refused = sql_check(source, "SELECT upper('a') FROM t", catalog_read(source.catalog))
    assert isinstance(refused, Refusal)
    assert not catalog_look(source)

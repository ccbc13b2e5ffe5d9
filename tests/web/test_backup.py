"""A backup is made, everything is destroyed, and what is put back is compared row by row and byte by byte."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import urllib.parse
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.servers import PASSWORD, PostgresServer
from tests.test_imports import ROOT

pytestmark = pytest.mark.timeout(900)

OLD = ROOT / "tests" / "old_store"
PASSPHRASE = "correct horse battery staple"
# Tables that a restore adds or leaves out on purpose.
# Identities rest in a copy: that is asked by itself.
OTHERS = {
    "django_session",
    "people_session",
    "people_passkeychallenge",
    "people_identity",
    "health_heartbeat",
    "reports_sendingpause",
    "audit_auditrow",
    "audit_auditday",
}


IDENTITY = (
    "from mirror.people.models import Identity;"
    "print([(one.grant, one.user.is_away) for one in Identity.objects.all()])"
)


class Installation:
    """A folder of data, and Mirror's commands on it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        without = ("SECRET_KEY", "MIRROR_ENCRYPTION_KEYS", "DATABASE_URL", "MIRROR_VAR_DIR")
        self.environment = {name: value for name, value in os.environ.items() if name not in without} | {
            "MIRROR_ENV_FILE": os.devnull,
            "MIRROR_VAR_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "mirror.settings",
            "BACKUP_PASSPHRASE": PASSPHRASE,
            "LOG_LEVEL": "ERROR",
            **settings,
        }

    def copied(self, folder: Path) -> Installation:
        """Another one with all that is in this one's folder."""
        shutil.copytree(self.folder, folder)
        return Installation(folder)

    def run(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return warm.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment | settings,
            capture_output=True,
            text=True,
            timeout=240,
        )

    def said(self, *words: str, **settings: str) -> str:
        done = self.run(*words, **settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *words: str, **settings: str) -> str:
        done = self.run(*words, **settings)
        assert done.returncode == 1, done.stdout
        assert "Traceback" not in done.stderr, done.stderr
        return done.stderr

    def shell(self, code: str) -> str:
        return self.said("shell", "-v", "0", "-c", code)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of every table, as SQLite has it."""
        with closing(sqlite3.connect(self.folder / "store.sqlite3")) as db:
            return rows_of(
                db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%%'"
            )

    def files(self) -> dict[str, bytes]:
        """Stored files, uploads and the sample."""
        kept = [*(self.folder / "media").rglob("*"), *(self.folder / "uploads").rglob("*")]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in kept if path.is_file()}


def rows_of(db: Any, names: str) -> dict[str, list[dict[str, Any]]]:
    cursor = db.cursor()
    cursor.execute(names.replace("%%", "%") if isinstance(db, sqlite3.Connection) else names)
    found = sorted(
        name for (name,) in cursor.fetchall() if name not in OTHERS and name != "django_migrations"
    )
    kept = {}
    for name in found:
        cursor.execute(f'SELECT * FROM "{name}"')
        # tables that were altered have their columns in another order than those that were made so
        names = [column[0] for column in cursor.description]
        rows = [
            {column: _meant(value) for column, value in zip(names, row, strict=True)}
            for row in cursor.fetchall()
        ]
        kept[name] = sorted((dict(sorted(row.items())) for row in rows), key=repr)
    return kept


def _meant(value: Any) -> Any:
    """A value; JSON as what it says, for PostgreSQL keeps names in an order of its own; an instant with all its digits,
    for SQLite's own clock writes thousandths.
    """
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", value):
        return f"{value}000"
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError):
            return repr(_ordered(json.loads(value)))
    return value


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation with people, an answered question, a report that was made, an upload and a secret."""
    folder = tmp_path_factory.mktemp("first") / "var"
    (folder / "uploads" / "sources").mkdir(parents=True)
    with closing(sqlite3.connect(folder / "store.sqlite3")) as db:
        db.executescript((OLD / "store.sql").read_text())
    shutil.copytree(OLD / "media", folder / "media")
    (folder / "uploads" / "sources" / "a.duckdb").write_bytes(os.urandom(5_000_000))
    made = Installation(folder)
    made.said("migrate", "-v", "0")
    made.shell(
        "from mirror.sources.models import Source; from django.conf import settings; s = Source.objects.first();"
        "Source.objects.create(owner=s.owner, name='up', engine='duckdb', is_upload=True,"
        "database=str(settings.VAR_DIR / 'uploads/sources/a.duckdb'));"
        "erp = Source.objects.create(owner=s.owner, name='erp', engine='postgres', host='db', database='erp', password='geheim');"
        "from mirror.people.models import Team; team = Team.objects.create(name='North'); erp.teams.add(team);"
        "erp.logins.create(team=team, username='north', password='geheim', place=['db', None, {}]);"
        "from mirror.people.models import Identity; from django.utils import timezone;"
        "Identity.objects.create(user=s.owner, issuer='https://id.example.com', subject='x', grant='geheim',"
        "vouched_at=timezone.now());"
        "from mirror.people.models import Passkey, PasskeyChallenge, Session;"
        "Passkey.objects.create(user=s.owner, name='Phone', host='mirror.example.com', credential_id='x', credential='y', handle='z',"
        "counter=2**40);"
        "Session.objects.create(session_key='k', session_data='', expire_date=timezone.now(), seen_at=timezone.now());"
        "PasskeyChallenge.objects.create(session_id='k', purpose='sign in', challenge='c', made_at=timezone.now())"
    )
    return made


@pytest.fixture(scope="module")
def backup(first: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("backup") / "mirror.tar"
    assert "Without its passphrase no secret in it opens" in first.said("backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    return file


LATER = {
    "asking": {
        "0019_run_traceparent",
        "0020_llm_changes",
        "0021_shared_with_teams",
        "0022_sight",
        "0023_sight_of_changes",
        "0024_llm_tellings",
        "0025_version_departs",
        "0026_saying",
    },
    "comments": {"0001_initial"},
    "dashboards": {
        "0003_pdfs_by_link",
        "0004_card_pivot",
        "0005_saying",
        "0006_card_saying",
        "0007_pdfexport_zone",
    },
    "knowledge": {
        "0005_evaluations_done",
        "0006_posed_rounds",
        "0007_improvements",
        "0008_evaluations_with_llm",
        "0009_improvements_with_llm",
        "0010_terms_that_hold_values",
        "0011_feedback_draft",
    },
    "library": {"0006_saying"},
    "results": {"0006_kept_pivot"},
    "sharing": {"0001_initial", "0002_notices", "0003_notices_of_saved_sql"},
    "sources": {"0022_upload_keys"},
}
"""Migrations that the earlier Mirror did not have, by their app."""

UNKNOWN = frozenset(
    {
        "asking_llmchange",
        "asking_llmtelling",
        "asking_run_teams",
        "asking_thread_teams",
        "comments_comment",
        "comments_mailsoff",
        "comments_mention",
        "knowledge_improvement",
        "knowledge_improvementstep",
        "knowledge_posedround",
        "results_keptpivot",
        "sharing_noticesoff",
        "sharing_sharelink",
        "sharing_sharenotice",
    }
)
ADDED = {
    "asking_run": {"traceparent", "saying"},
    "asking_thread": {"sight"},
    "asking_version": {"departs", "saying"},
    "dashboards_card": {"saying"},
    "dashboards_drawing": {"saying"},
    "dashboards_pdfexport": {"link", "zone"},
    "knowledge_evaluation": {"with_llm"},
    "knowledge_feedback": {"draft"},
    "knowledge_storedanswer": {"is_example"},
    "knowledge_storedterm": {"holds_values"},
    "library_savedsql": {"saying"},
    "library_savedsqledit": {"saying"},
    "sources_source": {"upload_keys"},
}
"""The tables, and the columns of others, that these make."""


@pytest.fixture
def earlier(backup, tmp_path: Path) -> Path:
    """The same as an earlier Mirror would have made it: before migrations were put together, and without the last of one app."""
    kept: dict[str, list[int]] = {}

    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        if name == "manifest.json":
            told = json.loads(data)
            for app, names in told["migrations"].items():
                left = LATER.get(app, set())
                told["migrations"][app] = [one for one in names if "squashed" not in one and one not in left]
            for table in UNKNOWN:
                del told["tables"][table]
            for table, added in ADDED.items():
                columns = told["tables"][table]
                kept[table] = [place for place, column in enumerate(columns) if column not in added]
                assert len(kept[table]) == len(columns) - len(added)
                told["tables"][table] = [columns[place] for place in kept[table]]
            data = json.dumps(told).encode()
        elif (table := name.split("/")[1] if name.startswith("rows/") else "") in ADDED:
            rows = [json.loads(line) for line in gzip.decompress(data).splitlines()]
            left = [[row[place] for place in kept[table]] for row in rows]
            data = gzip.compress(b"\n".join(json.dumps(row).encode() for row in left))
        assert not any(name.startswith(f"rows/{table}/") for table in UNKNOWN)
        yield name, data

    return _rewritten(backup, tmp_path / "earlier.tar", change, UNKNOWN)


SECRET = (
    "from mirror.sources.models import Source; erp = Source.objects.get(name='erp');"
    "assert all(one.password == erp.password for one in erp.logins.all()); print(erp.password)"
)
UPLOAD = "from mirror.sources.models import Source; print(Source.objects.get(name='up').database)"


def test_everything_is_destroyed_and_comes_back_row_by_row_elsewhere(first, backup, tmp_path):
    before, files = first.rows(), first.files()
    assert sum(map(len, before.values())) > 100 and len(files) > 2
    there = Installation(tmp_path / "there")
    said = there.said("restore", str(backup))
    assert "All sending is paused" in said
    assert there.rows() == before and [row["counter"] for row in before["people_passkey"]] == [2**40]
    assert there.files() == files
    assert (there.folder / "secrets.env").stat().st_mode & 0o077 == 0
    assert there.shell(SECRET) == "geheim\n"
    assert there.shell(UPLOAD) == f"{there.folder}/uploads/sources/a.duckdb\n"
    assert "All sending is paused since" in there.said("sending")
    assert "each is what it was" in there.said("audit", "--verify")
    assert '"restored"' in there.said("audit", "--json-lines")
    assert there.shell(IDENTITY) == "[('', True)]\n", "the copy does not ask with what is another Mirror's"
    again = there.shell(
        "from mirror.people.models import User; print(User.objects.create(username='new').pk)"
    )
    assert int(again) > max(row["id"] for row in before["people_user"]), "numbers go on"


def test_onto_a_store_that_is_there_it_is_refused_unless_it_is_to_be_destroyed(first, earlier, tmp_path):
    """Put back is a backup of an earlier Mirror: its store is migrated one by one, as that one was."""
    there = first.copied(tmp_path / "there")
    there.shell("from mirror.people.models import User; User.objects.create(username='later')")
    changed = there.rows()
    assert "There is a store here already" in there.refused("restore", str(earlier))
    assert there.rows() == changed
    there.said("restore", str(earlier), "--replace")
    assert there.rows() == first.rows()
    there.said("migrate", "--check")


def test_a_running_server_is_not_restored_onto(first, backup):
    import fcntl

    before = first.rows()
    with (first.folder / "running").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("http://127.0.0.1:8000")
        lock.flush()
        assert "Mirror is running, at http://127.0.0.1:8000. Stop it first." in first.refused(
            "restore", str(backup), "--replace"
        )
    first.shell("from mirror.health.services import beat; beat('mirror@elsewhere')")
    assert "Workers of this store run (mirror@elsewhere)" in first.refused(
        "restore", str(backup), "--replace"
    )
    first.shell("from mirror.health.models import Heartbeat; Heartbeat.objects.all().delete()")
    assert first.rows() == before


def test_a_backup_can_be_made_while_mirror_runs_and_holds_one_moment(first, tmp_path):
    """A writer is in the middle of a transaction: the backup neither waits for it nor sees it."""
    with closing(sqlite3.connect(first.folder / "store.sqlite3", isolation_level=None)) as db:
        db.execute("BEGIN")
        # a reader's lock alone; the row that the audit gets waits for no one here
        db.execute("SELECT count(*) FROM people_user").fetchone()
        first.said("backup", str(tmp_path / "running.tar"))
        db.execute("COMMIT")


def test_another_passphrase_opens_nothing_and_changes_nothing(backup, tmp_path):
    there = Installation(tmp_path / "there")
    assert "does not open the keys" in there.refused(
        "restore", str(backup), BACKUP_PASSPHRASE="another one altogether"
    )
    assert not (there.folder / "store.sqlite3").exists()
    assert "fewer than 12" in there.refused("backup", str(tmp_path / "x.tar"), BACKUP_PASSPHRASE="short")
    assert "BACKUP_PASSPHRASE" in there.refused("restore", str(backup), BACKUP_PASSPHRASE="")


def test_no_secret_stands_in_it_in_the_clear(first, backup):
    content = backup.read_bytes()
    for line in (first.folder / "secrets.env").read_text().splitlines():
        name, _, value = line.partition("=")
        if value:
            assert value.encode() not in content, name
    assert b"geheim" not in content


@pytest.mark.parametrize("harm", ["cut", "cut at its end", "changed", "no backup", "gone"])
def test_a_damaged_file_is_found_before_anything_is_changed(backup, tmp_path, harm):
    there, file = Installation(tmp_path / "there"), tmp_path / "harmed.tar"
    content = bytearray(backup.read_bytes())
    if harm == "cut":
        content = content[: len(content) // 2]
    elif harm == "cut at its end":
        content = content[:-12_000]
    elif harm == "changed":
        content[len(content) * 2 // 3] ^= 1
    elif harm == "no backup":
        content = bytearray(b"PK\x03\x04 something else" * 100)
    if harm != "gone":
        file.write_bytes(content)
    assert ("no file" if harm == "gone" else "not a whole backup") in there.refused("restore", str(file))
    assert not (there.folder / "store.sqlite3").exists()
    assert not (there.folder / "uploads").exists()


def _rewritten(backup: Path, to: Path, change: Any, without: frozenset[str] = frozenset()) -> Path:
    """A backup with members of one's own, `without` some tables, and a right digest."""
    from mirror.upkeep.backup import archive

    with archive.written(to) as out:
        for name, content, _ in archive.members(backup):
            data = content.read()
            if name == archive.END:
                told = json.loads(data)
                rows = {table: count for table, count in told["rows"].items() if table not in without}
                out.end({"rows": rows, "files": told["files"]})
                continue
            for given, value in change(name, data):
                out.add_bytes(given, value)
    return to


@pytest.mark.parametrize("place", ["data/../../evil", "data//etc/evil", "data/secrets.env", "media/../evil"])
def test_a_file_outside_of_the_data_folder_is_refused(backup, tmp_path, place):
    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, data
        if name == "keys.json":
            yield place, b"evil"

    there = Installation(tmp_path / "there")
    file = _rewritten(backup, tmp_path / "evil.tar", change)
    assert "outside of the data folder" in there.refused("restore", str(file))
    assert not list(tmp_path.rglob("evil"))
    assert not (there.folder / "store.sqlite3").exists(), "the store that is made aside takes no place"


def test_a_backup_of_a_newer_mirror_is_refused(backup, tmp_path):
    def change(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield (
            name,
            data.replace(b'"0001_audit"', b'"0001_audit", "0999_of_tomorrow"')
            if name == "manifest.json"
            else data,
        )

    there = Installation(tmp_path / "there")
    file = _rewritten(backup, tmp_path / "newer.tar", change)
    assert "newer Mirror (audit.0999_of_tomorrow)" in there.refused("restore", str(file))
    assert not (there.folder / "store.sqlite3").exists()


def test_a_newer_store_is_neither_backed_up_nor_restored_onto_nor_started(first, backup, tmp_path):
    there = first.copied(tmp_path / "there")
    with closing(sqlite3.connect(there.folder / "store.sqlite3")) as db:
        db.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('reports', '0999_of_tomorrow', '2026-11-30')"
        )
        db.commit()
    assert "newer Mirror (reports.0999_of_tomorrow)" in there.refused("backup", str(tmp_path / "b.tar"))
    assert not (tmp_path / "b.tar").exists()
    assert "newer Mirror" in there.refused("restore", str(backup), "--replace")
    started = warm.run(
        [sys.executable, "script/serve.py", "--port", "0"],
        cwd=ROOT,
        env=there.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert started.returncode == 1
    assert "The store is of a newer Mirror" in started.stderr and "Traceback" not in started.stderr


def test_where_the_environment_brings_the_keys_they_must_be_those_of_the_backup(first, backup, tmp_path):
    there = Installation(
        tmp_path / "there", SECRET_KEY="x" * 50, MIRROR_ENCRYPTION_KEYS="A" * 43 + "=", PRODUCTION="1"
    )
    assert "--keys-to" in there.refused("restore", str(backup))
    there.said("restore", str(backup), "--keys-to", str(tmp_path / "keys.env"))
    assert (tmp_path / "keys.env").stat().st_mode & 0o077 == 0
    given = dict(
        line.split("=", 1)
        for line in (tmp_path / "keys.env").read_text().splitlines()
        if not line.startswith("#")
    )
    there.environment |= given
    there.said("restore", str(backup))
    assert there.shell(SECRET) == "geheim\n"
    assert not (there.folder / "secrets.env").exists()
    assert there.rows() == first.rows()


def test_a_backup_does_not_overwrite_and_leaves_nothing_of_one_that_failed(first, tmp_path):
    file = tmp_path / "kept.tar"
    file.write_bytes(b"kept")
    assert "already" in first.refused("backup", str(file))
    assert file.read_bytes() == b"kept"
    assert "no folder" in first.refused("backup", str(tmp_path / "gone" / "b.tar"))
    done = subprocess.run(
        ["bash", "-c", f'ulimit -f 2000; exec "{sys.executable}" manage.py backup {tmp_path / "full.tar"}'],
        cwd=ROOT,
        env=first.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "could not be written" in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["kept.tar"]


def test_large_files_take_no_memory(first, tmp_path):
    """500 MB more in the data folder, made and put back in less memory than that would take."""
    large = first.folder / "uploads" / "sources" / "large.duckdb"
    large.touch()
    os.truncate(large, 500_000_000)
    try:
        limited = {**first.environment}
        for words, folder in (
            (["backup", str(tmp_path / "large.tar")], first.folder),
            (["restore", str(tmp_path / "large.tar")], tmp_path / "there"),
        ):
            code = (
                "import sys; from django.core.management import execute_from_command_line as go;"
                "from mirror.keys import keys_make; keys_make();"
                f"go(['manage.py', *{words!r}]);"
                "told = open('/proc/self/status').read().split();"  # the peak that rusage tells is the parent's, if that is larger
                "print(told[told.index('VmHWM:') + 1])"
            )
            done = warm.run(
                [sys.executable, "-c", code],
                cwd=ROOT,
                env=limited | {"MIRROR_VAR_DIR": str(folder)},
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            assert int(done.stdout.split()[-1]) < 500_000, "kB"
    finally:
        large.unlink()
    assert (tmp_path / "there/uploads/sources/large.duckdb").stat().st_size == 500_000_000


# ---------------------------------------------------------------- PostgreSQL


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


def _store_url(server: PostgresServer, name: str) -> str:
    with closing(server.connect()) as db:
        db.autocommit = True
        db.execute(f"CREATE DATABASE {name}")
    return f"postgres://{server.user}:{urllib.parse.quote(PASSWORD)}@{server.host}:{server.port}/{name}"


def _postgres_rows(url: str) -> dict[str, list[dict[str, Any]]]:
    import psycopg

    with psycopg.connect(url) as db:
        return rows_of(db, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")


def test_a_store_on_postgresql_comes_back_row_by_row_and_one_on_sqlite_moves_there(
    first, backup, postgres, tmp_path
):
    url = _store_url(postgres, "one")
    there = Installation(tmp_path / "there", DATABASE_URL=url)
    there.said("restore", str(backup))
    moved = _postgres_rows(url)
    assert {name: len(rows) for name, rows in moved.items()} == {
        name: len(rows) for name, rows in first.rows().items()
    }
    assert there.shell(SECRET) == "geheim\n"
    there.said("backup", str(tmp_path / "postgres.tar"))
    there.shell("from mirror.people.models import User; User.objects.create(username='later')")
    there.said("restore", str(tmp_path / "postgres.tar"), "--replace")
    assert _postgres_rows(url) == moved
    again = there.shell(
        "from mirror.people.models import User; print(User.objects.create(username='new').pk)"
    )
    assert int(again) > max(row["id"] for row in moved["people_user"])
    back = Installation(tmp_path / "back")
    back.said("restore", str(tmp_path / "postgres.tar"))
    assert back.rows() == first.rows(), "and back to SQLite, the same"


def test_the_file_is_a_plain_tar(backup):
    with tarfile.open(backup) as tar:
        names = tar.getnames()
    assert names[:2] == ["manifest.json", "keys.json"] and names[-1] == "end.json"

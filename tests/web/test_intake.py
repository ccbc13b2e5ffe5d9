"""Hostile files and rogue servers against a whole Mirror: its web server stays small, its workers go on."""

from __future__ import annotations

import html
import json
import re
import sqlite3
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests import hostile_files
from tests.rogue import SPEAKERS, rogue
from tests.stores import folder_fill
from tests.web.test_server import Running, free_port

# Growth allowed to the web server after its pages were loaded.
MORE_MEGABYTES = 100
ORDERS = b"id,country,amount\n1,Norway,10.50\n2,Chile,3.25\n"
# Speakers that are waited for until their time is over.
SLOW = ("mysql trickle", "mysql by SQLAlchemy")
# The same bounds as others meet, met by another driver or another part of an answer: in the long run.
AGAIN = ("mysql by SQLAlchemy", "mysql columns", "mysql rows", "postgres row")
PAGES = ("/", "/sources/", "/sources/upload/", "/sources/connect/?engine=mysql", "/sources/1/")


class Attacked:
    """Somebody signed in, and the memory of the web server they use."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.worker = running.part("(intake@")
        self._web = running.part("Mirror: web server")
        for page in PAGES * 3:
            assert running.get(page)[0] == 200
        self.read(self.upload(("orders.csv", ORDERS)))
        # A source without examples of its own, for which questions are made up: that loads what makes them.
        self.read(self.ask("connect", "sqlite", name="few", database=database(self, "few", 3, 3))[0])
        for page in (
            "/?source=few",
            "/suggest/?source=few&q=how+many",
            "/sources/2/",
            "/sources/2/names/",
        ) * 2:
            assert running.get(page)[0] == 200
        self.first = self.before = self.megabytes("VmRSS")

    def megabytes(self, what: str) -> int:
        status = Path(f"/proc/{self._web}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", status)[1]) // 1_000

    def begin(self) -> None:
        """Count what the web server has more from now on."""
        Path(f"/proc/{self._web}/clear_refs").write_text("5")  # the peak is what there is now
        self.before = self.megabytes("VmRSS")

    def more(self) -> int:
        """Megabytes that the web server had more, at its peak, since `begin`."""
        return self.megabytes("VmHWM") - self.before

    def token(self, page: str = "/sources/upload/") -> str:
        return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.running.get(page)[2])[1]

    def upload(self, *files: tuple[str, bytes]) -> str:
        """Upload files and give the address of the page about them."""
        line = uuid.uuid4().hex
        body = f'--{line}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self.token()}\r\n'.encode()
        for name, content in files:
            head = f'Content-Disposition: form-data; name="files"; filename="{name}"'
            body += f"--{line}\r\n{head}\r\nContent-Type: text/plain\r\n\r\n".encode() + content + b"\r\n"
        body += f"--{line}--\r\n".encode()
        address = f"http://127.0.0.1:{self.running.port}/sources/upload/"
        kind = {"Content-Type": f"multipart/form-data; boundary={line}"}
        with self.running.opener.open(urllib.request.Request(address, body, kind), timeout=60) as answer:
            assert answer.status == 200
            return answer.url

    def read(self, address: str, seconds: float = 90) -> str:
        """Follow a page until what it waits for has ended, and give its words."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            page = self.running.get(address)[2]
            if "?was=" not in page:
                return html.unescape(page)
            time.sleep(0.2)
        raise AssertionError(f"nothing came of {address}: {page}")

    def ask(self, what: str, engine: str, **typed: object) -> tuple[str, str]:
        """Send the form of a source: its address and page then."""
        form = {"name": "rogue", "privacy": "schema", "csrfmiddlewaretoken": self.token(), **typed}
        status, address, page = self.running.get(f"/sources/{what}/?engine={engine}", form)
        assert status == 200, page
        return address, page

    def test(self, engine: str, **typed: object) -> str:
        """Test a connection and give what is said in the end."""
        page = self.ask("test", engine, **typed)[1]
        return self.read(re.search(r'hx-get="(/sources/visits/[^"?]+)', page)[1])


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    few = {"CONNECTION_TESTS_PER_MINUTE": "1000", "WORKERS": "1"}
    folder = tmp_path_factory.mktemp("var")
    folder_fill(folder)
    running = Running(folder, free_port(), **few)
    try:
        running.up()
        running.sign_in()
        yield Attacked(running)
    finally:
        if running.process.poll() is None:
            running.stop()


@pytest.fixture(autouse=True)
def stays_small(mirror: Attacked) -> Iterator[None]:
    """After each test the web server is still small, and the same worker reads the next file."""
    mirror.begin()
    yield
    assert mirror.megabytes("VmRSS") - mirror.first <= MORE_MEGABYTES, "what stays of all tests so far"
    assert mirror.more() <= MORE_MEGABYTES
    assert "Norway" in mirror.read(mirror.upload(("orders.csv", ORDERS)))
    assert mirror.running.part("(intake@") == mirror.worker


def test_a_small_file_is_read_at_once(mirror):
    began = time.monotonic()
    page = mirror.read(mirror.upload(("orders.csv", ORDERS)))
    assert "Norway" in page
    assert time.monotonic() - began < 3


@pytest.mark.timeout(300)
def test_hostile_files_are_refused_by_the_name_of_what_they_overstep(mirror):
    """All in turn, as somebody would who looks for one that hurts."""
    for name, (make, title, said) in hostile_files.FILES.items():
        page = mirror.read(mirror.upload((title, make())))
        assert title in page, name
        assert said in page, name
        assert mirror.more() <= MORE_MEGABYTES, name


def test_many_files_at_once_are_not_kept_in_memory(mirror):
    """Django would keep each of up to 2.5 MB."""
    line = uuid.uuid4().hex
    head = f'--{line}\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'.encode()
    token = (
        f'--{line}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{mirror.token()}\r\n'
    )
    body = token.encode() + (head + b"x" * 2_400_000 + b"\r\n") * 80 + f"--{line}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={line}"}
    request = urllib.request.Request(f"http://127.0.0.1:{mirror.running.port}/sources/upload/", body, kind)
    with pytest.raises(urllib.error.HTTPError) as refused:
        mirror.running.opener.open(request, timeout=60)
    assert refused.value.code == 422
    assert "The most files taken at once are 30" in refused.value.read().decode()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in AGAIN)) for name in sorted(SPEAKERS)]
)
def test_a_server_that_answers_without_end_is_given_up_in_words(mirror, name):
    dialect, speak = SPEAKERS[name]
    engine, how = ("sqlalchemy", {"dialect": dialect}) if "+" in dialect else (dialect, {})
    with rogue(speak) as port:
        typed = {"host": "127.0.0.1", "port": port, "database": "shop", "username": "ann", **how}
        if name not in SLOW:
            said = mirror.test(engine, **typed)
            assert "No connection" in said
            assert "Something in Mirror itself broke" not in said
        address, _ = mirror.ask("connect", engine, **typed)
        page = mirror.read(address)
    assert "Not saved" in page
    assert f'value="{port}"' in page, "what was typed is there"
    assert "Something in Mirror itself broke" not in page


def database(mirror: Attacked, name: str, tables: int, columns: int, comment: str = "") -> str:
    """A SQLite file with so many tables."""
    folder = mirror.running.folder / "files"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        inside = ", ".join(f"column_number_{n} INTEGER{comment}" for n in range(columns))
        db.execute(f"CREATE TABLE table_number_0 ({inside})")
        # SQLite reads all that it knows for each table that is made, 4 s for 5,000; these lie, empty, where the first one does.
        db.execute("PRAGMA writable_schema = ON")
        db.executemany(
            "INSERT INTO sqlite_schema SELECT type, ?1, ?1, rootpage, replace(sql, name, ?1) FROM sqlite_schema"
            " WHERE rowid = 1",
            [(f"table_number_{number}",) for number in range(1, tables)],
        )
        db.execute("COMMIT")
    return str(path)


@pytest.mark.parametrize(
    ("tables", "columns", "comment", "said"),
    [
        (5_001, 1, "", "5,001 tables; the most that are taken are 5,000"),
        (100, 600, "", "60,000 columns; the most that are taken are 50,000"),
        (20, 1_900, "_" + "x" * 400, "more than 10,000,000 characters of names, types and comments"),
    ],
)
def test_a_catalog_beyond_what_is_taken_is_refused_by_the_name_of_the_bound(
    mirror, tables, columns, comment, said
):
    path = database(mirror, f"over{tables}", tables, columns, comment)
    page = mirror.read(mirror.ask("connect", "sqlite", database=path)[0])
    assert said in page
    assert "Not saved" in page


def test_a_file_that_crashes_its_reader_or_is_none_is_said(mirror):
    path = mirror.running.folder / "files" / "broken.duckdb"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\x00" * 8 + b"DUCK" + b"\xff" * 20_000)
    page = mirror.read(mirror.ask("connect", "duckdb", database=str(path))[0])
    assert "Not saved" in page
    assert "Something in Mirror itself broke" not in page


def test_the_largest_catalog_that_is_taken_is_looked_at_in_little_memory(mirror):
    path = database(mirror, "large", 5_000, 10)
    page = mirror.read(mirror.ask("connect", "sqlite", name="large", database=path)[0])
    assert "large is connected" in page
    number = re.search(r"/sources/(\d+)/edit/", page)[1]
    for address in (
        f"/sources/{number}/",
        f"/sources/{number}/?q=column_number_3",
        f"/sources/{number}/names/",
    ):
        assert mirror.running.get(address)[0] == 200
        assert mirror.more() <= MORE_MEGABYTES, address
    for address in ("/?source=large", "/suggest/?source=large&q=how+many+table", "/sources/", "/library/"):
        assert mirror.running.get(address)[0] in (200, 404)
        assert mirror.more() <= MORE_MEGABYTES, address
    assert json.loads(mirror.running.get(f"/sources/{number}/names/")[2])["tables"]["table_number_7"]


@pytest.mark.long
def test_one_table_of_very_many_columns_is_looked_at_in_little_memory(mirror):
    path = database(mirror, "wide", 25, 1_999)
    page = mirror.read(mirror.ask("connect", "sqlite", name="wide", database=path)[0])
    assert "wide is connected" in page
    number = re.search(r"/sources/(\d+)/edit/", page)[1]
    assert mirror.running.get(f"/sources/{number}/?q=column_number_3")[0] == 200


@pytest.mark.timeout(300)
def test_the_widest_upload_that_is_taken_is_looked_at_in_little_memory(mirror):
    head = ",".join(f"name_of_column_{n}" for n in range(1_000))
    cells = ",".join("a long text that is shown" for _ in range(1_000))
    wide = f"{head}\n{cells}\n{cells}\n{cells}\n".encode()
    page = mirror.read(mirror.upload(("a.csv", wide), ("b.csv", wide), ("c.csv", wide), ("d.csv", wide)), 240)
    assert page.count('value="name_of_column_999"') == 3
    assert "d.csv is left out" in page
    assert "more than 3,000 columns together" in page

"""Large files are read and loaded by a worker while a page says how far it is; nothing typed is lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.leases import Lease, Status
from mirror.sources import doors, tasks, upload_work, uploading
from mirror.sources.models import Source, Upload
from mirror.sources.uploads import FilePlan
from tests.web.test_uploads import ORDERS, make, read, uploaded

BIG = b"id,name\n" + b"".join(b"%d,somebody\n" % n for n in range(45_000))


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch, transactional_db, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(upload_work, "READ_NOW", 0)
    monkeypatch.setattr(upload_work, "TELL_SECONDS", 0.0)
    monkeypatch.setattr(doors.upload_work, "delay", lambda pk: None)


def review(browser, upload: Upload, **headers: str):
    return browser.get(reverse("sources:review", args=[upload.pk]), headers=headers)


def work(upload: Upload) -> None:
    """A worker's part."""
    tasks.upload_work(str(upload.pk))


@pytest.fixture
def told(monkeypatch) -> list[str]:
    """What the store was told while a worker worked."""
    found: list[str] = []
    write = Lease.write

    def watched(self, **fields):
        found.extend(fields.get("progress", "").splitlines())
        write(self, **fields)

    monkeypatch.setattr(Lease, "write", watched)
    return found


def test_a_large_file_becomes_a_source_with_pages_that_never_wait_for_it(as_alice, as_bob, told):
    upload = uploaded(as_alice, ("big.csv", BIG))
    assert "Waiting for a worker" in review(as_alice, upload).content.decode()
    assert review(as_bob, upload).status_code == 404
    work(upload)
    assert told == [
        "big.csv: 20,000 rows so far",
        "big.csv: 40,000 rows so far",
        "big.csv: 45,001 rows so far",
    ]
    followed = review(as_alice, upload, hx_request="true")
    assert (followed.status_code, followed["HX-Redirect"]) == (
        204,
        reverse("sources:review", args=[upload.pk]),
    )
    assert "45,000 rows" in review(as_alice, upload).content.decode()
    assert make(as_alice, upload, name="mine")["Location"] == reverse("sources:review", args=[upload.pk])
    assert "Making tables" in review(as_alice, upload).content.decode()
    work(upload)
    assert not upload.folder.exists()
    source = Source.objects.get(name="mine", owner__username="alice")
    assert review(as_alice, upload)["Location"] == reverse("sources:source", args=[source.pk])
    assert read(source.database, "SELECT count(*), max(id) FROM big") == [(45_000, 44_999)]
    assert not Upload.objects.exists()


def test_cells_that_do_not_fit_come_back_beside_their_column_with_all_that_was_typed(as_alice):
    upload = uploaded(as_alice, ("orders.csv", ORDERS))
    work(upload)
    make(as_alice, upload, name="mine", privacy="rows", f0t0c1_kind="date", f0t0_name="bought")
    work(upload)
    page = review(as_alice, upload).content.decode()
    assert "row 2 holds “Norway”" in page
    assert 'value="bought"' in page
    assert 'value="mine"' in page
    assert not Source.objects.exists()
    make(as_alice, upload, name="mine", f0t0c1_kind="text")
    work(upload)
    assert Source.objects.get().catalog["tables"][0]["name"] == "bought"


def test_tables_are_added_and_files_read_again_by_the_worker_too(as_alice):
    first = uploaded(as_alice, ("orders.csv", ORDERS))
    work(first)
    make(as_alice, first, name="mine")
    work(first)
    review(as_alice, first)
    source = Source.objects.get()
    more = uploaded(
        as_alice, ("b.csv", b"x;y,z\n1;2,3\n"), to=reverse("sources:upload_more", args=[source.pk])
    )
    work(more)
    make(as_alice, more, f0_delimiter=";")
    assert "Reading the files" in review(as_alice, more).content.decode()
    work(more)
    assert "y,z" in review(as_alice, more).content.decode()
    make(as_alice, more)
    work(more)
    assert review(as_alice, more)["Location"] == reverse("sources:source", args=[source.pk])
    assert {table["name"] for table in Source.objects.get().catalog["tables"]} == {"orders", "b"}


def test_a_workbook_is_large_sooner_than_text_because_it_takes_longer_to_read(monkeypatch):
    monkeypatch.setattr(upload_work, "READ_NOW", 5_000_000)
    sizes = (("a.csv", 4_900_000), ("a.csv", 5_100_000), ("a.XLSX", 240_000), ("a.xlsx", 260_000))
    large = [upload_work.is_large([FilePlan(name, "0", size)]) for name, size in sizes]
    assert large == [False, True, False, True]


def test_files_thrown_away_while_they_are_read_end_the_work(as_alice, monkeypatch):
    upload = uploaded(as_alice, ("big.csv", BIG))

    def thrown_away(self, words):
        as_alice.post(reverse("sources:forget", args=[upload.pk]))
        self._lease.write(progress=words)

    monkeypatch.setattr(upload_work._Teller, "__call__", thrown_away)
    work(upload)
    assert not Upload.objects.exists()
    assert not upload.folder.exists()


def test_what_a_dead_worker_left_is_handed_back_and_given_up_after_three(as_alice, monkeypatch):
    upload = uploaded(as_alice, ("orders.csv", ORDERS))
    gone = timezone.now() - timedelta(seconds=1)
    for attempt in range(1, upload_work.ATTEMPTS + 1):
        assert upload_work.work_take(str(upload.pk)).attempt == attempt
        Upload.objects.update(lease_until=gone)
        page = review(as_alice, upload).content.decode()
        assert ("Waiting for a worker" in page) == (attempt < upload_work.ATTEMPTS)
    assert "interrupted 3 times" in page


def test_what_nobody_expected_is_said_and_can_be_tried_again(as_alice, monkeypatch):
    upload = uploaded(as_alice, ("orders.csv", ORDERS))
    with monkeypatch.context() as broken:
        broken.setattr(uploading, "plan_file", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            work(upload)
    assert "Something in Mirror itself broke" in review(as_alice, upload).content.decode()
    assert Upload.objects.get().status == Status.DONE

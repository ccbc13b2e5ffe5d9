"""Files are read and loaded by a worker while a page says how far it is; nothing typed is lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from mirror import confined
from mirror.sources import upload_work, uploading
from mirror.sources.models import Source, Upload
from mirror.work.doing import work_do
from mirror.work.kinds import kind_of
from mirror.work.leases import Lease, Status
from mirror.work.turns import turn_pass, turn_take
from tests.web import hostile
from tests.web.test_uploads import ORDERS, read, typed
from tests.web.test_uploads import uploaded as uploaded_and_read

BIG = b"id,name\n" + b"".join(b"%d,somebody\n" % n for n in range(45_000))


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch, transactional_db, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(upload_work, "TELL_SECONDS", 0.0)
    monkeypatch.setattr(kind_of(Upload), "tell", lambda pk: None)


def uploaded(browser, *pairs: tuple[str, bytes], to: str = "") -> Upload:
    """Files that wait for a worker."""
    return uploaded_and_read(browser, *pairs, to=to, is_read=False)


def make(browser, upload: Upload, **changed: str):
    """Send the review page, for a worker to do the rest."""
    return browser.post(reverse("sources:review", args=[upload.pk]), typed(browser, upload, **changed))


def review(browser, upload: Upload, **headers: str):
    return browser.get(reverse("sources:review", args=[upload.pk]), headers=headers)


def work(upload: Upload) -> None:
    """A worker's part."""
    work_do("upload", upload.pk)


@pytest.fixture
def told(monkeypatch) -> list[str]:
    """Lines of progress that a worker wrote to the store."""
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
    for _poll in range(2):  # a page that polls asks twice where a server is slow
        assert review(as_alice, upload)["Location"] == reverse("sources:source", args=[source.pk])
    shown = as_alice.get(reverse("sources:source", args=[source.pk])).content.decode()
    assert shown.count("mine is ready to be asked.") == 1
    assert read(source.database, "SELECT count(*), max(id) FROM big") == [(45_000, 44_999)]


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


def test_a_german_reader_reads_notes_errors_and_problems_of_files_in_german(as_alice):
    german = {"accept-language": "de"}
    rows = b"name,name,amount\nAnna,A,1\nBernd,B,many\n"
    upload = uploaded(as_alice, ("people.csv", rows), ("lines.jsonl", b'{"a": 1}\n{"a"\n'))
    work(upload)
    page = review(as_alice, upload, **german).content.decode()
    assert "„name“ steht mehrmals in den Überschriften, Zeile 1." in page
    assert "Zeile 2 ist kein JSON." in page
    assert "“name” stands more than once" in review(as_alice, upload).content.decode()
    make(as_alice, upload, f0t0c2_kind="integer")
    work(upload)
    page = review(as_alice, upload, **german).content.decode()
    assert "Nicht jede Zelle von amount ist vom Typ „Ganze Zahl“: „many“ in Zeile 3." in page
    only = uploaded(as_alice, ("none.csv", b""))
    work(only)
    review(as_alice, only, **german)
    page = as_alice.get(reverse("sources:upload"), headers=german).content.decode()
    assert "none.csv: Die Datei ist leer." in page


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
    for attempt in range(1, kind_of(Upload).attempts + 1):
        assert turn_take(Upload, upload.pk).attempt == attempt
        Upload.objects.update(lease_until=gone)
        page = review(as_alice, upload).content.decode()
        assert ("Waiting for a worker" in page) == (attempt < kind_of(Upload).attempts)
    assert "interrupted 3 times" in page


def test_what_nobody_expected_is_said_and_can_be_tried_again(as_alice, monkeypatch):
    upload = uploaded(as_alice, ("orders.csv", ORDERS))
    with monkeypatch.context() as broken:
        broken.setattr(uploading, "file_planned", hostile.no_plan)
        with pytest.raises(confined.Broken, match="ZeroDivisionError"):
            work(upload)
    assert "Something in Mirror itself broke" in review(as_alice, upload).content.decode()
    assert Upload.objects.get().status == Status.DONE


def give_large_files_a_second(monkeypatch):
    """Files of more than a megabyte may be read for a second, small ones for a minute: a busy machine is slow to begin."""
    monkeypatch.setattr(uploading, "LEAST_SECONDS", 60)
    monkeypatch.setattr(uploading, "SECONDS_A_MEGABYTE", 0)
    read = uploading._planned

    def planned(plan, folder, tell):
        with monkeypatch.context() as quick:
            if plan.size > confined.MEGABYTE:
                quick.setattr(uploading, "LEAST_SECONDS", 1)
            return read(plan, folder, tell)

    monkeypatch.setattr(uploading, "_planned", planned)


def test_what_takes_too_long_or_too_much_is_given_up_and_nothing_of_it_stays(as_alice, settings, monkeypatch):
    give_large_files_a_second(monkeypatch)
    upload = uploaded(as_alice, ("long.csv", BIG * 20), ("orders.csv", ORDERS))
    work(upload)
    page = review(as_alice, upload).content.decode()
    assert "long.csv is left out" in page
    assert "It took longer than 1 second and was ended." in page
    assert "Norway" in page, "the other file was read"
    assert sorted(path.name for path in upload.folder.iterdir()) == ["0", "1", "1.duckdb"]
    settings.UPLOAD_READ_MEGABYTES = 10
    make(as_alice, upload, name="mine")
    work(upload)
    page = review(as_alice, upload).content.decode()
    assert "The tables were not made. It took more than 10 MB of memory and was ended." in page
    assert 'value="mine"' in page
    assert not Source.objects.exists()
    assert not list((settings.VAR_DIR / "uploads/sources").iterdir())


def test_files_after_two_that_took_too_long_are_not_read(as_alice, monkeypatch):
    long = [(f"long{n}.csv", BIG * 20) for n in range(2)]
    give_large_files_a_second(monkeypatch)
    upload = uploaded(as_alice, ("orders.csv", ORDERS), *long, ("more.csv", b"shelf\nupper\n"))
    work(upload)
    page = review(as_alice, upload).content.decode()
    assert page.count("and was ended.") == 2
    assert "It was not read: 2 files before it took too long. Upload it by itself." in page
    assert "Norway" in page and "upper" not in page


def test_more_than_two_of_one_person_wait_for_their_turn_and_others_do_not(as_alice, as_bob, monkeypatch):
    mine = [uploaded(as_alice, ("orders.csv", ORDERS)) for _ in range(3)]
    other = uploaded(as_bob, ("orders.csv", ORDERS))
    held = [turn_take(Upload, upload.pk) for upload in mine]
    assert [lease is not None for lease in held] == [True, True, False]
    assert "Waiting until other files of yours are read" in review(as_alice, mine[2]).content.decode()
    assert turn_take(Upload, other.pk) is not None
    sent: list[str] = []
    monkeypatch.setattr(kind_of(Upload), "tell", sent.append)
    upload_work.upload_do(held[0])
    turn_pass(held[0])
    assert sent == [mine[2].pk]
    work(mine[2])
    assert "Norway" in review(as_alice, mine[2]).content.decode()


def test_a_page_says_when_no_worker_takes_the_files(as_alice):
    upload = uploaded(as_alice, ("orders.csv", ORDERS))
    with time_machine.travel(timezone.now() + timedelta(seconds=upload_work.WORKER_SECONDS + 1)):
        assert "No worker has taken this for a minute" in review(as_alice, upload).content.decode()
    work(upload)
    assert "Norway" in review(as_alice, upload).content.decode()

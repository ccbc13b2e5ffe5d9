"""Stored results in a bucket: a real S3 client against an emulator (moto) on loopback, not against a real store.

Results work as on disk, a file is fetched once, and nothing is lost while the bucket is away.
"""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import boto3
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from moto.server import ThreadedMotoServer

import mirror
from mirror.asking import services
from mirror.exports.file_writing import pieces
from mirror.exports.sheets import sheet_of
from mirror.results import result_files
from mirror.results.models import ForgottenFile, StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import Sort, rows_batches, rows_page
from mirror.results.services import result_store, results_expire
from mirror.storage import BucketStorage, StorageAway
from sqlagent.values import Kind, Rows
from tests.server_processes import free_port
from tests.web.working import REVENUE, TOP, answer, ran, work

KEYS = {"access_key": "an-access-key-id", "secret_key": "a-very-secret-key"}
CLIENT = {"aws_access_key_id": "someone", "aws_secret_access_key": "else", "region_name": "us-east-1"}


class Bucket:
    """A bucket that can go away and come back."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._server: ThreadedMotoServer | None = None

    def start(self) -> None:
        self._server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
        self._server.start()
        self.client = boto3.client("s3", endpoint_url=self.address, **CLIENT)

    def stop(self) -> None:
        assert self._server is not None
        self._server.stop()

    def names(self) -> list[str]:
        return [found["Key"] for found in self.client.list_objects_v2(Bucket="kept").get("Contents", [])]


@pytest.fixture(scope="module")
def server() -> Iterator[Bucket]:
    bucket = Bucket()
    bucket.start()
    bucket.client.create_bucket(Bucket="kept")
    yield bucket
    bucket.stop()


@pytest.fixture
def bucket(server, settings, tmp_path) -> Bucket:
    """The bucket as the storage of this test's results; the copies here are its own."""
    options = {"bucket_name": "kept", "endpoint_url": server.address, "region_name": "us-east-1", **KEYS}
    backend = {"BACKEND": "mirror.storage.BucketStorage", "OPTIONS": {**options, "addressing_style": "path"}}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    settings.VAR_DIR = tmp_path
    for name in server.names():
        server.client.delete_object(Bucket="kept", Key=name)
    return server


@pytest.fixture
def fetched(monkeypatch) -> list[str]:
    """The names of files that were fetched."""
    found: list[str] = []
    fetch = BucketStorage.fetch

    def watched(self, name, path):
        found.append(name)
        fetch(self, name, path)

    monkeypatch.setattr(BucketStorage, "fetch", watched)
    return found


def copies() -> list[Path]:
    return list(result_files._folder().glob("*"))


@pytest.fixture
def numbers(bucket, shop, alice, db) -> StoredResult:
    """Ten thousand rows in the bucket."""
    rows = tuple((n, f"name {n}") for n in range(10_000))
    return result_store(shop, Rows(("n", "name"), rows, kinds=(Kind.INTEGER, Kind.TEXT)), alice)


def test_a_result_in_a_bucket_is_paged_sorted_filtered_and_downloaded_after_one_fetch(
    bucket, numbers, fetched, as_alice
):
    assert bucket.names() == [numbers.file.name]
    for copy in copies():
        copy.unlink()
    assert rows_page(numbers, 100, 2).rows == ((100, "name 100"), (101, "name 101"))
    assert rows_page(numbers, 0, 1, Sort(0, descending=True)).rows == ((9_999, "name 9999"),)
    assert rows_page(numbers, 0, 50, filters={1: "name 999"}).matching == 11
    assert sum(map(len, rows_batches(numbers))) == 10_000
    shown = as_alice.get(reverse("results:rows", args=[numbers.pk]))
    assert "name 7" in shown.content.decode()
    assert sum(piece.count(b"\n") for piece, _ in pieces("csv", sheet_of(numbers))) == 10_001
    assert fetched == [numbers.file.name], "what is here is not fetched again"


@pytest.mark.django_db(transaction=True)
def test_what_was_just_stored_is_here_already_and_what_expires_leaves_no_file_anywhere(
    bucket, shop, alice, media, fetched
):
    run = answer(services.run_ask(alice, shop, REVENUE))
    assert ran(run, TOP).result.row_count == 5
    assert fetched == []
    assert len(bucket.names()) == len(copies()) == 2
    StoredResult.objects.update(expires_at="2020-01-01T00:00Z")
    assert results_expire() == 2
    assert bucket.names() == copies() == []


@pytest.mark.django_db(transaction=True)
def test_while_the_bucket_is_away_runs_say_so_and_keep_their_sql(bucket, shop, alice, as_alice, caplog):
    bucket.stop()
    try:
        run = answer(services.run_ask(alice, shop, REVENUE))
        version = run.versions.get()
        assert (run.outcome, version.result) == ("answered", None)
        assert version.failure["message"] == (
            "The rows came back and could not be stored: "
            f"The file storage (bucket kept at {bucket.address}) does not answer."
        )
        shown = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
        assert "The rows could not be kept" in shown
        assert "run it again once the storage is back" in shown
        edited = ran(run, TOP)
        assert (edited.sql, edited.failure["kind"]) == (TOP, "unkept")
        said = shown + caplog.text + str(edited.failure)
        assert not any(key in said for key in KEYS.values())
    finally:
        bucket.start()
        bucket.client.create_bucket(Bucket="kept")
    again = work(services.version_again(edited))
    assert again.result.row_count == 5


@pytest.mark.django_db(transaction=True)
def test_a_file_that_cannot_be_deleted_or_fetched_now_is_later(bucket, numbers, as_alice):
    kept = bucket.client.get_object(Bucket="kept", Key=numbers.file.name)["Body"].read()
    name = numbers.file.name
    for copy in copies():
        copy.unlink()
    bucket.stop()
    try:
        with pytest.raises(ResultGone, match="cannot be fetched now: The file storage"):
            rows_page(numbers)
        shown = as_alice.get(reverse("results:rows", args=[numbers.pk]))
        assert "cannot be fetched now" in shown.content.decode()
        numbers.delete()
        assert ForgottenFile.objects.get().name == name
    finally:
        bucket.start()
        bucket.client.create_bucket(Bucket="kept")
        bucket.client.put_object(Bucket="kept", Key=name, Body=kept)
    results_expire()
    assert bucket.names() == []
    assert not ForgottenFile.objects.exists()


def test_copies_make_room_for_each_other_but_for_those_in_use(
    bucket, numbers, settings, shop, alice, fetched
):
    settings.RESULT_COPIES_MEGABYTES = 0
    (first,) = copies()
    result_store(shop, Rows(("n",), ((1,),)), alice)
    assert len(copies()) == 2, "the first was used a moment ago"
    long_ago = first.stat().st_mtime - result_files.IN_USE_SECONDS - 1
    for copy in copies():
        os.utime(copy, (long_ago, long_ago))
    result_store(shop, Rows(("n",), ((2,),)), alice)
    assert len(copies()) == 1
    assert not first.exists()
    assert rows_page(numbers, 0, 1).rows == ((0, "name 0"),)
    assert fetched == [numbers.file.name]


class Refusing(BaseHTTPRequestHandler):
    """A store that refuses every caller, and repeats the key it was shown, as Amazon's does."""

    def do_PUT(self) -> None:
        body = (
            b"<Error><Code>InvalidAccessKeyId</Code><Message>an-access-key-id is unknown</Message>"
            b"<AWSAccessKeyId>an-access-key-id</AWSAccessKeyId></Error>"
        )
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_refused_keys_and_a_missing_bucket_are_said_in_plain_words_without_the_keys(
    bucket, settings, tmp_path
):
    from django.core.files.base import ContentFile

    options = {**KEYS, "region_name": "us-east-1", "addressing_style": "path"}
    missing = BucketStorage(bucket_name="nowhere", endpoint_url=bucket.address, **options)
    with pytest.raises(StorageAway, match="has no such bucket"):
        missing.save("a", ContentFile(b"1"))
    refusing = HTTPServer(("127.0.0.1", 0), Refusing)
    Thread(target=refusing.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{refusing.server_port}"
        with pytest.raises(StorageAway, match="refuses the keys") as refused:
            BucketStorage(bucket_name="kept", endpoint_url=address, **options).save("a", ContentFile(b"1"))
        assert "an-access-key-id" not in repr(refused.value)
        assert refused.value.__cause__ is None
    finally:
        refusing.shutdown()
        refusing.server_close()


def test_other_files_are_kept_there_too(bucket):
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage as storage

    name = storage.save("reports/1/a.txt", ContentFile(b"one"))
    assert (storage.open(name).read(), storage.size(name), storage.exists(name)) == (b"one", 3, True)
    assert storage.listdir("reports/1") == ([], ["a.txt"])
    assert storage.listdir("reports") == (["1"], [])
    storage.delete(name)
    assert not storage.exists(name)
    with pytest.raises(FileNotFoundError):
        storage.open(name)
    bucket.stop()
    try:
        for way in (storage.open, storage.listdir, storage.size, storage.exists, storage.delete):
            with pytest.raises(StorageAway):
                way(name)
    finally:
        bucket.start()
        bucket.client.create_bucket(Bucket="kept")


def test_the_settings_name_the_bucket(monkeypatch):
    monkeypatch.setenv("S3_BUCKET", "kept")
    monkeypatch.setenv("S3_ENDPOINT_URL", "http://127.0.0.1:9000")
    monkeypatch.setenv("S3_SECRET_ACCESS_KEY", "hidden")
    made = runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))["STORAGES"]["default"]
    assert made["BACKEND"] == "mirror.storage.BucketStorage"
    chosen = {name: made["OPTIONS"][name] for name in ("bucket_name", "secret_key", "addressing_style")}
    assert chosen == {"bucket_name": "kept", "secret_key": "hidden", "addressing_style": "path"}


@pytest.mark.parametrize(
    ("name", "value"), [("S3_ENDPOINT_URL", "minio.example.com:9000"), ("S3_ADDRESSING", "upside down")]
)
def test_settings_of_a_bucket_that_cannot_work_stop_the_start_with_their_name(monkeypatch, name, value):
    monkeypatch.setenv("S3_BUCKET", "kept")
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} must "):
        runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))

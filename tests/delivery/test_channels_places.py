"""Folders, with a disk that is really full and one that may not be written to, and buckets.

Buckets are those of an emulator (moto) on loopback, not of a real store.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto.server import ThreadedMotoServer

from mirror.delivery import channels, s3
from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.file_names import dated_names, safe_name
from mirror.delivery.reach import Reach
from mirror.modes import BEFORE
from tests.delivery.parcels import CSV, attachment, parcel
from tests.hook_server import hook_server
from tests.server_processes import free_port

NOBODY = 65534
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def base(settings, tmp_path: Path) -> Path:
    settings.REPORT_FOLDERS_DIR = tmp_path / "folders"
    return settings.REPORT_FOLDERS_DIR


def folder(typed: str = "", *, by_staff: bool = False) -> dict:
    return channels.check("folder", {"path": typed}, "", by_staff=by_staff)


def put(target: dict, before=None, **changed) -> str:
    return channels.deliver("folder", target, "", parcel(**changed), before=before)


def failure(target: dict, before=None, **changed) -> DeliveryFailed:
    with pytest.raises(DeliveryFailed) as caught:
        put(target, before, **changed)
    return caught.value


def files(under: Path) -> dict[str, bytes]:
    return {str(path.relative_to(under)): path.read_bytes() for path in under.rglob("*") if path.is_file()}


# ---------------------------------------------------------------- names


def test_a_name_has_the_title_and_the_scheduled_time_in_the_reports_zone():
    assert [name for name, _ in dated_names(parcel())] == ["Weekly sales-7/2026-11-20_0800-Weekly sales.csv"]


def test_a_time_that_the_clock_shows_twice_gives_two_names():
    twice = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    names = [dated_names(parcel(scheduled_for=at))[0][0] for at in twice]
    assert [name.split("/")[1] for name in names] == [
        "2026-10-25_0230-Weekly sales.csv",
        "2026-10-25_0230+0100-Weekly sales.csv",
    ]


def test_runs_by_hand_in_one_minute_give_two_names():
    times = [datetime(2026, 11, 20, 7, 0, second, tzinfo=UTC) for second in (5, 6)]
    assert len({dated_names(parcel(scheduled_for=None, made_at=at))[0][0] for at in times}) == 2


def test_files_whose_names_become_one_are_told_apart():
    given = parcel(files=tuple(attachment(name, b"") for name in ("a/b.csv", "a:b.csv", "A?b.csv")))
    names = [name.split("/")[1].split("-", 3)[3] for name, _ in dated_names(given)]
    assert names == ["a-b.csv", "a-b-2.csv", "A-b-3.csv"]


@given(st.text() | st.text('./\\:*?"<>| \x00\n\u202eéCONaux1'))
def test_any_text_makes_one_name_that_leads_nowhere(text):
    name = safe_name(text, "file")
    assert name == Path(name).name
    assert name not in ("", ".", "..")
    assert not name.startswith((".", " "))
    assert not name.endswith((".", " "))
    assert len(name.encode()) <= 200
    assert safe_name(name, "file") == name


# ---------------------------------------------------------------- folders


def test_files_are_put_in_a_folder_and_a_second_attempt_changes_nothing(base):
    target = folder("sales")
    answer = put(target)
    once = files(base)
    assert once == {"sales/Weekly sales-7/2026-11-20_0800-Weekly sales.csv": CSV}
    assert answer.startswith("1 file, ")
    put(target, attempt=2)
    assert files(base) == once


def test_two_reports_of_one_title_keep_their_files_in_one_folder(base):
    put(folder("sales"))
    put(folder("sales"), number=8, files=(attachment("Weekly sales.csv", b"other"),))
    assert sorted(files(base).values()) == sorted([CSV, b"other"])
    assert len({dated_names(parcel(number=number))[0][0] for number in (7, 8)}) == 2


def test_a_notice_without_files_is_put_as_text(base):
    put(folder(), about="alert", message="The value is 4.", files=(), sections=())
    ((name, text),) = files(base).items()
    assert name == "Weekly sales-7/2026-11-20_0800-alert.txt"
    assert b"The value is 4." in text


def test_nothing_is_seen_before_the_caller_is_told_and_nothing_left_where_it_stops(base):
    seen = []

    def stop() -> None:
        seen.extend(name for name in files(base) if not Path(name).name.startswith("."))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        put(folder(), before=stop)
    assert seen == []
    assert files(base) == {}


def test_an_attempt_that_was_killed_leaves_nothing_once_the_next_is_done(base):
    target = folder()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        # The process ends as SIGKILL ends it, with the file half written aside.
        put(target, before=lambda: os.kill(os.getpid(), signal.SIGKILL))
        os._exit(1)
    os.close(write), os.close(read)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert [Path(name).name[0] for name in files(base)] == ["."]
    put(target, attempt=2)
    assert list(files(base)) == ["Weekly sales-7/2026-11-20_0800-Weekly sales.csv"]


@pytest.mark.parametrize("typed", ["..", "../elsewhere", "/etc", "a/../../b", "/", "a\x00b", "x" * 500])
def test_people_who_are_not_staff_stay_in_one_folder(typed, base):
    with pytest.raises(ChannelError) as caught:
        folder(typed)
    assert caught.value.field == "path"


def test_staff_may_name_a_folder_that_is_there(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    put(folder(str(tmp_path / "elsewhere"), by_staff=True))
    assert len(files(tmp_path / "elsewhere")) == 1
    with pytest.raises(ChannelError, match="There is no folder"):
        folder(str(tmp_path / "nowhere"), by_staff=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(ChannelError, match="is a file"):
        folder(str(tmp_path / "file"), by_staff=True)


def test_files_put_elsewhere_may_be_fetched_as_the_machine_says_and_ours_by_nobody(
    tmp_path, settings, monkeypatch
):
    monkeypatch.setenv(BEFORE, "0o027")
    settings.VAR_DIR = tmp_path / "var"
    settings.REPORT_FOLDERS_DIR = settings.VAR_DIR / "folders"
    (tmp_path / "shared").mkdir(mode=0o755)
    ours, theirs = settings.REPORT_FOLDERS_DIR, tmp_path / "shared"
    put(folder("sales"))
    put(folder(str(theirs), by_staff=True))

    def modes(place: Path) -> set[str]:
        return {f"{path.stat().st_mode & 0o777:o}" for path in place.rglob("*")}

    assert modes(ours) == {"700", "600"}
    assert modes(theirs) == {"750", "640"}


def test_a_link_planted_later_leads_nowhere(base, tmp_path):
    target = folder("sales")
    (tmp_path / "elsewhere").mkdir()
    (base / "sales").mkdir(parents=True)
    (base / "sales" / "Weekly sales-7").symlink_to(tmp_path / "elsewhere")
    failed = failure(target)
    assert "leads out of" in str(failed)
    assert failed.is_permanent
    assert files(tmp_path / "elsewhere") == {}


def test_a_title_leads_nowhere_else(base):
    put(folder("sales"), title="../../../../etc/cron.d\x00/x", files=(attachment("../../evil.csv", b"x"),))
    assert list(files(base)) == ["sales/etc-cron.d -x-7/2026-11-20_0800-evil.csv"]


def test_a_disk_that_is_full_is_said_and_nothing_is_left(base, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    target = folder(str(small), by_staff=True)
    large = attachment("large.csv", b"x" * 2_000_000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    is_mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], capture_output=True
        ).returncode
    )
    try:
        if not is_mounted:
            # Where nobody may mount, the system lets no file grow beyond this.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
        failed = failure(target, files=(attachment("small.csv", b"y"), large))
        assert files(small) == {}
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        if is_mounted:
            subprocess.run(["umount", str(small)], check=True)
    said = "there is no space left" if is_mounted else "larger than may be written there"
    assert f"could not be put in {small}: {said}" in str(failed)
    assert not failed.is_permanent, "somebody makes room"


def test_a_folder_that_may_not_be_written_to_is_said(tmp_path):
    (tmp_path / "closed").mkdir()
    target = folder(str(tmp_path / "closed"), by_staff=True)
    (tmp_path / "closed").chmod(0o500)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        failed = failure(target)
    finally:
        if is_root:
            os.seteuid(0)
        (tmp_path / "closed").chmod(0o700)
    assert "Mirror may not write there" in str(failed)
    assert not failed.is_permanent


# ---------------------------------------------------------------- buckets

# The reach of an administrator's reports; the stores here are on this machine.
EVERYWHERE = Reach(is_everywhere=True)
KEYS = {"aws_access_key_id": "someone", "aws_secret_access_key": "a-secret-key", "region_name": "us-east-1"}


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """An emulated store on loopback with a bucket in it; gives its address."""
    port = free_port()
    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    address = f"http://127.0.0.1:{port}"
    boto3.client("s3", endpoint_url=address, **KEYS).create_bucket(Bucket="reports")
    yield address
    server.stop()


def bucket(endpoint: str, **changed) -> dict:
    typed = {
        "bucket": "reports",
        "prefix": "/sales/",
        "region": "us-east-1",
        "access_key": "someone",
        "endpoint": endpoint,
    }
    return channels.check("s3", {**typed, **changed}, "a-secret-key", by_staff=True, reach=EVERYWHERE)


def upload(target: dict, before=None, secret: str = "a-secret-key", **changed) -> str:
    return channels.deliver("s3", target, secret, parcel(**changed), before=before, reach=EVERYWHERE)


def objects(store: str, name: str = "reports") -> dict[str, bytes]:
    client = boto3.client("s3", endpoint_url=store, **KEYS)
    found = client.list_objects_v2(Bucket=name).get("Contents", [])
    return {one["Key"]: client.get_object(Bucket=name, Key=one["Key"])["Body"].read() for one in found}


def test_files_are_put_in_a_bucket_and_a_second_attempt_changes_nothing(store):
    target = bucket(store)
    told = []
    assert upload(target, before=lambda: told.append(len(objects(store)))).startswith("1 file, ")
    upload(target, attempt=2)
    assert objects(store) == {"sales/Weekly sales-7/2026-11-20_0800-Weekly sales.csv": CSV}
    assert told == [0]
    assert channels.describe("s3", target) == (f"s3://reports/sales at {store.removeprefix('http://')}",)


UPLOAD = """
import sys
import django
django.setup()
from mirror.delivery import channels
from mirror.delivery.reach import Reach
from tests.delivery.parcels import parcel, zeros
def upload(size):
    channels.deliver("s3", {"bucket": "reports", "prefix": "large", "region": "", "endpoint": sys.argv[1],
        "access_key": "someone"}, "a-secret-key", parcel(files=(zeros("large.bin", size),)),
        reach=Reach(is_everywhere=True))
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(-upload(1_000) + upload(25_000_000))
"""


def test_a_large_file_goes_in_parts_of_constant_memory(store):
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = [sys.executable, "-c", UPLOAD, store]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 15_000, "kilobytes that 25 MB cost; 100 MB cost no more (8,512)"
    client = boto3.client("s3", endpoint_url=store, **KEYS)
    (found,) = client.list_objects_v2(Bucket="reports", Prefix="large/")["Contents"]
    assert found["Size"] == 25_000_000


def test_nothing_of_the_environment_says_where_to_or_as_whom(store, monkeypatch, tmp_path):
    (tmp_path / "config").write_text("[default]\ns3 =\n  addressing_style = virtual\n")
    away = f"http://127.0.0.1:{free_port()}"
    for name, value in {
        "AWS_PROFILE": "nobody",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_ENDPOINT_URL": away,
        "AWS_ENDPOINT_URL_S3": away,
        "AWS_ACCESS_KEY_ID": "other",
        "AWS_SESSION_TOKEN": "other",
        "http_proxy": away,
        "HTTP_PROXY": away,
    }.items():
        monkeypatch.setenv(name, value)
    s3._session.cache_clear()
    assert "1 file" in upload(bucket(store, prefix="environment"))
    with hook_server() as server, pytest.raises(DeliveryFailed):
        upload(bucket(server.url(""), bucket="refusing-bucket"))
    assert "Credential=someone/" in server.received[0].headers["authorization"]
    assert "x-amz-security-token" not in server.received[0].headers


def test_deliveries_at_once_do_not_meet(store):
    s3._session.cache_clear()
    target = bucket(store, prefix="at-once")
    with ThreadPoolExecutor(8) as threads:
        done = [threads.submit(upload, target, title=f"Report {i}") for i in range(8)]
    assert all("1 file" in one.result() for one in done)
    assert sum(key.startswith("at-once/") for key in objects(store)) == 8


def test_a_bucket_that_is_not_there_is_said(store):
    with pytest.raises(DeliveryFailed, match="there is no such bucket") as caught:
        upload(bucket(store, bucket="nowhere"))
    assert caught.value.is_permanent


def test_a_store_that_is_away_is_said_and_tried_again():
    with pytest.raises(DeliveryFailed, match="could not be reached") as caught:
        upload(bucket(f"http://127.0.0.1:{free_port()}"))
    assert not caught.value.is_permanent
    assert "secret" not in str(caught.value)


def test_a_store_that_refuses_says_why():
    with hook_server() as server, pytest.raises(DeliveryFailed) as caught:
        upload(bucket(server.url(""), bucket="refusing-bucket"))
    assert "the secret key does not belong to the access key (403)" in str(caught.value)
    assert caught.value.is_permanent


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"endpoint": "http://169.254.169.254"}, "endpoint"),
        ({"endpoint": "https://store.example.org/path"}, "endpoint"),
        ({"endpoint": "ftp://127.0.0.1"}, "endpoint"),
        ({"endpoint": "", "region": ""}, "region"),
        ({"region": "us-east-1.evil.example/#"}, "region"),
        ({"bucket": "Reports"}, "bucket"),
        ({"bucket": "a/b"}, "bucket"),
        ({"bucket": "a..b"}, "bucket"),
        ({"prefix": "a/../b"}, "prefix"),
        ({"prefix": "a\r\nb"}, "prefix"),
        ({"access_key": ""}, "access_key"),
        ({"access_key": "a b"}, "access_key"),
    ],
)
def test_what_cannot_be_a_bucket_is_said_beside_its_field(changed, field):
    with pytest.raises(ChannelError) as caught:
        bucket(**{"endpoint": "", **changed})
    assert caught.value.field == field


def test_a_secret_key_is_needed(store):
    with pytest.raises(ChannelError) as caught:
        channels.check("s3", bucket(store), "", by_staff=True, reach=EVERYWHERE)
    assert caught.value.field == "secret"


def test_what_a_connection_was_made_to_is_looked_at_before_anything_is_sent(monkeypatch):
    real = socket.getaddrinfo
    with hook_server() as server:
        # A name that is public when it is looked up and leads here when it is connected.
        def look_up(host, port, *more, **named):
            if host != "store.example.org":
                return real(host, port, *more, **named)
            place = "127.0.0.1" if checked else "93.184.216.34"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))]

        checked: list[bool] = []
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        target = bucket(server.url("", host="store.example.org"))
        with pytest.raises(DeliveryFailed, match="may not be called") as caught:
            channels.deliver(
                "s3", target, "a-secret-key", parcel(), before=lambda: checked.append(True), reach=Reach()
            )
        assert caught.value.is_permanent
        assert server.received == []
        allowed = Reach(hosts=frozenset({"store.example.org"}))
        with pytest.raises(DeliveryFailed):
            channels.deliver(
                "s3", {**target, "bucket": "refusing-bucket"}, "a-secret-key", parcel(), reach=allowed
            )
        assert server.received, "an administrator has allowed this host"


def test_what_a_store_answers_is_told_by_its_code_and_status_alone():
    with hook_server() as server, pytest.raises(DeliveryFailed) as caught:
        upload(bucket(server.url(""), bucket="telling-bucket"))
    assert "it refused the file (418)" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_store_in_a_private_network_is_a_decision_of_administrators(store):
    with pytest.raises(ChannelError, match="no administrator has allowed it"):
        channels.check("s3", {**bucket(store), "prefix": "x"}, "a-secret-key", by_staff=False)
    with pytest.raises(DeliveryFailed, match="no administrator has allowed it"):
        channels.deliver("s3", bucket(store), "a-secret-key", parcel())

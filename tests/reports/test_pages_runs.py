"""The page of a run, its files, and the links that give one away."""

from __future__ import annotations

import asyncio
import logging
import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.utils import timezone

from mirror.audit.models import AuditRow
from mirror.logs import WithoutTokens
from mirror.reports import services
from mirror.reports.models import Channel, Delivery, FileLink, ReportFile, ReportRun, RunPart
from mirror.reports.pages.words import run_state
from mirror.reports.schedule.times import Schedule
from mirror.results.services import result_store
from mirror.work.leases import Status
from sqlagent.values import Rows
from tests.reports.looking import ended, said, url
from tests.reports.working import save_report


@pytest.fixture
def made(alice, shop, saved, media) -> ReportRun:
    """A run that began twenty minutes late, with a file."""
    report = save_report(
        alice, saved, schedule=Schedule("daily", "Europe/Oslo", time=datetime(2026, 1, 1, 8).time())
    )
    at = datetime(2026, 11, 19, 7, tzinfo=UTC)
    run = ended(
        report, at=at, started_at=at + timedelta(minutes=20), ended_at=at + timedelta(minutes=20, seconds=75)
    )
    RunPart.objects.create(
        run=run, position=0, attempt=2, title="Orders since", row_count=3, source=shop, seconds=0.5,
        sql="SELECT count(*) FROM orders WHERE ordered_at >= '2026-10-01'", sentence="There are 3 orders.",
        arguments={"since": "start of last month"},
    )  # fmt: skip
    RunPart.objects.create(
        run=run, position=0, attempt=1, title="Of a dead attempt", sql="SELECT 0", source=shop
    )
    ReportFile.objects.create(
        run=run, format="csv", name="weekly kunder ñ.csv", file=ContentFile(b"a,b\r\n" * 200_000, "x.csv"),
        row_count=200_000, size=1_000_000, notes=["The rows were cut."], expires_at=timezone.now() + timedelta(days=3),
    )  # fmt: skip
    return run


def test_first_rows_have_decimals_alike_and_values_exact(as_alice, alice, made, shop) -> None:
    rows = Rows(("store", "average"), (("Oslo", 383.9410001), ("Bergen", 396.12791), ("Wien", 404)))
    RunPart.objects.update(result=result_store(shop, rows, alice))
    page = as_alice.get(url("run", made.pk)).content.decode()
    assert all(f">{number}<" in page for number in ("383.9410", "396.1279", "404.0000"))
    assert 'title="383.9410001"' in page


@time_machine.travel(datetime(2026, 11, 20, 9, tzinfo=UTC))  # times of other years are told with the year
def test_a_run_tells_its_times_its_sql_and_every_answer(as_alice, made) -> None:
    at = datetime(2026, 11, 19, 7, 21, tzinfo=UTC)
    Delivery.objects.create(
        run=made, kind="webhook", about="report", to="https://hooks.example.com/in", attempts=2, state="waiting",
        not_before=timezone.now() + timedelta(minutes=10),
        answers=[{"at": at.isoformat(), "ok": False, "answer": "500: no room"}, {"at": at.isoformat(), "ok": False, "answer": "It hung up."}],
    )  # fmt: skip
    page = said(as_alice.get(url("run", made.pk)))
    assert "Run of Thu 19 Nov, 08:00 (Europe/Oslo)" in page
    assert "20 min 0 s late" in page
    assert "took 1 min 15 s" in page
    assert "since start of last month (2026-10-01)" in page
    assert "Of a dead attempt" not in page
    assert "The rows were cut." in page
    assert "0 of 1 delivered" in page
    assert "500: no room" in page
    assert "Tried again in 10 minutes" in page


def test_a_waiting_page_is_told_when_the_run_has_ended(as_alice, made) -> None:
    ReportRun.objects.update(status=Status.RUNNING, outcome="")
    working = as_alice.get(url("run_live", made.pk))
    assert "X-Mirror-Ended" not in working
    assert "Working" in said(working)
    as_alice.post(url("run_stop", made.pk))
    assert "Stopping" in said(as_alice.get(url("run_live", made.pk)))
    ReportRun.objects.update(status=Status.DONE, outcome="skipped", reason="Stopped by alice.")
    over = as_alice.get(url("run_live", made.pk))
    assert over["X-Mirror-Ended"] == "1"
    assert "Stopped by alice." in said(over)


@pytest.mark.parametrize(
    ("fields", "states", "expected"),
    [
        ({"status": "queued"}, [], "waiting"),
        ({"status": "queued", "not_before": timezone.now() + timedelta(hours=1)}, [], "again"),
        ({"status": "running"}, [], "working"),
        ({"outcome": "failed"}, [], "failed"),
        ({"outcome": "nothing"}, [], "nothing"),
        ({"outcome": "skipped", "stop_requested": True}, [], "stopped"),
        ({"outcome": "made"}, [], "made"),
        ({"outcome": "made"}, ["sent", "sent"], "sent"),
        ({"outcome": "made"}, ["sent", "waiting"], "sending"),
        ({"outcome": "made"}, ["sent", "given_up"], "partly"),
        ({"outcome": "made"}, ["given_up"], "unsent"),
    ],
)
def test_every_way_a_run_can_stand_has_a_word(fields, states, expected) -> None:
    run = ReportRun(**{"status": "done", **fields})
    assert run_state(run, [Delivery(state=state) for state in states]) == expected


def test_a_failed_run_says_why_and_offers_what_to_do(as_alice, as_bob, made) -> None:
    ReportRun.objects.update(
        outcome="failed", reason="There is no column size.", advice="Look at the columns."
    )
    answer = as_alice.get(url("run", made.pk))
    assert "There is no column size. Look at the columns. Run it again Open Customers by country" in said(
        answer
    )


def test_what_went_with_a_source_is_said(as_alice, made, shop) -> None:
    shop.delete()
    page = said(as_alice.get(url("run", made.pk)))
    assert "Its rows and files went with their source" in page
    assert "There are 3 orders." not in page
    assert as_alice.get(url("file", made.files.get().pk)).status_code == 404


def test_a_button_that_cannot_be_obeyed_says_why(as_alice, made) -> None:
    answer = as_alice.post(url("send_again", made.pk), follow=True)
    assert "This run was not sent to anybody" in said(answer)
    answer = as_alice.post(url("test", made.report_id), follow=True)
    assert "You have no mail address here" in said(answer)


def test_a_run_is_sent_again_to_one_and_to_all(as_alice, made) -> None:
    channel = Channel.objects.create(report=made.report, kind="mail", target={"to": ["a@example.com"]})
    for to in ("a@example.com", "b@example.com"):
        Delivery.objects.create(
            run=made, channel=channel, kind="mail", about="report", to=to, status="done", state="sent"
        )
    first = made.deliveries.first()
    assert "sent again to a@example.com" in said(as_alice.post(url("delivery_again", first.pk), follow=True))
    assert [one.state for one in made.deliveries.all()] == ["waiting", "sent"]
    assert "still on its way" in said(as_alice.post(url("delivery_again", first.pk), follow=True))
    assert "sent again, to 1 place." in said(as_alice.post(url("send_again", made.pk), follow=True))


def test_all_is_offered_again_once_the_first_sending_is_over_and_a_removed_channel_does_not_hinder(
    as_alice, made
) -> None:
    kept, removed = (
        Channel.objects.create(report=made.report, kind="folder", target={"path": f"/{name}"})
        for name in "ab"
    )
    first, second = (
        Delivery.objects.create(run=made, channel=channel, kind="folder", about="report", to=f"{channel.pk}")
        for channel in (kept, removed)
    )
    made.deliveries.filter(pk=second.pk).update(status="done", state="sent")
    assert "Send everything again" not in said(as_alice.get(url("run", made.pk)))
    made.deliveries.update(status="done", state="sent")
    assert "Send everything again" in said(as_alice.get(url("run", made.pk)))
    removed.delete()
    assert "sent again, to 1 place." in said(as_alice.post(url("send_again", made.pk), follow=True))
    assert [one.state for one in made.deliveries.all()] == ["waiting", "sent"]
    kept.delete()
    made.deliveries.update(status="done", state="sent")
    assert "Send everything again" not in said(as_alice.get(url("run", made.pk)))
    assert "channel it went by was removed" in said(as_alice.post(url("send_again", made.pk), follow=True))


def test_a_test_is_not_offered_to_everybody(as_alice, made) -> None:
    Delivery.objects.create(
        run=made, kind="mail", about="test", to="a@b.example", status="done", state="sent"
    )
    assert "Send everything again" not in said(as_alice.get(url("run", made.pk)))


# ---------------------------------------------------------------- files and links


async def _pieces(answer) -> list[int]:
    return [len(piece) async for piece in answer.streaming_content]


def test_a_file_is_streamed_piece_by_piece_under_its_name(as_alice, made) -> None:
    answer = as_alice.get(url("file", made.files.get().pk))
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''weekly%20kunder%20%C3%B1.csv"
    assert answer["Content-Length"] == "1000000"
    assert answer["Cache-Control"] == "private, no-store"
    assert answer.is_async
    sizes = asyncio.run(_pieces(answer))
    assert sum(sizes) == 1_000_000
    assert max(sizes) <= 256 * 1024


def test_the_audit_tells_of_a_file_that_was_taken_and_not_of_one_that_was_asked_after(as_alice, made) -> None:
    taken = AuditRow.objects.filter(verb="downloaded a report's file")
    assert as_alice.head(url("file", ReportFile.objects.get().pk)).status_code == 200
    assert not taken.exists()
    as_alice.get(url("file", ReportFile.objects.get().pk))
    assert taken.get().who == "alice"


def test_a_link_is_shown_once_works_signed_out_and_ends_when_revoked(client, as_alice, made) -> None:
    file = made.files.get()
    shown = as_alice.post(url("link_make", file.pk), {"hours": "24"}, headers={"HX-Request": "true"})
    address = re.search(r"http://testserver(/reports/link/[^/]+/)", shown.content.decode())[1]
    assert shown["Cache-Control"] == "no-store"
    assert address not in as_alice.get(url("run", made.pk)).content.decode()
    given = client.get(address)
    assert given.status_code == 200
    assert given["Referrer-Policy"] == "no-referrer"
    assert "no-store" in given["Cache-Control"]
    assert given["Content-Disposition"].startswith("attachment")
    assert "opened 1 time" in said(as_alice.get(url("run", made.pk)))
    as_alice.post(url("link_revoke", FileLink.objects.get().pk))
    assert "revoked" in said(as_alice.get(url("run", made.pk)))
    assert client.get(address).status_code == 404


def test_without_scripts_a_link_is_shown_once_and_reloading_makes_no_second(as_alice, as_bob, made) -> None:
    file = made.files.get()
    answer = as_alice.post(url("link_make", file.pk), {"hours": "24"})
    assert (answer.status_code, answer.url) == (302, url("run", made.pk))
    cookie = answer.cookies["mirror_link"]
    assert (cookie["httponly"], cookie["path"]) == (True, url("run", made.pk))
    as_bob.cookies["mirror_link"] = cookie.value
    assert "It is shown only now" not in as_bob.get(url("run", made.pk)).content.decode()
    pages = [as_alice.get(url("run", made.pk)) for _ in range(2)]
    shown = ["http://testserver/reports/link/" in page.content.decode() for page in pages]
    assert shown == [True, False]
    assert pages[0]["Cache-Control"] == "no-store"
    assert FileLink.objects.count() == 1


def test_many_links_to_a_file_are_folded_away_the_latest_in_sight(alice, as_alice, made) -> None:
    for _ in range(5):
        services.link_make(made.files.get(), alice, 24)
    page = as_alice.get(url("run", made.pk)).content.decode()
    assert page.count("A link, until") == 5
    assert page.index("2 more links") > page.index("A link, until")
    assert page.split("2 more links")[0].count("A link, until") == 3


def test_links_that_do_not_work_all_say_the_same(client, alice, as_alice, made, caplog) -> None:
    file = made.files.get()
    tokens = [services.link_make(file, alice, 24) for _ in range(4)]
    links = list(FileLink.objects.order_by("pk"))
    services.link_revoke(links[0], alice)
    FileLink.objects.filter(pk=links[1].pk).update(expires_at=timezone.now())
    tokens[2] = tokens[2][:-3]
    pages = [client.get(url("link", token)) for token in (*tokens[:3], "unknown")]
    file.file.storage.delete(file.file.name)
    pages.append(client.get(url("link", tokens[3])))
    assert {answer.status_code for answer in pages} == {404}
    assert len({answer.content for answer in pages}) == 1
    assert "This link gives no file" in said(pages[0])
    assert "no-store" in pages[0]["Cache-Control"]


def test_no_token_of_a_link_reaches_the_log(client, alice, made, caplog) -> None:
    token = services.link_make(made.files.get(), alice, 24)
    services.link_revoke(FileLink.objects.get(), alice)
    with caplog.at_level(logging.DEBUG):
        client.get(url("link", token))
    assert any("/reports/link/" in record.getMessage() for record in caplog.records)
    for record in caplog.records:
        WithoutTokens().filter(record)
        assert token not in record.getMessage()
        assert token.split(":")[-1] not in record.getMessage()

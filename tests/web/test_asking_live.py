"""Following a run as it is answered: server-sent events that survive a reload and end with the answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import pytest
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from mirror.asking import events, models, selectors, services
from mirror.asking.models import Run, Step
from mirror.work.leases import Status
from mirror.work.turns import turn_take

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(shop, alice, media) -> Run:
    return services.run_ask(alice, shop, "How many customers are there?")


def parse(block: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in filter(None, block.splitlines()):
        name, _, value = line.partition(": ")
        fields[name] = f"{fields[name]}\n{value}" if name in fields else value
    return fields


async def follow(
    user, run: Run, *, words: threading.Semaphore | None = None, **headers: str
) -> list[dict[str, str]]:
    client = AsyncClient()
    await client.aforce_login(user)
    response = await client.get(reverse("asking:run_events", args=[run.pk]), headers=headers)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/event-stream"
    heard = []

    async def listen(stream: AsyncIterator[bytes]) -> None:
        async for block in stream:
            heard.append(parse(block.decode()))
            if words:
                words.release()

    await asyncio.wait_for(listen(response.streaming_content), 30)
    return heard


def followed(user, run: Run, *acts: Callable[[], object]) -> list[dict[str, str]]:
    """Follow a run; each act is done when one more word was heard."""
    words = threading.Semaphore(0)

    def go() -> None:
        for act in acts:
            assert words.acquire(timeout=30)
            act()

    acting = threading.Thread(target=go)
    acting.start()
    heard = asyncio.run(follow(user, run, words=words))
    acting.join()
    return heard


def test_steps_come_as_they_happen_and_the_answer_ends_them(run, alice) -> None:
    taken: list[Run | None] = []
    heard = followed(
        alice,
        run,
        lambda: taken.append(turn_take(Run, run.pk)),
        lambda: services.run_answer(taken[0]),
    )
    kinds = [message["event"] for message in heard]
    assert kinds[-1] == "ended"
    assert set(kinds[:-1]) == {"steps"}
    assert len(kinds) > 2
    assert "Waiting for a worker" in heard[0]["data"]
    run.refresh_from_db()
    assert run.outcome in ("answered", "ambiguous")
    assert "<textarea" in heard[-1]["data"]


def test_who_comes_late_is_told_everything_at_once(run, alice) -> None:
    services.run_answer(turn_take(Run, run.pk))
    heard = asyncio.run(follow(alice, run))
    assert [message["event"] for message in heard] == ["ended"]


def test_who_comes_back_is_not_told_twice(run, alice, monkeypatch) -> None:
    turn_take(Run, run.pk)
    Step.objects.create(run=run, number=1, kind="noted", data={"message": "one"})
    real, marks = selectors.run_mark, []

    def looked(pk: int) -> str | None:
        if len(marks) == 3:
            Run.objects.filter(pk=pk).update(status=Status.DONE, outcome="failed")
        marks.append(real(pk))
        return marks[-1]

    monkeypatch.setattr(selectors, "run_mark", looked)
    heard = asyncio.run(follow(alice, run, **{"Last-Event-ID": "running-1-1"}))
    assert marks == ["running-1-1"] * 3 + [Status.DONE]
    assert [message["event"] for message in heard] == ["ended"]


def test_a_run_that_is_deleted_ends_the_stream(run, alice) -> None:
    heard = followed(alice, run, lambda: Run.objects.filter(pk=run.pk).delete())
    assert heard[-1]["event"] == "ended"


def test_a_silent_stream_says_that_it_lives(run, alice, monkeypatch) -> None:
    monkeypatch.setattr(events, "ALIVE_SECONDS", 0.2)
    end = Run.objects.filter(pk=run.pk).update
    heard = followed(alice, run, lambda: None, lambda: end(status=Status.DONE, outcome="failed"))
    assert heard[1] == {"": "still here"}


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_others_cannot_follow(run, request, team, who) -> None:
    async def look() -> int:
        client = AsyncClient()
        await client.aforce_login(user)
        return (await client.get(reverse("asking:run_events", args=[run.pk]))).status_code

    user = request.getfixturevalue(who)
    assert asyncio.run(look()) == 404


def test_a_run_that_no_worker_takes_says_so_after_a_while(run, alice, monkeypatch) -> None:
    monkeypatch.setattr(models, "LONG_WAIT", timedelta(hours=1))
    change = Run.objects.filter(pk=run.pk).update
    two_hours_ago = timezone.now() - timedelta(hours=2)
    heard = followed(
        alice,
        run,
        lambda: change(created_at=two_hours_ago),
        lambda: change(status=Status.DONE),
    )
    told = [message["data"] for message in heard if message.get("event") == "steps"]
    assert len(told) == 2
    assert "Waiting for a worker" in told[0]
    assert "every worker is busy, or none is running" in told[-1]

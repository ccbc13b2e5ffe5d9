"""A source whose stored values are too many to be searched where pages are made: chips, examples and the model all the same."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run
from mirror.asking.pages import run_page
from mirror.sources import unpacked
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source, StoredIndex
from mirror.work.leases import Status
from sqlagent.catalog.value_index import ValueIndex
from tests.web.working import answer, values_read, work

# 20 columns of 2,000 texts (as many as are kept of one) of 78 letters and digits: 40,000 values, 2.4 MB packed.
COLUMNS, ROWS, CHARS = 20, 2_000, 78


@pytest.fixture(scope="module")
def large_file(shop_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop, with a table of serial numbers beside it."""
    path = tmp_path_factory.mktemp("large") / "large.sqlite3"
    shutil.copy(shop_file, path)
    made = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE serials ({', '.join(f'mark{n} TEXT' for n in range(COLUMNS))})")
        rows = (["".join(made.choices(letters, k=CHARS)) for _ in range(COLUMNS)] for _ in range(ROWS))
        connection.executemany(f"INSERT INTO serials VALUES ({', '.join('?' * COLUMNS)})", rows)
    connection.close()
    return path


@pytest.fixture(scope="module")
def read_once() -> dict[str, Any]:
    """Cache of the first test's reading, for the others."""
    return {}


@pytest.fixture
def large(transactional_db, alice, team, media, large_file, read_once) -> Source:
    """The source, all its values read."""
    source = Source.objects.create(owner=alice, name="large", engine="sqlite", database=str(large_file))
    source.teams.add(team)
    catalog_refresh(source)
    if read_once:
        StoredIndex.objects.update_or_create(source=source, defaults=read_once)
    else:
        stored = values_read(source)
        assert stored.state == StoredIndex.State.READY
        names = ("data", "catalog_version", "size", "coverage", "state")
        read_once |= {name: getattr(stored, name) for name in names} | {"status": Status.DONE}
    source.refresh_from_db()
    return source


@pytest.fixture
def run(large, alice) -> Run:
    return answer(services.run_ask(alice, large, "revenue by channel in Norway 2025"))


def words(run: Run) -> list[str]:
    page = run_page(Run.objects.get(pk=run.pk))
    return [f"{chip.label} {chip.words}".strip() for chip in page.understood.chips]


def test_the_values_are_more_than_a_page_searches(large) -> None:
    assert len(StoredIndex.objects.get(source=large).data) > unpacked.SHOWN_INDEX_BYTES
    catalog, index = unpacked.source_at_hand(large)
    assert catalog is not None and index is not None
    assert not index.finds_words
    assert unpacked.source_at_hand(large, is_page=False)[1].finds_words


def test_chips_are_there_and_offer_stored_values(run, as_alice) -> None:
    page = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert page.understood.note == page.understood.problem == ""
    where = next(chip for chip in page.understood.chips if "Norway" in chip.words)
    offered = [choice.words for heading in where.headings for choice in heading.choices]
    assert {"Germany", "Spain"} <= set(offered)


def test_a_page_makes_no_dictionary_of_all_values(run, as_alice, monkeypatch) -> None:
    made = []
    from_bytes = ValueIndex.from_bytes.__func__
    monkeypatch.setattr(
        ValueIndex, "from_bytes", classmethod(lambda cls, data: made.append(cls) or from_bytes(cls, data))
    )
    for kept in (unpacked._indexes, unpacked._packed):
        kept._kept.clear()
    assert as_alice.get(reverse("asking:run", args=[run.pk])).context["page"].understood.chips
    as_alice.get(reverse("asking:suggest"), {"q": "revenue by chan", "source": "large"})
    as_alice.get(reverse("asking:ask"), {"source": "large"})
    as_alice.get(reverse("sources:model", args=[run.thread.source_id]))
    assert ValueIndex not in made


def test_a_chip_is_changed_to_another_value_and_a_follow_up_goes_on_from_it(run, alice, as_alice) -> None:
    first = run.versions.get()
    slot = next(
        chip.headings[-1].choices[0].value.partition(" ")[0]
        for chip in run_page(run).understood.chips
        if "Norway" in chip.words
    )
    sent = {"choice": f"{slot} value:Germany"}
    assert as_alice.post(reverse("asking:change", args=[first.pk]), sent).status_code == 302
    changed = work(run.versions.first())
    assert "Germany" in changed.sql and changed.result.row_count
    assert any("Germany" in one for one in words(run))
    follow = answer(services.run_follow(run, "only 2024"))
    sql = follow.versions.get().sql
    assert "Germany" in sql and "2024-01-01" in sql and "Norway" not in sql


def test_names_are_offered_while_typing_and_no_word_is_called_unknown(large, as_alice) -> None:
    reply = as_alice.get(reverse("asking:suggest"), {"q": "customers in Norw", "source": "large"}).json()
    assert reply["marks"] == []
    typed = as_alice.get(reverse("asking:suggest"), {"q": "how many cust", "source": "large"}).json()
    assert any("customers" in found["text"] for found in typed["suggestions"])


def test_the_model_knows_the_values_too(large, as_alice, as_bob, as_charlie) -> None:
    address = reverse("sources:model", args=[large.pk])
    for member in (as_alice, as_bob):
        assert member.get(address).context["page"].knows_values
    assert as_charlie.get(address).status_code == 404


def test_only_who_asked_changes_a_chip(run, as_bob, as_charlie) -> None:
    address = reverse("asking:change", args=[run.versions.get().pk])
    for stranger in (as_bob, as_charlie):
        assert stranger.post(address, {"choice": "where:0 remove"}).status_code == 404
    assert run.versions.count() == 1

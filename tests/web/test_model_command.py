"""`manage.py model`: how the built-in analyst sees a source, for people and for programs."""

from __future__ import annotations

import json
import sqlite3
import zlib
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from mirror.sources.models import Source, StoredCorrection, StoredIndex
from sqlagent.catalog.value_index import ValueIndex


def model(*arguments: str) -> str:
    out = StringIO()
    call_command("model", *arguments, stdout=out)
    return out.getvalue()


def test_a_source_is_told_as_things_that_measure_and_point(shop) -> None:
    said = model("shop")
    assert "order_lines: order lines (lines)" in said
    assert "amount (sum, money)" in said
    assert "happens at  ordered_at" in said
    assert "one         orders by order_id" in said


def test_the_model_is_one_json_object(shop) -> None:
    plain = json.loads(model("shop", "--json"))
    assert {thing["table"] for thing in plain["things"]} >= {"orders", "customers", "products"}
    assert {"source", "target", "columns"} <= set(plain["relations"][0])


UNSEEN = ("\x1b", "\x07", "\x9b", "\u200b", "\u200d", "\u202e", "\u2066", "\u061c", "\ufeff", "\xad")


def test_names_and_values_do_nothing_to_a_terminal(alice, tmp_path, media) -> None:
    """Control characters, and those without a width or that turn a line, stand in no line that is printed."""
    odd = "".join(UNSEEN)
    path = tmp_path / "odd.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute(
            f'CREATE TABLE "stalls{odd}" (id INTEGER PRIMARY KEY, "fee{odd}" NUMERIC, "kind{odd}" TEXT)'
        )
        db.executemany(
            f'INSERT INTO "stalls{odd}" VALUES (?, ?, ?)',  # noqa: S608
            [(n, n * 1.5, f"k{n % 3}{odd}") for n in range(60)],
        )
    source = Source.objects.create(owner=alice, name="odd", engine=Source.Engine.SQLITE, database=str(path))
    made = {"source": source, "table": f"stalls{odd}", "made_by": alice}
    StoredCorrection.objects.create(**made, subject="synonym", value=f"booth{odd}")
    StoredCorrection.objects.create(
        **made, subject="label", column=f"kind{odd}", value=f"k1{odd}", told=f"big{odd}"
    )
    told = model("odd")
    assert "stalls" in told and "is also called “booth" in told and "big" in told
    assert not [letter for letter in UNSEEN if letter in told]
    lines = [line for line in told.split("\n") if "stalls" in line]
    assert all(line.isprintable() for line in lines)
    written = model("odd", "--json")
    assert not [letter for letter in UNSEEN if letter in written]
    assert f"stalls{odd}" in {thing["table"] for thing in json.loads(written)["things"]}


def test_an_index_made_before_facts_were_kept_is_made_anew(shop) -> None:
    model("shop")
    stored = StoredIndex.objects.get(source=shop)
    StoredIndex.objects.filter(pk=stored.pk).update(
        data=without_facts(bytes(stored.data)), updated_at=timezone.now()
    )
    assert "amount (sum, money)" in model("shop")
    assert ValueIndex.from_bytes(bytes(StoredIndex.objects.get(source=shop).data)).has_facts


def without_facts(data: bytes) -> bytes:
    payload = json.loads(zlib.decompress(data))
    del payload["facts"]
    return zlib.compress(json.dumps(payload).encode())


def test_an_unknown_source_is_told(shop) -> None:
    with pytest.raises(CommandError, match="no source named 'stock'"):
        model("stock")

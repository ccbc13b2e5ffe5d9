"""`manage.py model`: how the built-in analyst sees a source, for people and for programs."""

from __future__ import annotations

import json
import zlib
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from mirror.sources.models import StoredIndex
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

"""A shop to complete SQL about: keys that are declared, guessed and found, a schema, a view, and names that need quotes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlagent.sql.completing import Known
from sqlagent.values import Catalog, Column, ForeignKey, Kind, Table

CASES = Path(__file__).parent / "cases" / "completions.jsonl"
KINDS = {"i": Kind.INTEGER, "n": Kind.NUMBER, "t": Kind.TEXT, "d": Kind.DATE, "m": Kind.DATETIME}
VALUES = {
    ("customers", "country"): ["Norway", "Germany", "North Macedonia", "Côte d'Ivoire"],
    ("orders", "status"): ["paid", "cancelled"],
}


def table(name: str, columns: str, keys: dict[str, str] | None = None, pk: str = "id", **told: Any) -> Table:
    """A table by its columns as `name:kind`, a `?` behind those that may be empty."""
    made = []
    for one in columns.split(", "):
        label, _, kind = one.rpartition(":")
        made.append(Column(label, kind[0], KINDS[kind[0]], nullable=kind.endswith("?")))
    pointing = tuple(ForeignKey((mine,), there, ("id",)) for mine, there in (keys or {}).items())
    return Table(name, tuple(made), primary_key=tuple(pk.split()), foreign_keys=pointing, **told)


def catalog(dialect: str = "sqlite") -> Catalog:
    """The shop's catalog."""
    return Catalog(
        dialect,
        (
            table("customers", "id:i, name:t, country:t, email:t?, created_on:d"),
            table("orders", "id:i, customer_id:i, store_id:i?, ordered_on:m, status:t", {"customer_id": "customers", "store_id": "stores"}),
            table("order_lines", "order_id:i, product_id:i, quantity:i, price:n", {"order_id": "orders", "product_id": "products"}, pk="order_id product_id"),
            table("products", "id:i, name:t, category_id:i, price:n, stock:i", {"category_id": "categories"}),
            table("categories", "id:i, name:t, parent_id:i?", {"parent_id": "categories"}),
            table("stores", "id:i, name:t, city:t"),
            table("refunds", "id:i, order_id:i, amount:n"),
            table("visits", "id:i, place:i, seen_on:d, code:t"),
            table("Order Notes", "id:i, order:i, Note Text:t"),
            table("old_orders", "id:i, total:n", schema="archive"),
            table("sales", "sold_on:d, amount:n", pk="", is_view=True),
        ),
        "v1",
    )  # fmt: skip


def known(dialect: str = "sqlite") -> Known:
    """The catalog, functions and joins that completion gets."""
    functions = ("avg", "coalesce", "count", "date", "max", "min", "round", "sum")
    return Known(catalog(dialect), functions, [("visits", "place", "stores", "id")])


def values(key: str, column: str) -> list[str]:
    """Its stored texts."""
    return VALUES.get((key, column), [])


def cases() -> list[dict[str, Any]]:
    """The cases, each with SQL in which | is the cursor, what is wanted among the first so many, and what never."""
    return [json.loads(line) for line in CASES.read_text().splitlines()]

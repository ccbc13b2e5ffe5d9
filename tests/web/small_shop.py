"""A small shop of 120 orders in a SQLite file, for tests of what people tell about a source."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, email TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), ordered_on DATE, shipped_on DATE,
  status TEXT, legacy_mark INTEGER, amount NUMERIC);
"""


def small_shop(folder: Path) -> Path:
    """Make the file: 30 customers of three countries, orders of January to September 2026 with amounts from 10 to 129."""
    path = folder / "small.sqlite3"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SHOP)
        people = [
            (n, f"Person {n}", ("Norway", "Chile", "Japan")[n % 3], f"p{n}@example.com") for n in range(1, 31)
        ]
        db.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", people)
        days = [f"2026-{1 + n % 9:02}-{1 + n % 28:02}" for n in range(120)]
        rows = [
            (n + 1, 1 + n % 30, day, day, "AXD"[n % 3], 100 + n % 7, 10 + n) for n, day in enumerate(days)
        ]
        db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return path

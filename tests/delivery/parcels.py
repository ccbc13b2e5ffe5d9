"""Parcels for the tests of channels: a report of two SQL with a picture and files, and what to change of it."""

from __future__ import annotations

import dataclasses
import io
import struct
import zlib
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from mirror.delivery.parcel import Attachment, Parcel, Section

URL = "https://mirror.example.org/reports/runs/12/"


def png(width: int = 4, height: int = 3) -> bytes:
    """A grey picture, whole enough for any reader."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\x00" + b"\x99" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def attachment(
    name: str, data: bytes, media_type: str = "text/csv; charset=utf-8", **more: Any
) -> Attachment:
    """A file that lies in memory."""
    return Attachment(name, media_type, len(data), lambda: io.BytesIO(data), **more)


class _Zeros(io.RawIOBase):
    def __init__(self, size: int) -> None:
        self.left = size

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        given = min(len(into), self.left)
        into[:given] = bytes(given)
        self.left -= given
        return given


def zeros(name: str, size: int) -> Attachment:
    """A file of many bytes that lie nowhere."""
    return Attachment(name, "application/octet-stream", size, lambda: io.BufferedReader(_Zeros(size)))


MONTHS = Section(
    title="Revenue by month",
    sentence="Revenue rose to 4.21 M in October, 12 % above September.",
    columns=("month", "orders", "revenue", "top seller"),
    kinds=("date", "integer", "number", "text"),
    rows=tuple(
        (date(2024, 1 + i % 12, 1), 1_000 + i, Decimal("12345.60") * i, f"Seller {i}") for i in range(25)
    ),
    row_count=3_412,
    image=png(),
)
SELLERS = Section(
    title="Sellers <b>&",
    sentence="Three sellers sold nothing.",
    columns=("seller", "note"),
    kinds=("text", "text"),
    rows=(
        ("<script>alert(1)</script>", '=HYPERLINK("http://evil","x")'),
        ("O'Brien & Søn", None),
        ("-5", "a\r\nb\x00c"),
    ),
    row_count=3,
    notes=("Cells longer than 80 characters are cut.",),
)
CSV = b"month,orders\r\n" + b"2024-01-01,1000\r\n.\r\n..\r\n" * 300
REPORT = Parcel(
    uid="5f0c2f66-9a3e-4f5e-8a58-0d6a4d4fd0aa",
    about="report",
    title="Weekly sales",
    note="For the Monday meeting.\nAsk Alice.",
    message="",
    url=URL,
    made_at=datetime(2026, 11, 20, 7, 0, 12, tzinfo=UTC),
    scheduled_for=datetime(2026, 11, 20, 7, 0, tzinfo=UTC),
    zone="Europe/Berlin",
    sections=(MONTHS, SELLERS),
    files=(
        attachment(
            "Weekly sales.csv", CSV, rows=3_412, notes=("Texts like formulas begin with an apostrophe.",)
        ),
    ),
    number=7,
)


def parcel(**changed: Any) -> Parcel:
    """The report, with these fields changed."""
    return dataclasses.replace(REPORT, **changed)

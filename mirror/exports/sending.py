"""Rows as bytes to be sent: piece by piece, as an ASGI server would hold a file or a plain generator in memory."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Generator
from contextlib import suppress
from pathlib import Path

from asgiref.sync import sync_to_async
from django.utils import timezone

from mirror.exports.file_writing import pieces
from mirror.exports.values import Cover, Format, Sheet
from mirror.exports.workbook_process import write_in_own_process

# Bytes of a finished file that are sent at once.
_SENT = 262_144


def sheet_pieces(format: Format, sheet: Sheet) -> Generator[bytes, None, None]:
    """Give a sheet as it is written, or once its file is whole where the format asks for that. Raises: ResultGone."""
    if format.is_streamed:
        for piece, _ in pieces(format.name, sheet):
            yield piece
    else:
        yield from _finished(format, sheet)


def _finished(format: Format, sheet: Sheet) -> Generator[bytes, None, None]:
    """Write a file, then give it piece by piece; it is gone afterwards, and when nobody reads on."""
    folder = tempfile.mkdtemp(prefix="mirror-download-")
    try:
        path = Path(folder) / f"rows.{format.extension}"
        write_in_own_process(format.name, sheet, path, Cover(sheet.title, made_at=timezone.now()))
        with path.open("rb") as file:
            while piece := file.read(_SENT):
                yield piece
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def pieces_sent(first: bytes, rest: Generator[bytes, None, None]) -> AsyncIterator[bytes]:
    """Send what was read already, and then the rest as it is asked for."""
    try:
        yield first
        step = sync_to_async(lambda: next(rest, None), thread_sensitive=False)
        while (piece := await step()) is not None:
            yield piece
    finally:
        # One that is being read for somebody who has gone is closed once it is let go.
        with suppress(ValueError):
            rest.close()

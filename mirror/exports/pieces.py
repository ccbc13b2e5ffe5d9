"""A file written piece by piece, and how far it is: what the writers of formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO

from mirror.exports.values import Written

Progress = Callable[[int], None]


def write_pieces(
    found: Iterable[tuple[bytes, int]], file: BinaryIO, progress: Progress | None = None
) -> Written:
    """Write pieces as they come, and count the rows and bytes in them."""
    rows = size = 0
    for piece, count in found:
        file.write(piece)
        rows, size = rows + count, size + len(piece)
        if progress is not None:
            progress(rows)
    return Written(rows, size)


def quietly(rows: int) -> None:
    """Tell nobody how many rows there are so far."""

"""How often one question is read at most, with all its wordings and the follow-ups tried of it, and what came of each.

A reworded question is read in its new words too, and each rewording may be reworded again: 963 characters made of such turns of
phrase took 1,281 reads and 33 s. All of them share one budget.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

MOST = 30
"""Reads of a question and of all its wordings. Of 358 questions of `analyst_open` and three other sets 332 took one, 24 two and 2 three."""

MOST_OF_A_CHANGE = 60
"""Reads of a follow-up with all its wordings. Of 297 in five sets of chains 258 took fewer than ten, the most 59."""

LENGTH = 100
"""Characters of one read; a longer text counts for several."""


class Reads:
    """The rest of a budget, and the rows read in it.

    `is_short` tells that something was left unread, `faults` how many frames an error of ours kept from being written.
    """

    def __init__(self, most: int = MOST) -> None:
        self.left = most
        self.is_short = False
        self.faults = 0
        self.found: dict[Hashable, Any] = {}
        self._kept = 0

    def takes(self, text: str) -> bool:
        """Take a read of a text off what is left; False where too little is."""
        cost = _cost(text)
        if self.left - self._kept < cost:
            self.is_short = True
            return False
        self.left -= cost
        return True

    @contextmanager
    def keeping(self, text: str) -> Iterator[None]:
        """Keep two reads of a text, with its ending and without, for when all that is tried meanwhile came to nothing."""
        before, self._kept = self._kept, max(self._kept, 2 * _cost(text))
        try:
            yield
        finally:
            self._kept = before


def _cost(text: str) -> int:
    return 1 + len(text) // LENGTH


_SHARED: ContextVar[Reads | None] = ContextVar("reads", default=None)


@contextmanager
def sharing(most: int = MOST) -> Iterator[Reads]:
    """Give the budget that all reads within share: that of who shares one already, else a new one of `most` reads."""
    if (shared := _SHARED.get()) is not None:
        yield shared
        return
    token = _SHARED.set(Reads(most))
    try:
        yield reads_left()
    finally:
        _SHARED.reset(token)


def reads_left() -> Reads:
    """Give the budget that is shared; an own one where none is."""
    return _SHARED.get() or Reads()

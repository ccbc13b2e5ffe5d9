"""Shows how far a measurement has come, on standard error, and runs its questions side by side.

One slow question never holds up the rest: each is its own piece of work for the pool of processes.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from typing import TypeVar

WIDTH = 30


class Bar:
    """A progress bar for people; a plain line now and then where there is no terminal."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what, self._done = total, what, 0
        self._started = self._shown = time.monotonic()
        self._live = sys.stderr.isatty()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        now = time.monotonic()
        if self._done == self._total or now - self._shown > (0.1 if self._live else 10):
            self._shown = now
            self._show(now - self._started)

    def _show(self, seconds: float) -> None:
        filled = WIDTH * self._done // max(1, self._total)
        left = seconds / self._done * (self._total - self._done)
        text = f"{self._what} [{'#' * filled}{'.' * (WIDTH - filled)}] {self._done}/{self._total} {left:.0f} s left"
        sys.stderr.write(("\r" + text) if self._live else text + "\n")
        if self._live and self._done == self._total:
            sys.stderr.write("\n")
        sys.stderr.flush()


T = TypeVar("T")
R = TypeVar("R")


def each(work: Callable[[T], R], items: Sequence[T], *, processes: int, what: str) -> list[R]:
    """Do `work` on every item with a progress bar; the results are in the order of the items."""
    found = dict(_done(work, items, processes, what))
    return [found[i] for i in range(len(items))]


def _done(work: Callable[[T], R], items: Sequence[T], processes: int, what: str) -> Iterator[tuple[int, R]]:
    bar = Bar(len(items), what)
    if processes <= 1:
        for i, item in enumerate(items):
            yield i, work(item)
            bar.step()
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        waiting = {pool.submit(work, item): i for i, item in enumerate(items)}
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
                bar.step()

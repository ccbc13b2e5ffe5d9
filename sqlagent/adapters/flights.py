"""Statements in flight: their deadline, their Stop, and the end of a connection whose server does not end them."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sqlagent.adapters.failures import CANCELLED, timed_out
from sqlagent.errors import StatementFailed
from sqlagent.values import Failure

# A statement that is still there so long after its deadline or Stop is hung up on (seconds), and how often
# that is looked at.
HANG_UP_SECONDS, LOOK_EVERY = 0.7, 0.1


class Flight:
    """One statement in flight: how to stop it, and whether somebody has."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds
        self.is_cancelled = False
        self.done = threading.Event()
        self._stop: Callable[[], None] | None = None

    def arm(self, stop: Callable[[], None] | None) -> None:
        """Say how to stop it from another thread; `stop` must not raise."""
        self._stop = stop

    def stop(self) -> None:
        """Ask the database to end it, if there is something to end yet."""
        self.is_cancelled = True
        self.let_go()

    def let_go(self) -> None:
        """Cancel a statement whose rows are no longer consumed; it does not count as stopped by a person."""
        stop = self._stop
        if stop is not None:
            stop()

    def left(self) -> float:
        """Seconds left, never less than 0.001. Raises: StatementFailed when over or stopped."""
        self.check()
        return max(self.deadline - time.monotonic(), 0.001)

    def failure(self) -> Failure | None:
        """Tell why it should not go on: stopped, too late, or None."""
        if self.is_cancelled:
            return CANCELLED
        return timed_out(self.seconds) if time.monotonic() > self.deadline else None

    def check(self) -> None:
        """Check that it may go on. Raises: StatementFailed when over time or stopped."""
        failure = self.failure()
        if failure is not None:
            raise StatementFailed(failure)


@contextmanager
def hung_up_on(flight: Flight, hang_up: Callable[[], None]) -> Iterator[None]:
    """Call `hang_up` when a server has not ended a statement shortly after its deadline or Stop.

    A server asks whether it should stop between steps; one call of a function may be one step. The waiting thread goes on; the server ends the statement when it next checks.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(LOOK_EVERY):
            if flight.failure() is not None:
                if not is_over.wait(HANG_UP_SECONDS):
                    hang_up()
                return

    watching = threading.Thread(target=watch, name="hang-up", daemon=True)
    watching.start()
    try:
        yield
    finally:
        is_over.set()
        watching.join()


def hang_up(fileno: int) -> None:
    """Shut the socket of a connection: what waits for an answer on it fails at once."""
    with suppress(OSError), socket.socket(fileno=os.dup(fileno)) as mine:
        mine.shutdown(socket.SHUT_RDWR)

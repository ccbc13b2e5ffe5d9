"""Failures of all adapters in words: what a person reads when a source or a statement fails."""

from __future__ import annotations

from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.values import OWN_WORDS, Failure, FailureKind

CANCELLED = Failure(FailureKind.CANCELLED, "The statement was stopped.")


def timed_out(seconds: float) -> Failure:
    """Say that a statement ran into its deadline.

    Example:
        >>> timed_out(0.5).message
        'The statement was stopped after 0.5 seconds.'
    """
    advice = "Ask for less: a shorter period, fewer tables, or an aggregate."
    return Failure(
        FailureKind.TIMEOUT, f"The statement was stopped after {seconds:g} seconds.", advice=advice
    )


def out_of_memory(most: int) -> Failure:
    """Say that a statement needed more memory than it may take (bytes).

    Example:
        >>> out_of_memory(2_000_000_000).message
        'The statement needed more than 2 GB of memory and was stopped.'
    """
    said = f"{most / 1e9:.3g} GB" if most >= 1e9 else f"{most / 1e6:.3g} MB"
    advice = "Ask for less: fewer rows, fewer columns, shorter texts, or an aggregate."
    message = f"The statement needed more than {said} of memory and was stopped."
    return Failure(FailureKind.ERROR, message, advice=advice)


def check_text(sql: str) -> None:
    """Refuse a text that would reach the database changed. Raises: StatementFailed.

    A driver written in C would end the statement at a NUL and run what stands before it.
    """
    nul = sql.find("\0")
    if nul >= 0:
        raise failed("The SQL holds a NUL character.", nul, "Remove it.", OWN_WORDS)
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise failed("The SQL holds half a character.", error.start, "Remove it.", OWN_WORDS) from error


def unreachable(message: str, advice: str = "", code: str = "") -> Unreachable:
    """Make the error for a source that cannot be reached; `code` is the kind of its fault."""
    return Unreachable(Failure(FailureKind.LOST, message, advice=advice, code=code))


def failed(message: str, position: int | None = None, advice: str = "", code: str = "") -> StatementFailed:
    """Make the error for a statement the database did not take; `code` is its driver's class of fault."""
    return StatementFailed(Failure(FailureKind.ERROR, message, position, advice, code))


def ended_by_server(message: str, code: str = "") -> StatementFailed:
    """Make the error for a statement that the server ended though nobody stopped it in Mirror.

    Example:
        >>> ended_by_server("Query execution was interrupted").failure.message
        'The server ended the statement: Query execution was interrupted.'
    """
    advice = "A limit of the server or somebody who administers it did that. Try again, or ask for less."
    return failed(f"The server ended the statement: {message.rstrip('. ')}.", None, advice, code)


def not_allowed(message: str) -> StatementFailed:
    """Make the error for a statement that the database itself did not let happen, in its words."""
    return _stopped(f"Not allowed in a read-only session: {message.rstrip('.! ')}.", "")


def is_the_store() -> StatementFailed:
    """Make the error for a source that turned out to be Mirror's own store."""
    message = "This database is Mirror's own store, or a copy of it. It cannot be a source."
    advice = "Connect the database you want to ask about. What people do in Mirror is shown on its pages."
    return StatementFailed(Failure(FailureKind.REFUSED, message, advice=advice))


def refused(message: str) -> StatementFailed:
    """Make the error for a statement that the read-only session stopped, in words of ours about its SQL."""
    return _stopped(message, OWN_WORDS)


def _stopped(message: str, code: str) -> StatementFailed:
    advice = "Sources are only read here. Write a SELECT."
    return StatementFailed(Failure(FailureKind.REFUSED, message, advice=advice, code=code))

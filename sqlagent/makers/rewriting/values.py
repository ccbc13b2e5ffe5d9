"""Results of a rewriting, and of one wish."""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.makers.rewriting.layout import Layout


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A proposal for a statement. `sql` is empty where nothing is proposed.

    `said` are the changes in words, `unused` the words that no change holds, `refused` the reasons why a wish was understood
    and not done.
    """

    sql: str = ""
    said: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A wish that was understood and cannot be fulfilled, with the reason as a sentence."""

    why: str


Fulfilled = tuple[Layout, str] | Refused | None
"""A statement with a wish fulfilled and the change in words; or why not; None for a wish of another kind."""

INSTEAD = " in place of "
"""Words of a change that takes the place of what stood there."""

UNSAFE = Refused("This change would move other parts of the statement, so it was not made.")
"""Given where the changed text would not say the same elsewhere."""


def fulfilled(layout: Layout | None, said: str) -> Fulfilled:
    """A changed statement with its words."""
    return (layout, said) if layout is not None else UNSAFE

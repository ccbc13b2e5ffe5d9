"""Why something cannot be done with a tab; the message is fit to be shown."""

from __future__ import annotations


class WorkbenchError(ValueError):
    """A request of a tab that cannot be done."""


class TabChanged(WorkbenchError):
    """Another window kept another text meanwhile."""

"""Why something cannot be done with a dashboard; the message is fit to be shown."""

from __future__ import annotations


class DashboardError(ValueError):
    """A change of a dashboard is refused."""

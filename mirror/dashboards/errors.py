"""Why something cannot be done with a dashboard; the message is fit to be shown."""

from __future__ import annotations


class DashboardError(ValueError):
    """What was asked of a dashboard cannot be done."""

"""The kinds of work of this subject: runs to be made, and deliveries to be handed over."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import Q

from mirror.reports.models import Delivery, ReportRun
from mirror.sources.work_kinds import SOURCE
from mirror.work.kinds import Kind, Way
from mirror.work.leases import Lease, end_unheld

# A message nobody came for within so many leases may be lost: a thousand wait for minutes.
LOST_LEASES = 4


class ReportRuns(Kind):
    """Runs of reports. They take part in their sources while they read, and people go before them."""

    name, model, module = "report", ReportRun, "mirror.reports.services"
    queue = "reports"
    shares = {SOURCE: Way("report__parts__saved__source", counted=Q(is_reading=True))}
    is_background, afresh = True, {"is_reading": True}
    logged = {"report_run": "pk"}
    earlier = ("mirror.reports.tasks.make_report",)

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return float(LOST_LEASES * settings.LEASE_SECONDS)

    def do(self, lease: Lease) -> None:
        """Make it."""
        from mirror.reports import services

        services.report_run_make(lease)

    def broke(self, lease: Lease) -> None:
        """End it as failed."""
        from mirror.reports import services

        services.report_run_break(lease)

    def stopped(self, row: Any) -> bool:
        """Say who stopped it."""
        from mirror.reports.making.by_hand import stopped_words

        return end_unheld(row, outcome=ReportRun.Outcome.SKIPPED, reason=stopped_words(row))

    def given_up(self, row: Any, died: int) -> bool:
        """End it as failed, and tell its owner."""
        from mirror.reports.making.failing import report_run_give_up

        return report_run_give_up(row, died)


class Deliveries(Kind):
    """Deliveries of what runs made."""

    name, model, module = "delivery", Delivery, "mirror.reports.services"
    queue = "deliveries"
    is_background = True
    logged = {"report_run": "run_id"}
    earlier = ("mirror.reports.tasks.deliver_report",)

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return float(LOST_LEASES * settings.LEASE_SECONDS)

    def do(self, lease: Lease) -> None:
        """Hand it over."""
        from mirror.reports import services

        services.delivery_make(lease)

    def broke(self, lease: Lease) -> None:
        """Give it up."""
        from mirror.reports import services

        services.delivery_break(lease)

    def stopped(self, row: Any) -> bool:
        """End it; nobody asks for that."""
        return end_unheld(row)

    def given_up(self, row: Any, died: int) -> bool:
        """Give it up, and tell the owner."""
        from mirror.reports.sending.delivering import delivery_give_up

        return delivery_give_up(row, died)

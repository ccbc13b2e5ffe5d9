"""The kinds of work of this subject: rows for the cards of dashboards, and dashboards as PDF."""

from __future__ import annotations

from mirror.dashboards.models import PdfExport, Supply
from mirror.people.shares import PERSON
from mirror.sources.work_kinds import SOURCE
from mirror.work.kinds import Kind, Way
from mirror.work.leases import Lease, end_unheld


class Supplies(Kind):
    """The rows of one SQL with its values, and their drawings."""

    name, model, module = "supply", Supply, "mirror.dashboards.card_rows"
    shares = {SOURCE: Way("source"), PERSON: Way("owner")}

    def do(self, lease: Lease) -> None:
        """Read the rows, and draw them."""
        from mirror.dashboards import card_rows

        card_rows.supply_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.dashboards import card_rows

        card_rows.supply_break(lease)

    def stopped(self, row: Supply) -> bool:
        """Say who stopped it."""
        from mirror.dashboards import card_rows

        return end_unheld(row, failure=card_rows.STOPPED, is_to_run=False)

    def given_up(self, row: Supply, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.asking.services import given_up

        return end_unheld(row, failure=given_up.version_given_up(died))


class PdfExports(Kind):
    """Dashboards as PDF. The worker of reports makes them: it has the browser that draws charts."""

    name, model, module = "pdf_export", PdfExport, "mirror.dashboards.pdf_exports"
    queue = "reports"
    shares = {PERSON: Way("owner")}

    def do(self, lease: Lease) -> None:
        """Write the file."""
        from mirror.dashboards import pdf_exports

        pdf_exports.pdf_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.dashboards import pdf_exports

        pdf_exports.pdf_break(lease)

    def stopped(self, row: PdfExport) -> bool:
        """Say that it was stopped; nobody asks for that."""
        from mirror.dashboards import pdf_exports

        return end_unheld(row, failure=pdf_exports.STOPPED)

    def given_up(self, row: PdfExport, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.asking.services import given_up

        return end_unheld(row, failure=given_up.version_given_up(died))

"""The kinds of work of this subject, and what work on a source shares."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from mirror.sources.limits import SourceLimits, limits_of
from mirror.sources.models import StoredIndex, Upload, Visit
from mirror.work.kinds import Kind, Share, Way
from mirror.work.leases import Lease, end_unheld

SOURCE = Share("sources.Source", lambda source: limits_of(source).concurrent_runs, SourceLimits.__slots__)

# Of one person, of each kind, at once: four files made to take ten minutes each keep nobody else waiting.
AT_ONCE = 2
FILES = Share("people.User", lambda _: AT_ONCE)
VISITS = Share("people.User", lambda _: AT_ONCE)


class Uploads(Kind):
    """Uploaded files to be read, or made into tables."""

    name, model, module = "upload", Upload, "mirror.sources.upload_work"
    queue = "intake"
    # A row is queued again for each thing that is done with the files; so is that of values.
    waits_since = "queued_at"
    shares = {FILES: Way("owner")}
    earlier = ("mirror.sources.tasks.upload_work",)

    @property
    def lost_seconds(self) -> float:
        """Shorter than usual: somebody waits on a page."""
        return 15.0

    def do(self, lease: Lease) -> None:
        """Read or load the files."""
        from mirror.sources import upload_work

        upload_work.upload_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.sources import upload_work

        upload_work.upload_break(lease)

    def stopped(self, row: Upload) -> bool:
        """End it; nothing is said."""
        return end_unheld(row)

    def given_up(self, row: Upload, died: int) -> bool:
        """Say that the files are likely to blame."""
        from mirror.sources import upload_work

        return end_unheld(row, said={"error": upload_work.GIVEN_UP.format(count=died)}, progress="")


class Visits(Kind):
    """Databases to be opened for somebody who waits."""

    name, model, module = "visit", Visit, "mirror.sources.visits"
    queue = "intake"
    shares = {VISITS: Way("owner")}
    attempts = 2
    earlier = ("mirror.sources.tasks.visit_work",)

    @property
    def lost_seconds(self) -> float:
        """Shorter than usual: somebody waits on a page."""
        return 15.0

    def do(self, lease: Lease) -> None:
        """Open the database."""
        from mirror.sources import visits

        visits.visit_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.sources import visits

        visits.visit_break(lease)

    def stopped(self, row: Visit) -> bool:
        """Say so, and forget the password."""
        from mirror.sources import visits
        from mirror.sources.tunnels import FORGOTTEN

        return end_unheld(row, said={"error": visits.STOPPED}, **FORGOTTEN)

    def given_up(self, row: Visit, died: int) -> bool:
        """Say that the database is likely to blame."""
        from mirror.sources import visits
        from mirror.sources.tunnels import FORGOTTEN

        return end_unheld(row, said={"error": visits.GIVEN_UP.format(count=died)}, **FORGOTTEN)


class Indexes(Kind):
    """The stored values of a source to be made searchable, a turn at a time.

    One takes no turn of its source while people's work fills it, and none away from them.
    """

    name, model, module = "index", StoredIndex, "mirror.sources.index_services"
    waits_since = "queued_at"
    shares = {SOURCE: Way("source", counted=Q(pk=None))}
    is_background = True
    earlier = ("mirror.sources.tasks.index_build",)

    def earlier_pk(self, told: Any) -> Any:
        """Messages named the source."""
        return StoredIndex.objects.filter(source=told, login="").values_list("pk", flat=True).first()

    def do(self, lease: Lease) -> None:
        """Read the values."""
        from mirror.sources.index_services import index_do

        index_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.sources.index_services import index_break

        index_break(lease)

    def stopped(self, row: StoredIndex) -> bool:
        """End it; nobody asks for that."""
        return end_unheld(row)

    def given_up(self, row: StoredIndex, died: int) -> bool:
        """Say that the values are likely to blame."""
        from mirror.sources.index_services import INDEX_GIVEN_UP

        message = INDEX_GIVEN_UP.format(count=died)
        return end_unheld(row, state=StoredIndex.State.FAILED, message=message)

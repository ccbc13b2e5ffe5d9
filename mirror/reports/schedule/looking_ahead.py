"""Look at the tables of sources before reports run on them, so that what a change breaks is listed in time."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from mirror.reports.models import Report
from mirror.sources.catalog_services import catalog_look
from mirror.sources.errors import SourceError
from mirror.sources.models import Source

log = logging.getLogger(__name__)

# Runs so near are looked ahead to: a daily look at the page shows the coming failure.
AHEAD = timedelta(hours=25)
# Tables read so lately are not read again.
FRESH = timedelta(minutes=50)


def sources_to_look_at() -> list[int]:
    """List the sources of reports that run soon whose tables were not read lately."""
    now = timezone.now()
    soon = Report.objects.filter(is_paused=False, next_at__lte=now + AHEAD)
    old = Q(catalog_at=None) | Q(catalog_at__lte=now - FRESH)
    found = Source.objects.filter(old, saved_sql__report_parts__report__in=soon)
    return list(found.distinct().order_by("pk").values_list("pk", flat=True))


def source_look(source_id: int) -> None:
    """Read a source's tables; changes are kept, and the saved SQL that they break is marked.

    One that does not answer stays as it is: the next run tells, if it is still so then.
    """
    source = Source.objects.filter(pk=source_id).first()
    if source is None:
        return
    try:
        if catalog_look(source):
            log.info("The tables of source %s changed before the next run of a report", source_id)
    except SourceError as error:
        log.info("The tables of source %s could not be looked at: %s", source_id, error)

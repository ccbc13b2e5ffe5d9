"""Pages of reports as a person reads them."""

from __future__ import annotations

import html
import re

from django.urls import reverse
from django.utils import timezone

from mirror.reports.models import Report, ReportRun
from mirror.work.leases import Status


def url(name: str, *args) -> str:
    """An address of reports."""
    return reverse(f"reports:{name}", args=args)


def said(answer) -> str:
    """The words of a page, as a person reads them."""
    text = answer.content.decode() if not answer.streaming else ""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split()).replace(" ,", ",")


def ended(report: Report, outcome: str = "made", **fields) -> ReportRun:
    """A run that is over."""
    return ReportRun.objects.create(
        report=report, cause="schedule", scheduled_for=fields.pop("at", timezone.now()), status=Status.DONE,
        outcome=outcome, **fields,
    )  # fmt: skip

"""Bound the runs of one person that are queued or running at once: nobody waits for the answers of more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from mirror.asking.errors import TooMuchWaits
from mirror.asking.models import Run, Version
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.people.models import User


def queue_check(owner: User) -> None:
    """Refuse another question or statement of somebody who has enough on its way. Raises: TooMuchWaits."""
    runs = Run.objects.filter(thread__owner=owner).exclude(status=Status.DONE).count()
    versions = Version.objects.filter(run__thread__owner=owner).exclude(status=Status.DONE).count()
    if runs + versions >= settings.QUEUED_PER_PERSON:
        raise TooMuchWaits(
            _(
                "%(count)s questions and statements of yours are on their way already. "
                "Wait until some have ended, or stop them."
            )
            % {"count": intcomma(runs + versions)}
        )

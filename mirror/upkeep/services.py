"""Give what somebody who left owns to somebody else."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.library.models import SavedSql
from mirror.people.models import User
from mirror.reports.models import Report
from mirror.reports.reasons import reasons_leave
from mirror.reports.selectors import may_own
from mirror.sources.selectors import sources_visible
from mirror.upkeep.selectors import KINDS, things_chosen

log = logging.getLogger(__name__)


class TransferRefused(Exception):
    """Nothing was transferred; the message says why and is fit to be shown."""


@transaction.atomic
def things_transfer(person: User, keys: list[str], to: User, by: User) -> int:
    """Make `to` the owner of chosen things of somebody who was shut out; returns how many. All of them or none.

    Teams that things are shared with stay. Reports run with what `to` may see from then on; saved SQL needs a source that they see. Raises: TransferRefused.
    """
    if not by.is_staff:
        raise TransferRefused(_("Only administrators transfer what others own."))
    if person.is_active:
        raise TransferRefused(
            _("%(person)s may still sign in, and hands things over. Shut them out first if they left.")
            % {"person": person}
        )
    if not to.is_active or to.pk == person.pk:
        raise TransferRefused(_("%(to)s cannot own anything here: they are shut out.") % {"to": to})
    chosen = things_chosen(person, keys)
    if not chosen:
        raise TransferRefused(_("Choose what to transfer."))
    words = {model: kind for kind, model in KINDS.items()}
    for thing in chosen:
        type(thing)._default_manager.filter(pk=thing.pk).update(owner=to)
    seen = sources_visible(to)
    for thing in chosen:
        if isinstance(thing, Report) and not may_own(to, thing):
            raise TransferRefused(
                _("%(to)s does not see all the saved SQL of “%(title)s” and its sources. Transfer these too.")
                % {"to": to, "title": thing.title}
            )
        if isinstance(thing, Report):
            reasons_leave(thing, to)
    for thing in chosen:
        if isinstance(thing, SavedSql) and not seen.filter(pk=thing.source_id).exists():
            raise TransferRefused(
                _(
                    "%(to)s does not see the source of “%(name)s”. Transfer it too, or have it shared with them "
                    "first."
                )
                % {"to": to, "name": thing.name}
            )
    for thing in chosen:
        record("transferred", thing, by=by, owner=person, to=to, what=words[type(thing)])
    log.info("%d things of user %s went to user %s by user %s", len(chosen), person.pk, to.pk, by.pk)
    return len(chosen)

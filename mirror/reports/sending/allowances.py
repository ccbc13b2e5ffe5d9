"""Allowances of administrators for everybody's reports: mail domains, single addresses, hosts in private networks."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.delivery.reach import Reach
from mirror.reports.errors import ReportError
from mirror.reports.models import Allowance
from mirror.reports.sending.consents import held_release

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)

_HOST = re.compile(r"([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def reach_of(owner: User) -> Reach:
    """Say which private hosts the reports of somebody may call: those allowed for all; an administrator's, any.

    None but those allowed where the setting `SOURCE_PRIVATE_HOSTS` is off.
    """
    kept = Allowance.objects.filter(kind=Allowance.Kind.HOST).values_list("value", flat=True)
    named = {host.strip().casefold() for host in settings.WEBHOOK_HOSTS}
    return Reach(owner.is_staff and settings.SOURCE_PRIVATE_HOSTS, frozenset({*named, *kept} - {""}))


@transaction.atomic
def allowance_add(kind: str, typed: str, by: User) -> Allowance:
    """Allow a domain, an address or a host. Mails held back for it are looked at again. Raises: ReportError."""
    if kind not in Allowance.Kind.values:
        raise ReportError(
            _("“%(kind)s” cannot be allowed. Known: %(values)s.")
            % {"kind": kind, "values": ", ".join(Allowance.Kind.values)}
        )
    value = {"domain": _domain, "address": _address, "host": _host}[kind](typed.strip())
    kept, is_new = Allowance.objects.get_or_create(kind=kind, value=value, defaults={"made_by": by})
    if not is_new:
        raise ReportError(_("%(value)s is allowed already.") % {"value": value})
    record("allowed a place", value, by=by, what=kind)
    log.info("Allowance %s (%s) was made by user %s", kept.pk, kind, by.pk)
    if kind != Allowance.Kind.HOST:
        held_release()
    return kept


@transaction.atomic
def allowance_remove(allowance: Allowance, by: User) -> None:
    """Withdraw the allowance of a place; deliveries there are refused from the next sending on."""
    log.info("Allowance %s (%s) was taken back by user %s", allowance.pk, allowance.kind, by.pk)
    allowance.delete()
    record("allowed a place no longer", allowance.value, by=by, what=allowance.kind)
    if allowance.kind != Allowance.Kind.HOST:
        held_release()


def _domain(typed: str) -> str:
    return _address(f"somebody@{typed.lstrip('@').rstrip('.')}", typed).partition("@")[2]


def _address(typed: str, shown: str = "") -> str:
    local, _at, domain = typed.rpartition("@")
    try:
        address = f"{local}@{domain.encode('idna').decode()}".casefold()
        validate_email(address)
    except (UnicodeError, ValidationError):
        words = (
            _("“%(typed)s” is not a domain such as example.com.")
            if shown
            else _("“%(typed)s” is not a mail address.")
        )
        raise ReportError(words % {"typed": (shown or typed)[:80]}) from None
    return address


def _host(typed: str) -> str:
    host = typed.casefold().rstrip(".")
    if len(host) > 254 or not _HOST.fullmatch(host):
        raise ReportError(
            _("“%(typed)s” is not a host such as hooks.internal, 10.1.2.3:8443 or [fd12::1].")
            % {"typed": typed[:80]},
            _("Type it as it stands in the address, without https:// and without a path."),
        )
    return host

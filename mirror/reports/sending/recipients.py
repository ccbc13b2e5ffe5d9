"""Permitted recipients of mails: people here, addresses of the company, and outside ones that said yes.

An address is *inside* when its domain is that of MAIL_FROM (unless anybody gets an address there), or is allowed by
the setting MAIL_DOMAINS or an administrator, or when an administrator gave it to somebody who may sign in. Any other
is *outside*: it is asked once, by a mail of fixed words, and gets nothing before it said yes. Where domains are
allowed by list, outside addresses are refused unless an administrator allowed that very one. An address that stopped its mails gets none, even if it is allowed later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from mirror.delivery.mail_letter import sender
from mirror.people.models import User
from mirror.reports.models import Allowance, Consent

# Providers where anybody gets an address: one of them in MAIL_FROM makes nobody a colleague.
_PROVIDERS = """
    aol.com fastmail.com gmail.com gmx.com gmx.de gmx.net googlemail.com hotmail.com icloud.com live.com mail.com mail.ru
    me.com msn.com outlook.com pm.me proton.me protonmail.com qq.com web.de yahoo.com yandex.ru zoho.com
"""
PROVIDERS = frozenset(_PROVIDERS.split())


class Standing(Enum):
    """The standing of an address: which mails may be sent to it."""

    INSIDE = "everything"
    CONFIRMED = "everything, with a way to stop it"
    ASKED = "nothing before it said yes"
    STOPPED = "nothing any more"
    REFUSED = "nothing: it is in no allowed domain"


@dataclass(frozen=True, slots=True)
class _Inside:
    """The rules by which addresses are inside, read once for many."""

    domains: frozenset[str]
    listed: frozenset[str]


# ---------------------------------------------------------------- who may get mails


def standings_of(addresses: Iterable[str]) -> dict[str, Standing]:
    """Say what may be sent to each of some addresses, by the address as it was given. Four statements."""
    keys = {address: address_key(address) for address in addresses}
    names = set(keys.values())
    if not names:
        return {}
    inside = _inside()
    states = dict(Consent.objects.filter(address__in=names).values_list("address", "state"))
    people = User.objects.filter(is_active=True, email_is_typed=False).annotate(key=Lower("email"))
    vouched = set(people.filter(key__in=names).values_list("key", flat=True))
    allowed = Allowance.objects.filter(kind=Allowance.Kind.ADDRESS, value__in=names)
    permitted = set(allowed.values_list("value", flat=True))

    def standing(key: str) -> Standing:
        state = states.get(key)
        if state == Consent.State.STOPPED:
            return Standing.STOPPED
        if key in vouched or key.rpartition("@")[2] in inside.domains:
            return Standing.INSIDE
        if inside.listed and key not in permitted:
            return Standing.REFUSED
        return Standing.CONFIRMED if state == Consent.State.CONFIRMED else Standing.ASKED

    return {address: standing(key) for address, key in keys.items()}


def people_at(addresses: Iterable[str]) -> QuerySet[User]:
    """The people here with one of some addresses, however it is written."""
    people = User.objects.filter(is_active=True, is_service=False).annotate(key=Lower("email"))
    return people.filter(key__in={address.lower() for address in addresses}).order_by("pk")


def standing_of(address: str) -> Standing:
    """Say what may be sent to an address."""
    return standings_of([address])[address]


def refusals_of(addresses: Iterable[str]) -> list[str]:
    """Say of each address that can get nothing why not, in words for beside the field."""
    return [
        refusal_words(address, standing)
        for address, standing in standings_of(addresses).items()
        if standing in (Standing.REFUSED, Standing.STOPPED)
    ]


def refusal_words(address: str, standing: Standing) -> str:
    """Say why an address gets nothing."""
    if standing is Standing.STOPPED:
        return _("%(address)s asked for no more mails from here, so none is sent there.") % {
            "address": address
        }
    domains = domains_listed()
    said = {"address": address, "domains": ", ".join(domains[:5]), "more": len(domains) - 5}
    if len(domains) > 5:
        return (
            _(
                "%(address)s is outside of the domains that mails may go to (%(domains)s and %(more)s more). An administrator may allow it."
            )
            % said
        )
    return (
        _(
            "%(address)s is outside of the domains that mails may go to (%(domains)s). An administrator may allow it."
        )
        % said
    )


def recipients_words() -> str:
    """Say who may get mails, for beside the field they are typed in."""
    if domains_listed():
        return _("Addresses of people here and of allowed domains; an administrator may allow others.")
    return _("Outside addresses are asked once by mail, and get nothing before they said yes.")


def domains_listed() -> list[str]:
    """List the domains that mails may go to by the setting or an administrator; empty: any, each address asked once."""
    kept = Allowance.objects.filter(kind=Allowance.Kind.DOMAIN).values_list("value", flat=True)
    return sorted({*map(_domain, settings.MAIL_DOMAINS), *kept} - {""})


def sender_domain() -> str:
    """The domain of MAIL_FROM, whose addresses are colleagues'; empty where anybody gets one there."""
    try:
        domain = _domain(sender().domain)
    except ValueError:
        return ""
    return "" if domain in PROVIDERS or domain == "localhost" else domain


def address_key(address: str) -> str:
    """Write an address as it is compared: in small letters."""
    return address.strip().casefold()


def stopped_of(addresses: Iterable[str]) -> set[str]:
    """Those of some addresses that stopped mails, as they were given."""
    keys = {address: address_key(address) for address in addresses}
    found = Consent.objects.filter(address__in=set(keys.values()), state=Consent.State.STOPPED)
    stopped = set(found.values_list("address", flat=True))
    return {address for address, key in keys.items() if key in stopped}


def _domain(typed: str) -> str:
    return typed.strip().lstrip("@").rstrip(".").casefold()


def _inside() -> _Inside:
    listed = frozenset(domains_listed())
    return _Inside(listed | {sender_domain()} - {""}, listed)

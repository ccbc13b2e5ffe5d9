"""The price of wrong passwords: growing waits, by name and address, so that nobody is locked out by others.

A try is counted before the password is looked at, and taken back when it was right: fifty at once get no more
than fifty in a row. Four counts, each with waits of its own:

- a name from one address, so that a person who guesses another's password locks only themselves;
- an address, whatever the names;
- a name, wherever from: a wait of a minute at most, so that the right person gets in between;
- a name in a browser where its password was right before, known by a cookie. It is counted by itself alone: guesses
  made elsewhere, or by others behind the same address, never make that person wait.

Keys are hashed with the secret key: neither names nor addresses can be read from the store.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from operator import itemgetter

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from mirror.people.models import User, WrongPasswords

log = logging.getLogger(__name__)

# The cookie of a browser where somebody signed in, and how long it is kept (seconds; browsers keep none longer).
COOKIE, COOKIE_SECONDS = "mirror_browser", 400 * 24 * 3_600
# Tries are forgotten after so long without another.
FORGOTTEN = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Bound:
    """`free` tries are free, in units of `SIGN_IN_FAILURE_LIMIT`; then the wait doubles from `first` to `longest` seconds."""

    free: int
    first: int
    longest: int

    def wait(self, tries: int) -> timedelta:
        """How long to wait after the last of so many tries."""
        beyond = tries - self.free * settings.SIGN_IN_FAILURE_LIMIT
        if beyond < 0:
            return timedelta(0)
        return timedelta(seconds=min(self.longest, self.first * 2 ** min(beyond, 30)))


BOUNDS = {
    "pair": Bound(1, 60, 3_600),
    # Behind one address there may be an office: six people who mistype five times a day.
    "address": Bound(6, 15, 900),
    "name": Bound(10, 2, 60),
    "browser": Bound(1, 60, 3_600),
}


@dataclass(frozen=True, slots=True)
class Try:
    """One try to sign in: where it counts. `wait` is how long it has to wait; nothing is counted then."""

    keys: tuple[tuple[str, str], ...]
    wait: timedelta = timedelta(0)


def try_begin(name: str, address: str, cookie: str = "") -> Try:
    """Count a try to sign in before its password is looked at, unless it has to wait."""
    return _begin(tuple(_keys(name, address, cookie)))


def change_begin(user: User) -> Try:
    """Count a try to change somebody's password, for which the one of now has to be typed."""
    return _begin((("browser", _hash("change", str(user.pk))),))


def code_begin(user: User) -> Try:
    """Count a try of a second factor, which comes after the right password."""
    return _begin((("browser", _hash("code", str(user.pk))),))


def passkey_begin(address: str) -> Try:
    """Count a try to sign in by a passkey alone, which names nobody before it is looked at."""
    return _begin((("address", _hash("address", network_of(address))),))


def try_right(tried: Try) -> None:
    """Take a try back whose password was right; wrong ones before it stay counted where others may have made them."""
    for bound, key in tried.keys:
        row = WrongPasswords.objects.filter(key=key)
        if bound in ("pair", "browser"):
            row.delete()
        else:
            row.filter(tries__gt=0).update(tries=F("tries") - 1)


def browser_cookie(name: str, cookie: str = "") -> str:
    """The cookie for a browser where somebody has just signed in; the one it has, where that is theirs."""
    if _browser(name, cookie):
        return cookie
    return signing.dumps([_hash("name", name), secrets.token_hex(16)], salt=COOKIE)


def network_of(address: str) -> str:
    """The network counted as one address: IPv4 as it is, of IPv6 the /64 that one customer has."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or ip_network((found, 64), strict=False))
    return str(found)


def _keys(name: str, address: str, cookie: str) -> Iterator[tuple[str, str]]:
    browser, network = _browser(name, cookie), network_of(address)
    if browser:
        yield "browser", _hash("browser", browser)
        return
    yield "pair", _hash("pair", network, name)
    yield "address", _hash("address", network)
    yield "name", _hash("name", name)


def _browser(name: str, cookie: str) -> str:
    """Which browser a cookie names, if this person's password was right in it; else nothing."""
    try:
        known, browser = signing.loads(cookie, salt=COOKIE, max_age=COOKIE_SECONDS)
    except (signing.BadSignature, TypeError, ValueError):
        return ""
    return str(browser) if known == _hash("name", name) else ""


def _hash(*parts: str) -> str:
    return salted_hmac("mirror.people.wrong_passwords", "\0".join(parts), algorithm="sha256").hexdigest()


def _begin(keys: tuple[tuple[str, str], ...]) -> Try:
    now = timezone.now()
    WrongPasswords.objects.filter(last_at__lt=now - FORGOTTEN).delete()
    with transaction.atomic():
        # Made and held in one order until the try is counted, so that two at once count one after the other.
        wanted = sorted(key for _, key in keys)
        made = [WrongPasswords(key=key, last_at=now) for key in wanted]
        WrongPasswords.objects.bulk_create(made, ignore_conflicts=True)
        rows = WrongPasswords.objects.filter(key__in=wanted)
        found = {row.key: row for row in rows.select_for_update().order_by("key")}
        bound, wait = max(((bound, _left(bound, found[key], now)) for bound, key in keys), key=itemgetter(1))
        if wait > timedelta(0):
            log.warning("A sign-in has to wait for %.0f s, by its %s", wait.total_seconds(), bound)
            return Try(keys, wait)
        rows.update(tries=F("tries") + 1, last_at=now)
    return Try(keys)


def _left(bound: str, row: WrongPasswords, now: datetime) -> timedelta:
    """How long there is still to wait; never longer than the wait itself, should the clock be set back."""
    wait = BOUNDS[bound].wait(row.tries)
    return min(wait, row.last_at + wait - now)

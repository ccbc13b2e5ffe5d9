"""Data of the pages about people."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from mirror.people.factors import has_codes
from mirror.people.models import Identity, Membership, Passkey, Session, Team, User
from mirror.people.provider.configured import Provider, identity_of, provider
from mirror.people.selectors import sessions_of

# How browsers and systems give themselves away, the one that others imitate last.
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("FxiOS/", "Firefox"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
# Sessions that are shown.
MOST_SESSIONS = 50


@dataclass(frozen=True, slots=True)
class LinkPage:
    """A one-time link to hand over, shown once."""

    person: User
    url: str
    hours: int


@dataclass(frozen=True, slots=True)
class TeamPage:
    """One team and who is in it."""

    team: Team
    memberships: list[Membership]
    may_manage: bool


@dataclass(frozen=True, slots=True)
class AccountPage:
    """How one signs in oneself; `mark` is that of the session that asks."""

    provider: Provider | None
    identity: Identity | None
    has_codes: bool
    passkeys: int
    mark: str
    sessions: list[SessionLine]


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One browser that somebody is signed in with; `is_here`: the one that asks."""

    session: Session
    browser: str
    is_here: bool


def account_page(user: User, key: str) -> AccountPage:
    """Make the page for somebody; `key` is that of the session that asks."""
    lines = [
        SessionLine(one, browser_named(one.browser), one.session_key == key)
        for one in sessions_of(user)[:MOST_SESSIONS]
    ]
    lines.sort(key=lambda line: not line.is_here)
    return AccountPage(
        provider=provider(),
        identity=identity_of(user),
        has_codes=has_codes(user),
        passkeys=Passkey.objects.filter(user=user).count(),
        mark=Session(session_key=key).mark,
        sessions=lines,
    )


def browser_named(told: str) -> str:
    """Name a browser by what it says of itself.

    Example:
        >>> browser_named("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36")
        'Chrome on Linux'
        >>> browser_named("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1")
        'Safari on iPhone'
        >>> browser_named("curl/8.9"), browser_named("")
        ('curl', 'A browser that does not say its name')
    """
    name = next((name for sign, name in _BROWSERS if sign in told), told.partition("/")[0][:40])
    system = next((system for sign, system in _SYSTEMS if sign in told), "")
    name = name or _("A browser that does not say its name")
    return _("%(browser)s on %(system)s") % {"browser": name, "system": system} if system else name


def account_linked(words: str) -> SafeString:
    """A text for a page, in which the words *Your account* lead there."""
    name = _("Your account")
    before, found, after = words.partition(name)
    link = format_html('<a href="{}">{}</a>', reverse("people:account"), name) if found else ""
    return format_html("{}{}{}", before, link, after)

"""What administrators see of mails and calls: bounds that were met, what is allowed, who was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from mirror import phrases
from mirror.people.models import Quota, QuotaMet
from mirror.reports.models import Allowance, Consent
from mirror.reports.pages import words
from mirror.reports.pages.words import Moment
from mirror.reports.sending.holding import quota_words
from mirror.reports.sending.pausing import deliveries_waiting
from mirror.reports.sending.recipients import sender_domain

# Bounds that were met are told so long on the pages of administrators.
TOLD = timedelta(hours=24)
# Outside addresses listed, the newest first.
SHOWN_CONSENTS = 200

_ABOUT = {
    Allowance.Kind.DOMAIN: (
        "Mail domains",
        "Addresses there get reports without being asked. While any domain is listed, other addresses are refused; "
        "while none is, each outside address is asked once.",
        "Add a domain",
        "example.com",
    ),
    Allowance.Kind.ADDRESS: (
        "Single outside addresses",
        "May be named as recipients although their domain is not listed. They are still asked once.",
        "Add an address",
        "somebody@example.com",
    ),
    Allowance.Kind.HOST: (
        "Hosts in private networks",
        "Everybody's webhooks, Slack addresses and buckets may be there. Others on this machine and in private networks are "
        "for reports of administrators alone; metadata services of clouds are never called.",
        "Add a host",
        "hooks.internal or 10.1.2.3:8443",
    ),
}


@dataclass(frozen=True, slots=True)
class MetLine:
    """A bound that somebody met."""

    words: str
    held: str
    at: Moment | None


@dataclass(frozen=True, slots=True)
class AllowedLine:
    """A place that is allowed: by an administrator, or (`id` is None) by a setting."""

    id: int | None
    value: str
    by: str


@dataclass(frozen=True, slots=True)
class AllowedList:
    """All places of one kind, and the form that adds one; `typed` and `problem` are of what was refused just now."""

    kind: str
    title: str
    about: str
    action: str
    example: str
    lines: list[AllowedLine]
    typed: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ConsentLine:
    """An outside address and what it said."""

    address: str
    state: str
    look: str
    icon: str
    about: str


@dataclass(frozen=True, slots=True)
class SendingPage:
    """Mail and webhooks, for administrators."""

    waiting: int
    met: list[MetLine]
    bounds: list[tuple[str, str]]
    allowed: list[AllowedList]
    consents: list[ConsentLine]
    more_consents: int


def sending_page(refused: tuple[str, str, str] | None = None) -> SendingPage:
    """Lay out the page; `refused` is a kind, what was typed for it, and why it cannot be."""
    found = Consent.objects.select_related("asked_for").order_by("-asked_at", "-pk")
    return SendingPage(
        waiting=deliveries_waiting(),
        met=met_lines(),
        bounds=[
            ("Mails of a person", f"{settings.MAILS_PER_HOUR:,} an hour"),
            ("Calls of a person", f"{settings.CALLS_PER_HOUR:,} an hour"),
            ("New outside addresses of a person", f"{settings.MAIL_ASKS_PER_DAY:,} a day"),
            ("Recipients of a report", f"{settings.REPORT_RECIPIENTS:,}"),
            ("Channels of a report", f"{settings.REPORT_CHANNELS:,}"),
            (
                "Between two runs of a schedule",
                f"{phrases.counted(settings.REPORT_LEAST_MINUTES, 'minute')} at least",
            ),
        ],
        allowed=[_allowed(kind, refused) for kind in Allowance.Kind],
        consents=[_consent(consent) for consent in found[:SHOWN_CONSENTS]],
        more_consents=max(0, found.count() - SHOWN_CONSENTS),
    )


def met_lines() -> list[MetLine]:
    """Bounds that were met of late, the newest first."""
    found = QuotaMet.objects.filter(at__gt=timezone.now() - TOLD).exclude(kind=Quota.Kind.TESTS)
    return [
        MetLine(
            quota_words(met),
            f"Held back {phrases.counted(met.held, 'time')} in the hour from then.",
            words.moment(met.at, settings.TIME_ZONE),
        )
        for met in found.select_related("person")[:50]
    ]


def _allowed(kind: Allowance.Kind, refused: tuple[str, str, str] | None) -> AllowedList:
    title, about, action, example = _ABOUT[kind]
    lines = [AllowedLine(None, value, by) for value, by in _by_settings(kind)]
    for kept in Allowance.objects.filter(kind=kind).select_related("made_by"):
        by = f"allowed by {kept.made_by.get_username()}" if kept.made_by else "allowed by somebody who left"
        lines.append(AllowedLine(kept.pk, kept.value, by))
    typed, problem = refused[1:] if refused and refused[0] == kind else ("", "")
    return AllowedList(kind, title, about, action, example, lines, typed, problem)


def _by_settings(kind: Allowance.Kind) -> list[tuple[str, str]]:
    if kind == Allowance.Kind.HOST:
        return [(host, "by the setting WEBHOOK_HOSTS") for host in settings.WEBHOOK_HOSTS]
    if kind == Allowance.Kind.ADDRESS:
        return []
    found = [(domain, "by the setting MAIL_DOMAINS") for domain in settings.MAIL_DOMAINS]
    own = sender_domain()
    if own and own not in settings.MAIL_DOMAINS:
        found.append((own, "the domain of MAIL_FROM, always"))
    return found


def _consent(consent: Consent) -> ConsentLine:
    look, icon = {
        Consent.State.ASKED: ("", "clock"),
        Consent.State.CONFIRMED: ("badge-good", "check"),
        Consent.State.STOPPED: ("badge-warn", "ban"),
    }[Consent.State(consent.state)]
    by = f" for {consent.asked_for.get_username()}" if consent.asked_for else ""
    asked = f"asked on {consent.asked_at:%Y-%m-%d}{by}" if consent.asked_at else "not asked yet"
    said = f" · answered on {consent.answered_at:%Y-%m-%d}" if consent.answered_at else ""
    return ConsentLine(consent.address, str(consent.get_state_display()), look, icon, asked + said)

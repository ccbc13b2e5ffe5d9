"""Mails and calls as administrators see them: bounds that were met, what is allowed, who was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

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
        gettext_noop("Mail domains"),
        gettext_noop(
            "Addresses there get reports without being asked. While any domain is listed, other addresses are refused; while none is, each outside address is asked once."
        ),
        gettext_noop("Add a domain"),
        "example.com",
    ),
    Allowance.Kind.ADDRESS: (
        gettext_noop("Single outside addresses"),
        gettext_noop(
            "May be named as recipients although their domain is not listed. They are still asked once."
        ),
        gettext_noop("Add an address"),
        "somebody@example.com",
    ),
    Allowance.Kind.HOST: (
        gettext_noop("Hosts in private networks"),
        gettext_noop(
            "Everybody's webhooks, Slack addresses and buckets may be there. Others on this machine and in private networks are for reports of administrators alone; metadata services of clouds are never called."
        ),
        gettext_noop("Add a host"),
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
            (_("Mails of a person"), _("%(count)s an hour") % {"count": intcomma(settings.MAILS_PER_HOUR)}),
            (_("Calls of a person"), _("%(count)s an hour") % {"count": intcomma(settings.CALLS_PER_HOUR)}),
            (
                _("New outside addresses of a person"),
                _("%(count)s a day") % {"count": intcomma(settings.MAIL_ASKS_PER_DAY)},
            ),
            (_("Recipients of a report"), intcomma(settings.REPORT_RECIPIENTS)),
            (_("Channels of a report"), intcomma(settings.REPORT_CHANNELS)),
            (
                _("Between two runs of a schedule"),
                _("%(time)s at least") % {"time": phrases.counted(settings.REPORT_LEAST_MINUTES, "minute")},
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
            ngettext(
                "Held back %(count)s time in the hour from then.",
                "Held back %(count)s times in the hour from then.",
                met.held,
            )
            % {"count": intcomma(met.held)},
            words.moment(met.at, settings.TIME_ZONE),
        )
        for met in found.select_related("person")[:50]
    ]


def _allowed(kind: Allowance.Kind, refused: tuple[str, str, str] | None) -> AllowedList:
    title, about, action, example = map(_, _ABOUT[kind])
    lines = [AllowedLine(None, value, by) for value, by in _by_settings(kind)]
    for kept in Allowance.objects.filter(kind=kind).select_related("made_by"):
        by = (
            _("allowed by %(get_username)s") % {"get_username": kept.made_by.get_username()}
            if kept.made_by
            else _("allowed by somebody who left")
        )
        lines.append(AllowedLine(kept.pk, kept.value, by))
    typed, problem = refused[1:] if refused and refused[0] == kind else ("", "")
    return AllowedList(kind, title, about, action, example, lines, typed, problem)


def _by_settings(kind: Allowance.Kind) -> list[tuple[str, str]]:
    if kind == Allowance.Kind.HOST:
        return [(host, _("by the setting WEBHOOK_HOSTS")) for host in settings.WEBHOOK_HOSTS]
    if kind == Allowance.Kind.ADDRESS:
        return []
    found = [(domain, _("by the setting MAIL_DOMAINS")) for domain in settings.MAIL_DOMAINS]
    own = sender_domain()
    if own and own not in settings.MAIL_DOMAINS:
        found.append((own, _("the domain of MAIL_FROM, always")))
    return found


def _consent(consent: Consent) -> ConsentLine:
    look, icon = {
        Consent.State.ASKED: ("", "clock"),
        Consent.State.CONFIRMED: ("badge-good", "check"),
        Consent.State.STOPPED: ("badge-warn", "ban"),
    }[Consent.State(consent.state)]
    asked = _("not asked yet")
    if consent.asked_at:
        told = {"day": f"{consent.asked_at:%Y-%m-%d}"}
        asked = _("asked on %(day)s") % told
        if consent.asked_for:
            asked = _("asked on %(day)s for %(name)s") % {**told, "name": consent.asked_for.get_username()}
    said = ""
    if consent.answered_at:
        said = " · " + _("answered on %(day)s") % {"day": f"{consent.answered_at:%Y-%m-%d}"}
    return ConsentLine(consent.address, str(consent.get_state_display()), look, icon, asked + said)

"""The words of a delivery: its subject, its band and why it comes."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.delivery.parcel import Introduction, Tone
from mirror.reports.models import Delivery

About = Delivery.About

_RECIPIENT = gettext_noop("Sent to you as a recipient of this report. Its owner can take you off.")
_OWNER = gettext_noop("Sent to you because this report is yours.")
_INTRODUCTIONS = {
    About.REPORT: Introduction(why=_RECIPIENT),
    About.ALERT: Introduction(gettext_noop("Alert"), gettext_noop("Alert"), Tone.WARN, why=_RECIPIENT),
    About.RECOVERED: Introduction(
        gettext_noop("Recovered"), gettext_noop("Recovered"), Tone.GOOD, why=_RECIPIENT
    ),
    About.TEST: Introduction(
        gettext_noop("Test"),
        gettext_noop("This is a test"),
        why=gettext_noop("Sent to you alone, as a test of a report."),
    ),
    About.FAILED: Introduction(
        gettext_noop("Failed"), gettext_noop("This report failed"), Tone.BAD, why=_OWNER
    ),
    About.PAUSED: Introduction(
        gettext_noop("Paused"), gettext_noop("This report is paused"), Tone.WARN, why=_OWNER
    ),
    About.HANDED: Introduction(
        gettext_noop("Yours now"),
        gettext_noop("This report is yours now"),
        link_label=gettext_noop("Open the report"),
        why=_OWNER,
    ),
    About.CONSENT: Introduction(
        gettext_noop("Please confirm"),
        gettext_noop("Nothing is sent to you before you say yes"),
        link_label=gettext_noop("Say yes or no"),
        why=gettext_noop(
            "Sent to you because somebody named this address as a recipient. Leave it be, and nothing more comes of it."
        ),
    ),
    About.QUOTA: Introduction(
        gettext_noop("Quota met"),
        gettext_noop("Somebody has met a quota"),
        Tone.WARN,
        link_label=gettext_noop("Open mail and webhooks"),
        why=gettext_noop("Sent to you because you are an administrator."),
    ),
}


def introduction_of(about: Delivery.About, url: str, owner: str = "") -> Introduction:
    """Say how a parcel that leads to `url` introduces itself; where signing in is asked for, that is said too.

    One that leads nowhere says who could share the report: its `owner`.
    """
    found = _translated(_INTRODUCTIONS[about])
    # A stranger answers without an account.
    if about == About.CONSENT:
        return found
    if not url:
        return dataclasses.replace(
            found,
            why=found.why
            + " "
            + _("In Mirror it is not shared with you; %(owner)s can do that.") % {"owner": owner},
        )
    link = _("The link leads to %(netloc)s and asks you to sign in.") % {"netloc": urlsplit(url).netloc}
    return dataclasses.replace(found, why=f"{found.why} {link}")


def _translated(found: Introduction) -> Introduction:
    return dataclasses.replace(
        found,
        subject_word=found.subject_word and _(found.subject_word),
        band=found.band and _(found.band),
        link_label=_(found.link_label),
        why=_(found.why),
    )

"""What a delivery is about, in words: its subject, its band and why it comes."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from mirror.delivery.parcel import Introduction, Tone
from mirror.reports.models import Delivery

About = Delivery.About

_RECIPIENT = "Sent to you as a recipient of this report. Its owner can take you off."
_OWNER = "Sent to you because this report is yours."
_INTRODUCTIONS = {
    About.REPORT: Introduction(why=_RECIPIENT),
    About.ALERT: Introduction("Alert", "Alert", Tone.WARN, why=_RECIPIENT),
    About.RECOVERED: Introduction("Recovered", "Recovered", Tone.GOOD, why=_RECIPIENT),
    About.TEST: Introduction("Test", "This is a test", why="Sent to you alone, as a test of a report."),
    About.FAILED: Introduction("Failed", "This report failed", Tone.BAD, why=_OWNER),
    About.PAUSED: Introduction("Paused", "This report is paused", Tone.WARN, why=_OWNER),
    About.HANDED: Introduction(
        "Yours now", "This report is yours now", link_label="Open the report", why=_OWNER
    ),
    About.CONSENT: Introduction(
        "Please confirm",
        "Nothing is sent to you before you say yes",
        link_label="Say yes or no",
        why="Sent to you because somebody named this address as a recipient. "
        "Leave it be, and nothing more comes of it.",
    ),
    About.QUOTA: Introduction(
        "Quota met",
        "Somebody has met a quota",
        Tone.WARN,
        link_label="Open mail and webhooks",
        why="Sent to you because you are an administrator.",
    ),
}


def introduction_of(about: Delivery.About, url: str, owner: str = "") -> Introduction:
    """Say how a parcel that leads to `url` introduces itself; where signing in is asked for, that is said too.

    One that leads nowhere says who could share the report: its `owner`.
    """
    found = _INTRODUCTIONS[about]
    # A stranger answers without an account.
    if about == About.CONSENT:
        return found
    if not url:
        return dataclasses.replace(
            found, why=f"{found.why} In Mirror it is not shared with you; {owner} can do that."
        )
    link = f"The link leads to {urlsplit(url).netloc} and asks you to sign in."
    return dataclasses.replace(found, why=f"{found.why} {link}")

"""Introductions of deliveries: in their mails, and in the documents about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mirror.reports.models import Delivery
from mirror.reports.sending.introductions import introduction_of
from tests.delivery.parcels import URL, parcel
from tests.delivery.test_channels_letter import html_of, read, text_of

ROOT = Path(__file__).resolve().parents[2]
About = Delivery.About


@pytest.mark.parametrize("about", [about for about in About if about != About.REPORT])
def test_a_notice_says_what_it_is_and_why(about):
    introduction = introduction_of(about, URL)
    message = read(
        parcel(
            about=about.value,
            introduction=introduction,
            title="Stock",
            message="The value is 4, below 10.\nNext try at 09:00.",
            sections=(),
            files=(),
        )
    )
    assert message["Subject"].endswith(": Stock")
    for body in (html_of(message), text_of(message)):
        assert introduction.band in body
        assert introduction.why in body
        assert "below 10." in body
        assert URL in body
    assert introduction.band
    assert introduction.why.startswith("Sent to you ")
    assert "The value is 4" in html_of(message).split("<table")[0], "an inbox shows it beside the subject"


def test_a_plain_report_goes_under_its_title_alone():
    message = read(parcel(introduction=introduction_of(About.REPORT, URL), title="Stock"))
    assert message["Subject"] == "Stock"
    assert "Sent to you as a recipient of this report." in text_of(message)


def test_it_is_said_where_a_link_leads_but_to_a_stranger_who_has_no_account():
    asked = "The link leads to mirror.example.org and asks you to sign in."
    said = {about for about in About if introduction_of(about, URL).why.endswith(asked)}
    assert said == set(About) - {About.CONSENT}


def test_the_document_of_webhooks_names_every_event():
    document = (ROOT / "docs/webhooks.md").read_text()
    for word in About.values:
        assert f"`{word}`" in document or f'"{word}"' in document, word

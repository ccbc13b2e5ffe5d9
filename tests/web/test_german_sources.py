"""Pages of sources, knowledge, reports and sharing in German: no English sentence is on them, and English ones are as they were."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override

from mirror.dashboards import services as dashboards
from mirror.knowledge.models import StoredTerm
from mirror.library.models import SavedSql
from mirror.reports import services
from mirror.reports.schedule.times import Schedule
from mirror.sources.models import Source
from mirror.sources.uploads.types import KINDS

pytestmark = pytest.mark.django_db

# Words that no German sentence has, and hardly an English one lacks.
ENGLISH = re.compile(
    r"\b(the|of|is|are|with|and|not|from|by|this|that|your|any|which|they|it|to|for|yet)\b", re.IGNORECASE
)
# Elements that are shown as they are: code, SQL and names of tables; and names of time zones.
AS_THEY_ARE = {"pre", "code", "script", "style", "textarea", "svg"}
VOID = {"input", "br", "img", "meta", "link", "hr", "wbr", "col", "use", "path"}
# Questions are asked in English, so examples of their words are English in a German sentence.
QUESTION = re.compile(r"„(This week|last month|fiscal year 2025|start of last month)“")
ZONE = re.compile(r"[A-Z]\w+/[A-Z]")
LABELS = ("title", "aria-label", "placeholder", "alt", "data-label")
SOURCE_PAGES = (
    "source", "edit", "share", "limits", "may_run", "model", "model_calendar", "withhold", "logins", "delete",
)  # fmt: skip
KNOWLEDGE_PAGES = ("terms", "term_new", "answers", "questions", "evaluations", "improving", "feedback")
REPORT_PAGES = ("report", "edit", "share", "hand_over", "delete")


@pytest.fixture
def addresses(alice, shop) -> list[str]:
    """The pages of a source and of what hangs on it."""
    saved = SavedSql.objects.create(owner=alice, source=shop, name="Kunden", sql="SELECT 1 AS kunden")
    weekly = Schedule.from_json({"kind": "weekly", "days": ["mon"], "time": "08:00", "zone": "Europe/Berlin"})
    report = services.report_create(
        alice, title="Kunden", formats=["csv"], schedule=weekly, zone="Europe/Berlin", parts=[(saved, {})]
    )
    StoredTerm.objects.create(
        source=shop, phrase="Kunden", kind="measure", body="COUNT(customers.id)", owner=alice
    )
    board = dashboards.dashboard_make(alice, "Kunden")
    table = f"{reverse('sources:model_table', args=[shop.pk])}?table=customers"
    return [
        *(reverse(f"sources:{name}", args=[shop.pk]) for name in SOURCE_PAGES),
        *(reverse(f"knowledge:{name}", args=[shop.pk]) for name in KNOWLEDGE_PAGES),
        *(reverse(f"reports:{name}", args=[report.pk]) for name in REPORT_PAGES),
        *(reverse(name) for name in ("sources:list", "sources:connect", "sources:upload", "sources:access")),
        *(reverse(name) for name in ("reports:list", "reports:new", "sharing:links")),
        *(
            f"{reverse('sources:connect')}?engine={engine}"
            for engine in ("postgresql", "snowflake", "bigquery")
        ),
        f"{reverse('sources:access')}?person={alice.pk}&source={shop.pk}",
        reverse("sharing:dashboard", args=[board.pk]),
        table,
        f"{table.replace('/table/', '/column/')}&column=country",
    ]


def page_of(client: Client, address: str, language: str) -> str:
    """A page as a browser of that language gets it."""
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200, address
    page = response.content.decode()
    assert f'<html lang="{language}"' in page
    return page


class Texts(HTMLParser):
    """The texts and labels of a page, without what is shown as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.found += [given[name] for name in LABELS if name in given]
        if tag not in VOID:
            self._within.append(tag in AS_THEY_ARE or "mono" in given.get("class", "").split())

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self._within:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._within):
            self.found.append(data)


def english_in(page: str, source: Source) -> list[str]:
    """The texts and labels of a page that are English, but for the words of the source itself and of its driver."""
    read = Texts()
    read.feed(page)
    powers = (words for _, words in (source.powers or {}).get("found", []))
    own = {source.description.casefold(), *(words.casefold() for words in powers)}
    texts = {QUESTION.sub("", text).strip() for text in read.found}
    english = (text for text in texts if ENGLISH.search(text) and not ZONE.match(text))
    return sorted(text for text in english if text.casefold() not in own)


def test_no_english_sentence_is_on_a_german_page(as_alice, shop, addresses) -> None:
    shop.refresh_from_db()
    pages = {address: page_of(as_alice, address, "de") for address in addresses}
    found = [f"{address} {text}" for address, page in pages.items() for text in english_in(page, shop)]
    assert not found, "\n".join(found)


def test_the_same_pages_are_english_for_who_reads_english(as_alice, shop, addresses) -> None:
    for address in addresses:
        page = page_of(as_alice, address, "en")
        assert english_in(page, shop), address
        assert "Quelle" not in page and "Bericht" not in page, address


def test_a_german_page_says_counts_and_refusals_in_german(as_alice, shop, team) -> None:
    page = page_of(as_alice, reverse("sources:source", args=[shop.pk]), "de")
    assert "9 Tabellen" in page
    assert re.search(r"9 Spalten\s*· etwa \d+\.\d{3} Zeilen", page)
    refused = as_alice.post(
        reverse("sources:share", args=[shop.pk]),
        {"teams": [team.pk], f"role_{team.pk}": "king"},
        headers={"Accept-Language": "de"},
    )
    assert refused.status_code == 422
    assert "king ist keine gültige Auswahl" in refused.content.decode()


def test_types_of_columns_of_files_have_german_names() -> None:
    with override("de"):
        assert [gettext(kind.label) for kind in KINDS.values() if gettext(kind.label) == kind.label] == [
            "Text"
        ]

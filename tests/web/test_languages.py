"""Pages in two languages: whose is chosen, that catalogs are whole, and that no text of a template stands outside of them."""

from __future__ import annotations

import ast
import gettext
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from mirror.audit.verbs import DETAILS
from mirror.people.languages import language_of
from mirror.phrases import counted, dated, joined, size, took
from mirror.results.cells import aligned, shown
from mirror.stored_words import said_now, sayings
from sqlagent.language.saying import number, worded
from sqlagent.telling.explaining import explained

ROOT = Path(__file__).resolve().parents[2]
CATALOGS = ROOT / "frontend" / "locale" / "de" / "LC_MESSAGES"
TEMPLATES = ROOT / "frontend" / "templates"
GERMAN = {"headers": {"accept-language": "de-DE,de;q=0.9,en;q=0.5"}}
# Words that are the same in every language, and names.
SAME = {
    "Mirror",
    "SQL",
    "PDF",
    "API",
    "CSV",
    "PNG",
    "SVG",
    "UTC",
    "SELECT …",
    "Alt+N",
    "Shift+Alt+F",
    "&nbsp;",
}


# ---------------------------------------------------------------- whose language


@pytest.mark.django_db
def test_a_visitor_reads_the_language_of_the_browser_and_english_where_it_names_none(client):
    page = client.get("/sign-in/", **GERMAN)
    assert page["Content-Language"] == "de"
    assert "Accept-Language" in page["Vary"]
    assert '<html lang="de">' in page.text
    assert "Benutzername" in page.text
    for headers in ({}, {"headers": {"accept-language": "fr, it;q=0.5"}}):
        page = client.get("/sign-in/", **headers)
        assert '<html lang="en">' in page.text
        assert "words/" not in page.text
        assert "Username" in page.text


def test_what_somebody_chose_goes_before_the_browser_and_for_them_alone(alice, bob):
    own, other = Client(), Client()
    own.force_login(alice)
    other.force_login(bob)
    address = reverse("people:account_language")
    saved = own.post(address, {"language": "de"}, follow=True)
    assert "Ihre Sprache ist gespeichert." in saved.text
    assert "Ihr Konto" in own.get("/account/", headers={"accept-language": "en"}).text
    assert "Your account" in other.get("/account/").text
    back = own.post(address, {"language": ""}, follow=True)
    assert "Your language is saved." in back.text
    assert "Ihr Konto" in own.get("/account/", **GERMAN).text


def test_a_language_that_is_not_there_is_refused(alice):
    client = Client()
    client.force_login(alice)
    assert client.post(reverse("people:account_language"), {"language": "tlh"}).status_code == 422
    alice.refresh_from_db()
    assert alice.language == ""


def test_mails_follow_the_choice_else_the_browser_that_signed_in_last(alice):
    from mirror.people import services

    assert language_of(None) == language_of(alice) == "en"
    link = reverse("people:sign_in_link", args=[services.link_create(alice)])
    Client().post(link, **GERMAN)
    alice.refresh_from_db()
    assert language_of(alice) == "de"
    services.user_language(alice, "en")
    assert language_of(alice) == "en"
    alice.language = "tlh"
    assert language_of(alice) == "de"


@pytest.mark.django_db
def test_programs_are_answered_in_english(client):
    answer = client.get("/api/v1/nowhere", **GERMAN)
    assert answer.json()["title"] == "There is no such address."


def test_the_audit_is_kept_in_english_and_read_in_the_language_of_the_reader(admin):
    from mirror.audit.models import AuditRow
    from mirror.people import services

    client = Client()
    client.post(reverse("people:sign_in_link", args=[services.link_create(admin)]), **GERMAN)
    row = AuditRow.objects.get(verb="signed in")
    assert row.details["way"] == "one-time link"
    assert "hat sich angemeldet" in client.get(reverse("upkeep:audit"), **GERMAN).text


def test_every_detail_of_the_audit_has_a_name():
    given = {
        one.arg
        for path in (ROOT / "mirror").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and "record" in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
        for one in call.keywords
    }
    assert given - {"by", "is_refused", None} <= set(DETAILS)


def test_a_page_is_found_by_its_english_name_too(admin):
    client = Client()
    client.force_login(admin)
    for typed in ("Sprachmodelle", "language models"):
        assert "Sprachmodelle" in client.get(reverse("palette:palette"), {"q": typed}, **GERMAN).text


PAGES = {
    "people:account": "Wo Sie angemeldet sind",
    "people:people": "Wer sich hier anmelden darf.",
    "people:person_new": "Hinzufügen und Link erzeugen",
    "people:teams": "Team anlegen",
    "people:provider": "Gruppe hinzufügen",
    "people:codes": "Einmalcodes einrichten",
    "people:passkeys": "Wiederherstellungscodes|Passkey hinzufügen|Passkeys",
    "services:services": "Dienst anlegen",
    "api:tokens": "Token anlegen",
    "api:operations": "Was|Version",
    "llms:list": "Sprachmodell hinzufügen",
    "llms:new": "Preis je Million gesendeter Token",
    "llms:use": "Monatsbudgets",
    "upkeep:audit": "Zeilen werden nur hinzugefügt.",
    "upkeep:status": "Prozesse",
    "palette:palette": "Namen eingeben",
    "palette:keys": "Die Auswahl ausführen",
}
# Words that only English has, where a sentence of it would hold one.
ENGLISH = re.compile(r"\b(the|you|your|and|is|are|with|this|no|of)\b", re.I)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_german_from_head_to_foot(admin, name):
    client = Client()
    client.force_login(admin)
    page = client.get(reverse(name), **GERMAN).text
    assert re.search(PAGES[name], page)
    if name == "api:operations":  # the reference of the API is English
        page = page.partition("<details")[0]
    main = re.sub(r"<(script|style|code)\b.*?</\1>|\sdatetime=\"[^\"]*\"", "", page, flags=re.S)
    texts = re.sub(r"<[^>]*>", "\n", main).split("\n")
    texts += re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', main)
    assert not [text for text in texts if ENGLISH.search(text)]


def test_no_number_of_an_attribute_has_a_comma(admin):
    client = Client()
    client.force_login(admin)
    for name in PAGES:
        page = client.get(reverse(name), **GERMAN).text
        assert not re.search(r'\b(?:style|width|height|x|y|r|data-[a-z]+)="[^"]*\d,\d', page)


# ---------------------------------------------------------------- numbers and days


def test_numbers_days_and_counts_are_written_as_the_language_does():
    with translation.override("de"):
        assert shown(1234567.128).text == "1.234.567,13"
        assert shown(1234567.128).exact == "1234567.128"
        assert aligned(["1.234,5", "7", "0,25", "NULL"]) == ["1.234,50", "7,00", "0,25", "NULL"]
        assert shown(Decimal("0.5"), "share").text == "0,5"
        assert dated(date(2026, 11, 28), "j M Y") == "28. Nov. 2026"
        assert (counted(1, "row"), counted(1200, "row")) == ("1 Zeile", "1.200 Zeilen")
        assert (took(0.93), size(1_500_000)) == ("0,93 s", "1,5 MB")
        assert joined(["CSV", "Excel", "PDF"]) == "CSV, Excel und PDF"
    assert shown(1234567.128).text == "1,234,567.13"


# ---------------------------------------------------------------- catalogs


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    """Each text of a catalog with its translation; a plural is a text of its own."""
    for block in path.read_text("utf-8").split("\n\n")[1:]:
        said: dict[str, str] = {}
        for name, text in re.findall(r'^(msg\w+(?:\[\d\])?) ((?:".*"\n?)+)', block, re.M):
            said[name] = "".join(re.findall(r'"(.*)"', text))
        yield said["msgid"], said.get("msgstr", "") or said.get("msgstr[0]", "")
        if "msgid_plural" in said:
            yield said["msgid_plural"], said["msgstr[1]"]


def _places(text: str) -> set[str]:
    return set(re.findall(r"%\(\w+\)s|\{\w+\}|%%|</?\w+|:%\(", text))


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_every_text_has_german_words_with_the_same_places_for_values(domain):
    path = CATALOGS / f"{domain}.po"
    assert "#, fuzzy" not in path.read_text("utf-8")
    wrong = [
        f"{text!r}: {said!r}" for text, said in _entries(path) if not said or _places(said) != _places(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_the_compiled_catalog_holds_what_the_catalog_says(domain, tmp_path):
    made = tmp_path / "made.mo"
    subprocess.run(["msgfmt", "--check", "-o", made, CATALOGS / f"{domain}.po"], check=True)
    with made.open("rb") as fresh, (CATALOGS / f"{domain}.mo").open("rb") as kept:
        ours, theirs = gettext.GNUTranslations(fresh), gettext.GNUTranslations(kept)
    assert ours._catalog == theirs._catalog


def test_script_messages_would_change_nothing(tmp_path):
    """Every text of code, templates and scripts is in the catalogs, and nothing else."""
    left_out = shutil.ignore_patterns("__pycache__", "node_modules", "vendor", "build")
    for folder in ("mirror", "sqlagent", "frontend", "script"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_out)
    made = [sys.executable, tmp_path / "script" / "catalogs.py"]
    settings = {**os.environ, "DJANGO_SETTINGS_MODULE": "mirror.settings"}
    subprocess.run(made, check=True, capture_output=True, env=settings)
    for kept in (*CATALOGS.glob("*.po"), ROOT / "frontend/static/js/words/de.js"):
        made = tmp_path / kept.relative_to(ROOT)
        assert made.read_text("utf-8") == kept.read_text("utf-8"), f"Run script/messages: {kept.name}"


def test_no_text_is_marked_within_an_f_string():
    """The tools of gettext do not read there: it would be in no catalog."""
    marks = {"_", "gettext", "ngettext", "pgettext", "gettext_lazy"}
    marked = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in (ROOT / "mirror").rglob("*.py")
        for text in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in marks
        and isinstance(call.args[0], ast.Constant)
    ]
    assert not marked


_TAG = r"<[a-zA-Z/!](?:[^<>{]|\{%.*?%\}|\{\{.*?\}\}|\{(?![%{#]))*>"


def _unmarked(source: str) -> list[str]:
    """Texts between tags, and in attributes that people read, that no tag of translation holds."""
    source = re.sub(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", "", source, flags=re.S)
    source = re.sub(r"\{% blocktranslate.*?\{% endblocktranslate %\}", "", source, flags=re.S)
    source = re.sub(r"<(script|style|code)\b.*?</\1>", "", source, flags=re.S)
    source = re.sub(r"<(/?)\{\{ \w+ \}\}", r"<\1h1", source)  # a heading of a level that is told
    if "<" not in source:  # attributes alone, for the tag that includes them
        source = re.sub(r'[\w-]+="[^"]*"', "", source)
    source = source.replace(" > *", "")  # a selector
    attributes = re.findall(
        r'(?<![-\w])(?:title|aria-label|placeholder|alt)="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"', source
    )
    includes = re.findall(r'\{% include [^%]*\b(?:title|text|action|words|without)="([^"]+)"', source)
    between = re.sub(_TAG, "\n", source, flags=re.S)
    texts = [re.sub(r"\{[%{].*?[%}]\}", "\n", text, flags=re.S) for text in (between, *attributes)]
    lines = [line.strip(" \t·:,.()/") for text in (*texts, *includes) for line in text.split("\n")]
    return [line for line in lines if re.search(r"[A-Za-z]{2}", line) and line not in SAME]


READ = sorted(TEMPLATES.rglob("*.html"))


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_no_text_of_a_template_stands_outside_of_the_catalogs(path):
    assert not _unmarked(path.read_text("utf-8"))


def test_what_stands_outside_is_found():
    assert _unmarked('<p title="Close it">Rows of {{ name }}</p>{% translate "Fine" %}') == [
        "Rows of",
        "Close it",
    ]


# ---------------------------------------------------------------- labels, choices and charts


def test_labels_of_choices_are_german():
    from mirror.asking.forms import SaveForm
    from mirror.knowledge.models import StoredTerm
    from mirror.llms.forms import EndpointForm
    from mirror.sources.model_telling import FORMS, UNITS

    with translation.override("de"):
        said = [
            *(str(label) for _, label in StoredTerm.Status.choices),
            *(str(label) for _, label in EndpointForm.base_fields["reach"].choices),
            *map(str, UNITS.values()),
            *map(str, FORMS.values()),
            str(SaveForm.base_fields["description"].label),
        ]
        assert said[:5] == ["Entwurf", "in Kraft", "außer Kraft", "Alle Quellen, auch künftige", "Nur diese"]
        assert said[-1] == "Beschreibung"
        assert not [text for text in said if re.search(r"\b(draft|money|days|day|moment|text month)\b", text)]


def test_what_the_analyst_calls_its_chips_is_german():
    """Each heading and label that the analyst gives is in the catalog."""
    given = set()
    for path in (ROOT / "sqlagent" / "makers" / "analyst" / "chips").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Option", "Part"):
                place = call.args[2]
                given |= {place.value} if isinstance(place, ast.Constant) and place.value else set()
    assert {"Group by", "by", "only", "How many"} <= given
    with translation.override("de"):
        left = [text for text in given - {"in"} if translation.pgettext("chip", text) == text]
    assert not left


def test_what_sqlagent_calls_the_clauses_of_a_statement_is_german():
    given = {
        call.args[0].value
        for path in (ROOT / "sqlagent" / "telling" / "explaining").glob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "Line"
        and isinstance(call.args[0], ast.Constant)
    }
    assert {"Only rows where", "Together"} <= given
    with translation.override("de"):
        assert not [text for text in given if translation.pgettext("clause", text) == text]


def test_a_figure_shows_the_note_of_its_chart_in_german():
    from mirror.asking.pages.version import figure_noted

    note = worded("The largest {count} of {series} series shown.", count=8, series=number("1,028"))
    figure = {"data": [], "layout": {"title": {"text": "Orders", "subtitle": {"text": str(note)}}}}
    with translation.override("de"):
        shown = figure_noted(figure, {"mark": "line", "x": "month", "y": ["orders"]}, sayings(note=note))
    assert shown["layout"]["title"]["subtitle"]["text"] == "Die größten 8 von 1.028 Reihen gezeigt."


def test_a_statement_is_told_in_german_clause_by_clause():
    sql = (
        "SELECT c.country, SUM(o.total) AS revenue FROM orders AS o JOIN customers AS c ON c.id = o.customer_id "
        "WHERE o.status <> 'open' AND o.ordered_on >= '2025-03-01' AND o.ordered_on < '2025-04-01' "
        "GROUP BY c.country HAVING COUNT(*) > 2 ORDER BY revenue DESC LIMIT 5"
    )
    with translation.override("de"):
        assert [said_now(line.words) for line in explained(sql, "sqlite")] == [
            "orders",
            "customers, über customers.id gleich orders.customer_id (Zeilen ohne Treffer fallen weg)",
            "orders.status ungleich ‚open‘; und orders.ordered_on im März 2025",
            "customers.country",
            "Anzahl der Zeilen größer als 2",
            "customers.country; Summe von orders.total, genannt revenue",
            "revenue, absteigend",
            "5 Zeilen",
        ]


def test_kept_days_figures_and_chosen_words_are_written_as_the_language_does():
    from mirror.audit.verbs import value_said
    from mirror.phrases import day_said, figure_said, quoted

    with translation.override("de"):
        assert day_said("2026-12-05 13:51") == "5. Dez. 2026, 13:51"
        assert (figure_said("4,464,865.11"), figure_said("17400")) == ("4.464.865,11", "17.400")
        assert value_said("way", "one-time link") == "Einmal-Link"
        assert value_said("phrase", "force") == "force"
        assert quoted("revenue") == "„revenue“"
        assert translation.gettext("D j M, H:i") == "D, j. N, H:i"
    assert (day_said("2026-12-05 13:51"), figure_said("17400")) == ("2026-12-05 13:51", "17400")
    assert value_said("status", "force") == "force"

"""Pages of questions, tables, dashboards, the SQL page and the library in German: none of their own English is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils.translation import override
from pypdf import PdfReader

from mirror.asking import services as asking
from mirror.asking.models import Run
from mirror.dashboards import services as dashboards
from mirror.dashboards.models import Card, Dashboard, PdfExport, Supply
from mirror.library.services import sql_save
from mirror.reports.pages.words import answer_words
from mirror.reports.sending.consents import ASKED
from mirror.reports.sending.holding import WAITS
from mirror.results.models import StoredResult
from mirror.work.doing import work_do
from mirror.workbench.glancing import glance_plan, glance_rows
from mirror.workbench.services import tab_new, tab_run
from tests.web.working import TOP, answer, ran, supplied, unwatched, work

pytestmark = pytest.mark.django_db(transaction=True)
# Words that tell an English sentence, and that no German text and no name of the shop has.
ENGLISH = re.compile(
    r"\b(the|of|and|to|is|are|were|with|not|no|by|for|from|your|its|this|that|which|when|rows|run|column|columns|show|shown"
    r"|open|save|edit|delete|remove|change|back|wait|waiting|draft|question|answer|source|card|cards)\b"
)
READ = ("title", "aria-label", "placeholder", "data-announce", "data-label", "label")
# Parts whose texts are SQL, rows, names that people gave, or what the analyst made of a question: these stay as they are.
# Words for dates, which are typed in English.
DATES = "today, 7 days ago, start of last month, end of last month"
THEIRS = {"pre", "code", "textarea", "td", "kbd", "q", "option", "mirror-chips", "script", "style", "svg"}


class Texts(HTMLParser):
    """The texts of a page's content and of its attributes that are read, without those of people and the analyst."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("input", "br", "meta", "link", "use", "path", "hr", "col", "wbr"):
            self.inside.append(tag)
        if "main" in self.inside and not THEIRS & set(self.inside[:-1]):
            self.found += [value for name, value in attrs if name in READ and value]

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "main" in self.inside and not THEIRS & set(self.inside) and data.strip():
            self.found.append(" ".join(data.split()))


def texts(page: str) -> list[str]:
    """The text of a page."""
    read = Texts()
    read.feed(page)
    return read.found


@pytest.fixture
def german(as_alice: Client) -> Client:
    """Alice's browser, which asks for German."""
    as_alice.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    return as_alice


def english_in(browser: Client, address: str, *theirs: str) -> list[str]:
    """The English texts of a page that are not `theirs`."""
    shown = browser.get(address)
    assert shown.status_code == 200, (address, shown.status_code)
    page = shown.content.decode()
    assert 'lang="de"' in page
    said = [re.sub("|".join(map(re.escape, theirs)), "", text) if theirs else text for text in texts(page)]
    assert said
    return [text for text in said if ENGLISH.search(text.lower())]


def analyst(run: Run) -> Iterator[str]:
    """Texts of a run by the analyst and by people."""
    yield from filter(None, (run.named, run.question, run.sentence, run.reason, *run.notes))
    for version in run.versions.all():
        yield from filter(None, (version.sentence, version.change, version.title, version.draft))
        yield from (column["name"] for column in (version.result.columns if version.result else ()))
    for reading in run.readings:
        yield reading["difference"]
    for step in run.steps.all():
        data = step.data
        yield from filter(None, (data.get("said"), data.get("reason"), data.get("message"), data.get("text")))
        yield from (
            *data.get("problems", ()),
            *data.get("unmet", ()),
            *data.get("notes", ()),
            *data.get("feedback", ()),
        )
        for group in data.get("groups", ()):
            yield from group.get("reasons", ())


def theirs(run: Run) -> list[str]:
    """The same, longest first, as they stand in a page: with a capital, too."""
    said = {text for one in analyst(run) for text in (one, one[:1].upper() + one[1:], " ".join(one.split()))}
    return sorted(said, key=len, reverse=True)


@pytest.fixture
def board(transactional_db, shop, alice, media) -> Dashboard:
    made = dashboards.dashboard_make(alice, "Kunden")
    saved = sql_save(alice, shop, "Länder", TOP)
    dashboards.card_add_saved(made, saved)
    Card.objects.create(
        dashboard=made, kind="sql", source=shop, title="Eine", sql=TOP, shows="number", place=2
    )
    Card.objects.create(dashboard=made, kind="sql", source=shop, title="Keine", sql="SELECT nothing", place=3)
    dashboards.card_add_text(made, "Notiz", "Morgens lesen.")
    return made


def test_the_pages_before_a_question_are_german(shop, german, as_charlie) -> None:
    as_charlie.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    examples = asking.questions_first(shop)
    for name in ("asking:ask", "asking:history", "library:list", "dashboards:list", "workbench:start"):
        assert english_in(german, reverse(name), *examples) == [], name
        assert english_in(as_charlie, reverse(name)) == [], name


def test_a_question_and_its_answer_are_german(asked, german) -> None:
    version, thread = asked.versions.get(), asked.thread
    said = theirs(asked)
    places = [
        reverse("asking:run", args=[asked.pk]),
        reverse("asking:thread", args=[thread.pk]),
        reverse("asking:thread_delete", args=[thread.pk]),
        reverse("asking:sent", args=[asked.pk]),
        reverse("asking:history"),
        reverse("asking:history") + "?q=nothing-of-this",
        reverse("dashboards:add") + f"?version={version.pk}",
    ]
    for place in places:
        assert english_in(german, place, *said) == [], place
    page = german.get(places[0]).content.decode()
    assert "Zum Dashboard hinzufügen" in page and "gefunden:" in page


def test_sql_that_fails_and_a_question_without_an_answer_are_german(asked, german, shop, alice) -> None:
    failed = ran(asked, "SELECT nothing FROM customers")
    place = reverse("asking:run", args=[asked.pk])
    known = [*theirs(asked), failed.failure["message"], failed.failure.get("advice") or "-"]
    assert english_in(german, place, *known) == []
    assert "Dieses SQL wurde nicht ausgeführt" in german.get(place).content.decode()
    assert "(bearbeitetes SQL)" in german.get(reverse("asking:history")).content.decode()
    assert failed.departs == "edited SQL", "what is kept stays English"
    without = answer(asking.run_ask(alice, shop, "How many dragons were slain?"))
    known = [*theirs(without), *asking.questions_near(shop, without.question, 4)]
    assert english_in(german, reverse("asking:run", args=[without.pk]), *known) == []


def test_a_run_that_was_given_up_says_so_in_german(shop, alice, german) -> None:
    run = asking.run_ask(alice, shop, "How many customers are there?")
    asking.run_stop(run)
    page = german.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "Von Ihnen angehalten." in page
    run.refresh_from_db()
    assert run.reason == "Stopped by you.", "what is kept stays English"


def test_tables_and_pivots_are_german(answered, german) -> None:
    result = StoredResult.objects.latest("created_at")
    for name in ("rows", "pivot", "columns"):
        assert (
            english_in(german, reverse(f"results:{name}", args=[result.pk]), "customers", "country") == []
        ), name
    place = reverse("results:rows", args=[result.pk])
    assert english_in(german, f"{place}?totals=1&f1=abc&q=x", "customers", "country") == []
    wrong = german.get(f"{place}?f1=%3E+abc").content.decode()
    assert "„abc“ ist keine Zahl" in wrong
    number = reverse("results:column_format", args=[result.pk, 1])
    assert english_in(german, number, "customers") == []


def test_the_sql_page_is_german(transactional_db, shop, alice, german, media) -> None:
    tab = tab_new(alice, shop, TOP)
    work(tab_run(tab, tab.sql))
    tables = ["customers", "country", "main."]
    place = reverse("workbench:tab", args=[tab.pk])
    version = Run.objects.get().versions.get()
    assert english_in(german, place, *tables, *theirs(version.run), tab.title or "x") == []
    for glance in (glance_rows(alice, shop, "stores"), glance_plan(alice, shop, TOP)):
        waiting = reverse("workbench:glance", args=[glance.pk])
        assert english_in(german, waiting, *tables, "SELECT", TOP) == []
        with unwatched():
            assert work_do("glance", glance.pk)
        assert english_in(german, waiting, *tables, TOP, *_steps(german, waiting)) == []
    assert english_in(german, reverse("workbench:peek", args=[shop.pk]) + "?table=stores") == []


def _steps(browser: Client, place: str) -> list[str]:
    """Texts of a plan's steps: the words of `sqlagent`."""
    page = browser.get(place).content.decode()
    found = re.findall(r'class="plan-\d+"><span>(?:<span[^>]*>[^<]*</span>)?([^<]*)</span>', page)
    return [one.strip() for one in found if one.strip()] + re.findall(r'plan-note">([^<]*)<', page)


def test_dashboards_are_german(board, shop, german) -> None:
    place = reverse("dashboards:dashboard", args=[board.pk])
    names = ("customers", "country")
    assert english_in(german, place, *names) == []
    supplied()
    failure = Supply.objects.exclude(failure=None).get().failure
    names = (*names, failure["message"], failure.get("advice") or "-")
    assert english_in(german, place, *names) == []
    pages = [
        ("list", ()),
        ("new", ()),
        ("edit", (board.pk,)),
        ("settings", (board.pk,)),
        ("delete", (board.pk,)),
    ]
    pages += [("card", (card.pk,)) for card in board.cards.exclude(kind="text")]
    pages += [("card_change", (card.pk,)) for card in board.cards.all()]
    for name, args in pages:
        assert english_in(german, reverse(f"dashboards:{name}", args=args), *names) == [], name
    page = german.get(place).content.decode()
    assert "Eine Zahl braucht eine Zeile; dies sind 5 Zeilen." in page


def test_a_dashboards_pdf_is_in_the_language_of_who_asked_for_it(board, alice, german) -> None:
    alice.language = "de"
    alice.save()
    german.get(reverse("dashboards:dashboard", args=[board.pk]))
    supplied()
    german.post(reverse("dashboards:pdf_ask", args=[board.pk]))
    made = PdfExport.objects.get()
    assert english_in(german, reverse("dashboards:pdf", args=[made.pk])) == []
    with unwatched():
        assert work_do("pdf_export", made.pk)
    made.refresh_from_db()
    assert any("keine Zeilen" in note for note in made.notes)
    said = " ".join(
        page.extract_text()
        for page in PdfReader(made.file.path if hasattr(made.file, "path") else _opened(made)).pages
    )
    assert "Stand:" in said and "Data of" not in said


def _opened(made: PdfExport):

    return default_storage.open(made.file, "rb")


def test_an_overview_and_its_reasons_are_german(shop, german, media) -> None:
    place = reverse("dashboards:explore", args=[shop.pk])
    german.get(place)
    supplied()
    page = german.get(place).content.decode()
    titles = re.findall(r'<h2 id="title-[^"]*"[^>]*>([^<]*)', page)
    questions = re.findall(r'name="question" value="([^"]*)"', page)
    shown = sorted({*titles, *questions, "customers"}, key=len, reverse=True)
    left = [text for text in english_in(german, place, *shown) if "Über" not in text]
    assert [text for text in left if "month" not in text] == []
    why = re.search(r'href="([^"]*why/\?part=[^"]*)"', page)
    assert why is not None
    address = why[1].replace("&amp;", "&")
    german.get(address)
    supplied()
    reasons = german.get(address).content.decode()
    assert "Zeitraum" in reasons and "Verglichen mit" in reasons and "Compared with" not in reasons


def test_the_library_is_german(transactional_db, shop, alice, german, media) -> None:
    parameter = {"name": "land", "kind": "text", "default": "Norway", "label": "Land"}
    saved = sql_save(
        alice, shop, "Kunden eines Landes", "SELECT 1 AS n WHERE 'x' = :land", parameters=[parameter]
    )
    other = sql_save(alice, shop, "Kunden", TOP)
    for one in (saved, other):
        for name in ("saved", "edit", "edits", "delete", "share"):
            assert english_in(german, reverse(f"library:{name}", args=[one.pk]), DATES) == [], name
    for found in ("", "?q=nichts"):
        assert english_in(german, reverse("library:list") + found) == []


def test_an_english_page_is_as_it_was(asked, as_alice) -> None:
    page = as_alice.get(reverse("asking:run", args=[asked.pk])).content.decode()
    assert '<html lang="en"' in page
    for words in (
        "Add to dashboard",
        "Ask again",
        "How this was found:",
        "Understood as",
        "Ctrl+Enter runs it",
    ):
        assert words in page, words


def test_a_day_is_written_as_germans_do(asked, german) -> None:
    page = german.get(reverse("asking:run", args=[asked.pk])).content.decode()
    assert re.search(r"\d\d?\. [A-ZÄ][a-zä]+\.? \d{4}, \d\d:\d\d UTC", page)


def test_the_day_of_a_mail_that_asks_is_written_as_germans_do() -> None:
    kept = WAITS.format(to="x@example.com", asked=ASKED.format(day="2026-11-29"))
    assert answer_words(kept) == kept
    with override("de"):
        assert answer_words(kept).endswith("Eine E-Mail mit der Frage wurde am 29. Nov. 2026 eingereiht.")

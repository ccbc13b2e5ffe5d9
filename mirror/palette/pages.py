"""Data of the palette: at most twenty places that fit what was typed, best first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from mirror.asking.selectors import threads_recent
from mirror.palette.selectors import named_visible, words_of
from mirror.phrases import one_line
from mirror.sources.selectors import only_views

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

    from mirror.people.models import User

MOST = 20
# With nothing typed: this many threads behind the pages.
RECENT = 5
# How far a name may lie from what was typed.
SAME, BEGINS, BEGINS_WORDS, HOLDS, ELSEWHERE = range(5)

ADDRESSES = {
    "source": "sources:source",
    "dashboard": "dashboards:dashboard",
    "report": "reports:report",
    "saved SQL": "library:saved",
    "thread": "asking:run",
}
ICONS = {
    "page": "right",
    "action": "play",
    "source": "sources",
    "dashboard": "board",
    "report": "send",
    "saved SQL": "library",
    "thread": "history",
}
KINDS = {
    "page": gettext_lazy("page"),
    "action": gettext_lazy("action"),
    "source": gettext_lazy("source"),
    "dashboard": gettext_lazy("dashboard"),
    "report": gettext_lazy("report"),
    "saved SQL": gettext_lazy("saved SQL"),
    "thread": gettext_lazy("thread"),
}
# Pages for everybody, then those of administrators: name, address, other words for it.
PAGES = (
    (gettext_lazy("Ask"), "asking:ask", "question start home"),
    (gettext_lazy("SQL"), "workbench:start", "editor query write"),
    (gettext_lazy("History"), "asking:history", "threads runs asked before"),
    (gettext_lazy("Library"), "library:list", "saved sql"),
    (gettext_lazy("Dashboards"), "dashboards:list", "boards charts"),
    (gettext_lazy("Reports"), "reports:list", "schedules mails"),
    (gettext_lazy("Sources"), "sources:list", "databases"),
    (gettext_lazy("Connect a database"), "sources:connect", "new source add"),
    (gettext_lazy("Upload a file"), "sources:upload", "csv excel parquet new source"),
    (gettext_lazy("New dashboard"), "dashboards:new", "make board"),
    (gettext_lazy("New report"), "reports:new", "make schedule send"),
    (gettext_lazy("Teams"), "people:teams", "groups members"),
    (gettext_lazy("Your account"), "people:account", "password sessions address"),
    (gettext_lazy("Your tokens"), "api:tokens", "api keys programs"),
    (gettext_lazy("The API"), "api:operations", "operations programs"),
    (gettext_lazy("Keys"), "palette:keys", "keyboard shortcuts help"),
)
PAGES_OF_STAFF = (
    (gettext_lazy("People"), "people:people", "users accounts"),
    (gettext_lazy("Language models"), "llms:list", "llm openai"),
    (gettext_lazy("Use of language models"), "llms:use", "llm budgets money tokens"),
    (gettext_lazy("Sending"), "reports:sending", "mails webhooks allow"),
    (gettext_lazy("Status"), "upkeep:status", "health workers"),
    (gettext_lazy("Audit"), "upkeep:audit", "log acts refusals"),
)
# Of these pages and actions who may ask no source that they see has no use.
OF_ASKING = {"asking:ask", "workbench:start", "new-sql"}
# Places found by a script, by their names. Without scripts they stand on the pages themselves.
ACTIONS = (
    (gettext_lazy("New SQL"), "new-sql", "tab editor write"),
    (gettext_lazy("Theme: light"), "theme-light", "bright colours"),
    (gettext_lazy("Theme: dark"), "theme-dark", "night colours"),
    (gettext_lazy("Theme: as the system"), "theme-system", "colours automatic"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the palette: an address to go to, or an action of the script."""

    kind: str
    name: str
    note: str = ""
    url: str = ""
    action: str = ""

    @property
    def icon(self) -> str:
        """The picture of its kind."""
        return ICONS[self.kind]

    @property
    def kind_said(self) -> StrPromise:
        """Its kind, in words."""
        return KINDS[self.kind]


@dataclass(frozen=True, slots=True)
class PalettePage:
    """The typed values, and the places that fit it."""

    typed: str
    places: list[Place]


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys, and what they do."""

    keys: str
    does: str


@dataclass(frozen=True, slots=True)
class KeysPage:
    """The keys of Mirror by where they work."""

    groups: list[tuple[str, list[Keys]]]


def palette_page(user: User, typed: str) -> PalettePage:
    """Rank pages, things somebody sees and actions by how near their names are to what was typed.

    Ties stand kind by kind, the newest first. The last line asks what was typed as a question, where somebody may ask.
    """
    words = words_of(typed)
    pages = (*PAGES, *PAGES_OF_STAFF) if user.is_staff else PAGES
    hidden = OF_ASKING if only_views(user) else set()
    known = [
        (Place("page", str(name), url=reverse(address)), f"{more} {_english(name)}")
        for name, address, more in pages
        if address not in hidden
    ]
    known += [
        (Place("action", str(name), action=action), f"{more} {_english(name)}")
        for name, action, more in ACTIONS
        if action not in hidden
    ]
    if not words:
        recent = [
            _place("thread", newest, thread.title, thread.source.name)
            for thread, newest, _ in threads_recent(user, RECENT)
        ]
        return PalettePage("", [*recent, *(place for place, _ in known)][:MOST])
    found = [(distance(place.name, words, more), place) for place, more in known]
    for one in named_visible(user, words):
        far = distance(one.name, words, "")
        place = _place(one.kind, one.pk, one.name, one.note)
        found.append((ELSEWHERE if far is None else far, place))
    near = [(far, place) for far, place in found if far is not None]
    ranked = [place for _, place in sorted(near, key=lambda pair: pair[0])]
    return PalettePage(typed, ranked[:MOST] if hidden else [*ranked[: MOST - 1], _to_ask(typed)])


def distance(name: str, words: list[str], more: str) -> int | None:
    """Say how far a name is from typed words: 0 the same, 4 found only in other words for it, None not at all.

    Example:
        >>> [distance("Sales of May", words, "money") for words in (["sales", "of", "may"], ["sal"], ["may", "sal"])]
        [0, 1, 2]
        >>> [distance("Sales of May", words, "money") for words in (["ales"], ["mon"], ["june"])]
        [3, 4, None]
    """
    name, typed = name.casefold(), " ".join(words)
    if name == typed:
        return SAME
    if name.startswith(typed):
        return BEGINS
    begun = re.findall(r"\w+", name)
    if all(any(word.startswith(part) for word in begun) for part in words):
        return BEGINS_WORDS
    if all(part in name for part in words):
        return HOLDS
    known = [*begun, *more.split()]
    return ELSEWHERE if all(any(word.startswith(part) for word in known) for part in words) else None


def keys_page(user: User) -> KeysPage:
    """List the keys of Mirror; without those of asking and of SQL for who may ask no source that they see."""
    groups = _groups()
    if only_views(user):
        groups = [
            (where, [one for one in keys if one.does not in (_("SQL"), _("New SQL"))])
            for where, keys in groups
            if where not in (_("Asking"), _("SQL"))
        ]
    return KeysPage(groups)


def _groups() -> list[tuple[str, list[Keys]]]:
    return [
        (
            _("Everywhere"),
            [
                Keys(
                    _("Ctrl K or ⌘ K"),
                    _("Go to a page, a source, saved SQL, a dashboard, a report or a thread"),
                ),
                Keys("/", _("Search this page")),
                Keys("?", _("This list")),
                Keys(_("g, then a"), _("Ask")),
                Keys(_("g, then s"), _("SQL")),
                Keys(_("g, then n"), _("New SQL")),
                Keys(_("g, then h"), _("History")),
                Keys(_("g, then l"), _("Library")),
                Keys(_("g, then d"), _("Dashboards")),
                Keys(_("g, then r"), _("Reports")),
                Keys(_("g, then o"), _("Sources")),
                Keys(_("Escape"), _("Close what floats over the page")),
            ],
        ),
        (
            _("Asking"),
            [
                Keys(_("Enter"), _("Ask")),
                Keys(_("Shift Enter"), _("A new line")),
                Keys(_("Tab"), _("Take a suggestion")),
            ],
        ),
        (
            _("Dashboards"),
            [
                Keys("f", _("Full screen, and back")),
                Keys(
                    _("Arrows"),
                    _("Walk the points of a chart, or the values of a table that filter other cards"),
                ),
                Keys(_("Enter"), _("Filter the other cards by this point or value")),
            ],
        ),
        (
            _("SQL"),
            [
                Keys(_("Ctrl Enter or ⌘ Enter"), _("Run; of several statements the one at the cursor")),
                Keys(_("Ctrl Shift Enter"), _("Run the selection")),
                Keys(_("Alt Enter"), _("Run up to the cursor")),
                Keys(_("Shift Alt F"), _("Format")),
                Keys(_("Alt N"), _("New SQL, on the SQL page")),
                Keys(_("Escape, then Tab"), _("Leave the editor")),
            ],
        ),
        (
            _("Maps"),
            [
                Keys("+, -", _("Larger, smaller")),
                Keys(_("Shift with arrows"), _("Move what is seen")),
                Keys("0", _("The whole map")),
            ],
        ),
        (
            _("Tables of rows"),
            [
                Keys(_("Arrows"), _("Go from cell to cell")),
                Keys(_("Ctrl A, Ctrl C"), _("Select all that is shown, copy it")),
            ],
        ),
    ]


def _english(name: StrPromise) -> str:
    """Its name in English, by which it is found in every language."""
    with override("en"):
        return str(name).casefold()


def _place(kind: str, pk: int, name: str, note: str) -> Place:
    return Place(kind, one_line(name, 120), one_line(note, 80), reverse(ADDRESSES[kind], args=[pk]))


def _to_ask(typed: str) -> Place:
    return Place(
        "action",
        _("Ask “%(question)s”") % {"question": typed},
        url=f"{reverse('asking:ask')}?{urlencode({'q': typed})}",
    )

"""Data of the palette: at most twenty places that fit what was typed, best first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from mirror.asking.selectors import threads_recent
from mirror.palette.selectors import named_visible, words_of
from mirror.phrases import one_line
from mirror.sources.selectors import only_views

if TYPE_CHECKING:
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
# Pages for everybody, then those of administrators: name, address, other words for it.
PAGES = (
    ("Ask", "asking:ask", "question start home"),
    ("SQL", "workbench:start", "editor query write"),
    ("History", "asking:history", "threads runs asked before"),
    ("Library", "library:list", "saved sql"),
    ("Dashboards", "dashboards:list", "boards charts"),
    ("Reports", "reports:list", "schedules mails"),
    ("Sources", "sources:list", "databases"),
    ("Connect a database", "sources:connect", "new source add"),
    ("Upload a file", "sources:upload", "csv excel parquet new source"),
    ("New dashboard", "dashboards:new", "make board"),
    ("New report", "reports:new", "make schedule send"),
    ("Teams", "people:teams", "groups members"),
    ("Your account", "people:account", "password sessions address"),
    ("Your tokens", "api:tokens", "api keys programs"),
    ("The API", "api:operations", "operations programs"),
    ("Keys", "palette:keys", "keyboard shortcuts help"),
)
PAGES_OF_STAFF = (
    ("People", "people:people", "users accounts"),
    ("Language models", "llms:list", "llm openai"),
    ("Use of language models", "llms:use", "llm budgets money tokens"),
    ("Sending", "reports:sending", "mails webhooks allow"),
    ("Status", "upkeep:status", "health workers"),
    ("Audit", "upkeep:audit", "log acts refusals"),
)
# Of these pages and actions who may ask no source that they see has no use.
OF_ASKING = {"asking:ask", "workbench:start", "new-sql"}
# What a script does: it finds them by their names. Without scripts they stand on the pages themselves.
ACTIONS = (
    ("New SQL", "new-sql", "tab editor write"),
    ("Theme: light", "theme-light", "bright colours"),
    ("Theme: dark", "theme-dark", "night colours"),
    ("Theme: as the system", "theme-system", "colours automatic"),
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
        return ICONS[self.kind]


@dataclass(frozen=True, slots=True)
class PalettePage:
    """What was typed, and the places that fit it."""

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
        (Place("page", name, url=reverse(address)), more)
        for name, address, more in pages
        if address not in hidden
    ]
    known += [
        (Place("action", name, action=action), more) for name, action, more in ACTIONS if action not in hidden
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
            (where, [one for one in keys if one.does not in ("SQL", "New SQL")])
            for where, keys in groups
            if where not in ("Asking", "SQL")
        ]
    return KeysPage(groups)


def _groups() -> list[tuple[str, list[Keys]]]:
    return [
        (
            "Everywhere",
            [
                Keys("Ctrl K or ⌘ K", "Go to a page, a source, saved SQL, a dashboard, a report or a thread"),
                Keys("/", "Search this page"),
                Keys("?", "This list"),
                Keys("g, then s", "SQL"),
                Keys("g, then n", "New SQL"),
                Keys("g, then d", "Dashboards"),
                Keys("Escape", "Close what floats over the page"),
            ],
        ),
        (
            "Asking",
            [Keys("Enter", "Ask"), Keys("Shift Enter", "A new line"), Keys("Tab", "Take a suggestion")],
        ),
        (
            "Dashboards",
            [
                Keys("f", "Full screen, and back"),
                Keys(
                    "Arrows", "Walk the points of a chart, or the values of a table that filter other cards"
                ),
                Keys("Enter", "Filter the other cards by this point or value"),
            ],
        ),
        (
            "SQL",
            [
                Keys("Ctrl Enter or ⌘ Enter", "Run; of several statements the one at the cursor"),
                Keys("Ctrl Shift Enter", "Run the selection"),
                Keys("Alt Enter", "Run up to the cursor"),
                Keys("Shift Alt F", "Format"),
                Keys("Alt N", "New SQL, on the SQL page"),
                Keys("Escape, then Tab", "Leave the editor"),
            ],
        ),
        (
            "Maps",
            [
                Keys("+, -", "Larger, smaller"),
                Keys("Shift with arrows", "Move what is seen"),
                Keys("0", "The whole map"),
            ],
        ),
        (
            "Tables of rows",
            [
                Keys("Arrows", "Go from cell to cell"),
                Keys("Ctrl A, Ctrl C", "Select all that is shown, copy it"),
            ],
        ),
    ]


def _place(kind: str, pk: int, name: str, note: str) -> Place:
    return Place(kind, one_line(name, 120), one_line(note, 80), reverse(ADDRESSES[kind], args=[pk]))


def _to_ask(typed: str) -> Place:
    return Place("action", f"Ask “{typed}”", url=f"{reverse('asking:ask')}?{urlencode({'q': typed})}")

"""Rises and falls between two periods, as people say them: "products that sold less in 2025 than in 2024".

Such a question is worded anew as the change of a figure with an ending that tells which changes are meant
(`endings`): "change in units sold by products from 2024 to 2025, only those that fell".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.language.lexicon import MONTH_PATTERN

_TIME = (
    r"(?:the )?(?:this|last|previous|current) (?:year|quarter|month|week)"
    rf"|(?:q[1-4][ -]?)?(?:19|20)\d\d|{MONTH_PATTERN}(?: (?:19|20)\d\d)?"
)
_BEFORE = r"(?:the )?(?:last|previous|prior) (?:year|quarter|month|week)"
_IN = r"(?:in |during |for )?"
_UP = "grew|grown|increased|rose|gained|improved|went up|gone up"
_DOWN = "declined|dropped|fell|decreased|shrank|lost|worsened|went down|gone down"
_LIST = r"(?:(?:which|what|list|show|show me|name|find)\s+)?(?:the |all )?"
_THING = r"(?P<thing>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?)"

_THAN = re.compile(
    rf"^{_LIST}{_THING}(?: (?P<link>that|who|which|whose|where|with))?(?P<said>(?: [a-z][\w'-]*){{0,3}}?)"
    rf" (?P<way>less|fewer|lower|more|higher)(?P<noun>(?: [a-z][\w'-]*){{0,3}}?)"
    rf"(?: {_IN}(?P<later>{_TIME}) than {_IN}(?P<earlier>{_TIME})| than {_IN}(?P<before>{_BEFORE}))$",
    re.IGNORECASE,
)
"""A figure of each thing held against the same figure of another period: the one before stands for what it comes before."""

_FELL = re.compile(
    rf"^{_LIST}{_THING} (?:whose|where the|where)(?P<noun>(?: [a-z][\w'-]*){{1,3}}?)(?: has| have)? (?P<verb>{_DOWN}|{_UP})"
    rf" (?:compared (?:to|with)|against|versus|vs\.?|over|since|on|from) (?P<before>{_BEFORE})$",
    re.IGNORECASE,
)
"""A figure of each thing that moved since the period before."""

_FROM_TO = (
    rf"(?:from (?P<earlier>{_TIME}) to (?P<later>{_TIME})|between (?P<earlier_2>{_TIME}) and (?P<later_2>{_TIME})"
    rf"|{_IN}(?P<later_3>{_TIME}) (?:vs\.?|versus|compared (?:to|with)) {_IN}(?P<earlier_3>{_TIME}))"
)
_MOST = re.compile(
    rf"^{_LIST}{_THING}(?: that| which| who)?(?: has| have)? (?P<verb>{_DOWN}|gained) (?:the )?most(?:(?: in)?(?P<noun>(?: [a-z][\w'-]*){{1,3}}?))?"
    rf" {_FROM_TO}$",
    re.IGNORECASE,
)
"""The thing that lost or gained most of a figure."""

_WHOSE_FROM_TO = re.compile(
    rf"^{_LIST}{_THING} (?:whose|where the|where)(?P<noun>(?: [a-z][\w'-]*){{1,3}}?)(?: has| have)? (?P<verb>{_DOWN}|{_UP}) {_FROM_TO}$",
    re.IGNORECASE,
)
_WHOSE_IN = re.compile(
    rf"^{_LIST}{_THING} (?:whose|where the|where)(?P<noun>(?: [a-z][\w'-]*){{1,3}}?)(?: has| have)? (?P<verb>{_DOWN}|{_UP}) "
    r"(?:in |during )?(?P<later>(?:19|20)\d\d|this (?:year|quarter|month|week))$",
    re.IGNORECASE,
)
"""A figure of each thing that moved between two periods, or in one from the period before it."""

_DROP = r"(?P<verb>drop|decline|fall|decrease|loss|rise|increase|gain|jump|growth)"
_BIGGEST = r"(?:biggest|largest|greatest|steepest|highest|sharpest|strongest|worst)"
_HAD = re.compile(
    rf"^{_LIST}{_THING}(?: that| which| who)? (?:had|has|have|saw|with|show|showed) the {_BIGGEST} {_DROP} (?:in|of)(?P<noun>(?: [a-z][\w'-]*){{1,3}}?)"
    rf" {_FROM_TO}$",
    re.IGNORECASE,
)
_BY = re.compile(
    rf"^(?:the )?{_BIGGEST} {_DROP} (?:in|of)(?P<noun>(?: [a-z][\w'-]*){{1,3}}?) (?:by|per|of each|for each) {_THING} {_FROM_TO}$",
    re.IGNORECASE,
)

_FALLS = frozenset(
    {"less", "fewer", "lower", "drop", "decline", "fall", "decrease", "loss", *_DOWN.split("|")}
)
_FILLING = frozenset({"was", "were", "is", "are", "be", "been", "went", "had", "has", "have", "did", "do", "made", "make", "came", "placed", "got", "get", "saw", "a", "an", "the", "of", "in", "their", "its", "our", "much", "many", "total", "any"})  # fmt: skip
_FIGURES = {
    "sold": ("units sold", "sales"),
    "sell": ("units sold", "sales"),
    "spent": ("money spent", "revenue"),
    "spend": ("money spent", "revenue"),
    "paid": ("payments", "revenue"),
    "earned": ("revenue",),
    "ordered": ("number of orders",),
    "booked": ("number of bookings",),
    "visited": ("number of visits",),
    "used": ("number of uses",),
    "worked": ("hours worked", "hours"),
}
"""Things counted or added up where only a deed is named, in the order in which they are tried."""


def reworded(text: str) -> Iterator[str]:
    """Give the wordings of a question about what rose or fell, the likeliest first; none of any other question.

    Example:
        >>> list(reworded("stores with fewer orders in 2025 than in 2024"))
        ['change in orders by stores from 2024 to 2025, only those that fell']
        >>> list(reworded("which products lost the most revenue from 2024 to 2025?"))
        ['change in revenue by products from 2024 to 2025, only the 1 that fell most']
        >>> list(reworded("clients whose orders grew in 2025"))
        ['change in orders by clients from 2024 to 2025, only those that rose']
        >>> list(reworded("orders with more than 3 lines in 2025"))
        []
    """
    text = text.strip().rstrip("?.! ")
    if found := _THAN.match(text):
        word = "fell" if found["way"].lower() in _FALLS else "rose"
        thing, figures = found["thing"], list(_figures(found["noun"], found["said"]))
        if not found["link"] and not found["said"].strip() and not figures:
            return
        earlier, later = found["earlier"] or found["before"], found["later"] or _since(found["before"])
        for figure in figures:
            yield f"change in {figure} by {thing} from {_bare(earlier)} to {_bare(later)}, only those that {word}"
        return
    if found := _FELL.match(text):
        word = "fell" if found["verb"].lower() in _FALLS else "rose"
        for figure in _figures(found["noun"], ""):
            yield f"change in {figure} by {found['thing']} from {_bare(found['before'])} to {_since(found['before'])}, only those that {word}"
        return
    if found := _WHOSE_FROM_TO.match(text) or _WHOSE_IN.match(text):
        word = "fell" if found["verb"].lower() in _FALLS else "rose"
        span = (
            _span(found)
            if found.re is _WHOSE_FROM_TO
            else f"from {_earlier(found['later'])} to {found['later']}"
        )
        for figure in _figures(found["noun"], ""):
            yield f"change in {figure} by {found['thing']} {span}, only those that {word}"
        return
    for shape in (_MOST, _HAD, _BY):
        if found := shape.match(text):
            word = "fell" if found["verb"].lower() in _FALLS else "rose"
            span = _span(found)
            figures = list(_figures(found["noun"] or "", ""))
            if not figures and shape is _MOST:
                yield f"which {found['thing']} grew most {span}, only the 1 that {word} most"
            for figure in figures:
                yield f"change in {figure} by {found['thing']} {span}, only the 1 that {word} most"
            return


def _figures(noun: str, said: str) -> Iterator[str]:
    """The figures that a noun names, else the words before the comparison; a deed stands for what it adds up to."""
    named = [word for word in noun.lower().split() if word not in _FILLING]
    named = named or [word for word in said.lower().split() if word not in _FILLING]
    if len(named) == 1 and named[0] in _FIGURES:
        yield from _FIGURES[named[0]]
    elif named:
        yield " ".join(named)


def _span(found: re.Match[str]) -> str:
    """The two periods of `_FROM_TO`, in whichever way they were said."""
    names = [f"{name}{n}" for n in ("", "_2", "_3") for name in ("earlier", "later")]
    earlier, later = (_bare(found[name]) for name in names if found[name])
    return f"from {earlier} to {later}"


def _earlier(later: str) -> str:
    """The period that comes before one: the year before, last month."""
    return str(int(later) - 1) if later.isdecimal() else f"last {later.split()[-1]}"


def _since(before: str) -> str:
    """The period that one comes before: this year, of last year."""
    return f"this {before.split()[-1]}"


def _bare(time: str) -> str:
    return re.sub(r"^the ", "", time.strip(), flags=re.IGNORECASE)

"""Rewrites a follow-up into a question that stands by itself, by rule and without any LLM.

Decides what a follow-up changes about the latest question (number, grouping, time, value, noun,
order, share) and states that question with the change made. It works on words: the catalog
tells which of them are tables, columns or stored values; no database is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from sqlagent.language.words import split_name, stem
from sqlagent.values import Catalog, Column, Kind, Turn

LOOSE_WORDS = 6
"""A follow-up no rule knows is joined to the latest question up to this length, else left alone."""

_NUMBER = (
    r"(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|fifty|hundred)"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:19|20)\d\d"
_MOMENT = (
    rf"(?:{_YEAR}-\d\d(?:-\d\d)?|(?:\d{{1,2}}\s+)?{_MONTH}\s+{_YEAR}|Q[1-4](?:\s+{_YEAR})?|{_YEAR}|{_MONTH})"
)
_SPAN = r"(?:(?:the\s+)?(?:last|this|previous|past|current)\s+(?:\d+\s+)?(?:year|quarter|month|week|day|decade)s?|today|yesterday)"
_WHEN = re.compile(
    rf"\b(?:between\s+{_MOMENT}\s+and\s+{_MOMENT}|from\s+{_MOMENT}\s+(?:to|until|through)\s+{_MOMENT}"
    rf"|(?:(in|for|during|of|since|before|after|until|from|on|throughout)\s+)?(?:the\s+year\s+)?(?:{_MOMENT}|{_SPAN}))\b(?![\w-])",
    re.IGNORECASE,
)
_BARE_MONTH = re.compile(rf"^{_MONTH}$", re.IGNORECASE)
_PLACES_TIME = re.compile(r"(in|for|during|of|since|before|after|until|from|on|throughout)\s+", re.IGNORECASE)

_FILLER = re.compile(
    r"^(?:ok(?:ay)?|so|now|please|then|well|great|thanks|thank you|cool|hmm|actually|can you|could you|would you"
    r"|i want(?: to see)?|i'd like(?: to see)?|give me|let's see|show me|show|make it|make that|do it|do that|try"
    r"|let's|see|change (?:it|that) to|switch to)\b[,\s]*",
    re.IGNORECASE,
)
_JOINER = re.compile(r"^(?:and|but|also|plus|in addition|additionally)\b[,\s]*", re.IGNORECASE)
_ELLIPTIC = re.compile(
    r"^(?:and|but|also|only|just|what about|how about|what if|(?:the )?same|by|per|for|in|on|since|before|after|until"
    r"|during|between|without|excluding|exclude|except|not|with|sort(?:ed)?(?: (?:it|them|this|that|these|those))? by"
    r"|order(?:ed)?(?: (?:it|them|this|that|these|those))? by|rank(?:ed)? by|limit|as|grouped|group(?: (?:it|them|this|that))? by"
    r"|split|break|include|including|add|remove|drop|ignore|filter|restrict|instead|more than|less than|fewer than"
    r"|over|under|above|below|at least|at most|ascending|descending|reverse|change|replace|use|which ones|compare"
    r"|make|daily|weekly|monthly|quarterly|yearly|annually|alphabetically)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:instead|them|they|these|it|the same|ones|of those|those(?! (?:who|that|which|with))|previous one|as before)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:how|what|which|who|whom|whose|where|when|list|show|give|find|count|name|display|is|are|was|were|does|do|did"
    r"|has|have|get|tell|compute|calculate|total|average|number|return|provide|top|bottom|plot|draw)\b",
    re.IGNORECASE,
)
_EDGE = (
    r"in|for|from|since|with|without|where|who|that|which|only|sorted|ordered|during|between|before|after|over|last"
    r"|this|excluding|as|of|when|whose|until|on|at|is|are|was|were|did|does|do|has|have|had|by|per|instead|to"
)
_NOUNS = rf"(?:the\s+)?(?!(?:{_EDGE})\b)[\w'-]+(?:(?:\s+(?:and\s+|by\s+(?=\w+$))?)(?!(?:{_EDGE}|and)\b)[\w'-]+){{0,4}}"
_GROUPING = re.compile(
    rf"(?<!sorted )(?<!ordered )(?<!order )(?<!sort )(?<!ranked )(?<!placed )(?<!made )"
    rf"\b(by|per|for each|for every|in each|in every|of each|grouped by|broken down by)\s+({_NOUNS})",
    re.IGNORECASE,
)
_TOP = re.compile(
    rf"\b(top|bottom|first|last)(?:\s+({_NUMBER}))?\s+((?:[\w'-]+\s+){{1,3}}?)by\b", re.IGNORECASE
)
_WHICH = re.compile(rf"\b(which|what|the)\s+({_NUMBER})\s+([\w'-]+)", re.IGNORECASE)
_WHICH_ONE = re.compile(r"^(which|what)\s+([\w'-]+)\s+(?!(?:is|are|was|were)\s+the\b)", re.IGNORECASE)
_SORTED = re.compile(
    r",?\s*(?:\b(?:and\s+)?(?:sort(?:ed)?|order(?:ed)?)\s+(?:it\s+|them\s+)?by\b[^,]*|\bin (?:ascending|descending|alphabetical) order\b"
    r"|\bsorted alphabetically\b|\b(?:highest|lowest|largest|smallest|newest|oldest) first\b)",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"^as (?:a )?(?:share|percentages?|percent|proportion|fraction)\b(.*)$|^in (?:percent|percentages?|%)$",
    re.I,
)
_OPPOSITES = {
    "top": "bottom", "most": "least", "highest": "lowest", "largest": "smallest", "best": "worst",
    "oldest": "youngest", "newest": "oldest", "longest": "shortest", "more": "fewer", "first": "last", "biggest": "smallest",
}  # fmt: skip
_OPPOSITE = {**_OPPOSITES, **{v: k for k, v in _OPPOSITES.items() if v != "oldest"}}
_FIGURES = {
    "average": "average", "mean": "average", "total": "total", "sum": "total", "median": "median",
    "maximum": "maximum", "minimum": "minimum",
}  # fmt: skip
_PERIODS = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}


def stands_alone(typed: str, catalog: Catalog) -> bool:
    """Tell whether what was typed is a whole question: it asks, names something of the schema, and points at nothing said before.

    Example:
        >>> from sqlagent.values import Table
        >>> shop = Catalog("sqlite", (Table("orders", ()),))
        >>> stands_alone("How many orders are there?", shop), stands_alone("only 2024", shop)
        (True, False)
    """
    text = _JOINER.sub("", _bare(typed))
    if _POINTS_BACK.search(text):
        return False
    names = Names(catalog)
    if _ELLIPTIC.match(text):
        lead, comma, rest = text.partition(",")
        return bool(comma) and len(lead.split()) <= 6 and stands_alone(rest.strip(), catalog)
    text = re.sub(r"^(?:please|can you|could you|now|ok|so|then)\b[,\s]*", "", text, flags=re.IGNORECASE)
    words = re.findall(r"[\w'-]+", text)
    if re.match(
        rf"(?:show me |give me |show )?(?:the )?(?:top|bottom|first|last)\b(?:\s+{_NUMBER})?",
        text,
        re.IGNORECASE,
    ):
        return any(map(names.is_name, words)) and bool(re.search(r"\b(?:by|with|in|of|who|that)\b", text))
    return bool(_ASKS.match(text)) and len(words) > 2 and any(map(names.is_name, words))


def rewrite(typed: str, turn: Turn, catalog: Catalog) -> str:
    """State the latest question with the change that a follow-up makes; the same words always give the same text.

    Parts of a follow-up ("by month instead, only 2024") are taken one after the other. What
    no rule knows is joined to the question when it is short, and stands as typed otherwise.
    """
    change = Change(turn, Names(catalog))
    for part in _parts(_bare(typed)):
        change.apply(part)
    return change.text()


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" ?.!")


def _parts(text: str) -> list[str]:
    cut = re.split(
        r"\s*[;,]\s*(?:and\s+|but\s+)?(?=\S)|\s+but\s+|\s+and\s+(?:then\s+)?(?=(?:only|just|sort|order|sorted)\b)",
        text,
    )
    return [part for part in cut if part]


class Names:
    """The words of a catalog: which are tables, which are columns, which are stored values shown as examples."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.tables = {stem(split_name(t.name)[-1]): t for t in catalog.tables if split_name(t.name)}
        self.columns: dict[str, list[Column]] = {}
        for table in catalog.tables:
            for column in table.columns:
                for word in split_name(column.name):
                    if len(word) > 2:
                        self.columns.setdefault(stem(word), []).append(column)

    def is_table(self, word: str) -> bool:
        """Whether a word names a table, in singular or plural."""
        return stem(word.lower()) in self.tables

    def is_name(self, word: str) -> bool:
        """Whether a word names a table or is in the name of a column."""
        return self.is_table(word) or stem(word.lower()) in self.columns

    def is_figure(self, word: str) -> bool:
        """Whether a word is in the name of a column of numbers."""
        found = self.columns.get(stem(word.lower()), ())
        return any(column.kind in (Kind.INTEGER, Kind.NUMBER) for column in found)

    def holders(self, value: str) -> set[str]:
        """Name the columns that show a value among their examples, letter case ignored."""
        low = value.casefold()
        return {
            f"{table.key}.{column.name}"
            for table in self.catalog.tables
            for column in table.columns
            if any(low == example.casefold() for example in column.examples)
        }


@dataclass
class Change:
    """The latest question on its way to the next one."""

    turn: Turn
    names: Names

    def __post_init__(self) -> None:
        asked = self.turn.question.strip()
        self.mark = "?" if asked.endswith("?") else ""
        self.now = asked.rstrip(" ?.!")

    def text(self) -> str:
        """The question as it stands, with the punctuation of the one before."""
        return re.sub(r"\s+", " ", self.now).replace(" ,", ",").strip(" ,") + self.mark

    def apply(self, part: str) -> None:
        """Make one change; the first rule that knows it does."""
        adds = bool(_JOINER.match(part))
        part = _FILLER.sub("", _FILLER.sub("", _JOINER.sub("", part)))
        replaces = bool(re.search(r"\b(?:instead|rather)\b", part, re.IGNORECASE))
        swap = re.match(
            r"(?:use |with |by )?(.+?) instead of (.+)$|^(?:replace|change) (.+?) (?:with|to|by) (.+)$",
            part,
            re.I,
        )
        if swap:
            new, old = (swap.group(1), swap.group(2)) if swap.group(1) else (swap.group(4), swap.group(3))
            self.substitute(old, new)
            return
        part = re.sub(
            r"[,\s]*\b(?:instead|rather|please|too|as well|though|then)$", "", part, flags=re.I
        ).strip()
        if not part:
            return
        for rule in RULES:
            if rule(self, part, adds and not replaces):
                return
        self.join(part)

    def join(self, part: str) -> None:
        """Put what no rule knows behind the question, or in its place when it is long."""
        if len(part.split()) <= LOOSE_WORDS:
            self.append(f", {part}")
        else:
            self.now, self.mark = part[:1].upper() + part[1:], ""

    def append(self, phrase: str) -> None:
        """Put a phrase at the end, before an order."""
        found = _SORTED.search(self.now)
        at = found.start() if found and found.end() == len(self.now) else len(self.now)
        glue = "" if phrase.startswith(",") else " "
        self.now = f"{self.now[:at]}{glue}{phrase}{self.now[at:]}"

    def put(self, start: int, end: int, words: str) -> None:
        """Replace a stretch of the question."""
        self.now = self.now[:start] + words + self.now[end:]

    def substitute(self, old: str, new: str) -> None:
        """Replace words by words; where the old ones are not there, the new ones are added."""
        old, new = (re.sub(r"^(?:the|a|by)\s+", "", w, flags=re.IGNORECASE).strip() for w in (old, new))
        found = re.search(rf"\b{re.escape(old)}(?:s|es)?\b", self.now, re.IGNORECASE)
        if found:
            plural = found.group(0).lower().endswith("s") and not old.lower().endswith("s")
            self.put(found.start(), found.end(), plural_of(new) if plural else new)
        else:
            self.append(new)

    @cached_property
    def literals(self) -> list[str]:
        """Text literals of the SQL that answered, which the question has in its words."""
        try:
            tokens = sqlglot.tokenize(self.turn.sql)
        except SqlglotError:
            return []
        found = [t.text.strip("%") for t in tokens if t.token_type == TokenType.STRING]
        low = self.turn.question.casefold()
        return [
            text
            for text in found
            if len(text) > 1 and text.casefold() in low and not re.fullmatch(r"[\d-]+", text)
        ]

    def values(self) -> list[re.Match[str]]:
        """Find stored values in the question: the SQL's literals, then capitalised words that name nothing."""
        found: list[re.Match[str]] = []
        for literal in self.literals:
            if match := re.search(rf"\b{re.escape(literal)}\b", self.now, re.IGNORECASE):
                found.append(match)
        if not found:
            for match in re.finditer(
                r"(?<=\s)[A-ZÀ-Þ][\w'.-]*(?:\s+[A-ZÀ-Þ][\w'.-]*)*|[\"'][^\"']+[\"']", self.now
            ):
                if not self.names.is_name(match.group(0)) and not _WHEN.fullmatch(match.group(0)):
                    found.append(match)
        return found


def plural_of(word: str) -> str:
    """Give a noun's plural, for the common cases of English.

    Example:
        >>> plural_of("category"), plural_of("month"), plural_of("customers")
        ('categories', 'months', 'customers')
    """
    low = word.lower()
    if low.endswith("s") and not low.endswith("ss"):
        return word
    if re.search(r"[^aeiou]y$", low):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:ss|sh|ch|x|z)$", low) else "s")


# ---------------------------------------------------------------- the rules, first that knows wins


def more_or_fewer(change: Change, part: str, adds: bool) -> bool:
    """`top 10`, `first 20`, `bottom 3`, `just 10`, `limit to 10`, `top 10 products`."""
    found = re.fullmatch(
        rf"(?:only |just )?(?:the )?(?:limit(?: it| them)?(?: to)? )?(top|bottom|first|last|best|worst)?\s*({_NUMBER})"
        rf"(?:\s+(?:rows|results|of them))?(?:\s+([a-z][\w-]*))?",
        part,
        re.IGNORECASE,
    )
    if not found or re.fullmatch(_YEAR, found.group(2)):
        return False
    side, number, noun = found.groups()
    if noun and not change.names.is_name(noun):
        return False
    low = (side or "top").lower()
    top = re.search(rf"\b(top|bottom|first|last)(\s+{_NUMBER})?\b", change.now, re.IGNORECASE)
    which = _WHICH.search(change.now)
    if top:
        word = top.group(1) if not side or low in ("best", "worst") else side
        change.put(top.start(), top.end(), f"{_cased(word, top.group(1))} {number}")
        if not top.group(2) and not noun:
            change.now = re.sub(
                rf"(\b{word} {number}\s+)([\w'-]+)",
                lambda m: m.group(1) + plural_of(m.group(2)),
                change.now,
                flags=re.I,
            )
    elif which:
        change.put(which.start(2), which.end(2), number)
    elif one := _WHICH_ONE.search(change.now):
        change.put(one.start(2), one.end(2), f"{number} {plural_of(one.group(2))}")
    else:
        change.append(f", {low if low in ('bottom', 'last', 'first') else 'top'} {number} only")
        return True
    if (low in ("bottom", "worst")) and not top:
        opposite(change, "opposite", False)
    if noun and (grouped := _TOP.search(change.now)):
        change.put(grouped.start(3), grouped.end(3), f"{noun} ")
    return True


def opposite(change: Change, part: str, adds: bool) -> bool:
    """`the lowest instead`, `the worst`, `the other way round`, `the opposite`."""
    low = re.sub(r"^(?:the|only|just)\s+", "", part.lower())
    turned = low in ("opposite", "other way round", "other way around", "reverse")
    if not turned and low.removesuffix(" ones") not in _OPPOSITE:
        return False
    for found in re.finditer(r"[A-Za-z]+", change.now):
        word = found.group(0).lower()
        if word in _OPPOSITE and (turned or _OPPOSITE[word] == low.removesuffix(" ones")):
            change.put(found.start(), found.end(), _cased(_OPPOSITE[word], found.group(0)))
            return True
    return False


def grouping(change: Change, part: str, adds: bool) -> bool:
    """`by month`, `per country`, `monthly`, `split by store`, `for each product`; `and by ...` adds one."""
    low = part.lower()
    if low in _PERIODS:
        noun = _PERIODS[low]
    else:
        found = re.fullmatch(
            r"(?:(?:group|grouped|split|break|broken|show|aggregate)(?:\s+(?:it|them|this|that))?(?:\s+(?:down|up|out))?\s+)?"
            r"(?:by|per|for each|for every|in each|of each)\s+(?:the\s+)?([\w' -]+)",
            part,
            re.IGNORECASE,
        )
        if not found or re.search(r"\b(?:ascending|descending)\b", low):
            return False
        noun = found.group(1).strip()
    top, grouped = _TOP.search(change.now), _GROUPING.search(change.now)
    each = re.search(r"\b(each|every)\s+([\w'-]+)", change.now, re.IGNORECASE)
    if top:
        change.put(top.start(3), top.end(3), f"{plural_of(noun) if top.group(2) else noun} ")
    elif grouped and adds:
        change.put(grouped.end(2), grouped.end(2), f" and {noun}")
    elif grouped:
        change.put(grouped.start(2), grouped.end(2), noun)
    elif each:
        change.put(each.start(2), each.end(2), noun)
    elif which := _WHICH.search(change.now):
        change.put(which.start(3), which.end(3), plural_of(noun))
    elif one := _WHICH_ONE.search(change.now):
        plural = one.group(2).lower().endswith("s")
        change.put(one.start(2), one.end(2), plural_of(noun) if plural else noun)
    else:
        change.append(f"by {noun}")
    return True


def ordering(change: Change, part: str, adds: bool) -> bool:
    """`sort by name`, `order them by date descending`, `alphabetically`, `highest first`."""
    found = re.fullmatch(
        r"(?:sort|sorted|order|ordered|rank|ranked)(?:\s+(?:it|them|this|these|those|that|the (?:results?|rows|list)))?\s+"
        r"(?:by\s+(.+)|(alphabetically|ascending|descending|in (?:ascending|descending) order))",
        part,
        re.IGNORECASE,
    )
    if found:
        how = f"sorted by {found.group(1)}" if found.group(1) else f"sorted {found.group(2)}"
    elif re.fullmatch(r"alphabetically|(?:in )?alphabetical(?: order)?|by alphabet", part, re.IGNORECASE):
        how = "sorted alphabetically"
    elif re.fullmatch(r"(?:in )?(?:ascending|descending)(?: order)?", part, re.IGNORECASE):
        how = f"in {'ascending' if 'asc' in part.lower() else 'descending'} order"
    elif re.fullmatch(
        r"(?:the )?(?:highest|lowest|largest|smallest|newest|oldest|latest|earliest) first", part, re.I
    ):
        how = part.lower().removeprefix("the ")
    else:
        return False
    change.now = _SORTED.sub("", change.now)
    change.append(f", {how}")
    return True


def share(change: Change, part: str, adds: bool) -> bool:
    """`as a share`, `as a percentage of the total`, `in percent`."""
    found = _SHARE.match(part)
    if not found:
        return False
    change.append(f"as a percentage {(found.group(1) or '').strip() or 'of the total'}")
    return True


def figure(change: Change, part: str, adds: bool) -> bool:
    """`the average instead`, `median`, `total instead`, `what about the maximum`."""
    found = re.fullmatch(
        rf"(?:what about |how about )?(?:the |as )?({'|'.join(_FIGURES)})(?: value)?", part, re.IGNORECASE
    )
    if not found:
        return False
    new = _FIGURES[found.group(1).lower()]
    if old := re.search(rf"\b(?:{'|'.join(_FIGURES)})\b", change.now, re.IGNORECASE):
        change.put(old.start(), old.end(), _cased(new, old.group(0)))
        return True
    for word in re.finditer(r"[\w'-]+", change.now):
        if change.names.is_figure(word.group(0)):
            change.put(word.start(), word.start(), f"{new} ")
            return True
    change.append(f", the {new}")
    return True


def time(change: Change, part: str, adds: bool) -> bool:
    """`only 2024`, `in March`, `what about last year?`, `the same for 2025`, `since 2023`."""
    body = _lead(part)
    found = _WHEN.fullmatch(body)
    if not found:
        return False
    placed = _PLACES_TIME.match(body)
    new = body[placed.end() :] if placed else body
    old = next((m for m in _WHEN.finditer(change.now) if not _is_number(m, change.now)), None)
    if old is None:
        change.append(
            body if placed or body.lower().startswith("between") else f"in {new}" if _moment(new) else new
        )
        return True
    before = old.group(0)
    if _BARE_MONTH.match(new) and (year := re.search(_YEAR, before)):
        new = f"{new} {year.group(0)}"
    elif re.fullmatch(_YEAR, new) and (month := re.search(rf"\b{_MONTH}\b", before, re.IGNORECASE)):
        new = f"{month.group(0)} {new}"
    if placed and placed.group(1).lower() not in ("for", "in"):
        change.put(old.start(), old.end(), f"{placed.group(1)} {new}")
        return True
    if body.lower().startswith(("between", "from")):
        change.put(old.start(), old.end(), body)
        return True
    had = _PLACES_TIME.match(before)
    keeps = had and had.group(1).lower() in ("in", "for", "during", "of", "on")
    lead = f"{had.group(1)} " if had and keeps and _moment(new) else "in " if _moment(new) and had else ""
    if not had and not before.lower().startswith(("between", "from")):
        lead = ""
    change.put(old.start(), old.end(), f"{lead}{new}")
    return True


def without(change: Change, part: str, adds: bool) -> bool:
    """`excluding Norway`, `without returns`, `except the cancelled ones`, `not France`."""
    found = re.match(
        r"(?:excluding|exclude|except(?: for)?|without|ignore|ignoring|not(?: in| from)?|remove|drop|leave out)\s+(.+)$",
        part,
        re.I,
    )
    if not found:
        return False
    word = "without" if part.lower().startswith("without") else "excluding"
    change.append(f", {word} {found.group(1)}")
    return True


def more_columns(change: Change, part: str, adds: bool) -> bool:
    """`with their emails`, `include the city`, `add the phone number`, `and also show the price`."""
    found = re.match(
        r"(?:include|including|add|with|show|list)\s+(?:also\s+)?(?:the(?:ir)?\s+|its\s+)?([\w' -]+)$",
        part,
        re.IGNORECASE,
    )
    if not found and adds:
        found = re.match(r"(?:the|their|its)\s+([\w' -]+)$", part, re.IGNORECASE)
    words = found.group(1).split() if found else []
    if not found or not words or not any(map(change.names.is_name, words)) or len(words) > 4:
        return False
    if re.search(r"\b(?:more|less|fewer|at|over|under|above|below|than)\b|\d", found.group(1)):
        return False
    change.append(f"with their {found.group(1)}")
    return True


def condition(change: Change, part: str, adds: bool) -> bool:
    """`only those with more than 10 orders`, `over 100`, `where the price is above 5`, `with a price below 10`."""
    body = re.sub(r"^(?:only|just)\s+", "", part, flags=re.IGNORECASE)
    body = re.sub(r"^(?:the )?(?:those|ones|the ones)\s+(?=\w)", "", body, flags=re.IGNORECASE)
    if _WHEN.fullmatch(body) and body != part:
        return time(change, body, adds)
    if not re.match(
        r"(?:with|having|where|whose|who|that|which|more than|less than|fewer than|over|under|above|below|at least|at most)\b",
        body,
        re.I,
    ):
        return False
    if re.match(r"(?:more|less|fewer|over|under|above|below|at)\b", body, re.IGNORECASE):
        old = re.search(
            r"\b(?:more than|less than|fewer than|over|under|above|below|at least|at most)\s+[\d.,]+",
            change.now,
            re.I,
        )
        if old and re.fullmatch(
            r"(?:more than|less than|fewer than|over|under|above|below|at least|at most)\s+[\d.,]+",
            body,
            re.I,
        ):
            change.put(old.start(), old.end(), body)
            return True
    change.append(body)
    return True


def counting(change: Change, part: str, adds: bool) -> bool:
    """`how many?`, `how many of them are there`, `count them`."""
    if not re.fullmatch(
        r"how many(?: of (?:them|those|these))?(?: are there| is that)?|count (?:them|those|these)|the (?:count|number)",
        part,
        re.I,
    ):
        return False
    rest = re.sub(
        r"^(?:list|show|give|find|display|name|what are|which are|who are|which|what|tell)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:(?:names?|ids?|titles?) of\s+)?(?:all\s+)?(?:the\s+)?",
        "",
        change.now,
        flags=re.IGNORECASE,
    )
    change.now, change.mark = f"How many {rest}", "?"
    return True


def noun(change: Change, part: str, adds: bool) -> bool:
    """`what about products?`, `the same for suppliers`, `and the price?`: another table or figure in the old one's place."""
    body = _lead(part)
    words = body.split()
    if not 0 < len(words) <= 3 or not change.names.is_name(words[-1]) or _WHEN.fullmatch(body):
        return False
    if len(words) > 1 and change.names.is_table(words[-1]) and not change.names.is_name(words[0]):
        return False
    table = change.names.is_table(words[-1])
    wanted: Callable[[str], bool] = change.names.is_table if table else change.names.is_figure
    for found in re.finditer(r"[\w'-]+", change.now):
        if wanted(found.group(0)) and stem(found.group(0).lower()) != stem(words[-1].lower()):
            change.put(found.start(), found.end(), body)
            return True
    return False


def value(change: Change, part: str, adds: bool) -> bool:
    """`what about France?`, `only Norway`, `also Italy`, `just the completed ones`: a value for one of the same kind."""
    body = _lead(part)
    body = re.sub(r"\s+(?:ones?|only)$", "", body, flags=re.IGNORECASE)
    placed = re.match(r"(?:in|for|from|of|at|by|to)\s+", body, re.IGNORECASE)
    new = body[placed.end() :] if placed else body
    new = re.sub(r"^the\s+(?=[a-z])", "", new)
    words = new.split()
    if not words or len(words) > 4:
        return False
    tail = words[-1]
    if len(words) > 1 and change.names.is_table(tail):
        words = words[:-1]
        new = " ".join(words)
    old = _same_kind(change, new)
    also = bool(re.match(r"(?:also|plus|add|include)\b", part, re.IGNORECASE)) or (
        adds and not re.search(r"\?|what about|how about", part)
    )
    if old is not None and also and not re.match(r"(?:only|just)\b", part, re.IGNORECASE):
        change.put(old.end(), old.end(), f" or {new}")
        return True
    if old is not None:
        change.put(old.start(), old.end(), new)
        return True
    if new[0].isupper() or new[0] in "\"'" or change.names.holders(new) and placed:
        change.append(f"{placed.group(0).strip() if placed else 'for'} {new}")
        return True
    if len(words) > 2 or placed:
        return False
    for found in re.finditer(r"[\w'-]+", change.now):
        if change.names.is_table(found.group(0)):
            change.put(found.start(), found.start(), f"{new} ")
            return True
    return False


def _same_kind(change: Change, new: str) -> re.Match[str] | None:
    """Find the value a new one takes the place of: in the same column, else written alike."""
    found = change.values()
    holders = change.names.holders(new)
    if holders:
        known = [m for m in found if change.names.holders(m.group(0).strip("\"'"))]
        same = [m for m in found if holders & change.names.holders(m.group(0).strip("\"'"))]
        if same or len(known) == len(found):
            return same[-1] if same else None
    alike = [m for m in found if m.group(0).strip("\"'")[:1].isupper() == new.strip("\"'")[:1].isupper()]
    return alike[-1] if alike else None


def _lead(part: str) -> str:
    """Drop what only announces the change."""
    return re.sub(
        r"^(?:(?:what|how) about|what if it (?:was|were)|the same(?: thing| question)?(?: (?:for|in|but(?: for)?|with))?|same(?: for| in| but)?"
        r"|only|just|also|plus|add|include|use|now|filter(?: (?:to|by|on))?|restrict to|limit to)\s+(?:only\s+|just\s+|for\s+(?=\w+ )|the\s+(?=[\w-]+\s+ones?$))?",
        "",
        part,
        flags=re.IGNORECASE,
    ).strip()


def _moment(text: str) -> bool:
    return bool(re.match(_MOMENT, text, re.IGNORECASE))


def _is_number(found: re.Match[str], text: str) -> bool:
    """Whether what looks like a year is a plain number ("more than 2000"), or "may" a verb."""
    before = text[: found.start()].lower().rstrip()
    if re.search(r"(?:than|least|most|above|below|over|under|top|first)$", before) and found.group(1) is None:
        return True
    return found.group(0) == "may"


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word.lower()


RULES: tuple[Callable[[Change, str, bool], bool], ...] = (
    counting, more_or_fewer, ordering, share, opposite, figure, grouping, time, without, condition, more_columns, noun, value,
)  # fmt: skip

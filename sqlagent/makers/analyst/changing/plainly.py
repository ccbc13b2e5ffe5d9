"""A follow-up in the words that changes know: "just those going to Japan" is "only to Japan", "the three worst" is "worst 3"."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.values import Field
from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.language.words import plural_of, singular, stem
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.removing import is_named_by
from sqlagent.makers.analyst.source import Source

_I = re.IGNORECASE
_LEAD = r"^(?P<lead>(?:(?:and|but|ok|okay|now|so|then|actually|only|just|show(?: me)?|what about|how about|filter (?:to|for)|make (?:it|that)|no)[, ]+)*)"
_ONES = r"(?:(?:the )?(?:ones|those|these|rest) |all |everything )?(?:(?:that|which|who) )?(?:(?:are|is|were|was|have been|has been) )?"
_WORST = r"best|worst|biggest|largest|highest|smallest|lowest|dearest|cheapest|longest|shortest|oldest|newest|latest|top|bottom"
_NUMBERS = "|".join(word for word, number in NUMBER_WORDS.items() if 1 < number <= 20 and word != "twice")

NAMED = 0.1
"""Cost below which a word is the name of something itself."""
_ANYWHERE = re.compile(
    r"\b(?:from|to|into|in|out of) (?:anywhere|any ?place|everywhere|somewhere|any (?:city|town|country|place)) (?:in|within|inside) ",
    _I,
)
_ONLY = re.compile(r"^(?:(?:and|but|now) )*(?:only|just)\b|^(?:actually|sorry|no|i meant?)\b", _I)
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"{_LEAD}{_ONES}(?:going|headed|heading|bound|destined|on (?:the|their) way) (?:to|for|into|towards) (?P<rest>.+)$", _I), r"\g<lead>to \g<rest>"),
    (re.compile(rf"{_LEAD}{_ONES}(?:coming|arriving|originating|departing|starting|leaving|setting off) (?:in |out )?from (?P<rest>.+)$", _I), r"\g<lead>from \g<rest>"),
    (re.compile(r"\b(?P<way>from|to|into|in|out of|of)? ?\b(?:anywhere|any ?place|everywhere|somewhere|any (?:city|town|country|place)) (?:in|within|inside) ", _I), r"\g<way> "),
    (re.compile(r"^(?:and |but )?(?:(?:sort|order|rank)(?:ed)?(?: (?:it|them|those|these))? )?(?:from (?:the )?)?(?:smallest|lowest|low|small|least|fewest) to (?:the )?(?:largest|highest|biggest|high|large|most)$", _I), "smallest first"),
    (re.compile(r"^(?:and |but )?(?:(?:sort|order|rank)(?:ed)?(?: (?:it|them|those|these))? )?(?:from (?:the )?)?(?:largest|highest|biggest|high|large|most) to (?:the )?(?:smallest|lowest|low|small|least|fewest)$", _I), "largest first"),
    (re.compile(r"^(?:and |but |now )?(?:drill(?: down)?(?: in)?(?:to)?|zoom in(?:to| on|to)|focus on|narrow (?:it |that |this )?(?:down )?to|look only at|concentrate on) (?P<rest>.+)$", _I), r"only \g<rest>"),
    (re.compile(r"^(?:(?:and|now|just) )*(?:drop|remove|no|without|lose|undo|clear)(?: (?:the|any))? (?:grouping|groups?|split|breakdown)(?: again| please)?$", _I), "in total"),
    (re.compile(r"^(?P<lead>(?:(?:just|only|by|per|the|and|show) )*)avg\.? (?=\w)", _I), r"\g<lead>average "),
)  # fmt: skip

_FEW = re.compile(
    rf"^(?:(?:and|but|now|show(?: me)?|give me|only|just|keep) )*(?:the )?(?:(?P<count>{_NUMBERS}|\d{{1,2}}) (?P<word>{_WORST})|(?P<first>{_WORST}) (?P<number>{_NUMBERS}))(?: (?:ones|of (?:them|those|these)|only))*$",
    _I,
)
_SHARES = re.compile(
    r"^(?:(?:and|now|show(?: me)?|give me|with|in|as|what is|what are|the|their|each) )*(?:shares|percentages)(?: (?:of (?:the )?(?:total|whole|each)|please|instead|each))*$",
    _I,
)
_TALLY = re.compile(
    r"^(?P<lead>(?:(?:and|also|plus|add|with|show|include|the) )*)(?P<noun>[a-z]+) counts?(?P<rest>(?: (?:too|as well|also|instead|alongside))*)$",
    _I,
)
_WITH_NUMBER = re.compile(
    r"^(?:(?:and|but|now) )*(?:only|just)(?: (?:for|the|those|ones|ones?))*(?: (?:with|having|that have|of))? (?P<number>\d{1,4}) (?P<noun>[a-z]+)(?: only)?$"
    r"|^(?:(?:those|the ones|ones) )?(?:with|having) (?P<figure>\d{1,4}) (?P<named>[a-z]+)(?: only)?$|^(?P<before>\d{1,4}) (?P<after>[a-z]+) only$",
    _I,
)
_PLURAL = re.compile(
    r"^(?P<lead>(?:(?:and|but|now|only|just|what about|how about|without|no|not|exclude|excluding|for|the) )+)(?P<nouns>[a-z]+s(?:(?:, | and | or )[a-z]+s)*)(?P<rest>(?: only)?)$",
    _I,
)
_ROWS = re.compile(
    r"^(?:(?:and|now|please) )*(?:(?:show|list|give|name)(?: me| us)? (?:all )?the (?P<shown>[a-z]+(?: [a-z]+)?)(?: (?:behind (?:it|that|this|them)|themselves))?"
    r"|which (?P<these>[a-z]+(?: [a-z]+)?) (?:are|were|is|was) (?:those|these|they|that|it)"
    r"|(?:show|list|give|see)(?: me| us)? (?:the |all )*(?:single |individual |underlying |raw )?(?P<rows>rows|records|details|entries|lines)(?: behind (?:it|that|this|them))?)$",
    _I,
)
_WHICH_ARE_SO = re.compile(
    r"^(?:and )?which (?:ones )?(?P<rest>(?:are|were|is|was) (?!the\b|our\b|my\b|those\b|these\b|they\b)[a-z].*)$",
    re.IGNORECASE,
)
_ARE_SO = re.compile(
    r"^(?:and |so |but )*how many (?P<rest>(?:are|were|is|was|have|had) (?!there\b|that\b|they\b|those\b|these\b|it\b|we\b|you\b|this\b|them\b).+)$",
    _I,
)
_TWO_YEARS = re.compile(
    r"^(?:(?:and|now|only|just|in|for|both) )*(?P<one>(?:19|20)\d\d) (?:vs\.?|versus|against|compared (?:to|with)|(?P<both>and)) (?P<two>(?:19|20)\d\d)$",
    _I,
)
_BOUND = re.compile(
    r"^(?:(?:and|but|now|only|just|show(?: me)?|what about|those|these|the ones|ones|that are|which are|is|are|costing|priced|everything|anything|it) )*"
    r"(?P<bound>under|below|over|above|less than|more than|not more than|no more than|at least|at most|up to|cheaper than|from) "
    r"(?:(?:€|\$|£|eur|usd) ?)?(?P<number>\d[\d,]*(?:\.\d+)?k?)(?: ?(?:€|\$|£|eur|euros?|usd|dollars?|pounds))?(?: (?:only|please|each|a piece))*$",
    _I,
)
_BOUNDS = {"cheaper than": "under", "from": "at least", "not more than": "at most", "no more than": "at most"}
_CHEAPEST = re.compile(
    r"^(?:(?:and|but|now|with|the) )*(?:(?P<dear>dearest|priciest|costliest|most expensive)|cheapest|least expensive)(?: ones)? (?:first|on top)$",
    _I,
)


def plainly(typed: str, asked: Asked, source: Source) -> str:
    """Give a follow-up in plainer words; as it was typed where it needs none."""
    mark = "?" if typed.rstrip().endswith("?") else ""
    text = " ".join(typed.split()).strip(" ?.!,").replace("’", "'")
    plain = text
    if _ANYWHERE.search(text) and not _ONLY.match(text):
        plain = f"actually {plain}"
    for found, written in _REWRITTEN:
        plain = " ".join(found.sub(written, plain).split())
    for way in (
        _few,
        _rows,
        _are_so,
        _two_years,
        _shares,
        _tally,
        _some_value,
        _with_number,
        _bounded,
        _by_price,
    ):
        plain = way(plain, asked, source) or plain
    return f"{plain}{mark}" if plain != text else typed


def _few(text: str, asked: Asked, source: Source) -> str:
    """ "Just the three worst" as "worst 3"."""
    found = _FEW.match(text)
    if found is None:
        return ""
    count = (found["count"] or found["number"]).lower()
    if not asked.frame.measures:
        word = (found["word"] or found["first"]).lower()
        return "" if count.isdigit() else f"only the {NUMBER_WORDS[count]} {word}"
    return f"{(found['word'] or found['first']).lower()} {NUMBER_WORDS.get(count, count)}"


def _rows(text: str, asked: Asked, source: Source) -> str:
    """ "Show the hires" and "show me the rows behind it" as "show them", where hires are what was counted."""
    found = _ROWS.match(text)
    if found is None or not asked.frame.measures:
        return ""
    noun = found["shown"] or found["these"]
    named = (
        {one.table for one in source.vocabulary.targets(noun.lower().split()) if one.kind == "thing"}
        if noun
        else set()
    )
    return "show them" if found["rows"] or asked.frame.anchor in named else ""


def _are_so(text: str, asked: Asked, source: Source) -> str:
    """ "How many are still open" as "how many of them are still open", "which are sold" as "which of them are sold"."""
    if which := _WHICH_ARE_SO.match(text):
        return f"which of them {which['rest']}"
    found = _ARE_SO.match(text)
    return f"how many of them {found['rest']}" if found else ""


def _two_years(text: str, asked: Asked, source: Source) -> str:
    """ "2025 vs 2024" after one of the two as a comparison with the other, "in 2024 and 2025" as the other too."""
    found = _TWO_YEARS.match(text)
    asked_for = {
        str(one.period.first.year)
        for one in asked.frame.where
        if one.op == "period"
        and one.period is not None
        and one.period.first is not None
        and one.period.first.year + 1 == (one.period.until or one.period.first).year
    }
    if found is None or len(asked_for) != 1:
        return ""
    others = {found["one"], found["two"]} - asked_for
    if len(others) != 1:
        return ""
    return f"{others.pop()} too" if found["both"] else f"vs {others.pop()}"


def _shares(text: str, asked: Asked, source: Source) -> str:
    """ "Show shares", where the source has none of its own."""
    known = source.vocabulary.targets(["shares"]) or source.vocabulary.targets(["share"])
    return "as a share of the total" if asked.frame.by and not known and _SHARES.match(text) else ""


def _tally(text: str, asked: Asked, source: Source) -> str:
    """ "Add the order count" as "add the number of orders", where orders are a thing and their count is no column."""
    found = _TALLY.match(text)
    if found is None:
        return ""
    noun = plural_of(found["noun"].lower())
    is_thing = any(one.kind == "thing" for one in source.vocabulary.targets([noun]))
    named = source.vocabulary.targets([found["noun"].lower(), "count"])
    is_field = any(one.kind == "field" and one.cost == 0 for one in named)
    return f"{found['lead']}number of {noun}{found['rest']}" if is_thing and not is_field else ""


def _some_value(text: str, asked: Asked, source: Source) -> str:
    """ "Only vans" as "only van", where that is stored and the plural names nothing."""
    found = _PLURAL.match(text)
    if found is None:
        return ""
    nouns = re.split(r"(, | and | or )", found["nouns"].lower())
    for noun in nouns[::2]:
        named = source.vocabulary.targets([noun])
        if any(target.kind in ("value", "thing") or target.cost < NAMED for target in named):
            return ""
        if not any(target.kind == "value" for target in source.vocabulary.targets([singular(noun)])):
            return ""
    nouns[::2] = map(singular, nouns[::2])
    return f"{found['lead']}{''.join(nouns)}{found['rest']}"


def _with_number(text: str, asked: Asked, source: Source) -> str:
    """ "Only 2 beds" as "with 2 bedrooms": a number of what one column tells, and no first few of a thing."""
    found = _WITH_NUMBER.match(text)
    if found is None:
        return ""
    number = found["number"] or found["figure"] or found["before"]
    noun = (found["noun"] or found["named"] or found["after"]).lower()
    if any(one.kind == "thing" for one in source.vocabulary.targets([noun])):
        groups = [one.text for one in asked.stretches if one.kind == "by"]
        return f"top {number}" if found["noun"] and any(is_named_by(one, noun) for one in groups) else ""
    fields = _counting(noun, asked, source)
    return f"with {number} {fields[0].said}" if len({one.said for one in fields}) == 1 else ""


def _counting(noun: str, asked: Asked, source: Source) -> list[Field]:
    """The columns of numbers that a noun names, or that begin with it: seats, and bedrooms for beds; of what is gone through first."""
    exact, begun = stem(noun), singular(noun)

    def names(field: Field, is_whole: bool) -> bool:
        words = [word.lower() for word in field.words]
        if is_whole:
            return any(stem(word) == exact for word in words)
        return len(begun) > 2 and any(word.startswith(begun) for word in words)

    near = [asked.frame.anchor, *_reached(asked)]
    every = [near, [name for name in source.model.things if name not in near]]
    for is_whole in (True, False):
        for tables in every:
            found = [
                field
                for table in tables
                for field in source.model.fields.get(table, ())
                if field.is_number and field.role not in (Role.KEY, Role.TIME) and names(field, is_whole)
            ]
            if found:
                return found
    return []


def _reached(asked: Asked) -> list[str]:
    """The tables that a frame reads besides the one it goes through."""
    frame = asked.frame
    slots = [slot for one in (*frame.by, *frame.per) for slot in one.shown] + list(frame.columns)
    slots += [slot for one in frame.where for slot in one.slots]
    return list(dict.fromkeys(slot.field.table for slot in slots if slot.field.table != frame.anchor))


def _bounded(text: str, asked: Asked, source: Source) -> str:
    """ "Under 900 only" of a list as a bound on its one figure: the only number that is shown, else the only money."""
    found = _BOUND.match(text)
    if found is None or asked.frame.measures:
        return ""
    numbers, money = _numbers(asked)
    chosen = numbers if len(numbers) == 1 else money
    bound = _BOUNDS.get(found["bound"].lower(), found["bound"].lower())
    return f"with {chosen[0].said} {bound} {found['number'].replace(',', '')}" if len(chosen) == 1 else ""


def _by_price(text: str, asked: Asked, source: Source) -> str:
    """ "Cheapest first" of a list by its one amount of money."""
    found = _CHEAPEST.match(text)
    if found is None or asked.frame.measures:
        return ""
    money = _numbers(asked)[1]
    way = "descending" if found["dear"] else "ascending"
    return f"sorted by {money[0].said} {way}" if len(money) == 1 else ""


def _numbers(asked: Asked) -> tuple[list[Field], list[Field]]:
    """The columns of numbers that a list shows, and those of money among them."""
    numbers = [
        slot.field
        for slot in asked.frame.columns
        if slot.field.is_number and slot.field.role not in (Role.KEY, Role.TIME)
    ]
    return numbers, [field for field in numbers if field.unit == "money"]

"""Phrases that say the same in every business, in the one wording that is read: "no fewer than 4" is "at least 4".

The table knows no source. Questions that are put otherwise as a whole are worded anew in `other_wordings`.
"""

from __future__ import annotations

import re

from sqlagent.language.lexicon import MONTH_PATTERN, NUMBER_WORDS
from sqlagent.language.words import plural_of

_COUNT = r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?)"
_UNITS = {
    "sec": "seconds", "second": "seconds", "min": "minutes", "minute": "minutes", "hr": "hours", "hour": "hours", "day": "days", "week": "weeks", "month": "months",
}  # fmt: skip
_LASTS = re.compile(
    r"\b(?:times?|durations?|lengths?|takes?|took|last|lasts|lasted|long|between|until|wait|waits|waiting)\b",
    re.IGNORECASE,
)
"""Words of a length of time: behind them "(min)" is no minimum."""

_IN_UNIT = re.compile(rf"\s*[(\[](?:in )?({_UNIT})[)\]]", re.IGNORECASE)
_DAYS_PASS = re.compile(
    rf"^how many ({_UNIT}) (?:(?:does|do|did) it take |(?:pass|passed|go by|went by|are there|were there|lie|elapse|elapsed|is it|was it) )?(?:on average|on avg|typically|usually),? (?:(?:does|do|did) it take |(?:pass|passed|go by|went by|are there|were there|lie|elapse|elapsed) )?(between|from) (.+)$",
    re.IGNORECASE,
)
_DAYS_TAKEN = re.compile(
    rf"^how many ({_UNIT}) (?:on average )?(?:does|do|did) (?!it\b)(?:an? |the |our )?([a-z][\w-]*(?: [a-z][\w-]*)?) (?:take|last|need)(?: us)?,? (?:on average|on avg|typically|usually)\b(.*)$",
    re.IGNORECASE,
)
_UNTIL_DONE = re.compile(
    rf"^how (?:long|many (?P<unit>{_UNIT})) (?:on average )?(?:does|do|did) it (?:usually |typically )?take(?: us)?(?: on average| on avg)?,?(?: in (?P<in>{_UNIT}),?)?(?: on average,?)? for (?:an? |the |our )?(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) to (?:be|get) (?P<end>[a-z]+(?:ed|id|nt|ne|en))(?: on average)? (?:after|from when|from the time|once|since) (?:(?:it|they) )?(?:(?:has been|have been|had been|being|is|was|were|are) )?(?P<start>[a-z]+(?:ed|id|nt|ne|en))(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_UNTIL_GOT = re.compile(
    rf"^how (?:long|many (?P<unit>{_UNIT})) (?:on average )?(?:does|do|did) it (?:usually |typically )?take(?: us)?(?: on average)?(?P<when> (?:in|during) \d{{4}}| (?:this|last) (?:year|month|quarter))? to (?:get|have) (?:an? |the |our )?(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?P<end>[a-z]+(?:ed|id|nt|ne|en)) (?:after|from when|once|since) (?:(?:it|they) )?(?:(?:has been|have been|being|is|was|were|are) )?(?P<start>[a-z]+(?:ed|id|nt|ne|en)),?(?P<rest>\b.*| .*)?$",
    re.IGNORECASE,
)
_FIRST_MONTHS = re.compile(
    rf"\b(?:in |for |over |during )?(?:the )?first ({_COUNT}) months(?P<of>,? (?:of |in )?(?=(?:19|20)\d\d\b|(?:this|last) year\b))",
    re.IGNORECASE,
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FIRST_FEW = re.compile(
    rf",? (?:(?:and )?(?:show |list |give me )?(?:only )?(?:the )?)(?:first|top|highest|best|largest|biggest|greatest) ({_COUNT})(?: only)?(?=\s*(?:,|[?.!]*$))",
    re.IGNORECASE,
)
_MOST_AT_START = re.compile(
    r"^(?P<head>[^:,]+: )?(?P<most>(?:most (?:frequent|common|popular|used|booked|ordered|expensive|valuable)|best[- ]selling|commonest|cheapest|largest|biggest|oldest|newest|latest|busiest|heaviest|longest) .*?)$",
    re.IGNORECASE,
)

_LATE_RATE = re.compile(
    r"\b(late|overdue|unpaid|early) (?!fee|charge|interest|penalty|tax|repayment)([a-z]{3,}) rates?\b",
    re.IGNORECASE,
)
"""A rate of what is late is the share of it: a late fee rate is none."""

_PERIOD = rf"(?:(?:{MONTH_PATTERN})(?: \d{{4}})?|q[1-4] \d{{4}}|\d{{4}})"
_SAME = tuple(
    (re.compile(found, re.IGNORECASE), written)
    for found, written in (
        (r"\b(?:the )?(?:highest|largest|greatest|biggest) (?:number|count|no\.?) of\b", "the most"),
        (r"\b(?:the )?(?:lowest|smallest) (?:number|count|no\.?) of\b", "the fewest"),
        (r"\b(?:highest|largest|biggest) (?:count|number|total|figure) first\b", "most first"),
        (r"\b(?:that are |which are )?past (?:their|the|its) due dates?,? and (?:(?:are|is) )?(?:still )?(?:unpaid|open|outstanding|not (?:yet )?paid)\b", "that are overdue"),
        (r"\b(?:still )?(?:unpaid|open|outstanding) and past (?:their|the|its) due dates?\b", "overdue"),
        (r"\s*[(\[](?:e\.?g\.?,? [^()\[\]]*|[^()\[\]]*,\s*(?:\.+|…|etc\.?)\s*)[)\]]", ""),
        (r"\bjab(s?)\b", r"vaccination\1"),
        (r"\b(?:(?:that|which|who) )?(?:came|come|came in|arrived|got here|(?:were |was )?received|(?:were |was )?paid) (?:after|later than|past) (?:the|their|its) (?:due|promised|agreed|planned) (?:date|time|day)\b", "that were late"),
        (r"\b(before|by|until|after|since) (?:xmas|christmas)(?: day)?,? ((?:19|20)\d\d)\b", r"\1 25 december \2"),
        (r"\b(before|by|until) (?:xmas|christmas)(?: day)?\b", r"\1 25 december"),
        (r"\bxmas\b", "christmas"),
        (rf"\b(\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{MONTH_PATTERN})|(?:{MONTH_PATTERN}) \d{{1,2}}(?:st|nd|rd|th)?),? (?:of )?this year\b", r"\1"),
        (r"\bthe (?:date|day) (?:on which |when )?(?:they|it) (end|start|expire|begin|finish)s?\b", r"\1 date"),
        (r"\b(?:ways? of paying|how (?:they|customers|clients|people) pay)\b", "payment method"),
        (r"\bamong (?:those|the ones) rated (?=at least|more than|exactly|\d)", "rated "),
        (r"\bcanine (patient|pet|animal)(s?)\b", r"dog\2"),
        (r"\bfeline (patient|pet|animal)(s?)\b", r"cat\2"),
        (r"\bequine (patient|pet|animal)(s?)\b", r"horse\2"),
        (r"\b(average|mean|avg|typical|median|total) length of (?=.*\bin (?:seconds|minutes|hours|days|weeks)\b)", r"\1 duration of "),
        (r"(?<!\d )(?<!\d)\bmin(?:\.|imum)?(?: of)? (\d[\d.,]*)(?= [a-z])", r"at least \1"),
        (r"(?<!\d )(?<!\d)\bmax(?:\.|imum)?(?: of)? (\d[\d.,]*)(?= [a-z])", r"at most \1"),
        (r"\b(?:no|not) fewer than\b", "at least"),
        (rf"\b({_COUNT}) times (?:or more|or over|and more|at least)\b", r"at least \1 times"),
        (rf"\b(?:from )?({_PERIOD}) (?:to|until|till|up to|through|-|–) (?:now|today|date|the present)\b", r"since \1"),
        (rf"\b({MONTH_PATTERN}) through ({MONTH_PATTERN})\b", r"\1 to \2"),
        (r"\b(?:leaving|leave|taking|keeping) ((?!out\b)[a-z][\w-]*(?: [a-z][\w-]*){0,2}) out\b", r"excluding \1"),
        (r"\b(?:broken|split|divided|separated) (?:out |up |down )?(?:by|per|according to)\b", "by"),
        (r"\b(?:includ(?:ing|es?)|inclusive of|with|plus) (?:the )?(vat|tax|gst)\b", r"incl. \1"),
        (r"\b(vat|tax|gst) (?:included|inclusive)\b", r"incl. \1"),
        (r"\bsums? of (?:all )?(?:of )?(?:our |the )?(?=[a-z])", "total of "),
        (r"\bamts?\b(?= of\b)", "amount"),
        (r"\b(?:with|from|by) us at all\b|\bat all (?:with|from|by) us\b", ""),
        (r"\b((?:with|have|has|had) (?:no|never had an?|never) [a-z][\w-]*) (?:with|from|by) us\b", r"\1"),
        (r"\b((?:has|have|had)(?: not|n['’]?t)|never|not) ([a-z]+(?:ed|ought|old|ent|aid))(?: with us)? (?:even|not even) once\b", r"\1 ever \2"),
        (r"\bavg\.? no\.? of\b|\bmean no\.? of\b", "average number of"),
        (r"(?<=[a-z]) ?> ?(?=\d)", " more than "),
    )
)  # fmt: skip
"""Turns of phrase and the one of the same meaning that the grammar of operators has."""


_HIGH = "highest|largest|biggest|most|best|lowest|smallest|fewest|least|worst|slowest|fastest|quickest|longest|shortest|newest|latest|oldest|earliest"
_LONG = "days|hours|minutes|weeks|months"
"""Units of a length of time, written out."""

_DEED = r"(?:(?:an? |the |our |its |their |it |they )?(?:[a-z]+ )??(?:being |is |are |was |were |gets? |got ))?(?:the )?"
"""Words before a deed that say nothing beside it: "a job being" ordered, "it was" paid."""

_NOT_DONE = "(?<!ed )(?<!paid )(?<!sent )(?<!made )(?<!done )"
"""Words before a due date by which it is said of a deed: paid past their due date is late, and not overdue."""

_DONE = "[a-z]{3,}ed|paid|sent|made|done|brought back|handed in"
_ON_TIME = "on time|in time|punctually|on schedule|within the deadline|(?:by|before) the (?:deadline|(?:due|promised|agreed) date)"
_NOW = "(?:already |now |long )?"
_AMOUNT = "(?:amount|value|sum|worth|total)"
_THEY = "(?:they|it|that|these|those)"

_PLAIN = tuple(
    (re.compile(found, re.IGNORECASE), written)
    for found, written in (
        (r" ?(?:>=|≥|=>) ?(?=[$€£]?\d)", " at least "),
        (r" ?(?:<=|≤|=<) ?(?=[$€£]?\d)", " at most "),
        (rf",? (?:(?:and|but) )?(?:whose|where the|where their|of which the|for which the|with a|with their|the) due date (?:is |has |lies )?{_NOW}(?:passed|gone|gone by|expired|in the past|behind us|over)\b", " past due"),
        (rf"{_NOT_DONE}\b(?:(?:that|which) )?(?:(?:are|is) )?{_NOW}(?:past|beyond) (?:(?:their|its|the) )?due dates?\b", "past due"),
        (rf"\b(?:(?:that|which) (?:are|is) ){_NOW}(?:past|beyond) (?:(?:their|its|the) )?due dates?\b", "past due"),
        (rf"\b(?:(?:(?:that|which|who) )?(?:was|were|is|are|has|have|had|did)(?:n['’]?t| not)|not)(?: been)? ({_DONE}) (?:{_ON_TIME})\b", r"\1 late"),
        (rf"\s*[.;,?]? (?:please )?(?:and )?(?:start|begin)(?:ing)? with the ({_HIGH})(?: one| ones)?[.!?\s]*$", r", \1 first"),
        (rf"\s*[.;,?] (?:please )?(?:put|list|show|have) the ({_HIGH})(?: [a-z]+){{0,2}} (?:at the top|on top|first)[.!?\s]*$", r", \1 first"),
        (r", (slow|high|low|large|big|long|old|new)(?:er)? ones first$", r", \1est first"),
        (r"\bbigest first$", "biggest first"),
        (rf"\b((?:time|times|duration|length|delay|wait|turnaround)),? ?\((?:in )?({_LONG})\)", r"\1 in \2"),
        (r"\b(time|times|duration|length|delay|wait|turnaround),? ?\((?:in )?mins?\)", r"\1 in minutes"),
        (r"\b(time|times|duration|length|delay|wait|turnaround),? ?\((?:in )?(?:h|hrs?)\)", r"\1 in hours"),
        (rf"\btime in ({_LONG}) (?=(?:from|between|until)\b)", r"\1 "),
        (rf"\b(?:how many|(?:the )?(?:number|no\.?|nr\.?) of) ({_LONG}) (?:usually |typically |on average )?(?:pass|passes|passed|go by|elapse|lie|there are|are there|it takes|it took|does it take|did it take|do we need|are needed)(?: on average)? (?:between|from) {_DEED}([a-z]+)(?: date| day)? (?:and|to|until|till) {_DEED}([a-z]+)", r"\1 from \2 to \3"),
        (r"^on average,? (days|hours|minutes|weeks|months) ", r"average \1 "),
        (r"^((?!.*\b(?:average|avg|mean|median)\b.*\b(?:average|avg|mean|median)\b).+?),? ?[,(] ?(average|avg|mean|median)\)?,? (?=(?:per|by|for each|for every|of each)\b)", r"\2 \1 "),
        (rf"^how many (?:of )?(?:our |the )?(.+?),? and (?:what (?:was|were|is|are) {_THEY} worth|what (?:was|were|is|are) (?:their|the|its) (?:total |combined |overall )?{_AMOUNT}|how much (?:was|were|is|are) {_THEY}(?: worth)?|what (?:did|do|does) {_THEY} (?:add up|come|amount) to)(?: in total| altogether)?\s*\??$", r"number and total amount of \1"),
        (r"^how many (.+?),? (this (?:year|quarter|month|week)|in \d{4}),? (?:and|compared (?:to|with)) how many (?:was it|were it|were there|were they|did we have|was that|had we)? ?(?:in )?(last (?:year|quarter|month|week)|\d{4})\s*\??$", r"how many \1 \2 vs \3"),
        (r"^(?:who|which) of (?:our |the )?((?:current |present |active )?[a-z]+?)s? has (?:been|worked) (?:with us|here|for us|with the company) (?:for )?(?:the )?longest\s*\??$", r"longest serving \1"),
        (r"^(?:who|which) of (?:our |the )?((?:current |present |active )?[a-z]+) have (?:been|worked) (?:with us|here|for us|with the company) (?:for )?(?:the )?longest\s*\??$", r"longest serving \1"),
        (r"^(?:the |our |which |show the )?((?!how\b|what\b)[a-z]+(?: [a-z]+){0,3}) (?:with|w/|has|have) (?:the )?longest (?:service|tenure|seniority|time with us|time here)\s*\??$", r"longest serving \1"),
        (r"\bstill employed(?! (?:by|in|at|as|with)\b)", "still with us"),
        (r"^no ([a-z]+(?: [a-z]+){0,2}?) ?[-–:,] ?(?:list of )?(?:the |our )?([a-z]+?)s?(?: list)?$", r"\2s with no \1"),
        (r",? depending on (?:the |their )?(?=[a-z])", " by "),
    )
)  # fmt: skip
"""Phrases that are put last, over what the others gave, in this order."""


def equal_phrases(text: str) -> str:
    """The question in the wordings that are read; a text that has them stays as it is.

    Example:
        >>> equal_phrases("halls with no fewer than 3 repairs, split by town")
        'halls with at least 3 repairs, by town'
        >>> equal_phrases("How many minutes does a repair take on average for each hall?")
        'average duration of repair in minutes for each hall'
        >>> equal_phrases("mean repair time (min) from March 2025 to date")
        'mean repair time in minutes since March 2025'
        >>> equal_phrases("open bills whose due date has passed, >= 50 euro")
        'open bills past due, at least 50 euro'
        >>> equal_phrases("On average, how many days pass between a job being ordered and it being finished?")
        'average days from ordered to finished?'
    """
    text = _first_few(_lengths(_same(text)))
    for found, written in _PLAIN:
        text = found.sub(written, text)
    return text.strip()


def _same(text: str) -> str:
    """Turns of phrase in their one wording."""
    if _LASTS.search(text):
        text = _IN_UNIT.sub(lambda found: f" in {_unit(found[1])}", text)
    for phrase, written in _SAME:
        text = phrase.sub(written, text)
    text = _LATE_RATE.sub(lambda found: f"share of {found[1]} {plural_of(found[2])}", text)
    return _FIRST_MONTHS.sub(lambda found: _up_to(found[1]), text)


def _lengths(text: str) -> str:
    """How long something takes, asked in a sentence of its own, as an average length of time."""
    body = text.strip().rstrip("?.! ")
    if found := _DAYS_PASS.match(body):
        return f"average {_unit(found[1])} {found[2].lower()} {found[3]}"
    if found := _UNTIL_DONE.match(body):
        unit = _unit(found["unit"] or found["in"] or "days")
        return f"average {unit} from {found['start']} to {found['end']} for {plural_of(found['what'])}{found['rest']}"
    if found := _UNTIL_GOT.match(body):
        ends = f"average {_unit(found['unit'] or 'days')} from {found['start']} to {found['end']}"
        return f"{ends} for {plural_of(found['what'])}{found['rest'] or ''}{found['when'] or ''}"
    if found := _DAYS_TAKEN.match(body):
        return f"average duration of {found[2]} in {_unit(found[1])}{found[3]}"
    return text


def _unit(said: str) -> str:
    said = said.lower()
    return _UNITS.get(said.rstrip("s"), said)


def _up_to(count: str) -> str:
    """The first months of a year by their names."""
    months = int(NUMBER_WORDS.get(count.lower(), count))
    return f"{_MONTHS[0]} to {_MONTHS[min(months, 12) - 1]} "


def _first_few(text: str) -> str:
    """ "Most frequent faults, first four" as the 4 most frequent faults."""
    few = _FIRST_FEW.search(text)
    if few is None:
        return text
    count = NUMBER_WORDS.get(few[1].lower(), few[1])
    bare = f"{text[: few.start()]}{text[few.end() :]}"
    if (most := _MOST_AT_START.match(bare)) is not None:
        return f"{most['head'] or ''}{count} {most['most']}"
    return f"{bare.rstrip('?.! ')}, top {count}" if few[0].startswith(",") else text

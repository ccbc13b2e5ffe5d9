"""Whole questions in the order in which they are understood: groups last, the figure before its time, one sentence for two.

"By branch: number of calls" is "number of calls by branch", "most calls closed in May, technician" the technician with the most of them.
These wordings are tried where a question is not understood as it stands, and taken where they are understood better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.makers.analyst.plainer import plainer

_COUNT = r"(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
_PLEASE = r"(?:(?:please|kindly|could you|can you|would you|i need|i want|i would like|show|give|list|tell|me|us|to see|to know|what|which|who|is|are|the|our)\s+)*"
_NOUN = r"[a-z][\w'-]*(?: (?!with\b|by\b|per\b|that\b|who\b|which\b|have\b|has\b|in\b|on\b|for\b|and\b|was\b|were\b|is\b|are\b)[a-z][\w'-]*){0,2}"
_UNITS = r"(?P<unit>seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?)"
_MEAN = r"(?P<mean>average|avg\.?|mean|median|typical)"

_GROUP_LED = re.compile(
    rf"^(?:by|per|for each|for every|for all|in each|in every|each|every)(?: of (?:our|the))? (?P<group>{_NOUN}(?: of {_NOUN})?)\s*[:,] (?P<rest>.{{8,}})$",
    re.IGNORECASE,
)
_SCOPE_LED = re.compile(
    r"^(?:for|among|amongst|of|in|within|only) (?!each\b|every\b|all\b)(?P<scope>[^,:]{3,48}): (?P<rest>.{8,})$",
    re.IGNORECASE,
)
_AND_HOW = re.compile(r",? and (?:also )?(?=how (?:many|much)\b)", re.IGNORECASE)
_LAST_IS_THING = re.compile(
    rf"^{_PLEASE}(?P<way>most|fewest|least|highest|lowest|largest|biggest|longest|shortest) (?P<figure>[^,:]{{3,60}}), (?:which |what |who, )?(?P<thing>{_NOUN})$",
    re.IGNORECASE,
)
_RANKING = re.compile(
    rf"^(?P<when>(?:19|20)\d\d |(?:this|last) (?:year|quarter|month|week)['’]?s? )?(?:the )?(?:(?P<things>{_NOUN}) ranking|ranking of (?:the |our )?(?P<things_2>{_NOUN})) by (?P<figure>[^,]{{3,60}})"
    rf"(?:[,:]? (?:the )?(?:(?P<end>best|top|worst|bottom|first) {_COUNT}|(?P<count_2>\d{{1,3}}|three|five|ten|twenty) (?P<end_2>best|top|worst|bottom|first)))?$",
    re.IGNORECASE,
)
_TWO_SENTENCES = re.compile(
    r"^(?P<first>[^.?!]{8,})[.?!]+ (?:please )?(?:also )?(?:show|list|give|include|display|add|return)(?: me| us)?(?: also)? (?P<columns>(?:the |their |its )?[a-z][^.?!]{2,80})$",
    re.IGNORECASE,
)
_DATE_THEY = re.compile(
    r"\bthe (?:date|day) (?:when |that |on which )?(?:they|it|each) (?P<deed>[a-z]+)\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b(?:the|their|its) ", re.IGNORECASE)
_TIME_OF = re.compile(
    rf"^{_PLEASE}{_MEAN} (?P<deed>[a-z][\w-]{{3,}}) (?:time|duration|delay)s?(?:,? \(?(?:in )?{_UNITS}\)?)(?P<rest>(?: .+)?)$",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"^{_PLEASE}(?P<way>longest|shortest|slowest|fastest|quickest) (?P<thing>{_NOUN})(?:,|:)? (?:measured |counted )?(?:from |between )?(?P<one>[a-z]+(?:ed|ing|t|n)?) (?:to|until|till|and) (?P<two>[a-z]+ed|[a-z]{{4,}})(?P<rest> .+)?$",
    re.IGNORECASE,
)
_COUNTED_FROM = re.compile(
    r"\b(?:to [a-z]+,? )?(?:counted|measured|calculated|reckoned),? (?=from\b|between\b)", re.IGNORECASE
)
_FROM_WHEN = re.compile(
    r"\bfrom (?:when |the (?:moment|time|day) (?:when |that )?)?(?:it|they) (?:was|were|is|are) (?P<one>[a-z]+),? (?:until|till|to) (?:when )?(?:it|they) (?:was|were|is|are) (?P<two>[a-z]+)\b",
    re.IGNORECASE,
)
_MOST_TIME = re.compile(
    r"\b(?:took|takes|take) (?:us |you |them )?the (?P<way>most|least) time\b", re.IGNORECASE
)
_LONGEST_TIME = re.compile(
    rf"^{_PLEASE}(?P<thing>{_NOUN}) with the (?P<way>longest|shortest) (?:time|duration|delay) (?:from|between) (?P<rest>.+)$",
    re.IGNORECASE,
)
_THEIR_TOTAL = re.compile(
    rf"^{_PLEASE}(?P<things>{_NOUN}) (?:with|and) (?:their|its) (?P<figure>(?:total|average|avg|mean|number of|overall) .{{3,50}})$",
    re.IGNORECASE,
)
_MISSING_LAST = re.compile(
    r"^(?P<head>.+?)[,:]?(?: with| whose| where(?: the)?| for which the)? (?P<name>[a-z][\w-]+(?: (?:address|number|date))?) (?:is |are )?(?:missing|blank|not known|not recorded|empty)$",
    re.IGNORECASE,
)
_WITH_MISSING = re.compile(
    r"\bwith (?:an? )?(?:missing|blank|empty) (?P<name>[a-z][\w-]+(?: (?:address|number|date))?)\b",
    re.IGNORECASE,
)
_TEAM_SIZE = re.compile(
    r"^(?P<head>.*?)\b(?:team|group) sizes? (?:by|per|of each|for each|for every|of every) (?P<boss>[a-z][\w-]*)$",
    re.IGNORECASE,
)
_CURRENT = re.compile(r"\b(?:current|present|today['’]?s)\b", re.IGNORECASE)
_OWE_US = re.compile(
    rf"^{_PLEASE}{_COUNT} (?P<things>{_NOUN}) (?:that |who |which )?(?:owe|owes) us (?:the )?most(?: money)?(?: (?:in|on|from|through|with) (?P<state>overdue|unpaid|open|outstanding|late|past due) (?P<bills>[a-z]+))?(?P<rest>.*)$",
    re.IGNORECASE,
)
_EACH_SHOWN = re.compile(r",? (?:and|with) (?:how much|what amount|how many|the amount)(?: for)?(?: each| is it| are they)?$", re.IGNORECASE)  # fmt: skip
_COUNTED_AS = re.compile(r",? (?:counted|measured|all|shown) (?P<how>net|gross)$", re.IGNORECASE)
_BILLED_MOST = re.compile(
    rf"^{_PLEASE}{_COUNT} (?P<things>{_NOUN}) (?:have|did|do) we (?:have )?(?P<deed>billed|charged|invoiced|bill|charge|invoice) (?:the )?most for(?P<rest> .*?)?(?:,? (?:in|by) (?:money|value|amount))?$",
    re.IGNORECASE,
)
_HAVE_ONE = re.compile(
    rf"^(?:which|what) (?:of )?(?:our |the )*(?P<things>{_NOUN}) (?:have|has|hold|holds) (?P<what>an? .+)$",
    re.IGNORECASE,
)
_AGO_AND_NOT = re.compile(
    r"\b(?:that |which )?(?:were |was )?(?:reported|opened|created|filed|received|raised|logged|issued) (?:more than|over) (?P<age>\d+ (?:days?|weeks?|months?)) ago (?:and|but) (?:which |that )?(?:have |has |are |is |were )?(?:still )?not (?:yet )?(?:been )?(?P<deed>closed|resolved|settled|answered|paid|finished|completed|delivered|repaired|fixed)(?: yet)?\b",
    re.IGNORECASE,
)
_LONGEST_AGO = re.compile(
    rf"^{_PLEASE}{_COUNT} (?P<things>{_NOUN})(?P<state> .+?)? (?:were|was|have been|has been) (?P<deed>[a-z]+(?:ed|t|n)) (?:the )?longest ago(?P<rest>,? .*)?$",
    re.IGNORECASE,
)
_SUM_OF = re.compile(r"^(?P<how>net|gross) (?:sum|total) of (?P<rest>.+)$", re.IGNORECASE)
_AND_HOW_MANY = re.compile(r",? and (?:how many|how much) (?:in|during|for) (?=the same\b|last\b|the year\b|\d)", re.IGNORECASE)  # fmt: skip


_ORDER = re.compile(
    r",? (?:highest|largest|biggest|most|best|lowest|smallest|fewest|newest|latest|oldest|earliest) (?:first|on top|at the top)$",
    re.IGNORECASE,
)
""" "Biggest first": it stands last in each wording."""

_REFERRALS = re.compile(
    rf"^{_PLEASE}(?P<noun>[a-z][\w-]*?)s? (?P<how>by (?:the )?(?:number of )?|(?:with|has|have) (?:the )?most )(?P<role>referrals|recommendations)(?P<most>,? (?:the )?most)?$",
    re.IGNORECASE,
)
_DATE_OF = re.compile(r"\b(?P<what>date|day|time|month|year) of (?P<deed>[a-z]{4,}(?:ation|ion|ment|al|th|ure|ry))\b", re.IGNORECASE)  # fmt: skip


def said_otherwise(text: str) -> Iterator[str]:
    """Give other orders of the words of a question, the likeliest first; nothing where none of the forms is met.

    Example:
        >>> next(said_otherwise("by branch: number of missed visits 2026"))
        'number of missed visits 2026 by branch'
        >>> next(said_otherwise("most calls closed in May, technician"))
        'technician with the most calls closed in May'
        >>> next(said_otherwise("avg delivery time (days) by carrier"))
        'average days to delivery by carrier'
        >>> next(said_otherwise("which five customers owe us the most in overdue invoices, and how much each?"))
        'top 5 customers by amount of overdue invoices'
    """
    text = text.strip().rstrip("?.! ")
    order = _ORDER.search(text)
    body, end = (text, "") if order is None else (text[: order.start()], order[0])
    seen = {text}
    for wording in _worded(body):
        wording = " ".join(f"{wording}{end}".split())
        if wording not in seen:
            seen.add(wording)
            yield wording


def _worded(text: str) -> Iterator[str]:
    if found := _GROUP_LED.match(text):
        yield f"{_AND_HOW.sub(' and ', found['rest'])} by {found['group']}"
    elif found := _SCOPE_LED.match(text):
        yield f"{found['rest']} for {found['scope']}"
    if found := _RANKING.match(text):
        count = _number(found["count"] or found["count_2"] or "")
        end = "bottom" if (found["end"] or found["end_2"] or "").lower() in ("worst", "bottom") else "top"
        things = found["things"] or found["things_2"]
        when = (found["when"] or "").strip()
        if count:
            yield f"{end} {count} {things} by {found['figure']} {when}"
        yield f"{things} by {found['figure']} {when}, highest first"
    elif found := _LAST_IS_THING.match(text):
        yield f"{found['thing']} with the {found['way']} {found['figure']}"
    if found := _TWO_SENTENCES.match(text):
        shown = _ARTICLE.sub("", _DATE_THEY.sub(lambda one: f"{one['deed']} date", found["columns"]))
        yield f"{found['first']}, with {shown}"
        yield f"{found['first']}: {shown}"
    yield from plainer(text)
    yield from _times(text)
    yield from _figures(text)
    yield from _conditions(text)


def _times(text: str) -> Iterator[str]:
    """Wordings of how long something takes."""
    if found := _TIME_OF.match(text):
        mean = "median" if found["mean"].lower() == "median" else "average"
        unit = {"min": "minutes", "mins": "minutes", "hr": "hours", "hrs": "hours"}.get(
            found["unit"].lower(), found["unit"].lower()
        )
        yield f"{mean} {unit} to {found['deed']}{found['rest']}"
    plain = _FROM_WHEN.sub(r"from \g<one> to \g<two>", _COUNTED_FROM.sub("", text))
    plain = _MOST_TIME.sub(
        lambda found: f"took the {'longest' if found['way'].lower() == 'most' else 'shortest'}", plain
    )
    if plain != text:
        yield re.sub(r"\b(longest|shortest) to [a-z]+,? (?=from\b)", r"\1 ", plain)
    if found := _FROM_TO.match(text):
        way = "longest" if found["way"].lower() in ("longest", "slowest") else "shortest"
        yield f"which {found['thing']} took the {way} from {found['one']} to {found['two']}{found['rest'] or ''}"
    elif found := _LONGEST_TIME.match(text):
        joint = re.sub(r" and ", " to ", found["rest"], count=1)
        yield f"which {found['thing']} took the {found['way']} from {joint}"


def _figures(text: str) -> Iterator[str]:
    """Wordings of figures, ranked or by groups."""
    how = _COUNTED_AS.search(text)
    kind = f"{how['how']} " if how is not None else ""
    bare = _EACH_SHOWN.sub("", _COUNTED_AS.sub("", text))
    if found := _OWE_US.match(bare):
        count, state, bills = (
            _number(found["count"]),
            found["state"] or "unpaid",
            found["bills"] or "invoices",
        )
        yield f"top {count} {found['things']} by {kind}amount of {state} {bills}{found['rest']}"
        yield f"top {count} {found['things']} by {state} {kind}amount{found['rest']}"
    elif found := _BILLED_MOST.match(bare):
        yield f"top {_number(found['count'])} {found['things']} by amount billed{found['rest'] or ''}"
    elif found := _LONGEST_AGO.match(text):
        yield f"{found['count']} oldest {found['things']}{found['state'] or ''}{found['rest'] or ''}"
    if found := _THEIR_TOTAL.match(text):
        yield f"{found['figure']} by {found['things']}"
    if found := _TEAM_SIZE.match(text):
        now = " at the moment" if _CURRENT.search(found["head"]) else ""
        yield f"how many people does each {found['boss']} have in his team{now}"
    if found := _REFERRALS.match(text):
        first = ", top 1" if found["most"] or "most" in found["how"].lower() else ""
        yield f"{found['role']} per {found['noun']}{first}"
    if found := _SUM_OF.match(text):
        yield f"{found['how']} amount of {found['rest']}"
    if _AND_HOW_MANY.search(text):
        yield _AND_HOW_MANY.sub(" compared with ", text)


def _conditions(text: str) -> Iterator[str]:
    """Wordings of conditions."""
    if found := _MISSING_LAST.match(text):
        yield f"{found['head']} without {found['name']}"
    elif _WITH_MISSING.search(text):
        yield _WITH_MISSING.sub(r"without \g<name>", text)
    if found := _HAVE_ONE.match(text):
        yield f"{found['things']} with {found['what']}"
    if _DATE_OF.search(text):
        yield _DATE_OF.sub(r"\g<deed> \g<what>", text)
    if _AGO_AND_NOT.search(text):
        yield _AGO_AND_NOT.sub(r"not \g<deed> after \g<age>", text)


def _number(said: str) -> str:
    return str(NUMBER_WORDS.get(said.lower(), said))

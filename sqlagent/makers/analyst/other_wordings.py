"""Whole questions that are put otherwise: "what percentage of A at each B are C" is the share of A that are C by B.

Every wording is tried where it is understood whole; a question that matches none is left as it is. Phrases within a
question belong to `equal_phrases`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.language.words import singular

_PERCENT = r"(?:(?:what|which) )?(?:percentage|percent|per cent|proportion|share|fraction|%)"
_NOUN = r"[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?"
_EACH = r"(?:each|every)(?: of (?:our|the))?"
_SHARE_AT = re.compile(
    rf"^{_PERCENT} of (?:all |our |the )*(?P<what>{_NOUN}) (?:at|in|for|of|per|by|with|from|within|on) {_EACH} (?P<group>{_NOUN}) (?P<state>(?:are|is|were|was|have been|has been|have|has|got|get|end up|ended up|end in|ended in) .+)$",
    re.IGNORECASE,
)
_SHARE_DONE = re.compile(
    rf"^{_PERCENT} of (?:all |our |the |its |their )*(?P<what>{_NOUN}) (?:does|do|did|has|have|had) {_EACH} (?P<group>{_NOUN}) (?P<deed>[a-z]+(?: (?:down|up|off|out|in|back|over))?)(?P<when>,? (?:in|during|since|this|last) .+)?$",
    re.IGNORECASE,
)
_COMES_FROM = re.compile(
    rf"^{_PERCENT} of (?:(?:our|the|all|total) )*(?P<what>.+?) (?:comes?|came|is|are|was|were|stems?|goes|went) (?:from|to|with|through|via|by) {_EACH} (?P<group>{_NOUN})(?P<when>,? (?:in|during|since|this|last) .+)?$",
    re.IGNORECASE,
)
_WE_DO = {
    "bill": "billing", "invoice": "billing", "charge": "billing", "sell": "sales", "earn": "revenue", "make": "revenue", "spend": "spend", "pay": "spend", "take in": "revenue",
}  # fmt: skip
_WHAT_WE_DO = re.compile(rf"^what we (?:have )?({'|'.join(_WE_DO)})(?:ed)?\b", re.IGNORECASE)

_AS_PERCENT = re.compile(
    rf"^(?P<what>{_NOUN}) (?:as|in) (?:a )?(?:%|percent|per cent|percentage) (?:per|by|for each|of each) (?P<group>{_NOUN})(?P<when>,? (?:in|during|since|this|last|\d{{4}})\b.*)?$",
    re.IGNORECASE,
)
_AT_WHICH = re.compile(
    rf"^(?:at|in|on|from|with|for|to|through|via) (?:which|what) (?P<all>(?:one )?of (?:our|the) )?(?P<thing>{_NOUN}) (?:did|do|does|was|were|are|is|have|has) (?:we )?(?:had |have |get |made |make )?(?:the )?(?P<way>most|fewest) (?P<what>{_NOUN}) ?(?:take place|took place|happen|happened|occur|occurred|made|booked|placed|held|done|come in|came in|come|came)?(?P<when>,? (?:(?:in|during|since|this|last|between|before|after)\b.*|\d{{4}}))?$",
    re.IGNORECASE,
)
_KIND_OF = re.compile(
    r"\b(?P<by>by|per|for each|for every|of each|in each|across|each) (?:the )?(?:different )?(?:types?|kinds?|sorts?) of (?!(?:the|our|an?|their|its)\b)(?P<what>[a-z][\w-]*)\b",
    re.IGNORECASE,
)
_WORTH = re.compile(
    r"^how much is (?:an? |one |the average |a typical )?(?P<what>[a-z][\w-]*) worth(?: on average| typically| usually)?(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"^how much (?:do|does|did) (?:(?:our|the|a|an) )?(?P<who>[a-z][\w-]*(?: [a-z][\w-]*)?) (?P<deed>[a-z]+) (?:us )?(?:on average|typically)(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_HEADED = re.compile(r"^(?P<head>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}): (?P<rest>[^:]+)$", re.IGNORECASE)
_TRAILING = re.compile(
    r"^(?!how |which |what |who |list |show |give |name |display |.* with )(?P<rest>(?:(?! - )[^,:])+),? ?(?:,|-|:) ?(?P<figure>count|number|how many|total|total amount|amount|sum|total value|avg|average|mean|on average)(?: only)?$",
    re.IGNORECASE,
)
_FIGURES = {
    "count": "number of", "number": "number of", "how many": "number of", "avg": "average", "mean": "average", "on average": "average", "average": "average", "sum": "total of", "total": "total of",
    "total value": "total of", "total amount": "total amount of", "amount": "amount of",
}  # fmt: skip
_AND_WHO = re.compile(
    r"^(?:(?:which|what) )?(?P<what>.+?) (?:are|is|were|was) (?:for |worth )?(?P<bound>(?:more|less) than|over|under|above|below|at least|at most)(?P<number> .+?),? and (?:who|what) (?:is|are|was|were) (?:the |their |its )?(?P<who>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?:for|of|on) (?:each|them)(?: of them| one)?)?$",
    re.IGNORECASE,
)
_NAME_THE = re.compile(
    r"^(?:name|tell me|give me|find) (?:the|our) (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?P<rest>(?:with|that|who|which) (?:has |had )?the (?:most|fewest|highest|lowest|largest|biggest|smallest|greatest|best|longest|shortest)\b.+)$",
    re.IGNORECASE,
)
_USAGE = re.compile(
    rf"^(?:the )?(?P<what>{_NOUN}) (?:usage|use|redemption|take-?up|uptake) rate (?:on|of|for|across|among|in) (?:all |our |the )*(?P<whom>[a-z][\w-]*)(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_ACQUIRED = re.compile(
    r"\b(customer|client|member|user|subscriber|patient|student|donor|account) acquisitions?\b(?! (?:costs?|channels?|sources?|dates?|rates?|campaigns?|id)\b)",
    re.IGNORECASE,
)
_GRAINS = {
    "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year",
}  # fmt: skip
_PERIODIC_SHARE = re.compile(
    rf"^(?P<grain>{'|'.join(_GRAINS)}) (?P<share>(?:share|percentage|proportion|fraction|%) of .+?)(?P<when>,? (?:(?:in|during|since|this|last)\b[^,]*|\d{{4}}|ytd|so far))?$",
    re.IGNORECASE,
)
_FOR_EACH = re.compile(
    rf"^(?:for|in|at|per|by) (?:each|every)(?: of (?:our|the))? (?P<group>{_NOUN})[,:] (?P<rest>(?:what|how) .+)$",
    re.IGNORECASE,
)
_SHOW = re.compile(
    r"^(?P<rest>(?:which|what|who) [^?]+)\? (?:please )?(?:show|list|include|give|give me|show me|with) (?P<columns>[^?.]+)$",
    re.IGNORECASE,
)
_COLUMNS_FIRST = re.compile(
    r"^(?P<one>[a-z][\w ]*?) ?/ ?(?P<two>[a-z][\w ]*?)(?: ?/ ?(?P<three>[a-z][\w ]*?))?(?:,| of| for| -) (?P<rest>[a-z].+)$",
    re.IGNORECASE,
)
_IN_TERMS_OF = re.compile(
    rf"^(?:who|which|what) (?:is|are|was|were) (?:our|the) (?P<way>most expensive|biggest|largest|best|top|worst|cheapest|smallest|busiest) (?P<thing>{_NOUN})(?P<when> (?:in|during|since|this|last) (?!terms).+?)? (?:in terms of|measured by|judged by|based on) (?:the |our )?(?:total )?(?P<figure>[a-z].+)$",
    re.IGNORECASE,
)
_SPEND_ON = re.compile(
    rf"^how much (?:money )?(?:did|do|have) we (?:spend|spent) on (?:our |the )?(?P<what>{_NOUN})(?P<rest>,? (?:from|in|during|since|this|last|between|jan|january|by|per|vs|\d{{4}})\b.*)?$",
    re.IGNORECASE,
)
_CAME_IN = re.compile(
    r"^how much (?P<what>[a-z]+)(?: money)? (?:came|comes|has come|have come) in(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_BEST_DOING = re.compile(
    r"^(?:the )?(?P<count>\d+|two|three|four|five|six|ten) (?P<way>best|top|worst) (?:billing|earning|selling|grossing|performing) (?P<things>[a-z][\w-]*)(?P<when> (?:(?:in|during|since|this|last) [^,]+|\d{4}))?, (?P<figure>(?:net|gross|total) [a-z]+)(?P<rest>(?:,| ).*)?$",
    re.IGNORECASE,
)
_UNPAID_THEN_SUM = re.compile(
    r"^(?:the |our |all )?(?P<state>outstanding|unpaid|open) (?P<what>[^,:]+)[,:] ?(?:the )?(?:total |sum |net )?(?:amount|sum|value|total)$"
    r"|^(?:what is )?(?:the )?(?:total|sum|amount)(?: amount)? of (?:all |our |the )*(?P<what_2>[^,:]+?) (?:that|which) (?:we )?(?:are|were|have|had|is|was|has)(?: not|n['’]t) (?:yet )?(?:been )?paid(?: yet)?$",
    re.IGNORECASE,
)
_BEST_RATED = re.compile(
    r"^(?:(?:which|the|what) )*(?P<count>\d+|two|three|four|five|six|ten) (?P<things>[a-z][\w-]*) (?:have|has|with|had) the (?P<way>highest|best|lowest|worst) (?:average |mean |avg )?ratings?,? (?:and )?(?:with )?(?:rated )?(?P<bound>(?:at least|more than) \w+) (?:times|ratings)$",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(r"\b(?:have |has )?created an account(?: with us)?\b", re.IGNORECASE)
_MOST_TIME = re.compile(
    r"\b(needs?|needed|requires?|required|takes?|took) (?:the )?(most|least) time\b", re.IGNORECASE
)


def other_wordings(text: str) -> Iterator[str]:
    """Give a question in the words that are understood, likeliest first; nothing where none of the forms is met.

    Example:
        >>> list(other_wordings("What percentage of repairs at each hall are late?"))
        ['share of repairs that are late by hall']
        >>> next(other_wordings("In which of our towns did the most repairs take place in 2025?"))
        'which town has the most repairs in 2025'
        >>> list(other_wordings("What share of what we bill comes from each trade?"))
        ['share of billing by trade']
    """
    text = text.strip().rstrip("?.! ")
    if found := _SHARE_AT.match(text):
        yield f"share of {found['what']} that {found['state']} by {found['group']}"
    elif found := _SHARE_DONE.match(text):
        when = found["when"] or ""
        yield f"share of {found['what']} that are {_done(found['deed'])}{when} by {found['group']}"
    elif found := _COMES_FROM.match(text):
        what = _WHAT_WE_DO.sub(lambda deed: _WE_DO[deed[1].lower()], found["what"])
        yield f"share of {what}{found['when'] or ''} by {found['group']}"
    elif found := _AS_PERCENT.match(text):
        yield f"share of {found['what']}{found['when'] or ''} by {found['group']}"
    elif found := _AT_WHICH.match(text):
        thing = _one(found["thing"]) if found["all"] else found["thing"]
        yield f"which {thing} has the {found['way']} {found['what']}{found['when'] or ''}"
    elif found := _AND_WHO.match(text):
        yield f"list {found['what']} {found['bound']}{found['number']} with the {found['who']}"
    elif found := _NAME_THE.match(text):
        yield f"which {found['what']} {found['rest']}"
    elif found := _USAGE.match(text):
        yield f"share of {found['whom']} that used a {found['what']}{found['rest']}"
    elif found := _FOR_EACH.match(text):
        yield f"{found['rest']} by {found['group']}"
    elif found := _PERIODIC_SHARE.match(text):
        yield f"{found['share']} by {_GRAINS[found['grain'].lower()]}{(found['when'] or '').lstrip(',')}"
    elif found := _IN_TERMS_OF.match(text):
        way = "lowest" if found["way"].lower() in ("cheapest", "smallest", "worst") else "highest"
        yield f"{found['thing']} with the {way} {found['figure']}{found['when'] or ''}"
    elif found := _SPEND_ON.match(text):
        yield f"{_one(found['what'])} spend{found['rest'] or ''}"
    elif found := _CAME_IN.match(text):
        yield f"{found['what']} collected{found['rest']}"
    elif found := _BEST_DOING.match(text):
        end = "bottom" if found["way"].lower() == "worst" else "top"
        when, rest = found["when"] or "", (found["rest"] or "").lstrip(",")
        yield f"{end} {found['count']} {found['things']} by {found['figure']}{when}{rest}"
    elif found := _UNPAID_THEN_SUM.match(text):
        yield f"{found['state'] or 'unpaid'} amount of {found['what'] or found['what_2']}"
        yield f"unpaid amount of {found['what'] or found['what_2']}"
    elif found := _BEST_RATED.match(text):
        way = "worst" if found["way"].lower() in ("lowest", "worst") else "best"
        count = NUMBER_WORDS.get(found["count"].lower(), found["count"])
        yield f"{count} {way} rated {found['things']} with {found['bound']} ratings"
    elif found := _WORTH.match(text):
        yield f"average {found['what']} value{found['rest']}"
    elif found := _HOW_MUCH.match(text):
        yield f"average {found['deed']}{found['rest']}"
    yield from _turned(text)


def _turned(text: str) -> Iterator[str]:
    """Questions of which a part stands elsewhere, or bears another name."""
    if found := _TRAILING.match(text):
        yield f"{_FIGURES[found['figure'].lower()]} {found['rest'].strip()}"
    if found := _HEADED.match(text):
        yield f"{found['rest']} for {found['head']}"
        yield f"{found['rest']} in {found['head']}"
    if found := _SHOW.match(text):
        yield f"{found['rest']}: {found['columns']}"
    if found := _COLUMNS_FIRST.match(text):
        columns = ", ".join(filter(None, (found["one"], found["two"], found["three"])))
        yield f"{found['rest']}: {columns}"
    if _ACCOUNT.search(text):
        yield _ACCOUNT.sub("signed up", text)
    if _KIND_OF.search(text):
        yield _KIND_OF.sub(r"\g<by> \g<what> type", text)
        yield _KIND_OF.sub(r"\g<by> \g<what>", text)
    if _ACQUIRED.search(text):
        yield _ACQUIRED.sub(r"new \1s", text)
    if _MOST_TIME.search(text):
        yield _MOST_TIME.sub(
            lambda found: f"takes the {'longest' if found[2].lower() == 'most' else 'shortest'}", text
        )


def _one(noun: str) -> str:
    *head, last = noun.split()
    return " ".join((*head, singular(last)))


_STRONG = {
    "pay": "paid", "sell": "sold", "send": "sent", "win": "won", "lose": "lost", "make": "made", "do": "done", "write off": "written off", "give": "given", "take": "taken",
    "turn down": "rejected", "miss": "missed", "hold": "held", "leave": "left", "break": "broken",
}  # fmt: skip


def _done(deed: str) -> str:
    """The participle of a verb: fail, failed."""
    deed = deed.lower()
    if deed in _STRONG:
        return _STRONG[deed]
    verb, _, rest = deed.partition(" ")
    end = "d" if verb.endswith("e") else "ed"
    verb = f"{verb[:-1]}i" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb
    return f"{verb}{end} {rest}".strip()

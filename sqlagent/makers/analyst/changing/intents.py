"""What a follow-up means to do to the question before it: to add, to take the place of something, to narrow, to take away."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.makers.analyst.plainer import PLACES

_I = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:ok(?:ay)?|so|now|please|pls|plz|then|well|great|thanks|thank you|cool|h+m+|ah|oh|actually|sorry|maybe|(?:can|could|would) (?:you|we|i)(?: please)?|i want(?: to see)?"
    r"|i(?:'d| would) (?:like|prefer|rather see)(?: to see)?|i need|give me|get me|let(?:'s| me| us) see|show (?:it|them|this|that|me)|show|display|put|have|see|try"
    r"|make (?:it|that)|do (?:it|that)|change (?:it|that) to|switch to|filter (?:to|by|on|for)|restrict (?:it )?to|limit (?:it )?to|use|take|look at"
    r"|that as|it as|them as)\b[,\s]*",
    _I,
)
_TAIL = re.compile(
    r"[,\s]*\b(?:please|pls|plz|though|then|thanks|thx|thank you|again|for now|for a start|if possible|(?:will|would|should|'ll) (?:do|suffice|be (?:better|best|fine|enough|good|ok|nice|great))"
    r"|(?:is|are|was|were) (?:enough|fine|ok|okay|sufficient|better|best|good|plenty)|suffices?|would help|view)$",
    _I,
)
_ADDS = re.compile(r"^(?:and|also|plus|add|include|but|in addition(?: to that)?)\b[,\s]*", _I)
_SWAPS = re.compile(
    r"^(?:(?:and )?(?:what|how) about|what if (?:it was|we take)|(?:and )?(?:the )?same(?: thing| question| again)?(?: (?:but )?(?:for|in|with|by)| but)?|and for|instead|rather)\b[,\s]*",
    _I,
)
_NARROWS = re.compile(r"^(?:only|just)(?: (?:for|in|from|the|those|with))*\b\s*|\s+(?:only|alone)$", _I)
_INSTEAD = re.compile(r"[,\s]*\b(?:instead|rather|this time|now)$", _I)
_TOO = re.compile(
    r"[,\s]*\b(?:too|as well|also|in addition|on top|alongside|next to (?:it|them|that)|beside(?:s)? (?:it|them|that)|side by side)$",
    _I,
)
_GONE = re.compile(
    r"^(?:remove|drop|ignore|clear|forget(?: about)?|undo|take (?:away|out)|leave (?:away|out)|get rid of|skip|lose|without)\s+(?:the|that|this)\s+(.+?)(?:\s+(?:filter|condition|limit|grouping|restriction|split|part|bit))?$"
    r"|^(?:remove|drop|ignore|clear|forget(?: about)?|undo|skip)\s+(.+?)(?:\s+(?:filter|condition|limit|grouping|restriction|split|part|bit))?$"
    r"|^(?:(?:for|over|across|in|back to)\s+)*(?:all(?: the)?|any|every)\s+(.+?)(?:\s+(?:again|together|combined|please))?$"
    r"|^not (?:by|per) (.+)$|^(?:the )?whole (period|time)$|^no (limit|comparison|comparisons|ranking|filter|filters|grouping|split|percent|percentages)(?: (?:any ?more|please|now))?$|^(?:whatever|regardless of|irrespective of|no matter)\s+(?:the\s+)?(.+)$",
    _I,
)
_SWAPPED = (
    re.compile(r"^(?:replace|change|swap)\s+(?P<old>.+?)\s+(?:with|to|by|for)\s+(?P<new>.+)$", _I),
    re.compile(r"^(?P<new>.+?)\s+(?:instead of|rather than|in place of)\s+(?P<old>.+)$", _I),
    re.compile(r"^not (?P<old>.+?),? but (?P<new>.+)$", _I),
    re.compile(r"^instead of (?P<old>.+?),\s*(?P<new>.+)$", _I),
    re.compile(r"^(?P<new>[^,]+?),?\s+(?:and )?not (?:by |per )?(?:the )?(?P<old>[\w' -]+)$", _I),
)
_INSTEAD_OF = re.compile(r"^instead of\s+(.+)$", _I)
_COMPARED = re.compile(
    r"^(?:(?:how )?(?:do|does|did) (?:that|this|it|they|these|those) compare (?:to|with)|compared?(?: it| this| that)? (?:with|to|against)|(?:put )?next to|vs\.?|versus|against)\s+(.+)$",
    _I,
)
_SORTED = re.compile(
    r"^(?:sort|sorted|order|ordered|rank|ranked)(?:\s+(?:it|them|this|these|those|that))?\s+(.+)$", _I
)
_EXCEPT = re.compile(
    r"^(?:not|exclude|excluding|excl\.?|ex|except(?: for)?|without|w/o|minus|leave out|ignore|ignoring|no(?! ?shows?\b)|nobody from|nobody in|none from|no one from|nothing from)\s+(?!than\b|more\b)(.+)$"
    r"|^(?:leave|take|keep)\s+(.+?)\s+out$|^([\w' -]*?\b(?!\w+ed\b|sold\b|paid\b|bought\b|lent\b|taken\b|by\b|per\b)[\w'-]+)\s+(?:out|excluded|left out)$",
    _I,
)
_BACK = re.compile(
    r"^(?:(?:go|switch|change|come)\s+)?back to (?:the\s+)?(?:(?:by|per)\s+)?(?P<new>.+)$", re.IGNORECASE
)
_AGAIN = re.compile(
    r"^(?:include|add|bring back|bring|put back|put|with|count|show)\s+(?:the\s+)?(?P<old>.+?)(?:\s+ones?)?\s+(?:again|back|back in|too again|once more)$"
    r"|^(?:bring back|put back|re-?include)\s+(?:the\s+)?(?P<back>.+?)(?:\s+ones?)?$",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"^(?:(?:and|so)\s+)?(?:how (?:does|do|did|is|was) (?:that|this|it|they|these|those) (?:compare|look)(?:d)?|compared?(?: (?:it|this|that|them|these|those))?|(?:put )?(?:it )?(?:next|beside)(?: to)?"
    r"|side by side|vs\.?|versus|against|alongside|in comparison)\s+(?:(?:with|to|against)\s+)?(?:(?:that|those|the (?:figures?|numbers?|values?)) (?:of|for|from)\s+)?"
    r"(?:the\s+same\s+(?:\w+\s+)??(?:months?|quarters?|weeks?|days?|periods?|time)\s+(?:of\s+|in\s+)?)?(?:(?:the|a|one)\s+)?"
    r"(?:(?P<unit>year|quarter|month|week|period)\s+(?:before|earlier|prior|ago)|(?:previous|prior|preceding|last)\s+(?P<last>year|quarter|month|week|period)(?:'s)?)$",
    re.IGNORECASE,
)
_THE_ONE_BEFORE = re.compile(
    r"^(?:(?:in|for|from)\s+)?(?:the\s+)?(?:(?P<unit>year|quarter|month|week|period)\s+before(?: (?:that|it))?|(?:previous|prior|preceding)\s+(?P<last>year|quarter|month|week|period)|one before)$",
    re.IGNORECASE,
)
_BEFORE_THAT = re.compile(
    r"^(?:(?:in|for|during)\s+)?(?:the (?:time|one|period) )?(?:right |just )?before (?:that|it|then)$|^(?:previously|the preceding one|the previous one)$",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"^(?:(?:as|in|with|the|just|only|back to|to|show|me|give|use|it|them)\s+)*(?:plain|absolute|actual|raw|real|normal|simple|original|unconverted|bare)\s+(?:numbers?|figures?|values?|amounts?|totals?|counts?|sums?)(?: again)?$"
    r"|^(?:(?:go|switch|change|come)\s+)?(?:back|return) to (?:the\s+|plain\s+)?(?:counts?|numbers?|figures?|values?|amounts?|totals?|sums?)(?: again)?$"
    r"|^(?:in absolute terms|not (?:as|in) (?:a )?(?:share|shares|percent|percentages?|%)|(?:no|without|drop|lose|remove)(?: the)? (?:percent|percents|percentages?|%|shares?)(?: again)?)$",
    re.IGNORECASE,
)
_NOT_FIRST = re.compile(
    r"^(?:(?:all|everything|everyone|the same|but|and)\s+)*(?:except(?: for)?|without|w/o|skip|drop|exclude|excluding|ignore|ignoring|leave out|leaving out|minus|but not|but)\s+(?:the |our )?"
    r"(?:(?P<count>\d{1,2}|two|three|four|five) )?(?:very )?(?:first|top|best|biggest|largest|highest|leading)(?: (?P<many>\d{1,2}|two|three|four|five))?(?: (?:one|ones|row|rows|place|places|entry|entries|spot))?$"
    r"|^(?:start(?:ing)? (?:from|with|at)|from) (?:the )?(?:second|no\.? ?2|number two)(?: (?:one|row|place))?(?: on(?:wards)?)?$",
    re.IGNORECASE,
)
_IN_TOTAL = re.compile(
    r"^(?:what (?:is|was) )?(?:(?:and|so|but) )?(?:how (?:many|much) )?(?:(?:is|are|was|were) (?:that|it|this|they|those|these) )?(?:(?:in|as a) )?(?:the )?(?:grand )?(?:total|all|altogether|overall|all together|all in all|one number|as one number)(?: of (?:that|those|all|them|it))?(?: please)?$",
    re.IGNORECASE,
)
_HOW_FAR = re.compile(
    r"^(?:(?:and|just|only|show|instead) )*(?:by )?(?:(?P<percent>(?:how (?:many|much)|what|which) (?:percent|per cent|percentage|%))|how much|how far|how) (?:(?:did|do|does|has|have) (?:it|that|this|they|those|these|each|each one|each of them)(?: each| all)? (?:change|changed|grow|grown|increase|increased|rise|risen|go up|gone up|develop|developed|move|moved|fall|fallen|drop|dropped|decrease|decreased|differ)"
    r"|(?:is|was) (?:the )?(?:change|growth|increase|difference))$"
    r"|^(?:(?:and|just|only|show|with|add) )*(?:what (?:is|was) )?(?:the )?(?:(?P<behind>(?:(?:change|growth|difference) )?(?:in|as) (?:percent|per cent|%)(?: change| growth)?|(?:percent|percentage|per cent|%|relative) (?:change|growth|difference)|growth(?: rate)?)|change|difference|increase|rise|decrease|delta)(?: each| instead| too| only)?$",
    re.IGNORECASE,
)
_WHERE_THEY = re.compile(
    r"^(?:and |so )?where (?:do|does|are|is|did) (?:they|these|those|each(?: of them)?|he|she|it)(?: all| each)? ?(?:live|living|come from|coming from|based|located|from|at|sit|stay)?$",
    re.IGNORECASE,
)
_THEIR = re.compile(
    r"^(?:and |with |also |plus |add |show |show me |include |give me |what (?:is|are|was|were) |list (?:them |these |those )?(?:again )?(?:with|and) )+(?:their|its|his|her) (?P<name>[a-z][\w'-]*(?: [a-z][\w'-]*)?)(?: too| as well| also| please)?$",
    re.IGNORECASE,
)
_GROUP_EXTREME = re.compile(
    r"^(?:and )?(?:which|what) (?!ones?\b)(?P<group>[\w-]+(?: [\w-]+)?) (?:has|had|have|is|was|are|were|got|does|did)(?: (?:the|it|that))? (?P<word>most|least|best|worst|highest|lowest|biggest|smallest|largest|top|fewest)(?: (?:of (?:them|those|these|all)|there))?$",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"^(?:and|what about|how about)\b", _I)
_SIZED = re.compile(
    r"^(?:(?:the|and|with|now) )*(?:(?P<small>youngest|cheapest|shortest|lightest)|longest|dearest|priciest|most expensive|heaviest)(?: ones?)? first$",
    _I,
)
_OF_EACH = re.compile(
    r"^(?:and )?how many (?:are |were )?(?:there )?(?:of|in|for|per|by|at|from)(?: each| every)? (?P<group>(?!them\b|those\b|these\b|that\b|it\b|total\b|all\b|(?:19|20)\d\d\b)[a-z][\w-]*(?: [a-z][\w-]*)?)$",
    re.IGNORECASE,
)
_ONES_AGED = re.compile(
    r"^(?:(?:and|only|just|but|what about|how about|the|all) )*(?:ones|those|people|anyone|everyone) (?:who are |that are |aged )?(?P<way>over|under|above|below) (?P<years>\d{1,2})$",
    re.IGNORECASE,
)
_ROUND = re.compile(
    r"^(?:(?:and )?the other way (?:a?round|about)|(?:in )?reversed?(?: (?:the )?(?:order|sort|sorting|it|them))?(?: order)?|flip (?:it|them|the order)|turn (?:it|them) (?:a?round|upside down)|upside down)$",
    re.IGNORECASE,
)
_WHAT_THEY = re.compile(
    r"^(?:what|how many|how much(?: (?:money|in total|altogether))?) (?:did|do|does|have|has) (?:we|they|it|that|those|these|he|she|each|everyone|people)(?: (?:all|each|together))? "
    r"(?P<verb>pay|paid|spend|spent|cost|earn|earned|make|made|bring in|brought in|take in|charge|charged|sell|sold|buy|bought|order|ordered|place|placed)(?P<rest>(?: (?:per|for|on|in|since|during|by) .+)?)$",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"^how much (?:(?P<what>[\w' -]+?) )?(?:was|is|were|are|did|does|do) (?:that|it|this|those|these|they|them)(?: (?:worth|in money|in total|altogether|make|bring in|come to|add up to|cost))*$"
    r"|^(?:what|how much) (?:was|is|were) (?:that|it|this|those|these|they) (?:worth|in money)$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"^how many (?:are|is|were|was) (?:they|there|these|those|that|it|them)(?: (?:in total|altogether|all together))?$|^how many(?: (?:of (?:them|those|these)|in total|altogether))?$"
    r"|^how many of (?:them|those|these) (?:(?:are|were|was|is|have|had|did|do) )?(?P<rest>.+)$",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^(?:who|which|what|which ones) (?:are|were|is|was) (?:they|those|these|that|it|them)$|^(?:show|list|name|give|tell)(?: me)?(?: all of)? (?:them|those|these|their names|the names|the list)(?: all)?$"
    r"|^which ones(?: exactly)?$|^(?:as a list|the list|their names)$",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"^(?:both|everything|everyone|all|all of (?:it|them))(?: of them)?(?: (?:again|together))?$",
    re.IGNORECASE,
)
_PAID = {
    "pay": ("cost", "spend", "amount"), "spend": ("spend", "revenue", "amount", "cost"), "cost": ("cost", "price", "spend"),
    "sell": ("quantity", "units", "number of sales"), "buy": ("quantity", "units", "number of orders"), "order": ("number of orders",), "place": ("number of orders",),
    "charge": ("revenue", "amount", "fees"), "earn": ("revenue", "income"), "make": ("revenue", "income"), "bring in": ("revenue",), "take in": ("revenue",),
}  # fmt: skip
"""Figures that verbs of money ask for, likely ones first."""
_VERBS = {
    "paid": "pay",
    "spent": "spend",
    "earned": "earn",
    "made": "make",
    "brought in": "bring in",
    "charged": "charge",
    "sold": "sell",
    "bought": "buy",
    "ordered": "order",
    "placed": "place",
}
_SAME_IN = re.compile(
    r"^(?:how much|how many|what|how) (?:was|is|were|are|did|does|do) (?:that|it|this|those|these|they)(?: look)? (?P<rest>(?:in|for|by|per|on|at|with|without) .+)$",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    r"^(?:which|what|who)(?: (?:one|ones|of them|of these|of those))? (?:is|was|are|were|has|had|comes?|came)(?: (?:the|in|out))? (?P<word>best|highest|top|biggest|largest|most|worst|lowest|smallest|least)"
    r"(?: (?:of (?:them|those|these|all)|one))?$",
    re.IGNORECASE,
)
_MONEY = ("revenue", "amount", "cost", "spend")
_FIRST_ONE = {"most": "highest", "least": "lowest", "fewest": "lowest"}
_YEAR_BY_YEAR = re.compile(r"^(year|quarter|month|week|day) (?:by|after|over) \1$", re.IGNORECASE)
ROUND = "the other way round"
"""The text of an intent that turns an order, however it was typed."""
PLAIN = "plain numbers"
"""The text of an intent that takes away how figures are shown, however it was typed."""
TOTAL = "in total"
"""The text of an intent that takes all groups away, however it was typed."""
GROWTH, CHANGE = "growth", "change"
"""The texts of intents that ask how far figures moved between the periods that are shown."""
_SPLIT = re.compile(
    r"^(?:split|break|broken|group|grouped|slice)(?:\s+(?:it|them|this|that))?(?:\s+(?:down|up|out|further))*\s+(?=by|per)",
    _I,
)
_COUNTED = re.compile(
    r"^how many (?!did|do|does|of)([\w' -]+?)(?: (?:did|do|does|were|was|are|is|have|has|had)\b.*)?$", _I
)
_LEAST = re.compile(r"^(?:the )?(\d+)\s+(best|worst|top|bottom|highest|lowest|largest|smallest)\b", _I)
_BARE_NUMBER = re.compile(r"^(?:it\s+)?(\d{1,3})$")
_THOSE = re.compile(
    r"^(?:those|the ones|ones|these|the rest)\s+(?=with|without|from|in|of|for|above|over|below)", _I
)
FORGET = re.compile(
    r"(?:(?:drop|remove|forget|ignore) (?:that|it|this)(?: again)?|forget about it|leave it|never ?mind)(?: please)?",
    re.IGNORECASE,
)
"""Takes away what was not understood; where all was, a step back in the thread."""

CHANGES = re.compile(
    r"^(?:and|also|plus|only|just|by|per|in|for|with|without|except|not|no|same|instead|top|bottom|vs|compared?|as|sort(?:ed)?|what about|how about|those|these|them|it|they|how many(?: (?:are|of|is))?$)\b",
    _I,
)
"""Words that a change of the question before begins with, and no question of its own."""

POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|those|these|that|this|there|ones?|else|same|such)\b", _I
)
"""Words that stand for what was said before."""

_IS = re.compile(r"\b(who|what|which|that)'s\b", _I)
_ONES = re.compile(r"\w\s+ones?$", _I)
_YEAR = re.compile(r"(?:19|20)\d\d")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", _I)
_TIMES = frozenset(
    f"{word}{ending}"
    for word in ("year", "month", "quarter", "week", "day", "time", "date", "period")
    for ending in ("", "s")
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What was typed without the words that only say what to do with it. `way` is add, swap, narrow, gone, compare, sort, count (of what
    was listed), list (of what was counted), moved (how far figures did between two periods), extreme (the first of the groups that `old` names), beside (a column of what is shown) or nothing.

    `old` is what is to go for it, where that was said. Of what is to go, `every` says that all of a kind is wanted again ("all cafes"),
    `once` that something left out comes back in. `others` are further ways to say the text, to be tried where the ones before come to nothing; `figure` says that it asks for one,
    `back` that it was there before.
    """

    text: str
    way: str = ""
    old: str = ""
    every: bool = False
    once: bool = False
    others: tuple[str, ...] = ()
    figure: bool = False
    back: bool = False

    @property
    def is_time(self) -> bool:
        """Whether what is to go is a period."""
        words = set(self.text.lower().split())
        return self.way == "gone" and bool(words & _TIMES or any(map(_YEAR.fullmatch, words)))

    @property
    def is_weekday(self) -> bool:
        """Whether what is to go is certain days of the week."""
        words = set(self.text.lower().split())
        return (
            self.way == "gone"
            and bool(words & {"day", "days", "weekday", "weekdays"})
            and not words & {"date", "dates"}
        )


def intent(typed: str) -> Intent:
    """Read what a follow-up, or a part of one, is about to do.

    Example:
        >>> intent("and what about Norway?").text, intent("by month instead").way, intent("all years again").way
        ('Norway', 'swap', 'gone')
    """
    asks = typed.rstrip().endswith("?")
    whole = _IS.sub(r"\1 is", " ".join(typed.split()).replace("’", "'").strip(" ?.!,"))
    text = trimmed(whole)
    if special := _of_its_own(text, whole):
        return special
    if found := next((found for one in _SWAPPED if (found := one.match(text))), None):
        return Intent(_bare(found["new"]), "swap", _bare(found["old"]))
    if found := _GONE.match(text):
        every = bool(
            re.search(
                r"\b(?:all|any|every|whole|whatever|regardless|irrespective|no matter)\b",
                text[: found.start(found.lastindex or 0)],
                _I,
            )
        )
        return Intent(_bare(next(one for one in found.groups() if one)), "gone", every=every)
    beside = bool(_TOO.search(text))
    special = _special(_TOO.sub("", text))
    return (
        (replace(special, way="add") if beside and special.way != "sort" else special)
        if special
        else _way(text, asks)
    )


def _of_its_own(text: str, whole: str) -> Intent | None:
    """Changes that are told by their whole form: the year before, back to what was, the other way round, questions for money.

    `text` is the `whole` of what was typed without what was said for politeness.
    """
    for one in (whole, text):
        if found := _EARLIER.match(one):
            return Intent(f"compared with the {(found['unit'] or found['last']).lower()} before", "compare")
    bare = trimmed(_SWAPS.sub("", _ADDS.sub("", text)))
    if found := _THE_ONE_BEFORE.match(bare):
        return Intent(f"the {(found['unit'] or found['last'] or 'period').lower()} before", "swap")
    if _BEFORE_THAT.match(bare):
        return Intent("the period before", "swap")
    if _PLAIN.match(trimmed(text)) or _PLAIN.match(whole):
        return Intent(PLAIN, "gone")
    if found := _NOT_FIRST.match(_ADDS.sub("", text)):
        said = (found["count"] or found["many"] or "1").lower()
        return Intent(f"without the first {NUMBER_WORDS.get(said, said)}", "sort")
    if _IN_TOTAL.match(_ADDS.sub("", whole)):
        return Intent(TOTAL, "count")
    if (found := _HOW_FAR.match(whole)) or (found := _HOW_FAR.match(text)):
        return Intent(GROWTH if found["percent"] or found["behind"] else CHANGE, "moved")
    if found := _SIZED.match(text):
        return Intent(f"{'smallest' if found['small'] else 'largest'} first", "sort")
    if found := _GROUP_EXTREME.match(whole):
        word = found["word"].lower()
        return Intent(f"{_FIRST_ONE.get(word, word)} 1", "extreme", old=found["group"])
    if (found := _OF_EACH.match(whole)) and re.search(r"\b(?:each|every|per|by)\b", whole, _I):
        return Intent(f"by {found['group']}", "count")
    if found := _ONES_AGED.match(whole):
        older = "older" if found["way"].lower() in ("over", "above") else "younger"
        return Intent(
            f"{older} than {found['years']}",
            "swap" if _OTHERS.match(whole) else "narrow",
            others=(f"{found['way']} {found['years']}",),
        )
    if _WHERE_THEY.match(whole):
        return Intent(PLACES[0], "beside", others=PLACES[1:])
    if found := _THEIR.match(whole):
        return Intent(found["name"], "beside")
    plain = _ADDS.sub("", whole)
    if found := _HOW_MANY.match(plain):
        return Intent(_bare(found["rest"] or ""), "count")
    if _WHO.match(plain):
        return Intent("", "list")
    if _ALL.match(text):
        return Intent("everything", "gone", every=True)
    if _ROUND.match(text):
        return Intent(ROUND, "sort")
    if (found := _AGAIN.match(whole)) and not re.match(
        r"(?:all|every|any)\b", found["old"] or found["back"], _I
    ):
        return Intent(_bare(found["old"] or found["back"]), "gone", once=True)
    if (found := _BACK.match(text)) and not _GONE.match(text):
        return Intent(_bare(trimmed(found["new"])), "swap", back=True)
    if found := _YEAR_BY_YEAR.match(bare):
        return Intent(f"by {found[1]}", "add")
    beside = bool(_ADDS.match(text) or _TOO.search(text)) and not _INSTEAD.search(text)
    asked = _INSTEAD.sub("", _TOO.sub("", bare))
    way = "add" if beside else "swap"
    if found := _WHAT_THEY.match(asked):
        verb = found["verb"].lower()
        first, *more = (f"{one}{found['rest']}" for one in _PAID[_VERBS.get(verb, verb)])
        return Intent(first, way, others=tuple(more), figure=True)
    if found := _SAME_IN.match(asked):
        return Intent(_bare(found["rest"]), way)
    if found := _EXTREME.match(plain):
        return Intent(f"{_FIRST_ONE.get(found['word'].lower(), found['word'].lower())} 1")
    if found := _HOW_MUCH.match(asked):
        what = (found["what"] or "").lower()
        first, *more = _MONEY if what in ("", "money", "in total") else (what,)
        return Intent(first, way, others=tuple(more), figure=True)
    return None


def trimmed(text: str) -> str:
    """Drop what is said before and after a change for politeness."""
    before = ""
    while before != text:
        before, text = text, _TAIL.sub("", _LEAD.sub("", text)).strip(" ,")
    return text or before


def _special(text: str) -> Intent | None:
    """Changes that are said in a form of their own."""
    if found := _COMPARED.match(text):
        return Intent(f"vs {found[1]}", "compare")
    if found := _SORTED.match(text):
        return Intent(f"sorted {found[1]}", "sort")
    if found := _EXCEPT.match(text):
        return Intent(f"without {_bare(found[1] or found[2] or found[3])}", "add")
    if found := _LEAST.match(text):
        return Intent(f"{found[2]} {found[1]}{text[found.end() :]}")
    if found := _BARE_NUMBER.match(text):
        return Intent(f"top {found[1]}")
    if _SPLIT.match(text):
        return Intent(_SPLIT.sub("", text), "add")
    return None


def _way(text: str, asks: bool) -> Intent:
    """Whether something is added, takes the place of something, or narrows."""
    way = ""
    if _SWAPS.match(text):
        text, way = _SWAPS.sub("", text), "swap"
    elif _ADDS.match(text):
        way = "swap" if asks and text.lower().startswith("and ") and len(text.split()) <= 4 else "add"
        text = trimmed(_ADDS.sub("", text))
        if _SWAPS.match(text):
            text, way = _SWAPS.sub("", text), "swap"
    if _TOO.search(text):
        text, way = _TOO.sub("", text), "add"
    if _INSTEAD.search(text):
        text, way = _INSTEAD.sub("", text), "swap"
    text = _THOSE.sub("", text)
    counts = _COUNTED.match(text)
    if counts:
        text = f"number of {counts[1]}"
    if special := _special(text):
        return replace(special, way=way) if way == "swap" and special.way != "sort" else special
    if _NARROWS.search(text):
        text, way = _NARROWS.sub("", text), way or "narrow"
    if not way and _ONES.search(text):  # of what was asked for, never a group of it
        way = "narrow"
    return Intent(_bare(trimmed(text)), way, figure=bool(counts))


def _bare(text: str) -> str:
    return _ARTICLE.sub("", text.strip(" ,"))


def swapped_for(typed: str) -> str:
    """What follows "instead of" where no mark tells the old from the new; empty where nothing does."""
    found = _INSTEAD_OF.match(" ".join(typed.split()).strip(" ?.!,"))
    return found[1] if found else ""

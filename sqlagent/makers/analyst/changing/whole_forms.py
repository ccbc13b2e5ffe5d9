"""Changes that are told by their whole form: the year before, back to what was, the other way round, questions for money."""

from __future__ import annotations

import re

from sqlagent.language.lexicon import DEED_DONE, NUMBER_WORDS
from sqlagent.makers.analyst.changing.intents import (
    ADDS,
    CHANGE,
    GONE,
    GROWTH,
    INSTEAD,
    PLAIN,
    ROUND,
    SWAPS,
    TOO,
    TOTAL,
    Intent,
    trimmed,
    without_article,
)
from sqlagent.makers.analyst.changing.ways import way_of
from sqlagent.makers.analyst.plainer import PLACES

_I = re.IGNORECASE
_RANKED_INSTEAD = re.compile(
    r"^(?:sort|rank|order) (?:it|them|these|those) (?P<by>by .+?),? (?:instead|rather)(?: please)?$", _I
)
"""Another figure to rank by: "rank them by units instead"."""
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
_YEAR_ON_YEAR = re.compile(
    r"^(?:and |as )?(?:yoy|y/y|y-o-y|year[- ](?:on|over)[- ]year)(?: (?:change|comparison|figures|numbers))?$",
    re.IGNORECASE,
)
_THE_ONE_BEFORE = re.compile(
    r"^(?:(?:in|for|from)\s+)?(?:the\s+)?(?:(?P<unit>year|quarter|month|week|period)\s+before(?: (?:that|it))?|(?:previous|prior|preceding)\s+(?P<last>year|quarter|month|week|period)|one before)$",
    re.IGNORECASE,
)
_A_YEAR_AGO = re.compile(
    r"^(?:(?:in|for|from|during)\s+)?(?:the\s+)?(?:same\s+(?:months?|quarters?|weeks?|days?|periods?|time|half(?: year)?)\s+(?:(?:of |in |from )?(?:the )?(?:year before|(?:last|previous|prior) year)|(?:a|one|the) year (?:ago|earlier|before))|(?:a|one) year (?:ago|earlier|before))$",
    re.IGNORECASE,
)
_BEFORE_THAT = re.compile(
    r"^(?:(?:in|for|during)\s+)?(?:the (?:time|one|period) )?(?:right |just )?before (?:that|it|then)$|^(?:previously|the preceding one|the previous one)$",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"^(?:(?:as|in|with|the|just|only|back to|to|show|me|give|use|it|them)\s+)*(?:plain|absolute|actual|raw|real|normal|simple|original|unconverted|bare)\s+(?:numbers?|figures?|values?|amounts?|totals?|counts?|sums?)(?: again)?$"
    r"|^(?:(?:go|switch|change|come)\s+)?(?:back|return) to (?:the\s+|plain\s+)?(?:counts?|numbers?|figures?|values?|amounts?|totals?|sums?)(?: again)?$"
    r"|^(?:(?:now|just|only|show|give me|and) )*the (?:counts?|numbers?|figures?|values?|amounts?) (?:again|themselves)$"
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
    r"^(?:what (?:is|was) )?(?:(?:and|so|but|just|only) )*(?:how (?:many|much) )?(?:(?:is|are|was|were) (?:that|it|this|they|those|these) )?(?:(?:in|as a) )?(?:the )?(?:grand )?(?:total|all|altogether|overall|all together|all in all|one number|as one number)(?: of (?:that|those|all|them|it))?(?: please)?$",
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
    r"^(?:and |with |also |plus |add |show |show me |include |give me |what (?:is|are|was|were) |list (?:(?:them |these |those )?(?:again )?(?:with|and) )?)+(?:their|its|his|her) (?P<name>[a-z][\w'-]*(?: (?!(?:too|as|also|please)\b)[a-z][\w'-]*)?)(?: too| as well| also| please)*$",
    re.IGNORECASE,
)
_GROUP_EXTREME = re.compile(
    r"^(?:and )?(?:which|what) (?:of (?:the|these|those) (?!is\b|are\b|was\b|were\b|ha[sd]\b))?(?!ones?\b|of\b)(?P<group>[\w-]+(?: [\w-]+)?) (?:has|had|have|is|was|are|were|got|does|did)(?: (?:the|it|that))? (?P<word>most|least|best|worst|highest|lowest|biggest|smallest|largest|top|fewest)(?: (?:of (?:them|those|these|all)|there))?$",
    re.IGNORECASE,
)
_AVERAGE_PER = re.compile(
    r"^(?:(?:and|as|show|the|an|on|in|what is|what was|just|instead) )*(?:average|avg\.?|mean|averages) (?:(?:per|for each|of each|by each|for every) )(?P<each>[a-z][\w'-]*(?: [a-z][\w'-]*)?)$"
    r"|^(?:and |as )?(?:per|for each|by each|for every) (?P<every>[a-z][\w'-]*(?: [a-z][\w'-]*)?),? (?:on average|in the mean|averaged)$",
    re.IGNORECASE,
)
_FIGURE_IN_TOTAL = re.compile(
    r"^(?:and )?how (?P<many>many|much) (?P<what>(?!of\b|more\b)[\w' -]+?) (?:is|are|was|were) (?:that|it|this|those|these|they) (?:in total|altogether|overall|all together|all in all|in all)$",
    re.IGNORECASE,
)
_SUMMED_UP = re.compile(
    r"^(?:and |now )?(?:(?P<verb>(?:sum|add|total|tally) (?:it|them|that|these|those|this|everything|the amounts?)(?: all)?(?: up)?|sum up|add up)|(?:the )?(?:total|sum|totals|sums)(?: amounts?| of (?:it|them|that|these|those))?|summed(?: up)?|totall?ed|added up)(?: (?P<by>(?:by|per|for each|for every) .+))$",
    re.IGNORECASE,
)
_NONE_WITHOUT = re.compile(
    r"^(?:but |and )?(?:none|nobody|no ?one|nothing|no ones|not (?:those|the ones)) without (?P<what>.+)$",
    re.IGNORECASE,
)
_RANKED = re.compile(
    r"^(?P<rank>(?:the )?(?:top|bottom|best|worst|highest|lowest|biggest|largest|smallest|first|last|\d+)\b.*?) of (?:them|those|these|all|that)$",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"^(?:(?:and|just|show|only|it|them|now) )*(?:in|as) (?:percent|per cent|%)$", re.IGNORECASE
)
_SHARE_OF_EACH = re.compile(
    r"^(?:(?:and|show|the|what is|what was|give me) )*(?:share|percentage|percent|%|part|proportion) (?:of|for|per) (?:each|every)(?: one| of (?:them|those|these))?$",
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
_THERE_EACH = re.compile(
    r"^(?:and )?how many (?:(?:of )?(?:them|those|these) )?(?:are|is|were|was)(?: (?:there|they|these|those|that|it))? (?P<each>(?:each|every|per|by|a) [a-z][\w-]*(?: [a-z][\w-]*)?)$",
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
    r"|^(?:what|how much) (?:was|is|were|are) (?:that|it|this|those|these|they) (?:worth|in money)$"
    r"|^(?:what|which) (?P<kind>amount|sum|value|total|revenue|cost|money)(?: of money)? (?:was|is|were|are|does|do|did) (?:that|it|this|those|these|they|them)(?: (?:in total|altogether|make|come to|add up to|all together|in money))*$",
    re.IGNORECASE,
)
_OTHER_PLACE = re.compile(
    r"^(?:(?:actually|sorry|no|i meant?|rather|instead|make (?:it|that)|change (?:it|that) to)[, ]+)+(?P<place>(?:from|to|into|out of|in) .+?)(?:,? instead)?$"
    r"|^(?P<instead>(?:from|to|into|out of) .+?),? instead$",
    re.IGNORECASE,
)
_COLUMNS = r"(?:(?:the|their|with|just|only) )*(?P<columns>(?:names?|[a-z][\w'-]*(?: [a-z][\w'-]*){0,2})(?:, (?:and )?[a-z][\w'-]*(?: [a-z][\w'-]*){0,2})*(?:,? and (?:the |their )?[a-z][\w'-]*(?: [a-z][\w'-]*){0,2})?)"
_SOME_LISTED = re.compile(
    rf"^(?:and |so |but )*(?:which|who)(?: ones)?(?: of (?:them|those|these))?(?: ones)? (?P<rest>[^?]+)\? *(?:please )?(?:(?:list|show|give)(?: me| us)?:? )?{_COLUMNS}$",
    re.IGNORECASE,
)
_LISTED_WITH = re.compile(
    rf"^(?:(?:and|now|please|can you|could you|also) )*(?:(?:list|show|give|name)(?: me| us)? (?:them|those|these|each)(?: all)?(?: by name)?,? (?:with|showing|including|and)"
    rf"|as a list,? (?:with|of|showing)|(?:list|show|give)(?: me| us)? (?=(?:the |their )?(?:names?|numbers?)(?:,| and )))(?: their| the)? {_COLUMNS}$"
    rf"|^(?=(?:their )?names?(?:,| and ))(?:their )?(?P<named>names?(?:, [a-z][\w' -]*?)*(?:,? and (?:the |their )?[a-z][\w' -]*)?)$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"^how many (?:are|is|were|was) (?:they|there|these|those|that|it|them)(?: (?:in total|altogether|all together))?$|^how many(?: (?:of (?:them|those|these)|in total|altogether))?$"
    r"|^how many of (?:them|those|these) (?:(?:are|were|was|is|have|had|did|do) )?(?P<rest>.+)$"
    rf"|^how many (?P<did>{DEED_DONE}.*)$|^(?:(?:just|only|now|and) )*count (?:them|those|these)(?: (?:only|up))?$",
    re.IGNORECASE,
)
_WHICH_OF = re.compile(
    r"^(?:and |so )?(?:which|who)(?: ones)? of (?:them|those|these)(?: ones)? (?P<rest>(?:are|is|were|was|have|has|had|did|do|does|never|got)\b.+)$",
    re.IGNORECASE,
)
_FIGURE_THERE = re.compile(
    r"^(?:what|which|how much) (?P<what>[a-z][\w' -]*?) (?:is|was|are|were|do|does|did|has|have)(?: (?:we|they|it))?(?P<rest>(?: (?!(?:with|of|for|from|by|in|on|there)\b)[\w'-]+)*(?: on hand| in stock)?) "
    r"(?:there|(?:with|of|for|from|by|in|on) (?:them|those|these|it|that)(?: all)?)$",
    re.IGNORECASE,
)
_BASED_ON = re.compile(
    r"^(?:on )?how many (?P<what>[a-z][\w' -]*?) (?:is|are|was|were) (?:that|this|it|those|these|they) (?:based|computed|calculated|measured)(?: (?:on|from|over))?$",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^(?:who|which|what|which ones) (?:are|were|is|was) (?:they|those|these|that|it|them)$|^(?:show|list|name|give|tell)(?: me)?(?: all of)? (?:them|those|these|their names|the names|the list)(?: all)?$"
    r"|^which ones(?: exactly)?$|^(?:as a list|the list|(?:(?:the|their|just|only) )*names)$",
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
_AVERAGED = re.compile(
    r"^(?:(?:and|now|show|give me|what is|what was|what's|the|an|on|in|only|just|as|but) )*(?:averages?|avg\.?|mean)(?: values?| figures?)?(?: (?:instead|rather|too|as well|also|alongside|beside it))?$",
    re.IGNORECASE,
)


def by_whole_form(text: str, whole: str) -> Intent | None:
    """Read a change that its whole form tells: the year before, back to what was, the other way round, a question for money.

    `text` is the `whole` of what was typed without what was said for politeness. None for any other change.
    """
    bare = trimmed(SWAPS.sub("", ADDS.sub("", text)))
    plain = ADDS.sub("", whole)
    return (
        _elsewhere(text, whole, bare)
        or _of_figures(text, whole)
        or _of_groups(text, whole)
        or _of_them(text, whole, plain)
        or _asked_of_them(text, bare, plain)
    )


def _elsewhere(text: str, whole: str, bare: str) -> Intent | None:
    """Another place, another period, or the list of what was there."""
    if found := _OTHER_PLACE.match(whole):
        return Intent(without_article(found["place"] or found["instead"]), "swap")
    if found := _SOME_LISTED.match(whole):
        return Intent(found["rest"], "list", columns=found["columns"])
    if found := _LISTED_WITH.match(whole):
        return Intent(
            "", "list", columns=re.sub(r"\b(?:the|their) ", "", found["columns"] or found["named"], flags=_I)
        )
    if _YEAR_ON_YEAR.match(text):
        return Intent("compared with the year before", "compare")
    for one in (whole, text):
        if found := _EARLIER.match(one):
            return Intent(f"compared with the {(found['unit'] or found['last']).lower()} before", "compare")
    if found := _RANKED_INSTEAD.match(whole):
        return Intent(found["by"], "swap")
    if found := _THE_ONE_BEFORE.match(bare):
        return Intent(f"the {(found['unit'] or found['last'] or 'period').lower()} before", "swap")
    if _A_YEAR_AGO.match(bare) or _A_YEAR_AGO.match(_OTHERS.sub("", text).strip()):
        return Intent("the year before", "swap")
    if _BEFORE_THAT.match(bare):
        return Intent("the period before", "swap")
    return None


def _of_figures(text: str, whole: str) -> Intent | None:
    """Other figures of what was there: plain ones, totals, averages, shares, how far they moved."""
    if _PLAIN.match(trimmed(text)) or _PLAIN.match(whole):
        return Intent(PLAIN, "gone")
    if found := _NOT_FIRST.match(ADDS.sub("", text)):
        said = (found["count"] or found["many"] or "1").lower()
        return Intent(f"without the first {NUMBER_WORDS.get(said, said)}", "sort")
    if _IN_TOTAL.match(ADDS.sub("", whole)):
        return Intent(TOTAL, "count")
    if (found := _HOW_FAR.match(whole)) or (found := _HOW_FAR.match(text)):
        text = GROWTH if found["percent"] or found["behind"] else CHANGE
        return Intent(text, "moved", bare=bool(_PERCENT.match(whole)))
    if _AVERAGED.match(whole) or _AVERAGED.match(text):
        return Intent("average", "averaged", figure=True)
    if found := _AVERAGE_PER.match(text):
        return Intent(found["each"] or found["every"], "each", figure=True)
    if found := _SUMMED_UP.match(text):
        is_said = found["verb"] is None
        return Intent(found["by"], "summed", old=text if is_said else "")
    if found := _FIGURE_IN_TOTAL.match(whole):
        return Intent(
            f"number of {found['what']}" if found["many"].lower() == "many" else found["what"],
            "overall",
            figure=True,
        )
    if _SHARE_OF_EACH.match(whole):
        return Intent("as a share of the total")
    return None


def _of_groups(text: str, whole: str) -> Intent | None:
    """Rows, groups or an order of what was there, or a column beside it."""
    if found := _NONE_WITHOUT.match(whole):
        return Intent(f"with {found['what']}", "narrow")
    if found := _SIZED.match(text):
        return Intent(f"{'smallest' if found['small'] else 'largest'} first", "sort")
    if found := _GROUP_EXTREME.match(whole):
        word = found["word"].lower()
        return Intent(f"{_FIRST_ONE.get(word, word)} 1", "extreme", old=found["group"])
    if (found := _OF_EACH.match(whole)) and re.search(r"\b(?:each|every|per|by)\b", whole, _I):
        return Intent(f"by {found['group']}", "count")
    if found := _THERE_EACH.match(whole):
        return Intent(re.sub(r"^a(?= )", "per", found["each"], flags=_I), "tallied", figure=True)
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
        name = found["name"]
        return Intent(name, "beside", others=(name.removesuffix("s"),) if name.endswith("s") else ())
    return None


def _of_them(text: str, whole: str, plain: str) -> Intent | None:
    """Intent to count or list the same rows, to show the first or all of them, to reverse their order, or to bring rows back."""
    if (found := _RANKED.match(plain)) and not _HOW_MANY.match(plain):
        return way_of(found["rank"], asks=False)
    if found := _BASED_ON.match(plain):
        return Intent(f"number of {found['what']}", "add", figure=True)
    if found := _EXTREME.match(plain):
        return Intent(f"{_FIRST_ONE.get(found['word'].lower(), found['word'].lower())} 1")
    if found := _WHICH_OF.match(plain):
        return Intent(found["rest"], "list")
    if found := _HOW_MANY.match(plain):
        return Intent(without_article(found["rest"] or found["did"] or ""), "count")
    if _WHO.match(plain) or _WHO.match(text):
        return Intent("", "list")
    if _ALL.match(text):
        return Intent("everything", "gone", every=True)
    if _ROUND.match(text):
        return Intent(ROUND, "sort")
    if (found := _AGAIN.match(whole)) and not re.match(
        r"(?:all|every|any)\b", found["old"] or found["back"], _I
    ):
        return Intent(without_article(found["old"] or found["back"]), "gone", once=True)
    if (found := _BACK.match(text)) and not GONE.match(text):
        return Intent(without_article(trimmed(found["new"])), "swap", back=True)
    return None


def _asked_of_them(text: str, bare: str, plain: str) -> Intent | None:
    """Questions of what was there: by which period, how much money."""
    if found := _YEAR_BY_YEAR.match(bare):
        return Intent(f"by {found[1]}", "add")
    beside = bool(ADDS.match(text) or TOO.search(text)) and not INSTEAD.search(text)
    asked = INSTEAD.sub("", TOO.sub("", bare))
    way = "add" if beside else "swap"
    if found := _WHAT_THEY.match(asked):
        verb = found["verb"].lower()
        first, *more = (f"{one}{found['rest']}" for one in _PAID[_VERBS.get(verb, verb)])
        return Intent(first, way, others=tuple(more), figure=True)
    if found := _SAME_IN.match(asked):
        return Intent(without_article(found["rest"]), way)
    if found := _FIGURE_THERE.match(asked):
        others = (f"{found['what']}{found['rest']}",) if found["rest"] else ()
        return Intent(found["what"], way, others=others, figure=True)
    if found := _HOW_MUCH.match(asked):
        what = (found["what"] or found["kind"] or "").lower()
        what = "" if what in ("amount", "sum", "value", "total", "money") else what
        first, *more = _MONEY if what in ("", "money", "in total") else (what,)
        return Intent(first, way, others=tuple(more), figure=True)
    return None

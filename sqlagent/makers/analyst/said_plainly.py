"""Phrases that say the same in every business, put into the one that is understood: "due date has passed" is past due.

Holds words of English alone, no name of a source. A question that was put so stays as it is.
"""

from __future__ import annotations

import re

_HIGH = "highest|largest|biggest|most|best|lowest|smallest|fewest|least|worst|slowest|fastest|quickest|longest|shortest|newest|latest|oldest|earliest"
_UNIT = "days|hours|minutes|weeks|months"
_DEED = r"(?:(?:an? |the |our |its |their |it |they )?(?:[a-z]+ )??(?:being |is |are |was |were |gets? |got ))?(?:the )?"
"""Words before a deed that say nothing beside it: "a job being" ordered, "it was" paid."""

_NOT_DONE = "(?<!ed )(?<!paid )(?<!sent )(?<!made )(?<!done )"
"""Words before a due date by which it is said of a deed: paid past their due date is late, and not overdue."""

_DONE = "[a-z]{3,}ed|paid|sent|made|done|brought back|handed in"
_ON_TIME = "on time|in time|punctually|on schedule|within the deadline|(?:by|before) the (?:deadline|(?:due|promised|agreed) date)"
_NOW = "(?:already |now |long )?"
_AMOUNT = "(?:amount|value|sum|worth|total)"
_THEY = "(?:they|it|that|these|those)"

_SAID = tuple(
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
        (rf"\b((?:time|times|duration|length|delay|wait|turnaround)),? ?\((?:in )?({_UNIT})\)", r"\1 in \2"),
        (r"\b(time|times|duration|length|delay|wait|turnaround),? ?\((?:in )?mins?\)", r"\1 in minutes"),
        (r"\b(time|times|duration|length|delay|wait|turnaround),? ?\((?:in )?(?:h|hrs?)\)", r"\1 in hours"),
        (rf"\btime in ({_UNIT}) (?=(?:from|between|until)\b)", r"\1 "),
        (rf"\b(?:how many|(?:the )?(?:number|no\.?|nr\.?) of) ({_UNIT}) (?:usually |typically |on average )?(?:pass|passes|passed|go by|elapse|lie|there are|are there|it takes|it took|does it take|did it take|do we need|are needed)(?: on average)? (?:between|from) {_DEED}([a-z]+)(?: date| day)? (?:and|to|until|till) {_DEED}([a-z]+)", r"\1 from \2 to \3"),
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
"""Phrases and what they say, in the order in which they are put."""


def said_plainly(text: str) -> str:
    """Give a question in the phrases that are understood.

    Example:
        >>> said_plainly("open bills whose due date has passed, >= 50 euro")
        'open bills past due, at least 50 euro'
        >>> said_plainly("On average, how many days pass between a job being ordered and it being finished?")
        'average days from ordered to finished?'
        >>> said_plainly("how many bills were rejected in 2025, and what was their total amount?")
        'number and total amount of bills were rejected in 2025'
    """
    for found, written in _SAID:
        text = found.sub(written, text)
    return text.strip()

"""The longest time to do something: "which insurer takes longest to decide a claim" is the one with the greatest average time from begin to end.

One slow case does not make its insurer slow, so the average of each is meant, whether that is said or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.language.words import singular

_WHO = r"(?P<who>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_TAKES = re.compile(
    rf"^(?:which|what) {_WHO} (?:usually |typically |generally )?(?:takes?|took|needs?|needed|is|are|was) (?:the )?(?P<way>longest|most time|slowest|shortest|least time|fastest|quickest)(?: time)? (?:to|in|at) (?P<deed>[a-z][\w' -]*?)(?P<when>,? (?:in|during|since|this|last) [^,]+?)?(?:,? (?:on average|typically|usually|at the mean))?$",
    re.IGNORECASE,
)
_HOW_LONG = re.compile(
    r"^how (?:long|(?:many|much) (?P<unit>days|hours|minutes|weeks|time)) (?:do|does|did) (?P<each>(?:each|every) )?(?:(?:of )?(?:the|our) )?(?P<who>[a-z][\w-]*(?: [a-z][\w-]*)??) (?:usually |typically |generally )?(?:take|need)(?:,? on average,?)? to (?P<deed>[a-z][\w' -]*?)(?:,? on average)?(?P<tail>,? (?:[a-z]+ first|(?:in|during|since|this|last) [^,]+?))?$",
    re.IGNORECASE,
)
_RANKED_BY = re.compile(
    r"^(?:the |our |all )?(?P<who>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:ranked|sorted|ordered) by (?:their |the )?(?P<figure>(?:average|avg|mean|median) (?:[a-z]+ )??(?:time|days|hours|minutes) (?:to|from|between|until) [\w' -]+?)(?P<tail>, [a-z]+ first)?$",
    re.IGNORECASE,
)
_MOST_DAYS = re.compile(
    rf"^(?:(?:which|what|the) )*{_WHO} (?:with|has|have) (?:the )?(?P<way>highest|longest|most|greatest|largest|lowest|shortest|smallest|fewest) (?:average |avg |mean |typical )+(?:number of |no\.? of )?(?:days|time|hours|duration)(?: spent| needed| taken)? (?P<way_to>to|from|between) (?P<deed>[a-z][\w' -]*?)(?P<when>,? (?:in|during|since|this|last) [^,]+?)?$",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"^(?=.*\b(?:on average|typically|usually|generally)\b)(?:(?:which|what|the) )*{_WHO} (?:usually |typically |generally )?(?:takes?|took|needs?|needed|requires?|required|with) (?:the )?(?P<way>longest|most|least|shortest)(?: time)? (?:on average |typically )?(?P<way_to>from|between) (?P<deed>[a-z][\w' -]*?)(?P<when>,? (?:in|during|since|this|last) [^,]+?)?(?:,? (?:on average|typically|usually))?$",
    re.IGNORECASE,
)
_SLOWEST = re.compile(
    rf"^(?:(?:which|what|the|is|are) )*(?P<way>slowest|fastest|quickest) {_WHO} (?:in|at|on|to|with|for) (?P<deed>[a-z][\w' -]*?)(?P<when>,? (?:in|during|since|this|last) [^,]+?)?(?:,? (?:on average|on avg|avg|average|typically|usually))?$",
    re.IGNORECASE,
)
_SHORTEST = frozenset(
    {"shortest", "least time", "least", "fastest", "quickest", "lowest", "smallest", "fewest"}
)


def longest_to(text: str) -> Iterator[str]:
    """Give the question as an average length of time by those asked for, the first of them where the longest is.

    Example:
        >>> list(longest_to("how long do our insurers take to pay on average, slowest first"))
        ['average days to pay by insurer, slowest first']
    """
    text = text.strip().rstrip("?.! ")
    if found := _RANKED_BY.match(text):
        yield f"{found['figure']} by {singular(found['who'])}{found['tail'] or ''}"
        return
    if found := _HOW_LONG.match(text):
        who = singular(found["who"])
        if found["each"] or who != found["who"].lower():  # "how long does a customer take" is of all
            unit = (found["unit"] or "days").lower().replace("time", "days")
            yield f"average {unit} to {found['deed']} by {who}{found['tail'] or ''}"
        return
    found = next(
        filter(None, (way.match(text) for way in (_TAKES, _MOST_DAYS, _FROM_TO, _SLOWEST))),
        None,
    )
    if found is None:
        return
    end = "bottom" if found["way"].lower() in _SHORTEST else "top"
    one = 1 if not found["who"].lower().endswith("s") or found["who"].lower().endswith("ss") else 5
    when = (found["when"] or "").lstrip(",")
    deed = (
        re.sub(r"ing\b", "", found["deed"], count=1)
        if found["deed"].lower().split()[0].endswith("ing")
        else found["deed"]
    )
    way = (found.groupdict().get("way_to") or "to").lower()
    yield f"average days {way} {deed}{when} by {found['who']}, {end} {one}"

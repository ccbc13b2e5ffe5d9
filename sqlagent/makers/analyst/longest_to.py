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
_SHORTEST = frozenset({"shortest", "least time", "fastest", "quickest"})


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
    found = _TAKES.match(text)
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
    yield f"average days to {deed}{when} by {found['who']}, {end} {one}"

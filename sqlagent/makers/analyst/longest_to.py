"""The longest time to do something: "which insurer takes longest to decide a claim" is the one with the greatest average time from begin to end.

One slow case does not make its insurer slow, so the average of each is meant, whether that is said or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WHO = r"(?P<who>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_TAKES = re.compile(
    rf"^(?:which|what) {_WHO} (?:usually |typically |generally )?(?:takes?|took|needs?|needed|is|are|was) (?:the )?(?P<way>longest|most time|slowest|shortest|least time|fastest|quickest)(?: time)? (?:to|in|at) (?P<deed>[a-z][\w' -]*?)(?P<when>,? (?:in|during|since|this|last) [^,]+?)?(?:,? (?:on average|typically|usually|at the mean))?$",
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
    """Give the question as an average length of time by those asked for, the first of them."""
    text = text.strip().rstrip("?.! ")
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

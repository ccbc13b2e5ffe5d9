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
_SHORTEST = frozenset({"shortest", "least time", "fastest", "quickest"})


def longest_to(text: str) -> Iterator[str]:
    """Give the question as an average length of time by those asked for, the first of them."""
    found = _TAKES.match(text.strip().rstrip("?.! "))
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

"""The rules about what is counted or summed: top lists, another figure in the old one's place, who has the most."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlagent.language.words import plural_of
from sqlagent.makers.followups.change import Change
from sqlagent.makers.followups.patterns import DOES_EACH, EACH, GROUPING, TOP, lead_off
from sqlagent.makers.followups.replacing import noun

_VERB = r"(?:is|are|was|were|did|do|does|have|has|had|came|comes|come)"
_HOW = re.compile(
    rf"^how (many|much) ((?:(?!{_VERB}\b)[\w'-]+\s+){{0,3}}?(?!{_VERB}\b)[\w'-]+)(?=\s+{_VERB}\b|\s+(?:by|per|in|for)\b|$)",
    re.IGNORECASE,
)
_WHAT = re.compile(
    r"^((?:what (?:is|was|are|were)|show(?: me)?|list|give me)\s+)((?:the\s+)?[\w'-]+(?:\s+(?!(?:by|per|in|for|of|each|every|from|since|last)\b)[\w'-]+){0,4}?)"
    r"(?=\s+(?:by|per|in|for|of|each|every|from|since|last)\b|$)",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(most|least|highest|lowest|fewest)\s+([\w'-]+)(?=$|\s+(?:in|for|by|from|since|of|with)\b|,)",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"(?:(how many|how much)\s+|(?:the\s+)?(number|count|amount) of\s+|the\s+)?([a-z][\w'-]*(?:\s+[a-z][\w'-]*){0,2})$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Group:
    """The group of a question's figures ("each country"), and what stands before and after it."""

    noun: str
    head: str
    tail: str

    @classmethod
    def of(cls, text: str) -> Group | None:
        """Find the one grouping of a question; None where there is none or more than one."""
        found = GROUPING.search(text) or EACH.search(text)
        if not found or " and " in found.group(2):
            return None
        noun, year = re.fullmatch(r"(.*?)((?:\s+\d{4})?)", found.group(2)).groups()  # type: ignore[union-attr]
        whole = DOES_EACH.search(text) or found
        head = re.sub(r"\s+(?:in|for|from|of|at)$", "", text[: whole.start()].strip())
        tail = (f" in{year}" if year else "") + text[whole.end() :]
        return cls(re.sub(r"^the\s+", "", noun, flags=re.IGNORECASE), head, tail)


def ranked(change: Change, side: str, number: str) -> bool:
    """State figures of a group as a top list: "revenue by country in 2024" -> "Top 5 countries by revenue in 2024"."""
    group = Group.of(change.now)
    named = _measure_of(group.head) if group else ""
    if not group or not named:
        return False
    change.now, change.mark = f"{side} {number} {plural_of(group.noun)} by {named}{group.tail}", ""
    return True


def which_has(change: Change, part: str, adds: bool) -> bool:
    """`which has the fewest?`, `which one had the most?`: one of the things the figures are for."""
    found = re.fullmatch(rf"which(?: ones?)?\s+({_VERB}\s+.+)", part, re.IGNORECASE)
    group = Group.of(change.now) if found else None
    named = _measure_of(group.head) if group else ""
    if not found or not group or not named:
        return False
    rest = found.group(1)
    if re.search(r"(?:most|least|fewest|highest|lowest|best|worst)$", rest, re.IGNORECASE):
        rest += f" {named.removeprefix('number of ')}"
    change.now, change.mark = f"Which {group.noun} {rest}{group.tail}", "?"
    return True


def measure(change: Change, part: str, adds: bool) -> bool:
    """`and how many units?`, `the number of orders instead`, `what about profit?`: another figure for the same."""
    asked = bool(re.match(r"(?:what|how) about\b", part, re.IGNORECASE)) or adds
    new = _NEW.fullmatch(lead_off(part))
    if (
        not new
        or not new.group(3)[0].islower()
        or new.group(3).endswith("ones")
        or change.values_like(new.group(3))
    ):
        return False
    words = new.group(3)
    counted = (new.group(1) or "").lower() == "how many" or (new.group(2) or "").lower() in (
        "number",
        "count",
    )
    summed = bool(new.group(1) or new.group(2)) and not counted
    if not counted and not summed:
        if noun(change, part, adds):
            return True
        if not asked or len(words.split()) > 2:
            return False
        counted = change.names.is_table(words.split()[-1])
        if counted and not change.now.lower().startswith("how much"):
            return False
    if how := _HOW.match(change.now):
        word = "many" if counted or (how.group(1).lower() == "many" and not summed) else "much"
        change.put(how.start(1), how.end(2), f"{word} {words}")
    elif what := _WHAT.match(change.now):
        change.put(what.start(2), what.end(2), f"the number of {words}" if counted else f"the {words}")
    elif most := _MOST.search(change.now):
        change.put(most.start(2), most.end(2), words)
    elif (top := TOP.search(change.now)) and (by := re.match(r"[\w'-]+", change.now[top.end() :].lstrip())):
        at = len(change.now) - len(change.now[top.end() :].lstrip())
        change.put(at, at + by.end(), f"number of {words}" if counted else words)
    else:
        return False
    return True


def _measure_of(head: str) -> str:
    """Name what a question counts or sums, from the words before its grouping."""
    verb = rf"(?:\s+{_VERB}\b(?:\s+there)?(?:\s+(?:placed|made|sold|recorded))?(.*))?$"
    many = re.match(rf"how many (.+?){verb}", head, re.IGNORECASE)
    much = re.match(rf"how much (.+?){verb}", head, re.IGNORECASE)
    if many:
        named = f"number of {many.group(1)}{many.group(2) or ''}"
    elif much:
        named = f"{much.group(1)}{much.group(2) or ''}"
    else:
        named = re.sub(
            r"^(?:what (?:is|was|are|were)|show(?: me)?|list|give me|find)\s+", "", head, flags=re.I
        )
    named = re.sub(r"^the\s+", "", named, flags=re.IGNORECASE)
    if not 0 < len(named.split()) <= 6 or re.match(r"(?:which|who|where|when|why)\b", named, re.IGNORECASE):
        return ""
    return named[0].lower() + named[1:] if named[1:2].islower() else named

"""The rules that put one thing in the place of another: a noun, a stored value, a word said more closely."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.followups.change import Change
from sqlagent.makers.followups.patterns import INTERROGATIVE, WHEN, WHICH, lead_off


def noun(change: Change, part: str, adds: bool) -> bool:
    """`what about products?`, `the same for suppliers`, `and the price?`: another table or figure in the old one's place."""
    body = re.sub(r"^the\s+", "", lead_off(part), flags=re.IGNORECASE)
    words = body.split()
    if re.match(r"(?:only|just)\b", part, re.IGNORECASE):
        return False
    if not 0 < len(words) <= 3 or not change.names.is_name(words[-1]) or WHEN.fullmatch(body):
        return False
    if len(words) > 1 and change.names.is_table(words[-1]) and not change.names.is_name(words[0]):
        return False
    table = change.names.is_table(words[-1])
    wanted: Callable[[str], bool] = change.names.is_table if table else change.names.is_figure
    for found in re.finditer(r"[\w'-]+", change.now):
        if wanted(found.group(0)) and stem(found.group(0).lower()) != stem(words[-1].lower()):
            change.put(found.start(), found.end(), body)
            return True
    if table and (which := WHICH.search(change.now)):
        change.put(which.start(3), which.end(3), plural_of(body))
        return True
    return False


def value(change: Change, part: str, adds: bool) -> bool:
    """`what about France?`, `only Norway`, `also Italy`, `just the completed ones`: a value for one of the same kind."""
    if INTERROGATIVE.match(re.sub(r"^(?:what|how) about\b", "", part, flags=re.IGNORECASE)):
        return False
    body = lead_off(part)
    body = re.sub(r"\s+(?:ones?|only)$", "", body, flags=re.IGNORECASE)
    placed = re.match(r"(?:in|for|from|of|at|by|to)\s+", body, re.IGNORECASE)
    new = body[placed.end() :] if placed else body
    new = re.sub(r"^the\s+(?=[a-z])", "", new)
    words = new.split()
    if not words or len(words) > 4:
        return False
    tail = words[-1]
    if len(words) > 1 and change.names.is_table(tail):
        words = words[:-1]
        new = " ".join(words)
    old = _same_kind(change, new)
    also = adds and not re.match(r"(?:what|how) about", part, re.IGNORECASE)
    if old is not None and also and not re.match(r"(?:only|just)\b", part, re.IGNORECASE):
        change.put(old.end(), old.end(), f" or {new}")
        return True
    if old is not None:
        change.put(old.start(), old.end(), new)
        return True
    if new[0].isupper() or new[0] in "\"'" or change.names.holders(new) and placed:
        change.append(f"{placed.group(0).strip() if placed else 'for'} {new}")
        return True
    if len(words) == 2 and change.names.is_name(words[-1]) and not change.names.is_name(words[0]):
        change.append(f"for the {new}")
        return True
    if len(words) > 2 or placed:
        return False
    for found in re.finditer(r"[\w'-]+", change.now):
        if change.names.is_table(found.group(0)):
            change.put(found.start(), found.start(), f"{new} ")
            return True
    return False


def _same_kind(change: Change, new: str) -> re.Match[str] | None:
    """Find the value a new one takes the place of: in the same column, else written alike."""
    found = change.values()
    holders = change.names.holders(new)
    if holders:
        known = [m for m in found if change.names.holders(m.group(0).strip("\"'"))]
        same = [m for m in found if holders & change.names.holders(m.group(0).strip("\"'"))]
        if same or len(known) == len(found):
            return same[-1] if same else None
    alike = [m for m in found if m.group(0).strip("\"'")[:1].isupper() == new.strip("\"'")[:1].isupper()]
    return alike[-1] if alike else None


def refined(change: Change, part: str, adds: bool) -> bool:
    """`revenue after returns`, `net revenue`: a word of the question said more closely."""
    words = re.findall(r"[\w'-]+", part)
    here = {stem(w.lower()): w for w in re.findall(r"[\w'-]+", change.now)}
    known = [w for w in words if stem(w.lower()) in here and w.lower() not in STOP_WORDS]
    if (
        INTERROGATIVE.match(part)
        or len(known) != 1
        or not 1 < len(words) <= 4
        or re.match(r"(?:as|only|just|by|in|for|with)\b", part, re.I)
    ):
        return False
    old = re.search(rf"\b{re.escape(here[stem(known[0].lower())])}\b", change.now)
    if old is None:
        return False
    change.put(old.start(), old.end(), re.sub(r"^the\s+", "", part, flags=re.IGNORECASE))
    return True

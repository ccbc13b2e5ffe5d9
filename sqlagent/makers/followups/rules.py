"""The rules that know a kind of follow-up each; the first that knows makes the change.

A rule takes the question so far, one part of what was typed, and whether that part adds
("and by country") rather than replaces; it says whether it made the change.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlagent.language.words import plural_of, stem
from sqlagent.makers.followups.change import Change
from sqlagent.makers.followups.measuring import measure, ranked, which_has
from sqlagent.makers.followups.patterns import (
    ASKS,
    BARE_MONTH,
    BEST,
    BEST_BY,
    DOES_EACH,
    EACH,
    FIGURES,
    GROUPING,
    INTERROGATIVE,
    MONTH,
    NUMBER,
    OPPOSITE,
    PERIODS,
    PLACES_TIME,
    SHARE,
    SORTED,
    TIMES,
    TOP,
    WHEN,
    WHICH,
    YEAR,
    cased,
    is_moment,
    is_number,
    lead_off,
)
from sqlagent.makers.followups.replacing import noun, refined, value


def pronoun(change: Change, part: str, adds: bool) -> bool:
    """`how many of them ordered in 2024?`, `which of those are active?`, `what is their average price?`."""
    subject = change.subject()
    of_them = re.search(
        r"\bof (?:them|those|these)\b|\b(?:them|they)\b|(?<=which )ones\b", part, re.IGNORECASE
    )
    their = re.search(r"\btheir\b", part, re.IGNORECASE)
    if not subject or not ASKS.match(part) or not (of_them or their):
        return False
    if of_them:
        several = of_them.group(0).lower().startswith("of") and re.match(rf"{NUMBER}\b", subject)
        words = (
            part[: of_them.start()] + (f"of the {subject}" if several else subject) + part[of_them.end() :]
        )
        words = re.sub(r"^(which|how many)( .*?) are there$", r"\1\2", words, flags=re.IGNORECASE)
    else:
        words = re.sub(r"\btheir\b", "the", part, flags=re.IGNORECASE) + f" of the {subject}"
    change.now, change.mark = words[:1].upper() + words[1:], "?" if INTERROGATIVE.match(words) else ""
    return True


def superlative(change: Change, part: str, adds: bool) -> bool:
    """`only the 10 cheapest`, `the 10 most expensive`, `the oldest ones`: which of the things listed."""
    found = re.fullmatch(
        rf"(?:only |just )?(?:the )?(?:({NUMBER}) )?({BEST})(?: ones?)?", part, re.IGNORECASE
    )
    if not found:
        return False
    number = f"{found.group(1)} " if found.group(1) else ""
    old = re.search(rf"\b(?:the )?({NUMBER} )?{BEST}(?=\s+[\w'-]+)", change.now, re.IGNORECASE)
    if old:
        change.put(old.start(), old.end(), f"the {number or old.group(1) or ''}{found.group(2)}")
        if number and not old.group(1):
            change.several(f"the {number}{found.group(2)}")
        return True
    for word in re.finditer(r"(?:\ball\s+)?(?:\bthe\s+)?\b([\w'-]+)", change.now):
        if change.names.is_table(word.group(1)):
            change.put(word.start(), word.end(), f"the {number}{found.group(2)} {word.group(1)}")
            return True
    return False


def removal(change: Change, part: str, adds: bool) -> bool:
    """`remove the year`, `all years`, `drop the limit`, `without the date filter`: what is there goes away."""
    found = re.fullmatch(
        r"(?:(?:remove|drop|ignore|clear|without|skip|forget)\s+(?:about\s+)?(?:the\s+)?|(?:for\s+)?all\s+)"
        r"([\w-]+?)(?:\s+(?:filter|condition|limit|grouping))?",
        part,
        re.IGNORECASE,
    )
    if not found:
        return False
    what = found.group(1).lower()
    if what in ("year", "years", "month", "months", "date", "dates", "time", "period", "quarter"):
        old = next((m for m in WHEN.finditer(change.now) if not is_number(m, change.now)), None)
    elif what in ("order", "sorting", "sort"):
        old = SORTED.search(change.now)
    else:
        old = next((m for m in GROUPING.finditer(change.now) if stem(m.group(2).lower()) == stem(what)), None)
    if old is None:
        return False
    change.put(old.start(), old.end(), "")
    return True


def more_or_fewer(change: Change, part: str, adds: bool) -> bool:
    """`top 10`, `first 20`, `bottom 3`, `just 10`, `limit to 10`, `top 10 products`."""
    part = lead_off(part)
    found = re.fullmatch(
        rf"(?:only |just )?(?:the )?(?:limit(?: it| them)?(?: to)? )?(top|bottom|first|last|best|worst)?\s*({NUMBER})"
        rf"(?:\s+(?:rows|results|of them))?(?:\s+([a-z][\w-]*))?",
        part,
        re.IGNORECASE,
    )
    if not found or re.fullmatch(YEAR, found.group(2)):
        return False
    side, number, noun = found.groups()
    if noun and not change.names.is_name(noun):
        return False
    low = (side or "top").lower()
    top = re.search(
        rf"\b(top|bottom|first|last)(?!\s+(?:\d+\s+)?(?:name|{'|'.join(TIMES)}))(\s+{NUMBER})?\b",
        change.now,
        re.I,
    )
    which = WHICH.search(change.now)
    if top:
        word = top.group(1) if not side or low in ("best", "worst") else side
        change.put(top.start(), top.end(), f"{cased(word, top.group(1))} {number}")
        if not top.group(2) and not noun:
            change.now = re.sub(
                rf"(\b{word} {number}\s+)([\w'-]+)",
                lambda m: m.group(1) + plural_of(m.group(2)),
                change.now,
                flags=re.I,
            )
    elif which:
        change.put(which.start(2), which.end(2), number)
    elif one := change.which_one():
        change.put(one.start(2), one.end(2), f"{number} {plural_of(one.group(2))}")
        change.agree()
    elif best := re.search(rf"\bthe ({BEST}\s+)([\w'-]+)", change.now, re.IGNORECASE):
        change.put(best.start(), best.end(), f"the {number} {best.group(1)}{best.group(2)}")
        change.several(f"the {number} {best.group(1).strip()}")
    elif not ranked(change, "Bottom" if low in ("bottom", "worst", "last") else "Top", number):
        change.append(f", {low if low in ('bottom', 'last', 'first') else 'top'} {number} only")
        return True
    else:
        return True
    if (low in ("bottom", "worst")) and not top:
        opposite(change, "opposite", False)
    if noun and (grouped := TOP.search(change.now)):
        change.put(grouped.start(3), grouped.end(3), f"{noun} ")
    return True


def opposite(change: Change, part: str, adds: bool) -> bool:
    """`the lowest instead`, `the worst`, `the other way round`, `the opposite`."""
    low = re.sub(r"^(?:the|only|just)\s+", "", part.lower())
    turned = low in ("opposite", "other way round", "other way around", "reverse")
    if not turned and low.removesuffix(" ones") not in OPPOSITE:
        return False
    for found in re.finditer(r"[A-Za-z]+", change.now):
        word = found.group(0).lower()
        if word in OPPOSITE and (turned or OPPOSITE[word] == low.removesuffix(" ones")):
            change.put(found.start(), found.end(), cased(OPPOSITE[word], found.group(0)))
            return True
    return False


def grouping(change: Change, part: str, adds: bool) -> bool:
    """`by month`, `per country`, `monthly`, `split by store`, `for each product`; `and by ...` adds one."""
    part = lead_off(part)
    low = part.lower()
    if low in PERIODS:
        noun = PERIODS[low]
    else:
        found = re.fullmatch(
            r"(?:(?:group|grouped|split|break|broken|show|aggregate)(?:\s+(?:it|them|this|that))?(?:\s+(?:down|up|out))?\s+)?"
            r"(?:by|per|for each|for every|in each|of each|each|every)\s+(?:the\s+)?([\w' -]+)",
            part,
            re.IGNORECASE,
        )
        if not found or re.search(r"\b(?:ascending|descending)\b", low):
            return False
        noun = found.group(1).strip()
    top = TOP.search(change.now)
    best = BEST_BY.search(change.now)
    before = change.now[: top.end() - 3] if top else ""
    if (top or best) and adds:
        change.append(f"for each {noun}")
    elif top and FIGURE.fullmatch(noun):
        change.now = re.sub(
            r"(?<=\bby )[\w'-]+(?: (?:amount|value))?", noun, change.now[top.end() - 3 :], count=1
        )
        change.now = before + change.now
    elif top:
        change.put(top.start(3), top.end(3), f"{plural_of(noun) if top.group(2) else noun} ")
    elif best:
        change.put(best.start(1), best.end(1), plural_of(noun) if best.group(1).endswith("s") else noun)
    else:
        _regroup(change, noun, adds)
    return True


def _regroup(change: Change, noun: str, adds: bool) -> None:
    """Put a grouping in the place of the one there is, beside it, or at the end."""
    grouped, each = GROUPING.search(change.now), EACH.search(change.now)
    if grouped:
        at = grouped.end(2) if adds else grouped.start(2)
        change.put(at, grouped.end(2), f" and {noun}" if adds else noun)
    elif each and adds:
        change.put(each.end(2), each.end(2), f" and {noun}")
    elif each and (does := DOES_EACH.search(change.now)) and noun in TIMES:
        there = "are there" if re.match(r"how many", change.now, re.IGNORECASE) else "is there"
        change.put(does.start(), does.end(), f"{there} each {noun}")
    elif each and each.group(2).lower() in TIMES and noun not in TIMES:
        change.put(each.start(), each.end(), f"per {noun}")
    elif each:
        change.put(each.start(2), each.end(2), noun)
    elif which := WHICH.search(change.now):
        change.put(which.start(3), which.end(3), plural_of(noun))
    elif one := change.which_one():
        plural = one.group(2).lower().endswith("s")
        change.put(one.start(2), one.end(2), plural_of(noun) if plural else noun)
    else:
        change.append(f"by {noun}")


def ordering(change: Change, part: str, adds: bool) -> bool:
    """`sort by name`, `order them by date descending`, `alphabetically`, `highest first`."""
    found = re.fullmatch(
        r"(?:sort|sorted|order|ordered|rank|ranked)(?:\s+(?:it|them|this|these|those|that|the (?:results?|rows|list)))?\s+"
        r"(?:by\s+(.+)|(alphabetically|ascending|descending|in (?:ascending|descending) order))",
        part,
        re.IGNORECASE,
    )
    if found:
        how = f"sorted by {found.group(1)}" if found.group(1) else f"sorted {found.group(2)}"
    elif re.fullmatch(r"alphabetically|(?:in )?alphabetical(?: order)?|by alphabet", part, re.IGNORECASE):
        how = "sorted alphabetically"
    elif re.fullmatch(r"(?:in )?(?:ascending|descending)(?: order)?", part, re.IGNORECASE):
        how = f"in {'ascending' if 'asc' in part.lower() else 'descending'} order"
    elif re.fullmatch(
        r"(?:the )?(?:highest|lowest|largest|smallest|newest|oldest|latest|earliest) first", part, re.I
    ):
        how = part.lower().removeprefix("the ")
    else:
        return False
    change.now = SORTED.sub("", change.now)
    change.append(f", {how}")
    return True


def share(change: Change, part: str, adds: bool) -> bool:
    """`as a share`, `as a percentage of the total`, `in percent`."""
    found = SHARE.match(part)
    if not found:
        return False
    change.append(f"as a percentage {(found.group(1) or '').strip() or 'of the total'}")
    return True


def figure(change: Change, part: str, adds: bool) -> bool:
    """`the average instead`, `median`, `total instead`, `what about the maximum`."""
    found = re.fullmatch(
        rf"(?:what about |how about )?(?:the |as )?({'|'.join(FIGURES)}|highest|lowest)(?: value| one)?",
        part,
        re.I,
    )
    if not found:
        return False
    new = FIGURES.get(found.group(1).lower(), found.group(1).lower())
    if old := re.search(rf"\b(?:{'|'.join(FIGURES)})\b", change.now, re.IGNORECASE):
        change.put(old.start(), old.end(), cased(new, old.group(0)))
        return True
    for word in re.finditer(r"[\w'-]+", change.now):
        if change.names.is_figure(word.group(0)):
            change.put(word.start(), word.start(), f"{new} ")
            return True
    change.append(f", the {new}")
    return True


def time(change: Change, part: str, adds: bool) -> bool:
    """`only 2024`, `in March`, `what about last year?`, `the same for 2025`, `since 2023`."""
    body = lead_off(part)
    found = WHEN.fullmatch(body)
    if not found:
        return False
    placed = PLACES_TIME.match(body)
    new = body[placed.end() :] if placed else body
    old = next((m for m in WHEN.finditer(change.now) if not is_number(m, change.now)), None)
    if old is None:
        lasting = re.match(r"(?:the\s+)?(last|past|previous)\s+\d", new, re.IGNORECASE)
        if placed or body.lower().startswith("between"):
            change.append(body)
        else:
            change.append(
                f"in the {new.removeprefix('the ')}" if lasting else f"in {new}" if is_moment(new) else new
            )
        return True
    before = old.group(0)
    if (BARE_MONTH.match(new) or re.fullmatch(r"Q[1-4]", new, re.I)) and (year := re.search(YEAR, before)):
        new = f"{new} {year.group(0)}"
    elif re.fullmatch(YEAR, new) and (month := re.search(rf"\b{MONTH}\b", before, re.IGNORECASE)):
        new = f"{month.group(0)} {new}"
    if placed and placed.group(1).lower() not in ("for", "in"):
        change.put(old.start(), old.end(), f"{placed.group(1)} {new}")
        return True
    if body.lower().startswith(("between", "from")):
        change.put(old.start(), old.end(), body)
        return True
    had = PLACES_TIME.match(before)
    keeps = had and had.group(1).lower() in ("in", "for", "during", "of", "on")
    lead = f"{had.group(1)} " if had and keeps and is_moment(new) else "in " if is_moment(new) and had else ""
    if not had and not before.lower().startswith(("between", "from")):
        lead = ""
    change.put(old.start(), old.end(), f"{lead}{new}")
    return True


def without(change: Change, part: str, adds: bool) -> bool:
    """`excluding Norway`, `without returns`, `except the cancelled ones`, `not France`."""
    found = re.match(
        r"(?:excluding|exclude|except(?: for)?|without|ignore|ignoring|not(?: in| from)?|remove|drop|leave out)\s+(.+)$",
        part,
        re.I,
    )
    if not found:
        return False
    word = "without" if part.lower().startswith("without") else "excluding"
    change.append(f", {word} {found.group(1)}")
    return True


def more_columns(change: Change, part: str, adds: bool) -> bool:
    """`with their emails`, `include the city`, `add the phone number`, `and also show the price`."""
    found = re.match(
        r"(?:include|including|add|with|show|list)\s+(?:also\s+)?(?:the(?:ir)?\s+|its\s+)?([\w' -]+)$",
        part,
        re.IGNORECASE,
    )
    if not found and adds:
        found = re.match(r"(?:the|their|its)\s+([\w' -]+)$", part, re.IGNORECASE)
    words = found.group(1).split() if found else []
    if not found or not words or not any(map(change.names.is_name, words)) or len(words) > 4:
        return False
    if re.search(r"\b(?:more|less|fewer|at|over|under|above|below|than)\b|\d", found.group(1)):
        return False
    change.append(f"with their {found.group(1)}")
    return True


def condition(change: Change, part: str, adds: bool) -> bool:
    """`only those with more than 10 orders`, `over 100`, `where the price is above 5`, `with a price below 10`."""
    body = re.sub(r"^(?:only|just)\s+", "", part, flags=re.IGNORECASE)
    body = re.sub(r"^(?:the )?(?:those|ones|the ones)\s+(?=\w)", "", body, flags=re.IGNORECASE)
    if WHEN.fullmatch(body) and body != part:
        return time(change, body, adds)
    if change.asks and re.match(r"(?:who|which|where|whose)\b", part, re.IGNORECASE):
        return False
    if not re.match(
        r"(?:with|having|where|whose|who|that|which|more than|less than|fewer than|over|under|above|below|at least|at most)\b",
        body,
        re.I,
    ):
        return False
    if re.match(r"(?:more|less|fewer|over|under|above|below|at)\b", body, re.IGNORECASE):
        old = re.search(
            r"\b(?:more than|less than|fewer than|over|under|above|below|at least|at most)\s+[\d.,]+",
            change.now,
            re.I,
        )
        if old and re.fullmatch(
            r"(?:more than|less than|fewer than|over|under|above|below|at least|at most)\s+[\d.,]+",
            body,
            re.I,
        ):
            change.put(old.start(), old.end(), body)
            return True
        if re.search(r"\d\s+[a-z]", body):
            body = f"with {body}"
    change.append(body)
    return True


def counting(change: Change, part: str, adds: bool) -> bool:
    """`how many?`, `how many of them are there`, `count them`."""
    if not re.fullmatch(
        r"how many(?: of (?:them|those|these))?(?: are there| is that)?|count (?:them|those|these)|the (?:count|number)",
        part,
        re.I,
    ):
        return False
    if not re.search(
        r"[.?!]\s*$|\b(?:who|which|what|how|show|list|find|give)\b", change.now + change.mark, re.IGNORECASE
    ):
        change.now = f"how many {change.now}"  # a bare noun keeps all that was said of it
        return True
    change.now, change.mark = f"How many {change.subject()} are there", "?"
    return True


FIGURE = re.compile(
    r"(?:(?:total|net|gross|average|number of|count of|sum of)\s+)?(?:revenue|sales|turnover|quantity|units|units sold|amount|value|profit|margin|cost|spend"
    r"|price|hours|orders|count|visits|income)",
    re.IGNORECASE,
)
"""The figure that things are ranked by rather than the things."""

RULES: tuple[Callable[[Change, str, bool], bool], ...] = (
    counting, pronoun, more_or_fewer, opposite, superlative, removal, ordering, share, figure, grouping, time, without, condition, more_columns, which_has, measure, noun, value, refined,
)  # fmt: skip

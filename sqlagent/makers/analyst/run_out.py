"""Rows that have run out, will, or are past their day: "expired permits", "vouchers that run out in the next 90 days", "past their inspection date".

A time that says until when something holds lies ahead for some rows and behind for others, so that it is no deed that was done or not. Such
questions are worded by the name of the time, "vouchers with valid until before 2026-06-01", and as overdue where rows may be done with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from sqlagent.catalog.semantics import DATED, Field, Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import Token, stem, tokenise
from sqlagent.makers.analyst import periods
from sqlagent.makers.analyst.expired import UNTIL
from sqlagent.makers.analyst.held_today import is_ahead
from sqlagent.makers.analyst.pairing import due_of
from sqlagent.makers.analyst.periods import Found
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import words_of_states

_OVER = stems("expired lapsed expiring")
"""Words of states that say themselves that something has run out."""
_VALID = stems("valid good warranty")
_TO = stems("to through till until end")
"""Words of times until when something holds."""
_AHEAD = stems("next due until expires expiry renewal deadline")
_BEHIND = stems("last previous prior first done completed passed start begin begun issued")
"""Words of times that lie ahead of rows, and of those that lie behind them."""

_NOUN = r"(?P<noun>[a-z][\w'-]*(?: [a-z][\w'-]*)??)"
_LEAD = r"(?:(?:that|which|who|whose) )?(?:(?:have|has|had|are|is|were|was|will|did|do) )?(?:already |all |now |currently |be |still )?"
_GONE = r"(?:expired|lapsed|run out(?! of)|ran out(?! of)|no longer valid|out of date|past (?:its|their|the) (?:expiry|expiration|best before|use by)(?: date| day)?)"
_GOING = r"(?:expires?|expiring|lapses?|lapsing|runs? out(?! of)|running out(?! of))"
_STILL = r"(?:(?:not|n't) (?:yet )?expired|unexpired|(?:still )?valid(?! until| from| to\b| for)|still good)"

_BEFORE_NOUN = re.compile(
    rf"\b(?P<say>expired|lapsed|unexpired|valid|expiring|lapsing) {_NOUN}(?=$|[,\s])(?P<rest>.*)$",
    re.IGNORECASE,
)
_BEHIND_NOUN = re.compile(
    rf"\b{_NOUN} {_LEAD}(?P<say>{_STILL}|{_GONE}|{_GOING})(?![\w-])(?P<rest>.*)$", re.IGNORECASE
)
_PAST_DAY = re.compile(
    rf"\b{_NOUN} {_LEAD}(?:(?:past|beyond|after) (?:its|their|the) (?P<day>(?!due\b|deadline\b)[a-z]+(?: [a-z]+)??)(?: date| day| deadline)"
    r"|(?:past|beyond) (?P<bare>(?!due\b|deadline\b)[a-z]+(?: [a-z]+)??)(?: date| deadline)"
    r"|overdue (?:for|on) (?:an? |its |their |the )?(?P<for>[a-z]+)|with (?:an? )?overdue (?P<with>[a-z]+)s?|whose (?P<whose>[a-z]+) (?:is|are) (?:overdue|past due))(?![\w-])(?P<rest>.*)$",
    re.IGNORECASE,
)  # fmt: skip
_DUE_FOR = re.compile(
    rf"\b{_NOUN} {_LEAD}(?:up |coming up )?due for (?:an? |its |their |the )?(?P<for>[a-z]+)(?![\w-])(?P<rest>.*)$",
    re.IGNORECASE,
)
_WARRANTY = re.compile(
    rf"\b{_NOUN} {_LEAD}(?P<say>out of|under|in|within|no longer under) (?:the )?(?P<what>warranty|guarantee|cover|contract)(?![\w-])(?P<rest>.*)$",
    re.IGNORECASE,
)
_DONE = stems(
    "done complete completed closed finished returned paid settled cancelled canceled resolved delivered"
)
"""States in which nothing is due any more."""
_LED = re.compile(r"^(?:in|during|on|before|after|since|until|by|between|from|within)\b", re.IGNORECASE)


def run_out(text: str, source: Source, today: date) -> str:
    """Word such a question by the time that it is about; empty where it is none, or the source has no such time, or a state that says so."""
    bare = text.strip().rstrip("?.! ")
    for pattern in (_BEHIND_NOUN, _BEFORE_NOUN):
        for found in _every(pattern, bare):
            one = _until(found["noun"], source)
            if one is not None and (worded := _worded(found, one, source, today)):
                return bare[: found.start()] + worded
    for pattern in (_PAST_DAY, _DUE_FOR):
        for found in _every(pattern, bare):
            what = next(filter(None, (v for k, v in found.groupdict().items() if k not in ("noun", "rest"))))
            one = _ahead(found["noun"], what, source, today)
            if one is None:
                continue
            rest = found["rest"]
            if pattern is _PAST_DAY and _may_be_done(one, source):
                due = due_of(source, one.table)
                if due is not None and due.field == one:
                    return f"{bare[: found.start()]}overdue {found['noun']}{rest}"
                continue
            if pattern is _PAST_DAY:
                return (
                    f"{bare[: found.start()]}{found['noun']} with {one.said} before {today.isoformat()}{rest}"
                )
            if (when := _when(rest, source, today)) is not None:
                return f"{bare[: found.start()]}{found['noun']} with {one.said} {when}"
    for found in _every(_WARRANTY, bare):
        one = _ahead(found["noun"], found["what"], source, today)
        if one is not None:
            way = "before" if found["say"].lower() in ("out of", "no longer under") else "since"
            if _period(found["rest"], source, today)[1] is not None:
                continue  # when it began to hold is another day
            said = f"{found['noun']} with {one.said} {way} {today.isoformat()}{found['rest']}"
            return bare[: found.start()] + said
    return ""


def _every(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The places where a pattern is met, wherever its noun may begin."""
    at = 0
    while (found := pattern.search(text, at)) is not None:
        yield found
        at = found.start("noun") + 1


def _worded(found: re.Match[str], one: Field, source: Source, today: date) -> str:
    """The noun with its time: before today where it is over, since today where it still holds, in the period that is said else.

    Empty where rows without an end may still hold, and where something is to have held at another time than today.
    """
    said, rest, lead = found["say"].lower(), found["rest"], f"{found['noun']} with {one.said}"
    if re.fullmatch(_STILL, said):
        if not said.endswith("expired") and _ends_otherwise(one, source):
            return ""  # revoked or redeemed rows are not valid either
        if one.filled < 1 or _period(rest, source, today)[1] is not None:
            return ""
        return f"{lead} since {today.isoformat()}{rest}"
    is_over = re.fullmatch(_GONE, said) is not None
    when = _when(rest, source, today)
    if when is None:
        return f"{lead} before {today.isoformat()}{rest}" if is_over else ""
    behind = _as_far_as_today(rest, source, today) if is_over and said != "run out" else ""
    return f"{lead} {behind or when}"


def _as_far_as_today(rest: str, source: Source, today: date) -> str:
    """Words that begin with a period under way, with only its days before today; empty where it is over, or ahead."""
    tokens, found = _period(rest, source, today)
    so_far = found.period.so_far(today) if found is not None else None
    if found is None or so_far is None:
        return ""
    yesterday = today - timedelta(days=1)
    behind = rest[tokens[found.end - 1].end :]
    return f"between {so_far.first} and {yesterday}{behind}"


def _period(rest: str, source: Source, today: date) -> tuple[Sequence[Token], Found | None]:
    """Some words as tokens, and the first period among them."""
    tokens = tokenise(rest)
    return tokens, next(iter(periods.find(tokens, today, source.model.calendar)), None)


def _ends_otherwise(one: Field, source: Source) -> bool:
    """Whether a state, or a day that some rows have, may say too that rows hold no more."""
    times = source.model.of_role(one.table, Role.TIME)
    return bool(source.model.things[one.table].state) or any(
        other.filled < 1 for other in times if other != one
    )


def _may_be_done(one: Field, source: Source) -> bool:
    """Whether rows past a day may be done with: by a day that some rows have, or by a state that says so."""
    times = source.model.of_role(one.table, Role.TIME)
    is_called = bool(words_of_states(source, one.table) & _DONE)
    return is_called or any(other.filled < 1 for other in times if other != one)


def _when(rest: str, source: Source, today: date) -> str | None:
    """The words that follow a preposition, where they begin with a period; None where it does not."""
    rest = rest.strip()
    tokens, found = _period(rest, source, today)
    if found is None or any(
        token.low not in ("in", "on", "during", "within", "the") for token in tokens[: found.start]
    ):
        return None
    rest = re.sub(r"^within\b", "in", rest, flags=re.IGNORECASE)
    return rest if _LED.match(rest) else f"in {rest}"


def _until(noun: str, source: Source) -> Field | None:
    """The one time until when what a noun names holds; None where a state says so, or none or several do."""
    found = []
    for one in _times(noun, source):
        words = set(one.words)
        if words & UNTIL and not words & stems("due notice") or words & _VALID and words & _TO:
            found.append(one)
    return found[0] if len(found) == 1 else None


def _ahead(noun: str, what: str, source: Source, today: date) -> Field | None:
    """The one time of what a noun names that is called by a word and lies ahead of some of its rows."""
    wanted = {stem(word) for word in what.lower().split() if word not in ("date", "day")}
    found = []
    for one in _times(noun, source):
        words = set(one.words)
        if wanted <= words and not words & _BEHIND and (words & _AHEAD or is_ahead(one, today)):
            found.append(one)
    return found[0] if len(found) == 1 else None


def _times(noun: str, source: Source) -> list[Field]:
    """The days of the table that a noun names, of which no state says that they are over."""
    table = source.vocabulary.table_named(noun)
    if not table or words_of_states(source, table) & _OVER:
        return []
    return [one for one in source.model.of_role(table, Role.TIME) if one.form in DATED]

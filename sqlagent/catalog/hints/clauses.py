"""A hint cut into clauses: "PHRASE refers to BODY", "PHRASE is the BODY", "PHRASE = BODY", or a body alone.

Decides where a clause ends and where its phrase does, by words and quotes alone. `parsing` decides the meaning of a body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST = 60
"""Clauses of a hint that are read."""

LONGEST = 600
"""Characters of a clause that is read."""

MAX_CHARS = 8_000
"""Characters of a hint that are read; the rest is told as unread."""

QUOTED = re.compile(r"(?<!\w)'(?=\S)(?:[^']|'')*?(?<=\S)'(?!\w)|\"[^\"]*\"|`[^`]*`")
"""Text in quotes. An apostrophe inside a word opens none, nor does a quote that nothing closes."""

_SPLIT = re.compile(r";|\n|\.(?=\s+[^.;]{1,120}?\s(?:refers?\s+to|means?|stands?\s+for)\s)")
_SAYS = re.compile(
    r"\s(?:(?:also\s+)?refers?\s+to|means?|stands?\s+for|denotes?|is\s+defined\s+as)\s", re.IGNORECASE
)
_AGAIN = re.compile(r"^(?:refers?\s+to|means?|the|a|an)\s+", re.IGNORECASE)
_IS = re.compile(
    r"\s(?:(?:is|are)(?:\s(?:called|considered|counted\s+as|known\s+as))?|counts?\s+as)\s(?:the\s|a\s|an\s)?",
    re.IGNORECASE,
)
_COLON = re.compile(r"^[^<>=:()]{1,60}(?<=[^\W\d]):\s", re.IGNORECASE)
_LITERAL = r"(?:'[^']*'|\"[^\"]*\"|-?\d[\d.]*)"
_ONE = rf"[\w .`\"\[\]]{{1,60}}?\s*(?:[<>]=?|!=|<>|=|\slike|\sbetween\s+{_LITERAL}\s+and)\s*{_LITERAL}"
_CONDITION = re.compile(rf"{_ONE}(?:\s+(?:and|or)\s+{_ONE}){{0,5}}\s*", re.IGNORECASE)
"""Comparisons of names with literals."""
_NAME = re.compile(r"[\w &'-]{1,40}")
_COMPARES = re.compile(r"[<>=(]|\s(?:like|between|in)\s", re.IGNORECASE)
_FILLER = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_EQUALS = re.compile(r"(?<![<>!=])=(?![=>])")
_NEXT = re.compile(r"(?:,|\.|\band\b)\s+(?=[^,.;()]{1,80}$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `form` is `says` (refers to, means), `is`, `equals`, or empty for a body alone."""

    text: str
    phrase: str
    body: str
    form: str


def clauses(hint: str) -> tuple[list[Clause], list[str]]:
    """Cut a hint into clauses, and give what is too long or too much to be read.

    Example:
        >>> [(c.phrase, c.body) for c in clauses("tall refers to height > 180; Ann is the name; size = 3")[0]]
        [('tall', 'height > 180'), ('Ann', 'name'), ('size', '3')]
    """
    over = [hint[MAX_CHARS:]] if len(hint) > MAX_CHARS else []
    parts = [part for text in _cut(hint[:MAX_CHARS], _SPLIT) if (part := text.strip().strip(".,").strip())]
    single = [piece for part in parts[:MOST] for piece in _apart(part)]
    over += [part for part in single if len(part) > LONGEST] + parts[MOST:]
    return [_clause(part) for part in single if len(part) <= LONGEST], over


def outside(text: str) -> str:
    """The text with what is quoted blanked, so that places stay the same."""
    return QUOTED.sub(lambda m: "_" * len(m.group()), text)


def _cut(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Cut at a pattern where it stands outside of quotes."""
    out, at = [], 0
    for found in pattern.finditer(outside(text)):
        out.append(text[at : found.start()])
        at = found.end()
    return [*out, text[at:]]


def _apart(part: str) -> list[str]:
    """Two definitions that a comma, a stop or "and" divides: each says what its phrase refers to."""
    found = list(_SAYS.finditer(outside(part)))
    out, at = [], 0
    for before, after in zip(found, found[1:], strict=False):
        joint = _NEXT.search(outside(part)[before.end() : after.start()])
        if joint is not None:
            out.append(part[at : before.end() + joint.start()])
            at = before.end() + joint.end()
    return [*out, part[at:]]


def _clause(text: str) -> Clause:
    blank = outside(text)
    if found := _SAYS.search(blank):
        body = text[found.end() :].strip()
        while again := _AGAIN.match(body):
            body = body[again.end() :]
        return _turned(Clause(text, text[: found.start()].strip(), body, "says"))
    if found := _COLON.match(blank):
        return Clause(text, text[: found.end() - 2].strip(), text[found.end() :].strip(), "says")
    compares = _COMPARES.search(blank)
    found = _IS.search(blank)
    is_null = found is not None and re.match(r"(?:not\s+)?null\b", blank[found.end() :], re.IGNORECASE)
    if found and not is_null:
        told = Clause(text, text[: found.start()].strip(), text[found.end() :].strip(), "is")
        turned = _turned(told)
        if turned is not told or compares is None or compares.start() > found.start():
            return turned
    if found := _EQUALS.search(blank):
        return _turned(Clause(text, text[: found.start()].strip(), text[found.end() :].strip(), "equals"))
    return Clause(text, "", text, "")


def _turned(clause: Clause) -> Clause:
    """A clause the other way round where what comes first is the condition: "weight_kg > 500 is a whale"."""
    if not _CONDITION.fullmatch(clause.phrase) or not _NAME.fullmatch(clause.body):
        return clause
    return Clause(clause.text, _FILLER.sub("", clause.body), clause.phrase, "says")

"""A denial before another condition: "customers who never returned anything but ordered more than 10 times".

A denial reaches to the end of its clause, so what follows it was denied too. The same two conditions are read apart with the
denial last: "customers who ordered more than 10 times but never returned anything".
"""

from __future__ import annotations

import re

from sqlagent.makers.analyst.source import Source

_DENIAL = (
    r"(?:(?:who|that|which) )?(?:(?:have|has|had|were|was|are|is) )?never .+?"
    r"|(?:(?:who|that|which) )?(?:did|do|does|have|has|had|were|was|are|is)(?: not|n['’]t) .+?"
    r"|(?:(?:who|that|which) )?(?:have|has|had) no .+?|(?:without|with no) .+?"
)
_BOUND = r"(?:more than|fewer than|less than|at least|at most|over|under|exactly) \S+"
_BUT = re.compile(
    rf"^(?P<head>.+?) (?P<no>{_DENIAL}),? (?:but|yet|though) (?P<yes>(?!(?:not|never|no|without|only|who|that)\b).+)$",
    re.IGNORECASE,
)
_AND = re.compile(
    rf"^(?P<head>.+?) (?P<no>{_DENIAL}),? and (?P<yes>(?:[a-z]+ed|have|has|had|sold|spent|bought|made|paid|took) {_BOUND}\b.*)$",
    re.IGNORECASE,
)
_HAVE = re.compile(
    rf"^(?P<head>.+?) (?P<no>(?:without|with no) \S+(?: \S+)?) (?P<yes>(?:have|has|had|placed|made) {_BOUND}\b.*)$",
    re.IGNORECASE,
)
_SOME = re.compile(r"(?<=\bhad |\bhas )(?:some|any|one)\b|(?<=\bhave )(?:some|any|one)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|without) (\S+)", re.IGNORECASE)
_WHO = re.compile(r"^(?:who|that|which) ", re.IGNORECASE)


def denial_last(text: str, source: Source) -> str:
    """Word such a question with its denial last; empty where it is none."""
    text = text.strip().rstrip("?.! ")
    found = _BUT.match(text) or _AND.match(text) or _HAVE.match(text)
    if found is None:
        return ""
    no, yes = found["no"], found["yes"]
    if (noun := _NO.search(no)) is not None:
        yes = _SOME.sub(noun[1], yes)  # had no sailings in one year but some in another
    lead = _WHO.match(no)
    who = lead[0] if lead is not None else ""
    joint = " " if found.re is _HAVE else " but "
    return f"{found['head']} {who}{yes}{joint}{no.removeprefix(who)}"

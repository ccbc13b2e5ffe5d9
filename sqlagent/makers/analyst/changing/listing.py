"""The wordings of a count of what was listed, and of a list of what was counted, with the columns that are named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.figures import rows_of
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.changing.removing import in_total
from sqlagent.makers.analyst.changing.wordings import Wording, tidy

COUNT = re.compile(r"^(?:(?:the )?(?:number|count) of|how many|count)\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE)
LIST = re.compile(r"^(?:which|list|show|the|all|names of)\s+(?:all\s+)?(?:the\s+)?", re.IGNORECASE)
_HAVING = re.compile(
    r"^(?P<noun>[\w-]+(?: [\w-]+)?) (?P<rest>(?:have|had|has|are|were|did|do|got|never)\b.+)$", re.IGNORECASE
)
_CURRENT = re.compile(r"\b(?:current|currently|active|present|still|remaining)\b", re.IGNORECASE)


def counted_or_listed(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """How many of what was listed, or a list of what was counted; of figures, those that are so besides."""
    if meant.way == "list":
        yield from _listed(meant, asked)
        return
    if asked.frame.by and not meant.text:
        yield Wording(f"{asked.text}{asked.ending}, how many groups", "ending", "groups"), meant
        return
    ways = (
        [""]
        if not meant.text
        else [f"{joint}{meant.text}" for joint in (" ", " for ", ", ", " with ", " that ")]
    )
    if asked.frame.measures:
        bases, meant = [asked.text], replace(meant, way="narrow")
    else:
        noun = LIST.sub("", asked.text)
        bases = [f"{lead} {noun}" for lead in ("number of", "how many")]
        if found := _HAVING.match(noun):
            bases.append(f"number of {found['noun']} that {found['rest']}")
    for text in (f"{base}{way}" for base in bases for way in ways):
        yield Wording(tidy(text), "counted"), meant


def _listed(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The rows that were counted, without the groups that they were counted by; of them, or of those that were listed, some where that was said."""
    if meant.columns:
        yield from _with_columns(meant, asked)
        return
    ways = [f"{joint}{meant.text}" for joint in (" that ", " ", " with ")] if meant.text else [""]
    if not asked.frame.measures:
        if not meant.text:
            yield Wording(asked.text + asked.ending, "same", "list"), meant
        some = replace(meant, way="narrow")
        yield from ((Wording(tidy(asked.text + way), "behind"), some) for way in ways if way)
        return
    if (
        any(one.agg not in ("rows", "distinct") for one in asked.frame.measures)
        or asked.frame.limit is not None
    ):
        return
    texts = [one.text for one, _ in in_total(asked)][:1] if asked.frame.by else [asked.text]
    for text in texts:
        counted = COUNT.sub("", text)
        if counted == text and not asked.frame.by:
            return
        for way in ways:
            for lead in ("list", "which", "names of"):
                yield Wording(tidy(f"{lead} {counted}{way}"), "ending", "list"), meant


def _with_columns(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The rows that were counted or listed, some of them where that was said, with the columns that are named.

    The named columns may contradict a state that was asked for: those who left are no current ones.
    """
    if any(one.agg not in ("rows", "distinct") for one in asked.frame.measures):
        return
    names = [re.sub(r"^names$", "name", one) for one in re.split(r"\s*,\s*(?:and )?|\s+and ", meant.columns)]
    called = [
        "name",
        *(one for one in names if one != "name"),
    ]  # of a thing without a name, what is named alone
    ways = [f" {joint} {meant.text}" for joint in ("who", "that")] if meant.text else [""]
    rows = rows_of(asked)
    for so in dict.fromkeys((rows, _CURRENT.sub("", rows)) if meant.text else (rows,)):
        for way in ways:
            for columns in (called, names) if called != names else (names,):
                yield Wording(f"{tidy(so + way)}: {', '.join(columns)}", "ending", "columns"), meant

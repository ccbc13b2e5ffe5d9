"""The latest question on its way to the next one, and the words of a catalog it is read with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot.tokenizer_core import TokenType

from sqlagent.language.words import plural_of, split_name, stem
from sqlagent.makers.followups.patterns import INTERROGATIVE, LISTS, NUMBER, SORTED, WHEN, WHICH_ONE
from sqlagent.sql.literals import ODD
from sqlagent.values import Catalog, Column, Kind, Turn

LOOSE_WORDS = 6
"""A follow-up no rule knows is joined to the latest question up to this length, else left alone."""


class Names:
    """The words of a catalog: which are tables, which are columns, which are stored values shown as examples."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.tables = {stem(split_name(t.name)[-1]): t for t in catalog.tables if split_name(t.name)}
        self.columns: dict[str, list[Column]] = {}
        for table in catalog.tables:
            for column in table.columns:
                for word in split_name(column.name):
                    if len(word) > 2:
                        self.columns.setdefault(stem(word), []).append(column)

    def is_table(self, word: str) -> bool:
        """Whether a word names a table, in singular or plural."""
        return stem(word.lower()) in self.tables

    def is_name(self, word: str) -> bool:
        """Whether a word names a table or is in the name of a column."""
        return self.is_table(word) or stem(word.lower()) in self.columns

    def is_figure(self, word: str) -> bool:
        """Whether a word is in the name of a column of numbers."""
        found = self.columns.get(stem(word.lower()), ())
        return any(column.kind in (Kind.INTEGER, Kind.NUMBER) for column in found)

    def holders(self, value: str) -> set[str]:
        """Name the columns that show a value among their examples, letter case ignored."""
        low = value.casefold()
        return {
            f"{table.key}.{column.name}"
            for table in self.catalog.tables
            for column in table.columns
            if any(low == example.casefold() for example in column.examples)
        }


@dataclass
class Change:
    """The latest question on its way to the next one."""

    turn: Turn
    names: Names
    asks: bool = False

    def __post_init__(self) -> None:
        asked = self.turn.question.strip()
        self.mark = "?" if asked.endswith("?") else ""
        self.now = asked.rstrip(" ?.!")

    def text(self) -> str:
        """The question as it stands, with the punctuation of the one before."""
        return re.sub(r"\s+", " ", self.now).replace(" ,", ",").strip(" ,") + self.mark

    def join(self, part: str) -> None:
        """Put what no rule knows behind the question, or in its place when it is long."""
        part = re.sub(r"^(?:what|how) about\s+", "", part, flags=re.IGNORECASE)
        asks = bool(INTERROGATIVE.match(part))
        if placed := re.match(
            r"(?:only\s+|just\s+)?((?:for|from|in|at|with|on|of|through|via)\s+.+)", part, re.IGNORECASE
        ):
            self.append(placed.group(1))
        elif len(part.split()) <= LOOSE_WORDS and not (asks and len(part.split()) > 2):
            self.append(f", {part}")
        else:
            self.now, self.mark = part[:1].upper() + part[1:], "?" if asks else ""

    def append(self, phrase: str) -> None:
        """Put a phrase at the end, before an order."""
        found = SORTED.search(self.now)
        at = found.start() if found and found.end() == len(self.now) else len(self.now)
        glue = "" if phrase.startswith(",") else " "
        self.now = f"{self.now[:at]}{glue}{phrase}{self.now[at:]}"

    def put(self, start: int, end: int, words: str) -> None:
        """Replace a stretch of the question."""
        self.now = self.now[:start] + words + self.now[end:]

    def values_like(self, words: str) -> bool:
        """Whether words are among the stored values the catalog shows as examples."""
        return bool(self.names.holders(words))

    def which_one(self) -> re.Match[str] | None:
        """Find the thing asked for in "which country has ..."."""
        found = WHICH_ONE.search(self.now)
        return found if found and self.names.is_name(found.group(2)) else None

    def agree(self) -> None:
        """Bring the verb after a noun that became plural into the plural."""
        plural = {"has": "have", "is": "are", "was": "were", "does": "do"}
        self.now = re.sub(
            rf"^(\w+ {NUMBER} [\w'-]+ )(has|is|was|does)\b",
            lambda m: m.group(1) + plural[m.group(2)],
            self.now,
        )

    def several(self, lead: str) -> None:
        """Bring what follows some words, and the verb before them, into the plural."""
        found = re.search(rf"{re.escape(lead)}\s+([\w'-]+)", self.now, re.IGNORECASE)
        if found:
            self.put(found.start(1), found.end(1), plural_of(found.group(1)))
        self.now = re.sub(r"^(what|which|who) (?:is|was)\b", r"\1 are", self.now, flags=re.IGNORECASE)

    def subject(self) -> str:
        """The things the question is about, as a phrase: "customers from Norway"."""
        listed = re.sub(LISTS, "", self.now, flags=re.IGNORECASE)
        if listed != self.now:
            return listed
        if many := re.match(
            r"how many\s+([\w'-]+)\s+(?:are|were|is)\s+(?:there\s*)?(.*)$", self.now, re.IGNORECASE
        ):
            return f"{many.group(1)} {many.group(2)}".strip()
        if which := re.match(
            rf"which\s+((?:{NUMBER}\s+)?[\w'-]+)\s+((?:are|were)\s+)?(.*)$", self.now, re.IGNORECASE
        ):
            name, verb, rest = which.groups()
            placed = re.match(r"(?:in|from|of|with|at)\b", rest, re.IGNORECASE)
            return f"{name} {rest}" if verb and placed else f"{name} that {verb or ''}{rest}"
        return next((w for w in re.findall(r"[\w'-]+", self.now) if self.names.is_table(w)), "")

    def substitute(self, old: str, new: str) -> None:
        """Replace words by words; where the old ones are not there, the new ones are added."""
        old, new = (re.sub(r"^(?:the|a|by)\s+", "", w, flags=re.IGNORECASE).strip() for w in (old, new))
        words = old.split()
        tails = (" ".join(words[at:]) for at in range(len(words)))
        hits = (re.search(rf"\b{re.escape(tail)}(?:s|es)?\b", self.now, re.IGNORECASE) for tail in tails)
        found = next((hit for hit in hits if hit), None)
        if found:
            plural = found.group(0).lower().endswith("s") and not old.lower().endswith("s")
            self.put(found.start(), found.end(), plural_of(new) if plural else new)
        elif not re.search(rf"\b{re.escape(new)}\b", self.now, re.IGNORECASE):
            self.append(new)

    @cached_property
    def literals(self) -> list[str]:
        """Text literals of the SQL that answered, which the question has in its words."""
        try:
            tokens = sqlglot.tokenize(self.turn.sql)
        except ODD:
            return []
        found = [t.text.strip("%") for t in tokens if t.token_type == TokenType.STRING]
        low = self.turn.question.casefold()
        return [
            text
            for text in found
            if len(text) > 1 and text.casefold() in low and not re.fullmatch(r"[\d-]+", text)
        ]

    def values(self) -> list[re.Match[str]]:
        """Find stored values in the question: the SQL's literals, then capitalised words that name nothing."""
        found: list[re.Match[str]] = []
        for literal in self.literals:
            if match := re.search(rf"\b{re.escape(literal)}\b", self.now, re.IGNORECASE):
                found.append(match)
        if not found:
            for match in re.finditer(
                r"(?<=\s)[A-ZÀ-Þ][\w'.-]*(?:\s+[A-ZÀ-Þ][\w'.-]*)*|[\"'][^\"']+[\"']", self.now
            ):
                if not self.names.is_name(match.group(0)) and not WHEN.fullmatch(match.group(0)):
                    found.append(match)
        return found

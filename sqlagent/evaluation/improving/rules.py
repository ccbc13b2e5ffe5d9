"""The editor of rules: terms found in verified questions of the work part, those that most of them bear out first. No language model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlagent.catalog.glossary.recurring import Edited, Recurring, Stated, lacking, recurring, unused
from sqlagent.evaluation.improving.versions import Edit, History
from sqlagent.values import Catalog

AUTHOR = "rules"
RECURS = 2
"""Statements of the work part in which something recurs."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A question of the work part: its text, its verified SQL, and the SQL that the start answers with."""

    text: str
    sql: str
    shown: str = ""


class RuleEditor:
    """Proposes terms. It sees the work part alone, and proposes nothing twice below one version, and no phrase that is `known`."""

    def __init__(
        self, seen: Mapping[str, Seen], catalog: Catalog, history: History, known: Iterable[str] = ()
    ) -> None:
        self.seen, self.catalog, self.history = seen, catalog, history
        self.known = {phrase.casefold() for phrase in known}

    def propose(self, edits: Sequence[Edit], failures: Sequence[str]) -> Edit | None:
        """The next term that was not tried after these edits; None where there is none."""
        taken = {str(one.change["phrase"]).casefold() for one in edits} | self.known
        tried = [
            version.edit.change
            for version in self.history.versions
            if version.edit is not None
            and version.parent is not None
            and self.history.edits(version.parent) == list(edits)
        ]
        for found, why in self._found(failures):
            change = {"kind": str(found.kind), "phrase": found.phrase, "body": found.body}
            if found.phrase and found.body and found.phrase.casefold() not in taken and change not in tried:
                return Edit(change, AUTHOR, f"{why}: {'; '.join(found.texts[:3])}")
        return None

    def _found(self, failures: Sequence[str]) -> Iterator[tuple[Recurring, str]]:
        failed = [self.seen[key] for key in failures if key in self.seen]
        wrong = [Edited(one.text, one.shown, one.sql) for one in failed]
        yield from ((one, "Left unused in what was answered wrongly") for one in unused(wrong, self.catalog))
        stated = [Stated(one.text, one.sql) for one in self.seen.values()]
        yield from ((one, "Recurs in verified SQL") for one in recurring(stated, self.catalog, RECURS))
        yield from ((one, "Missing in what was answered wrongly") for one in lacking(wrong, self.catalog))

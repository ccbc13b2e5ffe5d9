"""Rows called by a word of a key of their own table: reprints are the jobs whose `reprint_of_job_id` is filled, so are "reprint jobs".

The rest of the question is understood of all rows and restricted to those. Columns of other words, such as `manager_id`, call no rows so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlagent.language.words import plural_of, split_name, stem
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.source import Source

_OF = frozenset({"of", "for"})


@dataclass(frozen=True, slots=True)
class Called:
    """The question of all rows, and the key that those have which it is about."""

    text: str
    slot: Slot
    said: str

    def frame(self, frame: Frame) -> Frame | None:
        """The frame of these rows alone; None of a frame that goes through others."""
        if frame.anchor != self.slot.field.table:
            return None
        return replace(frame, where=(*frame.where, Condition("filled", (self.slot,), said=self.said)))


def rows_called(text: str, source: Source) -> Called | None:
    """Find a noun that calls rows by such a key; None where there is none, or where something else is called so."""
    words = {stem(word) for word in re.findall(r"[a-z]+", text.lower())}
    for relation in source.model.relations:
        if relation.source != relation.target or len(relation.columns) != 1:
            continue
        word, *rest = split_name(relation.columns[0])
        if not rest or rest[0] not in _OF or stem(word) not in words or _is_another(word, source):
            continue
        thing = source.model.things[relation.source]
        nouns = "|".join(map(re.escape, {thing.said, plural_of(thing.said)}))
        said = rf"\b{re.escape(word)}(?:s|es)?\b(?:[ -](?:{nouns})\b)?(?! (?:of|for)\b)"
        found = list(re.finditer(said, text, re.IGNORECASE))
        if len(found) != 1 or re.search(r"\b(?:with|without|no|a|an|never|not)\s+$", text[: found[0].start()]):  # fmt: skip
            continue  # a job with a reprint is the one that was reprinted
        named = text[: found[0].start()] + plural_of(thing.said) + text[found[0].end() :]
        return Called(named, source.slot(relation.source, relation.columns[0]), found[0][0])
    return None


def _is_another(word: str, source: Source) -> bool:
    """Whether a table or a stored value bears the word."""
    return any(t.kind in ("thing", "value") and t.cost < 0.1 for t in source.vocabulary.targets([word]))

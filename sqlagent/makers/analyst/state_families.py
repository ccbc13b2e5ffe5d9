"""Words for several states at once: where rows are "cancelled by client" or "cancelled by us", cancelled ones are both."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlagent.catalog.semantics import Model
from sqlagent.catalog.value_index import ValueIndex, normal
from sqlagent.language.words import stem
from sqlagent.values import ColumnRef

_SMALL = frozenset(
    {"by", "with", "to", "at", "on", "for", "before", "after", "due", "via", "through", "from"}
)
"""Words by which one state is told apart from others of its kind."""

_SPELT = {"cancelled": "cancell?ed", "canceled": "cancell?ed"}


@dataclass(frozen=True, slots=True)
class Family:
    """States that begin with one word, and the nouns of other rows that have a state of that word alone."""

    names: tuple[str, ...]
    others: frozenset[str]


def families(model: Model, index: ValueIndex | None) -> Mapping[str, Family]:
    """The words that several states of one table begin with: none that is a state of the same rows by itself."""
    found: dict[str, list[str]] = defaultdict(list)
    alone: dict[str, set[str]] = defaultdict(set)
    for thing in model.things.values():
        one = model.field(thing.table, thing.state) if thing.state else None
        if one is None:
            continue
        labels = dict(one.code_labels)
        texts = index.texts_of(ColumnRef(one.table, one.column)) if index is not None else ()
        said = [normal(labels.get(text, text)) for text in dict.fromkeys([*labels, *texts])]
        of_table: dict[str, list[str]] = defaultdict(list)
        for name in said:
            first, _, rest = name.partition(" ")
            if not rest:
                alone[first] |= set(thing.noun)
            elif first.endswith("ed") and rest.split()[0] in _SMALL:
                of_table[first].append(name)
        for first, names in of_table.items():
            if len(names) > 1 and first not in said:
                found[first] += names
    return {
        word: Family(tuple(dict.fromkeys(names)), frozenset(alone[word])) for word, names in found.items()
    }


def _done_by(name: str) -> re.Pattern[str]:
    """Other words for a state by who brought it about: "cancelled by the client", "did clients cancel" for "cancelled by client"."""
    first, _, rest = name.partition(" by ")
    if not rest or " " in rest:
        return re.compile(r"(?!)")
    done, who = _SPELT.get(first, re.escape(first)), re.escape(rest)
    base = "cancell?" if first in _SPELT else re.escape(first.removesuffix("ed"))
    return re.compile(
        rf"\b{done} by (?:the|our|an?|their) {who}s?\b|\b(?:that|which|did) (?:the |our )?{who}s? {base}(?:ed|s|es)?\b(?! by\b)",
        re.IGNORECASE,
    )


def with_families(text: str, known: Mapping[str, Family]) -> str:
    """Name the states of a family that a question speaks of as one, unless it says which of them or speaks of other rows."""
    for word, family in known.items():
        for name in family.names:
            text = _done_by(name).sub(name, text)
        if family.others & {stem(said) for said in normal(text).split()}:
            continue
        ends = "|".join(sorted({name.split()[1] for name in family.names}))
        bare = re.compile(rf"\b{_SPELT.get(word, re.escape(word))}\b(?! (?:{ends})\b)", re.IGNORECASE)
        text = bare.sub(" or ".join(family.names), text)
    return text

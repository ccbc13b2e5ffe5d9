"""Spellings of a source's own words and of the words of asking, and the one that a misspelt word is nearest to."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from sqlagent.catalog.semantics import Model, Role
from sqlagent.catalog.value_index import ValueIndex, normal
from sqlagent.language.lexicon import DEMONYMS, MONTHS, NUMBER_WORDS
from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.lexicon import CONCEPTS, DOMAIN_SYNONYMS, OPERATORS
from sqlagent.values import ColumnRef

TWICE_MISSPELT = 10
"""Letters of a word in which two slips are taken: of shorter ones another word is as likely (patients, payments)."""

SWAPPED = 7
"""Letters of a word in which two letters that changed their places are taken for a slip."""

MENDED_TOWARDS = 30
"""Different texts of a column up to which misspelt words are mended towards them."""

SLIPS = {
    slip: word
    for word, slips in {
        "which": "whcih whihc wihch wich whitch wchich whch hwich",
        "what": "waht wht whta wath hwat",
        "where": "wher whree wehre whre",
        "when": "wehn whne",
        "who": "hwo woh",
        "how many": "howmany",
        "show": "shwo sohw hsow shw",
        "list": "lsit lits",
        "give": "giev gvie",
        "many": "mnay mayn",
        "much": "mcuh muhc",
        "most": "msot mots",
        "least": "laest leat",
        "highest": "highst hihgest higest hightest",
        "lowest": "lowst lowset",
        "total": "totl toal toatl totla ttoal",
        "average": "averge avrage avarage averege",
        "number": "numer nubmer numbr",
        "compare": "compar comapre copmare",
        "growth": "growht grwoth growt",
        "than": "thna",
        "with": "wtih wiht wth",
        "without": "wihtout witout withot whithout withouth",
        "from": "fron frm",
        "between": "beetween betwen bewteen betwene",
        "and": "adn nad",
        "the": "teh hte",
        "their": "thier",
        "this": "tihs thsi",
        "last": "lst lats lsat alst",
        "next": "nxt nex",
        "each": "eahc ecah",
        "every": "evry evrey",
        "year": "yaer yera eyar yer",
        "years": "yaers yeras",
        "month": "mounth monht motnh mnth",
        "months": "mounths monhts",
        "quarter": "quater qaurter quartar",
        "quarters": "quaters",
        "week": "wek",
        "today": "tody todya",
        "yesterday": "yesteday yesturday",
    }.items()
    for slip in slips.split()
}
"""Words of asking as they are often misspelt. None is a word of its own that a question of business holds."""

_WORD = re.compile(r"""(?<![\w"'“‘_-])[^\W\d_]{3,}(?![\w"'”’_-])""")

_PLACED = frozenset({"in", "at", "on"})
"""Words that states begin with which say where a row is: in the workshop, on loan."""

_MANY = re.compile(r"\s+(?:m[an]{2,3}y|much|mcuh|muhc|long|often|old)\b", re.IGNORECASE)

_CODED = re.compile(r"[^\W\d_]{3,}")


class Spelling:
    """The words of one source as they are spelled: `said` in its names, `labels` of what it stores."""

    def __init__(
        self, model: Model, index: ValueIndex | None, said: Collection[str], labels: Iterable[str]
    ) -> None:
        self._model = model
        self._index = index
        plurals = {plural_of(word) for word in said if len(word) > 3}
        called = {*said, *plurals, *(word + "s" for word in said if len(word) > 3)}
        named = {*called, *(word for label in labels for word in label.split())}
        categories = {w for text in self._categories() if (w := normal(text)).isalpha() and len(w) > 4}
        asking = {word for phrase in (*OPERATORS, *CONCEPTS, *DOMAIN_SYNONYMS) for word in phrase.split()}
        self.called = _spelled(called)
        """Words of names, with their plurals."""
        self.own = _spelled(named | categories)
        """The same, and words of labels and of what columns of few texts store."""
        self._asked = _spelled({*said, *asking, *MONTHS, *NUMBER_WORDS, *DEMONYMS})

    def mended(self, word: str) -> str:
        """The word that is spelled nearly so, of this source before words of asking; "" where none is."""
        return nearest(word, self.own) or nearest(word, self._asked)

    def named(self, word: str) -> str:
        """The name that is spelled nearly so, in the singular or the plural as the word is; "" where none is."""
        several = word.endswith("s")
        return nearest(word, [name for name in self.called if name.endswith("s") is several])

    @cached_property
    def coded(self) -> tuple[tuple[str, ...], ...]:
        """The words of the stored codes with underscores, where all of them are words: `waiting_parts`, not `x_1`; of those that say where, `in_workshop`, also with spaces."""
        codes = (tuple(text.lower().split("_")) for text in self._categories())
        words = (
            c
            for c in codes
            if len(c) > 1 and all(_CODED.fullmatch(w) for w in (c[1:] if c[0] in _PLACED else c))
        )
        texts = (tuple(text.lower().split()) for text in self._categories())
        placed = (c for c in texts if len(c) == 2 and c[0] in _PLACED and _CODED.fullmatch(c[1]))
        return tuple(dict.fromkeys((*words, *placed)))

    def _categories(self) -> Iterable[str]:
        """The texts of columns that hold few of them."""
        if self._index is None:
            return
        for one in (one for fields in self._model.fields.values() for one in fields):
            if one.separator:
                yield from one.entries
            elif one.role is Role.DIMENSION and not one.is_number:
                texts = self._index.texts_of(ColumnRef(one.table, one.column))
                yield from texts if len(texts) <= MENDED_TOWARDS else ()


def unslipped(text: str, is_known: Callable[[str], bool]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Give a question with its misspelt words of asking mended, and which these were; what the source knows stays as it is, and so do names in capitals.

    Example:
        >>> unslipped("wich shop sold most lst month", lambda word: False)
        ('which shop sold most last month', (('wich', 'which'), ('lst', 'last')))
        >>> unslipped("revenue in NAD of Nex", lambda word: False)
        ('revenue in NAD of Nex', ())
    """
    found: list[tuple[str, str]] = []

    def mend(match: re.Match[str]) -> str:
        low = match[0].lower()
        better = SLIPS.get(low, "")
        is_name = match[0] != low and not text.isupper() and (match.start() > 0 or match[0].isupper())
        if not better or is_name or is_known(low):
            return match[0]
        if better == "who" and _MANY.match(text, match.end()):
            better = "how"
        found.append((low, better))
        return better

    return _WORD.sub(mend, text), tuple(dict.fromkeys(found))


def _spelled(words: Iterable[str]) -> list[str]:
    """Words that are long enough to be told from others."""
    return sorted(word for word in words if len(word) > 3)


def nearest(word: str, words: Sequence[str]) -> str:
    """The word that is spelled nearly so, with the same first letter; "" where none is."""
    if len(word) < 4 or not word.isalpha():
        return ""
    cutoff = 1 if len(word) < TWICE_MISSPELT else 2
    same = [w for w in words if w[0] == word[0]]
    if len(word) == 4:  # of short words another one is as likely as a slip, unless all letters are there
        same = [w for w in same if sorted(w) == sorted(word) or len(w) == 5]
    found = process.extractOne(word, same, scorer=OSA.distance, score_cutoff=cutoff)
    if found is None and len(word) >= SWAPPED:  # all letters are there: costumers, customers
        mixed = [w for w in same if sorted(w) == sorted(word)]
        found = process.extractOne(word, mixed, scorer=OSA.distance, score_cutoff=2)
    return str(found[0]) if found is not None else ""

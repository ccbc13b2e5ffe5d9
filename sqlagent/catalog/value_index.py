"""Stored values, searchable: "oslo" finds city.name = 'Oslo'.

Decides which values are kept and what resembling one means: exact after folding case,
accents and punctuation; equal stems; contained words; or close spelling. Leaves to linking
and the grammar which of several matches a question means.
"""

from __future__ import annotations

import copy
import json
import re
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from rapidfuzz import fuzz, process

from sqlagent.catalog.statistics import Statistics
from sqlagent.catalog.value_order import readable
from sqlagent.catalog.value_reading import MAX_VALUE_CHARS, Progress, ValueReading, as_it_is
from sqlagent.errors import Unreachable
from sqlagent.language.lexicon import DEMONYMS, STOP_WORDS
from sqlagent.language.words import fold, stem
from sqlagent.ports import Database
from sqlagent.values import Catalog, ColumnRef, ValueMatch

FUZZY_CUTOFF = 80.0
"""rapidfuzz ratio below which two spellings are not the same word (Norwey/Norway is 83.3)."""

_YES = frozenset({"y", "yes", "t", "true"})
_NO = frozenset({"n", "no", "f", "false"})
_WORD = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")
NUMBER = re.compile(r"\s*[-+]?[\d.,]+\s*|null", re.IGNORECASE)
"""Texts that are numbers, or stand for none."""

_Parts = tuple[list[ColumnRef], list[tuple[str, list[int]]], str, Statistics | None, Progress | None]


def normal(text: str) -> str:
    """Fold case, accents, spacing and punctuation, the form under which values are looked up."""
    return " ".join(_WORD.findall(fold(text)))


def yes_and_no(texts: Collection[str]) -> tuple[str, str] | None:
    """Give the texts for yes and for no of a column that holds nothing else; None where it holds something else.

    Example:
        >>> yes_and_no(["N", "Y"]), yes_and_no(["N", "Y", "?"])
        (('Y', 'N'), None)
    """
    yes = next((t for t in texts if fold(t) in _YES), "")
    no = next((t for t in texts if fold(t) in _NO), "")
    return (yes, no) if yes and no and len(texts) == 2 else None


def index_parts(data: bytes) -> _Parts:
    """Unpack what `ValueIndex.to_bytes` packed into what an index is made of. Raises: ValueError when it is something else."""
    try:
        payload = json.loads(zlib.decompress(data))
        columns = [ColumnRef(t, c) for t, c in payload["columns"]]
        values = [(str(text), [int(n) for n in numbers]) for text, numbers in payload["values"]]
        if any(n < 0 or n >= len(columns) for _, numbers in values for n in numbers):
            raise ValueError("a value of the index points at no column")
        facts = Statistics.from_plain(payload["facts"]) if "facts" in payload else None
        progress = Progress.from_plain(payload["progress"]) if "progress" in payload else None
        return columns, values, str(payload.get("version", "")), facts, progress
    except (zlib.error, KeyError, TypeError, UnicodeDecodeError) as error:
        raise ValueError("this is no value index") from error


class ValueIndex:
    """Distinct stored texts of a source with the columns they stand in. Reading is thread-safe.

    `finds_words` unless it knows single columns alone.
    """

    finds_words = True

    def __init__(
        self,
        columns: list[ColumnRef],
        values: list[tuple[str, list[int]]],
        version: str = "",
        facts: Statistics | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.version = version
        self.progress = progress
        self.facts = facts or Statistics()
        self.has_facts = facts is not None
        self._by_column: dict[ColumnRef, list[str]] | None = None
        self._columns = columns
        self._values = values
        self._worded: frozenset[ColumnRef] | None = None
        self._sorted: list[str] | None = None
        self._hidden: frozenset[ColumnRef] = frozenset()
        self._partly: tuple[frozenset[ColumnRef], ValueIndex] | None = None
        self._exact: dict[str, list[int]] = defaultdict(list)
        self._stems: dict[str, list[int]] = defaultdict(list)
        self._words: dict[str, list[int]] = defaultdict(list)
        for number, (text, _) in enumerate(values):
            key = normal(text) or fold(text)
            self._exact[key].append(number)
            words = key.split()
            if len(words) <= 6:
                self._stems[" ".join(stem(w) for w in words)].append(number)
            if 1 < len(words) <= 8:
                for word in set(words):
                    if word not in STOP_WORDS and len(word) > 1:
                        self._words[word].append(number)

    @classmethod
    def build(
        cls, catalog: Catalog, database: Database, *, per_column: int = 3_000, seconds: float = 20.0
    ) -> ValueIndex:
        """Read facts and distinct texts, at most `per_column` of a column, most useful first, within `seconds`.

        Columns that cannot be read are left out. When time ends or the source goes away, the values read so far are kept.
        """
        reading = ValueReading(catalog)
        with suppress(Unreachable):
            reading.read(database, per_column=per_column, seconds=seconds)
        return cls.of(reading)

    @classmethod
    def of(cls, reading: ValueReading) -> ValueIndex:
        """Make what was read so far searchable."""
        columns = [ref for ref in readable(reading.catalog) if ref in reading.texts]
        values: dict[str, list[int]] = {}
        for number, ref in enumerate(columns):
            for text in reading.texts[ref]:
                values.setdefault(text, []).append(number)
        return cls(
            columns,
            list(values.items()),
            reading.catalog.version,
            reading.statistics(),
            reading.progress(),
        )

    def reading(self, catalog: Catalog, *, again: bool = False) -> ValueReading:
        """Go on reading from here, of the catalog as it is now; with `again` everything anew.

        An index made before progress was kept stays as it is; missing values are still to be read.
        """
        texts = {ref: self.texts_of(ref) for ref in self._columns}
        progress = self.progress or as_it_is(catalog)
        return ValueReading.resumed(catalog, texts, self.facts, progress, again=again)

    def beside(self, found: Iterable[tuple[ColumnRef, str]]) -> ValueIndex:
        """Give an index that knows some values more, of columns that are not read; this one stays as it is.

        Example:
            >>> index = ValueIndex([ColumnRef("city", "name")], [("Oslo", [0])])
            >>> wider = index.beside([(ColumnRef("city", "country"), "Norway")])
            >>> [m.column.column for m in wider.lookup("norway")], wider.base is index, index.lookup("norway")
            (['country'], True, [])
        """
        return _Beside(self, found)

    @property
    def base(self) -> ValueIndex:
        """The index as it was read, without values found beside it."""
        return self

    def __len__(self) -> int:
        return len(self._values)

    def without(self, hidden: frozenset[ColumnRef]) -> ValueIndex:
        """Give the same values, those of some columns never found; one object for as long as the same are left out.

        Example:
            >>> index = ValueIndex([ColumnRef("city", "name")], [("Oslo", [0])])
            >>> index.without(frozenset([ColumnRef("city", "name")])).lookup("oslo"), len(index.lookup("oslo"))
            ([], 1)
        """
        if not hidden:
            return self
        known = self._partly
        if known is None or known[0] != hidden:
            made = copy.copy(self)
            made._hidden = hidden
            self._partly = known = (hidden, made)
        return known[1]

    def lookup(self, words: str) -> list[ValueMatch]:
        """Values equal to `words` after folding (score 1), else equal in their stems (0.9), else demonyms (0.85).

        Dictionary look-ups only, so it can be asked for every stretch of a question.
        """
        key = normal(words)
        if not key:
            return []
        if key in self._exact:
            return list(self._matches(words, self._exact[key], 1.0))
        stems = " ".join(stem(w) for w in key.split())
        if stems in self._stems:
            return list(self._matches(words, self._stems[stems], 0.9))
        out: list[ValueMatch] = []
        for other in DEMONYMS.get(key, "").split("|"):
            if other and other in self._exact:
                out.extend(self._matches(words, self._exact[other], 0.85))
        return out

    def containing(self, words: str, limit: int = 8) -> list[ValueMatch]:
        """Values of several words that hold all of `words` (score 0.5 to 0.8 by the share held)."""
        parts = [w for w in normal(words).split() if w in self._words]
        if not parts or len(parts) != len(normal(words).split()):
            return []
        found = set(self._words[parts[0]])
        for part in parts[1:]:
            found &= set(self._words[part])
        out: list[ValueMatch] = []
        for number in sorted(found)[:200]:
            share = len(parts) / len(normal(self._values[number][0]).split())
            out.extend(self._matches(words, [number], 0.45 + 0.35 * share))
        return sorted(out, key=lambda m: -m.score)[:limit]

    def resembling(self, words: str, limit: int = 5) -> list[ValueMatch]:
        """Values spelled nearly like `words`, best first; scores are the rapidfuzz ratio / 100."""
        key = normal(words)
        if len(key) < 4 or len(key) > MAX_VALUE_CHARS:
            return []
        hits = process.extract(
            key, self._exact.keys(), scorer=fuzz.ratio, score_cutoff=FUZZY_CUTOFF, limit=limit
        )
        out: list[ValueMatch] = []
        for text, score, _ in hits:
            out.extend(self._matches(words, self._exact[text], min(score, 97.0) / 100))
        return out

    def search(self, words: str, *, limit: int = 10) -> list[ValueMatch]:
        """Find what `words` may mean, best first: exact, then stems, then contained words, then spelling.

        Example:
            >>> index = ValueIndex([ColumnRef("city", "name")], [("Oslo", [0])])
            >>> index.search("oslo")[0].value, index.search("Olso!") == []
            ('Oslo', True)
        """
        found = self.lookup(words) or [*self.containing(words), *self.resembling(words)]
        return sorted(found, key=lambda m: -m.score)[:limit]

    def holds(self, column: ColumnRef, text: str) -> bool:
        """Whether exactly this text is stored in that column (as far as the index was built)."""
        return any(m.value == text and m.column == column for m in self.lookup(text))

    def flags(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Columns that hold nothing but yes and no (Y/N, true/false ...), with those two texts."""
        texts: dict[int, set[str]] = defaultdict(set)
        for text, columns in self._values:
            for column in columns:
                if len(texts[column]) < 4:
                    texts[column].add(text)
        out: dict[tuple[str, str], tuple[str, str]] = {}
        for column, held in texts.items():
            if (pair := yes_and_no(held)) is not None:
                out[(self._columns[column].table, self._columns[column].column)] = pair
        return out

    def worded(self) -> frozenset[ColumnRef]:
        """Columns that hold at least one text that is no number: nothing there can be added up.

        Example:
            >>> index = ValueIndex([ColumnRef("car", "mpg"), ColumnRef("car", "make")], [("18.5", [0]), ("Audi", [1])])
            >>> [ref.column for ref in index.worded()]
            ['make']
        """
        if self._worded is None:
            found = {at for text, places in self._values if not NUMBER.fullmatch(text) for at in places}
            self._worded = frozenset(self._columns[at] for at in found)
        return self._worded

    def texts_of(self, column: ColumnRef) -> list[str]:
        """The different texts of a column, as far as the index was built."""
        if self._by_column is None:
            found: dict[ColumnRef, list[str]] = defaultdict(list)
            for text, places in self._values:
                for place in places:
                    found[self._columns[place]].append(text)
            self._by_column = dict(found)
        return self._by_column.get(column, [])

    def columns(self) -> tuple[ColumnRef, ...]:
        """The columns that were read."""
        return tuple(self._columns)

    def texts(self, prefix: str, limit: int = 10) -> list[ValueMatch]:
        """Values that begin with `prefix` after folding, for completing what people type."""
        key = normal(prefix)
        if not key:
            return []
        out: list[ValueMatch] = []
        if self._sorted is None:
            self._sorted = sorted(self._exact)
        for place in range(bisect_left(self._sorted, key), len(self._sorted)):
            text = self._sorted[place]
            if not text.startswith(key) or len(out) >= limit:
                break
            out.extend(self._matches(prefix, self._exact[text], len(key) / len(text)))
        return out[:limit]

    def sizes(self) -> dict[ColumnRef, int]:
        """How many different texts each column holds, as far as the index was built."""
        held = Counter(place for _, places in self._values for place in places)
        return {self._columns[place]: count for place, count in held.items()}

    def _matches(self, words: str, numbers: list[int], score: float) -> Iterator[ValueMatch]:
        for number in numbers[:20]:
            text, columns = self._values[number]
            for column in columns[:30]:
                if self._columns[column] not in self._hidden:
                    yield ValueMatch(words, self._columns[column], text, score)

    def to_bytes(self) -> bytes:
        """Pack the index for keeping; `from_bytes` gives an equal one back."""
        payload = {
            "version": self.version,
            "columns": [[c.table, c.column] for c in self._columns],
            "values": self._values,
            "facts": self.facts.plain(),
        }
        if self.progress is not None:
            payload["progress"] = self.progress.plain()
        return zlib.compress(json.dumps(payload, ensure_ascii=False).encode(), 6)

    @classmethod
    def from_bytes(cls, data: bytes) -> ValueIndex:
        """Unpack what `to_bytes` packed. Raises: ValueError when it is something else."""
        return cls(*index_parts(data))


class _Beside(ValueIndex):
    """An index with some values beside it: found by look-ups, unknown to what tells of whole columns."""

    def __init__(self, base: ValueIndex, found: Iterable[tuple[ColumnRef, str]]) -> None:
        pairs = list(found)
        columns = list(dict.fromkeys(ref for ref, _ in pairs))
        super().__init__(
            columns,
            [(text, [columns.index(ref)]) for ref, text in pairs],
            base.version,
            base.facts,
            base.progress,
        )
        self._base = base

    @property
    def base(self) -> ValueIndex:
        return self._base

    def __len__(self) -> int:
        return len(self._base)

    def lookup(self, words: str) -> list[ValueMatch]:
        found = [*super().lookup(words), *self._base.lookup(words)]
        best = max((match.score for match in found), default=0.0)
        return [match for match in found if match.score == best]

    def containing(self, words: str, limit: int = 8) -> list[ValueMatch]:
        return self._base.containing(words, limit)

    def resembling(self, words: str, limit: int = 5) -> list[ValueMatch]:
        return self._base.resembling(words, limit)

    def flags(self) -> dict[tuple[str, str], tuple[str, str]]:
        return self._base.flags()

    def worded(self) -> frozenset[ColumnRef]:
        return self._base.worded()

    def texts_of(self, column: ColumnRef) -> list[str]:
        return self._base.texts_of(column)

    def columns(self) -> tuple[ColumnRef, ...]:
        return self._base.columns()

    def texts(self, prefix: str, limit: int = 10) -> list[ValueMatch]:
        return self._base.texts(prefix, limit)

    def sizes(self) -> dict[ColumnRef, int]:
        return self._base.sizes()

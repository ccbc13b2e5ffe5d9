"""Short forms of one source by their letters: pieces of its names and its stored codes, and the words they may stand for.

Decides by letters alone, and only what neither the names written out nor the language's own short forms decide.
A word that the source has in full is never looked for here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlagent.catalog.semantics import Field, Model, Role
from sqlagent.catalog.semantics.countries import COUNTRY_CODES
from sqlagent.catalog.semantics.letters import abbreviates
from sqlagent.catalog.semantics.words import OPENED, RUN_TOGETHER, STATE_CODES, STATES
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.lexicon import ABBREVIATIONS, COMMAND_WORDS, COMMON_NAME_WORDS, DEMONYMS, STOP_WORDS
from sqlagent.language.words import split_name, stem
from sqlagent.makers.analyst.lexicon import DOMAIN_SYNONYMS, GLUE, NOUN_PHRASES, OPERATORS
from sqlagent.values import ColumnRef

FITS = 0.67
"""How well a word fits a short form at least; one that usually means something else has to fit better."""

FITS_ANOTHER = 0.77

FITS_A_TABLE = 0.74
"""As well as this a word fits the name of a table that usually means something else: INS of instruments."""

NEARLY = 0.1
"""Short forms that fit so much worse than the best one are not meant."""

LONGEST_CODE = 6
MOST_CODES = 30
ABBREVIATED = 0.15
"""The share of short forms among the pieces of names from which on any unknown piece may be one."""

_PLAIN = frozenset(
    RUN_TOGETHER
    | COMMON_NAME_WORDS
    | GLUE
    | {w for group in DOMAIN_SYNONYMS for w in group.split()}
    | {w for said in (*OPENED.values(), *ABBREVIATIONS.values()) for w in said.split()}
)
_PREPOSITIONS = frozenset({"to", "from", "by", "of", "on", "at", "in", "for", "with"})
_COUNTRIES = frozenset(stem(w) for w in ("country", "nation", "nationality"))
_PLACES = _COUNTRIES | {stem(w) for w in ("province", "currency", "language")}


@dataclass(frozen=True, slots=True)
class Short:
    """One short form in names: what it is in the words of its columns, how that is written, where it stands."""

    word: str
    written: str
    is_opened: bool
    places: frozenset[tuple[str, str]]

    @property
    def least(self) -> float:
        """How well a word has to fit."""
        if not self.is_opened:
            return FITS
        return FITS_A_TABLE if any(not column for _, column in self.places) else FITS_ANOTHER


class Shortened:
    """The short forms of one source."""

    def __init__(self, model: Model, index: ValueIndex | None) -> None:
        self.shorts = _shorts(model)
        self.codes: list[tuple[Field, tuple[str, ...]]] = []
        self.states: list[tuple[Field, tuple[str, ...]]] = []
        for one in (f for fields in model.fields.values() for f in fields):
            if one.role is Role.DIMENSION and one.codes is None and index is not None and not one.is_number:
                texts = one.entries or index.texts_of(ColumnRef(one.table, one.column))
                if 1 < len(texts) <= MOST_CODES and all(_is_code(t) for t in texts):
                    self.codes.append((one, tuple(texts)))
                elif 1 < len(texts) <= MOST_CODES and set(one.words) & STATES:
                    self.states.append((one, tuple(texts)))

    def opened(self, word: str) -> list[tuple[Short, float]]:
        """The short forms of names that a word may be written out of, with what that costs."""
        if (
            len(word) < 4
            or not word.isalpha()
            or word in STOP_WORDS | COMMAND_WORDS | GLUE
            or word in OPERATORS
        ):
            return []
        fits = {piece: _fit(piece, word) for piece in self.shorts}
        best = max(fits.values(), default=0.0)
        return [
            (one, (0.15 if one.is_opened else 0.06) + 0.2 * (1 - fits[piece]))
            for piece, some in self.shorts.items()
            for one in some
            if fits[piece] >= max(best - NEARLY, one.least)
        ]

    def coded(self, word: str) -> Iterator[tuple[Field, str, float]]:
        """Stored codes that a word is written out of, where exactly one of a column is, with what that costs.

        A code of two letters opens the word: any word has two letters in this order somewhere (BK, books).
        """
        if len(word) < 4 or not word.isalpha() or word in STOP_WORDS | COMMAND_WORDS | GLUE:
            return
        known = False
        for one, texts in self.codes:
            usual = [text for text in texts if stem(STATE_CODES.get(text.lower(), "")) == stem(word)]
            if len(usual) == 1 and set(one.words) & STATES:
                known = True
                yield one, usual[0], 0.12
        if known:
            return  # CAN of a status is cancelled: CNC of a machine's type is not
        for one, texts in self.codes:
            if set(one.words) & _PLACES:
                continue  # a country is named, and nothing else begins like its code
            fitting = [(text, fit) for text in texts if (fit := _fit(text.lower(), word)) >= FITS]
            if len(fitting) == 1 and (len(fitting[0][0]) > 2 or word.startswith(fitting[0][0].lower())):
                yield one, fitting[0][0], 0.1 + 0.2 * (1 - fitting[0][1])

    def initialled(self, words: Sequence[str]) -> Iterator[tuple[Field, str, float]]:
        """Stored states that a phrase of `NOUN_PHRASES` is cut down to: NS or NSH of "no show"."""
        if " ".join(words) not in NOUN_PHRASES:
            return
        short, whole = "".join(word[0] for word in words).upper(), "".join(words)
        for one, texts in self.states:
            same = [
                t
                for t in texts
                if "".join(filter(str.isalpha, t.lower())) in (whole, whole.removesuffix("s"))
            ]
            if len(same) == 1:
                yield one, same[0], 0.05
        for one, texts in self.codes:
            if not set(one.words) & STATES:
                continue
            fitting = [t for t in texts if t == short or len(t) > 2 and _fit(t.lower(), whole) >= FITS]
            if len(fitting) == 1:
                yield one, fitting[0], 0.12

    def countries(self, phrase: str) -> Iterator[tuple[Field, str]]:
        """Stored codes of the country that a phrase names or is the adjective of."""
        named = {phrase, *DEMONYMS.get(phrase, "").split("|")}
        codes = {code for name in named for code in COUNTRY_CODES.get(name, ())}
        for one, texts in self.codes if codes else ():
            if set(one.words) & _COUNTRIES:
                yield from ((one, text) for text in texts if text.upper() in codes)


def _shorts(model: Model) -> dict[str, list[Short]]:
    found: dict[tuple[str, str, str], set[tuple[str, str]]] = defaultdict(set)
    pieces: set[str] = set()
    for thing in model.things.values():
        _note(found, pieces, thing.table.rpartition(".")[2], thing.noun, (thing.table, ""))
        for one in model.fields[thing.table]:
            words = [word for word in one.words if word != stem(one.unit)]  # min of minutes is no maintenance
            _note(found, pieces, one.column, words, (one.table, one.column))
    short = [p for p in pieces if p in OPENED or p in ABBREVIATIONS or not set(p) & set("aeiouy")]
    is_abbreviated = len(short) >= ABBREVIATED * len(pieces)
    out: dict[str, list[Short]] = defaultdict(list)
    for (piece, word, written), places in found.items():
        if is_abbreviated or not set(piece) & set("aeiouy"):
            out[piece].append(Short(word, written, written != piece, frozenset(places)))
    return dict(out)


def _note(
    found: dict[tuple[str, str, str], set[tuple[str, str]]], pieces: set[str], name: str, words: Collection[str],
    place: tuple[str, str],
) -> None:  # fmt: skip
    """Note the pieces of a name that may be short forms, under the words that they were read as."""
    for piece in split_name(name):
        if len(piece) < 2 or not piece.isalpha() or piece == "id":
            continue
        pieces.add(piece)
        if piece in _PREPOSITIONS:
            continue  # the zone that an order goes to is no town
        read = OPENED.get(piece) or ABBREVIATIONS.get(piece) or piece
        is_glue = piece in GLUE and not place[1]  # a table OFF is of offices
        if piece in _PLAIN and read == piece and not is_glue or " " in read or stem(read) not in words:
            continue
        found[piece, stem(read), read].add(place)


def _fit(short: str, word: str) -> float:
    return max(abbreviates(short, form) for form in (word, word.removesuffix("s"), stem(word)))


def _is_code(text: str) -> bool:
    return len(text) <= LONGEST_CODE and text.isalnum() and text.upper() == text and not text.isdecimal()


def spoken(word: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Say a name with its short forms as they were typed.

    Example:
        >>> spoken("frt amount", [("frt", "freight")])
        'freight amount'
    """
    known = dict(pairs)
    return " ".join(known.get(piece, piece) for piece in word.split())

"""Cut questions and names into words: tokens with positions, stems, and the words inside a name.

Decides what counts as one word, which quotes are quotes, and how `customerFirstName`,
`fname` and `order_qty` are read. Leaves meaning (synonyms, numbers, dates) to its neighbours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from sqlagent.language.lexicon import ABBREVIATIONS, APART, COMMON_NAME_WORDS, IRREGULAR, words_of

MAX_CHARS = 2_000
"""Characters of a question that are read; a longer one is cut, so that reading stays bounded."""

MAX_TOKENS = 160

_STEMMER = snowballstemmer.stemmer("english")

_QUOTED = re.compile(
    r"(?<![\w'\"])(?:``\s*(?P<a>[^`'\"]{1,120}?)\s*(?:''|``)|\"(?P<b>[^\"]{1,120})\"|“(?P<c>[^”\"]{1,120})[”\"]"
    r"|[‘’](?P<d>[^’‘]{1,120})[’‘](?!\w)|`(?P<f>[^`']{1,120})[`']|'(?P<e>[^'\"]{1,120}?(?:'\w[^'\"]{0,60}?)?)'(?!\w))"
)
_PIECE = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?|\d{1,2}/\d{1,2}/\d{2,4})"
    r"|(?P<number>(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]|\.\d))"
    r"|(?P<word>[^\W_]+(?:[.'’&/_-][^\W_]+)*)"
    r"|(?P<mark>[^\w\s])",
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question with its place. `kind` is `word`, `number`, `date`, `quoted` or `mark`.

    `low` is folded for comparison, `stem` its stem; `quoted` tokens hold the text inside the quotes.
    """

    text: str
    start: int
    end: int
    low: str
    stem: str
    kind: str

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


def fold(text: str) -> str:
    """Fold case, accents and spacing, so that `  Café ` equals `cafe`."""
    if text.isascii():
        return " ".join(text.lower().split())
    flat = unicodedata.normalize("NFKD", text)
    return " ".join("".join(c for c in flat if not unicodedata.combining(c)).casefold().split())


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Reduce a folded word to its stem; irregular plurals are put right first.

    Example:
        >>> stem("countries") == stem("country"), stem("people") == stem("person")
        (True, True)
    """
    if len(word) > 40 or not word:
        return word[:40]
    if word in APART:
        return APART[word]
    word = IRREGULAR.get(word, word)
    if len(word) <= 3 and not word.endswith("s"):
        return word
    return str(_STEMMER.stemWord(word))


_SEVERAL = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_ALIKE = frozenset({*_SEVERAL.values(), "data", "equipment", "inventory", "media", "music", "staff", "stock"})


def plural_of(word: str) -> str:
    """Give a noun's plural, for the common cases of English.

    Example:
        >>> plural_of("category"), plural_of("month"), plural_of("customers"), plural_of("person")
        ('categories', 'months', 'customers', 'people')
    """
    low = word.lower()
    if low in _ALIKE or (low.endswith("s") and not low.endswith("ss")):
        return word
    if low in _SEVERAL:
        return _SEVERAL[low]
    if re.search(r"[^aeiou]y$", low):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:ss|sh|ch|x|z)$", low) else "s")


def singular(word: str) -> str:
    """Give a noun, or words that end with one, without the plural's ending; any other word as it is.

    Example:
        >>> singular("product categories"), singular("branches"), singular("sizes"), singular("people"), singular("status")
        ('product category', 'branch', 'size', 'people', 'status')
    """
    if word.lower().endswith(("us", "ss", "is")):
        return word
    shorter = word[:-2] if re.search(r"(?:ss|sh|ch|x)es$", word, re.IGNORECASE) else word[:-1]
    found = (bare for bare in (word[:-3] + "y", shorter) if len(bare) > 2 and plural_of(bare) == word)
    return next((bare for bare in found if bare != word), word)


def tokenise(text: str) -> tuple[Token, ...]:
    """Cut a question into tokens, in order. Possessive `'s` is dropped; hyphens split words.

    At most `MAX_CHARS` characters and `MAX_TOKENS` tokens are read.

    Example:
        >>> [t.low for t in tokenise("Alice's 3 top-rated cars?")]
        ['alice', '3', 'top', 'rated', 'cars', '?']
    """
    text = text[:MAX_CHARS]
    out: list[Token] = []
    at = 0
    for match in _QUOTED.finditer(text):
        out.extend(_pieces(text, at, match.start()))
        name = match.lastgroup or "b"
        inner = match.group(name)
        low = fold(inner)
        if low:
            out.append(Token(inner.strip(), match.start(name), match.end(name), low, stem(low), "quoted"))
        at = match.end()
    out.extend(_pieces(text, at, len(text)))
    return tuple(out[:MAX_TOKENS])


def _pieces(text: str, start: int, end: int) -> list[Token]:
    """Tokens of a stretch without quoted text."""
    out: list[Token] = []
    for match in _PIECE.finditer(text, start, end):
        kind = match.lastgroup or "mark"
        if kind == "word":
            out.extend(_word_tokens(match.group(), match.start()))
            continue
        raw = match.group()
        low = raw.replace(",", "") if kind == "number" else raw
        out.append(Token(raw, match.start(), match.end(), low, raw, kind))
    return out


def _word_tokens(raw: str, start: int) -> list[Token]:
    """One matched word, cut at hyphens, slashes and underscores; contractions opened."""
    out: list[Token] = []
    at = start
    for part in re.split(r"([-/_])", raw):
        if part and part not in "-/_":
            body = re.sub(r"['’]s$", "", part)
            low = fold(body)
            if low:
                kind = "number" if low.isdecimal() else "word"
                out.append(Token(body, at, at + len(body), low, stem(low), kind))
            if part.lower().endswith(("n't", "n’t")):
                out[-1] = Token(part, at, at + len(part), low.replace("’", "'"), "not", "word")
        at += len(part)
    return out


_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=65_536)
def split_name(name: str) -> tuple[str, ...]:
    """Split a table or column name into folded words at case changes, underscores and digits.

    Example:
        >>> split_name("customerFirstName"), split_name("order_qty2")
        (('customer', 'first', 'name'), ('order', 'qty', '2'))
    """
    out: list[str] = []
    for part in re.split(r"[\s_\-.$/]+", name):
        out.extend(fold(piece) for piece in _CAMEL.findall(part))
    return tuple(w for w in out if w)


def segment(word: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """Split a run-together name such as `stuid` or `pettype` into known words, else keep it whole.

    Example:
        >>> segment("pettype", {"pet"})
        ('pet', 'type')
        >>> segment("membership", {"member", "ship"}), segment("workshop", {"work", "shop"})
        (('membership',), ('workshop',))
    """
    whole = word in vocabulary or word in COMMON_NAME_WORDS or word.removesuffix("s") in _CLOSED
    if len(word) < 5 or whole or len(word) > 30:
        return (word,)
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(2, len(word) + 1):
        for start in range(max(0, end - 14), end - 1):
            piece = word[start:end]
            if start not in best:
                continue
            if piece in COMMON_NAME_WORDS or (len(piece) > 2 and piece in vocabulary):
                option = (*best[start], piece)
                if end not in best or len(option) < len(best[end]):
                    best[end] = option
    found = best.get(len(word), (word,))
    return (word,) if len(found) == 2 and found[1] in _ENDINGS else found


_CLOSED = words_of(
    """
    workshop workload worksheet workstation workforce workplace workday timesheet timetable timeline
    timeslot headcount headline salesperson salesman saleswoman salespeople storefront storeroom showroom
    classroom stockroom bedroom database datasheet groundwork groupwork framework teamwork network homework
    overtime lifetime deadline pipeline airline online offline nickname surname townhouse household
    leasehold freehold shareholder stakeholder cardholder policyholder
    """
)
"""English words that are written in one piece, and are made of two."""

_ENDINGS = frozenset({"ship", "age", "able", "less", "hood", "ward", "like", "wise"})
"""Endings that make another noun or adjective of a word: a membership is no ship."""

_SHORT_ID = re.compile(r"[a-df-z]id|eid|[b-df-hj-np-tv-z]{2}id")
"""Names such as `eid` or `sid`: a letter or two of the table and `id`."""


def name_words(name: str, vocabulary: Collection[str] = ()) -> tuple[str, ...]:
    """Read the words in a name, run-together and abbreviated ones opened.

    Example:
        >>> name_words("fname"), name_words("cust_addr")
        (('first', 'name'), ('customer', 'address'))
    """
    whole = "".join(split_name(name))
    if whole in ABBREVIATIONS:
        return tuple(ABBREVIATIONS[whole].split())
    out: list[str] = []
    parts = split_name(name)
    for at, word in enumerate(parts):
        if word in {"f", "l"} and parts[at + 1 : at + 2] == ("name",):
            out.append("first" if word == "f" else "last")
            continue
        if word == "no" and at and at == len(parts) - 1:
            out.append("number")
            continue
        if word in ABBREVIATIONS:
            out.extend(ABBREVIATIONS[word].split())
            continue
        if _SHORT_ID.fullmatch(word):
            out.append("id")
            continue
        for piece in segment(word, vocabulary):
            out.extend(ABBREVIATIONS.get(piece, piece).split())
    return tuple(out)

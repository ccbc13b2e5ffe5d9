"""Which words of a question may name a table, a column or a stored value, with scores.

The evidence under both linking and the grammar: a `Naming` prepares the words of a catalog
once; `Naming.mentions` reads one question against it. Decides how names resemble words;
leaves which of several options is meant to its users.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz import fuzz, process

from sqlagent.language.common_words import is_common
from sqlagent.language.cues import CUE_WORDS
from sqlagent.language.lexicon import ABBREVIATIONS, IMPLIED, STOP_WORDS, SYNONYM_GROUPS
from sqlagent.language.words import Token, name_words, split_name, stem
from sqlagent.values import Catalog, Column, Kind, Table, ValueMatch

SYNONYM = 0.7
"""Weight of a synonym against the word itself (1.0)."""

PREFIX = 0.6
"""Weight of a word that merely begins like the name's word (accel ~ acceleration)."""

TYPO = 83.0
"""rapidfuzz ratio from which an unknown word is a name misspelt ("airilne" ~ "airline" is 83 by stems)."""

CUE_STEMS = frozenset(stem(w) for w in CUE_WORDS)

INNER_WORDS = frozenset({"of", "the", "'s", "per", "in", "for"})
"""Words skipped inside a name's span ("date of birth")."""

MAX_SPAN = 6

TRAILING = {"job": "title", "phone": "number", "telephone": "number", "email": "address", "mail": "address"}
"""Second words that say no more than the first: "job title" is the job, "phone number" the phone."""

_PLURALS = (("ies", "y"), ("es", ""), ("s", ""))


class Values(Protocol):
    """The questions to a value index that words of a question raise."""

    def lookup(self, words: str) -> list[ValueMatch]:
        """Values equal to some words."""
        ...

    def containing(self, words: str, limit: int = 8) -> list[ValueMatch]:
        """Values that hold some words."""
        ...

    def resembling(self, words: str, limit: int = 5) -> list[ValueMatch]:
        """Values spelled nearly so."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """One thing a span may mean: a table (no column), a column, or a stored value of a column.

    `cover` is the share of the name's own words that the span (and its table's name) accounts for.
    """

    table: str
    column: str = ""
    value: str = ""
    score: float = 1.0
    cover: float = 1.0
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens `start` to `end` (exclusive) and what they may mean, best first. `kind`: table, column or value."""

    start: int
    end: int
    kind: str
    targets: tuple[Target, ...]

    @property
    def best(self) -> Target:
        """The likeliest target."""
        return self.targets[0]


@dataclass(frozen=True, slots=True)
class Named:
    """A table or column with the stems of its own name and of its table's."""

    table: Table
    column: Column | None
    own: tuple[str, ...]
    around: frozenset[str]
    comment: frozenset[str]


def _synonyms() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for group in SYNONYM_GROUPS:
        stems = {stem(w) for w in group.split()}
        for one in stems:
            groups[one] |= stems - {one}
    for word, others in IMPLIED.items():
        groups[stem(word)] |= {stem(w) for w in others.split()}
    return {word: frozenset(others) for word, others in groups.items()}


SYNONYMS = _synonyms()


class Naming:
    """The words of a catalog's names, prepared once. Immutable after construction."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        vocabulary = {w for t in catalog.tables for w in split_name(t.name)}
        vocabulary |= {stem(w) for w in vocabulary}
        vocabulary |= {w[: -len(end)] + one for w in vocabulary for end, one in _PLURALS if w.endswith(end)}
        self.items: list[Named] = []
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for table in catalog.tables:
            around = tuple(stem(w) for w in name_words(table.name, vocabulary))
            self._add(Named(table, None, around, frozenset(), _comment(table.comment)))
            for column in table.columns:
                own = tuple(stem(w) for w in name_words(column.name, vocabulary))
                self._add(Named(table, column, own, frozenset(around), _comment(column.comment)))
                raw = tuple(stem(w) for w in split_name(column.name))
                if raw != own and any(w in ABBREVIATIONS for w in split_name(column.name)):
                    self._add(Named(table, column, raw, frozenset(around), frozenset()))
            self._add_product(table)
            self._add_full_name(table)
        self._prefixes: dict[str, list[str]] = defaultdict(list)
        for known in list(self._by_stem):
            if len(known) >= 3:
                self._prefixes[known[:3]].append(known)
        self._cache: dict[str, dict[int, tuple[float, str]]] = {}

    def _add_product(self, table: Table) -> None:
        """Let "revenue" find quantity times price where a table holds both and no amount.

        The column is named `quantity*price`; it is computed, not stored.
        """
        words = {
            c.name: set(split_name(c.name)) for c in table.columns if c.kind in (Kind.INTEGER, Kind.NUMBER)
        }
        count = next((n for n, w in words.items() if w & {"quantity", "qty", "units", "pieces", "items"}), "")
        price = next((n for n, w in words.items() if w & {"price", "unitprice", "rate"} and n != count), "")
        if (
            count
            and price
            and not any(w & {"amount", "total", "revenue", "subtotal"} for w in words.values())
        ):
            column = Column(f"{count}*{price}", kind=Kind.NUMBER)
            around = frozenset(stem(w) for w in name_words(table.name))
            self._add(Named(table, column, (stem("revenue"),), around, frozenset()))

    def _add_full_name(self, table: Table) -> None:
        """Let "name" find first and last name together where no column holds the whole name.

        The column is called `first&last`: two columns, not one stored.
        """
        words = {c.name: name_words(c.name) for c in table.columns}
        first = next((n for n, w in words.items() if w[-2:] in (("first", "name"), ("given", "name"))), "")
        last = next((n for n, w in words.items() if w[-2:] in (("last", "name"), ("family", "name"))), "")
        whole = any(
            w[-1:] == ("name",)
            and len(w) < 3
            and not {"first", "last", "middle", "given", "family", "user"} & set(w)
            for w in words.values()
        )
        if first and last and not whole:
            around = frozenset(stem(w) for w in (*name_words(table.name), "full"))
            self._add(
                Named(table, Column(f"{first}&{last}", kind=Kind.TEXT), (stem("name"),), around, frozenset())
            )

    def _add(self, item: Named) -> None:
        self.items.append(item)
        for one in {*item.own, *item.around, *item.comment}:
            self._by_stem[one].append(len(self.items) - 1)

    def matches(self, one: str) -> dict[int, tuple[float, str]]:
        """Items a stem may belong to, with the weight and the item's word it stands for."""
        if one in self._cache:
            return self._cache[one]
        out: dict[int, tuple[float, str]] = {}
        for word, weight in self._alike(one):
            for number in self._by_stem.get(word, ()):
                item = self.items[number]
                here = weight if word in item.own or word in item.around else weight * 0.55
                if here > out.get(number, (0.0, ""))[0]:
                    out[number] = (here, word)
        if len(self._cache) < 20_000:
            self._cache[one] = out
        return out

    def _alike(self, one: str) -> list[tuple[str, float]]:
        out = [(one, 1.0)]
        out.extend((other, SYNONYM) for other in SYNONYMS.get(one, ()))
        if one in CUE_STEMS and one not in self._by_stem:
            return out
        if len(one) >= 4 and one not in self._by_stem:
            for known in self._prefixes.get(one[:3], ()):
                if known != one and len(known) >= 4 and (known.startswith(one) or one.startswith(known)):
                    out.append((known, PREFIX if min(len(known), len(one)) < 5 else 0.8))
        elif len(one) == 3 and one not in self._by_stem and one not in STOP_WORDS:
            out.extend((k, PREFIX) for k in self._prefixes.get(one, ()) if k.startswith(one))
        if len(out) == 1 and len(one) >= 5 and one not in self._by_stem and one not in CUE_STEMS:
            near = process.extractOne(one, self._by_stem.keys(), scorer=fuzz.ratio, score_cutoff=TYPO)
            if near is not None:
                out.append((near[0], SYNONYM))
        return out

    def mentions(self, tokens: Sequence[Token], values: Values | None = None) -> tuple[Mention, ...]:
        """Find what the question's words may name: non-overlapping mentions in question order."""
        found = self._named_spans(tokens)
        stored = _value_spans(tokens, values) if values is not None else []
        return _choose(tokens, found, stored)

    def _named_spans(self, tokens: Sequence[Token]) -> list[Mention]:
        out: list[Mention] = []
        for start, token in enumerate(tokens):
            if token.kind != "word" or not self._may_start(tokens, start):
                continue
            held: dict[int, list[tuple[float, str]]] = {n: [m] for n, m in self.matches(token.stem).items()}
            best: Mention | None = None
            end = start + 1
            while held:
                mention = self._mention(start, end, held, tokens)
                if mention is not None:
                    best = mention
                nxt = end
                while nxt < len(tokens) and tokens[nxt].low in INNER_WORDS and nxt - end < 2:
                    nxt += 1
                if (
                    nxt >= len(tokens)
                    or nxt - start >= MAX_SPAN
                    or tokens[nxt].kind not in ("word", "number")
                ):
                    break
                plural = tokens[start].low.endswith("s") and not tokens[nxt].low.endswith("s")
                held = self._extend(held, tokens[nxt].stem, own_only=nxt > end, verb=plural)
                end = nxt + 1
            if best is not None:
                trailing = TRAILING.get(tokens[best.end - 1].low, "")
                if trailing and best.end < len(tokens) and tokens[best.end].low == trailing:
                    best = Mention(best.start, best.end + 1, best.kind, best.targets)
                out.append(best)
        return out

    def _may_start(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a name may begin here: no stop word, unless a longer name holds it ("first name")."""
        token = tokens[at]
        if token.low not in STOP_WORDS:
            return True
        if at + 1 >= len(tokens) or token.low not in {
            "first",
            "last",
            "own",
            "state",
            "name",
            "show",
            "order",
            "time",
        }:
            return False
        both = set(self.matches(token.stem)) & set(self.matches(tokens[at + 1].stem))
        return bool(both)

    def _extend(
        self, held: dict[int, list[tuple[float, str]]], one: str, own_only: bool, verb: bool
    ) -> dict[int, list[tuple[float, str]]]:
        """Keep the items that the next word belongs to as well.

        A table's word joins a column's ("singer name") only where the second word is the
        column's own and the first no plural: "animals weigh" is a table and a column.
        """
        out: dict[int, list[tuple[float, str]]] = {}
        for number, match in self.matches(one).items():
            before = held.get(number)
            if before is None or any(word == match[1] for _, word in before):
                continue
            item = self.items[number]
            if own_only and (match[1] not in item.own or any(word not in item.own for _, word in before)):
                continue
            outside = any(word not in item.own for _, word in before)
            if outside and match[1] in item.own and (verb or match[0] < 1.0):
                continue
            out[number] = [*before, match]
        return out

    def _mention(
        self, start: int, end: int, held: dict[int, list[tuple[float, str]]], tokens: Sequence[Token]
    ) -> Mention | None:
        elsewhere = {t.stem for n, t in enumerate(tokens) if t.kind == "word" and not start <= n < end}
        best: dict[tuple[str, str], Target] = {}
        for number, matched in held.items():
            target = self._target(self.items[number], matched, elsewhere)
            if target is not None:
                key = (target.table, target.column)
                if key not in best or best[key].score < target.score:
                    best[key] = target
        if not best:
            return None
        targets = list(best.values())
        targets.sort(key=lambda t: (-t.score, bool(t.column), t.table, t.column))
        top = targets[0].score
        kept = tuple(t for t in targets if t.score >= 0.45 * top)[:24]
        return Mention(start, end, "column" if kept[0].column else "table", kept)

    def _target(self, item: Named, matched: list[tuple[float, str]], elsewhere: set[str]) -> Target | None:
        own = [(weight, word) for weight, word in matched if word in item.own]
        if not own:
            commented = [weight for weight, word in matched if word in item.comment]
            if not commented or item.column is None:
                return None
            return Target(item.table.key, item.column.name, score=0.35, cover=0.3, exact=False)
        words = {word for _, word in own}
        total = got = 0.0
        for word in dict.fromkeys(item.own):
            weight = 1.0
            if word in words:
                got += max(w for w, o in own if o == word)
            elif word in item.around:
                weight = 0.25
                got += 0.2 if word in elsewhere else 0.0
            elif word in elsewhere:
                got += 0.35
            total += weight
        cover = got / total
        strength = sum(weight for weight, _ in matched) / len(matched)
        bonus = 0.06 * (len(matched) - 1)
        score = strength * (0.25 + 0.75 * cover) + bonus
        name = item.column.name if item.column is not None else ""
        return Target(item.table.key, name, score=min(score, 1.3), cover=cover, exact=strength > 0.99)


def _comment(text: str) -> frozenset[str]:
    words = (w for w in split_name(text[:300]) if w not in STOP_WORDS and len(w) > 2)
    return frozenset(stem(w) for w in words)


def _value_spans(tokens: Sequence[Token], values: Values) -> list[Mention]:
    """Spans that are stored values: every stretch by look-up, quoted and capitalised ones by likeness."""
    out: list[Mention] = []
    for start, token in enumerate(tokens):
        if token.kind == "mark" or token.kind == "date":
            continue
        if token.kind == "quoted":
            found = values.lookup(token.text) or values.resembling(token.text)
            if found:
                out.append(_value_mention(start, start + 1, found))
            continue
        for end in range(min(len(tokens), start + MAX_SPAN), start, -1):
            span = tokens[start:end]
            if span[-1].kind in ("mark", "quoted", "date") or any(t.kind == "quoted" for t in span):
                continue
            if len(span) == 1 and (token.kind == "number" or _too_common(token, start)):
                continue
            if all(t.low in STOP_WORDS for t in span) and not all(t.capital for t in span):
                continue
            found = values.lookup(_joined(span)) or (
                values.lookup(" ".join(t.low for t in span)) if len(span) > 1 else []
            )
            if found:
                out.append(_value_mention(start, end, found))
                break
    return out + _capitalised(tokens, values, out)


_LOGIC = ("and", "or", "not")
"""Never a stored value by themselves: hints write them in capitals, which names of other common words are known by (US, IT)."""


def _joined(span: Sequence[Token]) -> str:
    return " ".join(t.text for t in span)


def _too_common(token: Token, start: int) -> bool:
    if token.low in _LOGIC:
        return True
    if token.low in STOP_WORDS:
        return not (token.capital and start > 0 and len(token.low) > 1 and token.text.isupper())
    return len(token.low) < 2 and not (token.capital and start > 0)


def _capitalised(tokens: Sequence[Token], values: Values, found: list[Mention]) -> list[Mention]:
    """Runs of capitalised words that no exact value covers, by contained words and by spelling.

    Runs of common words alone are left out: "Also" at the start of a sentence is no misspelt 'Alonso'.
    """
    taken = {n for m in found for n in range(m.start, m.end)}
    out: list[Mention] = []
    at = 1
    while at < len(tokens):
        end = at
        while end < len(tokens) and tokens[end].kind == "word" and tokens[end].capital and end not in taken:
            end += 1
        if end > at:
            words = _joined(tokens[at:end])
            near = [] if is_common(words) else values.containing(words) or values.resembling(words)
            if near:
                out.append(_value_mention(at, end, near))
        at = max(end, at + 1)
    return out


def _value_mention(start: int, end: int, found: list[ValueMatch]) -> Mention:
    targets = tuple(
        Target(m.column.table, m.column.column, m.value, m.score, 1.0, m.score >= 1.0)
        for m in sorted(found, key=lambda m: -m.score)[:24]
    )
    return Mention(start, end, "value", targets)


def _choose(tokens: Sequence[Token], named: list[Mention], stored: list[Mention]) -> tuple[Mention, ...]:
    """Pick mentions that do not overlap: longer and stronger first; a value needs a reason over a name."""

    def strength(mention: Mention) -> float:
        words = [t for t in tokens[mention.start : mention.end] if t.low not in STOP_WORDS or t.low == "name"]
        base = max(len(words), 1) * 1.0 * min(mention.best.score, 1.1)
        if mention.kind == "value":
            first = tokens[mention.start]
            special = first.kind == "quoted" or (first.capital and mention.start > 0)
            base += 2.0 if first.kind == "quoted" else (0.5 if special else -0.25)
            if mention.best.score < 0.84:
                base -= 0.4
        return base

    taken: set[int] = set()
    out: list[Mention] = []
    for mention in sorted([*named, *stored], key=lambda m: (-strength(m), m.start)):
        span = set(range(mention.start, mention.end))
        if span & taken:
            continue
        taken |= span
        out.append(mention)
    return tuple(sorted(out, key=lambda m: m.start))

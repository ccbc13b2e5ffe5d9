"""A question as slots: the stretches that matter, and what each may stand for.

Decides where names, values, numbers, dates, counting words and measuring words are. `scoring`
decides the role of each, `composing` the SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlagent.language.dates import GRAINS, Period, read_periods
from sqlagent.language.lexicon import (
    ATTRIBUTE_ADJECTIVES,
    COMPARATIVE_FORMS,
    MEASURES,
    SAME_SIGN,
    STOP_WORDS,
    VERB_ATTRIBUTES,
)
from sqlagent.language.mentions import Mention, Naming, Target, Values
from sqlagent.language.numbers import read_numbers
from sqlagent.language.words import Token, split_name, stem, tokenise
from sqlagent.makers.grammar.tree import Cond, Via
from sqlagent.values import Kind

NUMERIC = (Kind.INTEGER, Kind.NUMBER)
DATED = (Kind.DATE, Kind.DATETIME)


@dataclass(frozen=True, slots=True)
class Slot:
    """Tokens `start` to `end` (exclusive) of a question that may take part in the SQL.

    `kind` is `name` (a table or column), `value`, `number`, `text` (quoted, not stored as such), `period`,
    `adjective` (measures an attribute: "oldest"), `hint` ("where", "cost"), `count` ("how many") or `given` (conditions of
    the reading). It is `defined` where a hint given with the question says what its words mean.
    """

    kind: str
    start: int
    end: int
    targets: tuple[Target, ...] = ()
    number: int | float | None = None
    text: str = ""
    form: str = ""
    period: Period | None = None
    defined: bool = False

    def tables(self) -> tuple[Target, ...]:
        """Targets that are tables."""
        return tuple(t for t in self.targets if not t.column)

    def columns(self) -> tuple[Target, ...]:
        """Targets that are columns (or values of columns)."""
        return tuple(t for t in self.targets if t.column)


@dataclass(frozen=True, slots=True)
class Reading:
    """A question read: its tokens, its slots in order, and its words with the slots replaced by signs.

    `given` are conditions that hold whatever the slots come to, `ways` joins to instances of tables.
    """

    text: str
    tokens: tuple[Token, ...]
    slots: tuple[Slot, ...]
    signs: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    vocabulary: frozenset[str] = field(default_factory=frozenset)
    given: tuple[tuple[Cond, ...], ...] = ()
    ways: tuple[Via, ...] = ()


def read(text: str, naming: Naming, values: Values | None, defined: Sequence[Slot] = ()) -> Reading:
    """Read a question against a catalog's names and stored values. Never raises, whatever the text.

    `defined` are slots that a hint made of some tokens: nothing else is read into these.
    """
    tokens = tokenise(text)
    held_back = {n for slot in defined for n in range(slot.start, slot.end)}
    mentions = [
        m for m in naming.mentions(tokens, values) if not held_back.intersection(range(m.start, m.end))
    ]
    mentions = [m for n, m in enumerate(mentions) if not _modifies(m, mentions[n + 1 : n + 2])]
    slots: list[Slot] = list(defined)
    taken: set[int] = set(held_back)
    years_stored = any("year" in split_name(i.column.name) for i in naming.items if i.column is not None)
    periods = [
        p
        for p in read_periods(tokens)
        if not p.plain_number or _is_year(tokens, p, years_stored or _numbered(mentions, p, naming))
    ]
    held = held_back | {n for m in mentions if m.kind == "value" for n in range(m.start, m.end)}
    for period in periods:
        if any(n in held for n in range(period.start, period.end)):
            continue
        dated = date_columns(naming)
        if not dated:
            continue
        text_of = _words(tokens, period)
        slots.append(Slot("period", period.start, period.end, dated, period=period, text=text_of))
        taken.update(range(period.start, period.end))
    for grain in _grains(tokens, taken, mentions, naming):
        slots.append(grain)
    for mention in mentions:
        span = range(mention.start, mention.end)
        if taken & set(span) or _only_counts(mention, tokens) or _only_computes(mention, tokens, mentions):
            continue
        slots.append(_slot(mention, tokens))
        taken.update(span)
    slots.extend(_numbers(tokens, taken))
    slots.extend(_texts(tokens, taken))
    slots.extend(_counts(tokens, taken))
    slots.extend(_measures(tokens, taken, naming))
    slots.sort(key=lambda s: s.start)
    facts = {i.table.key for i in naming.items if i.column is None and i.table.foreign_keys}
    signs, places = _signs(tokens, slots, facts)
    return Reading(text, tokens, tuple(slots), signs, places)


def _grains(
    tokens: Sequence[Token], taken: set[int], mentions: Sequence[Mention], naming: Naming
) -> Iterable[Slot]:
    """ "by month", "each year", "monthly": what a date is cut to; a column so named comes first."""
    for n, token in enumerate(tokens):
        grain = GRAINS.get(token.low)
        if n in taken or grain is None:
            continue
        adverb = token.low.endswith("ly") or token.low == "annual"
        before = {t.low for t in tokens[max(0, n - 2) : n]}
        if not adverb and not before & {"per", "by", "each", "every", "which", "what"}:
            continue
        own = next((m for m in mentions if m.start <= n < m.end), None)
        if own is not None and own.best.column and own.best.score >= 0.9:
            continue
        dated = date_columns(naming)
        if dated:
            taken.add(n)
            yield Slot("grain", n, n + 1, dated, text=token.low, form=grain)


def date_columns(naming: Naming) -> tuple[Target, ...]:
    """Columns that hold dates: by type, else texts named so."""
    out: list[Target] = []
    for item in naming.items:
        if item.column is None:
            continue
        if item.column.kind in DATED:
            out.append(Target(item.table.key, item.column.name, score=1.0))
        elif item.column.kind in (Kind.TEXT, Kind.OTHER) and {"date", "datetim", "timestamp"} & set(item.own):
            out.append(Target(item.table.key, item.column.name, score=0.8))
    return tuple(out[:40])


def _only_computes(mention: Mention, tokens: Sequence[Token], mentions: Sequence[Mention]) -> bool:
    """Whether "average" or "maximum" is what to compute, not a column so called of a table nobody named."""
    if (
        mention.kind == "value"
        or mention.end - mention.start > 1
        or tokens[mention.start].stem not in _COMPUTED
    ):
        return False
    return not any(m is not mention and m.best.table == mention.best.table for m in mentions)


_COMPUTED = frozenset({"averag", "maximum", "minimum", "max", "min", "total", "sum", "mean"})


def _only_counts(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Whether a weak name is really "number of" or "how many"."""
    if mention.kind == "value" or mention.end - mention.start > 1 or mention.best.cover > 0.9:
        return False
    low, after = tokens[mention.start].low, tokens[mention.end].low if mention.end < len(tokens) else ""
    return low in {"number", "numbers", "count", "amount", "quantity"} and after in {"of", "the"}


def _modifies(mention: Mention, following: Sequence[Mention]) -> bool:
    """Whether a weakly matched word merely qualifies the table said right after it ("gas companies")."""
    if mention.kind == "value" or not following or following[0].start != mention.end:
        return False
    after = following[0].best
    return mention.best.cover < 0.7 and following[0].kind == "table" and after.cover > 0.9


def _numbered(mentions: Sequence[Mention], period: Period, naming: Naming) -> bool:
    """Whether a column of numbers is named right before a bare year ("took office after 1961")."""
    for mention in mentions:
        if mention.kind != "value" and mention.best.column and 0 <= period.start - mention.end <= 2:
            kinds = [
                i.column.kind
                for i in naming.items
                if i.column is not None
                and (i.table.key, i.column.name) == (mention.best.table, mention.best.column)
            ]
            return any(k in (*NUMERIC, Kind.OTHER) for k in kinds)
    return False


def _is_year(tokens: Sequence[Token], period: Period, years_stored: bool) -> bool:
    """Whether a bare number such as 2024 is a year of some date: said so, where no column holds years."""
    if years_stored or period.first is None or not 1900 <= period.first.year <= 2100:
        return False
    before = tokens[period.start - 1].low if period.start else ""
    return before in {
        "in",
        "during",
        "since",
        "before",
        "after",
        "from",
        "until",
        "of",
        "for",
        "only",
        "year",
        "by",
        "and",
        "to",
    }


def _words(tokens: Sequence[Token], span: Period) -> str:
    return " ".join(t.text for t in tokens[span.start : span.end])


def _slot(mention: Mention, tokens: Sequence[Token]) -> Slot:
    text = " ".join(t.text for t in tokens[mention.start : mention.end])
    kind = "value" if mention.kind == "value" else "name"
    return Slot(kind, mention.start, mention.end, mention.targets, text=text)


def _numbers(tokens: Sequence[Token], taken: set[int]) -> Iterable[Slot]:
    for number in read_numbers(tokens):
        if taken & set(range(number.start, number.end)):
            continue
        after = tokens[number.end].low if number.end < len(tokens) else ""
        if number.ordinal and after in {"name", "names"}:
            continue
        form = "ordinal" if number.ordinal else "number"
        taken.update(range(number.start, number.end))
        yield Slot("number", number.start, number.end, number=number.value, form=form)
    for n, token in enumerate(tokens):
        if token.kind == "date" and n not in taken:
            taken.add(n)
            yield Slot("text", n, n + 1, text=token.text, form="date")


def _texts(tokens: Sequence[Token], taken: set[int]) -> Iterable[Slot]:
    for n, token in enumerate(tokens):
        if n in taken:
            continue
        if token.kind == "quoted":
            taken.add(n)
            yield Slot("text", n, n + 1, text=token.text, form="quoted")
        elif (
            token.kind == "word"
            and n
            and len(token.text) == 1
            and tokens[n - 1].stem in {"letter", "charact"}
        ):
            taken.add(n)
            yield Slot("text", n, n + 1, text=token.text, form="letter")
        elif (
            token.kind == "word"
            and n
            and tokens[n - 1].stem in {"word", "substr", "phrase", "string", "prefix"}
        ) and token.low not in STOP_WORDS:
            taken.add(n)
            yield Slot("text", n, n + 1, text=token.text, form="word")
    at = 1
    while at < len(tokens):
        end = at
        while end < len(tokens) and end not in taken and _proper(tokens[end], tokens[end - 1]):
            end += 1
        if end > at:
            taken.update(range(at, end))
            yield Slot("text", at, end, text=" ".join(t.text for t in tokens[at:end]), form="proper")
        at = max(end, at + 1)


def _proper(token: Token, before: Token) -> bool:
    """Whether a token looks like part of a proper name that nothing stores."""
    if token.kind != "word" or not token.capital or token.low in STOP_WORDS or before.low in {".", "?", "!"}:
        return False
    return len(token.low) > 1 and token.low not in VERB_ATTRIBUTES


def _counts(tokens: Sequence[Token], taken: set[int]) -> Iterable[Slot]:
    for n, token in enumerate(tokens):
        if n in taken:
            continue
        after = tokens[n + 1].low if n + 1 < len(tokens) else ""
        form = ""
        if token.low == "how" and after in {"many", "much", "often"}:
            form = "how"
        elif token.low in {"number", "numbers", "amount", "quantity"} and after in {"of", "the"}:
            form = "number"
        elif token.low in {"count", "counts", "tally"}:
            form = "count"
        elif token.low == "times" and n and tokens[n - 1].low in {"many", "of", "most"}:
            form = "times"
        if form:
            wide = 2 if form in {"how", "number"} else 1
            taken.update(range(n, n + wide))
            if form == "how" and after == "much":
                form = "much"
            yield Slot("count", n, n + wide, form=form)


def base_adjective(low: str) -> tuple[str, str]:
    """Reduce "heaviest" to ("heavy", "most") and "longer" to ("long", "more"); ("", "") for other words.

    Example:
        >>> base_adjective("heaviest"), base_adjective("larger"), base_adjective("house")
        (('heavy', 'most'), ('large', 'more'), ('', ''))
    """
    if low in COMPARATIVE_FORMS:
        return COMPARATIVE_FORMS[low], "most" if low.endswith("st") else "more"
    if low in ATTRIBUTE_ADJECTIVES:
        return low, "base"
    if low.endswith("ly") and low[:-2] in ATTRIBUTE_ADJECTIVES:
        return low[:-2], "base"
    for ending, form in (("est", "most"), ("er", "more")):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            body = low[: -len(ending)]
            for option in (body, body + "e", body[:-1] + "y" if body.endswith("i") else "", body[:-1]):
                if option in ATTRIBUTE_ADJECTIVES:
                    return option, form
    return "", ""


def _measures(tokens: Sequence[Token], taken: set[int], naming: Naming) -> Iterable[Slot]:
    """Adjectives and verbs that measure or place something, with the columns that hold it."""
    for n, token in enumerate(tokens):
        if n in taken or token.kind != "word":
            continue
        base, form = base_adjective(token.low)
        if base:
            words, direction = ATTRIBUTE_ADJECTIVES[base]
            before = tokens[n - 1].low if n else ""
            if form == "base" and before in {"most", "more", "least", "less"}:
                form = "most" if before in {"most", "least"} else "more"
                direction = -direction if before in {"least", "less"} else direction
            targets = attribute_columns(naming, words)
            sign = "up" if direction > 0 else "down"
            yield Slot("adjective", n, n + 1, targets, text=token.low, form=f"{form}:{sign}")
            taken.add(n)
        elif token.low in VERB_ATTRIBUTES or token.stem in VERB_ATTRIBUTES:
            words = VERB_ATTRIBUTES.get(token.low) or VERB_ATTRIBUTES[token.stem]
            targets = attribute_columns(naming, words)
            if targets:
                yield Slot("hint", n, n + 1, targets, text=token.low, form=token.stem)
                taken.add(n)


def attribute_columns(naming: Naming, words: str) -> tuple[Target, ...]:
    """Columns whose names hold an attribute ("age birth"), earlier words first; dates by their type too."""
    stems = {stem(w): 1.0 - 0.08 * n for n, w in reversed(list(enumerate(words.split())))}
    out: list[Target] = []
    for item in naming.items:
        if item.column is None:
            continue
        weight = max((stems[w] for w in item.own if w in stems), default=0.0)
        if not weight and item.column.kind in DATED and ("date" in stems or "time" in stems):
            weight = 0.7
        if weight:
            cover = sum(w in stems for w in item.own) / len(item.own)
            out.append(
                Target(
                    item.table.key,
                    item.column.name,
                    score=weight * (0.6 + 0.4 * cover),
                    cover=cover,
                    exact=False,
                )
            )
    out.sort(key=lambda t: -t.score)
    return tuple(out[:12])


_SIGNS = {"number": "NUM", "value": "VAL", "given": "VAL", "text": "TXT", "period": "PER", "grain": "COL"}


def _name_sign(slot: Slot, tokens: Sequence[Token], facts: set[str]) -> str:
    """TAB, COL, or MEA for a word of business ("revenue") that finds a column of rows to be added up."""
    best = slot.targets[0]
    if not best.column:
        return "TAB"
    words = {t.stem for t in tokens[slot.start : slot.end]}
    return "MEA" if words & MEASURES and best.table in facts else "COL"


def _signs(
    tokens: Sequence[Token], slots: Sequence[Slot], facts: set[str]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The question as language alone: names and values replaced, other words folded.

    The second tuple gives each sign's slot, or -1.
    """
    owner = {n: k for k, s in enumerate(slots) for n in range(s.start, s.end)}
    signs: list[str] = []
    places: list[int] = []
    last = -1
    for n, token in enumerate(tokens):
        k = owner.get(n, -1)
        if k >= 0 and slots[k].kind in ("name", "value", "given", "number", "text", "period", "grain"):
            if k != last:
                slot = slots[k]
                sign = _SIGNS.get(slot.kind) or _name_sign(slot, tokens, facts)
                signs.append(sign)
                places.append(k)
            last = k
            continue
        last = -1
        if token.kind == "mark" and token.low not in ",?;":
            continue
        signs.append(SAME_SIGN.get(token.low) or (token.low if token.low in STOP_WORDS else token.stem))
        places.append(k)
    return tuple(signs), tuple(places)

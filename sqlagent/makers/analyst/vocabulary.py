"""Targets of the words of a question in one source: things, columns, relations, stored values, business words.

Decides how well words fit a name, as a cost from 0 (the very name) upwards. Leaves the choice between several meanings to readers of the whole question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from sqlagent.catalog.semantics import Field, Kind, Model, Relation, Role
from sqlagent.catalog.semantics.calling import buyers, numbered
from sqlagent.catalog.semantics.correcting import words_of
from sqlagent.catalog.semantics.words import (
    BOUGHT,
    BUYERS,
    KEYS,
    OPENED,
    STATES,
)
from sqlagent.catalog.value_index import ValueIndex, normal
from sqlagent.language.lexicon import ABBREVIATIONS, COMMAND_WORDS, DEMONYMS, STOP_WORDS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.deeds import DEEDS
from sqlagent.makers.analyst.lexicon import (
    CONCEPTS,
    DOINGS,
    GLUE,
    NOUN_PHRASES,
    OPERATORS,
    PARTICIPLES,
    PHRASE_SYNONYMS,
    SYNONYMS,
)
from sqlagent.makers.analyst.money_back import paid_back
from sqlagent.makers.analyst.names import CLASSES, SHORT, Entry, fit, joined, kind_words
from sqlagent.makers.analyst.shortened import Short, Shortened
from sqlagent.makers.analyst.spelling import Spelling, nearest
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.state_families import Family, families
from sqlagent.makers.analyst.targets import (
    BETWEEN,
    Found,
    Target,
    done_rather_than_named,
    is_same_noun,
    told_apart,
)
from sqlagent.values import ColumnRef

_NOUNS = frozenset(
    stem(w) for w in ["ticket", "case", "issue", "incident", "bill", "job", "task", "customer", "person"]
)
"""Nouns that no verb of a time stands for: a ticket is no time at which something was requested."""

_SMALL = frozenset(stem(w) for w in GLUE | STOP_WORDS)

_RELATING = frozenset(
    [
        "since",
        "before",
        "after",
        "until",
        "during",
        "between",
        "within",
        "above",
        "below",
        "under",
        "over",
        "beyond",
        "than",
    ]
)
"""Words that relate two others: no part of a longer stored text is meant by one."""


PLURAL_VALUE = 0.12
"""The cost of a stored value of a column of few in the plural: cats are of the species cat."""


DONE = frozenset(
    {
        "done",
        "completed",
        "complete",
        "finished",
        "held",
        "delivered",
        "performed",
        "attended",
        "worked",
        "played",
    }
)
"""Names of states of what took place."""


PHRASE = 2
"""Words of a label up to which each may name it: one of three, in a sentence, says something of its own."""

_JOINING = frozenset({"and", "or", "of", "the", "a"})


ALIKE = 4
"""Letters with which a word and a name must begin to be near to each other: performances, perfs."""

FAR = 0.75
"""Cost from which on words do not fit a name."""

_ORDER = stem("order")
_TYPE = stem("type")


_FIRMS = frozenset({"company", "companies", "firm", "firms"})
"""Words behind a noun that say what kind of partner it is: an insurance company."""

_NEAR = 0.05
"""Cost up to which words name a thing whose date is spoken of."""

_ROWS = 0.1
"""Cost below which words name the rows of a table."""

_IN_PART = 0.2
"""Cost above which a word is only a part of a name: "cancelled" of a cancel reason, beside a state that is so."""


class Vocabulary:
    """The names and values of one source by the words that find them."""

    def __init__(self, model: Model, index: ValueIndex | None) -> None:
        self.model = model
        self.index = index
        self.by_stem: dict[str, list[Entry]] = defaultdict(list)
        self.acronyms: dict[str, list[Entry]] = defaultdict(list)
        self.written: dict[str, list[Entry]] = defaultdict(list)
        self.labels: dict[str, list[tuple[Field, str, str, float]]] = defaultdict(list)
        self.told: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        self.explained: Mapping[tuple[str, ...], tuple[Target, ...]] = {}
        self.said_words: set[str] = set()
        self.shortened = Shortened(model, index)
        self._opened: dict[str, list[tuple[Short, float]]] = {}
        for thing in model.things.values():
            if thing.kind is Kind.CODES:
                continue
            self._add(Entry("thing", thing.table, "", thing.noun, ()))
            self._add_told(Entry("thing", thing.table, "", thing.noun, ()), thing.also)
            self.said_words.update(thing.said.split())
            for one in model.fields[thing.table]:
                self._add(Entry("field", thing.table, one.column, one.words, thing.noun))
                self._add_told(Entry("field", thing.table, one.column, one.words, thing.noun), one.also)
                self.said_words.update(one.said.split())
                self._add_labels(one, one.labels, 0.0)
                self._add_labels(one, ((entry, entry) for entry in one.entries), 0.05)
                if one.codes is not None:
                    self._add_labels(one, one.codes.pairs, 0.05)
                    if one.codes.kind and set(listed := kind_words(one.codes.kind)) - set(one.words):
                        self._add(Entry("field", thing.table, one.column, listed, thing.noun))
            if (coded := self._only_code(thing.table)) is not None:
                self._add(Entry("field", thing.table, coded.column, (_TYPE,), thing.noun))
        for table, noun in numbered(model):
            self._add(Entry("thing", table, "", noun, ()))
            self.said_words.update(noun)
        if buyer := buyers(model):
            for word in ("customer", "client"):
                self._add(Entry("thing", buyer, "", (stem(word),), ()))
                self.said_words.add(word)
        for relation in model.relations:
            if relation.words:
                target = model.things[relation.target]
                self._add(
                    Entry(
                        "relation",
                        relation.source,
                        relation.columns[0],
                        relation.words,
                        target.noun,
                        relation,
                    )
                )
                for one in model.fields[relation.target]:
                    if one.role in (Role.DIMENSION, Role.FLAG) and one.column not in target.display:
                        words = (*relation.words, *(w for w in one.words if w not in target.noun))
                        self._add(Entry("related", relation.target, one.column, words, target.noun, relation))
        self.spelling = Spelling(model, index, self.said_words, self.labels)

    def stores(self, word: str) -> bool:
        """Whether a column of numbers bears a word in its name."""
        root = stem(word)
        return any(
            root in map(stem, one.words) and one.role is Role.MEASURE
            for own in self.model.fields.values()
            for one in own
        )

    def _only_code(self, table: str) -> Field | None:
        """The one column of codes by which a table tells its rows apart, where none is called type: "surcharges by type"."""
        fields = self.model.fields[table]
        noun = {*self.model.things[table].noun, *KEYS}
        coded = [one for one in fields if one.codes is not None and set(one.words) <= noun]
        return coded[0] if len(coded) == 1 and not any(_TYPE in one.words for one in fields) else None

    def _add(self, entry: Entry) -> None:
        if entry.kind in ("thing", "field"):
            name = joined(entry.column or entry.table)
            if (
                len(name) > 3 or len(name) == 3 and name in SHORT
            ):  # "qty", whose words are those it is short for
                self.written[name].append(entry)
        for word in set(entry.words):
            self.by_stem[word].append(entry)
        letters = "".join(w[0] for w in entry.words)
        short = len(letters) == 2 and entry.kind == "thing" and letters not in STOP_WORDS | GLUE
        if len(letters) >= 3 or short and letters not in OPERATORS:
            self.acronyms[letters].append(entry)

    def _add_told(self, entry: Entry, others: Iterable[str]) -> None:
        """Names that the owner gave: each by itself, and as the very words."""
        for name in others:
            words = words_of(name)
            self._add(replace(entry, words=words))
            self.told[words].append(entry)
            self.said_words.update(name.split())

    def is_told(self, lows: Sequence[str]) -> bool:
        """Whether words are a name that the owner gave, or that a hint explains."""
        words = tuple(stem(w) for w in lows)
        return words in self.told or words in self.explained

    def explains(self, targets: tuple[Target, ...]) -> bool:
        """Whether these are what a hint says that words mean."""
        return targets in self.explained.values()

    def _add_labels(self, one: Field, pairs: Iterable[tuple[str, str]], cost: float) -> None:
        for code, label in pairs:
            key = normal(label)
            self.labels[key].append((one, code, label, cost))
            words = key.split()
            stems = " ".join(stem(w) for w in words)
            if stems != key:
                self.labels[stems].append((one, code, label, cost + 0.05))
            if (head := normal(label.split(",")[0])) != key and head:
                self.labels[stem(head)].append((one, code, label, cost + 0.1))
            if len(words) > 1 and sum(word not in _JOINING for word in words) <= PHRASE:
                for word in (
                    word for word in words if word not in STOP_WORDS
                ):  # of a kennel hand a hand says more than a kennel
                    self.labels[stem(word)].append((one, code, label, 0.3 if word == words[-1] else 0.5))

    @cached_property
    def paid_back(self) -> str:
        """The refunds where nothing is called so: payments below zero."""
        return "" if self.targets(["refunds"]) else paid_back(self.model)

    @cached_property
    def families(self) -> Mapping[str, Family]:
        """The words that several states of one table begin with."""
        return families(self.model, self.index)

    def mended(self, word: str) -> str:
        """The word that is spelled nearly so, of this source before words of asking; "" where none is."""
        return self.spelling.mended(word)

    def slip_of(self, word: str) -> str:
        """The name that a word is a slip of, where it names that already, as a beginning or a short form of it: "ordes"; "" elsewhere.

        Short forms that differ more stay as they are: "ords" for orders.
        """
        if stem(word) in self.by_stem or word.endswith(("ed", "ing")):
            return ""
        name = self.spelling.named(word)
        named = {(t.kind, t.table, t.column) for t in self.targets([name]) if t.cost <= _NEAR} if name else ()
        same = any((t.kind, t.table, t.column) in named for t in self.targets([word])[:1])
        return name if same else ""

    def table_named(self, noun: str) -> str:
        """The table whose rows a noun names; "" where none is called so."""
        named = self.targets(noun.lower().split())
        return next((one.table for one in named if one.kind == "thing" and one.cost < _ROWS), "")

    def knows(self, word: str) -> bool:
        """Whether a word names something here, as it is."""
        return bool(self.targets([word]))

    def is_near(self, word: str) -> bool:
        """Whether a word begins like a name of the source, or the other way about, or like a text of a column of few."""
        root = stem(word)
        if any(len(name) >= ALIKE and root.startswith(name) for name in self.by_stem):
            return True
        return len(root) >= ALIKE and any(
            name.startswith(root) for name in (*self.by_stem, *self.spelling.own)
        )

    def opened(self, word: str) -> list[tuple[Short, float]]:
        """The short forms of names that a word which no name has in full may be written out of.

        A word that is stored somewhere, or labels a code, opens names of tables alone: students are those of stud, whatever
        is for a student.
        """
        if word not in self._opened:
            known = stem(word) in self.by_stem or nearest(word, self.spelling.called)
            found = [] if known else self.shortened.opened(word)
            if found and nearest(word, self.spelling.own):
                found = [one for one in found if any(not column for _, column in one[0].places)]
            self._opened[word] = found
        return self._opened[word]

    def _named_with_per(self, lows: Sequence[str], keep: Callable[[Target], None]) -> None:
        """Columns called by these very words: "price per word" is one figure where it is stored as such."""
        stems = tuple(stem(word) for word in lows)
        for entry in self.by_stem.get(stems[0], ()):
            if entry.kind == "field" and entry.words == stems:
                keep(Target("field", entry.table, entry.column))

    def targets(self, lows: Sequence[str], quoted: bool = False) -> tuple[Target, ...]:
        """The targets of a stretch of folded words, cheapest first; empty when nothing."""
        if self.explained and (own := self.explained.get(tuple(stem(w) for w in lows))):
            return own
        found: Found = {}

        def keep(target: Target) -> None:
            key = (target.kind, target.table, target.column, target.value)
            if target.cost < FAR and (key not in found or found[key].cost > target.cost):
                found[key] = target

        told = () if quoted else self.told.get(tuple(stem(w) for w in lows), ())
        for entry in told:
            keep(Target(entry.kind, entry.table, entry.column))
        cycle = lows[0].startswith("billing") and any(
            entry.kind == "field"
            and (one := self.model.field(entry.table, entry.column)) is not None
            and one.role is Role.DIMENSION
            for entry in self.by_stem.get(stem("billing"), ())
        )  # a billing cycle is no bill
        if not quoted and not told and not cycle and (concept := CONCEPTS.get(" ".join(lows))):
            keep(Target("concept", "", concept, cost=0.0))
        if not quoted and not (len(lows) > 1 and BETWEEN & set(lows) and " ".join(lows) not in NOUN_PHRASES):
            stems = [stem(w) for w in lows]
            if len(set(stems)) == len(stems):
                self._names(stems, lows, keep)
            whole = [self._in_full(w) for w in lows]
            if whole != stems and len(set(whole)) == len(whole):
                self._names(whole, lows, keep)
            for phrase in PHRASE_SYNONYMS.get(stems[0], ()) if len(stems) == 1 else ():
                for entry in self.by_stem.get(phrase[0], ()):
                    if entry.kind == "thing" and entry.words == phrase:
                        keep(Target("thing", entry.table, cost=0.06))
            for entry in self.written.get(joined("".join(lows)), ()):
                keep(Target(entry.kind, entry.table, entry.column))
        elif not quoted and "per" in lows[1:-1]:
            self._named_with_per(lows, keep)
        if len(lows) == 1 and (lows[0].endswith("ed") or lows[0] in PARTICIPLES):
            done_rather_than_named(found, self.model)
        if len(lows) == 1 and lows[0].startswith("un") and len(lows[0]) > 5 and not found:
            for target in self.targets([lows[0][2:]]):
                one = self.model.field(target.table, target.column) if target.kind == "field" else None
                if one is not None and one.role in (Role.TIME, Role.FOREIGN, Role.FLAG):
                    keep(Target("field", target.table, target.column, cost=target.cost + 0.05, label="un"))
        if len(lows) > 1 and lows[-1] in ("date", "dates") and not quoted:
            for target in self.targets(lows[:-1]):
                time = self.model.things[target.table].default_time if target.kind == "thing" else ""
                if time and target.cost <= _NEAR:
                    keep(Target("field", target.table, time, cost=target.cost + 0.06))
        plain = [t.cost for t in found.values() if t.kind != "concept"]
        if min(plain, default=1.0) > _IN_PART and len(lows) == 1 and not quoted:
            for coded, code, dear in self.shortened.coded(lows[0]):
                keep(Target("value", coded.table, coded.column, code, dear, code))
        if not found and not quoted and len(lows) > 1 and stem(lows[-1]) in CLASSES:
            for target in self.targets(lows[:-1]):
                one = self.model.field(target.table, target.column) if target.kind == "field" else None
                if one is not None and one.role is Role.DIMENSION and not set(one.words) & CLASSES:
                    keep(replace(target, cost=target.cost + 0.08))
        if len(lows) > 1 and lows[-1] in _FIRMS and not quoted:
            for target in self.targets(lows[:-1]):
                if target.kind == "thing" and target.cost <= _NEAR:
                    keep(replace(target, cost=target.cost + 0.04))
        if (
            len(lows) > 1
            and len(lows[-1]) > 3
            and not lows[-1].endswith(("ing", "ed"))
            and lows[-1] not in STOP_WORDS
            and not quoted
        ):
            owners = {t.table for t in self.targets(lows[:-1]) if t.kind == "thing" and t.cost <= _NEAR}
            for target in (
                self.targets(lows[-1:]) if owners else ()
            ):  # a claims handler is the handler of claims
                if target.kind == "relation" and target.table in owners and target.cost <= _NEAR:
                    keep(replace(target, cost=target.cost + 0.02))
        if not found:
            for coded, code, dear in self.shortened.initialled(lows):
                keep(Target("value", coded.table, coded.column, code, dear, " ".join(lows).removesuffix("s")))
        for coded, code in self.shortened.countries(" ".join(lows)):
            keep(Target("value", coded.table, coded.column, code, 0.08, code))
        if "%" in lows:  # a unit, unless what is stored has it
            for target in self._values(lows, bool(found)):
                if "%" in target.value:
                    keep(target)
            return tuple(found.values())
        for target in self._values(lows, bool(found)):
            keep(target)
        named = {(t.table, t.column): t.cost for t in found.values() if t.kind == "field"}
        found = {  # a column's own name is none of its values: industries are not industrial
            key: t
            for key, t in found.items()
            if t.kind != "value" or t.cost < 0.15 or named.get((t.table, t.column), t.cost) >= t.cost
        }
        said = stem(lows[-1])
        of_persons = len(lows) > 1 and said in PERSONS and self._is_own_noun(said)
        found = told_apart(found, lows, self.model, of_persons=of_persons)
        return tuple(sorted(found.values(), key=lambda t: (t.cost, t.kind, t.table, t.column))[:14])

    def _is_own_noun(self, said: str) -> bool:
        """Whether a table is called by a word alone; clients are customers."""
        own = BUYERS if said in BUYERS else {said}
        return any(
            e.kind == "thing" and e.words == (word,) for word in own for e in self.by_stem.get(word, ())
        )

    def _names(self, stems: list[str], lows: Sequence[str], keep) -> None:  # type: ignore[no-untyped-def]
        candidates: dict[int, Entry] = {}
        for word in stems:
            for other in (word, *SYNONYMS.get(word, ())):
                for entry in self.by_stem.get(other, ()):
                    candidates[id(entry)] = entry
        if len(stems) == 1 and 2 < len(lows[0]) < 8 and lows[0] not in STOP_WORDS | COMMAND_WORDS:
            bare = stems[0] if len(stems[0]) >= 3 else lows[0]
            for word, entries in self.by_stem.items():
                if len(word) > len(bare) and word.startswith(bare) and bare not in self.by_stem:
                    for entry in entries:
                        candidates[id(entry)] = entry
        for entry in candidates.values():
            cost = fit(stems, entry) if self._may_name(stems, entry) else None
            if (
                cost is not None
                and entry.kind == "field"
                and len(lows) > 1
                and (lows[-1].endswith("ed") or lows[-1] in PARTICIPLES)
                and stems[0] in entry.noun
            ):
                cost = None
            if cost and entry.kind == "thing" and self._does(lows, stems, entry):
                continue
            if cost and entry.kind == "field" and not set(stems) & {*entry.words, *entry.noun}:
                one = self.model.field(entry.table, entry.column)
                if one is not None and one.role is Role.FLAG:
                    if lows[0] in DEEDS and len(lows) == 1:
                        continue  # what was bought is not what is on sale
                    cost += 0.2
            if cost is not None and cost > 0.25 and entry.kind == "field" and self._is_name(entry, stems):
                cost -= 0.25  # of class_name a class is the very thing
            if cost is not None and self._sells and _ORDER in stems and self._is_bought(entry, stems):
                cost += 0.15  # orders are those that customers place
            if cost is not None:
                keep(Target(entry.kind, entry.table, entry.column, cost=cost, relation=entry.relation))
        self._written_out(stems, lows, keep)
        if len(lows) == 1:
            for form in (lows[0], lows[0].removesuffix("s")):
                for entry in self.acronyms.get(form, ()):
                    keep(Target(entry.kind, entry.table, entry.column, cost=0.05, relation=entry.relation))

    def _in_full(self, word: str) -> str:
        """The stem of a word, or of what it is short for where only that is a name's: qty, whse, appt. A cat that is listed is no category."""
        own = stem(word)
        if any(own == normal(label) and one.separator for one, _, label, _ in self.labels.get(own, ())):
            return own
        if own not in self.by_stem and self._is_plural_of_stored(word):
            return own  # where cats are stored, they are no categories
        said = next(
            (
                known[w]
                for w in (word, word.removesuffix("s"))
                for known in (OPENED, ABBREVIATIONS)
                if w in known
            ),
            "",
        )
        return stem(said) if own not in self.by_stem and stem(said) in self.by_stem else own

    def _is_plural_of_stored(self, word: str) -> bool:
        one = word.removesuffix("s")
        return self.index is not None and one != word and any(m.score == 1 for m in self.index.lookup(one))

    @cached_property
    def _sells(self) -> bool:
        """Whether orders that are no purchases have a table."""
        return any(_ORDER in t.noun and not BOUGHT & set(t.noun) for t in self.model.things.values())

    def _is_bought(self, entry: Entry, stems: Sequence[str]) -> bool:
        """Whether a name is of purchases, which no word says."""
        own = {*entry.words, *entry.noun, *self.model.things[entry.table].noun} if entry.table else set()
        return bool(BOUGHT & own) and not BOUGHT & set(stems)

    def _does(self, lows: Sequence[str], stems: Sequence[str], entry: Entry) -> bool:
        """Whether a word is for who does what rows of an event are: a dispatcher is no shipment."""
        does = len(lows) == 1 and lows[0].removesuffix("s").endswith(("er", "or"))
        does = does and not stems[0].endswith(("er", "or"))  # of an order the ending is a part
        is_event = self.model.things[entry.table].kind is Kind.EVENT
        return does and is_event and not set(stems) & {*entry.words, *entry.noun}

    def _is_name(self, entry: Entry, stems: Sequence[str]) -> bool:
        """Whether words are the noun of a column that things are shown by: "class" of class_name."""
        shown = entry.column in self.model.things[entry.table].display
        return shown and "name" in entry.words and set(entry.words) - {"name"} == set(stems)

    def _written_out(self, stems: list[str], lows: Sequence[str], keep) -> None:  # type: ignore[no-untyped-def]
        """Names with short forms for which the words were said in full: freight amount of FrtAmt."""
        for at, low in enumerate(lows):
            for short, dear in self.opened(low):
                others = [*stems[:at], short.word, *stems[at + 1 :]]
                for entry in self.by_stem.get(short.word, ()):
                    place = (entry.table, entry.column)
                    if entry.relation is not None and entry.kind == "relation":
                        place = (entry.relation.source, entry.relation.columns[0])
                    if place not in short.places or not self._may_name(others, entry):
                        continue
                    cost = fit(others, entry)
                    if cost is not None:
                        said = ((short.written, low),)
                        keep(
                            Target(entry.kind, *place, cost=cost + dear, relation=entry.relation, opened=said)
                        )

    def _may_name(self, stems: Sequence[str], entry: Entry) -> bool:
        """Whether so many words may name a column: with its table's noun before it, and a time only as a date."""
        if entry.kind == "relation" and len(stems) > 1:
            pointing = self.model.field(entry.table, entry.column)
            return pointing is None or pointing.role is not Role.TIME
        if entry.kind == "field" and stems[-1] in _NOUNS and not set(stems) & {*entry.words, *entry.noun}:
            one = self.model.field(entry.table, entry.column)
            return one is None or one.role is not Role.TIME
        if entry.kind != "field" or len(stems) == 1:
            return True
        noun = set(entry.noun)
        owned = [
            n
            for n, w in enumerate(stems)
            if w not in entry.words and (w in noun or SYNONYMS.get(w, frozenset()) & noun)
        ]
        if not owned:
            return True
        rest = {w for n, w in enumerate(stems) if n not in owned}
        if rest and rest <= _SMALL:  # "visits came from each device" speaks of no column came_from
            return False
        one = self.model.field(entry.table, entry.column)
        if (
            one is None
            or one.role in (Role.KEY, Role.FOREIGN)
            and not {"id", "number", "key", "code"} & set(stems)
        ):
            return False
        if one.role is Role.TIME and not {"date", "time", "day", "month", "year"} & set(stems):
            return False
        return owned[0] == 0

    def _values(self, lows: Sequence[str], named: bool) -> Iterable[Target]:
        phrase = " ".join(lows)
        if phrase in STOP_WORDS:
            return
        plain = normal(phrase)
        keys = {plain, " ".join(stem(w) for w in plain.split())}
        keys |= {other for other in DEMONYMS.get(plain, "").split("|") if len(other) > 2}
        for key in keys:
            for one, code, label, cost in self.labels.get(key, ()):
                yield Target("value", one.table, one.column, code, cost + (0.05 if named else 0.0), label)
        for word in list(keys):
            for other in SYNONYMS.get(word, ()):
                for one, code, label, cost in self.labels.get(other, ()):
                    yield Target("value", one.table, one.column, code, cost + 0.2, label)
        if self.index is None:
            return
        matches = self.index.lookup(phrase)
        if not matches and len(lows) == 1:
            matches = [
                m
                for other in SYNONYMS.get(stem(phrase), ())
                for m in self.index.lookup(other)
                if m.score >= 0.9
            ]
            matches = [m for m in matches if self._is_state(m.column.table, m.column.column)]
            cost_of = 0.25
        else:
            cost_of = 0.0
        says = any(stem(low) not in _SMALL and low not in _RELATING for low in lows)
        if not matches and not named and says and (len(lows) > 1 or len(phrase) > 3):
            matches = self.index.containing(phrase, 12)
        for match in matches:
            thing = self.model.things.get(match.column.table)
            stood = self.model.field(match.column.table, match.column.column)
            if (
                thing is None
                or stood is None
                or thing.kind is Kind.CODES
                or stood.codes is not None
                or stood.separator  # its entries are values, not its texts
                or stood.role is Role.TIME
                or len(thing.display) > 1
                and stood.column in thing.display
                and stem(phrase) in SYNONYMS  # clients are no persons by the name of Client
            ):
                continue
            cost = (
                0.05
                if match.score == 1
                else 0.2
                if match.score >= 0.9
                else 0.12
                if match.score == 0.85
                else 0.75 - 0.5 * match.score
            )
            if cost > PLURAL_VALUE and stood.few and is_same_noun(normal(match.value), phrase):
                cost = PLURAL_VALUE
            if stood.role is Role.TEXT and match.column.column not in thing.display:
                cost += 0.15
            yield Target("value", stood.table, stood.column, match.value, cost + cost_of, match.value)

    def of_state(self, table: str, word: str) -> Iterator[Target]:
        """The state of a table's rows that a word is the name or label of, however little it says elsewhere."""
        thing = self.model.things[table]
        listed = None if thing.state else self.listed_state(table)
        one = listed[1] if listed is not None else self.model.field(table, thing.state)
        if one is None:
            return
        labels = dict(one.code_labels)
        texts = self.index.texts_of(ColumnRef(one.table, one.column)) if self.index is not None else ()
        for text in dict.fromkeys([*labels, *texts]):
            said = normal(labels.get(text, text))
            if said == word or word in DOINGS and said in DONE:
                yield Target("value", one.table, one.column, text, 0.05, labels.get(text, text))

    def listed_state(self, table: str) -> tuple[Relation, Field] | None:
        """The list of states that a table's rows point at, and its names: of lessons, the name of a lesson status."""
        for relation in self.model.relations:
            target = self.model.things[relation.target]
            if relation.source == table and target.noun and target.noun[-1] in STATES and target.display:
                one = self.model.field(target.table, target.display[0])
                return (relation, one) if one is not None else None
        return None

    def is_code(self, text: str) -> bool:
        """Whether a word is a stored value letter by letter, as codes are typed."""
        return (
            len(text) > 1
            and self.index is not None
            and any(match.value == text for match in self.index.lookup(text))
        )

    def _is_state(self, table: str, column: str) -> bool:
        one = self.model.field(table, column)
        return one is not None and one.few

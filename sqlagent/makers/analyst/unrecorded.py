"""Which words of a question say that its source cannot tell: nouns of what it does not record.

A word that nothing explains says so where it is the noun that is asked for, or where it is of a kind that businesses speak of and
this source has no word of at all: reviews, competitors, electricity. Verbs, adverbs and adjectives never say so, nor do nouns of
figures that are computed from others (length, occupancy), nor words that begin like a name of the source: those make a draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlagent.catalog.semantics.words import STAFF, stems
from sqlagent.language.lexicon import STOP_WORDS, words_of
from sqlagent.language.words import stem
from sqlagent.makers.analyst.answering import Understood
from sqlagent.makers.analyst.deeds import DEEDS
from sqlagent.makers.analyst.reading import SAME, Item, Reading
from sqlagent.makers.analyst.vocabulary import Vocabulary

_KINDS = tuple(
    stems(words)
    for words in (
        "fuel diesel petrol gasoline",
        "commission commissions",
        "electricity water gas heating kwh utilities consumption emissions co2 carbon recycling",
        "ad ads advert adverts advertising google facebook instagram tiktok youtube linkedin seo campaign campaigns newsletter newsletters marketing",
        "website websites homepage webpage clicks impressions pageviews followers visitors downloads footfall passers-by",
        "salary salaries wage wages payroll overtime bonus bonuses pension pensions",
        "sick sickness vacation vacations absence absences absenteeism",
        "nps csat satisfaction satisfied happiness review reviews complaint complaints complain complained feedback sentiment opinion opinions "
        "testimonial testimonials rating ratings",
        "competitor competitors rival rivals",
        "weather temperature temperatures rain rainfall rainy sunny sunshine snow wind windy storm storms humidity",
        "budget budgets budgeted forecast forecasts target targets pipeline quota quotas",
        "uptime outage outages latency downtime",
        "stock inventory stockroom",
        "accident accidents injury injuries theft thefts burglary burglaries vandalism shoplifting",
        "male males female females sex gender nationality ethnicity religion",
        "supplier suppliers vendor vendors manufacturer manufacturers",
        "rent rents lease mortgage",
        "quote quotes quotation quotations proposal proposals",
        "interview interviews applicant applicants candidate candidates vacancy vacancies",
        "warranty warranties lawsuit lawsuits",
        "mileage odometer",
        "tax taxes vat gst",
        "postage courier couriers carrier carriers",
        "education diploma diplomas certificate certificates certification certifications qualification qualifications",
        "colleague colleagues employee employees staff coworker coworkers operator operators cashier cashiers",
    )
)
"""Kinds of things that people ask about and many databases lack; one word of a kind in a source speaks for the whole kind."""

_STAFF = _KINDS[-1]
_SAME_STEM = stems("rating")
"""Stems that words of other things have too: a source of rates has no ratings."""
_WE_PAY = re.compile(r"\b(?P<what>rents?|leases?)\b(?: \w+)* (?:we|us) (?:pay|paid|owe)\b", re.IGNORECASE)
"""Payments of a business itself, where its source may tell of what others pay."""
_AS_NOUNS = words_of(
    "tax taxes vat satisfied satisfaction fuel diesel petrol commission commissions electricity weather wages salaries"
)
"""Words of such kinds that count where they were read as something else, and that is left out."""
_REASONS = stems("reason why cause")

_PAIRS = re.compile(
    r"\b(waiting (?:list|room|time)s?|break[- ]?ins?|market share|parking (?:lot|space)s?|phone calls?)\b",
    re.IGNORECASE,
)
"""The same of two words."""

_NO_NOUNS = words_of(
    """
    after before away rather earlier later ahead together itself themselves once twice again already soon ever instead otherwise apart
    off up down over under across along around back forward inside outside beyond without within against towards toward since until while
    normal usual full empty free fair big small large long short high low good bad better worse expected likely busy quiet cheap expensive
    old young early quick fast slow strong weak heavy light whole real true false different similar same possible available former
    previous other others half third quarter several few lots plenty unknowns
    see seen lose lost die died get got go went come came become became begin began leave left happen hear heard know knew known need want
    find found feel felt keep kept think thought tell told meet met fall fell grow grew rise rose send sent spend spent win won break broke
    eat ate speak spoke sit stand stood let lead led belong stay exist last
    """
)
"""Words that no noun of anything recorded is, whatever else they may say."""

_COMPUTED = stems(
    """
    length duration stay time times date dates occupancy utilisation utilization yield turnaround attempt attempts difference differences size
    amount value price trend output balance total share gap delay backlog load throughput progress result results detail details
    period percentage pounds euros dollars cents money people ones rest things figure figures numbers record records entries part
    kind type list overview summary breakdown report show shows no-show owner worth
    """
)
"""Nouns of figures that are computed from others, of money, of anything at all, and of people and states that sources call otherwise."""

_DOERS = r"\b(?:we|they|you|i|he|she|people|to|not|who|never)\s+"
"""Words before what somebody does."""
_ENDS = ("ed", "ing", "ly", "est")
_NOUNS = words_of(
    "parking marketing training booking rating advertising heating catering cleaning painting feed seed"
)
"""Nouns that end like verbs."""


def unrecorded(
    text: str, reading: Reading, frames: Sequence[Understood], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """Give the words by which the source cannot tell, where a question asks for a kind of thing that it does not record; else none."""
    found = [word for word in _typed(reading) if _is_of_missing_kind(word, vocabulary)]
    unused = set(_words(frames[0].frame.unused)) if frames else set()
    found += [
        word
        for word in sorted(unused - {one.lower() for one in found})
        if word in _AS_NOUNS
        and not re.search(rf"{_DOERS}{word}\b", text.lower())
        and _is_of_missing_kind(word, vocabulary)
    ]
    paid = _WE_PAY.search(text)
    if paid is not None and paid["what"].lower() in unused and _is_of_missing_kind(paid["what"], vocabulary):
        found.append(paid["what"])
    for match in _PAIRS.finditer(text):
        words = list(_words((match[0],)))
        if unused & set(words) and stem(words[0]) not in vocabulary.by_stem:
            found.append(match[0])
    found += [] if found else _heads(text, reading, vocabulary)
    if not found and any(item.op == "why" for item in reading.items):
        found += [word for word in sorted(unused) if stem(word) in _REASONS]
    return tuple(dict.fromkeys(found))


def nouns(words: Sequence[str], text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Give those of some unknown words that are nouns of what the source does not record."""
    return tuple(one for one in words if any(_is_noun(word, text, vocabulary) for word in one.split()))


def _is_noun(word: str, text: str, vocabulary: Vocabulary) -> bool:
    low = word.lower()
    if low in _NO_NOUNS or low in STOP_WORDS or stem(low) in _COMPUTED or low in DEEDS:
        return False
    if low.endswith(_ENDS) and low not in _NOUNS:
        return False
    said = re.escape(low)
    if re.search(rf"{_DOERS}{said}\b|\b{said}\s+(?:up|off|away|back)\b", text.lower()):
        return False
    return not vocabulary.is_near(low)


def _is_of_missing_kind(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is of a kind of which no name of the source bears a word."""
    root, known = stem(word.lower()), vocabulary.by_stem.keys()
    kind = next((one for one in _KINDS if root in one), None)
    return kind is not None and not (kind - _SAME_STEM) & known and not (kind is _STAFF and known & STAFF)


def _typed(reading: Reading) -> Iterator[str]:
    """The words that nothing explains, as they were typed."""
    old = {new: typed for typed, new in reading.mended}
    for text in reading.unknown:
        for word in text.split():
            yield old.get(word, word)
    for typed, new in reading.mended:
        if new not in reading.unknown:
            yield typed


def _words(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield from re.findall(r"\w+", text.lower())


def _heads(text: str, reading: Reading, vocabulary: Vocabulary) -> list[str]:
    """The noun behind "which", "how many" or "number of" that nothing explains, or that is no more than a stored text: "which operator causes"."""
    items = reading.items
    for place, item in enumerate(items[:-1]):
        if not (item.op == "rel" and item.text.lower() in ("which", "what") or item.op == "count"):
            continue
        at = place + 1
        while (
            at + 1 < len(items)
            and items[at].end == items[at + 1].start
            and _goes_on(items[at], items[at + 1])
        ):
            at += 1
        head = items[at]
        if head.start != items[at - 1].end:
            continue
        if head.kind == "unknown" and nouns((head.text,), text, vocabulary):
            return [head.text]
        if item.op == "rel" and at == place + 1 and _is_bare_value(head) and at + 1 < len(items):
            return [head.text]
    return []


def _goes_on(item: Item, after: Item) -> bool:
    """Whether an item is a part of the noun that the one before it begins."""
    low = after.text.lower()
    if after.kind == "unknown":
        return not low.endswith(_ENDS) and low not in _NO_NOUNS
    if after.kind != "mention" or after.targets[0].cost >= SAME:
        return False
    kinds = ("thing",) if _is_bare_value(item) else ("thing", "field", "relation")
    return after.targets[0].kind in kinds


def _is_bare_value(item: Item) -> bool:
    """Whether a mention is a stored text and nothing else, in the singular: what it would be the name of is not recorded."""
    low = item.text.lower()
    return (
        item.kind == "mention"
        and all(target.kind == "value" for target in item.targets)
        and low.isalpha()
        and low.endswith(("or", "er", "ent", "ist"))
    )

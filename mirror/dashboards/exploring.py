"""An overview of a source made by itself: questions of its semantic model as cards, their rows supplied as those of dashboards are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mirror.dashboards.card_rows import Supplied, Wish, key_of, wishes_supply
from mirror.dashboards.models import Card
from mirror.knowledge.knowing import knowledge_of
from mirror.sources.guarding import policy_of
from mirror.sources.unpacked import source_at_hand
from mirror.stored_words import is_english, said_now
from sqlagent.catalog.glossary.mentions import explained
from sqlagent.guard import Passed, check
from sqlagent.language.saying import in_commas
from sqlagent.makers.analyst import Part, PartKind, overview, part_told
from sqlagent.makers.analyst.changes import change_of
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.telling import period, title
from sqlagent.method.templates import matched
from sqlagent.sql.formatting import formatted
from sqlagent.values import Question

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.catalog.value_index import ValueIndex
    from sqlagent.makers.analyst.source import Source as Known
    from sqlagent.values import Catalog, Knowledge

_SHOWS = {PartKind.CHANGE: Card.Shows.CHANGE, PartKind.COUNT: Card.Shows.NUMBER}
_SIZES = {PartKind.CHANGE: (4, 2), PartKind.COUNT: (4, 2)}
_SIZE = (6, 4)


@dataclass(frozen=True, slots=True)
class Explored:
    """One part of an overview: its question and SQL, and how it is called and shown. Its `key` names it in addresses.

    `known` are the words of its question that terms of the team explain, or the verified question it is. `frame` is what its SQL was
    written from, where that is no verified answer; its figure `changes` where that can be compared with another period's.
    """

    key: str
    question: str
    title: str
    sql: str
    shows: str
    width: int
    height: int
    known: tuple[str, ...] = ()
    frame: Frame | None = None
    changes: bool = False

    @property
    def title_said(self) -> str:
        """Its title in the language of a page: of what its SQL was written from, as that of its rows is."""
        if is_english() or self.frame is None:
            return self.title
        now = self.frame.where[0].parts[0].period if self.shows == Card.Shows.CHANGE else None
        if now is None:
            return said_now(title(self.frame)) or self.title
        figure = title(Frame(self.frame.anchor, self.frame.measures, formula=self.frame.formula))
        return said_now(in_commas((figure, period(now)))) if figure else self.title

    def wish(self, source: Source) -> Wish:
        """Its rows as they are wanted."""
        is_drawn = self.shows not in (Card.Shows.CHANGE, Card.Shows.NUMBER)
        return Wish(source, self.sql, self.question, None, is_drawn)


def overview_parts(source: Source) -> list[Explored]:
    """The parts of a source's overview; none where its tables were not read, or hold nothing to sum up.

    A part goes by the team's terms and verified answers, as its question does when it is asked. One whose terms the analyst
    cannot follow is left out.
    """
    catalog, index = source_at_hand(source)
    if catalog is None:
        return []
    policy = policy_of(source)

    def passes(sql: str) -> bool:
        return isinstance(check(sql, catalog, policy), Passed)

    parts = overview(catalog, index, passes, policy)
    knowledge = knowledge_of(source)
    told = (_told(part, knowledge, catalog, index) for part in parts)
    read = source_of(catalog, index)
    return [
        _explored(source, part, known, read)
        for part, known in filter(None, told)
        if not known or passes(part.sql)
    ]


def _told(
    part: Part, knowledge: Knowledge, catalog: Catalog, index: ValueIndex | None
) -> tuple[Part, tuple[str, ...]] | None:
    """A part as the team's knowledge has it, with what of that it goes by; None where nobody can say what it means."""
    question = Question(part.question)
    if (vouched := matched(question, knowledge.verified, catalog.dialect, index)) is not None:
        return replace(part, sql=vouched.sql, frame=None), (vouched.answer.question,)
    ways = explained(question, knowledge.terms, catalog)
    if not ways[0].mentions:
        return part, ()
    if len(ways) > 1:
        return None
    made = part_told(part, ways[0].question, list(ways[0].terms), catalog, index)
    return (made, tuple(one.words for one in ways[0].mentions)) if made is not None else None


def _explored(source: Source, part: Part, known: tuple[str, ...], read: Known) -> Explored:
    sql = formatted(part.sql, source.engine) or part.sql
    width, height = _SIZES.get(part.kind, _SIZE)
    return Explored(
        key_of(f"{source.pk} {part.question}")[:16],
        part.question,
        part.question.partition(" vs ")[0] if part.kind is PartKind.CHANGE else part.question,
        sql,
        _SHOWS.get(part.kind, Card.Shows.BEST),
        width,
        height,
        known,
        part.frame,
        part.frame is not None and change_of(part.frame, read) is not None,
    )


def overview_part(source: Source, key: str) -> Explored | None:
    """The part of this key."""
    return next((one for one in overview_parts(source) if one.key == key), None)


def overview_serve(user: User, source: Source, parts: list[Explored]) -> list[tuple[Explored, Supplied]]:
    """Give each part its kept rows; a worker reads rows that were never read."""
    return list(zip(parts, wishes_supply(user, [part.wish(source) for part in parts]), strict=True))

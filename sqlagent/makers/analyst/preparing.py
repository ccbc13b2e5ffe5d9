"""Corrections that operators alone cannot make: adjectives, verbs, rivals, and what "who" is about."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import BUYERS, STAFF
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.concepts.meant import GOODS
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Ask, Clause, Rank
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.states import CURRENT, told
from sqlagent.makers.analyst.targets import Target
from sqlagent.makers.analyst.timing import Timing

SELLS = frozenset(stem(word) for word in ["sell", "sold", "earn", "earned", "turnover"])
"""Verbs of taking money in: how much somebody sold is revenue."""

SPENDS = frozenset(stem(word) for word in ["spend", "spent"])
"""Verbs of buyers: how much customers spent is revenue, and no cost of ours."""

COMES = frozenset(
    stem(word)
    for word in ["buy", "bought", "purchase", "purchased", "order", "ordered", "book", "booked", "visit", "visited", "came", "pay", "paid", "spend", "spent", "rent", "rented", "join", "joined", "subscribe", "subscribed", "attend", "attended", "had"]
)  # fmt: skip
"""Deeds of customers that staff as a rule do not do."""

_COMMON = re.compile(r"common|frequent|popular|often|usual")
_POSTS = frozenset(stem(word) for word in ["role", "job", "position", "title", "post"])

WORKERS = frozenset(
    stem(word)
    for word in [
        "agent",
        "coach",
        "trainer",
        "teacher",
        "doctor",
        "driver",
        "manager",
        "technician",
        "vet",
        "nurse",
        "rep",
        "representative",
        "seller",
    ]
)
"""Nouns of people who work there too."""


class Preparing(Timing):
    """Corrections that operators alone cannot make: adjectives, verbs, rivals, and what "who" is about."""

    def _prepare(self) -> None:
        """Put right what operators alone cannot tell."""
        s = self.sketch
        self._anybody()
        self._roles()
        for ask in s.asks:
            if (
                ask.item is not None
                and ask.item.targets[0].kind == "concept"
                and ask.item.targets[0].column == "selling"
            ):
                worst = ask.item.text.lower().startswith(("worst", "least"))
                others = [a for a in s.asks if a is not ask]
                sold = others[0].item if others else self._sold(ask.item)
                one_alone = bool(others) and (bool(s.by) or sold is None or not self._is_plural(sold))
                rank = s.rank or Rank("asc" if worst else "desc", 1 if one_alone else None)
                rank.target = rank.target or sold
                rank.by = ask.item
                rank.count, s.number = s.number or rank.count, None
                named = [i for i in s.by if i.kind == "mention" and self._is_figure(i)]
                if named:
                    rank.by = named[0]
                    s.by = [i for i in s.by if i is not named[0]]
                s.rank = rank
                if s.by_word not in ("", "by") and rank.target is not None and not s.per:
                    s.per, s.by = s.by, []  # "best selling product in each group"
                s.asks = [a for a in others if a.item is not rank.target]
                break
        if (
            s.rate
            and not s.ratio
            and not any(a.item is not None and a.item.targets[0].kind == "concept" for a in s.asks)
        ):
            s.share = s.late_share = True
        self._most_common()
        self._span_parts()
        self._lateness()
        self._much()
        self._best_by_figure()
        self._bounded_deeds()
        self._beside_values()
        self._rivals()
        self._by_figure()
        self._appositions()
        self._verbs()
        self._adjectives()
        self._who_clause()
        target = s.rank.target if s.rank is not None else None
        if (
            s.rank is not None
            and target is not None
            and s.rank.by is None
            and target.targets
            and target.targets[0].kind == "concept"
        ) and target.targets[0].column == "selling":
            s.rank.by, s.rank.target = s.rank.target, None
            s.rank.target = s.asks.pop(0).item if s.asks else self._sold(target)
        self._weekdays()
        if s.trend and not any(i.kind == "grain" for i in s.by) and s.rank is None:
            s.by.append(Item("grain", 0, 0, "month", grain="month"))
        for before, clause in zip(s.clauses, s.clauses[1:], strict=False):
            if (
                clause.negated
                and not clause.mentions
                and clause.periods
                and not clause.excepted
                and before.mentions
                and not before.negated
            ):
                clause.mentions = list(before.mentions)
        if s.counts is not None:
            s.transform = "spread"
        if (
            s.transform in ("running", "moving", "growth", "change")
            and not any(i.kind == "grain" for i in s.by)
            and (
                s.transform in ("running", "moving")
                or (
                    len(s.main.periods) < 2 and s.rank is None and not any(self._grain_words(i) for i in s.by)
                )
            )
        ):
            years = [p for p in s.main.periods if p.grain == "year" or p.is_one]
            grain = "month" if s.transform in ("running", "moving") or s.trend else "year"
            if not years or s.transform in ("running", "moving") or grain == "month":
                s.by.append(Item("grain", 0, 0, grain, grain=grain))
        if s.question == "why":
            told = [
                a
                for a in s.asks
                if a.item is not None
                and any(t.kind == "concept" and t.column in ("leavers", "churned") for t in a.item.targets)
            ]
            s.asks = told[:1] or s.asks
        if s.distribution and s.asks and not s.by:
            dims = [a for a in s.asks if a.item is not None and self._may_group(a.item)]
            if dims and dims[0].item is not None:
                s.by.append(dims[0].item)
                s.asks.remove(dims[0])

    def _anybody(self) -> None:
        """ "people" are staff, unless they did what buyers do or nobody here is staff: then they are those who came."""
        persons = [t.table for t in self.model.things.values() if self._is_person(t.table)]
        staff = [t for t in persons if set(self.model.things[t].noun) & (STAFF | WORKERS)]
        others = [t for t in persons if t not in staff]
        if not others or staff and not self.sketch.stems & COMES:
            return
        others.sort(key=lambda t: not set(self.model.things[t].noun) & BUYERS)
        targets = tuple(Target("thing", table, cost=0.05 + 0.04 * n) for n, table in enumerate(others[:3]))
        s = self.sketch
        for ask in s.asks:
            if ask.item is not None and self._is_anyone(ask.item):
                ask.item = replace(ask.item, targets=targets)
        for clause in (s.main, *s.clauses):
            clause.mentions = [
                replace(i, targets=targets) if self._is_anyone(i) else i for i in clause.mentions
            ]

    def _roles(self) -> None:
        """ "by agent": people of a role, where a column of theirs holds the role and nothing else is called so."""
        s = self.sketch
        for place, item in enumerate(s.by):
            if item.kind != "mention" or any(t.kind != "value" for t in item.targets):
                continue
            for target in item.targets[:2]:
                one = self.model.field(target.table, target.column)
                if one is None or not set(one.words) & _POSTS or not self._is_person(target.table):
                    continue
                said = [stem(w) for w in target.label.lower().split() or target.value.lower().split()]
                if said and said[-1] == stem(item.text.lower()):
                    s.by[place] = replace(item, targets=(Target("thing", target.table, cost=0.1),))
                    s.main.mentions.append(replace(item, targets=(replace(target, cost=0.05),)))
                    break

    def _much(self) -> None:
        """ "how much did visitors donate": what is summed up is the first mention that can be, not the one who did it."""
        s = self.sketch
        if not s.much:
            return
        buyers = any(
            t.kind == "thing" and set(self.model.things[t.table].noun) & BUYERS
            for item in self._all()
            for t in item.targets[:1]
        )
        if (
            buyers
            and SPENDS & s.stems
            and not any(a.item is not None and self._is_figure(a.item) for a in s.asks)
        ):
            spent = Item("mention", 0, 0, "spend", targets=(Target("concept", "", "revenue", cost=0.02),))
            others = [replace(a, aggs=()) for a in s.asks if a.item is not None]
            s.asks = [Ask(spent, ("sum",)), *others]
        for ask in s.asks:
            if ask.item is None:
                continue
            verb = stem(ask.item.text.lower())
            if verb in SELLS or buyers and verb in SPENDS:
                income = Target("concept", "", "revenue", cost=0.02)
                ask.item = replace(ask.item, targets=(income, *ask.item.targets))
        if len(s.asks) < 2 or s.asks[0].item is None or self.meanings(s.asks[0].item, ("sum",)):
            return
        for place, ask in enumerate(s.asks[1:], 1):
            if ask.item is not None and not ask.aggs and self.meanings(ask.item, ("sum",)):
                ask.aggs, s.asks[0].aggs = ("sum",), ()
                s.asks.insert(0, s.asks.pop(place))
                return

    @staticmethod
    def _is_plural(item: Item) -> bool:
        low = item.text.lower()
        return low.endswith("s") and not low.endswith("ss") or low in ("people", "staff")

    def _sold(self, said: Item) -> Item | None:
        """The thing that is sold, where a question asks for "best sellers" alone: the one thing with a noun for goods that lines point at."""
        goods = [
            thing
            for thing in self.model.things.values()
            if thing.kind is Kind.THING and thing.noun[-1:] and thing.noun[-1] in GOODS
        ]
        sells = {one.measure.anchor for one in meant(self.source, "selling")}
        reached = [one for one in goods if any(self.graph.paths(table, one.table) for table in sells)]
        if len(reached) != 1 or "sell" not in said.text.lower():
            return None
        return Item("mention", said.start, said.end, said.text, targets=(Target("thing", reached[0].table),))

    def _most_common(self) -> None:
        """ "most common complaint reason": the column right behind a noun is what is counted, and the noun says whose it is."""
        s = self.sketch
        target = s.rank.target if s.rank is not None else None
        first = s.asks[0].item if s.asks else None
        if (
            s.rank is None
            or target is None
            or first is None
            or s.rank.by is not None
            or target.end != first.start
        ):
            return
        thing, column = target.targets[0], first.targets[0]
        one = self.model.field(column.table, column.column) if column.kind == "field" else None
        if (
            thing.kind == "thing"
            and one is not None
            and one.few
            and one.table == thing.table
            and _COMMON.search(s.rank_text)
        ):
            s.rank.target = first
            s.asks = s.asks[1:]

    def _bounded_deeds(self) -> None:
        """ "drivers who delivered more than 65 trips": the verb before a bound is said of the rows that are counted."""
        s = self.sketch
        for clause in s.clauses:
            if clause.opener != "more" or not clause.numbers or not (clause.after_compare or clause.bare):
                continue
            for item in list(s.main.mentions):
                if item.end == clause.at and item.text.lower().endswith(("ed", "en")):
                    s.main.mentions.remove(item)
                    clause.mentions.insert(0, item)

    def _best_by_figure(self) -> None:
        """ "best margin product": the product with the best margin, not the best margin of anything."""
        s = self.sketch
        target = s.rank.target if s.rank is not None and s.rank.by is None else None
        asked = s.asks[0].item if len(s.asks) == 1 else None
        if s.rank is None or target is None or asked is None or target.kind != "mention":
            return
        if self._is_figure(target) and target.end == asked.start and asked.targets[0].kind == "thing":
            s.rank.target, s.rank.by, s.asks = asked, target, []

    def _is_figure(self, item: Item) -> bool:
        """Whether a mention is a measure rather than something to group by."""
        best = item.targets[0]
        one = self.model.field(best.table, best.column) if best.kind == "field" else None
        return best.kind == "concept" or (one is not None and one.role is Role.MEASURE)

    def _beside_values(self) -> None:
        """ "excluding cancelled and no-shows": beside a value of a column a word is one of its values too, rather than a time."""
        for clause in self.sketch.clauses:
            known = {
                (i.targets[0].table, i.targets[0].column)
                for i in clause.mentions
                if i.targets[0].kind == "value"
            }
            for place, item in enumerate(clause.mentions if known else ()):
                near = item.targets[0].cost + 0.1
                own = tuple(
                    t
                    for t in item.targets
                    if t.kind == "value" and (t.table, t.column) in known and t.cost <= near
                )
                if own and item.targets[0].kind == "field":
                    clause.mentions[place] = replace(item, targets=own)

    def _rivals(self) -> None:
        """ "web versus store revenue": words on both sides are values of one column, whatever else they may mean."""
        s = self.sketch
        if not (s.vs or s.ratio):
            return
        known = {
            (t.table, t.column)
            for m in s.main.mentions
            for t in m.targets
            if t.kind == "value" and t.cost < 0.3
        }
        for ask in list(s.asks):
            if ask.item is None or ask.aggs:
                continue
            own = tuple(
                t
                for t in ask.item.targets
                if t.kind == "value" and (t.table, t.column) in known and t.cost < 0.3
            )
            if own and len(s.asks) > 1:
                s.main.mentions.append(replace(ask.item, targets=own))
                s.asks.remove(ask)

    def _by_figure(self) -> None:
        """ "german clients by revenue": things by a figure are ranked."""
        s = self.sketch
        by = [i for i in s.by if i.kind == "mention"]
        if (
            s.rank is not None
            or len(s.by) != 1
            or len(by) != 1
            or s.per_word
            or len(s.asks) != 1
            or s.asks[0].item is None
            or s.share
        ):
            return
        best, asked = by[0].targets[0], s.asks[0].item.targets[0]
        one = self.model.field(best.table, best.column) if best.kind == "field" else None
        figure = (
            best.kind == "concept"
            and not any(m.thing for m in meant(self.source, best.column))
            or one is not None
            and one.role is Role.MEASURE
            and not one.few
        )
        if figure and asked.kind == "thing" and not s.asks[0].aggs:
            s.rank = Rank("desc", target=s.asks[0].item, by=by[0], every=True)
            s.asks, s.by = [], []

    def _verbs(self) -> None:
        """ "which customers ordered in 2024 but not in 2025": what happened to a thing is a clause of its own."""
        s = self.sketch
        if (
            s.rank is not None
            or s.by
            and not (s.counting and s.main.periods)
            or s.columns
            or s.share
            or len(s.asks) < 2
            or s.asks[0].item is None
            or s.vs
        ):
            return
        asked = s.asks[0].item.targets[0]
        if asked.kind != "thing" or not (s.listing or s.counting):
            return
        below = set(self.graph.below(asked.table))
        moved = []
        for ask in s.asks[1:]:
            if ask.item is None or ask.aggs or ask.joined:
                continue
            best = ask.item.targets[0]
            if (
                best.table in below
                and best.kind in ("thing", "field", "relation")
                and asked.table not in {t.table for t in ask.item.targets[:1]}
            ):
                moved.append(ask)
        if not moved:
            return
        clause = Clause(
            "who", mentions=[a.item for a in moved if a.item is not None], periods=list(s.main.periods)
        )
        clause.either, s.main.either = s.main.either, False
        bounds = s.clauses[0] if s.clauses else None
        if bounds is not None and bounds.opener == "more" and bounds.numbers and not bounds.negated:
            bounds.mentions = [
                *clause.mentions,
                *bounds.mentions,
            ]  # "delivered more than 65 shipments" is said of the same rows
            bounds.periods = [*clause.periods, *bounds.periods]
            clause = s.clauses.pop(0)
        s.asks = [a for a in s.asks if a not in moved]
        s.main.periods = []
        for other in s.clauses:
            if other.negated and not other.mentions and other.periods and not other.excepted:
                other.mentions = list(clause.mentions)
        s.clauses.insert(0, clause)

    def _adjectives(self) -> None:
        """A word right before a thing's noun that is a value of it restricts it: "paid invoices", "active employees"."""
        s = self.sketch
        for place in range(len(s.asks) - 1, 0, -1):
            noun, word = s.asks[place].item, s.asks[place - 1].item
            if noun is None or word is None or s.asks[place - 1].aggs not in ((), ("count",)):
                continue
            if word.end != noun.start or noun.targets[0].kind not in ("thing", "concept"):
                continue
            if word.targets[0].kind == "concept" and word.targets[0].column in ("churned", "leavers"):
                s.main.mentions.append(word)
                s.asks[place].aggs = s.asks[place].aggs or s.asks[place - 1].aggs
                del s.asks[place - 1]
                continue
            tables = {t.table for t in noun.targets if t.kind == "thing" and t.cost < 0.25}
            if self._is_state(word, tables) or self._is_state_of_theirs(word, tables):
                s.main.mentions.insert(0, word)
                s.asks[place].aggs = s.asks[place].aggs or s.asks[place - 1].aggs
                del s.asks[place - 1]
                continue
            near = {
                up
                for table in tables
                for up, paths in self.graph.up(table).items()
                if paths and len(paths[0]) < 2
            }
            own = tuple(
                t
                for t in word.targets
                if (t.kind == "value" or t.label == "un") and t.table in near and t.cost < 0.35
            )
            if own and not any(t.kind == "thing" and t.cost < own[0].cost for t in word.targets):
                s.main.mentions.insert(0, replace(word, targets=own))
                s.asks[place].aggs = s.asks[place].aggs or s.asks[place - 1].aggs
                del s.asks[place - 1]
        for value, noun in zip(s.main.mentions, s.main.mentions[1:], strict=False):
            tables = {t.table for t in noun.targets if t.kind == "thing" and t.cost < 0.25}
            own = tuple(t for t in value.targets if t.kind == "value" and t.table in tables)
            if value.end == noun.start and own:
                s.main.mentions[s.main.mentions.index(value)] = replace(value, targets=own)
        for place in range(len(s.asks) - 1):
            first, second = s.asks[place].item, s.asks[place + 1].item
            if (
                first is None
                or second is None
                or first.targets[0].kind != "concept"
                or first.end != second.start
            ):
                continue
            if first.targets[0].column in ("churned", "leavers") and second.targets[0].kind == "field":
                s.main.mentions.append(first)
                del s.asks[place]
                break
        if s.vs:
            grains = [i for i in s.by if i.kind == "grain" and any(t.kind == "value" for t in i.targets)]
            for item in grains:
                values = tuple(t for t in item.targets if t.kind == "value")
                s.main.mentions.append(replace(item, kind="mention", targets=values))
                s.by.remove(item)

    def _is_state(self, word: Item, tables: set[str]) -> bool:
        """Whether a word before a noun says that its rows are open, closed, active, and no value of theirs does."""
        if any(t.kind == "value" and t.table in tables and t.cost < 0.2 for t in word.targets):
            return False
        return any(told(self.source, table, word.text) is not None for table in tables)

    def _is_state_of_theirs(self, word: Item, tables: set[str]) -> bool:
        """Whether a word before people says that something of theirs holds: active customers have an active subscription."""
        best = word.targets[0]
        if best.kind != "value" or word.text.lower() not in CURRENT:
            return False
        people = {table for table in tables if set(self.model.things[table].noun) & PERSONS}
        owners = {relation.target for relation in self.model.relations if relation.source == best.table}
        return self.model.things[best.table].state == best.column and bool(people & owners)

    def _who_clause(self) -> None:
        """ "who contacted support in 2025": what follows says something of people, who are not named."""
        s = self.sketch
        if not s.who or s.rank is not None or s.counting:
            return
        people = [
            a
            for a in s.asks
            if a.item is not None
            and any(
                t.kind in ("thing", "relation") and t.cost < 0.15 and self._is_person(t.table)
                for t in a.item.targets[:2]
            )
        ]
        mentions = [a.item for a in s.asks if a.item is not None and a not in people and not a.aggs]
        values = list(s.main.mentions)
        if people and not (mentions or values):
            return
        if not (mentions or values or s.main.periods):
            return
        first = Clause(
            "who",
            mentions=[*mentions, *values],
            periods=list(s.main.periods),
            both=s.main.both,
            late=s.main.late,
        )
        s.asks = [a for a in s.asks if a in people or a.aggs]
        s.main.mentions, s.main.periods, s.main.both, s.main.late = [], [], False, ""
        for clause in s.clauses:
            if clause.negated and not clause.mentions and clause.periods and not clause.excepted:
                clause.mentions = list(first.mentions)
        later = [c for c in s.clauses if c.negated and c.mentions and not first.mentions]
        if later and not later[0].periods:
            later[0].periods = first.periods
            return
        s.clauses.insert(0, first)

    @staticmethod
    def _grain_words(item: Item) -> bool:
        return item.kind == "grain"

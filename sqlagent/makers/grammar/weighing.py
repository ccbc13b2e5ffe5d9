"""A composed tree weighed against its question: what it accounts for, what it leaves, what it costs.

Decides the final order of the beam by a learned weighing (`rank` in `weights.json`) of
features that can each be said in words; the search's own log-scores are among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlagent.makers.grammar.composing import Parts
from sqlagent.makers.grammar.features import slot_kind
from sqlagent.makers.grammar.reading import Reading
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.tree import Query, Term, base
from sqlagent.values import Kind

_SHARED_CUES = (
    "how many",
    "number of",
    "each",
    "per",
    "all",
    "different",
    "distinct",
    "who",
    "which",
    "most",
    "and",
)


FIXED = {
    "adds up texts": -2.0,
    "measure before label": -1.1,
    "key named": 0.5,
    "unused period": -2.0,
    "count before label": -1.5,
    "grouping left out": -2.0,
}
"""Weights by judgement: texts are not added up, what is asked "for each" is grouped, people read a label before its
sum or average and a name rather than a key, and a month or year that was asked for is shown."""


@dataclass(frozen=True, slots=True)
class Found:
    """A composed tree with its parts, the search's log-scores, and `score`, what it is ranked by."""

    query: Query
    parts: Parts
    frame: float
    roles: float
    picks: float
    distinct: float
    flipped: bool = False
    named_key: bool = False
    score: float = 0.0

    @property
    def search(self) -> float:
        """The search's own score: the sum of its log-probabilities."""
        return (
            self.frame
            + self.roles
            + self.picks
            + self.distinct
            - (0.9 if self.flipped else 0.0)
            - (0.5 if self.named_key else 0.0)
        )


def weigh(found: Found, reading: Reading, schema: Schema, weights: Mapping[str, float]) -> float:
    """Score a tree: the weighed features, or the search's own score where nothing is learned yet."""
    if not weights:
        return found.search
    seen = features(found, reading, schema)
    learned = sum(weights.get(name, 0.0) * value for name, value in seen.items())
    return learned + sum(FIXED[name] * seen[name] for name in FIXED if name in seen)


def features(found: Found, reading: Reading, schema: Schema) -> dict[str, float]:
    """The features that speak for and against a tree, by name."""
    query = found.query
    slots = max(len(reading.slots), 1)
    out: dict[str, float] = {
        "frame": found.frame,
        "roles": found.roles,
        "picks": found.picks,
        "distinct": found.distinct,
        "roles a slot": found.roles / slots,
        "key named": float(found.named_key),
        "worst": min(found.frame, found.distinct),
    }
    _unused(found, reading, out)
    _tables(query, reading, schema, found, out)
    _select(query, reading, schema, found, out)
    _rest(query, reading, schema, out)
    return out


def _unused(found: Found, reading: Reading, out: dict[str, float]) -> None:
    for slot, role in zip(reading.slots, found.parts.roles, strict=True):
        if role == "N":
            name = f"unused {slot_kind(slot)}"
            out[name] = out.get(name, 0.0) + 1.0
            if slot.kind == "grain":
                out["unused period"] = 1.0
    signs = found.parts.frame.split()
    for sign in signs:
        out[f"frame {sign}"] = 1.0
    if "or" in signs and "or" not in reading.signs:
        out["or unsaid"] = 1.0
    if "both" in signs and "both" not in reading.signs:
        out["both unsaid"] = 1.0
    if "not" in signs and not _NEGATIONS.intersection(reading.signs):
        out["not unsaid"] = 1.0
    if "not" not in signs and _NEGATIONS.intersection(reading.signs):
        out["negation left out" if not _negates(found.query) else "negation as unlike"] = 1.0


_NEGATIONS = frozenset(
    {"not", "no", "never", "without", "neither", "nor", "except", "but", "exclud", "none", "other", "lack"}
)


def _negates(query: Query) -> bool:
    return any(c.op in ("!=", "not like", "not in", "null") for clause in query.where for c in clause)


def _tables(query: Query, reading: Reading, schema: Schema, found: Found, out: dict[str, float]) -> None:
    used = {base(t.col.table) for t in query.terms() if t.col is not None}
    named = {base(t) for t in query.tables}
    out["tables used"] = float(len(used))
    out["tables named only"] = float(len(named - used))
    needed = tuple(dict.fromkeys(base(i) for i in query.instances()))
    edges = schema.graph.tree(needed) if len(needed) > 1 else ()
    if edges is None:
        out["unconnected"] = 1.0
        return
    if len(needed) > 1:
        reached = set(needed[:1]) | {e.target for e in edges}
        out["joins"] = float(len(edges))
        out["bridges"] = float(len(reached - set(needed)))
        out["guessed keys"] = float(sum(e.guessed for e in edges))
        mentioned = {t.table for s in reading.slots if s.kind == "name" for t in s.tables()[:1]}
        out["bridge said"] = float(len((reached - set(needed)) & mentioned))
        out["named only at end"] = float(sum(_leaf(t, edges) for t in named - used))
        out["key alone joined"] = float(_key_alone(query, schema, used))


def _leaf(table: str, edges: tuple[object, ...]) -> bool:
    ends = [e for e in edges if table in (getattr(e, "source", ""), getattr(e, "target", ""))]
    return len(ends) == 1


def _key_alone(query: Query, schema: Schema, used: set[str]) -> int:
    """Tables joined in for nothing but their key."""
    count = 0
    for table in used:
        names = {t.col.name for t in query.terms() if t.col is not None and base(t.col.table) == table}
        count += len(names) == 1 and schema.key_role(table, next(iter(names))) != "no"
    return count if len(used) > 1 else 0


def asks_groups(signs: Sequence[str]) -> bool:
    """Whether a name follows "each", "every" or "per", or "by" that orders nothing.

    Example:
        >>> asks_groups(("how", "many", "TAB", "does", "each", "TAB", "have")), asks_groups(("COL", "order", "by", "COL"))
        (True, False)
    """
    return any(
        name in ("TAB", "COL")
        and (word in ("each", "everi", "every", "per") or (word == "by" and before not in _ORDERING))
        for before, word, name in zip(("", *signs), signs, signs[1:], strict=False)
    )


_ORDERING = frozenset({"order", "sort", "rank", "arrang", "list", "ascend", "descend"})


def _select(query: Query, reading: Reading, schema: Schema, found: Found, out: dict[str, float]) -> None:
    for term in query.select:
        if term.agg in ("sum", "avg") and term.col is not None:
            column = schema.column(term.col.table, term.col.name)
            if column is not None and column.kind == Kind.TEXT:
                out["adds up texts"] = 1.0
    plain = [t for t in query.select if t.plain]
    aggs = [t for t in query.select if not t.plain]
    if aggs and not query.group and asks_groups(reading.signs):
        out["grouping left out"] = 1.0
    out["selected"] = float(len(query.select))
    said = sum("S" in role.split("&") for role in found.parts.roles)
    out["label by default"] = float(not said and bool(plain) and "TS" not in found.parts.roles)
    out["label for table"] = float("TS" in found.parts.roles)
    labelled = {
        p.table
        for p, r in zip(found.parts.picks, found.parts.roles, strict=True)
        if r == "TS" and p is not None
    }
    shown = {
        p.table
        for p, r in zip(found.parts.picks, found.parts.roles, strict=True)
        if "S" in r.split("&") and p is not None
    }
    out["label beside columns"] = float(len(labelled & shown))
    if plain and aggs:
        first = query.select[0].agg != ""
        out["number first"] = float(first)
        if first:
            place = "said first" if _said_first(found, reading) else "said later"
            kind = "count" if query.select[0].agg == "count" else "measure"
            asked = "asked" if reading.tokens[0].low == "how" else "shown"
            if kind == "count" and reading.tokens[0].low == "count" and {"by", "per"} & set(reading.signs):
                out["count before label"] = 1.0
            if kind == "measure":
                out["measure before label"] = 1.0
            out[f"number first, {place}"] = 1.0
            out[f"{kind} first, {place}, {asked}"] = 1.0
    for term in plain:
        if term.col is None:
            continue
        role = schema.key_role(term.col.table, term.col.name)
        out[f"shows {role}"] = out.get(f"shows {role}", 0.0) + 1.0
    if query.distinct:
        lone = len(plain) == 1 and plain[0].col is not None
        key = (
            lone
            and plain[0].col is not None
            and schema.key_role(plain[0].col.table, plain[0].col.name) == "pk"
        )
        out["distinct key" if key else "distinct other"] = 1.0
        out["distinct joined" if len(query.instances()) > 1 else "distinct alone"] = 1.0
    starts = " ".join(reading.signs[:2])
    for cue in _SHARED_CUES:
        if cue in starts and len(plain) > 1:
            out[f"many shown, {cue}"] = 1.0
    tables = {base(t.col.table) for t in plain if t.col is not None}
    out["shown tables"] = float(len(tables))


def _said_first(found: Found, reading: Reading) -> bool:
    """Whether the question says the number before the names."""
    number = name = len(reading.tokens)
    for slot, role in zip(reading.slots, found.parts.roles, strict=True):
        if slot.kind == "count" and role.startswith("S") or "S:" in role:
            number = min(number, slot.start)
        elif "S" in role.split("&") or role == "TS":
            name = min(name, slot.start)
    return number < name


def _rest(query: Query, reading: Reading, schema: Schema, out: dict[str, float]) -> None:
    conds = [c for clause in query.where for c in clause]
    out["conditions"] = float(len(conds))
    for inner in (query.second, *(c.query for c in conds)):
        if inner is not None:
            needed = tuple(dict.fromkeys(base(i) for i in inner.instances()))
            out["joins inside"] = float(len(schema.graph.tree(needed) or ()))
    out["nested"] = float(any(c.query is not None for c in conds) or query.second is not None)
    if query.select and query.select[0].col is not None:
        home = query.select[0].col.table
        out["unlike elsewhere"] = float(
            sum(c.op == "!=" and c.term.col is not None and c.term.col.table != home for c in conds)
        )
    columns = [c.term.col for c in conds if c.term.col is not None and c.query is None]
    same = len(columns) - len(set(columns))
    out["same column twice"] = float(same)
    shown = {t.col for t in query.select if t.plain}
    out["shows its condition"] = float(sum(c in shown for c in columns))
    out["groups by key"] = float(any(_is_key(t, schema) for t in query.group))
    out["group alone"] = float(
        bool(query.group) and not any(not t.plain for t in query.select) and not query.having
    )
    if query.order:
        col = query.order[0].term.col
        out["order shown"] = float(col in shown) if query.limit is None else 0.0
        out["limit shown"] = float(col in shown) if query.limit is not None and col is not None else 0.0
        if col is not None and query.order[0].term.plain:
            out[f"order {schema.key_role(col.table, col.name)}"] = 1.0
    for cond in conds:
        if cond.values and cond.op == "=" and isinstance(cond.values[0], str):
            typed = cond.values[0] in reading.text
            out["value as typed" if typed else "value otherwise"] = (
                out.get("value as typed" if typed else "value otherwise", 0.0) + 1.0
            )


def _is_key(term: Term, schema: Schema) -> bool:
    return term.col is not None and schema.key_role(term.col.table, term.col.name) == "pk"

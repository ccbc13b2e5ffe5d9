"""Facts read off a candidate, its rows and the question without asking anyone.

Each feature answers one small question with a number between about -1 and 1: is that literal
stored, does that column appear in the question, do the joins follow declared keys, is the shape
that came back the one asked for. Which of them matter, and how much, is `judging`'s business.
Nothing here knows who wrote a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.catalog.lookup import lookup
from sqlagent.method.features.asking import asked
from sqlagent.method.features.joins import join_features
from sqlagent.method.features.literals import Stored, literal_features
from sqlagent.method.features.naming import naming_features
from sqlagent.method.features.results import result_features
from sqlagent.method.features.shapes import given, shape_features, unmet_shapes
from sqlagent.sql.clauses import Clauses, read
from sqlagent.values import Execution, LinkedSchema, Question

_EXPLAIN_NOTHING = ("literals_unstored", "text_to_number", "text_to_key", "joins_wild", "unknown_name")
"""Features that explain a result with nothing in it: then it is a mistake rather than an answer."""


@dataclass(frozen=True, slots=True)
class Features:
    """A candidate's features by name; `unmet` are requirements of the question it seems to miss."""

    values: dict[str, float]
    unmet: tuple[str, ...]
    clauses: Clauses | None


def features(
    question: Question, linked: LinkedSchema, execution: Execution, index: Stored | None = None
) -> Features:
    """Read a candidate's features. One that cannot be parsed keeps only those of its rows."""
    ask = asked(question.text, question.hint)
    clauses = read(execution.sql, linked.full)
    if clauses is None:
        return Features(result_features(ask, execution, None) | {"unparsed": 1.0}, (), None)
    names = lookup(linked.full)
    unmet: list[str] = []
    values = result_features(ask, execution, clauses, names)
    values |= naming_features(ask, clauses, names, linked)
    values |= literal_features(ask, clauses, names, linked, index, unmet)
    values |= join_features(clauses, names)
    has = given(clauses)
    values |= shape_features(ask, clauses, has)
    unmet.extend(unmet_shapes(ask, has))
    explained = max(values[name] for name in _EXPLAIN_NOTHING)
    for name in ("empty", "all_null", "zero"):
        values[f"{name}_explained"] = values.get(name, 0.0) * min(1.0, 2 * explained)
    return Features({name: value for name, value in values.items() if value}, tuple(unmet), clauses)


__all__ = ["Features", "Stored", "features"]

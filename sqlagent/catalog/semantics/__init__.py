"""The semantic model of a source: its things and events, what they measure, by what and when, and how they hang together."""

from sqlagent.catalog.semantics.correcting import Unapplied, corrected
from sqlagent.catalog.semantics.deriving import derive
from sqlagent.catalog.semantics.values import (
    DATED,
    DAYS,
    Codes,
    Field,
    Form,
    History,
    Kind,
    Model,
    Relation,
    Role,
    Thing,
)

__all__ = [
    "DATED",
    "DAYS",
    "Codes",
    "Field",
    "Form",
    "History",
    "Kind",
    "Model",
    "Relation",
    "Role",
    "Thing",
    "Unapplied",
    "corrected",
    "derive",
]

"""Lets one read-only statement through, or refuses it and says what, where, why and what to do.

Everything passes by list: the first word, the shapes of the syntax tree, the names of functions
and system tables; a list file per dialect in `lists/`. Anything on no list is refused, so
tomorrow's syntax starts out refused. The guard explains; the read-only session guarantees.
"""

from __future__ import annotations

from sqlagent.guard.check import Passed, check
from sqlagent.guard.policy import KINDS, Policy, functions_listed, listed, never_allowed
from sqlagent.guard.withheld import NOTHING, Withheld, narrowed
from sqlagent.values import Refusal

__all__ = [
    "KINDS",
    "NOTHING",
    "Passed",
    "Policy",
    "Refusal",
    "Withheld",
    "check",
    "functions_listed",
    "listed",
    "narrowed",
    "never_allowed",
]

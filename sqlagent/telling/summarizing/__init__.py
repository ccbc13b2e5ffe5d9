"""Rows to one or two sentences whose every number is in the rows or computed from them.

Needs no LLM. Decides what is worth saying: the one number, the leader and its share, the way a
time series went, or how many rows there are. A share of the whole is only claimed when the rows
are the whole. `verify` holds an LLM's sentence to the same rule.
"""

from __future__ import annotations

from sqlagent.telling.summarizing.aggregates import summed_in, unsummed_in
from sqlagent.telling.summarizing.over_time import changed_since
from sqlagent.telling.summarizing.telling import summarize
from sqlagent.telling.summarizing.verifying import verify

__all__ = ["changed_since", "summarize", "summed_in", "unsummed_in", "verify"]

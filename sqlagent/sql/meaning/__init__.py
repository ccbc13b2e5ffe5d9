"""Doubts about the meaning of SQL that would run, each in a sentence with its place. Nothing here runs or refuses anything.

A check stays silent where it cannot know: gold statements of open data are to raise hardly any doubt
(`python -m sqlagent.evaluation checks`).
"""

from sqlagent.sql.meaning.checks import CHECKS, doubts
from sqlagent.sql.meaning.doubt import Doubt

__all__ = ["CHECKS", "Doubt", "doubts"]

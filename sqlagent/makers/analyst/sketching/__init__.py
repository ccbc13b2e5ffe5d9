"""The parts of a question: what is asked for, grouped by, ranked, compared and restricted."""

from sqlagent.makers.analyst.sketching.parts import Ask, Clause, Rank, Sketch
from sqlagent.makers.analyst.sketching.sketcher import sketch

__all__ = ["Ask", "Clause", "Rank", "Sketch", "sketch"]

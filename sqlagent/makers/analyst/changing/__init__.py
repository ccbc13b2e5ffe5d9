"""Follow-ups as changes of a frame: the question is worded anew in several ways, and the nearest frame that uses every word is taken."""

from sqlagent.makers.analyst.changing.search import changed, followed

__all__ = ["changed", "followed"]

"""Follow-ups as changes of a frame: the question is worded anew in several ways, and the nearest frame that uses every word is taken."""

from sqlagent.makers.analyst.changing.both_together import both_together
from sqlagent.makers.analyst.changing.intents import FORGET
from sqlagent.makers.analyst.changing.search import changed, followed

__all__ = ["FORGET", "both_together", "changed", "followed"]

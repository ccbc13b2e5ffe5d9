"""Business words as measures of one source."""

from sqlagent.makers.analyst.concepts.finding import meant
from sqlagent.makers.analyst.concepts.meant import Meant
from sqlagent.makers.analyst.concepts.money import revenue

__all__ = ["Meant", "meant", "revenue"]

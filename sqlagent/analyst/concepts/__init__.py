"""Business words as measures of one source."""

from sqlagent.analyst.concepts.finding import meant
from sqlagent.analyst.concepts.meant import Meant
from sqlagent.analyst.concepts.money import revenue

__all__ = ["Meant", "meant", "revenue"]

"""Business words as measures of one source."""

from sqlagent.makers.analyst.concepts.finding import meant
from sqlagent.makers.analyst.concepts.meant import Meant
from sqlagent.makers.analyst.concepts.money import quantity_of, revenue, sold_by, sold_in
from sqlagent.makers.analyst.concepts.orders import pieces_of
from sqlagent.makers.analyst.concepts.worth import worth

__all__ = ["Meant", "meant", "pieces_of", "quantity_of", "revenue", "sold_by", "sold_in", "worth"]

"""A statement in words, clause by clause. A part without words is quoted as SQL, so that nothing is left out."""

from sqlagent.telling.explaining.statement import Line, explained

__all__ = ["Line", "explained"]

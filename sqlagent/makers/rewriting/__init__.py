"""SQL changed in words, without a language model: through the frame where one is known, else the few changes that are safe on its text."""

from sqlagent.makers.rewriting.framed import reframed
from sqlagent.makers.rewriting.rewriting import rewritten
from sqlagent.makers.rewriting.values import Rewritten

__all__ = ["Rewritten", "reframed", "rewritten"]

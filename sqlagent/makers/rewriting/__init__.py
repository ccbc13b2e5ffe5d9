"""SQL changed in words, without a language model: clause by clause on its text, or through the frame that it was written from."""

from sqlagent.makers.rewriting.framed import reframed
from sqlagent.makers.rewriting.rewriting import rewritten
from sqlagent.makers.rewriting.values import Rewritten

__all__ = ["Rewritten", "reframed", "rewritten"]

"""The built-in generator: English questions to SQL over any catalog, with no LLM."""

from sqlagent.makers.grammar.sampler import GrammarSampler

__all__ = ["GrammarSampler"]

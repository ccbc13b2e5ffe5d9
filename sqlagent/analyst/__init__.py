"""The built-in analyst: business questions to SQL by measures, dimensions, filters, periods and comparisons, with no LLM."""

from sqlagent.analyst.judging import AnalystJudge
from sqlagent.analyst.questions import example_questions
from sqlagent.analyst.sampler import Analysis, AnalystSampler, analyse

__all__ = ["Analysis", "AnalystJudge", "AnalystSampler", "analyse", "example_questions"]

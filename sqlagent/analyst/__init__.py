"""The built-in analyst: business questions to SQL by measures, dimensions, filters, periods and comparisons, with no LLM."""

from sqlagent.analyst.dialects import WRITTEN
from sqlagent.analyst.judging import AnalystJudge
from sqlagent.analyst.questions import example_questions
from sqlagent.analyst.sampler import Analysis, AnalystSampler, analyse

__all__ = ["WRITTEN", "Analysis", "AnalystJudge", "AnalystSampler", "analyse", "example_questions"]

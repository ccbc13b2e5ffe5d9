"""The built-in analyst: business questions to SQL by measures, dimensions, filters, periods and comparisons, with no LLM."""

from sqlagent.makers.analyst.dialects import WRITTEN
from sqlagent.makers.analyst.judging import AnalystJudge
from sqlagent.makers.analyst.overviews import Part, PartKind, overview, part_told
from sqlagent.makers.analyst.questions import example_questions
from sqlagent.makers.analyst.questions_to_verify import Posed, questions_to_verify
from sqlagent.makers.analyst.sampler import Analysis, AnalystSampler, analyse

__all__ = [
    "WRITTEN",
    "Analysis",
    "AnalystJudge",
    "AnalystSampler",
    "Part",
    "PartKind",
    "Posed",
    "analyse",
    "example_questions",
    "overview",
    "part_told",
    "questions_to_verify",
]

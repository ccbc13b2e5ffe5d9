"""Asks a language model which groups answer better, and whether the pool holds the right SQL."""

from __future__ import annotations

from sqlagent.makers.llm_judging.judge import LlmJudge

__all__ = ["LlmJudge"]

"""Texts of a part of a report, in the language of who gets it: its sentence and figures, and that it was made of a draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from mirror.library.drafts import draft_said
from mirror.phrases import figure_said
from mirror.reports.models import RunPart
from mirror.stored_words import entry_said, row_said


def draft_told(part: RunPart) -> str:
    """Say that its SQL was saved from a draft, and why; empty where it was not."""
    if not part.draft:
        return ""
    return _("This SQL was saved from a draft. %(why)s") % {"why": draft_said(part.draft, part.saying)}


def figure_told(figure: Mapping[str, Any]) -> tuple[str, str, str]:
    """The name of a figure of a part, the figure and how it changed, as they are read."""
    return figure["name"], figure_said(figure["said"]), entry_said(figure, "change")


def part_sentence(part: RunPart) -> str:
    """Its sentence; that it is a draft stands before it."""
    return f"{draft_told(part)} {row_said(part, 'sentence')}".strip()

"""Drafts on the pages of saved SQL."""

from __future__ import annotations

from django import template

from mirror.library.drafts import draft_said

register = template.Library()
register.filter(draft_said)

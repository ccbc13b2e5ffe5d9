"""Filters by which pages of other subjects tell of language models."""

from __future__ import annotations

from django import template

from mirror.llms.selectors import llm_names
from mirror.llms.use_pages import OwnUse, own_use
from mirror.people.models import User
from mirror.sources.models import Source

register = template.Library()


@register.filter
def language_models(source: Source) -> tuple[str, ...]:
    """Name the language models that a source's questions go to, the preferred one first."""
    return llm_names(source)


@register.filter
def used_of_models(person: User) -> OwnUse:
    """Give somebody's use of language models."""
    return own_use(person)

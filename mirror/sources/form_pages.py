"""The content of the form of a source, and the fragment that tells whether what is in it connects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mirror.people.models import User
from mirror.sources import selectors
from mirror.sources.errors import PowersRefused, SourceError
from mirror.sources.forms import SourceForm
from mirror.sources.models import Source
from mirror.sources.powers import Powers


@dataclass(frozen=True, slots=True)
class FormPage:
    """The form of a source with what is wrong; `powers` are those it was refused for."""

    form: SourceForm
    source: Source
    name: str
    engines: list[tuple[str, str]]
    error: SourceError | None
    powers: Powers | None
    may_confirm: bool


def form_page(user: User, form: SourceForm, error: SourceError | None = None, name: str = "") -> FormPage:
    """Lay out the form of a source; `name` is what the source is called, where the form does not say."""
    return FormPage(
        form=form,
        source=form.instance,
        name=name or form.initial.get("name", ""),
        engines=[(str(value), str(label)) for value, label in Source.Engine.choices],
        error=error,
        powers=error.powers if isinstance(error, PowersRefused) else None,
        may_confirm=selectors.may_confirm_powers(user),
    )


@dataclass(frozen=True, slots=True)
class TestPage:
    """One of three: the `form` cannot be tried, the `error` that came, or the `check` of a connection."""

    form: SourceForm | None = None
    error: SourceError | None = None
    check: Mapping[str, Any] | None = None
    powers: Powers | None = None
    is_refused: bool = False

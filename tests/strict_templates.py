"""Names that a template of ours uses and nothing defines: each fails the test that rendered it.

Django shows nothing for such a name, and `{% if %}` takes it for false, so a renamed field goes unnoticed.
A lookup in None is no undefined name: `page.version.state` may be asked where there is no version yet.
Templates of Django and of its forms are left alone, as they lean on names that may be missing.
"""

from __future__ import annotations

from pathlib import Path

from django.template.base import Variable, VariableDoesNotExist
from django.template.context import BaseContext

OURS = Path(__file__).resolve().parents[1] / "frontend" / "templates"

_found: list[str] = []
_resolve = Variable._resolve_lookup


def _resolve_strictly(self: Variable, context: BaseContext) -> object:
    try:
        return _resolve(self, context)
    except VariableDoesNotExist as missing:
        bit, looked_in = missing.params
        template = _template_of(context)
        if looked_in is not None and template is not None:
            owner = "" if looked_in is context else f" (a {type(looked_in).__name__} has no {bit!r})"
            _found.append(f"{template} uses {self.var}, which is not defined{owner}")
        raise


def _template_of(context: BaseContext) -> str | None:
    """The page being rendered and the fragment in it, where they are ours or a test's; None for Django's."""
    page = _name(getattr(context, "template", None))
    part = _name(getattr(getattr(context, "render_context", None), "template", None))
    return f"{page}, in {part}," if page and part and page != part else part


def _name(template: object) -> str | None:
    origin = getattr(template, "origin", None)
    if origin is None:
        return None
    path = Path(origin.name)
    if path.is_relative_to(OURS):
        return str(path.relative_to(OURS))
    return None if path.is_absolute() else "a template of a test"


def install() -> None:
    """Note every undefined name from now on; done once for the whole suite."""
    Variable._resolve_lookup = _resolve_strictly


def taken() -> list[str]:
    """Give the findings since the last call, each once, in order, and forget them."""
    found = list(dict.fromkeys(_found))
    _found.clear()
    return found

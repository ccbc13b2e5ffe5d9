"""That a name which nothing defines is found in every tag, and that what may be missing is not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django import forms
from django.template import engines

from tests import strict_templates


@dataclass
class Page:
    """A page with two fields, one of them empty."""

    title: str = "Orders"
    version: object = None


def rendered(source: str) -> list[str]:
    """Findings in a template that is given a `page` and a `form`."""
    form = forms.modelform_factory(_model(), fields=["name"])()
    engines["django"].from_string(source).render({"page": Page(), "form": form, "rows": [1]})
    return strict_templates.taken()


def _model():
    from mirror.people.models import Team

    return Team


@pytest.mark.parametrize(
    "source",
    [
        "{{ page.is_saved }}",
        "{{ nothing }}",
        "{% if page.is_saved %}x{% endif %}",
        "{% if page.title and not page.is_saved %}x{% endif %}",
        "{{ page.is_saved|default:page.title }}",
        "{% firstof nothing page.title %}",
        "{% for row in page.lines %}{% endfor %}",
        "{% with x=page.is_saved %}{{ x }}{% endwith %}",
        "{% include 'parts/_icon.html' %}",
        "{% include 'parts/_icon.html' with name=nothing %}",
        "{{ form.nothing }}",
        "{% url 'asking:run' page.id as place %}",
    ],
)
def test_an_undefined_name_is_found_in_every_tag(source) -> None:
    assert rendered(source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ page.title }}{{ form.name }}{{ form.as_div }}",
        "{% if page.version.state == 'cut' %}x{% endif %}",
        "{% for row in rows %}{{ forloop.counter }}{% endfor %}",
        "{% include 'parts/_icon.html' with name='check' %}",
    ],
)
def test_what_is_defined_or_none_is_not_found(source) -> None:
    assert rendered(source) == []

"""Forms about terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from mirror.knowledge.models import StoredTerm
from mirror.knowledge.term_services import PHRASE_CHARS, TermWish

KINDS = [
    (StoredTerm.Kind.MEASURE, _("A figure")),
    (StoredTerm.Kind.FILTER, _("A condition")),
    (StoredTerm.Kind.NAME, _("A table or column")),
    (StoredTerm.Kind.VALUE, _("A stored value")),
    (StoredTerm.Kind.RULE, _("A rule for language models, in words")),
]
HELP = _(
    "A figure: SUM(order_lines.amount) FILTER (WHERE orders.status <> 'returned'). A condition: customers.newsletter = 1. A table or column: orders.status. A stored value: customers.country = 'Netherlands'. Words of other terms may stand in it."
)


class TermForm(forms.Form):
    """One term."""

    phrase = forms.CharField(
        label=_("Words"), max_length=PHRASE_CHARS, help_text=_("As people say them: net revenue")
    )
    kind = forms.ChoiceField(label=_("They stand for"), choices=KINDS)
    body = forms.CharField(
        label=_("Meaning, in SQL"),
        strip=True,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
        help_text=HELP,
    )
    synonyms = forms.CharField(
        label=_("Other words for it"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One a line, or with commas."),
    )
    description = forms.CharField(
        label=_("Description"),
        max_length=300,
        required=False,
        help_text=_("Told with answers and to language models."),
    )
    unit = forms.CharField(
        label=_("Unit"), max_length=20, required=False, help_text=_("Of a figure: EUR, hours")
    )
    status = forms.ChoiceField(
        label=_("State"), choices=StoredTerm.Status.choices, initial=StoredTerm.Status.FORCE, required=False
    )

    @classmethod
    def of(cls, term: StoredTerm) -> TermForm:
        """The form of a term as it is."""
        shown = {
            name: getattr(term, name) for name in ("phrase", "kind", "body", "description", "unit", "status")
        }
        return cls(initial=shown | {"synonyms": "\n".join(term.synonyms)})

    @classmethod
    def of_wish(cls, wish: Mapping[str, Any]) -> TermForm:
        """The form as it was typed."""
        return cls(data={**wish, "synonyms": "\n".join(wish.get("synonyms", ()))})

    @classmethod
    def proposed(cls, phrase: str, kind: str, body: str) -> TermForm:
        """The form of a new term as it is proposed."""
        return cls(initial={"phrase": phrase, "kind": kind, "body": body})

    def wish(self) -> TermWish:
        """The typed values. The form is valid."""
        words = self.cleaned_data["synonyms"].replace(",", "\n").splitlines()
        return TermWish.read({**self.cleaned_data, "synonyms": words})

    def refuse(self, problems: Mapping[str, str]) -> None:
        """Say beside each field why it cannot be as it was typed."""
        for name, why in problems.items():
            self.add_error(name if name in self.fields else None, why)

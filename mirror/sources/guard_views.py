"""The page that says what may run on a source."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_http_methods

from mirror.people.models import User
from mirror.people.requests import PersonRequest, posted_in
from mirror.sources import guarding, selectors
from mirror.sources.models import Source

# More than anybody reviews one by one.
FUNCTIONS = 200

# The words of `guarding.KINDS`, which come from `sqlagent`: here for the catalogs of translations.
_KINDS = (
    gettext_noop("EXPLAIN of a read-only statement"),
    gettext_noop("EXPLAIN ANALYZE, which runs the statement to measure it"),
    gettext_noop("DESCRIBE and SUMMARIZE of a table or a read-only statement"),
    gettext_noop("SHOW of tables, columns and harmless settings"),
    gettext_noop("PRAGMAs that only describe a table (SQLite)"),
    gettext_noop("System tables that describe the schema, such as information_schema.columns"),
    gettext_noop("version() and the like, which tell what software is running"),
)


class MayRunForm(forms.Form):
    """Kinds of statements that run, and further functions that may be called."""

    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Statements that only describe"),
        choices=[(kind, gettext_lazy(words)) for kind, words in guarding.KINDS.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("All of these only read. A statement that is not ticked is refused."),
    )
    functions = forms.CharField(
        label=gettext_lazy("Further functions"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    def __init__(self, *args: Any, source: Source, by: User, **kwargs: Any) -> None:
        policy = guarding.policy_of(source)
        initial = {
            "kinds": [kind for kind in guarding.KINDS if kind not in policy.refused],
            "functions": "\n".join(sorted(policy.functions)),
        }
        super().__init__(*args, **{**kwargs, "initial": initial})
        self.fields["functions"].help_text = (
            _(
                "One a line: name, or schema.name. Allow only functions that compute, such as your own. Functions that write, wait, take locks or read files are never allowed."
            )
            if by.is_staff
            else _("Only administrators add to these; you may take some away.")
        )

    def clean_functions(self) -> list[str]:
        """Turn lines, or what stands between commas, into names."""
        typed = re.split(r"[\r\n,;]+", self.cleaned_data["functions"].lower())
        names = list(dict.fromkeys(name.strip().removesuffix("()") for name in typed if name.strip()))
        if len(names) > FUNCTIONS:
            raise forms.ValidationError(
                _("At most %(functions)s functions can be allowed.") % {"functions": FUNCTIONS}
            )
        return names


@require_http_methods(["GET", "HEAD", "POST"])
def may_run(request: PersonRequest, pk: int) -> HttpResponse:
    """Change what may run on a source: its owner narrows it, administrators who see it widen it."""
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if not selectors.may_decide(request.user, source):
        raise PermissionDenied(
            _("Only %(owner)s and administrators decide what may run here.") % {"owner": source.owner}
        )
    form = MayRunForm(posted_in(request), source=source, by=request.user)
    if form.is_valid() and _kept(form, source, request.user):
        messages.success(
            request, _("The list of allowed statements of %(name)s is changed.") % {"name": source.name}
        )
        return redirect("sources:source", pk)
    status = 422 if form.is_bound else 200
    return render(request, "sources/may_run.html", {"form": form, "source": source}, status=status)


def _kept(form: MayRunForm, source: Source, by: User) -> bool:
    """Keep what was chosen, or say on the form why it cannot be."""
    refused = set(guarding.KINDS) - set(form.cleaned_data["kinds"])
    try:
        guarding.policy_set(source, form.cleaned_data["functions"], refused, by)
    except guarding.PolicyRefused as error:
        form.add_error("functions", str(error))
        return False
    return True

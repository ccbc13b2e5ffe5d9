"""The page with a source's own limits."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.validators import MaxValueValidator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from mirror.people.requests import PersonRequest, posted_in
from mirror.phrases import separated
from mirror.sources import selectors
from mirror.sources.limits import SourceLimits, limits_set, limits_usual
from mirror.sources.models import Source

# The field, how it is called, and the most anybody may choose.
FIELDS = {
    "concurrent_runs": (gettext_lazy("Questions and statements at once"), 64),
    "statement_seconds": (gettext_lazy("Seconds a statement may run"), 3_600),
    "candidate_rows": (gettext_lazy("Rows looked at of an attempt"), 1_000_000),
    "result_rows": (gettext_lazy("Rows kept of a result"), 10_000_000),
    "result_days": (gettext_lazy("Days a result is kept"), 3_650),
    "result_megabytes": (gettext_lazy("Megabytes of results kept, the oldest go first"), 10_000_000),
    "cell_chars": (gettext_lazy("Characters kept of a cell"), 1_000_000),
    "total_chars": (gettext_lazy("Characters kept of all rows together"), 2_000_000_000),
    "statement_megabytes": (
        gettext_lazy("Megabytes of memory a statement may take (SQLite, DuckDB, uploads)"),
        1_000_000,
    ),
    "scan_megabytes": (
        gettext_lazy("Megabytes a statement may read (ClickHouse, BigQuery, Trino)"),
        1_000_000_000,
    ),
}


class LimitsForm(forms.ModelForm):
    """A source's own limits; empty ones are the usual. Administrators alone go beyond the usual."""

    class Meta:
        model = Source
        fields = list(SourceLimits.__slots__)

    def __init__(self, *args: Any, is_staff: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = limits_usual()
        for name, (label, most) in FIELDS.items():
            field, value = self.fields[name], getattr(usual, name)
            assert isinstance(field, forms.IntegerField | forms.FloatField)
            field.label = label
            field.min_value = 1
            field.help_text = (
                _("Usual: %(value)s.") % {"value": separated(f"{value:,g}")}
                if value < 1e6
                else _("Usual: %(value)s.") % {"value": separated(f"{value:,}")}
            )
            field.widget.attrs |= {
                "min": 1,
                "max": most if is_staff else value,
                "placeholder": f"{value:.15g}",
            }
            reach = (
                _("The most is %(limit_value)s.")
                if is_staff
                else (_("The most is %(limit_value)s, the usual; an administrator can allow more."))
            )
            field.validators.append(MaxValueValidator(most if is_staff else value, reach))

    def clean(self) -> dict[str, Any]:
        """Refuse limits that let nothing through."""
        cleaned = super().clean() or self.cleaned_data
        for name in FIELDS:
            if cleaned.get(name) is not None and cleaned[name] <= 0:
                self.add_error(name, _("Give a number above 0, or leave it empty for the usual."))
        return cleaned


@require_http_methods(["GET", "HEAD", "POST"])
def limits(request: PersonRequest, pk: int) -> HttpResponse:
    """Change what may be taken of a source."""
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if not selectors.may_edit(request.user, source):
        raise PermissionDenied(
            _("Only %(owner)s and editors change limits of this source.") % {"owner": source.owner}
        )
    posted = posted_in(request)
    form = LimitsForm(posted, instance=source, is_staff=request.user.is_staff)
    if form.is_valid():
        limits_set(source, form.cleaned_data)
        messages.success(request, _("The limits of %(name)s are changed.") % {"name": source.name})
        return redirect("sources:source", pk)
    return render(
        request, "sources/limits.html", {"form": form, "source": source}, status=422 if form.is_bound else 200
    )

"""The page on which administrators see what is used of language models, and bound it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from mirror.llms import services
from mirror.llms.forms import BudgetForm
from mirror.llms.models import MonthlyBudget
from mirror.llms.use_pages import use_page
from mirror.people.requests import PersonRequest


def _staff_only(request: PersonRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators see the use of language models by others."))


@require_safe
def use(request: PersonRequest) -> HttpResponse:
    """Show a month: what each person, team, source and model used, and the budgets."""
    _staff_only(request)
    return _page(request, BudgetForm())


@require_POST
def budget_set(request: PersonRequest) -> HttpResponse:
    """Bound what may be used in a month."""
    _staff_only(request)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    typed = form.cleaned_data
    try:
        services.budget_set(typed["about"], typed["tokens"], typed["money"], request.user)
    except services.SubjectGone as error:
        form.add_error("about", str(error))
        return _page(request, form, status=422)
    messages.success(request, _("The budget is set. It holds from the next question."))
    return redirect("llms:use")


@require_POST
def budget_remove(request: PersonRequest, pk: int) -> HttpResponse:
    """Bound it no longer."""
    _staff_only(request)
    services.budget_remove(get_object_or_404(MonthlyBudget, pk=pk), request.user)
    messages.success(request, _("The budget is removed."))
    return redirect("llms:use")


def _page(request: PersonRequest, form: BudgetForm, status: int = 200) -> HttpResponse:
    context = {"page": use_page(request.GET.get("month", "")), "form": form}
    return render(request, "llms/use.html", context, status=status)

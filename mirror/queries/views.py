"""Help in the SQL editor: formatting, checks and completion. Nothing is kept and nothing runs."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from mirror.people.requests import PersonRequest, is_id
from mirror.phrases import separated
from mirror.queries import helping
from mirror.queries.completing import sql_completions
from mirror.queries.parameters import SQL_CHARS
from mirror.sources.asked_views import source_asked
from mirror.sources.models import Source
from mirror.stored_words import said_now

UNREADABLE = gettext_lazy("This SQL cannot be read with certainty; it is left as it was.")


def _source(request: PersonRequest, pk: int) -> Source:
    return source_asked(request, pk)


def _sql(request: PersonRequest) -> str:
    """The text as it stands in the editor: a form ends its lines otherwise, which would move every place in it."""
    return request.POST.get("sql", "").replace("\r\n", "\n")


@require_POST
def format_sql(request: PersonRequest, pk: int) -> HttpResponse:
    """The SQL in an editor, laid out."""
    source, sql = _source(request, pk), _sql(request)
    formatted = helping.sql_format(source, sql)
    status = 422 if formatted is None else 200
    return HttpResponse(formatted or str(UNREADABLE), content_type="text/plain", status=status)


@require_POST
def check_sql(request: PersonRequest, pk: int) -> JsonResponse:
    """Give the refusal of the SQL in an editor, doubts about its meaning, and its :names."""
    source, sql = _source(request, pk), _sql(request)
    if len(sql) > SQL_CHARS:
        long = {
            "words": _("This SQL is %(count)s characters long; at most %(most)s are read.")
            % {"count": separated(f"{len(sql):,}"), "most": separated(f"{SQL_CHARS:,}")},
            "position": None,
        }
        return JsonResponse({"problem": long, "parameters": [], "doubts": []})
    problem = helping.sql_problem(source, sql)
    told = None
    if problem is not None:
        words = " ".join(said_now(part) for part in (problem.what, problem.why, problem.advice) if part)
        told = {"words": words, "position": problem.position}
    doubts = [asdict(one) for one in helping.sql_doubts(source, sql)] if problem is None else []
    return JsonResponse(
        {"problem": told, "parameters": helping.sql_parameters(source, sql), "doubts": doubts}
    )


@require_POST
def complete_sql(request: PersonRequest, pk: int) -> JsonResponse:
    """How the SQL in an editor may go on at its character `at`, best first."""
    source, at = _source(request, pk), request.POST.get("at", "")
    sql = _sql(request)
    found = sql_completions(request.user, source, sql, int(at)) if is_id(at) else []
    return JsonResponse({"completions": [asdict(one) for one in found]})

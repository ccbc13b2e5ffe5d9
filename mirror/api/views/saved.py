"""Saved SQL: listed, and run with values for its parameters."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from ninja import Router

from mirror.api import schemas, selectors
from mirror.api.problems import Problem
from mirror.api.telling import address, paged, run_told, saved_told
from mirror.api.views.calls import (
    PROBLEMS,
    SAVED,
    Key,
    Limit,
    Offset,
    Search,
    TokenRequest,
    asking_problem,
    done_once,
    seen,
    site_of,
    with_rows,
)
from mirror.asking import services
from mirror.library.forms import ArgumentsForm

router = Router(tags=["Saved SQL"])


@router.get("/saved", auth=SAVED, response={200: schemas.SavedPage, **PROBLEMS}, url_name="saved_list")
def saved_list(request: TokenRequest, limit: Limit, offset: Offset, search: Search) -> Any:
    """List saved SQL, what was changed last first."""
    here = address("saved_list") + (f"?{urlencode({'search': search})}" if search else "")
    return paged(selectors.saved_of(request.auth, search), saved_told, here, limit, offset)


@router.get(
    "/saved/{saved}", auth=SAVED, response={200: schemas.SavedTold, **PROBLEMS}, url_name="saved_read"
)
def saved_read(request: TokenRequest, saved: int) -> Any:
    """Tell of saved SQL and its parameters."""
    return saved_told(seen(selectors.saved_of(request.auth).filter(pk=saved).first()))


@router.post(
    "/saved/{saved}/runs", auth=SAVED, response={202: schemas.RunTold, **PROBLEMS}, url_name="saved_run"
)
def saved_run(request: TokenRequest, saved: int, sent: schemas.Arguments, key: Key) -> HttpResponse:
    """Run saved SQL; the version of the run that is made has its rows."""
    found = seen(selectors.saved_of(request.auth).filter(pk=saved).first())
    known = {str(one["name"]) for one in found.parameters}
    if unknown := sorted(set(sent.arguments) - known):
        raise _wrong(dict.fromkeys(unknown, "There is no such parameter."))
    form = ArgumentsForm({f"argument-{name}": value for name, value in sent.arguments.items()}, saved=found)
    for name, field in form.fields.items():
        if name not in sent.arguments and field.initial not in (None, ""):
            field.required = False
    if not form.is_valid():
        raise _wrong({name: str(errors[0]) for name, errors in form.errors.items()})

    def act() -> schemas.RunTold:
        try:
            run = services.run_saved(request.auth.owner, found, form.arguments(), is_sent=True)
        except services.AskingError as error:
            raise asking_problem(error) from None
        return run_told(run, with_rows=with_rows(request.auth, found.source), at=site_of(request))

    return done_once(request, key, act)


def _wrong(found: dict[str, str]) -> Problem:
    errors = [{"where": f"body.arguments.{name}", "message": words} for name, words in found.items()]
    return Problem(422, "not-valid", "A part of what was sent cannot be used.", errors=errors)

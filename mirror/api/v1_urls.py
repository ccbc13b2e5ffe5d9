"""Version 1 of the API: its operations, what becomes of errors, and the document that tells of both."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation

from mirror.api import problems
from mirror.api.middleware import problem_response
from mirror.api.problems import Problem
from mirror.api.views import reports, rows, runs, saved, sources

VERSION = "1.0.0"

PREFIX = "/api/v1"


class Api(NinjaAPI):
    """Names operations as their addresses are named."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of an operation in the document."""
        return operation.view_func.__name__


api = Api(
    title="Mirror",
    version=VERSION,
    description="Ask databases in plain words, run SQL that reads, and fetch the rows. See docs/api.md.",
    urls_namespace="api-v1",
    docs_url=None,
    openapi_url=None,
)
PARTS = (sources, runs, rows, saved, reports)
for _part in PARTS:
    api.add_router("", _part.router)


@api.exception_handler(Problem)
def on_problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Tell why a call was not done."""
    return problem_response(problem)


@api.exception_handler(ValidationError)
def on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Tell which parts of what was sent are wrong."""
    errors = [
        {
            "where": ".".join(str(part) for part in one["loc"] if part not in ("sent",)),
            "message": str(one["msg"]),
        }
        for one in error.errors
    ]
    return problem_response(
        Problem(422, "not-valid", "A part of what was sent cannot be used.", errors=errors)
    )


@api.exception_handler(HttpError)
def on_unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    """Tell that a body cannot be read, which is all that is raised so."""
    return problem_response(
        Problem(400, "unreadable", "The body cannot be read.", "Send JSON, encoded as UTF-8.")
    )


@api.exception_handler(RequestDataTooBig)
def on_too_large(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    """Tell that a body is too large, where its length was not said before."""
    return problem_response(problems.too_large())


@api.exception_handler(PermissionDenied)
def on_forbidden(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    """Tell that the token's person may not do this."""
    return problem_response(problems.not_permitted(str(error)))


@api.exception_handler(Http404)
def on_nothing(request: HttpRequest, error: Http404) -> HttpResponse:
    """Tell that there is nothing."""
    return problem_response(problems.not_found())


@api.exception_handler(OperationalError)
@api.exception_handler(InterfaceError)
def on_away(request: HttpRequest, error: Exception) -> HttpResponse:
    """Tell that the store is away."""
    return problem_response(problems.away())


def document() -> dict[str, Any]:
    """The OpenAPI document: what ninja knows, with the media types and the scopes that it does not."""
    return dict(json.loads(_document_text()))


@cache
def _document_text() -> str:
    """Make the document once a process: it is the same for everybody, and takes a third of a second of a processor."""
    told: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix=f"{PREFIX}/")))
    scopes = operation_scopes()
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            operation["summary"], _, operation["description"] = operation["description"].partition("\n\n")
            operation["x-scopes"] = scopes[method.upper(), path]
            for status, response in operation["responses"].items():
                content = response.get("content", {})
                if int(status) >= 400 and "application/json" in content:
                    response["content"] = {problems.MEDIA_TYPE: content["application/json"]}
                if status == "200" and path.endswith("/rows"):
                    response["content"] = {name: {} for name in rows.ROW_FORMATS}
                if status == "200" and path.endswith("/events"):
                    response["content"] = {"text/event-stream": {}}
    return json.dumps(told)


def operation_scopes() -> dict[tuple[str, str], list[str]]:
    """The scopes of which a token needs one, by method and path."""
    return {
        (method, PREFIX + path): [scope.value for scope in operation.auth_param.scopes]
        for part in PARTS
        for path, view in part.router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    }


app_name = "api-v1"
_addresses = [address for address in api.urls[0] if getattr(address, "name", "") != "api-root"]
for _address in _addresses:
    # Tokens say who calls; nobody is sent to a page to sign in.
    setattr(_address.callback, "login_required", False)  # noqa: B010
urlpatterns = _addresses

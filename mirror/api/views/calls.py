"""Parts shared by all operations: who calls by which token, calls done once, and answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Schema
from ninja.security import HttpBearer

from mirror.api import problems, selectors, services
from mirror.api.models import Scope, Token
from mirror.api.schemas import ProblemTold
from mirror.api.telling import ITEMS, MOST_ITEMS
from mirror.asking.services import AskingError, StillWorking, TooMuchWaits
from mirror.people.models import User
from mirror.sources.models import Source, WithheldRight
from mirror.sources.selectors import may_take_files, sources_with
from mirror.sources.sight import seen_by

T = TypeVar("T")

KEY_CHARS = 200
# Which problems an operation may tell, for the document; the words are `problems`'.
PROBLEMS = dict.fromkeys((400, 401, 403, 404, 409, 422, 429, 503), ProblemTold)

Limit = Annotated[int, Query(ITEMS, ge=1, le=MOST_ITEMS, description="How many at once.")]
Offset = Annotated[int, Query(0, ge=0, le=10_000_000, description="How many to leave out.")]
Search = Annotated[
    str, Query("", max_length=200, pattern=r"^[^\x00]*$", description="Words that all must be found.")
]
Key = Annotated[
    str,
    Header(
        "",
        alias="Idempotency-Key",
        max_length=KEY_CHARS,
        description="A text of yours for this call: sent again with it, it is done once.",
    ),
]
Trace = Annotated[
    str,
    Header(
        "",
        alias="traceparent",
        description="Your span, as W3C Trace Context says it: the stages of the answer stand below it (docs/watching.md).",
    ),
]


class TokenRequest(HttpRequest):
    """A request by a token; its `user` is the token's person. A type to annotate with."""

    user: User
    auth: Token


class BearerToken(HttpBearer):
    """Lets a call through whose token works and has one of some scopes; where none is named, any token that works."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = scopes
        super().__init__()

    def __call__(self, request: HttpRequest) -> Token:
        """Find the token. Raises: Problem."""
        found: Token | None = super().__call__(request)
        if found is None:
            raise problems.no_token()
        return found

    def authenticate(self, request: HttpRequest, token: str) -> Token:
        """Find the token, and count and tell the call. Raises: Problem."""
        found = services.token_find(token.strip())
        request.user, doing = found.owner, f"{request.method} {request.path_info}"
        setattr(request, "auth", found)  # noqa: B010 - what the audit and operations read; ninja sets it later
        services.token_check(found, self.scopes, Token.Use.PROGRAM, doing)
        services.token_use(found, doing, told=request.method == "POST")
        return found


READ, ASK, SQL, ROWS, SAVED, REPORTS = map(BearerToken, Scope)
# A statement is told of to who may bring one about.
RUNS = BearerToken(Scope.ASK, Scope.SAVED)
STATEMENTS = BearerToken(Scope.SQL, Scope.ASK, Scope.SAVED)
ANY = BearerToken()


def source_of(token: Token, name: str) -> Source:
    """The source of this name. Raises: Problem where the token does not see it."""
    found = None if "\x00" in name else selectors.sources_of(token).filter(name=name).first()
    if found is None:
        raise problems.not_found()
    return seen_by(token.owner, found)


def seen(found: T | None) -> T:
    """The finding. Raises: Problem where that is nothing."""
    if found is None:
        raise problems.not_found()
    return found


def with_rows(token: Token, source: Source) -> bool:
    """Say whether a token may be given rows of a source."""
    return Scope.ROWS in token.scopes and may_take_files(token.owner, source)


def rows_given(token: Token) -> set[int]:
    """Name the sources, by their ids, of which a token may be given rows: for a list of runs."""
    if Scope.ROWS not in token.scopes:
        return set()
    return set(sources_with(token.owner, WithheldRight.Right.FILES).values_list("pk", flat=True))


def site_of(request: HttpRequest) -> str:
    """Mirror's address as the caller reaches it."""
    return request.build_absolute_uri("/")


def done_once(request: TokenRequest, key: str, act: Callable[[], Schema]) -> HttpResponse:
    """Do what a call asks, once a key, and answer with what it made: 202, as a worker goes on with it. Raises: Problem."""

    def done() -> services.Done:
        made = act()
        told = made.model_dump(mode="json")
        return services.Done(told["url"], told)

    sent = b"\n".join([str(request.method).encode(), request.path_info.encode(), request.body])
    made = services.call_once(request.auth, key, hashlib.sha256(sent).hexdigest(), done)
    response = HttpResponse(
        json.dumps(made.body, ensure_ascii=False), status=202, content_type="application/json"
    )
    response["Location"] = made.location
    if made.is_repeated:
        response["Idempotent-Replayed"] = "true"
    return response


def asking_problem(error: AskingError) -> problems.Problem:
    """Why something cannot be asked, stopped or run."""
    if isinstance(error, TooMuchWaits):
        return problems.Problem(429, "too-much-waits", "Too much is on its way already.", str(error), wait=5)
    if isinstance(error, StillWorking):
        return problems.Problem(409, "still-working", "It has to end first.", str(error))
    return problems.Problem(422, "not-possible", "This cannot be done.", str(error))


def refused(said: Any) -> problems.Problem:
    """A call that was understood and cannot be done."""
    return problems.Problem(422, "not-possible", "This cannot be done.", str(said).strip())

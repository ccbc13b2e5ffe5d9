"""Data of the pages about tokens, services and the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from mirror.api.models import Scope, Token
from mirror.api.selectors import tokens_of, tokens_of_services
from mirror.people.models import User
from mirror.people.selectors import services_all


@dataclass(frozen=True, slots=True)
class TokensPage:
    """Somebody's tokens: those that work, and those that did. `secret` is that of one just made, shown once."""

    working: list[Token]
    ended: list[Token]
    secret: str = ""
    made: Token | None = None


def tokens_page(user: User, secret: str = "", made: Token | None = None) -> TokensPage:
    """Show somebody's tokens."""
    tokens = list(tokens_of(user)[:200])
    return TokensPage(
        working=[token for token in tokens if token.works],
        ended=[token for token in tokens if not token.works][:20],
        secret=secret,
        made=made,
    )


@dataclass(frozen=True, slots=True)
class AccountView:
    """A service: its teams, and its tokens that work."""

    service: User
    teams: list[str]
    tokens: list[Token]


@dataclass(frozen=True, slots=True)
class AccountsPage:
    """The services that were not ended. `secret` is that of a token just made, shown once."""

    accounts: list[AccountView]
    secret: str = ""
    made: Token | None = None


def accounts_page(secret: str = "", made: Token | None = None) -> AccountsPage:
    """Show all services to an administrator."""
    of: dict[int, list[Token]] = {}
    for token in tokens_of_services():
        if token.works:
            of.setdefault(token.owner_id, []).append(token)
    return AccountsPage(
        [
            AccountView(service, [team.name for team in service.teams.all()], of.get(service.pk, []))
            for service in services_all().filter(is_active=True)
        ],
        secret,
        made,
    )


@dataclass(frozen=True, slots=True)
class FieldView:
    """A part of what an operation takes."""

    name: str
    place: str
    type: str
    is_needed: bool
    about: str


@dataclass(frozen=True, slots=True)
class OperationView:
    """One operation: how it is called, what it takes and gives."""

    key: str
    method: str
    path: str
    title: str
    about: str
    takes: tuple[FieldView, ...]
    gives: str
    needs: str


@dataclass(frozen=True, slots=True)
class OperationsPage:
    """The operations of the API, a subject at a time."""

    version: str
    subjects: tuple[tuple[str, tuple[OperationView, ...]], ...]


def operations_page(document: dict[str, Any]) -> OperationsPage:
    """Show an OpenAPI document."""
    subjects: dict[str, list[OperationView]] = {}
    for path, operations in document["paths"].items():
        for method, told in operations.items():
            subjects.setdefault(told["tags"][0], []).append(_operation(document, path, method, told))
    return OperationsPage(
        document["info"]["version"], tuple((name, tuple(found)) for name, found in subjects.items())
    )


def _operation(document: dict[str, Any], path: str, method: str, told: dict[str, Any]) -> OperationView:
    takes = [
        FieldView(
            one["name"],
            {"path": _("in the address"), "query": _("after ?"), "header": _("header")}[one["in"]],
            _type(one["schema"]),
            one.get("required", False),
            one.get("description") or one["schema"].get("description", ""),
        )
        for one in told.get("parameters", ())
    ]
    body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        schema = _resolved(document, body)
        needed = schema.get("required", ())
        takes += [
            FieldView(name, _("in the body"), _type(one), name in needed, one.get("description", ""))
            for name, one in schema["properties"].items()
        ]
    status, answer = next((code, one) for code, one in told["responses"].items() if str(code).startswith("2"))
    content: dict[str, dict[str, Any]] = answer.get("content", {})
    schema = next((one.get("schema", {}) for one in content.values()), {})
    named = _resolved(document, schema).get("description", "").rstrip(".") or ", ".join(content)
    return OperationView(
        f"{method}-{path.strip('/').replace('/', '-').replace('{', '').replace('}', '')}",
        method.upper(),
        path,
        told["summary"],
        told.get("description", ""),
        tuple(takes),
        f"{status}: {named}",
        _(" or ").join(str(Scope(scope).label) for scope in told["x-scopes"]),
    )


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return dict(document["components"]["schemas"][name]) if name else schema


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return _(" or ").join(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
    if schema.get("type") == "object":
        return _("object of texts")
    type = str(schema.get("type", ""))
    return {"integer": _("number"), "string": _("text")}.get(type, type)

"""Sources and their tables."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from ninja import Router

from mirror.api import schemas, selectors
from mirror.api.problems import Problem
from mirror.api.telling import address, paged, source_told, table_told
from mirror.api.views.calls import ANY, PROBLEMS, READ, Limit, Offset, Search, TokenRequest, source_of
from mirror.sources.pages import table_key, tables_found
from mirror.sources.selectors import ask_check
from mirror.sources.sight import catalog_shown, sight_now

router = Router(tags=["Sources"])


@router.get("/token", auth=ANY, response={200: schemas.TokenTold, **PROBLEMS}, url_name="token_read")
def token_read(request: TokenRequest) -> Any:
    """Tell whose token this is and what it may do."""
    token = request.auth
    return {
        "person": token.owner.get_username(),
        "token": token.name,
        "scopes": token.scopes,
        "sources": [one.name for one in selectors.sources_of(token)] if token.is_limited else None,
        "expires_at": token.expires_at,
    }


@router.get("/sources", auth=READ, response={200: schemas.Sources, **PROBLEMS}, url_name="sources_list")
def sources_list(request: TokenRequest, limit: Limit, offset: Offset) -> Any:
    """List the sources one may ask."""
    return paged(selectors.sources_of(request.auth), source_told, address("sources_list"), limit, offset)


@router.get(
    "/sources/{name}", auth=READ, response={200: schemas.SourceTold, **PROBLEMS}, url_name="source_read"
)
def source_read(request: TokenRequest, name: str) -> Any:
    """Tell of one source."""
    return source_told(source_of(request.auth, name))


@router.get(
    "/sources/{name}/catalog",
    auth=READ,
    response={200: schemas.Tables, **PROBLEMS},
    url_name="catalog_read",
)
def catalog_read(request: TokenRequest, name: str, limit: Limit, offset: Offset, search: Search) -> Any:
    """Tell the tables of a source with their columns and keys, as they were read last."""
    source = source_of(request.auth, name)
    ask_check(request.auth.owner, source)
    if not source.catalog:
        raise Problem(
            409, "not-read", "The tables of this source were not read yet.", "Ask it something, or wait."
        )
    shown = catalog_shown(source.catalog, sight_now(source))
    here = address("catalog_read", name) + (f"?{urlencode({'search': search})}" if search else "")
    return paged(tables_found(shown, search), _told, here, limit, offset)


def _told(table: dict[str, Any]) -> schemas.TableTold:
    return table_told(table_key(table), table)

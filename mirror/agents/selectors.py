"""The part of a source that agents may see."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mirror.agents.models import AgentRows
from mirror.api.models import Scope, Token
from mirror.sources.catalogs import catalog_read
from mirror.sources.corrections import corrections_of
from mirror.sources.models import Source
from mirror.sources.selectors import files_withheld
from mirror.sources.sight import catalog_seen
from mirror.sources.sight import sight_of as seen_of
from sqlagent.values import Catalog

NO_ROWS = (
    "The owner of this source lets no rows go to agents; the person sees them on the page. "
    "Its owner can change that under Sources, Agents."
)
NO_SCOPE = "This token may not fetch rows; the person sees them on the page."


@dataclass(frozen=True, slots=True)
class Sight:
    """An agent's view of a source: the level of privacy that holds, its catalog, and why no rows where none are shown."""

    level: str
    catalog: Catalog
    no_rows: str

    @property
    def has_rows(self) -> bool:
        """It is shown rows."""
        return not self.no_rows


def rows_allowed(source: Source) -> bool:
    """Say whether agents may be given a source's rows: by its privacy, or because its owner says so."""
    return source.privacy == Source.Privacy.ROWS or rows_said(source) is not None


def rows_said(source: Source) -> AgentRows | None:
    """That agents may be given a source's rows whatever its privacy, where that was said."""
    return AgentRows.objects.select_related("allowed_by").filter(source=source).first()


def sight_of(token: Token, source: Source) -> Sight:
    """Say what an agent sees of a source by this token."""
    is_allowed = rows_allowed(source)
    catalog = catalog_read(source.catalog) if source.catalog else Catalog(source.engine, ())
    no_rows = "" if is_allowed and Scope.ROWS in token.scopes else NO_SCOPE if is_allowed else NO_ROWS
    no_rows = no_rows or files_withheld(token.owner, source)
    told = replace(catalog, corrections=corrections_of(source))
    return Sight(
        Source.Privacy.ROWS if is_allowed else source.privacy,
        catalog_seen(told, seen_of(token.owner, source)),
        no_rows,
    )

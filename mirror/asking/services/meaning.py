"""Which columns of some SQL a title asks for, as the built-in analyst understands it. Nothing is read from the source."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mirror.sources.unpacked import source_at_hand
from sqlagent.makers.analyst.answering import DRAFT, today_of, understand
from sqlagent.makers.analyst.source import source_of
from sqlagent.sql.figures import figures_shared

if TYPE_CHECKING:
    from mirror.sources.models import Source

log = logging.getLogger(__name__)


def columns_meant(source: Source, title: str, sql: str) -> tuple[str, ...]:
    """Name the columns of a statement that hold the figures which a title asks for; none where nobody can tell.

    The analyst reads the title as a question: what it would compute is looked for in the statement. A title that it
    understands in part says nothing. 20 to 100 ms.
    """
    catalog, index = source_at_hand(source)
    if catalog is None or index is None:
        return ()
    known = source_of(catalog, index)
    try:
        made = understand(title, known, today_of(known))[1]
    except (ArithmeticError, LookupError, ValueError) as error:
        log.warning("A title could not be understood: %s", type(error).__name__)
        return ()
    if not made or made[0].frame.cost >= DRAFT:
        return ()
    return figures_shared(sql, made[0].sql, known.model.dialect)

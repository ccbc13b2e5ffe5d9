"""Whether a change that an editor proposes can be tried on its source: a term runs without rows through the guard, a description is of a
table or column that there is, an example is a verified answer of the work part.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from sqlagent import guard
from sqlagent.catalog.glossary.bodies import BodyRefused, body_read
from sqlagent.catalog.hiding import usable
from sqlagent.errors import DatabaseError
from sqlagent.evaluation.improving.changes import DESCRIPTION, EXAMPLES
from sqlagent.evaluation.improving.llm_editor import NotFit
from sqlagent.ports import Database
from sqlagent.prompts.rendering.schema import COMMENT_CHARS
from sqlagent.values import Catalog, Limits, TermKind

TRYING = Limits(seconds=15.0, rows=1)
"""The limits of a term that is tried."""

PHRASE_CHARS = 80


class Fitting:
    """Looks at a proposed change on its source. `work` are the verified answers of the work part."""

    def __init__(self, database: Database, catalog: Catalog, work: Set[str]) -> None:
        self.database, self.catalog, self.work = database, catalog, work

    def __call__(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give a change with full names. Raises: NotFit."""
        if change["kind"] == EXAMPLES:
            return self.examples(change)
        return self.description(change) if change["kind"] == DESCRIPTION else self.term(change)

    def examples(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """A set of examples. Raises: NotFit."""
        if not set(change["answers"]) <= self.work:
            raise NotFit("An example is no verified answer of the work part.")
        return change

    def description(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """A description of a table or column that people and language models see. Raises: NotFit."""
        shown, _ = usable(self.catalog, None)
        name, told = str(change["table"]).lower(), str(change["body"])
        tables = [one for one in shown.tables if name in (one.key.lower(), one.name.lower())]
        if len(tables) != 1:
            raise NotFit("There is no such table.")
        column = tables[0].column(str(change["column"])) if change["column"] else None
        if change["column"] and column is None:
            raise NotFit("There is no such column.")
        if not 0 < len(told) <= COMMENT_CHARS:
            raise NotFit(f"A description has 1 to {COMMENT_CHARS} characters; this has {len(told):,}.")
        return {**change, "table": tables[0].key, "column": column.name if column is not None else ""}

    def term(self, change: Mapping[str, Any]) -> Mapping[str, Any]:
        """A term or a rule. Raises: NotFit."""
        if not 0 < len(str(change["phrase"])) <= PHRASE_CHARS or not change["body"]:
            raise NotFit(f"A term has a phrase of 1 to {PHRASE_CHARS} characters, and a body.")
        return change if change["kind"] == TermKind.RULE else {**change, "body": self.run(change, {})}

    def run(self, change: Mapping[str, Any], others: Mapping[str, tuple[TermKind, str]]) -> str:
        """Run a term without rows, and give its body with full names; `others` are the other terms. Raises: NotFit."""
        try:
            body = body_read(TermKind(change["kind"]), str(change["body"]), self.catalog, others)
        except BodyRefused as error:
            raise NotFit(str(error)) from None
        checked = self.checked(body.probe)
        if isinstance(checked, guard.Refusal):
            raise NotFit(f"{checked.what} {checked.why}".strip(), "It is not one read-only expression.")
        try:
            self.database.execute(checked.sent, TRYING)
        except DatabaseError as error:  # a database's own words may hold stored values
            raise NotFit(error.failure.message, "The database refuses it.") from None
        return body.sql

    def checked(self, sql: str) -> guard.Passed | guard.Refusal:
        """The answer of the guard about a statement."""
        return guard.check(sql, self.catalog)

"""Changes SQL in words by a language model: wishes that `rewriting` does not know.

Decides which reply is a change. One call; the reply is one SELECT statement without new parameters, or it is told why nothing is
proposed. The guard, which admits a proposal, stands with who asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from threading import Event as Flag

import sqlglot
from sqlglot import exp

from sqlagent import prompts
from sqlagent.errors import LlmError
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.prompts.silences import plainly
from sqlagent.sql import literals
from sqlagent.sql.clauses import read
from sqlagent.sql.differences import CLAUSES
from sqlagent.sql.literals import ODD
from sqlagent.sql.read_tables import with_tables
from sqlagent.sql.statements import statements
from sqlagent.values import Catalog, LinkedSchema, LlmMessage, LlmRequest, Question

REPLY_TOKENS = 6_000
"""A statement of 10,000 characters, the longest that is changed, and what a model thinks before it."""

UNCHANGED = "It gave the SQL back as it was."
NO_SELECT = "It replied, but not with one SELECT statement."
NOT_TAKEN = "Its SQL has parameters or hidden values that this SQL does not have."

_PARAMETER = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class LlmRewritten:
    """SQL as a language model changed it, and which clauses it changed; `sql` is empty where it proposed nothing, for the reason `why`.

    `llm` is the model that replied; `declined` is its own reason, in its words.
    """

    sql: str = ""
    clauses: tuple[str, ...] = ()
    why: str = ""
    declined: str = ""
    llm: str = ""
    sent: tuple[LlmMessage, ...] = ()


def llm_rewritten(
    wish: Question,
    sql: str,
    linked: LinkedSchema,
    llm: Llm,
    *,
    privacy: str = "schema",
    cancelled: Flag | None = None,
) -> LlmRewritten:
    """Have one statement changed as its reader wishes, by one call. The tables that it reads are shown beside the linked ones.

    Raises: Cancelled.
    """
    linked = with_tables(linked, sql)
    hidden = rendering.hidden_sql(sql, wish, linked, privacy)
    if hidden is None:
        return LlmRewritten(why=rendering.NOT_SENT)
    request = _request(wish, linked, hidden.text, privacy)
    try:
        reply = llm.complete(request, cancelled)
    except LlmError as error:
        return LlmRewritten(why=plainly(error), sent=request.messages)
    found = _read(reply.text, sql, hidden, wish, linked, privacy)
    return replace(found, llm=reply.llm or llm.name, sent=request.messages)


def _request(question: Question, linked: LinkedSchema, sql: str, privacy: str) -> LlmRequest:
    asked = prompts.render(
        "rewrite",
        sql=sql,
        wish=rendering.neutral(question.text),
        values=rendering.values_text(question, linked, privacy),
        rules=rendering.rules_text(linked, privacy),
        terms=rendering.terms_text(question, linked, privacy),
    )
    messages = (rendering.system_message(linked, privacy), LlmMessage("user", asked))
    return LlmRequest(messages, max_tokens=REPLY_TOKENS, purpose="rewrite")


def _read(
    text: str, sql: str, hidden: rendering.HiddenSql, question: Question, linked: LinkedSchema, privacy: str
) -> LlmRewritten:
    """Read a reply as a change of a statement; nothing of it is run here."""
    dialect = linked.full.dialect
    new = replies.sql_in(text)
    if not new:
        declined = replies.declined_in(text)
        return LlmRewritten(why="" if declined else NO_SELECT, declined=declined)
    if not _is_select(new, dialect):
        return LlmRewritten(why=NO_SELECT)
    new = hidden.shown(new)
    if not new or not _parameters(new, dialect) <= _parameters(sql, dialect):
        return LlmRewritten(why=NOT_TAKEN)
    if privacy != "rows":
        new = literals.bind(new, question, linked)
    if " ".join(new.split()) == " ".join(sql.split()):
        return LlmRewritten(why=UNCHANGED)
    return LlmRewritten(new, _clauses(sql, new, linked.full))


def _is_select(sql: str, dialect: str) -> bool:
    """Whether a text is one statement that only asks, as far as its parser can tell; the guard knows better."""
    if len(statements(sql, dialect)) != 1:
        return False
    try:
        return isinstance(sqlglot.parse_one(sql, dialect=dialect), exp.Query)
    except ODD:
        return False


def _parameters(sql: str, dialect: str) -> set[str]:
    """The :names of a statement, outside of its texts."""
    kept = sql
    for token in reversed(literals.texts(sql, dialect)):
        kept = kept[: token.start] + kept[token.end + 1 :]
    return set(_PARAMETER.findall(kept))


def _clauses(sql: str, new: str, catalog: Catalog) -> tuple[str, ...]:
    """Name the clauses that differ; none where either statement cannot be taken apart."""
    one, two = read(sql, catalog), read(new, catalog)
    if one is None or two is None:
        return ()
    found = ["output"] if one.select != two.select else []
    return (*found, *(name for kind, name in CLAUSES.items() if one.of(kind) != two.of(kind)))

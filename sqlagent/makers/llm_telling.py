"""Tells what SQL is for by a language model, beside the rules of `telling.explaining`, which tell what it does.

Decides which reply is told: a few sentences of plain text that name no number and no column that is not in the statement. One call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from threading import Event as Flag

from sqlagent import prompts
from sqlagent.errors import LlmError
from sqlagent.ports import Llm
from sqlagent.prompts import rendering
from sqlagent.prompts.replies import without_thoughts
from sqlagent.prompts.silences import plainly
from sqlagent.sql.read_tables import with_tables
from sqlagent.sql.told import unfounded
from sqlagent.values import Catalog, LinkedSchema, LlmMessage, LlmRequest, Question

REPLY_TOKENS = 3_000
"""Four sentences, and what a model thinks before them."""

MOST_CHARS = 800
MOST_SENTENCES = 5
HIDDEN_CHARS = 60
"""Of a hidden text that comes back; the whole stands in the SQL."""

NO_WORDS = "It replied, but not with a few sentences."
NOT_KNOWN = "It named what it was not shown."
ELSEWHERE = "Its words are not shown, for they name what is not in this SQL: {names}."

_HIDDEN = re.compile(r"/\*\s*(hidden_\d+)\s*\*/|[:\"`]{0,2}\b(hidden_\d+)\b[\"`]{0,2}")
_MARKUP = re.compile(r"```|^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\|)|</?\w+>", re.MULTILINE)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"`(])")


@dataclass(frozen=True, slots=True)
class LlmTold:
    """The purpose of a statement as a language model says it; `text` is empty where it said nothing that is told, for the reason `why`."""

    text: str = ""
    why: str = ""
    llm: str = ""
    sent: tuple[LlmMessage, ...] = ()


def llm_told(
    sql: str, catalog: Catalog, llm: Llm, *, privacy: str = "schema", cancelled: Flag | None = None
) -> LlmTold:
    """Have a language model say what one statement is for. It is shown the statement and the tables that it reads, within the level of privacy.

    Raises: Cancelled.
    """
    nothing = Question("")
    linked = with_tables(LinkedSchema(replace(catalog, tables=()), catalog), sql)
    hidden = rendering.hidden_sql(sql, nothing, linked, privacy)
    if hidden is None:
        return LlmTold(why=rendering.NOT_SENT)
    asked = LlmMessage("user", prompts.render("tell", sql=hidden.text))
    messages = (rendering.system_message(linked, privacy), asked)
    try:
        reply = llm.complete(LlmRequest(messages, max_tokens=REPLY_TOKENS, purpose="tell"), cancelled)
    except LlmError as error:
        return LlmTold(why=plainly(error), sent=messages)
    return replace(_read(reply.text, sql, hidden, catalog.dialect), llm=reply.llm or llm.name, sent=messages)


def _read(reply: str, sql: str, hidden: rendering.HiddenSql, dialect: str) -> LlmTold:
    said = without_thoughts(reply).replace("**", "").strip()
    text = " ".join(said.split())
    is_long = len(text) > MOST_CHARS or len(_SENTENCE_ENDS.split(text)) > MOST_SENTENCES
    if not re.search(r"[^\W\d_]{2}", text) or is_long or _MARKUP.search(said):
        return LlmTold(why=NO_WORDS)
    if any(_name(found) not in hidden.hidden for found in _HIDDEN.finditer(text)) and "hidden_" not in sql:
        return LlmTold(why=NOT_KNOWN)
    if names := unfounded(_HIDDEN.sub(" ", text), sql, dialect):
        return LlmTold(
            why=ELSEWHERE.format(names=", ".join(f"“{name[:HIDDEN_CHARS]}”" for name in names[:5]))
        )
    shown = _HIDDEN.sub(lambda found: _written(hidden.hidden.get(_name(found), found[0])), text)
    return LlmTold(" ".join(shown.replace("`", "").split()))


def _name(found: re.Match[str]) -> str:
    return found[1] or found[2]


def _written(hidden: str) -> str:
    """A hidden text as it stands in the SQL, cut."""
    line = " ".join(hidden.split())
    return line if len(line) <= HIDDEN_CHARS else f"{line[: HIDDEN_CHARS - 1]}…"

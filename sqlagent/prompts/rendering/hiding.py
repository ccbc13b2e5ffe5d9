"""SQL that a language model is to change: what it may not see has a name in its place, and comes back by that name.

Elsewhere a hidden literal shows its shape (`masking`). A statement that comes back changed has to hold the literal itself again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.prompts.rendering.fencing import neutral
from sqlagent.prompts.rendering.masking import Known
from sqlagent.sql import literals
from sqlagent.values import LinkedSchema, Question

NOT_SENT = "Its stored values cannot be hidden in this SQL, so no language model is shown it."

_NAME = re.compile(r"hidden_\d+")
_COMMENT = re.compile(r"/\*\s*(hidden_\d+)\s*\*/")


@dataclass(frozen=True, slots=True)
class HiddenSql:
    """A statement as a model may see it; `hidden` has what stands behind each name."""

    text: str
    dialect: str
    hidden: dict[str, str] = field(default_factory=dict)

    def shown(self, reply: str) -> str:
        """Put back into changed SQL what was hidden; empty where a name stands for nothing, or where it stands for something else.

        A literal comes back as a token of its own: within another text its name stays a name, and that is no change.
        """
        tokens = literals.tokens(reply, self.dialect)
        if tokens is None:
            return ""
        out, at = [], 0
        for start, end, written in self._places(reply, tokens):
            out += [reply[at:start], written]
            at = end
        found = "".join([*out, reply[at:]])
        return "" if self._is_left(found) else found

    def _places(self, reply: str, tokens: list[Token]) -> Iterator[tuple[int, int, str]]:
        """The places of names in a reply, from first to last."""
        at = 0
        for token in tokens:
            yield from self._comments(reply, at, token.start)
            start, end = token.start, token.end + 1
            written = self.hidden.get(token.text, "")
            if written and token.token_type == TokenType.IDENTIFIER:
                yield start, end, written
            elif written and start and reply[start - 1] == ":" and reply[start:end] == token.text:
                yield start - 1, end, written
            at = end
        yield from self._comments(reply, at, len(reply))

    def _comments(self, reply: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        for found in _COMMENT.finditer(reply, start, end):
            written = self.hidden.get(found[1], "")
            if written:
                # A comment to the end of its line takes nothing with it that the model put behind it.
                ends_line = reply[found.end() :].split("\n", 1)[0].strip()
                is_open = written.rsplit("\n", 1)[-1].lstrip().startswith(("--", "#"))
                yield found.start(), found.end(), written + ("\n" if is_open and ends_line else "")

    def _is_left(self, sql: str) -> bool:
        own = {name for written in self.hidden.values() for name in _NAME.findall(written)}
        return bool(set(_NAME.findall(sql)) - own)


def hidden_sql(sql: str, question: Question, linked: LinkedSchema, privacy: str) -> HiddenSql | None:
    """Hide of a statement all that a model may not see under a level; None where the statement cannot be read.

    Under `rows` nothing is hidden. Below, literals stay that were said in the question or are short numbers or formats, and
    quoted names that are in the catalog; comments are hidden.
    """
    dialect = linked.full.dialect
    if privacy == "rows":
        return HiddenSql(neutral(sql), dialect)
    tokens = literals.tokens(sql, dialect)
    # In a PIVOT plain names are stored values too, and have no literal that a name could stand for.
    if tokens is None or _NAME.search(sql) or any(token.text.upper().startswith("PIVOT") for token in tokens):
        return None
    known = Known(question, linked, ())
    hidden: dict[str, str] = {}

    def name(written: str) -> str:
        found = next((one for one, text in hidden.items() if text == written), f"hidden_{len(hidden) + 1}")
        hidden[found] = written
        return found

    def gap(text: str) -> str:
        comment = text.strip()
        return text.replace(comment, f"/* {name(comment)} */") if comment else text

    out, at = [], 0
    for token in tokens:
        written = sql[token.start : token.end + 1]
        out.append(gap(sql[at : token.start]))
        if known.shows(token):
            out.append(written)
        elif token.token_type == TokenType.IDENTIFIER:
            out.append(exp.to_identifier(name(written), quoted=True).sql(dialect=dialect))
        else:
            out.append(f":{name(written)}")
        at = token.end + 1
    out.append(gap(sql[at:]))
    return HiddenSql(neutral("".join(out)), dialect, hidden)

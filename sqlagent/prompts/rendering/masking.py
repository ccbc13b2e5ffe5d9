"""SQL and words of others with all that a language model does not know already left out or masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.prompts.rendering.fencing import neutral, one_line, shape
from sqlagent.sql import literals
from sqlagent.values import (
    Candidate,
    Catalog,
    Execution,
    LinkedSchema,
    Question,
)

_TEXTS = frozenset(
    (
        TokenType.STRING,
        TokenType.BIT_STRING,
        TokenType.HEX_STRING,
        TokenType.BYTE_STRING,
        TokenType.NATIONAL_RAW_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
    )
)


class ShownText(str):
    """Words of others that are already as a language model may see them."""

    __slots__ = ()


UNREADABLE_SQL = "(SQL that cannot be read)"

BUILT_IN = ("grammar", "analyst")
"""Families of makers that put stored values into SQL themselves."""

SHORT_NUMBER = 3
"""Digits up to which a number of SQL that is not a model's own stays: 10, 100, but no postal code."""


def candidate_sql(execution: Execution, question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Give the SQL that an execution ran as a model may see it; the model knows SQL that it wrote itself."""
    return shown_sql(execution.sql, question, linked, privacy, own_words(execution.candidate))


def own_words(candidate: Candidate) -> tuple[str, ...]:
    """The text of a candidate as a language model wrote it; none where the built-in generator did."""
    if candidate.written:
        return (candidate.written,)
    return () if candidate.family in BUILT_IN else (candidate.sql,)


def shown_sql(
    sql: str, question: Question, linked: LinkedSchema, privacy: str, also: Iterable[str] = ()
) -> str:
    """Give SQL as a model may see it: below `rows`, no literal but those already said, and no comments.

    Said are the question and `also` (a model's own SQL, an earlier question). A stored
    spelling that stands for words of the question turns back into the words; any other
    unknown text or long number shows its shape, and so does a quoted name that neither was
    said nor is in the catalog. Formats stay. SQL that cannot be read is left out.
    """
    also = tuple(also)
    if privacy == "rows" or any(" ".join(sql.split()) == " ".join(text.split()) for text in also):
        return neutral(sql)
    dialect = linked.full.dialect
    tokens = literals.tokens(sql, dialect)
    if tokens is None:
        return UNREADABLE_SQL
    known = Known(question, linked, also)
    is_pivot = any(token.text.upper().startswith("PIVOT") for token in tokens)
    out, at = [], 0
    for token, after in zip(tokens, [*tokens[1:], None], strict=False):
        gap = sql[at : token.start]
        out.append(gap if not gap.strip() else " ")
        is_call = after is not None and after.token_type == TokenType.L_PAREN
        out.append(_shown_token(token, sql, known, dialect, is_pivot and not is_call))
        at = token.end + 1
    return neutral("".join(out))


class Known:
    """Texts that a model knows already: those said to it or by it, and the names of the catalog."""

    def __init__(self, question: Question, linked: LinkedSchema, also: Sequence[str]) -> None:
        self.said = "\n".join((*literals.said(question), *also)).casefold()
        self.own = {
            token.text.casefold()
            for text in also
            for token in literals.tokens(text, linked.full.dialect) or ()
            if token.token_type in _TEXTS
        }
        self.names = catalog_names(linked.full)
        self.words: dict[str, str] = {}
        for as_typed, match in literals.typed(question, linked):
            for value in (match.value.lower(), match.value.upper(), match.value):
                self.words[value] = as_typed

    def holds(self, text: str) -> bool:
        """Tell whether a text was said; one of a letter or two only where it stands alone."""
        low = text.casefold()
        if low in self.own or not any(map(str.isalnum, low)):
            return True
        if len(low) < 3:
            return bool(re.search(rf"(?<!\w){re.escape(low)}(?!\w)", self.said))
        return low in self.said

    def names_or_holds(self, text: str) -> bool:
        """Tell whether a text is a name of the catalog or was said."""
        return text.casefold() in self.names or self.holds(text)

    def shows(self, token: Token, *, is_name_stored: bool = False) -> bool:
        """Tell whether a token of SQL may be seen as it is written; `is_name_stored`: a plain name may be a stored value."""
        text = token.text
        if token.token_type in _TEXTS:
            return self.holds(text) or self.holds(text.strip("%")) or _is_format(text)
        if token.token_type == TokenType.NUMBER:
            return sum(map(str.isdigit, text)) <= SHORT_NUMBER or self.holds(text)
        is_quoted = token.token_type == TokenType.IDENTIFIER
        is_name = is_quoted or (is_name_stored and token.token_type == TokenType.VAR)
        return not is_name or self.names_or_holds(text)


def _shown_token(token: Token, sql: str, known: Known, dialect: str, is_name_stored: bool) -> str:
    """Write one token; in a PIVOT a plain name may be a stored value too."""
    written, text = sql[token.start : token.end + 1], token.text
    if known.shows(token, is_name_stored=is_name_stored):
        return written
    if token.token_type in _TEXTS:
        return exp.Literal.string(known.words.get(text, shape(text))).sql(dialect=dialect)
    if token.token_type == TokenType.NUMBER:
        return shape(text)
    return exp.to_identifier(shape(text), quoted=True).sql(dialect=dialect)


@lru_cache(maxsize=32)
def catalog_names(catalog: Catalog) -> frozenset[str]:
    """The names of schemas, tables and columns, folded."""
    tables = {name for table in catalog.tables for name in (table.schema, table.name)}
    columns = {column.name for table in catalog.tables for column in table.columns}
    return frozenset(name.casefold() for name in (*tables, *columns, catalog.default_schema) if name)


def names_of(sql: str, dialect: str) -> frozenset[str]:
    """Every word of a statement that is no literal, and texts after AS, folded."""
    tokens = literals.tokens(sql, dialect) or []
    found = {t.text.casefold() for t in tokens if t.token_type not in _TEXTS | {TokenType.NUMBER}}
    aliases = {
        after.text.casefold()
        for token, after in zip(tokens, tokens[1:], strict=False)
        if token.token_type == TokenType.ALIAS
    }
    return frozenset(found | aliases)


def shown_words(text: str, question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Give an auditor's words as a model may see them.

    Below `rows`, stored spellings turn back as typed and quoted texts that are neither typed
    nor names of the schema show their shape. (A model's own words come in curly quotes.) A `ShownText` stays.
    """
    if isinstance(text, ShownText):
        return text
    if privacy != "rows":
        known = Known(question, linked, ())
        for words, match in literals.typed(question, linked):
            text = text.replace(match.value, words)
        if any(not known.names_or_holds(inner) for _, inner in re.findall(_QUOTED, text)):
            # from the first quote to the last, for a stored text can hold quotes itself
            text = re.sub(_QUOTED.replace(".*?", ".*"), lambda found: _masked(found, known), text)
    return one_line(text, 300)


_QUOTED = r"(?<!\w)([\"'`])(.*?)\1(?!\w)"


def _masked(found: re.Match[str], known: Known) -> str:
    quote, inner = found.groups()
    return found.group(0) if known.names_or_holds(inner) else f"{quote}{shape(inner)}{quote}"


def _is_format(text: str) -> bool:
    """Tell a date format or modifier, which are SQL's own words, from a stored text."""
    return bool(
        re.fullmatch(
            r"(?:YYYY|YY|MM|DD|HH24|HH|MI|SS|Mon|Month|%[A-Za-z]|[-/: .])+"
            r"|(?:start of )?(?:year|month|day|week|quarter|hour|minute|second)"
            r"|now|localtime|utc|[-+]?\d{1,3} (?:year|month|week|day|hour)s?",
            text,
            re.IGNORECASE,
        )
    )

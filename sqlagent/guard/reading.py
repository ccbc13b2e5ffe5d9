"""Code to tokens to a syntax tree, by sqlglot; code that cannot be read with certainty is refused.

The tokens must agree with the lexemes. Where the parser knows a
function too well and objects to its arguments, the code is read once more with that function as
a plain one: what may be called is decided on the tokens as they were written, not here.
"""

from __future__ import annotations

import logging
import re
from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.plainer import LITERAL, plainer, rows_selected
from sqlagent.guard.rebuilding import Rebuilt
from sqlagent.guard.spelling import meant_within
from sqlagent.language.saying import template, worded
from sqlagent.values import Refusal

# Unreadable SQL is refused with its reason; the parser's own warnings would put SQL into logs.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

ODD_ERRORS = (AssertionError, ValueError, TypeError, AttributeError, KeyError, IndexError)
"""Errors of sqlglot on some malformed SQL instead of its own: seen while fuzzing, 2026-11-20."""


MAX_READINGS = 50_000
"""How often the parser may look at a token. It reads the brackets behind the name of a type twice: as a type first."""

MAX_TYPED = 60_000
"""How often the parser may look for a token's type: 190 subscripts one behind the other, 2,600 apart, or 6 behind 10,000 tokens."""


def tokens_of(built: Rebuilt, dialect: str) -> list[Token] | Refusal:
    """Cut the code into tokens, which must agree with the lexemes on where each begins and what it says."""
    known = Dialect.get_or_raise(dialect)
    try:
        tokens = known.tokenize(built.code)
    except (SqlglotError, *ODD_ERRORS) as error:
        return unread(built, _description(error))
    starts, at, last = set(built.starts), 0, len(built.quoted)
    while at < last and not built.code[slice(*built.quoted[at][:2])].strip():
        at += 1  # what EXPLAIN was blanked out with
    for token in tokens:
        if token.comments or token.start not in starts:
            return unread(built, worded("a word is read in two ways"), token.start)
        if at < last and token.end >= built.quoted[at][0]:
            start, end, value = built.quoted[at]
            if token.start != start or token.end + 1 != end or value not in (None, token.text):
                return unread(built, worded("a quoted text is read in two ways"), start)
            at += 1
        elif (
            token.token_type in LITERAL and not built.code[token.start].isdigit()
        ) or token.token_type == TokenType.IDENTIFIER:
            return unread(built, worded("a quoted text is read in two ways"), token.start)
    if at < last or not tokens:
        return unread(built, worded("a quoted text is read in two ways"))
    return _bounded(tokens, known) or tokens


def _bounded(tokens: list[Token], dialect: Dialect) -> Refusal | None:
    """Refuse what the parser would read too often.

    Each name of a type before a bracket doubles the work within. At each subscript, and at each call of a few functions, the
    parser looks for the type of everything before and within the brackets; at each call behind a dot, at everything before.
    """
    parser = dialect.parser_class
    chained, ends = parser.COLUMN_OPERATORS, parser.ID_VAR_TOKENS | _CLOSING | LITERAL | {TokenType.NUMBER}
    readings, work, typed = 0, 1, 0
    brackets: list[tuple[int, int, int, int]] = []
    cases: list[int] = []
    begin, before = 0, tokens[0]  # where the value begins that ends here; the token before
    is_value = is_chained = False  # whether that token ends a value, or goes on with one
    for number, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            word = before.text.lower() if number else ""
            begin = begin if is_value or is_chained else number
            is_list = begin == number or (begin == number - 1 and word in _BEFORE_LISTS)
            is_subscript = kind == TokenType.L_BRACKET and not is_list
            weight = _SUBSCRIPT if is_subscript else int(word in _TYPED_ARGUMENTS)
            brackets.append((work, begin, number, weight))
            if kind == TokenType.L_PAREN and begin < number - 3:  # a call behind more than a name and a dot
                typed += work * (number - begin) * _CALLED
            work *= 2 if number and before.token_type in parser.TYPE_TOKENS else 1
        elif kind in _CLOSING and brackets:
            work, begin, opened, weight = brackets.pop()
            typed += work * (opened - begin + (number - opened) * weight) if weight else 0
        elif kind == TokenType.CASE:
            cases.append(number)
            begin = number
        elif kind == TokenType.END and cases:
            begin = cases.pop()
        elif kind not in chained and not is_chained:
            begin = number
        is_value, is_chained, before = kind in ends or is_chained, kind in chained, token
        readings += work * (_PATH if kind in (TokenType.ARROW, TokenType.DARROW) else 1)
        if readings > MAX_READINGS or typed > MAX_TYPED:
            return Refusal(
                worded("Types and brackets are nested too deeply, or there are too many paths.")
                if readings > MAX_READINGS
                else worded("There are too many subscripts or calls, one behind the other or around much."),
                worded("Such SQL cannot be checked in reasonable time."),
                worded("Simplify the SQL, for instance with WITH."),
                token.start,
            )
    return None


# The text behind -> and ->> is read as a path.
_PATH = 8
# An expression within a subscript is typed, and then simplified.
_SUBSCRIPT = 10
# The text before the dot of a call is looked through for columns, and each is put into its place anew.
_CALLED = 15
_BEFORE_LISTS = frozenset(("array", "list", "map", "in"))
# Functions whose parser looks for the types of their arguments.
_TYPED_ARGUMENTS = frozenset(("regexp_replace", "to_char", "trunc", "date_trunc", "unnest"))
_OPENING = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE))
_CLOSING = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))


def parse(built: Rebuilt, tokens: list[Token], dialect: str) -> exp.Expr | Refusal:
    """Read tokens as one statement, or refuse with the parser's reason and place."""
    known = Dialect.get_or_raise(dialect)
    if dialect == "mysql":
        tokens = rows_selected(tokens)
    try:
        parsed = known.parser().parse(tokens, built.code)
    except (SqlglotError, *ODD_ERRORS) as error:
        try:
            parsed = known.parser().parse(plainer(tokens, dialect), built.code)
        except (SqlglotError, *ODD_ERRORS):
            return _taken_name(tokens) or unread(built, _description(error), _offset(error, built.code))
    found = [root for root in parsed if root is not None]
    if len(found) != 1:
        return unread(built, worded("there is not exactly one statement"))
    return found[0]


def _taken_name(tokens: list[Token]) -> Refusal | None:
    """Refuse a :name that is a word of SQL, of SQL that cannot be read; None where there is none."""
    for number, (colon, word) in enumerate(pairwise(tokens)):
        is_name = colon.token_type == TokenType.COLON and colon.end + 1 == word.start
        is_free = not number or tokens[number - 1].end + 1 < colon.start
        if is_name and is_free and word.text.isalpha() and word.token_type != TokenType.VAR:
            name = word.text.lower()
            return Refusal(
                worded(
                    "The SQL cannot be read: {name} is a word of SQL and no name of a value.", name=f":{name}"
                ),
                worded("SQL that cannot be read with certainty does not run."),
                worded("Give the value another name, for instance :{name}_value.", name=name),
                colon.start,
            )
    return None


_REASONS = (
    (r"Required keyword: '.*?' missing.*", template("something is missing here")),
    (r"The number of provided arguments \((\d+)\).*", template("a function does not take {count} arguments")),
    (r"(.*?) but got <Token.*", "{said}"),
    (r"Invalid expression / Unexpected token.*", template("a word is out of place")),
    (r".*<(?:Token|class).*", template("a word is out of place")),
)
"""Messages of the parser, and their wording for a person."""
_SAID = (
    template("expected table name"),
    template("expecting )"),
    template("expecting ("),
    template("expected TYPE after CAST"),
)
"""Words of the parser itself that catalogs hold."""


def _description(error: Exception) -> str:
    errors = getattr(error, "errors", None)
    said = str(errors[0].get("description") or "").rstrip(".") if errors else ""
    for pattern, words in _REASONS:
        if found := re.fullmatch(pattern, said, re.DOTALL):
            part = found[1] if found.lastindex else ""
            return worded(words, count=part, said=_own(part))
    return _own(said) if said else worded("it ends too early or a word is out of place")


def _own(said: str) -> str:
    """The text of the parser, as it goes on from a colon."""
    small = said[:1].lower() + said[1:]
    return worded(small) if small in _SAID else small


def _offset(error: Exception, code: str) -> int | None:
    errors = getattr(error, "errors", None)
    if not errors or not errors[0].get("line"):
        return None
    line, column = int(errors[0]["line"]), int(errors[0].get("col") or 0)
    before = code.split("\n")[: line - 1]
    length = len(str(errors[0].get("highlight") or ""))
    return max(0, min(sum(len(part) + 1 for part in before) + column - length, len(code)))


def unread(built: Rebuilt, reason: str, position: int | None = None) -> Refusal:
    """Refuse what cannot be read, and say why."""
    return Refusal(
        worded("The SQL cannot be read: {reason}.", reason=reason),
        worded("SQL that cannot be read with certainty does not run."),
        meant_within(built.code) or worded("Check the spelling, brackets and quotes near the marked place."),
        0 if position is None else position,
    )

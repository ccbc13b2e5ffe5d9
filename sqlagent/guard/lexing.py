"""Characters to lexemes, by the rule of one dialect: texts, names, numbers, words, signs, space.

Every character belongs to exactly one lexeme. A text or name carries the value it stands for.
Characters that dialects or their versions are known to read differently are refused here: odd spaces, a
letter that folds to an ASCII one, a number that runs into a word, executable comments.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sqlglot.dialects.dialect import Dialect

from sqlagent.guard.lists import DIALECTS
from sqlagent.guard.quoting import value_of
from sqlagent.language.saying import number, worded
from sqlagent.values import Refusal

MAX_CHARACTERS = 50_000
"""Longest statement looked at. The longest of published benchmarks is under 2,000."""

MAX_LEXEMES = 20_000
"""Most lexemes of a statement, space and comments included."""

MAX_DEPTH = 100
"""Deepest nesting of brackets. Parsers recurse; SQLite's own expression limit is 1,000."""

_LINE = {
    "postgres": r"--[^\r\n]*",
    "duckdb": r"--[^\r\n]*",
    "sqlite": r"--[^\n]*",
    "mysql": r"(?:--(?=[\x00-\x20]|\Z)|\#)[^\n]*",
    "other": r"--[^\r\n]*",
    "brackets": r"--[^\r\n]*",
    "escaping": r"--[^\r\n]*",
    "escaping names": r"--[^\r\n]*",
}
_PLAIN = r"'(?:[^']|'')*'"
_BACKSLASH = r"'(?:[^'\\]|''|\\.)*'"
_DOUBLE = r'"(?:[^"\\]|""|\\.)*"'
_BITS = r"[xXbB]'[0-9a-fA-F]*'"
_TEXT = {
    "postgres": rf"[eE]{_BACKSLASH}|[uU]&{_PLAIN}|{_BITS}|[nN]?{_PLAIN}",
    "duckdb": rf"[eE]{_BACKSLASH}|{_BITS}|{_PLAIN}",
    "sqlite": rf"{_BITS}|{_PLAIN}",
    "mysql": rf"{_BITS}|[nN]?{_BACKSLASH}|{_DOUBLE}",
    "other": rf"{_BITS}|[nN]?{_PLAIN}",
    "brackets": rf"{_BITS}|[nN]?{_PLAIN}",
    "escaping": rf"{_BITS}|[rR]?{_BACKSLASH}|[rR]?{_DOUBLE}",
    "escaping names": rf"{_BITS}|{_BACKSLASH}",
}
_NAME = {
    "postgres": r'"(?:[^"]|"")+"',
    "duckdb": r'"(?:[^"]|"")+"',
    "sqlite": r'"(?:[^"]|"")*"|`(?:[^`]|``)+`|\[[^\]]*\]',
    "mysql": r"`(?:[^`]|``)+`",
    "other": r'"(?:[^"]|"")+"|`(?:[^`]|``)+`',
    "brackets": r'"(?:[^"]|"")+"|\[[^\]]+\](?!\])',
    "escaping": r"`(?:[^`]|``)+`",
    "escaping names": r'"(?:[^"]|"")+"|`(?:[^`]|``)+`',
}
_DOLLAR = r"\$(?P<tag>(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?)\$.*?\$(?P=tag)\$"
# A dot before an exponent or a word stays with the number, so that `1.e1x` is seen to run into a word.
_NUMBER = (
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?"
)
_WORD = r"[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*"


def _pattern(dialect: str) -> re.Pattern[str]:
    dollar = rf"|(?P<dollar>{_DOLLAR})" if dialect in ("postgres", "duckdb") else ""
    return re.compile(
        rf"(?P<space>[ \t\n\r\f\v]+)|(?P<line>{_LINE[dialect]})|(?P<block>/\*)|(?P<text>{_TEXT[dialect]})"
        rf"|(?P<name>{_NAME[dialect]}){dollar}|(?P<number>{_NUMBER})|(?P<word>{_WORD})|(?P<semicolon>;)"
        rf"|(?P<up>[(\[{{])|(?P<down>[)\]}}])|(?P<open>['\"`])|(?P<sign>[!#-&*+,\-./:<-@^|~])|(?P<odd>.)",
        re.DOTALL,
    )


_PATTERNS = {dialect: _pattern(dialect) for dialect in _LINE}
_MARKS, _CLOSE = re.compile(r"/\*|\*/"), re.compile(r"\*/")
_NESTS = frozenset(("postgres", "duckdb"))
_SUBSTITUTING = frozenset(("escaping", "escaping names"))
_LONG_TAIL = frozenset(("other", "brackets", "escaping", "escaping names"))
_HINT_SETS = re.compile(r"\b(?:set|set_var|resource_group|max_execution_time)\s*\(", re.IGNORECASE)
_HINT = re.compile(r"/\*\+(?:[\w\s,]|\([\w\s,]*\))*\*/")
_PARAMETER = re.compile(r"\$\d+(?![\w$])")
_WORDLY = re.compile(r"[\w$]")
_PAIRS = {")": "(", "]": "[", "}": "{"}
QUOTED = frozenset(("text", "name"))
SPACE = frozenset(("space", "comment"))


@dataclass(frozen=True, slots=True)
class Lexeme:
    """Some characters of a statement: `kind`, the characters as typed, and where they start.

    `kind` is space, comment, text, name, number, word, semicolon, up, down (brackets) or sign (one
    character). `value` is what a text or a name stands for.
    """

    kind: str
    typed: str
    start: int
    value: str = ""

    @property
    def end(self) -> int:
        """Where the next one starts."""
        return self.start + len(self.typed)


def style_of(dialect: str) -> str:
    """Name how a dialect writes texts and names: itself, or one of four ways for the long tail.

    Empty when the parser does not know the dialect.
    """
    if dialect in DIALECTS:
        return dialect
    found = Dialect.get(dialect) if dialect else None
    if found is None:
        return ""
    known = found.tokenizer_class
    if "\\" not in known.STRING_ESCAPES:
        return "brackets" if any(each[0] == "[" for each in known.IDENTIFIERS) else "other"
    return "escaping names" if '"' in known.IDENTIFIERS else "escaping"


def lex(sql: str, style: str) -> list[Lexeme] | Refusal:
    """Cut a text into lexemes, or refuse what readers are known to disagree on.

    Example:
        >>> [(each.kind, each.typed) for each in lex("SELECT 'a' -- b", "sqlite")]
        [('word', 'SELECT'), ('space', ' '), ('text', "'a'"), ('space', ' '), ('comment', '-- b')]
    """
    if len(sql) > MAX_CHARACTERS:
        return Refusal(
            worded("The SQL is {count} characters long.", count=number(f"{len(sql):,}")),
            worded(
                "Statements of more than {max_characters} characters are not looked at.",
                max_characters=number(f"{MAX_CHARACTERS:,}"),
            ),
            worded("Shorten the SQL, for instance by joining to a table instead of listing values."),
        )
    nul = sql.find("\x00")
    if nul >= 0:
        return Refusal(
            worded("The SQL contains a NUL character."),
            worded("Databases and parsers disagree on where such a text ends."),
            worded("Remove the invisible character."),
            nul,
        )
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        return Refusal(
            worded("The SQL holds half a character."),
            worded("No database can be sent it."),
            worded("Remove it."),
            error.start,
        )
    found: list[Lexeme] = []
    brackets: list[Lexeme] = []
    match, at, length = _PATTERNS[style].match, 0, len(sql)
    while at < length:
        lexeme = _next(sql, at, style, match(sql, at))
        if isinstance(lexeme, Refusal):
            return lexeme
        if lexeme.kind == "up":
            brackets.append(lexeme)
            if len(brackets) > MAX_DEPTH:
                return too_deep(at)
        elif lexeme.kind == "down" and (not brackets or brackets.pop().typed != _PAIRS[lexeme.typed]):
            return _unpaired(lexeme, worded("opened"))
        found.append(lexeme)
        at = lexeme.end
        if len(found) > MAX_LEXEMES:
            return Refusal(
                worded(
                    "The SQL has more than {max_lexemes} words and signs.",
                    max_lexemes=number(f"{MAX_LEXEMES:,}"),
                ),
                worded("Such SQL cannot be checked in reasonable time."),
                worded("Shorten the SQL, for instance by joining to a table instead of listing values."),
                at,
            )
    return _unpaired(brackets[-1], worded("closed")) if brackets else found


def _next(sql: str, at: int, style: str, found: re.Match[str] | None) -> Lexeme | Refusal:
    """Make the lexeme at a place."""
    assert found is not None  # the pattern's last branch takes any character
    kind, typed = found.lastgroup or "", found.group()
    if kind == "tag":
        kind = "dollar"
    if kind in ("line", "block"):
        return _comment(sql, at, typed, style)
    if kind in ("text", "name", "dollar"):
        return _quoted(typed, at, style, "name" if kind == "name" else "text")
    if kind == "word" and not typed.isascii():
        refusal = _foreign(typed, at)
        if refusal is not None:
            return refusal
    elif kind == "number" and _WORDLY.match(sql, found.end()):
        return _runs_on(typed, at, style)
    elif typed == "@" and style in ("mysql", *_LONG_TAIL):
        return Refusal(
            worded("@ names a variable of the session, another server or a file."),
            worded("Only the tables of this source are read here."),
            worded("Write the value itself, or name a table of this source."),
            at,
        )
    elif kind in ("open", "odd") or (typed == "$" and not _PARAMETER.match(sql, at)):
        return _broken(sql, at)
    return Lexeme(kind, typed, at)


def _quoted(typed: str, at: int, style: str, kind: str) -> Lexeme | Refusal:
    if kind == "name" and typed[0] == "[":
        return Lexeme(kind, typed, at, typed[1:-1])
    if style in ("other", "brackets") and re.search(r"\\['\"`]", typed):
        return Refusal(
            worded("A backslash stands before a quote."),
            worded("Databases differ in where the text goes on from here."),
            worded("Write a quote within a text twice."),
            at,
        )
    if style in _SUBSTITUTING and "${" in typed:
        return Refusal(
            worded("A text holds ${...}."),
            worded(
                "Some databases put a variable or a setting of the server in its place before they read the SQL."
            ),
            worded("Leave it out, or join the two signs with ||."),
            at + typed.index("${"),
        )
    value = value_of(typed, style)
    if value is None:
        return Refusal(
            worded("The text {typed} stands for no characters.", typed=typed[:40]),
            worded("An escape in it is no character that a text can hold."),
            worded("Write the characters themselves."),
            at,
        )
    return Lexeme(kind, typed, at, value)


def _foreign(word: str, at: int) -> Refusal | None:
    """Refuse a word of letters beyond ASCII that readers disagree on.

    Spaces, quotes and other punctuation do not belong to names everywhere; and U+017F, the long s,
    is an S for those who compare words in capitals.
    """
    for place, character in enumerate(word, at):
        if not character.isascii() and unicodedata.category(character)[0] in "ZCP":
            return _not_sql(character, place)
    if word[0].isnumeric():
        return _not_sql(word[0], at)
    plain = (word.lower(), word.upper(), word.casefold(), unicodedata.normalize("NFKC", word))
    if not any(form.isascii() for form in plain):
        return None
    odd = next(character for character in word if not character.isascii())
    return Refusal(
        worded(
            "The word {word} holds a letter (U+{ord}) that resembles another one.",
            word=word[:40],
            ord=f"{ord(odd):04X}",
        ),
        worded("Some readers take it for the other letter."),
        worded("Write the plain letter, or quote the name."),
        at,
    )


def _runs_on(number: str, at: int, style: str) -> Refusal:
    advice = (
        worded("Quote the name with backticks.")
        if style == "mysql"
        else worded("Put a space behind the number, or quote the name.")
    )
    return Refusal(
        worded("The number {number} runs into a word.", number=number[:40]),
        worded("Databases and their versions differ in where the number ends."),
        advice,
        at,
    )


# ---------------------------------------------------------------- comments


def _comment(sql: str, at: int, typed: str, style: str) -> Lexeme | Refusal:
    """Read a comment to its end. It is never sent, so what matters is where it ends for us."""
    if style in _LONG_TAIL:
        doubt = _doubt(sql, at, typed)
        if doubt is not None:
            return doubt
    if typed != "/*":
        return Lexeme("comment", typed, at)
    if style == "mysql" and re.match(r"/\*(?:!|M!)", sql[at : at + 4], re.IGNORECASE):
        return Refusal(
            worded("The SQL contains a comment that MySQL executes (/*! ... */)."),
            worded("The text inside would run although it looks like a comment."),
            worded("Write its content as plain SQL, or remove it."),
            at,
        )
    depth, end = 1, at + 2
    while depth:
        found = _MARKS.search(sql, end) if style in _NESTS else _CLOSE.search(sql, end)
        if found is None:
            return Refusal(
                worded("A comment is opened with /* and never closed."),
                worded("Everything after it would be read differently by different readers."),
                worded("Close the comment with */ or remove it."),
                at,
            )
        depth, end = depth + (1 if found.group() == "/*" else -1), found.end()
    if sql.startswith("/*+", at) and _HINT_SETS.search(sql, at, end):
        return Refusal(
            worded("An optimizer hint changes a setting (SET_VAR, MAX_EXECUTION_TIME or similar)."),
            worded("Settings hold the limits under which SQL runs here."),
            worded("Remove the hint."),
            at,
        )
    return Lexeme("comment", sql[at:end], at)


def _doubt(sql: str, at: int, typed: str) -> Refusal | None:
    """Refuse comments that engines of the long tail are known to read differently from each other.

    Some nest comments (Spark, SQL Server), continue one behind a backslash (Spark), run what is
    in `/*! ... */` (those like MySQL), or take `--1` for two signs.
    """
    what = ""
    if typed == "/*":
        close = sql.find("*/", at + 2)
        inside = sql[at : close + 2 if close >= 0 else len(sql)]
        if "/*" in inside[2:]:
            what = worded("A comment stands within another comment.")
        elif re.match(r"/\*M?!", inside, re.IGNORECASE):
            what = worded("A comment begins with /*!, which some databases run.")
        elif inside.startswith("/*+") and not _HINT.fullmatch(inside):
            what = worded("A hint holds more than names and numbers.")
    elif typed.endswith("\\"):
        what = worded("A comment ends with a backslash, and may go on in the next line.")
    elif typed.strip("-") and typed[2] not in " \t":
        what = worded("There is no space behind the -- of a comment.")
    if not what:
        return None
    return Refusal(
        what,
        worded("Databases differ in where the text goes on from here."),
        worded("Leave comments out."),
        at,
    )


# ---------------------------------------------------------------- refusals


def _broken(sql: str, at: int) -> Refusal:
    sign = sql[at]
    if sign in "'\"`$":
        what = (
            worded("A dollar sign opens a text that is never closed.")
            if sign == "$"
            else (
                worded(
                    "A quoted text or name is opened with {sign} and never closed, or is empty.", sign=sign
                )
            )
        )
        return Refusal(
            what,
            worded("The SQL cannot be read to its end."),
            worded("Close the quote; write a quote inside a text twice."),
            at,
        )
    if sign == "\\":
        return Refusal(
            worded("There is a backslash outside any text."),
            worded("It starts a command of a database's shell, which is not SQL."),
            worded("Remove it, and give the SQL alone."),
            at,
        )
    if sign.isascii():
        return Refusal(
            worded("The SQL contains an invisible control character."),
            worded("Databases and parsers read it differently."),
            worded("Remove the invisible character."),
            at,
        )
    return _not_sql(sign, at)


def _not_sql(sign: str, at: int) -> Refusal:
    """Refuse a character that is no part of SQL outside of quotes."""
    if unicodedata.category(sign)[0] in "ZC":
        return Refusal(
            worded("There is an invisible character (U+{ord}) outside any text.", ord=f"{ord(sign):04X}"),
            worded("Databases do not read it as a space, or read it differently."),
            worded("Replace it by an ordinary space."),
            at,
        )
    if sign in "“”„‟‘’‚‛«»":
        return Refusal(
            worded("The quote {sign} is no quote of SQL.", sign=sign),
            worded("It comes from a word processor, and databases take it for a letter."),
            worded("Write ' around a text and \" around a name."),
            at,
        )
    return Refusal(
        worded("The character {sign} (U+{ord}) stands outside any text.", sign=sign, ord=f"{ord(sign):04X}"),
        worded("Databases differ in whether it belongs to a name."),
        worded("Quote the name that holds it."),
        at,
    )


def _unpaired(bracket: Lexeme, missing: str) -> Refusal:
    return Refusal(
        worded("A bracket {typed} is never {missing}.", typed=bracket.typed, missing=missing),
        worded("The SQL cannot be read with certainty."),
        worded("Pair the brackets."),
        bracket.start,
    )


def too_deep(position: int | None) -> Refusal:
    """Refuse brackets within brackets within brackets."""
    return Refusal(
        worded("Brackets are nested more than {max_depth} deep.", max_depth=MAX_DEPTH),
        worded("Such SQL cannot be checked safely."),
        worded("Simplify the SQL, for instance with WITH."),
        position,
    )

"""Lexemes to the text that is sent, with a map back to the places as typed.

The engine never reads what a person typed: it reads the lexemes that the guard read, written
again. No comment is among them, white space is space, tab or line feed, and a text or name is quoted
anew by the dialect's plainest rule. So whatever the engine would have read differently in the typed
text never reaches it. Bare names stay bare: quoted, they may mean something else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlagent.guard.lexing import QUOTED, SPACE, Lexeme
from sqlagent.guard.lists import lists
from sqlagent.guard.quoting import quoted_again
from sqlagent.language.saying import worded
from sqlagent.values import Refusal


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One statement as it is sent, without white space around it.

    `starts` are the places in `code` where its lexemes begin, and `typed` where they begin in the
    typed text, of which `start` to `end` is the statement. `quoted` tells the span of every text and
    name in `code`, with its value and whether it is a text of plain characters.
    """

    code: str
    starts: tuple[int, ...]
    typed: tuple[int, ...]
    start: int
    end: int
    quoted: tuple[tuple[int, int, str | None], ...]

    def place(self, position: int | None) -> int | None:
        """Tell where in the typed text a place in `code` was.

        Example:
            >>> from sqlagent.guard.lexing import lex
            >>> text = "SELECT /* all */ 1"
            >>> built = rebuilt(lex(text, "sqlite"), "sqlite")
            >>> built.code, text[built.place(built.code.index("1"))]
            ('SELECT   1', '1')
        """
        if position is None:
            return None
        if position >= len(self.code):
            return self.end
        at = max(bisect_right(self.starts, position) - 1, 0)
        following = self.typed[at + 1] if at + 1 < len(self.typed) else self.end
        return max(self.start, min(self.typed[at] + position - self.starts[at], following - 1))

    def with_owner(self, owner: str, names: Sequence[int]) -> Rebuilt:
        """Put an owner, as `pg_catalog.`, before the names that begin at these places of `code`, in order."""
        code, starts = self.code, list(self.starts)
        for position in reversed(names):
            code = code[:position] + owner + code[position:]
            starts = [start + len(owner) if start > position else start for start in starts]
        return replace(self, code=code, starts=tuple(starts), quoted=())


def rebuilt(lexemes: Sequence[Lexeme], style: str) -> Rebuilt | Refusal:
    """Write the one statement of a text anew, or refuse none, several, and commands of a shell."""
    statements = _statements(lexemes)
    if not statements:
        return Refusal(
            worded("There is no statement."),
            worded("The text is empty or holds only comments."),
            worded("Write a SELECT."),
            0 if lexemes else None,
        )
    first = statements[0]
    refusal = _shell_command(first)
    if refusal is not None:
        return refusal
    if len(statements) > 1:
        return Refusal(
            worded("There are {count} statements.", count=len(statements)),
            worded("Only one statement runs at a time."),
            worded("Keep the first and remove what follows its semicolon."),
            statements[1][0].start,
        )
    return _written(first, style)


def _statements(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    """Part a text at its semicolons; each part begins and ends with code, and empty ones are left out."""
    parts: list[list[Lexeme]] = [[]]
    for lexeme in lexemes:
        if lexeme.kind == "semicolon":
            parts.append([])
        elif parts[-1] or lexeme.kind not in SPACE:
            parts[-1].append(lexeme)
    for part in parts:
        while part and part[-1].kind in SPACE:
            part.pop()
    return [part for part in parts if part]


def _shell_command(statement: Sequence[Lexeme]) -> Refusal | None:
    first = statement[0]
    if first.typed.lower() == "delimiter" or (first.typed.lower() == "go" and len(statement) == 1):
        return Refusal(
            worded("DELIMITER is a command of a database's shell."),
            worded("It is not SQL and would change where statements end."),
            worded("Give one statement without it."),
            first.start,
        )
    return None


def _written(statement: Sequence[Lexeme], style: str) -> Rebuilt | Refusal:
    pieces: list[str] = []
    starts: list[int] = []
    typed: list[int] = []
    quoted: list[tuple[int, int, str | None]] = []
    at = 0
    close = lists(style).grammar if style == "mysql" else frozenset()  # no space may part them from a bracket
    earlier = before = statement[0]
    for number, lexeme in enumerate(statement):
        ahead = 0
        if lexeme.kind in SPACE:
            piece = " " if lexeme.kind == "comment" else lexeme.typed.translate(_SPACES)
            if before.typed.lower() in close and _opens(statement, number):
                piece = ""
        elif lexeme.kind in QUOTED:
            refusal = _continued(earlier, before, lexeme, style) or _spelled(earlier, before, lexeme)
            if refusal is not None:
                return refusal
            piece = quoted_again(lexeme.typed, lexeme.value, style)
            is_plain = piece[0] in "'\"`[" and style not in ("escaping", "escaping names")
            if style == "duckdb" and not is_plain:  # its parser takes the x of x'..' for a word
                starts.append(at)
                typed.append(lexeme.start)
                ahead = 1
            quoted.append((at + ahead, at + len(piece), lexeme.value if is_plain else None))
        else:
            piece = lexeme.typed
            if piece == "-" and before.typed == "-" and before.end == lexeme.start:
                piece, ahead = " -", 1  # two signs for MySQL, the beginning of a comment for a parser
            elif style == "duckdb" and lexeme.kind == "number" and piece[:2].lower() in _BASES:
                piece = str(int(piece, 0))  # the parser takes the x of 0x1F for a word
        pieces.append(piece)
        starts.append(at + ahead)
        typed.append(lexeme.start)
        at += len(piece)
        if lexeme.kind not in SPACE:
            earlier, before = before, lexeme
    return Rebuilt(
        "".join(pieces),
        tuple(starts),
        tuple(typed),
        statement[0].start,
        statement[-1].end,
        tuple(quoted),
    )


def _opens(statement: Sequence[Lexeme], number: int) -> bool:
    """Say whether a bracket is the next code."""
    return next(each.typed for each in statement[number:] if each.kind not in SPACE) == "("


_BASES = frozenset(("0x", "0b", "0o"))
_SPACES = str.maketrans({"\r": " ", "\f": " ", "\v": " "})


def _spelled(earlier: Lexeme, before: Lexeme, lexeme: Lexeme) -> Refusal | None:
    """Refuse a quoted name with escapes, U&"\\0061": readers that do not know it take it for an AND of bits."""
    is_mark = before.typed == "&" and before.end == lexeme.start and earlier.end == before.start
    if lexeme.kind != "name" or not is_mark or earlier.typed.lower() != "u":
        return None
    return Refusal(
        worded("A name is written with escapes (U&)."),
        worded("Databases differ in whether that is one name."),
        worded("Write the letters themselves."),
        earlier.start,
    )


def _continued(earlier: Lexeme, before: Lexeme, lexeme: Lexeme, style: str) -> Refusal | None:
    """Refuse a text behind a text where readers differ: one text, a text with a heading, or other escapes.

    `earlier` and `before` are the two lexemes of code before it.
    """
    if lexeme.kind != "text" or before.kind != "text" or before is lexeme:
        return None
    is_marked = before.typed[0] not in "'\"" or (earlier.kind == "word" and earlier.typed[0] == "_")
    if not is_marked and style != "sqlite":
        return None
    return Refusal(
        worded("A text is followed by another text."),
        worded("Databases read the second one as more of the first, with its escapes, or as a heading."),
        worded("Write it as one text, join the two with ||, or put AS before a heading."),
        lexeme.start,
    )

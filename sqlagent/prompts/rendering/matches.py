"""Where the words of a question are stored, as a language model may be told: what is known, and what is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.prompts.rendering.fencing import CELL_CHARS, name_in, one_line, table_in
from sqlagent.prompts.rendering.knowing import hint_text
from sqlagent.sql import literals
from sqlagent.values import Catalog, ColumnRef, LinkedSchema, Question, ValueMatch

SHOWN = 2
"""Values told of one word: a longer list says only that nobody knows."""

_SURER_FIRST = (literals.EXACT, literals.CLOSE, literals.GUESS)
LABELLED = 3
"""Columns told of one label: the same word is often a code of several ("Approved")."""

_AT_ROWS = {
    literals.EXACT: "exact: {where} = '{value}'",
    literals.CLOSE: "close: {where} = '{value}'",
    literals.GUESS: "a guess: may mean {where} = '{value}'; check",
}
_BELOW = {
    literals.EXACT: "exact: a value of {where}; write '{words}'",
    literals.CLOSE: "close to a value of {where}; write '{words}'",
    literals.GUESS: "a guess: may mean a value of {where}; check, and write '{words}' if so",
}


def values_text(question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Say where the question's words are stored and how sure that is, one line a match; empty where nothing matched.

    At most two values a word, the surer first, and guesses only where nothing surer was found. Words that the hint
    explains are left out. Below `rows` a stored spelling stays here: the line names the column and the words
    as typed, and `literals.bind` puts the stored spelling into the SQL afterwards.
    """
    lines: list[str] = []
    for words, matches in _by_words(question, linked).items():
        if any(_is_in_hint(hint_text(question, privacy), words, match) for match in matches):
            continue
        kinds = [literals.likeness(words, match.value) for match in matches]
        is_sure = any(kind != literals.GUESS for kind in kinds)
        ranked = sorted(
            zip(kinds, matches, strict=True),
            key=lambda pair: (_SURER_FIRST.index(pair[0]), -pair[1].score),
        )
        told = [
            line
            for kind, match in ranked
            if (kind == literals.EXACT or not _is_address(match.value))
            and (kind != literals.GUESS or not is_sure)
            for line in _lines(words, kind, match, linked, privacy)
        ]
        lines += list(dict.fromkeys(told))[:SHOWN]
    return "\n".join(lines)


def _by_words(question: Question, linked: LinkedSchema) -> dict[str, list[ValueMatch]]:
    found: dict[str, tuple[str, list[ValueMatch]]] = {}
    for words, match in literals.typed(question, linked):
        found.setdefault(words.casefold(), (words, []))[1].append(match)
    return dict(found.values())


def _is_in_hint(hint: str, words: str, match: ValueMatch) -> bool:
    """Tell whether a hint names the column of a match and its value, spelled as it is stored.

    A hint that says 'stealth' of what is stored as 'Stealth' leaves the spelling to be told.
    """
    spelled = rf"(?<!\w){re.escape(match.value)}(?!\w)"
    return _names(hint, match.column.column) and bool(match.value.strip()) and bool(re.search(spelled, hint))


def _names(text: str, name: str) -> bool:
    return bool(name.strip()) and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))


def _is_address(value: str) -> bool:
    """Tell a web or mail address or a path (/product), of which a word is no other spelling."""
    return bool(re.search(r"://|^www\.|\S@\S|^[/\\~]\w", value))


def _lines(words: str, kind: str, match: ValueMatch, linked: LinkedSchema, privacy: str) -> Iterator[str]:
    """Say of a label which codes it stands for, and of any other value where it is stored.

    Names of lists in a table of codes ('STATUS') are no values that anyone asks for.
    """
    labels = [one for one in linked.codes if one.table == match.column.table]
    if not labels or privacy != "rows":
        yield _line(words, kind, match, linked.full, privacy)
        return
    meant = [one for one in labels if one.label.casefold() == match.value.casefold()][:LABELLED]
    if meant:
        codes = " or ".join(
            f"{_column_in(one.column, linked.full)} = '{one_line(one.code, CELL_CHARS)}'" for one in meant
        )
        sure = f"{kind}: " if kind != literals.GUESS else "a guess: may mean "
        yield f"- \"{one_line(words, CELL_CHARS)}\": {sure}{codes}, labelled '{one_line(match.value, CELL_CHARS)}'"


def _line(words: str, kind: str, match: ValueMatch, catalog: Catalog, privacy: str) -> str:
    words, where = one_line(words, CELL_CHARS), _column_in(match.column, catalog)
    if privacy == "rows":
        return f'- "{words}": ' + _AT_ROWS[kind].format(where=where, value=one_line(match.value, CELL_CHARS))
    return f'- "{words}": ' + _BELOW[kind].format(where=where, words=words)


def _column_in(column: ColumnRef, catalog: Catalog) -> str:
    table = next((t for t in catalog.tables if t.key == column.table), None)
    of = table_in(table, catalog.dialect) if table else one_line(column.table, CELL_CHARS)
    return f"{of}.{name_in(column.column, catalog.dialect)}"

"""Why a statement gave no rows, said to a language model."""

from __future__ import annotations

import re

from sqlagent.prompts import faults
from sqlagent.prompts.rendering.fencing import NAME_CHARS, neutral, one_line
from sqlagent.prompts.rendering.masking import candidate_sql, catalog_names, names_of
from sqlagent.sql import literals
from sqlagent.values import (
    OWN_WORDS,
    Execution,
    Failure,
    LinkedSchema,
    Question,
)


def shown_failure(execution: Execution, question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Say to a model why a statement gave no rows; empty where it did.

    Below `rows` a database's message stays here, for it can hold stored values (a failed cast, an
    `error()`). The model is told the kind of fault in our words and, where the fault was found
    before any row was read, the name that it is about if the model knows that name, and the place. A
    refusal of the guard is about the SQL alone and goes out, unless it repeats something of the SQL that
    the model may not see.
    """
    failure = execution.failure
    if failure is None:
        return ""
    said = f"{failure.message} {failure.advice}".strip()
    fault = faults.fault_of(failure)
    shown = candidate_sql(execution, question, linked, privacy)
    is_whole = shown == neutral(execution.sql)
    is_own = failure.code == OWN_WORDS
    # what was found while rows were read has no place of its own in the statement
    is_placed = is_whole and (is_own or fault.is_early)
    place = _place(failure, shown, linked.full.dialect) if is_placed else ""
    if privacy == "rows" or (is_own and (is_whole or not _repeats(said, execution.sql, shown))):
        return one_line(said, 400) + (f" The fault is{place}." if place else "")
    known = names_of(shown, linked.full.dialect) | catalog_names(linked.full)
    names = [name for name in fault.names if fault.is_early and _is_known(name, known)]
    words = " ".join((fault.words, *(one_line(name, NAME_CHARS) for name in names)))
    return f"{words}{place}."


def _is_known(name: str, known: frozenset[str]) -> bool:
    low = name.casefold()
    return low in known or all(part in known for part in low.split("."))


def _place(failure: Failure, sql: str, dialect: str) -> str:
    """Tell where in SQL that the model sees a fault is: its character, counted from 1, and the word there."""
    at = failure.position
    if at is None or not 0 <= at < len(sql):
        return ""
    tokens = literals.tokens(sql, dialect) or ()
    word = next((sql[t.start : t.end + 1] for t in tokens if t.start <= at <= t.end), "")
    return f" near character {at + 1}" + (f" ({one_line(word, NAME_CHARS)})" if word else "")


def _repeats(said: str, sql: str, shown: str) -> bool:
    """Tell whether words about some SQL hold three characters in a row that only its hidden parts have."""
    words, seen, low = re.findall(r"\w+", sql.casefold()), shown.casefold(), said.casefold()
    pieces = {word[i : i + 3] for word in words for i in range(max(1, len(word) - 2))}
    return any(piece in low for piece in pieces if piece not in seen)

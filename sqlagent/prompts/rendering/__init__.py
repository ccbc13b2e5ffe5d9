"""The part of a source that a language model may see, and how it reads: the one place of privacy.

Three levels. `schema`: names, types, keys and comments; no stored value. `masked`: also the
shape of example values and of result rows (`Aaaa 99`), and which tables and columns hold nothing. `rows`: also
example values, stored values that words of the question resemble, and first rows of results. The person's own words
go out under every level, with the column that holds something spelled so or nearly so;
so do comments, which are the owner's words.

Below `rows` nothing goes out because it looks harmless, but because it is known: literals that were
typed or that the model wrote itself, names of the catalog or of SQL it may see, and sentences
of our own about what a database said (`faults`). `python -m tests.engines.taint` looks for leaks.

Everything that comes from a database leaves here on one line, cut, and unable to close the
fence it stands in: a stored text can say anything and changes nothing about a prompt.
"""

from __future__ import annotations

from sqlagent.prompts.rendering.cases import case_text, look_text, looked_line
from sqlagent.prompts.rendering.editing import Failed, failures_text, tried_text
from sqlagent.prompts.rendering.evidence import differences_text, findings_text, narrowing_text
from sqlagent.prompts.rendering.failures import shown_failure
from sqlagent.prompts.rendering.feedback import check_lines, declined_lines, feedback_lines
from sqlagent.prompts.rendering.fencing import name_in, neutral, one_line
from sqlagent.prompts.rendering.hiding import NOT_SENT, HiddenSql, hidden_sql
from sqlagent.prompts.rendering.knowing import rules_text, terms_text, verified_text
from sqlagent.prompts.rendering.masking import UNREADABLE_SQL, candidate_sql, shown_sql, shown_words
from sqlagent.prompts.rendering.matches import values_text
from sqlagent.prompts.rendering.results import SHOWN_ROWS, result_text
from sqlagent.prompts.rendering.schema import (
    ENGINES,
    SCHEMA_CHARS,
    schema_text,
    system_message,
    task_text,
)

__all__ = [
    "ENGINES",
    "NOT_SENT",
    "SCHEMA_CHARS",
    "SHOWN_ROWS",
    "UNREADABLE_SQL",
    "Failed",
    "HiddenSql",
    "candidate_sql",
    "case_text",
    "check_lines",
    "declined_lines",
    "differences_text",
    "failures_text",
    "feedback_lines",
    "findings_text",
    "hidden_sql",
    "look_text",
    "looked_line",
    "name_in",
    "narrowing_text",
    "neutral",
    "one_line",
    "result_text",
    "rules_text",
    "schema_text",
    "shown_failure",
    "shown_sql",
    "shown_words",
    "system_message",
    "task_text",
    "terms_text",
    "tried_text",
    "values_text",
    "verified_text",
]

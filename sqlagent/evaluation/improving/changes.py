"""Edits: terms and rules, descriptions of tables and columns, the set of examples. Each is plain values, told in a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlagent.evaluation.improving.versions import Edit
from sqlagent.values import Catalog, Correction, Knowledge, Subject, Term, TermKind, VerifiedAnswer

DESCRIPTION, EXAMPLES = "description", "examples"
"""Kinds of edits beside those of terms (`TermKind`)."""


def term_of(edit: Edit, author: str = "") -> Term:
    """The term that an edit adds, by its author; not stored anywhere."""
    change = edit.change
    return Term(
        str(change["phrase"]),
        TermKind(change["kind"]),
        str(change["body"]),
        author=author,
        holds_values=edit.holds_values,
    )


def applied(
    edits: Sequence[Edit], knowledge: Knowledge, catalog: Catalog, answers: Mapping[str, VerifiedAnswer]
) -> tuple[Knowledge, Catalog]:
    """Give what is known of a source after some edits: terms come besides, a later description or set of examples replaces an earlier one.

    An example that is verified no longer is left out.

    Example:
        >>> made, _ = applied([Edit({"kind": "examples", "answers": ["7", "8"]})], Knowledge(), Catalog("sqlite", ()), {"7": VerifiedAnswer("q", "SELECT 1")})
        >>> [one.question for one in made.examples]
        ['q']
    """
    terms = [term_of(one) for one in edits if one.change["kind"] not in (DESCRIPTION, EXAMPLES)]
    knowledge = replace(knowledge, terms=(*knowledge.terms, *terms))
    for change in (one.change for one in edits):
        if change["kind"] == EXAMPLES:
            shown = tuple(answers[key] for key in change["answers"] if key in answers)
            knowledge = replace(knowledge, examples=shown)
        elif change["kind"] == DESCRIPTION:
            said = description_of(change)
            others = (one for one in catalog.corrections if _place(one) != _place(said))
            catalog = replace(catalog, corrections=(*others, said))
    return knowledge, catalog


def description_of(change: Mapping[str, Any]) -> Correction:
    """The description that an edit makes."""
    table, column = str(change["table"]), str(change.get("column", ""))
    return Correction(Subject.DESCRIPTION, table, column, told=str(change["body"]))


def _place(one: Correction) -> tuple[str, str, str] | None:
    return (one.subject, one.table, one.column) if one.subject is Subject.DESCRIPTION else None


def subject_of(change: Mapping[str, Any]) -> str:
    """The subject of an edit, in a few words.

    Example:
        >>> subject_of({"kind": "filter", "phrase": "grand"}), subject_of({"kind": "description", "table": "orders", "column": "state"})
        ('grand', 'orders.state')
    """
    if change.get("kind") == DESCRIPTION:
        return ".".join(filter(None, (str(change.get("table", "")), str(change.get("column", "")))))
    return "examples" if change.get("kind") == EXAMPLES else str(change.get("phrase", ""))


def change_text(change: Mapping[str, Any]) -> str:
    """An edit on a line, as its editor is told of it."""
    if change.get("kind") == EXAMPLES:
        return f"a set of {len(change.get('answers', ()))} examples"
    return f"{change.get('kind', '')} of {subject_of(change)}: {change.get('body', '')}"

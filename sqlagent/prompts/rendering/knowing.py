"""A team's knowledge of its source, as a language model may see it: rules, terms and verified answers, each on a line and fenced.

A term's words and its SQL are the team's own, typed to be told; so they go out under every level, as a hint does. SQL of verified answers
shows what any SQL of others shows, and so does a term that was made of it; below `rows` a rule made of it is left out.
"""

from __future__ import annotations

from sqlagent.prompts.rendering.fencing import one_line
from sqlagent.prompts.rendering.masking import shown_sql
from sqlagent.values import LinkedSchema, Question, TermKind

CHARS = 600
"""Of one rule, of one term, of one answer's SQL."""


def hint_text(question: Question, privacy: str) -> str:
    """The hint given with a question; below `rows` without what terms say that hold stored values."""
    return question.hint if privacy == "rows" else question.typed_hint


def terms_text(question: Question, linked: LinkedSchema, privacy: str) -> str:
    """A line a term: its words, what it means in SQL, its unit, and how it is described."""
    lines = []
    for term in linked.knowledge.terms:
        if term.kind is TermKind.RULE:
            continue
        also = f" (also {', '.join(term.synonyms)})" if term.synonyms else ""
        unit = f"; in {term.unit}" if term.unit else ""
        about = f" -- {term.description}" if term.description else ""
        body = term.body
        if term.holds_values:
            body = shown_sql(body, question, linked, privacy, term.phrases)
        lines.append(one_line(f"{term.phrase}{also}: {body}{unit}{about}", CHARS))
    return "\n".join(lines)


def rules_text(linked: LinkedSchema, privacy: str) -> str:
    """The rules of the team, one a line; below *rows* without those that hold stored values."""
    rules = (
        term
        for term in linked.knowledge.terms
        if term.kind is TermKind.RULE and (privacy == "rows" or not term.holds_values)
    )
    return "\n".join(f"- {one_line(term.body, CHARS)}" for term in rules)


def verified_text(question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Questions that were asked before and are alike, each with the SQL that a person vouched for."""
    told = []
    for one in linked.knowledge.verified:
        sql = shown_sql(one.sql, question, linked, privacy, (one.question,))
        told.append(f"Question: {one_line(one.question, CHARS)}\nSQL: {one_line(sql, 2 * CHARS)}")
    return "\n".join(told)

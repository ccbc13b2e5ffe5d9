"""Follow-ups: what was typed after other questions, as a question that stands by itself.

Decides whether a text needs the questions before it, and who rewrites it: a language model where
there is one, else the analyst by its frames (`analyst.changing`), else rules of words (`followups`). A question that
stands by itself is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from threading import Event as Flag
from typing import Literal

from sqlagent import prompts
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import LlmError
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.makers import followups
from sqlagent.makers.analyst.changing import FORGET, both_together, followed
from sqlagent.makers.analyst.faults import spared
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.values import (
    Catalog,
    LinkedSchema,
    LlmMessage,
    LlmRequest,
    Question,
    Turn,
)

TURNS = 5
"""Earlier questions a model is shown; a thread's older ones seldom matter and cost tokens."""

LONGEST = 600
"""Characters of a rewritten question; a longer reply is no question."""

BACK = re.compile(
    r"(?:undo|go back|back|revert|step back|as (?:it was )?before|the previous (?:one|question|answer)"
    r"|(?:undo|revert) (?:that|it|this|the last (?:one|change|step)))(?: again| please)?",
    re.IGNORECASE,
)
"""Goes one step back, whatever the last one was."""

FORWARD = re.compile(
    r"(?:redo|go forward|forward|(?:redo|repeat) (?:that|it|this))(?: again| please)?", re.IGNORECASE
)
"""Goes one step forward again."""


WHY = re.compile(
    r"(?:(?:and|but|so|ok|okay) )?"
    r"(?:(?:why|how come)(?: (?:is|was|are|were|did|does|do|has|have) (?:this|that|it|these|they)(?: \w+){0,3}?)?(?: not| though| so)?"
    r"|what (?:changed|happened|caused (?:this|that|it))(?: here)?)"
    r"(?: (?:in|for|at|on|during|of|with)(?: the)? (?P<named>[\w-]+(?: [\w-]+){0,2}))?",
    re.IGNORECASE,
)
"""Asks for the reasons of what is shown, perhaps of one period or part of it that is named last."""

_SHOWN = re.compile(
    r"(?:(?:last|latest|this|that|end|first|beginning)\b ?)*(?:day|week|month|quarter|year|place|case|period)?",
    re.IGNORECASE,
)
"""Names what is shown and nothing of its own."""


_ANEW = re.compile(
    r"(?:(?:ok(?:ay)?|and|so|now|thanks|thank you|great)[,!.]? +)*(?:(?:an?|the|my|one) +)?"
    r"(?:(?:new|next|another|other|different|separate|unrelated|completely different) (?:question|query|topic|subject)"
    r"|(?:let(?:'s|’s| us) )?start(?:ing)? (?:over|afresh|anew|again|from scratch)|from scratch|something (?:else|different|new)(?: entirely| now)?"
    r"|on another note|(?:change of|changing) (?:topic|subject))\s*(?P<mark>[:,;.!–—]|-(?=\s))\s*(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
"""Says that what follows has nothing to do with the questions before."""

_AWAY = re.compile(
    r"(?:forget (?:about )?(?:all (?:of )?)?(?:that|this|it|everything)|never ?mind(?: (?:that|this|it))?|scratch (?:that|this|it)|leave (?:that|this|it))"
    r"\s*(?:[:,;.!–—]|-(?=\s))\s*(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
"""Takes the questions before away, where what follows is one of its own."""


def asked_anew(typed: str, catalog: Catalog) -> str:
    """Give the question behind words that begin anew ("new question: ..."); empty where none do.

    Example:
        >>> from sqlagent.values import Table
        >>> shop = Catalog("sqlite", (Table("orders", ()),))
        >>> [asked_anew(text, shop) for text in ("new question: orders per month", "forget that, how many orders are there", "forget that, by month")]
        ['orders per month', 'how many orders are there', '']
        >>> [asked_anew(text, shop) for text in ("new questions per month", "something else: costs", "start over")]
        ['', 'costs', '']
    """
    text = " ".join(typed.split())
    if found := _ANEW.fullmatch(text):
        return found["rest"]
    if (found := _AWAY.fullmatch(text)) and followups.is_whole(found["rest"], catalog):
        return found["rest"]
    return ""


def why_typed(typed: str) -> bool:
    """Tell whether what was typed after a question asks why it came out so.

    Example:
        >>> [why_typed(text) for text in ("Why?", "but why did it fall so much?", "what changed", "why do customers return shoes")]
        [True, True, True, False]
    """
    return WHY.fullmatch(" ".join(typed.split()).strip(" .!?")) is not None


def why_named(typed: str) -> str:
    """Give the period or part of which such a question asks, as it was typed; empty where it names none.

    Example:
        >>> [why_named(text) for text in ("Why?", "why did it fall in February 2026?", "what happened in the last month")]
        ['', 'February 2026', '']
    """
    found = WHY.fullmatch(" ".join(typed.split()).strip(" .!?"))
    named = (found["named"] or "") if found else ""
    return "" if _SHOWN.fullmatch(named) else named


_MARKS = {
    "table": "none", "bar": "bar", "bars": "bar", "column": "bar", "columns": "bar", "line": "line", "lines": "line", "area": "area",
    "pie": "pie", "scatter": "scatter", "points": "scatter", "histogram": "histogram", "box": "box", "boxes": "box", "heatmap": "heatmap",
    "heat map": "heatmap", "map": "map", "number": "number", "one number": "number",
}  # fmt: skip

_MARK = "|".join(sorted(_MARKS, key=len, reverse=True))
DRAWN = re.compile(
    r"(?:(?:please|and|now|can you) )*(?:(?:show|draw|plot|display|give|make|turn)(?: (?:it|this|that|me|them|these|the rows))* )?"
    rf"(?:(?:as|into|on) (?:an? |the )?(?P<named>{_MARK})(?: (?:chart|graph|plot|diagram|view))?"
    rf"|(?:an? )?(?P<charted>{_MARK}) (?:chart|graph|plot|diagram))(?: (?:please|instead|now))*",
    re.IGNORECASE,
)
"""Asks for what is shown in another form, and for nothing else."""

_CHARTED = re.compile(
    r"(?:(?:please|and|now|can you) )*(?:(?:(?:show|draw|plot|display|give|make|turn)(?: (?:it|this|that|me|them|these|the rows))* )?(?:(?:as|into|in) )?(?:an? |the )?(?:chart|graph|plot|diagram)"
    r"|(?:draw|plot|chart|graph|visuali[sz]e) (?:it|this|that|them|these))(?: (?:please|instead|now))*",
    re.IGNORECASE,
)
"""Asks for a chart of no kind in particular."""

_SMALL = re.compile(
    r"(?:(?:please|and|now|can you) )*(?:(?:show|draw|plot|display|give|make|turn|split)(?: (?:it|this|that|me|them|these|the rows))* )?"
    r"(?:(?:as|in|into) )?small (?:charts|multiples)(?: (?:please|instead|now))*",
    re.IGNORECASE,
)
"""Asks for a small chart of each series."""


def chart_typed(typed: str) -> str:
    """Give the mark of the chart that was asked for after a question, `none` for a table, `small` for small charts, `any` for no kind in particular; empty where something else was typed.

    Example:
        >>> [chart_typed(text) for text in ("as a table", "show it as a pie chart please", "bar chart", "by product line")]
        ['none', 'pie', 'bar', '']
        >>> [chart_typed(text) for text in ("as a chart", "plot it", "chart of accounts")]
        ['any', 'any', '']
        >>> [chart_typed(text) for text in ("in small charts", "show it as small multiples", "small charts sold")]
        ['small', 'small', '']
    """
    text = " ".join(typed.split()).strip(" .!?")
    found = DRAWN.fullmatch(text)
    if found is None and _CHARTED.fullmatch(text):
        return "any"
    if _SMALL.fullmatch(text):
        return "small"
    return _MARKS[(found["named"] or found["charted"]).lower()] if found else ""


_CHART_OF = re.compile(
    r"(?P<rest>\S.*?),?(?<=\S)\s+(?:(?:and|shown|drawn|plotted|displayed|show it|draw it|plot it|put it) )*"
    rf"(?:(?:on|as|in) (?:an? |the )?(?:world )?map|(?:as|in) (?:an? )?(?P<mark>{_MARK}) (?:chart|graph|plot|diagram))[ .?!]*",
    re.IGNORECASE | re.DOTALL,
)
"""A question that says at its end how its answer is drawn."""


def chart_of_question(text: str) -> tuple[str, str]:
    """Take from a question how its answer is to be drawn: the question without it, and the mark; empty where it says nothing of that.

    Example:
        >>> chart_of_question("revenue by country on a map"), chart_of_question("Sales per month, as a bar chart?")
        (('revenue by country', 'map'), ('Sales per month', 'bar'))
        >>> chart_of_question("on a map"), chart_of_question("cities on a map of Spain"), chart_of_question("bookings by day in a table")
        (('on a map', ''), ('cities on a map of Spain', ''), ('bookings by day in a table', ''))
    """
    found = _CHART_OF.fullmatch(text.strip())
    if found is None or len(found["rest"].split()) < 2:
        return text, ""
    return found["rest"], _MARKS[found["mark"].lower()] if found["mark"] else "map"


def step_typed(typed: str, before: str) -> Literal["back", "forward", ""]:
    """Tell whether what was typed after a question goes a step back or forward in its thread, rather than changing it.

    Example:
        >>> step_typed("Undo!", "revenue 2025"), step_typed("never mind", "revenue 2025"), step_typed("only 2024", "revenue")
        ('back', 'back', '')
        >>> step_typed("never mind", "revenue 2025 (not understood: foo)"), step_typed("undo", "revenue (not understood: foo)")
        ('', 'back')
    """
    typed = " ".join(typed.split()).strip(" .!?")
    if FORWARD.fullmatch(typed):
        return "forward"
    is_back = BACK.fullmatch(typed) or (FORGET.fullmatch(typed) and not NOT_UNDERSTOOD.search(before))
    return "back" if is_back else ""


def stand_alone(
    typed: str | Question,
    turns: Sequence[Turn],
    catalog: Catalog,
    llm: Llm | None,
    *,
    index: ValueIndex | None = None,
    whole: Catalog | None = None,
    privacy: str = "schema",
    cancelled: Flag | None = None,
) -> Question:
    """Give what was typed a form that stands by itself; `typed` is kept where the two differ.

    "New question: ..." begins anew. "Undo" and its like go a step back in the turns, each time one further. The first question of a thread, and one that is whole in itself, stay as they are and cost
    nothing. Otherwise one LLM call where there is an LLM; where it fails or replies with
    something that is no question, and where there is none, the analyst and the rules rewrite. Never raises for
    any text. `whole` is the catalog with what its owner hid, of which the analyst's model is derived. Raises: Cancelled.
    """
    hint = typed.hint if isinstance(typed, Question) else ""
    typed = " ".join((typed.text if isinstance(typed, Question) else typed).split())
    if anew := asked_anew(typed, catalog):
        return Question(anew, hint, typed)
    turns = _stood(turns)
    if turns and step_typed(typed, said_of(turns[-1])) == "back":
        if len(turns) > 1:
            return Question(said_of(turns[-2]), hint, typed)
        if not NOT_UNDERSTOOD.search(said_of(turns[0])):  # nothing is left: that is told
            left = " ".join(re.sub(r"[();]", " ", typed).split()).strip(" ?.!")
            return Question(f"{said_of(turns[0]).strip(' ?.!')} (not understood: {left})", hint, typed)
    if not turns or not typed or followups.stands_alone(typed, catalog):
        return Question(typed, hint)
    text = _asked(typed, turns, catalog, llm, privacy, cancelled) if llm is not None else ""
    if not text:
        last = turns[-1]
        before = replace(last, question=said_of(last))
        by_words = followups.rewrite(typed, before, catalog)
        of_all = [said_of(one) for one in turns]
        text = spared(lambda: both_together(typed, of_all, whole or catalog, index), "")
        if not text:
            text = spared(lambda: followed(typed, before.question, whole or catalog, index, by_words), "")
        text = text or by_words
    return Question(text, hint, typed) if text != typed else Question(typed, hint)


def said_of(turn: Turn) -> str:
    """The question of a turn now: what its chips say, else its question."""
    return turn.stated or turn.question


def _stood(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns that still stand, oldest first: one that went a step back took the one before it away, and itself."""
    stood: list[Turn] = []
    for turn in turns:
        if len(stood) > 1 and turn.typed and step_typed(turn.typed, said_of(stood[-1])) == "back":
            stood.pop()
        else:
            stood.append(turn)
    return stood


def _asked(
    typed: str, turns: Sequence[Turn], catalog: Catalog, llm: Llm, privacy: str, cancelled: Flag | None
) -> str:
    """Ask the model; empty where it gives no question."""
    linked = LinkedSchema(catalog, catalog)
    said = tuple(turn.question for turn in turns)
    shown = "\n".join(
        f"{number}. {rendering.neutral(turn.question)}\n   "
        + " ".join(rendering.shown_sql(turn.sql, Question(typed), linked, privacy, said).split())
        for number, turn in enumerate(turns[-TURNS:], 1)
    )
    prompt = prompts.render("follow_up", turns=shown, typed=rendering.neutral(typed))
    request = LlmRequest((LlmMessage("user", prompt),), max_tokens=1_000, purpose="follow:up")
    try:
        return question_in(llm.complete(request, cancelled).text)
    except LlmError:
        return ""


def question_in(reply: str) -> str:
    """Read the rewritten question in a reply; empty where there is none.

    Example:
        >>> question_in('Question: "How many orders were placed in 2024?"')
        'How many orders were placed in 2024?'
        >>> question_in("```sql\\nSELECT 1\\n```")
        ''
    """
    text = replies.without_thoughts(reply).strip()
    value = replies.json_in(text)
    if value:
        text = next((v for k, v in value.items() if isinstance(v, str) and "question" in k.lower()), "")
    lines = [line.strip() for line in text.splitlines() if line.strip(" `")]
    lines = [line for line in lines if not line.startswith("```") and not line.endswith(":")]
    line = next((line for line in reversed(lines) if line.endswith("?")), lines[-1] if lines else "")
    line = re.sub(
        r"^(?:\W*(?:stand-?alone |rewritten |final )?(?:question|answer|rewritten|rewrite)\W*:\s*)",
        "",
        line,
        flags=re.IGNORECASE,
    )
    line = line.strip("*`\"'“”‘’ ")
    if len(line) > LONGEST or len(line) < 3 or re.match(r"(?:select|with)\s", line, re.IGNORECASE):
        return ""
    return line

"""Ask a question from a shell: the pipeline the web uses, in this process, with no server running."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.asking import services
from mirror.asking.kept_steps import known_json
from mirror.asking.pages.words import hint_unused
from mirror.phrases import counted, one_line
from mirror.queries.running import source_opened
from mirror.results.cells import exact_text, json_cell, shown
from mirror.sources.models import Source
from mirror.sources.sight import seen_whole
from sqlagent.errors import DatabaseError, SqlAgentError
from sqlagent.events import (
    Audited,
    Checked,
    Ended,
    Event,
    Executed,
    Grouped,
    Linked,
    Noted,
    Ranked,
    Rewritten,
    Sampling,
)
from sqlagent.values import Answer, Failure, Outcome, Question, Rows

# Rows printed for people; with --json every row is.
SHOWN_ROWS = 20
# The widest cell printed for people.
SHOWN_WIDTH = 40


class Command(BaseCommand):
    """`manage.py ask QUESTION --source NAME`: exit code 0 when it was answered (or is ambiguous), else 1."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Ask a question about a source and print how it is answered."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("question", help="the question, in quotes")
        parser.add_argument("--source", required=True, help="the name of the source, for example shop")
        parser.add_argument("--hint", default="", help="knowledge given with the question")
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object as the last line; steps go to stderr"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source = _source(options["source"])
        try:
            text = services.question_check(options["question"])
            hint = services.hint_check(options["hint"])
        except services.AskingError as error:
            raise CommandError(str(error)) from None
        steps = self.stderr if options["json"] else self.stdout
        if options["json"]:
            steps.style_func = None
        answer = _answer(Question(text, hint=hint), source, steps)
        if options["json"]:
            self.stdout.write(json.dumps(answer_json(answer), ensure_ascii=False, allow_nan=False))
        else:
            for line in answer_lines(answer):
                self.stdout.write(line)
        if answer.outcome not in (Outcome.ANSWERED, Outcome.AMBIGUOUS):
            sys.exit(1)


def answer_json(answer: Answer) -> dict[str, Any]:
    """The answer as one JSON object; decimals and integers beyond 2^53 are strings."""
    rows = answer.rows or Rows((), ())
    return {
        "outcome": str(answer.outcome),
        "reason": answer.reason,
        "sql": answer.sql,
        "columns": list(rows.columns),
        "rows": [[json_cell(cell) for cell in row] for row in rows.rows],
        "truncated": rows.truncated,
        "confidence": round(answer.confidence, 4),
        "agreement": {"size": answer.size, "pool": answer.pool},
        "readings": [
            {
                "sql": reading.sql,
                "difference": reading.difference,
                "columns": list(reading.rows.columns),
                "rows": [[json_cell(cell) for cell in row] for row in reading.rows.rows],
            }
            for reading in answer.readings
        ],
        "notes": list(answer.notes),
        "unused_hint": list(answer.unused_hint),
        "known": known_json(answer),
        "usage": asdict(answer.usage),
    }


def answer_lines(answer: Answer) -> list[str]:
    """The answer for people: outcome, SQL, rows, confidence and other readings."""
    lines = ["", f"{str(answer.outcome).capitalize()}{': ' + answer.reason if answer.reason else ''}"]
    lines += [hint_unused(answer.unused_hint)] if answer.unused_hint else []
    for one in answer.terms:
        by = f", by {one.term.author}" if one.term.author else ""
        lines.append(
            f"{one.words} = {one.term.description or one.term.body}{by}{'' if one.is_used else ' (not used)'}"
        )
    if answer.sql:
        lines += ["", answer.sql, ""]
    if answer.rows is not None:
        lines += table_lines(answer.rows)
        lines += [
            "",
            f"{answer.confidence:.0%} sure. {answer.size} of {answer.pool} attempts gave this answer",
        ]
    for reading in answer.readings:
        lines += ["", f"Another reading: {reading.difference}", reading.sql, *table_lines(reading.rows, 3)]
    return lines


def table_lines(rows: Rows, count: int = SHOWN_ROWS) -> list[str]:
    """Rows as a table of text; numbers to the right, long cells cut, the rest counted.

    Example:
        >>> print("\\n".join(table_lines(Rows(("city", "sold"), (("Oslo", 1200), ("Rome", 5))))))
        city   sold
        ----  -----
        Oslo  1,200
        Rome      5
    """
    cells = [
        [shown(cell, name) for cell, name in zip(row, rows.columns, strict=True)] for row in rows.rows[:count]
    ]
    texts = [[_shown(cell.text) for cell in row] for row in cells]
    heads = [_shown(name) for name in rows.columns]
    widths = [max(len(head), *(len(row[n]) for row in texts), 1) for n, head in enumerate(heads)]
    right = [any(row[n].look == "num" for row in cells) for n in range(len(heads))]

    def line(parts: list[str]) -> str:
        return "  ".join(
            part.rjust(width) if is_right else part.ljust(width)
            for part, width, is_right in zip(parts, widths, right, strict=True)
        ).rstrip()

    lines = [line(heads), line(["-" * width for width in widths]), *map(line, texts)]
    more = len(rows.rows) - count
    if more > 0:
        lines.append(f"... and {more:,} more rows")
    if rows.truncated:
        lines.append(f"The result was cut at {len(rows.rows):,} rows; there are more.")
    return lines


def event_line(event: Event) -> str:
    """One event of the pipeline in a line."""
    match event:
        case Rewritten(question):
            return f"understood as: {question.text}"
        case Linked(linked):
            tables = ", ".join(table.key for table in linked.catalog.tables)
            return f"tables: {tables or 'none'}"
        case Sampling(round, feedback):
            return "sampling" if not round else f"sampling again: {'; '.join(feedback)}"
        case Executed(index, execution):
            return f"attempt {index + 1}: {_happened(execution.result)}  {_shown(execution.sql, 100)}"
        case Grouped(groups, pool):
            results = counted(len(groups), "result", "different results")
            return f"{counted(pool, 'attempt')}, {results} ({', '.join(str(g.size) for g in groups)})"
        case Checked(_, problems):
            return event.said + (f": {'; '.join(problems)}" if problems else "")
        case Ranked(ranking):
            return (
                f"best: {_shown(ranking.groups[0].representative.sql, 100)}"
                if ranking.groups
                else "no result"
            )
        case Audited(verdict):
            return f"{'accepted' if verdict.accepted else 'not accepted'}: {verdict.reason}"
        case Noted(message):
            return message
        case Ended(answer):
            return f"{answer.outcome} after {answer.usage.seconds:.1f} s"


def _happened(result: Rows | Failure) -> str:
    if isinstance(result, Failure):
        return f"{result.kind}: {_shown(result.message, 80)}"
    return f"{len(result.rows):,} rows"


def _shown(value: Any, width: int = SHOWN_WIDTH) -> str:
    return one_line(exact_text(value), width)


def _source(name: str) -> Source:
    source = Source.objects.filter(name=name).first()
    if source is None:
        known = ", ".join(Source.objects.order_by("name").values_list("name", flat=True))
        hint = (
            f"Known sources: {known}."
            if known
            else "No source is connected yet; `manage.py demo` makes the shop."
        )
        raise CommandError(f"There is no source named '{name}'. {hint}")
    return source


def _answer(question: Question, source: Source, steps: Any) -> Answer:
    try:
        with source_opened(seen_whole(source)) as opened:
            for event in services.answer_events(question, opened):
                steps.write(event_line(event))
                steps.flush()
                if isinstance(event, Ended):
                    return event.answer
    except DatabaseError as error:
        return Answer(Outcome.FAILED, question, f"{error.failure.message} {error.failure.advice}".strip())
    except SqlAgentError as error:
        return Answer(Outcome.FAILED, question, str(error))
    raise CommandError("The pipeline ended without an answer.")

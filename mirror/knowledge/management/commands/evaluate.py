"""Tell how well a source's verified questions are answered without a language model, and what its terms do to that."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.knowledge.evaluating import (
    Against,
    Evaluated,
    evaluated_of,
    evaluation_last,
    questions_ask,
)
from mirror.knowledge.evaluation_work import evaluation_keep
from mirror.knowledge.knowing import terms_of
from mirror.phrases import visible
from mirror.queries.running import source_opened
from mirror.sources.models import Source
from mirror.sources.sight import seen_whole
from sqlagent.errors import DatabaseError, LlmRejected


class Command(BaseCommand):
    """`manage.py evaluate SOURCE [--llm] [--json]`: each verified question asked as if it were not verified."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Measure a source on its verified answers: the built-in analyst with its terms and without, and language models."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="the name of the source, for example shop")
        parser.add_argument(
            "--llm",
            action="store_true",
            help="ask the source's language models as well, on its owner's budget",
        )
        parser.add_argument("--json", action="store_true", help="print it as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"There is no source named '{options['source']}'.")
        try:
            with source_opened(seen_whole(source)) as opened:
                last = evaluation_last(source)
                asked = questions_ask(opened, last, with_llm=options["llm"], person=source.owner)
                found = evaluated_of(asked, last)
                if found.asked:
                    evaluation_keep(opened, found, last, len(terms_of(source)))
        except LlmRejected as error:
            raise CommandError(str(error)) from None
        except DatabaseError as error:
            raise CommandError(f"{error.failure.message} {error.failure.advice}".strip()) from None
        if not found.asked:
            raise CommandError(f"{source.name} has no verified answers to measure with.")
        if options["llm"] and found.llm is None:
            self.stderr.write(
                "No language model was asked: none is set for this source, or a budget is used up."
            )
        if options["json"]:
            self.stdout.write(json.dumps(asdict(found), ensure_ascii=False))
            return
        for line in _lines(found):
            self.stdout.write(visible(line))


def _lines(found: Evaluated) -> list[str]:
    count, bare = len(found.asked), sum(one.bare for one in found.asked)
    right, said = found.called_answered
    lines = [
        f"{count} verified questions, asked as if they were not, by the built-in analyst",
        f"right                  {found.right:4} of {count}  {100 * found.right / count:.1f} %",
        f"right of “answered”    {right:4} of {said}" + (f"  {100 * right / said:.1f} %" if said else ""),
        f"without the terms      {bare:4} of {count}  {100 * bare / count:.1f} %; {_against(found.terms)}",
        f"took                   {sum(one.seconds for one in found.asked):.1f} s",
    ]
    if found.calibration is not None:
        lines.append(f"calibration error      {found.calibration:.3f}")
    if (llm := found.llm) is not None:
        lines += [
            f"with {', '.join(llm['names'])}: {llm['right']} of {llm['asked']}  {100 * llm['right'] / llm['asked']:.1f} %; against none {_against(Against(**llm['against']))}",
            f"  {llm['tokens']:,} tokens, {llm['money']:.4f} money, calibration error {llm['calibration']:.3f}",
        ]
        if llm["since"]:
            lines.append(f"  since the last time {_against(Against(**llm['since']))}")
    if found.since is not None:
        lines.append(f"since {found.since_when}: {_against(found.since)}")
    wrong = [one for one in found.asked if not one.right]
    return [*lines, *(f"wrong  {one.outcome:12} {one.question}  {one.problem}".rstrip() for one in wrong)]


def _against(one: Against) -> str:
    return f"{one.won} won, {one.lost} lost of {one.of}, exact McNemar p = {one.p:.3g}"

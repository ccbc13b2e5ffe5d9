"""Show from a shell how the built-in analyst sees a source: its things and events, what they measure, and how they hang together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.phrases import visible
from mirror.sources.catalogs import source_catalog
from mirror.sources.index_services import source_index
from mirror.sources.model_telling import told_words
from mirror.sources.models import Source
from mirror.sources.opening import open_source
from mirror.sources.sight import seen_whole
from sqlagent.catalog.semantics import Field, Model, Role, Thing, Unapplied, corrected, derive
from sqlagent.errors import DatabaseError
from sqlagent.values import Corrections


class Command(BaseCommand):
    """`manage.py model SOURCE [--json]`: what was derived from its catalog, its statistics and its stored values, and corrected."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Print the semantic model of a source."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="the name of the source, for example shop")
        parser.add_argument("--json", action="store_true", help="print it as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"There is no source named '{options['source']}'.")
        try:
            with closing(open_source(seen_whole(source))) as database:
                catalog = source_catalog(source)
                derived = derive(catalog, source_index(source, catalog, database))
        except DatabaseError as error:
            raise CommandError(f"{error.failure.message} {error.failure.advice}".strip()) from None
        model, unapplied = corrected(derived, catalog.corrections)
        if options["json"]:
            plain = {**model.plain(), **_corrections_plain(catalog.corrections, unapplied)}
            self.stdout.write(json.dumps(plain))
            return
        for line in (*_lines(model), *_correction_lines(catalog.corrections, unapplied)):
            self.stdout.write(visible(line))


def _corrections_plain(corrections: Corrections, unapplied: Sequence[Unapplied]) -> dict[str, Any]:
    """Corrections, and which of them do nothing now."""
    why = {one.correction: one.why for one in unapplied}
    return {
        "corrected": [asdict(one) for one in corrections if one not in why],
        "unapplied": [{**asdict(one), "why": text} for one, text in why.items()],
    }


def _correction_lines(corrections: Corrections, unapplied: Sequence[Unapplied]) -> Iterator[str]:
    why = {one.correction: one.why for one in unapplied}
    if corrections:
        yield ""
        yield "Corrected"
    for one in corrections:
        place = ".".join(part for part in (one.table, one.column) if part)
        left = f" (does not apply: {why[one]})" if one in why else ""
        yield f"  {place} {told_words(one)}{left}".replace("   ", "  ")


def _lines(model: Model) -> Iterator[str]:
    """The model as people read it: a paragraph a table."""
    if model.newest:
        yield f"The last day with data is {model.newest}."
    for thing in model.things.values():
        yield ""
        yield from _thing_lines(thing, model)


def _thing_lines(thing: Thing, model: Model) -> Iterator[str]:
    yield f"{thing.table}: {thing.said} ({thing.kind}), {thing.rows} rows looked at"
    if thing.display:
        yield f"  shown by    {', '.join(thing.display)}"
    if thing.default_time:
        span = f", current from {thing.begins} until {thing.ends}" if thing.begins and thing.ends else ""
        yield f"  happens at  {thing.default_time}{span}"
    for role, heading in (
        (Role.MEASURE, "measures"),
        (Role.DIMENSION, "by"),
        (Role.FLAG, "whether"),
        (Role.TIME, "times"),
    ):
        found = [_said(one) for one in model.of_role(thing.table, role)]
        if found:
            yield f"  {heading:11} {', '.join(found)}"
    for relation in model.relations:
        if relation.source == thing.table:
            how = " (found by its values)" if relation.found else ""
            yield f"  one         {relation.target} by {', '.join(relation.columns)}{how}"


def _said(one: Field) -> str:
    if one.role is Role.MEASURE:
        unit = f", {one.unit}" if one.unit else ""
        return f"{one.column} ({one.aggregate}{unit})"
    if one.codes is not None:
        return f"{one.column} ({', '.join(label for _, label in one.codes.pairs[:6])})"
    return f"{one.column} ({one.form})" if one.form is not None else one.column

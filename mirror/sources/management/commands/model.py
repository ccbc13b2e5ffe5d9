"""Show from a shell how the built-in analyst sees a source: its things and events, what they measure, and how they hang together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.sources.catalogs import source_catalog
from mirror.sources.index_services import source_index
from mirror.sources.models import Source
from mirror.sources.opening import open_source
from sqlagent.catalog.semantics import Field, Model, Role, Thing, derive
from sqlagent.errors import DatabaseError


class Command(BaseCommand):
    """`manage.py model SOURCE [--json]`: what was derived from its catalog, its statistics and its stored values."""

    help = "Print the semantic model of a source."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="the name of the source, for example shop")
        parser.add_argument("--json", action="store_true", help="print it as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"There is no source named '{options['source']}'.")
        try:
            with closing(open_source(source)) as database:
                catalog = source_catalog(source)
                model = derive(catalog, source_index(source, catalog, database))
        except DatabaseError as error:
            raise CommandError(f"{error.failure.message} {error.failure.advice}".strip()) from None
        if options["json"]:
            self.stdout.write(json.dumps(model.plain(), ensure_ascii=False))
            return
        for line in _lines(model):
            self.stdout.write(line)


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

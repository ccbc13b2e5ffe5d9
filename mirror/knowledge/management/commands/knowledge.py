"""Keep what a team knows of a source as a file, take such a file over, and compare."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.knowledge.import_services import (
    Taken,
    knowledge_as_snowflake,
    knowledge_compare,
    knowledge_import,
    knowledge_written,
)
from mirror.knowledge.knowledge_files import MOST_JSON_BYTES, FileRefused, KnowledgeFile, read_file
from mirror.people.models import User
from mirror.phrases import visible
from mirror.queries.running import source_opened
from mirror.sources.models import Source
from mirror.sources.sight import seen_whole
from sqlagent.errors import DatabaseError


class Command(BaseCommand):
    """`manage.py knowledge export|import|diff SOURCE FILE`: terms and verified answers as YAML; files of Ossie, dbt and Snowflake are read too."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Keep terms and verified answers of a source as a YAML file, take one over, or compare."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("export", "import", "diff"))
        parser.add_argument("source", help="the name of the source, for example shop")
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--form",
            choices=("mirror", "snowflake"),
            default="mirror",
            help="what an export is: our own file, or a semantic view of Snowflake",
        )
        parser.add_argument("--as", dest="by", help="who takes it over; the source's owner by default")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.select_related("owner").filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"There is no source named '{options['source']}'.")
        if options["action"] == "export":
            self._export(source, options["file"], options["form"])
            return
        found = _read(options["file"], source)
        if options["action"] == "diff":
            self._tell(list(knowledge_compare(source, found)))
            return
        by = User.objects.filter(username=options["by"]).first() if options["by"] else source.owner
        if by is None:
            raise CommandError(f"There is nobody called '{options['by']}'.")
        try:
            with source_opened(seen_whole(source)) as opened:
                self._tell(list(knowledge_import(opened, found, by)))
        except DatabaseError as error:
            raise CommandError(f"{error.failure.message} {error.failure.advice}".strip()) from None

    def _export(self, source: Source, path: Path, form: str) -> None:
        if form == "snowflake" and not source.catalog:
            raise CommandError("The tables of this source were not read yet.")
        text, left = (
            knowledge_as_snowflake(source) if form == "snowflake" else (knowledge_written(source), [])
        )
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from None
        if left:
            self._tell(left)
        self.stdout.write(f"Written to {path}.")

    def _tell(self, taken: list[Taken]) -> None:
        for one in taken:
            if one.what != "same":
                why = f": {one.why}" if one.why else ""
                self.stdout.write(visible(f"{one.what:9} {one.name}{why}"))
        counts = Counter(one.what for one in taken)
        said = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
        self.stdout.write(f"{said or 'nothing'}.")


def _read(path: Path, source: Source) -> KnowledgeFile:
    """Read a file of knowledge. Raises: CommandError."""
    try:
        if path.stat().st_size > MOST_JSON_BYTES:
            raise CommandError(f"{path} has more than {MOST_JSON_BYTES:,} bytes.")
        return read_file(path.read_text(encoding="utf-8"), source.engine)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, FileRefused) as error:
        raise CommandError(f"{path}: {error}") from None

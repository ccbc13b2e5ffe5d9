"""Rows of the store as lines of JSON, the same from SQLite and PostgreSQL, and back into either.

Secrets stay as they are encrypted, paths relative to the data folder.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import IO, Any
from uuid import UUID

from django.apps.registry import Apps
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from mirror.secrets import EncryptedTextField
from mirror.upkeep.backup.archive import BROKEN
from mirror.upkeep.backup.errors import BackupError

# Sessions and live workers: state of a running installation, not its data.
LEFT_OUT = {"django_session", "people_session", "people_passkeychallenge", "health_heartbeat"}
# Bytes of rows that are held at once, before they are packed.
AT_ONCE = 4_000_000
INSERTED_AT_ONCE = 200
# No row is longer: the largest hold a source's catalog or its index of values, some tens of megabytes.
ROW_BYTES = 512_000_000


def tables(apps: Apps) -> list[type[models.Model]]:
    """List the models whose rows are kept, those between two others included, by the names of their tables."""
    found = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model._meta.db_table not in LEFT_OUT
    }
    return [found[name] for name in sorted(found)]


def rows_packed(model: type[models.Model], alias: str) -> Iterator[tuple[bytes, int]]:
    """Give the rows of a table in the order of their keys, some at a time: packed lines, and how many."""
    fields = model._meta.local_concrete_fields
    lines, size = [], 0
    for row in model._base_manager.using(alias).order_by("pk").iterator(chunk_size=100):
        values = [_plain(field.get_prep_value(row.__dict__[field.attname])) for field in fields]
        line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        lines.append(line)
        size += len(line)
        if size > AT_ONCE:
            yield gzip.compress(b"\n".join(lines), 5), len(lines)
            lines, size = [], 0
    if lines:
        yield gzip.compress(b"\n".join(lines), 5), len(lines)


def columns(model: type[models.Model]) -> list[str]:
    """The columns of a table, in the order in which rows give them."""
    return [str(field.column) for field in model._meta.local_concrete_fields]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return {"b64": base64.b64encode(bytes(value)).decode()}
    return value


def _lines(packed: IO[bytes]) -> Iterator[bytes]:
    """Unpack lines, one in memory at a time. Raises: BackupError."""
    try:
        with gzip.open(packed) as lines:
            while line := lines.readline(ROW_BYTES + 1):
                if len(line) > ROW_BYTES:
                    raise BackupError(BROKEN)
                yield line
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BackupError(BROKEN) from None


class Loader:
    """Puts rows into an empty store of the same tables as they came from."""

    def __init__(self, apps: Apps, named: dict[str, list[str]], connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        self._models = {model._meta.db_table: model for model in tables(apps)}
        self._named, self._fields = named, {}
        for table, given in named.items():
            model = self._models.get(table)
            fields = {field.column: field for field in model._meta.local_concrete_fields} if model else {}
            if set(fields) != set(given):
                raise BackupError(f"The backup has a table that this Mirror does not know so: {table}.")
            # in the order of the backup: fields that were added later stand elsewhere in a model of then
            self._fields[table] = [fields[name] for name in given]

    def empty(self) -> None:
        """Delete what the making of the tables put into them."""
        with self._connection.cursor() as cursor:
            for table in self._models:
                cursor.execute(f"DELETE FROM {self._connection.ops.quote_name(table)}")  # noqa: S608 - a name of our own

    def load(self, table: str, packed: IO[bytes]) -> int:
        """Insert packed rows; returns how many. Raises: BackupError for what is none."""
        try:
            return self._load(table, packed)
        except (ValueError, TypeError, LookupError, RecursionError, ValidationError) as error:
            raise BackupError(f"The rows of {table} in this backup cannot be read: {error}") from error

    def _load(self, table: str, packed: IO[bytes]) -> int:
        if table not in self._named:
            raise BackupError(f"The backup has rows of a table that its list does not name: {table}.")
        fields = self._fields[table]
        quote = self._connection.ops.quote_name
        names, marks = ", ".join(quote(name) for name in self._named[table]), ", ".join(["%s"] * len(fields))
        sql = f"INSERT INTO {quote(table)} ({names}) VALUES ({marks})"  # noqa: S608 - names of our own
        count, batch = 0, []
        with self._connection.cursor() as cursor:
            for line in _lines(packed):
                values = json.loads(line)
                batch.append(
                    [self._stored(field, value) for field, value in zip(fields, values, strict=True)]
                )
                count += 1
                if len(batch) == INSERTED_AT_ONCE:
                    cursor.executemany(sql, batch)
                    batch = []
            if batch:
                cursor.executemany(sql, batch)
        return count

    def numbers_go_on(self) -> None:
        """Let new rows have numbers after those that were loaded."""
        made: Iterable[type[models.Model]] = self._models.values()
        with self._connection.cursor() as cursor:
            for statement in self._connection.ops.sequence_reset_sql(no_style(), list(made)):
                cursor.execute(statement)

    def _stored(self, field: models.Field[Any, Any], value: Any) -> Any:
        if value is None or isinstance(field, EncryptedTextField):
            return value  # a secret comes as it was encrypted
        if isinstance(field, models.BinaryField):
            value = base64.b64decode(value["b64"])
        elif isinstance(field, models.DurationField):
            value = timedelta(seconds=value)
        elif not isinstance(field, models.JSONField | models.ForeignKey | models.FileField):
            value = field.to_python(value)
        return field.get_db_prep_save(value, self._connection)

"""Open the file of a stored result: while it is kept, whole, and with everything else locked away."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.results.models import StoredResult
from mirror.results.result_files import file_here, words_of

log = logging.getLogger(__name__)


class ResultGone(Exception):
    """The rows are no longer kept: their time is over, or their file is missing or damaged."""


class ResultAway(ResultGone):
    """The rows are kept, and the storage they are in does not give them now."""


@contextmanager
def file_opened(*paths: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads these files and nothing else, whatever its SQL says."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            f"SET allowed_paths = [{', '.join('?' * len(paths))}]", [str(path) for path in paths]
        )
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


@contextmanager
def file_kept(result: StoredResult) -> Iterator[Path]:
    """The result's file on this machine: itself, or a copy where the storage is elsewhere. Raises: ResultGone."""
    if result.expires_at <= timezone.now():
        raise ResultGone(_("These rows are no longer kept."))
    with ExitStack() as stack:
        try:
            path = stack.enter_context(file_here(result))
        except FileNotFoundError:
            raise ResultGone(_("The file with these rows is missing.")) from None
        except OSError as error:
            raise ResultAway(
                _("The rows cannot be fetched now: %(why)s") % {"why": words_of(error)}
            ) from None
        try:
            yield path
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            if not _is_damage(error, path):
                raise
            log.warning("The file of result %s is damaged: %s", result.pk, error)
            raise ResultGone(_("The file with these rows is damaged. Run the SQL again.")) from None


def _is_damage(error: Exception, path: Path) -> bool:
    """Tell what a reader of Parquet says about a file that is not what was written."""
    if isinstance(error, OSError) and error.errno is not None:
        return False
    says_so = re.search(
        r"parquet|thrift|TProtocol|magic bytes|end of stream|decompress|corrupt", str(error), re.I
    )
    return type(error) in (duckdb.Error, duckdb.IOException) or str(path) in str(error) or bool(says_so)


def result_open(result: StoredResult) -> None:
    """See that a result's file is there and whole as far as its own table of contents says. Raises: ResultGone."""
    with file_kept(result) as path:
        pq.read_metadata(path)

"""Files to tables: read as text, guessed, shown, corrected, then loaded into a DuckDB file.

Nothing here knows the store or a request. A file is *staged* first: every cell as text in a
DuckDB file of its own, so that types are guessed from all rows, and a change of mind about a
type reads no file again.
"""

from mirror.sources.uploads.loading import LoadError, Problem, load
from mirror.sources.uploads.plans import ColumnPlan, FilePlan, TablePlan, table_name
from mirror.sources.uploads.raw_tables import NoTable
from mirror.sources.uploads.staging import plan_file, plan_table
from mirror.sources.uploads.text_files import DELIMITERS, ENCODINGS
from mirror.sources.uploads.types import KINDS

__all__ = [
    "DELIMITERS",
    "ENCODINGS",
    "KINDS",
    "ColumnPlan",
    "FilePlan",
    "LoadError",
    "NoTable",
    "Problem",
    "TablePlan",
    "load",
    "plan_file",
    "plan_table",
    "table_name",
]

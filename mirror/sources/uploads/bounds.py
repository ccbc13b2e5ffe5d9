"""Bounds of an uploaded file. Checked while it is read, row by row; a breach is said by its name.

The process that reads bounds the rest: by its memory, its time and its disk.
"""

from __future__ import annotations

# Of one table, and of all tables of an upload: the page about them has three fields a column, and a form takes 10,000.
MAX_COLUMNS = 1_000
UPLOAD_COLUMNS = 3_000
UPLOAD_TABLES = 200
# Of one table: 200 MB of text have at most 100,000,000 rows and cells, a packed file may have any number.
MAX_ROWS = 50_000_000
MAX_CELLS = 1_000_000_000
# Characters of a cell; of a line, and of the lines that one row goes over.
CELL_CHARS = 1_000_000
LINE_CHARS = 10_000_000
# Brackets in brackets of a value in JSON.
NESTING = 100
# The part of a table held at once, in cells and characters.
BATCH_ROWS, BATCH_CELLS, BATCH_CHARS = 20_000, 1_000_000, 20_000_000

# A workbook unpacks to about ten times its size (measured 2026-11); far more is no honest workbook.
UNPACKED_TIMES, UNPACKED_LEAST, UNPACKED_MOST = 60, 50_000_000, 2_000_000_000
# Parts of a workbook, and bytes of those that are neither sheets nor texts: they are read whole. Distinct texts are
# all held while sheets are read, some 100 bytes each. Excel's own sheets are no larger than this.
BOOK_PARTS = 5_000
PART_BYTES = 30_000_000
SHARED_STRINGS = 5_000_000
SHEET_ROWS, SHEET_COLUMNS = 1_048_576, 16_384

# The footer of a Parquet file is read whole; row groups are usually up to 1 GB.
FOOTER_BYTES = 16_000_000
GROUP_BYTES = 4_000_000_000
# A value that stands in every row is written once: 200 kB held 4,500 GB of text.
TEXT_BYTES = 4_000_000_000

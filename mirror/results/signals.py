"""Events of stored rows, told to the subjects below."""

from __future__ import annotations

from django.dispatch import Signal

# Somebody chose how a column is shown; with `result`, whose formats are the new ones.
columns_formatted = Signal()

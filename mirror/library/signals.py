"""Events of saved SQL, told to the subjects below."""

from __future__ import annotations

from django.dispatch import Signal

# Saved SQL was shared `by` somebody; with `saved`, whose teams are the new ones, and `before`, the ids of those that it had.
# A receiver gives how many people it tells.
sql_shared = Signal()

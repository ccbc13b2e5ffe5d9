"""What sources tell those who build on them, without knowing who they are."""

from django.dispatch import Signal

# A source's catalog was read anew. Sent with `source` and `catalog`, within the transaction that keeps it.
catalog_read_anew = Signal()

# What may run on a source was changed. Sent like the above.
policy_changed = Signal()

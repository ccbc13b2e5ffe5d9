"""Events of sources for subjects that build on them, without knowing which they are."""

from django.dispatch import Signal

# A source's catalog was read anew. Sent with `source` and `catalog`, within the transaction that keeps it.
catalog_read_anew = Signal()

# The allowed statements of a source were changed. Sent like the above.
policy_changed = Signal()

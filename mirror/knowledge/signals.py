"""What knowledge asks of those who build on it, without knowing who they are."""

from django.dispatch import Signal

# Questions that somebody asked a source lately are wanted. Sent with `source`, `by` and `most`; receivers give a list of texts.
questions_wanted = Signal()

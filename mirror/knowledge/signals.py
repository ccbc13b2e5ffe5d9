"""Signals of knowledge to the subjects that build on it."""

from django.dispatch import Signal

# Questions that somebody asked a source lately are wanted. Sent with `source`, `by` and `most`; receivers give a list of texts.
questions_wanted = Signal()

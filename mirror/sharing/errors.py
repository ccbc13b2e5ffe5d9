"""Refusals of this subject, in words for people."""


class SharingError(Exception):
    """Something cannot be shared so; the message says why."""


class LinkGone(Exception):
    """A link shows nothing, whatever is wrong with it."""

"""Refusals of this subject, in words for people."""


class CommentError(Exception):
    """A comment is not taken; the message says why."""

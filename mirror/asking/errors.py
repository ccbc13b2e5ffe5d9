"""What is raised on purpose when somebody asks for what cannot be done."""

from __future__ import annotations


class AskingError(Exception):
    """Something asked for cannot be done; the message is fit to be shown."""

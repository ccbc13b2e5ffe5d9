"""Errors of backups, in words fit to be shown."""


class BackupError(Exception):
    """A backup was not made, or not restored; the message says why and what to do."""

"""A whole installation as one file, and back: the store's rows, stored files, uploads, and keys sealed with a passphrase."""

from mirror.upkeep.backup.errors import BackupError
from mirror.upkeep.backup.making import backup_make
from mirror.upkeep.backup.restoring import backup_restore, keys_take_out

__all__ = ["BackupError", "backup_make", "backup_restore", "keys_take_out"]

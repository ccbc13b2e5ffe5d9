"""Paths that move with the data folder: below `VAR_DIR` the store keeps them relative to it.

A backup that is restored elsewhere, or a folder that is moved, finds its files again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _

# How a path below the data folder begins in the store. No path that people type begins so: theirs are made absolute.
MARK = "$VAR_DIR/"


def contracted(path: str) -> str:
    """Give a path as the store keeps it; other paths than absolute ones below `VAR_DIR` stay as they are."""
    if not path.startswith("/"):
        return path
    folder = Path(settings.VAR_DIR)
    for root in (folder, folder.resolve()):
        if Path(path).is_relative_to(root):
            return f"{MARK}{Path(path).relative_to(root)}"
    return path


def expanded(kept: str) -> str:
    """Give a kept path as it is opened."""
    return str(Path(settings.VAR_DIR) / kept.removeprefix(MARK)) if kept.startswith(MARK) else kept


class KeptPathField(models.CharField):
    """A name or a path. Paths below `VAR_DIR` are relative in the store and absolute everywhere else."""

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Refuse a typed name that the store would take for a path below `VAR_DIR`."""
        super().validate(value, model_instance)
        if isinstance(value, str) and value.startswith(MARK):
            raise ValidationError(_("A name cannot begin with %(mark)s here.") % {"mark": MARK})

    def get_prep_value(self, value: Any) -> Any:
        kept = super().get_prep_value(value)
        return contracted(kept) if isinstance(kept, str) else kept

    def from_db_value(self, value: str | None, *_: Any) -> str | None:
        return expanded(value) if value else value

"""A file storage that waits while a test says so: a worker can be killed at that very moment."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage


class HeldStorage(FileSystemStorage):
    """Waits while there is a file `hold-<moment>` with a text that the name of what is kept contains.

    The moments are `writing`, when half of it is there, and `written`, when it is kept and nobody knows.
    """

    def _save(self, name: str, content: Any) -> str:
        self._wait("writing", name)
        kept = super()._save(name, content)
        self._wait("written", name)
        return kept

    def _wait(self, moment: str, name: str) -> None:
        order = Path(os.environ["MIRROR_HELD"]) / f"hold-{moment}"
        while order.exists() and order.read_text() in name:
            if moment == "writing":
                half = Path(self.path(name))
                half.parent.mkdir(parents=True, exist_ok=True)
                half.with_suffix(".half").write_text("half of it")
            order.with_name(f"held-{moment}-{os.getpid()}").touch()
            time.sleep(0.05)

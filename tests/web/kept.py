"""Rows and files that take seconds to make, made for the first test that begins with them and brought back for the others."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stores import store_bring, store_keep


@dataclass(frozen=True)
class Kept:
    """A folder with what was made, each under a name. Rows come back with the ids that they had."""

    folder: Path

    def given(self, name: str, media: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Give what `make` makes, in a store and a folder of files in which there is nothing yet."""
        place = self.folder / name
        if place.exists():
            store_bring(place / "store.sqlite3")
            shutil.copytree(place / "media", media, dirs_exist_ok=True)
        else:
            media.mkdir(parents=True, exist_ok=True)
            made = make()
            place.mkdir()
            store_keep(place / "store.sqlite3")
            shutil.copytree(media, place / "media")
            (place / "made").write_bytes(pickle.dumps(made))
        return dict(pickle.loads((place / "made").read_bytes()))

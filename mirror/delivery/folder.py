"""Files put in a folder, each written aside and renamed: a reader sees a whole file or none.

People who are not administrators stay in `REPORT_FOLDERS_DIR`. That is looked at again at each delivery, links resolved.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.file_names import dated_names
from mirror.delivery.mail_letter import text_file
from mirror.delivery.parcel import Attachment, Parcel
from mirror.delivery.reach import NOWHERE, Reach
from mirror.modes import machine_mode
from mirror.phrases import size
from sqlagent.errors import without_folders

_WORDS = {
    errno.ENOSPC: "there is no space left",
    errno.EDQUOT: "the quota is used up",
    errno.EFBIG: "the file is larger than may be written there",
    errno.EACCES: "Mirror may not write there",
    errno.EPERM: "Mirror may not write there",
    errno.EROFS: "it can only be read",
    errno.ENOTDIR: "a file stands where a folder should be",
    errno.EISDIR: "a folder stands where the file should be",
}


def check(target: Mapping[str, Any], secret: str, *, by_staff: bool, reach: Reach) -> dict[str, Any]:
    """Give the real path; relative ones start in `REPORT_FOLDERS_DIR`. Raises: ChannelError.

    A folder in there is made when it is needed; one elsewhere, which only staff may name, must be there.
    """
    typed = str(target.get("path", "")).strip()
    if "\x00" in typed or len(typed) > 400:
        raise ChannelError(_("This is not the path of a folder."), "path")
    base = _base()
    try:
        path = (base / Path(typed).expanduser()).resolve()
    except (OSError, RuntimeError):
        raise ChannelError(_("This is not the path of a folder."), "path") from None
    inside = path.is_relative_to(base)
    if not inside and not by_staff:
        raise ChannelError(
            _("Reports may be put under %(base)s only. An administrator may name other folders.")
            % {"base": base},
            "path",
        )
    if path.exists() and not path.is_dir():
        raise ChannelError(_("%(path)s is a file, not a folder.") % {"path": path}, "path")
    if not inside and not path.exists():
        raise ChannelError(_("There is no folder %(path)s.") % {"path": path}, "path")
    if path.exists() and not os.access(path, os.W_OK | os.X_OK):
        raise ChannelError(_("Mirror may not write to %(path)s.") % {"path": path}, "path")
    return {"path": str(path), "anywhere": not inside}


def _base() -> Path:
    base: Path = settings.REPORT_FOLDERS_DIR
    return base.resolve()


def describe(target: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the folder."""
    return (f"the folder {target.get('path', '')}",)


def deliver(
    target: Mapping[str, Any],
    secret: str,
    parcel: Parcel,
    to: str = "",
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> str:
    """Write the files of a parcel, or its text where it has none. Raises: DeliveryFailed.

    All are written aside first and renamed at the end, so a full disk leaves nothing behind.
    """
    base = Path(str(target.get("path", "")))
    names = dated_names(parcel if parcel.files else text_file(parcel))
    is_anywhere = bool(target.get("anywhere"))
    # Elsewhere others come for the files: what they may do there, the machine's own umask says.
    is_ours = base.resolve().is_relative_to(settings.VAR_DIR.resolve())
    aside: list[tuple[Path, Path]] = []
    try:
        _confined(base, base, is_anywhere=is_anywhere)
        for name, file in names:
            place = base / name
            _make(place.parent, is_ours)
            _confined(place.parent, base, is_anywhere=is_anywhere)
            part = place.with_name(f".{parcel.uid}-{len(aside)}.part")
            aside.append((part, place))
            _write(part, file)
            if not is_ours:
                machine_mode(part)
        if before:
            before()
        for part, place in aside:
            os.replace(part, place)
        _settle({place.parent for _, place in aside})
    except OSError as error:
        said = _WORDS.get(error.errno or 0) or (error.strerror or without_folders(str(error)))
        raise DeliveryFailed(f"The files could not be put in {base}: {said}.") from None
    finally:
        for part, _ in aside:
            _remove(part)
    total = size(sum(file.size for _, file in names))
    files = "1 file" if len(names) == 1 else f"{len(names)} files"
    return f"{files}, {total}, in {aside[0][1].parent}"


def _confined(folder: Path, base: Path, *, is_anywhere: bool) -> None:
    """Refuse a folder that a link leads out of where it may be. Raises: DeliveryFailed."""
    real, within = folder.resolve(), base if is_anywhere else _base()
    if not real.is_relative_to(within.resolve()):
        raise DeliveryFailed(f"The folder {folder} leads out of {within}.", is_permanent=True)


def _make(folder: Path, is_ours: bool) -> None:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if not is_ours:
        for one in missing:
            machine_mode(one)


def _write(path: Path, file: Attachment) -> None:
    """Copy a file in pieces and see it on the disk, so that a rename never gives an empty one."""
    with file.open() as source, path.open("wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
        copy.flush()
        os.fsync(copy.fileno())


def _settle(folders: set[Path]) -> None:
    for folder in folders:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        # A file that cannot be removed stays; it is hidden, and the next attempt writes over it.
        return

"""Names of what is put in a folder or a bucket: the parcel's title and number, the scheduled time, the file's own name.

The same run gives the same names at each attempt, so a second attempt overwrites what the first wrote and nothing is
there twice.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from mirror.delivery.parcel import Attachment, Parcel
from mirror.phrases import one_line

# Most file systems take 255 bytes a name; the date and a mark for a file half written need some of them.
NAME_BYTES = 180
# Names that are devices to Windows, with any ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)", re.I)


def dated_names(parcel: Parcel) -> list[tuple[str, Attachment]]:
    """Give each file its path below the folder: `title-7/2026-11-20_0800-name.csv`, in the parcel's zone.

    The number is the parcel's: two of one title do not overwrite each other's files. A run by hand has its seconds too, and a time that the clock shows twice its distance from UTC: no run
    overwrites another's.
    """
    folder, date = f"{safe_name(parcel.title, 'report')}-{parcel.number}", _dated(parcel)
    taken: set[str] = set()
    found = []
    for file in parcel.files:
        name = path = f"{folder}/{date}-{safe_name(file.name, 'file')}"
        number = 2
        while path.casefold() in taken:
            pure = PurePosixPath(name)
            path = f"{pure.parent}/{pure.stem}-{number}{pure.suffix}"
            number += 1
        taken.add(path.casefold())
        found.append((path, file))
    return found


def _dated(parcel: Parcel) -> str:
    zone = ZoneInfo(parcel.zone)
    if parcel.scheduled_for is None:
        return parcel.made_at.astimezone(zone).strftime("%Y-%m-%d_%H%M%S")
    at = parcel.scheduled_for.astimezone(zone)
    # Minutes are enough for a schedule, unless a clock that was set back shows them again.
    return at.strftime("%Y-%m-%d_%H%M%z" if at.fold else "%Y-%m-%d_%H%M")


def safe_name(text: str, otherwise: str) -> str:
    """Make a text one name that any file system takes and that leads nowhere else.

    Example:
        >>> safe_name("../../etc/passwd", "file"), safe_name("a: b?", "file"), safe_name("NUL.csv", "file")
        ('etc-passwd', 'a- b', '_NUL.csv')
        >>> safe_name("..", "file"), safe_name("Umsätze 2026", "file")
        ('file', 'Umsätze 2026')
    """
    name = one_line(unicodedata.normalize("NFC", text))
    name = re.sub(r'[/\\:*?"<>|]+', "-", name).strip(" .-")
    if _DEVICES.match(name):
        name = "_" + name
    if len(name.encode()) > NAME_BYTES:
        pure = PurePosixPath(name)
        suffix = pure.suffix if len(pure.suffix.encode()) <= 20 else ""
        kept = name.encode()[: NAME_BYTES - len(suffix.encode())].decode("utf-8", "ignore")
        name = kept.rstrip(" .-") + suffix
    return name or otherwise


def moment_utc(parcel: Parcel) -> str:
    """The parcel's own time in UTC, for what a bucket remembers of an object."""
    return (parcel.scheduled_for or parcel.made_at).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

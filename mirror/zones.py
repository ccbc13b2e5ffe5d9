"""Time zones by their names."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone_of(name: str) -> ZoneInfo:
    """Find a zone; UTC where this machine does not know it, or no longer.

    Example:
        >>> str(zone_of("Europe/Berlin")), str(zone_of("America")), str(zone_of("x" * 300))
        ('Europe/Berlin', 'UTC', 'UTC')
    """
    try:
        return ZoneInfo(name)
    except (
        ZoneInfoNotFoundError,
        ValueError,
        OSError,
    ):  # a folder of zones, a name longer than those of files
        return ZoneInfo("UTC")


def at_zone(instant: datetime, zone: str) -> datetime:
    """An instant on the clocks of a zone."""
    return instant.astimezone(zone_of(zone))

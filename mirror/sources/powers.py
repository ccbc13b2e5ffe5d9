"""Powers of a source's user beyond reading: kept with the source, told on pages, confirmed by administrators.

Where a deployment is in production, a user with severe powers (`sqlagent.values.SEVERITIES`) opens no new source
unless an administrator says so; sources that are there already are warned about until one does.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext_noop

from sqlagent.values import PASSWORD_HERE, Check, Power, Severity

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

# The words of `Severity`, which come from `sqlagent`: here for the catalogs of translations.
_SEVERITIES = (gettext_noop("severe"), gettext_noop("notable"), gettext_noop("mild"))

# Fields that open a source: a confirmation is about the user that is behind these.
WHERE = ("engine", "host", "port", "database", "username", "options", "tunnel")


@dataclass(frozen=True, slots=True)
class ReaderStep:
    """Statements to be copied; `sql` holds a password that was made for this one time."""

    title: str
    sql: str
    note: str
    is_for_everybody: bool


@dataclass(frozen=True, slots=True)
class Powers:
    """The powers of a user, severest first, as pairs of a severity and words; and how to have a user without them."""

    user: str
    lines: tuple[tuple[str, str], ...]
    steps: tuple[ReaderStep, ...]
    is_severe: bool
    is_confirmed: bool = False
    at: datetime | None = None

    @property
    def makes_user(self) -> bool:
        """The statements make a user, with a password."""
        return any(not step.is_for_everybody for step in self.steps)

    @property
    def is_warned_about(self) -> bool:
        """It is severe, and no administrator has confirmed it."""
        return self.is_severe and not self.is_confirmed


def powers_read(kept: dict[str, Any]) -> Powers:
    """Tell what `powers_kept` wrote of somebody whom no administrator has confirmed."""
    return _told(kept, ())


def powers_of(source: Source) -> Powers | None:
    """Tell what was last found of a source's user; None where nobody has looked, or there is nothing."""
    kept = source.powers
    if not kept or not kept["found"] or source.is_upload:
        return None
    return _told(kept, source.powers_confirmed)


def powers_kept(check: Check) -> dict[str, Any]:
    """Write what was found so that the store can keep it; no password is in it."""
    return {
        "user": check.user,
        "found": [[power.code, power.words] for power in check.powers],
        "steps": [[step.title, step.sql, step.note, step.is_for_everybody] for step in check.reader],
        "at": timezone.now().isoformat(),
    }


def powers_are_unconfirmed(source: Source) -> bool:
    """Say whether a source's user is known to have severe powers that no administrator has confirmed."""
    known = powers_of(source)
    return known is not None and known.is_warned_about


def powers_confirm(source: Source, by: User) -> None:
    """Record that an administrator accepts this user with all its powers; the source is not saved here.

    Powers found later have to be confirmed again.
    """
    source.powers_confirmed = sorted(_severe((source.powers or {}).get("found", [])))
    source.powers_confirmed_by, source.powers_confirmed_at = by, timezone.now()
    log.info("The powers of the user of source %s were confirmed by user %s", source.pk, by.pk)


def powers_forget(source: Source) -> None:
    """Take a confirmation back: the source leads elsewhere, or there as another user. It is not saved here."""
    source.powers_confirmed = []
    source.powers_confirmed_by = source.powers_confirmed_at = None


def is_moved(source: Source) -> bool:
    """Say whether a source, as it is to be saved, leads elsewhere than the one that is kept, or is new."""
    kept = type(source).objects.filter(pk=source.pk).values(*WHERE).first() if source.pk else None
    return kept is None or any(kept[name] != getattr(source, name) for name in WHERE)


def _severe(found: list[list[str]]) -> set[str]:
    return {code for code, words in found if Power(code, words).severity is Severity.SEVERE}


def _told(kept: dict[str, Any], confirmed: Any) -> Powers:
    severe, password = _severe(kept["found"]), secrets.token_urlsafe(18)
    return Powers(
        user=kept["user"],
        lines=tuple((str(Power(code, words).severity), words) for code, words in kept["found"]),
        steps=tuple(
            ReaderStep(title, sql.replace(PASSWORD_HERE, password), note, everybody)
            for title, sql, note, everybody in kept["steps"]
        ),
        is_severe=bool(severe),
        is_confirmed=bool(severe) and severe <= set(confirmed),
        at=datetime.fromisoformat(kept["at"]),
    )

"""Changes of a source: only typed fields are written, and nothing that was decided while its database was opened.

Opening takes seconds to minutes. The owner may give a team a login in that time, withhold a column or set a limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from mirror.secrets import Sealed, SecretUnreadable
from mirror.sources.errors import NotTried
from mirror.sources.models import Source, SourceLogin, WithheldName
from mirror.sources.powers import WHERE
from mirror.sources.tunnels import SECRETS

# Where a source leads, and whose it is: what was tried holds for these alone.
LEADS = (*WHERE, *SECRETS, "owner_id")
CONFIRMED = ("powers_confirmed", "powers_confirmed_by_id", "powers_confirmed_at")
WRITTEN = ("name", "description", "privacy", *WHERE, *CONFIRMED)
# Fields that the catalog's own writing keeps, and that may be large.
OF_CATALOG = ("catalog", "catalog_version", "catalog_at", "powers")

MEANWHILE = gettext_noop(
    "The source was changed otherwise, handed over or deleted while its database was opened."
)
LOOK = gettext_noop("Look at it, then change it again.")


@dataclass(frozen=True, slots=True)
class Before:
    """A source as it was kept before its database was opened."""

    kept: dict[str, Any]
    new_secrets: tuple[str, ...]


def source_before(source: Source) -> Before:
    """Read how a source is kept, to be held against how it is to be kept. Raises: NotTried where it is gone."""
    kept = Source.objects.filter(pk=source.pk).values(*WRITTEN, *LEADS).first()
    if kept is None:
        raise NotTried(MEANWHILE)
    return Before(kept, tuple(name for name in SECRETS if _is_new(source.__dict__.get(name, ""), kept[name])))


def _is_new(secret: Any, kept: Any) -> bool:
    """Say whether a secret is another than the kept one. One that no key opens any more is."""
    if secret == kept or not isinstance(kept, Sealed):
        return bool(secret != kept)
    try:
        return kept.opened() != (secret.opened() if isinstance(secret, Sealed) else secret)
    except SecretUnreadable:
        return True


def source_write(source: Source, before: Before) -> None:
    """Write what a change is about, within a transaction; all else is taken from the store. Raises: NotTried.

    Whether teams have logins and names are withheld is counted anew, while nobody else changes that.
    """
    now = Source.objects.select_for_update().filter(pk=source.pk).values(*LEADS).first()
    if now is None or any(now[name] != before.kept[name] for name in LEADS):
        raise NotTried(MEANWHILE, LOOK)
    names = [name for name in WRITTEN if getattr(source, name) != before.kept[name]]
    names += before.new_secrets
    ours = {*names, *SECRETS, *OF_CATALOG}
    fields = [field.attname for field in Source._meta.concrete_fields if not field.primary_key]
    source.refresh_from_db(fields=[name for name in fields if name not in ours])
    source.withholds = WithheldName.objects.filter(source=source).exists()
    source.maps_logins = SourceLogin.objects.filter(source=source).exists()
    source.save(update_fields=[*names, "withholds", "maps_logins"])

"""Faults of an installation, in plain words, each with its remedy. Nothing is changed, and only the servers of the
settings are called.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.models import Q
from django.utils import timezone

from mirror.asking.models import Run
from mirror.audit.chain import chain_faults
from mirror.exports.images.browser import browser_path
from mirror.health.services import whats_down
from mirror.modes import too_open
from mirror.people.models import Passkey, User
from mirror.people.passkeys.places import home_host
from mirror.people.provider import wire
from mirror.people.provider.configured import provider
from mirror.people.provider.errors import ProviderError
from mirror.people.selectors import password_exists
from mirror.phrases import counted, size
from mirror.reports.models import Channel, Delivery, Report, ReportFile, ReportRun
from mirror.reports.sending.pausing import pause_now
from mirror.results.models import StoredResult
from mirror.secrets import SecretUnreadable, secrets_unreadable
from mirror.sources.models import Source
from mirror.upkeep.backup import store_state
from mirror.work.leases import Status

# Less room than this on a disk is told, and far less is wrong (bytes).
LITTLE_ROOM, NO_ROOM = 5_000_000_000, 500_000_000
# Work that waits longer than this waits for a worker that is not there.
WAITS = timedelta(minutes=15)
# The newest stored files of each kind that are looked for.
LOOKED_FOR = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """One look: whether it is wrong or only worth a look, what was found, and what to do."""

    about: str
    state: str
    words: str
    advice: str = ""


def good(about: str, words: str) -> Finding:
    """All is well."""
    return Finding(about, "good", words)


def look(about: str, words: str, advice: str) -> Finding:
    """Mirror works; somebody should look at this."""
    return Finding(about, "look", words, advice)


def wrong(about: str, words: str, advice: str) -> Finding:
    """Something does not work."""
    return Finding(about, "wrong", words, advice)


def findings() -> Iterator[Finding]:
    """Look at everything, the store first: without it there is no more to look at."""
    try:
        yield from _version()
        if store_state.missing(store_state.applied()):
            return
    except DatabaseError as error:
        yield wrong(
            "store",
            f"It does not answer: {str(error).strip()}",
            "Is DATABASE_URL right, and is that server up?",
        )
        return
    for looks in _LOOKS:
        try:
            yield from looks()
        except (DatabaseError, OSError) as error:
            yield wrong(looks.__name__.strip("_"), f"It could not be looked at: {error}", "See the message.")


def _version() -> Iterator[Finding]:
    named = store_state.applied()
    if newer := store_state.unknown(named):
        yield wrong(
            "store",
            f"It is of a newer Mirror ({newer[-1]}).",
            "Start that version, or restore a backup of this one.",
        )
    elif not named:
        yield wrong("store", "It has no tables.", "Start Mirror once, or run: manage.py migrate")
    elif lacking := store_state.missing(named):
        yield wrong(
            "store",
            f"It lacks {counted(len(lacking), 'migration')}.",
            "Start Mirror, or run: manage.py migrate",
        )
    else:
        yield good("store", f"{connection.vendor} answers and is of this version.")


def _people() -> Iterator[Finding]:
    if not User.objects.filter(is_staff=True, is_active=True).exists():
        yield wrong("people", "There is no administrator.", "Make one: manage.py sign_in_link")
    elif not password_exists():
        yield look("people", "Nobody has a password yet.", "Sign in with: manage.py sign_in_link")
    else:
        yield good(
            "people",
            f"{counted(User.objects.filter(is_active=True, is_service=False).count(), 'person', 'people')} may sign in.",
        )
    if left := User.objects.filter(
        is_active=False, reports__is_paused=False, reports__next_at__isnull=False
    ).distinct():
        names = ", ".join(person.username for person in left[:5])
        yield look("people", f"Reports of {names} still run, who left.", "Transfer them: People, Owns.")
    if elsewhere := Passkey.objects.exclude(host=home_host()).count():
        yield look(
            "people",
            f"{counted(elsewhere, 'passkey')} will not work at {home_host()}, bound to another name as they are.",
            "Set SITE_URL back, or have their people sign in by a code or a recovery code and add others.",
        )


def _sign_in() -> Iterator[Finding]:
    at = provider()
    if at is None:
        return
    try:
        wire.keys(at)
        yield good("sign-in", f"{at.name} answers and tells its keys.")
    except ProviderError as error:
        yield wrong("sign-in", str(error), str(error.advice))
    if not User.objects.filter(is_staff=True, is_active=True, identity=None).exists():
        yield look(
            "sign-in",
            f"All administrators sign in by {at.name}: while it is down, nobody manages people.",
            "Keep one with a password of Mirror.",
        )


def _secrets() -> Iterator[Finding]:
    try:
        lost = sum(len(pks) for _, pks in secrets_unreadable())
    except SecretUnreadable as error:
        yield wrong("keys", str(error), "Set the key that the secrets were written with.")
        return
    if lost:
        yield wrong(
            "keys",
            f"No key opens {counted(lost, 'stored secret')}.",
            "Add the key they were written with to the end of MIRROR_ENCRYPTION_KEYS, or type the passwords anew.",
        )
    else:
        yield good("keys", "They open every stored secret.")


def _parts() -> Iterator[Finding]:
    down = whats_down()
    for part, words in down.items():
        yield wrong(part, words, "Is Mirror started? script/server, or the unit or container of this part.")
    if not down:
        yield good("parts", "Store, broker and workers answer.")
    late = Q(status=Status.QUEUED, created_at__lt=timezone.now() - WAITS)
    waiting = {
        "question": Run.objects.filter(late).count(),
        "run of a report": ReportRun.objects.filter(late, not_before=None).count(),
        "delivery": Delivery.objects.filter(late, not_before=None).count(),
    }
    for name, count in waiting.items():
        if count:
            many = {"run of a report": "runs of reports", "delivery": "deliveries"}.get(name, "")
            said = f"{counted(count, name, many)} waited longer than 15 minutes."
            yield look("queues", said, "Start more workers, or see their logs.")


def _disk() -> Iterator[Finding]:
    places = {"data folder": Path(settings.VAR_DIR)}
    if not settings.S3_BUCKET:
        places["stored results"] = Path(settings.MEDIA_ROOT)
    for name, place in places.items():
        if not place.is_dir():
            continue
        free = shutil.disk_usage(place).free
        if free < NO_ROOM:
            yield wrong(
                "disk", f"{size(free)} are left for the {name}.", "Make room: soon nothing can be kept."
            )
        elif free < LITTLE_ROOM:
            yield look("disk", f"{size(free)} are left for the {name}.", "Make room, or lower RESULT_DAYS.")
        else:
            yield good("disk", f"{size(free)} are left for the {name}.")
    if opened := next(too_open(Path(settings.VAR_DIR)), None):
        yield look(
            "disk", f"Others on this machine may enter {opened}.", "script/server closes it when it starts."
        )
    if os.name == "posix" and os.geteuid() == 0 and settings.PRODUCTION:
        yield look("disk", "This runs as root.", "Run Mirror as a user of its own.")


def _files() -> Iterator[Finding]:
    lost = [
        row.name
        for row in Source.objects.filter(engine__in=["sqlite", "duckdb"])
        if not Path(row.database).is_file()
    ]
    if lost:
        yield wrong(
            "files",
            f"The files of these sources are gone: {', '.join(lost[:10])}.",
            "Restore them, or delete the sources.",
        )
    stored = [
        *StoredResult.objects.order_by("-created_at").values_list("file", flat=True)[:LOOKED_FOR],
        *ReportFile.objects.order_by("-pk").values_list("file", flat=True)[:LOOKED_FOR],
    ]
    gone = sum(1 for name in stored if name and not default_storage.exists(name))
    if gone:
        yield wrong(
            "files",
            f"{gone:,} of the newest {len(stored):,} stored files are gone.",
            "Is MEDIA_ROOT or S3_BUCKET the right one?",
        )
    if not lost and not gone:
        yield good("files", "Files of sources and the newest stored files are there.")


def _served() -> Iterator[Finding]:
    if not settings.PRODUCTION:
        yield look("serving", "PRODUCTION is not set.", "Set it where others come in (docs/deploy.md).")
        return
    site = urlsplit(settings.SITE_URL)
    if site.hostname in (None, "localhost", "127.0.0.1"):
        yield wrong(
            "serving",
            f"SITE_URL is {settings.SITE_URL}: links in mails lead nowhere.",
            "Set it to the address people use.",
        )
    elif site.hostname not in settings.ALLOWED_HOSTS and "*" not in settings.ALLOWED_HOSTS:
        yield wrong(
            "serving", f"ALLOWED_HOSTS does not name {site.hostname}.", "Add it, or every page is refused."
        )
    if site.scheme == "https" and not settings.SECURE_COOKIES:
        yield wrong("serving", "Cookies are sent without TLS too.", "Set SECURE_COOKIES=true.")
    if site.scheme == "https" and not settings.TRUSTED_PROXIES:
        yield wrong(
            "serving",
            "No proxy is trusted, so everybody counts as one address and forms are refused.",
            "Set TRUSTED_PROXIES.",
        )
    if site.scheme == "http":
        yield look("serving", "Pages are served without TLS.", "Put a TLS proxy in front (docs/deploy.md).")
    if settings.DEBUG:
        yield wrong("serving", "DEBUG shows stack traces to everybody.", "Set DEBUG=false.")
    if settings.SECURE_COOKIES and settings.TRUSTED_PROXIES and not settings.DEBUG:
        yield good("serving", f"{settings.SITE_URL}, over TLS.")


def _reports() -> Iterator[Finding]:
    if pause := pause_now():
        yield look(
            "reports",
            f"All sending is paused. {pause.why}".strip(),
            "manage.py sending resume, or People, Mail and webhooks.",
        )
    if Channel.objects.filter(kind=Channel.Kind.MAIL).exists() and not settings.EMAIL_HOST:
        yield wrong(
            "reports", "Reports go by mail, and no mail server is set.", "Set EMAIL_HOST and MAIL_FROM."
        )
    day = timezone.now() - timedelta(days=1)
    if failed := Delivery.objects.filter(state=Delivery.State.GIVEN_UP, ended_at__gt=day).count():
        yield look(
            "reports",
            f"{counted(failed, 'delivery', 'deliveries')} of the last day were given up.",
            "The pages of their runs say why.",
        )
    late = Report.objects.filter(is_paused=False, next_at__lt=timezone.now() - WAITS)
    if pause is None and late.exists():
        yield wrong(
            "reports", f"{counted(late.count(), 'report')} should have run.", "Does the scheduler run?"
        )
    if settings.CHART_IMAGES != "simple" and browser_path() is None:
        yield look(
            "reports",
            "No Chromium was found: charts in mails are drawn plainer.",
            "Install chromium, or set CHART_IMAGES=simple.",
        )
    if not any((pause, late.exists())):
        yield good(
            "reports",
            f"{counted(Report.objects.filter(next_at__isnull=False).count(), 'report')} on schedule.",
        )


def _audit() -> Iterator[Finding]:
    if fault := next(chain_faults(), ""):
        yield wrong(
            "audit",
            f"Rows were changed: {fault}",
            "manage.py audit --verify lists all. Hold them against what you exported.",
        )
    else:
        yield good("audit", "Every row is what it was.")


_LOOKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    _people,
    _sign_in,
    _secrets,
    _parts,
    _disk,
    _files,
    _served,
    _reports,
    _audit,
)

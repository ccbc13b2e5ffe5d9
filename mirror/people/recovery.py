"""Recovery codes: each stands in for somebody's second factor once. Only their hashes are kept."""

from __future__ import annotations

import base64
import secrets

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from mirror.audit.services import record
from mirror.people.models import RecoveryCode, User

CODES = 10
# Bytes of a code: sixteen letters and digits.
CODE_BYTES = 10


@transaction.atomic
def recovery_make(user: User) -> list[str]:
    """Make other recovery codes, which are not kept; the earlier ones end."""
    recovery_forget(user)
    codes = [base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode() for _ in range(CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, code_hash=_hash(user, code)) for code in codes)
    record("made recovery codes", user, by=user)
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in codes]


@transaction.atomic
def recovery_use(user: User, code: str) -> bool:
    """Use up a code, in capitals without dashes; say whether it was one of theirs that was left."""
    row = RecoveryCode.objects.filter(user=user, code_hash=_hash(user, code), used_at=None)
    if not row.update(used_at=timezone.now()):
        return False
    record("used a recovery code", user, by=user, left=recovery_left(user))
    return True


def recovery_left(user: User) -> int:
    """How many recovery codes somebody has that were not used."""
    return RecoveryCode.objects.filter(user=user, used_at=None).count()


def recovery_forget(user: User) -> None:
    """End all recovery codes of somebody."""
    RecoveryCode.objects.filter(user=user).delete()


def _hash(user: User, code: str) -> str:
    return salted_hmac("mirror.people.codes", f"{user.pk}\0{code}", algorithm="sha256").hexdigest()

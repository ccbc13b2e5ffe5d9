"""Sessions as rows that say whose they are, so that people see theirs and end them.

Django's own store keeps the person inside the encoded data, where nothing can be looked up. A session begun by the
identity provider ends with its word: `OIDC_GRACE_MINUTES` after the provider last vouched for the person.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as RowStore
from django.utils import timezone

from mirror.people.models import Identity, Session
from mirror.people.ways import way_of

# The key of a session's data for its address, browser and beginning.
FROM = "from"
# The time of the last use is kept to so much.
SEEN = timedelta(minutes=5)
# How long a session lives in which nobody is signed in.
ANONYMOUS = timedelta(hours=1)


class SessionStore(RowStore):
    """Sessions in the table of `Session`."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Make the row of a session's data."""
        row = super().create_model_instance(data)
        assert isinstance(row, Session)
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.way = way_of(str(data.get(BACKEND_SESSION_KEY, ""))) or ""
        row.address, row.browser, begun = data.get(FROM, ("", "", ""))
        row.begun_at = datetime.fromisoformat(begun) if begun else None
        row.seen_at = timezone.now()
        if row.user_id is None:
            row.expire_date = min(row.expire_date, row.seen_at + ANONYMOUS)
        if row.way == Session.Way.PROVIDER:
            row.expire_date = min(row.expire_date, vouched_until(int(data[SESSION_KEY])))
        return row

    async def acreate_model_instance(self, data: dict[str, Any]) -> Session:
        """Make the row of a session's data, for asynchronous views."""
        return await sync_to_async(self.create_model_instance)(data)

    def _get_session_from_db(self) -> Session | None:
        row: Session | None = super()._get_session_from_db()  # type: ignore[misc]
        now = timezone.now()
        if row is not None and row.seen_at < now - SEEN:
            Session.objects.filter(pk=row.pk).update(seen_at=now)
        return row


def vouched_until(user_id: int) -> datetime:
    """Tell until when sessions by the provider go on without another word of it; now where there is no account."""
    account = Identity.objects.filter(user_id=user_id).first()
    if account is None or account.vouched_at is None:
        return timezone.now()
    return account.vouched_at + timedelta(minutes=settings.OIDC_GRACE_MINUTES)

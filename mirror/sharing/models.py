"""Links that show one question, thread or dashboard without signing in, and mails to members of the teams that one, or saved SQL, is shared with."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from mirror.asking.models import Run, Thread, Version
from mirror.dashboards.models import Dashboard
from mirror.library.models import SavedSql
from mirror.work.leases import Retried


class ShareLink(models.Model):
    """A link to one version of a question, one thread or one dashboard, for a time, until it is revoked.

    Its address is its id, signed: none is kept, and none is made without the keys of the installation. `values` lists for each parameter
    of a dashboard the values that may be chosen, the first of which is shown first.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="share_links"
    )
    version = models.ForeignKey(Version, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    dashboard = models.ForeignKey(
        Dashboard, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    values = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    opened = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="link_to_one_thing",
                condition=Q(version__isnull=False, thread=None, dashboard=None)
                | Q(version=None, thread__isnull=False, dashboard=None)
                | Q(version=None, thread=None, dashboard__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return str(self.thing)

    @property
    def thing(self) -> Version | Thread | Dashboard:
        """The one thing that it shows."""
        return self.version or self.thread or self.dashboard  # type: ignore[return-value]  # the store keeps no link to nothing


class ShareNotice(Retried):
    """One person with whose team one question, thread, dashboard or saved SQL was shared by somebody, and the mail that tells them, once.

    `uid` names the mail, the same at each attempt. DONE means sent or not to be sent; `answer` says which.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    shared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    dashboard = models.ForeignKey(
        Dashboard, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    saved = models.ForeignKey(SavedSql, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    is_sent = models.BooleanField(default=False)
    answer = models.TextField(blank=True, help_text="What the mail server said, or why no mail went out")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "run"], name="one_notice_a_question"),
            models.UniqueConstraint(fields=["person", "thread"], name="one_notice_a_thread"),
            models.UniqueConstraint(fields=["person", "dashboard"], name="one_notice_a_dashboard"),
            models.UniqueConstraint(fields=["person", "saved"], name="one_notice_a_saved_sql"),
            models.CheckConstraint(
                name="notice_of_one_thing",
                condition=Q(run__isnull=False, thread=None, dashboard=None, saved=None)
                | Q(run=None, thread__isnull=False, dashboard=None, saved=None)
                | Q(run=None, thread=None, dashboard__isnull=False, saved=None)
                | Q(run=None, thread=None, dashboard=None, saved__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"Notice to {self.person} of {self.thing}"

    @property
    def thing(self) -> Run | Thread | Dashboard | SavedSql:
        """The one thing that is shared."""
        return self.run or self.thread or self.dashboard or self.saved  # type: ignore[return-value]  # the store keeps no notice of nothing


class NoticesOff(models.Model):
    """That a person wants no mails about what is shared with their teams."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"No mails of sharing to {self.person}"

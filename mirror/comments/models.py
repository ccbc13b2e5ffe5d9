"""Comments on questions and dashboards, and the mails to people who are mentioned in them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from mirror.asking.models import Run
from mirror.dashboards.models import Dashboard
from mirror.work.leases import Retried

TEXT_CHARS = 4_000


class Comment(models.Model):
    """Plain text about one question or one dashboard, seen by those who see that."""

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="comments")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, blank=True, related_name="comments")
    dashboard = models.ForeignKey(
        Dashboard, on_delete=models.CASCADE, null=True, blank=True, related_name="comments"
    )
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                name="comment_on_one_thing",
                condition=Q(run__isnull=False, dashboard=None) | Q(run=None, dashboard__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"Comment {self.pk}"


class Mention(Retried):
    """One person who is mentioned in a comment, and the mail that tells them, once.

    `uid` names the mail, the same at each attempt. DONE means sent or not to be sent; `answer` says which.
    """

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="mentions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    is_sent = models.BooleanField(default=False)
    answer = models.TextField(blank=True, help_text="What the mail server said, or why no mail went out")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comment", "person"], name="one_mention_a_person")]

    def __str__(self) -> str:
        return f"Mention of {self.person} in comment {self.comment_id}"


class MailsOff(models.Model):
    """That a person wants no mails about mentions."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"No mails of mentions to {self.person}"

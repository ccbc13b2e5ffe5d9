"""Users, the teams they are in, the one-time links that sign them in, and what bounds what they do."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.auth.password_validation import validate_password
from django.db import models


class People(UserManager["User"]):
    """Makes users, from a shell too, with no password that a form would refuse."""

    use_in_migrations = False

    def create_user(
        self, username: str, email: str | None = "", password: str | None = None, **fields: Any
    ) -> User:
        """Make and save a user. Raises: ValidationError for a weak password."""
        self._check(username, email, password, fields)
        made: User = super().create_user(username, email, password, **fields)
        return made

    def create_superuser(
        self, username: str, email: str | None = "", password: str | None = None, **fields: Any
    ) -> User:
        """Make and save a superuser, as `manage.py createsuperuser` does. Raises: ValidationError for a weak password."""
        self._check(username, email, password, fields)
        made: User = super().create_superuser(username, email, password, **fields)
        return made

    def _check(self, username: str, email: str | None, password: str | None, fields: dict[str, Any]) -> None:
        if password is not None:
            validate_password(password, self.model(username=username, email=email or "", **fields))


class User(AbstractUser):
    """A person who signs in. Staff manage people; everyone else sees what is shared with them.

    `email_is_typed`: the person typed the mail address, so nobody else vouches for it. One that `is_service` is no person:
    programs act as it by tokens alone, within what is shared with its teams.
    """

    email_is_typed = models.BooleanField(default=False)
    is_service = models.BooleanField(default=False)

    objects: ClassVar[People] = People()


class WrongPasswords(models.Model):
    """How often a password was tried in vain, by a hashed name, address or browser."""

    key = models.CharField(max_length=64, unique=True)
    tries = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)


class Team(models.Model):
    """People who share sources and saved SQL."""

    name = models.CharField(max_length=80, unique=True)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person in one team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    is_manager = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="one_membership_each")]


class SignInLink(models.Model):
    """A link that signs one person in once. Only the hash of its token is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    token_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)


class Quota(models.Model):
    """What one person may do so many times within a while. The row is locked while a use is counted."""

    class Kind(models.TextChoices):
        MAILS = "mails", "mails"
        CALLS = "calls", "calls of webhooks and the like"
        ASKS = "asks", "outside addresses asked for their consent"
        TESTS = "tests", "connection tests"

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="quotas")
    kind = models.CharField(max_length=10, choices=Kind)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "kind"], name="one_quota_a_kind")]


class QuotaUse(models.Model):
    """One use of a quota. `key` names what was done: what is tried again under one key is one use."""

    quota = models.ForeignKey(Quota, on_delete=models.CASCADE, related_name="uses")
    key = models.CharField(max_length=40)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["quota", "key"], name="one_use_a_key")]
        indexes = [models.Index(fields=["quota", "at"], name="quota_use_at")]


class QuotaMet(models.Model):
    """That somebody came upon the bound of a quota: one row an hour, told to administrators once.

    `most` is the bound as it was, `held` how often something was held back.
    """

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="quotas_met")
    kind = models.CharField(max_length=10, choices=Quota.Kind)
    most = models.PositiveIntegerField()
    held = models.PositiveIntegerField(default=1)
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-at", "-pk"]

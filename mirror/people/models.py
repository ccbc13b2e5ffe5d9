"""Users, the teams they are in, and the one-time links that sign them in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.auth.password_validation import validate_password
from django.db import models


class People(UserManager):
    """Makes users, from a shell too, with no password that a form would refuse."""

    use_in_migrations = False

    def create_user(self, username: str, email: str = "", password: str | None = None, **fields: Any) -> User:
        """Make and save a user. Raises: ValidationError for a weak password."""
        self._check(username, email, password, fields)
        made: User = super().create_user(username, email, password, **fields)
        return made

    def create_superuser(
        self, username: str, email: str = "", password: str | None = None, **fields: Any
    ) -> User:
        """Make and save a superuser, as `manage.py createsuperuser` does. Raises: ValidationError for a weak password."""
        self._check(username, email, password, fields)
        made: User = super().create_superuser(username, email, password, **fields)
        return made

    def _check(self, username: str, email: str, password: str | None, fields: dict[str, Any]) -> None:
        if password is not None:
            validate_password(password, self.model(username=username, email=email or "", **fields))


class User(AbstractUser):
    """A person who signs in. Staff manage people; everyone else sees what is shared with them."""

    objects = People()


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

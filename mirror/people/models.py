"""Users, the teams they are in, and the one-time links that sign them in."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A person who signs in. Staff manage people; everyone else sees what is shared with them."""


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

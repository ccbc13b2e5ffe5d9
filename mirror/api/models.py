"""Tokens by which programs and agents act for a person, and calls that are made once however often they are sent."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy


class Scope(models.TextChoices):
    """The rights of a token's holder, within those of its person."""

    READ = "read", gettext_lazy("Read sources and their tables")
    ASK = "ask", gettext_lazy("Ask questions and choose readings")
    SQL = "sql", gettext_lazy("Run SQL")
    ROWS = "rows", gettext_lazy("Fetch rows")
    SAVED = "saved", gettext_lazy("List and run saved SQL")
    REPORTS = "reports", gettext_lazy("List and run reports")


class Token(models.Model):
    """A secret by which a program or an agent acts as a person, within its scopes and sources.

    The store keeps the secret's hash, and its last letters to tell tokens apart by. `is_limited` ones see `sources` alone, none
    when these are gone. `free_at` is how far its calls are ahead of the allowed pace (`services.token_use`).
    """

    class Use(models.TextChoices):
        PROGRAM = "program", gettext_lazy("A program")
        AGENT = "agent", gettext_lazy("An agent")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    use = models.CharField(max_length=10, choices=Use, default=Use.PROGRAM)
    token_hash = models.CharField(max_length=64, unique=True)
    ending = models.CharField(max_length=4)
    scopes = models.JSONField(default=list)
    is_limited = models.BooleanField(default=False)
    sources = models.ManyToManyField("sources.Source", blank=True, related_name="tokens")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_from = models.CharField(max_length=64, blank=True)
    free_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def works(self) -> bool:
        """It is neither revoked nor over."""
        return self.revoked_at is None and self.expires_at > timezone.now()

    @property
    def scope_labels(self) -> list[str]:
        """The scopes in words."""
        return [str(scope.label) for scope in Scope if scope.value in self.scopes]


class KeptCall(models.Model):
    """The answer to a call with an `Idempotency-Key`, given again to the same call. Forgotten after a day."""

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="calls")
    key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64, help_text="Of the method, the address and the body")
    location = models.CharField(max_length=200, blank=True)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="one_call_a_key")]

    def __str__(self) -> str:
        return self.key

"""Language models that administrators set in the interface, and tests of them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from mirror.secrets import EncryptedTextField
from mirror.sources.models import Source
from mirror.work.leases import Leased

NAME_CHARS, MODEL_CHARS, URL_CHARS = 60, 120, 500
# A model's name with that of its endpoint, and room.
LABEL_CHARS = 200


class Endpoint(models.Model):
    """A language model at one server.

    Asked for all sources or for `sources`, while it `is_on`; in the order of `place`, so that each is the fallback of those
    before it. Prices are for a million tokens, in `LLM_CURRENCY`. `trouble` says why its server or its settings failed the last call, since
    `trouble_at`; empty where it replied, or was changed since.
    """

    name = models.CharField(max_length=NAME_CHARS, unique=True)
    base_url = models.CharField(max_length=URL_CHARS)
    model = models.CharField(max_length=MODEL_CHARS)
    key = EncryptedTextField(blank=True, default="")
    price_prompt = models.FloatField(default=0.0)
    price_reply = models.FloatField(default=0.0)
    is_for_all = models.BooleanField(default=True)
    sources = models.ManyToManyField(Source, blank=True, related_name="endpoints")
    is_on = models.BooleanField(default=True)
    place = models.PositiveIntegerField(default=0)
    trouble = models.TextField(blank=True, default="")
    trouble_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["place", "pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> str:
        """How people know the model: by its name and its endpoint's."""
        return f"{self.model} ({self.name})"


class SettingsTrouble(models.Model):
    """Why the last call of a language model of the settings (`.env`) failed; no row where it replied.

    `key` names the model with all its settings, of which none can be read from it: under other settings the trouble is another's.
    """

    key = models.CharField(primary_key=True, max_length=64)
    trouble = models.TextField()
    trouble_at = models.DateTimeField()


class EndpointTest(Leased):
    """One call of an endpoint for an administrator who waits; without `endpoint`, of the model of the settings.

    `said` is what was sent and what came back. Seen by `owner` alone, forgotten after an hour.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, null=True, blank=True)
    said = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"Test {self.pk}"


class Use(models.Model):
    """The use of one language model by one run; without `run`, by a test of an administrator or a question of a shell.

    It stays when its run goes. `month` is the first of its month; `teams` are those its person was in at the time.
    `cached_tokens` are those of the prompt's that the server read from its cache; `estimated_tokens` those of both kinds that no server counted.
    """

    month = models.DateField()
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="llm_uses"
    )
    teams = models.ManyToManyField("people.Team", blank=True, related_name="llm_uses")
    source = models.ForeignKey(
        Source, on_delete=models.SET_NULL, null=True, blank=True, related_name="llm_uses"
    )
    run = models.PositiveBigIntegerField(null=True, blank=True)
    llm = models.CharField(max_length=LABEL_CHARS)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    reply_tokens = models.PositiveBigIntegerField(default=0)
    estimated_tokens = models.PositiveBigIntegerField(default=0)
    money = models.FloatField(default=0.0)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["month", "person"], name="llm_use_person"),
            models.Index(fields=["month", "source"], name="llm_use_source"),
        ]

    def __str__(self) -> str:
        return f"{self.llm}, {self.month:%Y-%m}"


class MonthlyBudget(models.Model):
    """A bound on the use of language models in a month by a person, a team or a source; without any of them, by every person.

    An empty bound bounds nothing; 0 lets nothing be used. `key` names what it is about, so that each has one at most.
    """

    EVERYBODY = "everybody"

    key = models.CharField(max_length=40, unique=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    team = models.ForeignKey("people.Team", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    tokens = models.PositiveBigIntegerField(null=True, blank=True)
    money = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        about = self.person or self.team or self.source
        return str(about) if about is not None else "every person"

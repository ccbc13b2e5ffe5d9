"""A team's knowledge of a source: terms, answers that were verified, and what people say of answers."""

from __future__ import annotations

import hashlib
import json
import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.work.leases import Leased, Retried


class StoredTerm(models.Model):
    """A phrase and what it means in one source. `body` is as it was typed, `sql` the same with full names; of a rule both are text.

    One with a `problem` no longer works and explains nothing until its body fits the tables again. One that `holds_values` was made of
    verified SQL by an improvement, and stays so when it is changed: its stored values are no words that somebody typed for language models.
    """

    class Kind(models.TextChoices):
        NAME = "name", _("a table or column")
        FILTER = "filter", _("a condition")
        MEASURE = "measure", _("a figure")
        VALUE = "value", _("a stored value")
        RULE = "rule", _("a rule for language models")

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        FORCE = "force", _("in force")
        RETIRED = "retired", _("retired")

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="terms")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    phrase = models.CharField(max_length=80)
    kind = models.CharField(max_length=10, choices=Kind)
    synonyms = models.JSONField(default=list, blank=True)
    body = models.TextField()
    sql = models.TextField(blank=True)
    unit = models.CharField(max_length=20, blank=True)
    description = models.CharField(max_length=300, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.FORCE)
    problem = models.TextField(blank=True)
    holds_values = models.BooleanField(
        default=False, help_text="Made of verified SQL: its values are masked as stored ones are"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["phrase", "pk"]

    def __str__(self) -> str:
        return self.phrase

    @property
    def state(self) -> str:
        """How it stands, in a word."""
        return "broken" if self.problem and self.status == self.Status.FORCE else self.get_status_display()


class Trial(Leased):
    """A term that a worker tries on its source before it is saved: whether it runs, and which answers it would change.

    `wish` is what was typed, `said` what came of it. Seen by `owner` alone, forgotten after a day.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="+")
    term = models.ForeignKey(StoredTerm, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    wish = models.JSONField(default=dict)
    said = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"Trial of {self.wish.get('phrase', '')}"


class StoredAnswer(models.Model):
    """A question as it was asked and SQL that somebody vouched for, with the shape of what it gave then.

    In force until it is taken back. One with a `problem` no longer runs and answers nothing.
    """

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="verified")
    question = models.TextField()
    sql = models.TextField()
    arguments = models.JSONField(default=dict, blank=True, help_text="Values that were put into its SQL")
    columns = models.JSONField(default=list, blank=True, help_text="Name and kind of each")
    row_count = models.PositiveIntegerField(null=True, blank=True)
    verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    verified_at = models.DateTimeField(default=timezone.now)
    problem = models.TextField(blank=True)
    is_example = models.BooleanField(
        default=False, help_text="Language models are shown it with every question"
    )
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-verified_at", "-pk"]

    def __str__(self) -> str:
        return self.question


class Feedback(models.Model):
    """One person's feedback on one answer; it changes nothing until an owner of the source acts on it.

    `run` and `version` are the answer's numbers, kept as they were: the question and the SQL shown are copied here.
    """

    class Reason(models.TextChoices):
        FIGURE = "figure", _("The wrong figure")
        ROWS = "rows", _("Rows are missing, or too many")
        PERIOD = "period", _("The wrong period")
        GROUPS = "groups", _("Grouped or sorted wrongly")
        WORDS = "words", _("A word was misunderstood")
        OTHER = "other", _("Something else")

    class State(models.TextChoices):
        OPEN = "open", "waiting"
        DONE = "done", "done"
        DISMISSED = "dismissed", "dismissed"

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="feedback")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    run = models.PositiveBigIntegerField()
    version = models.PositiveIntegerField(default=1)
    question = models.TextField()
    sql = models.TextField(blank=True)
    arguments = models.JSONField(default=dict, blank=True)
    columns = models.JSONField(default=list, blank=True)
    row_count = models.PositiveIntegerField(null=True, blank=True)
    draft = models.TextField(blank=True, help_text="Why what was shown was a draft, in English")
    is_right = models.BooleanField()
    reason = models.CharField(max_length=10, choices=Reason, blank=True)
    should_be = models.TextField(blank=True, help_text="SQL that would have answered")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    made = models.CharField(max_length=20, blank=True, help_text="What was made of it")
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    handled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["by", "run", "version"], name="one_feedback_a_version")
        ]

    def __str__(self) -> str:
        return f"{'right' if self.is_right else 'wrong'}: {self.question}"

    @property
    def stamp(self) -> str:
        """Hash of the feedback: by it an owner's list is known to be old."""
        parts = [self.question, self.sql, self.should_be, self.is_right, self.draft, self.row_count]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Evaluation(Retried):
    """How the verified questions of a source were answered at one time, or will be: a worker asks them.

    `results` tells of each question, `summary` of all; both fill while it goes on. `measured_at` is when it was through; it is a
    row of work until its owner was told of what got worse, too. One that never started waits, and takes in what else asks for one.
    """

    class Cause(models.TextChoices):
        HAND = "hand", _("started by hand")
        SCHEDULE = "schedule", _("on schedule")
        TERMS = "terms", _("after a term changed")
        SHELL = "shell", _("from a shell")

    class Told(models.TextChoices):
        """Whether the owner got a mail about what got worse."""

        NOTHING = "", _("nothing to tell")
        WAITING = "waiting", _("the mail waits")
        SENT = "sent", "sent"
        GIVEN_UP = "given_up", _("not sent")

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="evaluations")
    cause = models.CharField(max_length=10, choices=Cause, default=Cause.SHELL)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    terms = models.PositiveIntegerField(default=0, help_text="Terms in force then")
    with_llm = models.BooleanField(
        default=False, help_text="Language models are asked too, on the budget of who asked"
    )
    results = models.JSONField(default=list)
    summary = models.JSONField(default=dict, blank=True)
    problem = models.TextField(blank=True, help_text="Why nothing was measured")
    measured_at = models.DateTimeField(null=True, blank=True)
    told = models.CharField(max_length=10, choices=Told, default=Told.NOTHING, blank=True)
    told_answer = models.TextField(blank=True, help_text="What the mail server said, or why no mail went out")
    uid = models.UUIDField(default=uuid.uuid4, editable=False, help_text="Names the mail to the outside")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Evaluation of {self.source}"


class Improvement(Retried):
    """A context that improves itself: the tree of versions of what is known of one source, grown by a worker from the verified answers.

    `base` names the knowledge that it started from; where people change that, it ends and the next one starts anew. `tree` holds the versions,
    `parts` which third each template belongs to and how large these are, `learnt` what it brought into force (see `improving_store`). With a language
    model, `shown` is the SQL of the last wrong answer to each question of the work part, and `used` what the model cost.
    """

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="improvements")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    base = models.CharField(max_length=64, blank=True)
    calls = models.PositiveIntegerField(default=0, help_text="Answers that it may ask for")
    tree = models.JSONField(default=dict, blank=True)
    parts = models.JSONField(default=dict, blank=True)
    learnt = models.JSONField(default=dict, blank=True)
    with_llm = models.BooleanField(
        default=False, help_text="A language model edits and answers, on the budget of who asked"
    )
    shown = models.JSONField(default=dict, blank=True)
    used = models.JSONField(default=dict, blank=True)
    why = models.TextField(blank=True, help_text="Why it ended")
    problem = models.TextField(blank=True, help_text="What went wrong")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Improvement of {self.source}"


class ImprovementStep(models.Model):
    """One step of an improvement, as it was: what was tried, on which questions, and what it did."""

    improvement = models.ForeignKey(Improvement, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    what = models.CharField(max_length=12)
    version = models.PositiveIntegerField(null=True)
    parent = models.PositiveIntegerField(null=True)
    said = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["improvement", "number"], name="one_improvement_step_a_number")
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.what}"


class EvaluationPlan(models.Model):
    """How often a source is evaluated by itself; none where it is not."""

    class Every(models.TextChoices):
        OFF = "off", _("Not by itself")
        DAILY = "daily", _("Each night")
        WEEKLY = "weekly", _("Each week, in the night to Monday")

    source = models.OneToOneField(
        "sources.Source", on_delete=models.CASCADE, related_name="evaluation_plan", primary_key=True
    )
    every = models.CharField(max_length=10, choices=Every, default=Every.OFF)
    next_at = models.DateTimeField(null=True, blank=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.source}: {self.get_every_display()}"


class Shift(models.Model):
    """A verified answer whose result jumped between two evaluations, so that it may no longer mean what it did.

    `was` and `now` tell it in words. One row for each answer and kind: it opens again at the next jump, unless it was dismissed.
    """

    class Kind(models.TextChoices):
        FIGURE = "figure", _("its figure jumped")
        ROWS = "rows", _("its number of rows jumped")
        COLUMNS = "columns", _("its columns changed")

    class State(models.TextChoices):
        OPEN = "open", "waiting"
        SETTLED = "settled", _("right as it is")
        DISMISSED = "dismissed", _("never again")

    answer = models.ForeignKey(StoredAnswer, on_delete=models.CASCADE, related_name="shifts")
    kind = models.CharField(max_length=10, choices=Kind)
    was = models.TextField()
    now = models.TextField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    seen_at = models.DateTimeField(default=timezone.now)
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    handled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["seen_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["answer", "kind"], name="one_shift_a_kind")]

    def __str__(self) -> str:
        return f"{self.answer}: {self.get_kind_display()}"


class PosedRound(Leased):
    """Questions that a worker makes of a source's semantic model, with their rows, for one person to verify or to refuse.

    `said` holds them. Seen by `owner` alone, forgotten after a day.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="+")
    said = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"Questions on {self.source}"


class RefusedProposal(models.Model):
    """A term or a question that was proposed, and is never proposed again. `key` names kind and body, or the question."""

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "key"], name="one_refusal_a_proposal")]

    def __str__(self) -> str:
        return self.key

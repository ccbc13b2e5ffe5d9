"""Threads of questions, the runs that answer them, and every SQL that was run."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.library.models import LEFT_OUT
from mirror.llms.models import LABEL_CHARS
from mirror.work.leases import Leased, Status

# A free worker takes a run within 0.2 s (measured 2026-11); after this a page says that none came.
LONG_WAIT = timedelta(seconds=8)
# Characters of a change, and of a title of rows: a line each.
CHANGE_CHARS, TITLE_CHARS = 300, 200
DRAFT = gettext_noop("The question can be understood in more than one way.")


class Thread(models.Model):
    """Questions that follow one another, about one source."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="threads")
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="threads")
    teams = models.ManyToManyField(
        "people.Team",
        blank=True,
        related_name="threads",
        help_text="Their members look at all of its questions",
    )
    title = models.CharField(max_length=200)
    is_pinned = models.BooleanField(default=False, help_text="Stands first in History and beside every page")
    is_sent = models.BooleanField(default=False, help_text="SQL that a program or an agent sent")
    sight = models.CharField(
        max_length=32, blank=True, default="", help_text="What was withheld from its owner (Withheld.key)"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title


class Run(Leased):
    """One question being answered (or a saved SQL being worked on: then `question` is empty).

    `asked` is what was typed; `question` its stand-alone form, which differs for a follow-up.
    `answer` is the pipeline's Answer as JSON, without its rows; `readings` its other readings.
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="runs")
    teams = models.ManyToManyField(
        "people.Team", blank=True, related_name="runs", help_text="Their members look at it alone"
    )
    asked = models.TextField(blank=True)
    question = models.TextField(blank=True)
    hint = models.TextField(blank=True, default="", help_text="What its words mean, as it was typed with it")
    unused_hint = models.JSONField(
        default=list, blank=True, help_text="Parts of the hint that the answer does without"
    )
    saved = models.ForeignKey(
        "library.SavedSql", on_delete=models.SET_NULL, null=True, blank=True, related_name="runs"
    )
    outcome = models.CharField(max_length=14, blank=True)
    reason = models.TextField(blank=True)
    why = models.CharField(
        max_length=20, blank=True, default="", help_text="The reason as a code, where a page knows a way on"
    )
    confidence = models.FloatField(null=True, blank=True)
    agreement_size = models.PositiveIntegerField(default=0)
    agreement_pool = models.PositiveIntegerField(default=0)
    sentence = models.TextField(blank=True)
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="What its English texts are made of, to say them in other languages",
    )
    readings = models.JSONField(default=list, blank=True)
    notes = models.JSONField(default=list, blank=True)
    usage = models.JSONField(default=dict, blank=True)
    llm = models.CharField(
        max_length=LABEL_CHARS, blank=True, help_text="Which one wrote its SQL; empty: the built-in generator"
    )
    without_llm = models.TextField(
        blank=True, default="", help_text="Which budget was used up, so that no language model was asked"
    )
    privacy = models.CharField(max_length=10, blank=True, help_text="The level that applied")
    sent = models.JSONField(default=list, blank=True, help_text="Exactly what was sent to the LLM")
    follows = models.ForeignKey(
        "Version", on_delete=models.SET_NULL, null=True, blank=True, related_name="followed_by",
        help_text="What was shown when this was asked as a follow-up",
    )  # fmt: skip
    after = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="then",
        help_text="The question on whose page this was asked as a follow-up",
    )  # fmt: skip
    known = models.JSONField(
        default=dict,
        blank=True,
        help_text="Terms of the source that it says, and verified answers: see kept_steps",
    )
    traceparent = models.CharField(
        max_length=55, blank=True, default="", help_text="The caller's span, as W3C Trace Context says it"
    )
    is_thinking = models.BooleanField(
        default=False, help_text="Waits for the LLM, and holds no turn of its source"
    )

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.asked or self.question or f"Run {self.pk}"

    @property
    def named(self) -> str:
        """The question, else the title of its thread."""
        return self.asked or self.question or self.thread.title

    @property
    def heading(self) -> str:
        """Its name, and how the SQL that it shows departs from that. Reads the versions, unless they are prefetched."""
        return headed(self.named, next(iter(self.versions.all()), None))

    @property
    def waits_long(self) -> bool:
        """It has been queued for longer than a free worker takes to come."""
        return self.status == Status.QUEUED and timezone.now() - self.created_at > LONG_WAIT


def headed(
    named: str, version: Version | None, most: int = 0, said: Callable[[Version], str] | None = None
) -> str:
    """The name of a question with how the SQL of a version departs from it: "Revenue by year (changed: only 2025)".

    Of more characters than `most`, unless that is 0, the name is cut and the rest stays. The store keeps it in English; a page
    says it in its own language by `said`.
    """
    departs = ""
    if version is not None and version.departs:
        departs = f" ({said(version) if said is not None else version.departs})"
    if most and len(named) + len(departs) > most:
        named = f"{named[: max(most - len(departs) - 1, 0)].rstrip()}…"
    return f"{named}{departs}"


class Step(models.Model):
    """One pipeline event, kept for the reader of a run. `number` counts from 1 within the run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    data = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_step_a_number")]

    def __str__(self) -> str:
        return f"{self.number}. {self.kind}"


class Version(Leased):
    """One SQL of a run and what it returned. The first, by `shown`, is what the page shows.

    `chart` says what is drawn from which columns, `figure` is that drawn: Plotly's JSON. `frame` is what the SQL was
    written from, where the analyst wrote it, and `change` what was changed of an earlier one, its `base`; `title` says what the
    rows are. `shown` rises with every version that is made or gone back to.
    """

    class Origin(models.TextChoices):
        ANSWER = "answer"
        EDIT = "edit"
        READING = "reading"
        SAVED = "saved"
        CHANGE = "change"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    shown = models.PositiveIntegerField(default=1)
    base = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="made_of_it",
        help_text="The version that this one was made of",
    )  # fmt: skip
    origin = models.CharField(max_length=10, choices=Origin)
    sql = models.TextField()
    arguments = models.JSONField(default=dict, blank=True, help_text="Values of the SQL's parameters")
    parameters = models.JSONField(default=list, blank=True, help_text="Its :names and of which kind each is")
    result = models.ForeignKey("results.StoredResult", on_delete=models.SET_NULL, null=True, blank=True)
    frame = models.JSONField(null=True, blank=True, help_text="The analyst's reading, as JSON of its own")
    change = models.CharField(max_length=CHANGE_CHARS, blank=True, default="")
    title = models.CharField(max_length=TITLE_CHARS, blank=True, default="")
    departs = models.CharField(
        max_length=CHANGE_CHARS, blank=True, default="",
        help_text="How its SQL departs from what its run is called, in words",
    )  # fmt: skip
    chart = models.JSONField(null=True, blank=True)
    figure = models.JSONField(null=True, blank=True)
    sentence = models.TextField(blank=True)
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="What its English texts are made of, to say them in other languages",
    )
    failure = models.JSONField(null=True, blank=True, help_text="kind, message, position, advice")
    asked_from = models.CharField(
        max_length=64, blank=True, default="", help_text="An address; empty: a shell or a worker"
    )

    class Meta:
        ordering = ["-shown", "-number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_version_a_number")]

    @property
    def draft(self) -> str:
        """Why its rows may well not be what was meant, in words; empty where nothing says so.

        Of saved SQL its run keeps them as they were when it ran. A changed draft is one as long as words of the question are left out,
        by a chip or in words; a reading that somebody chose, and SQL that somebody wrote, are none.
        """
        if self.origin == self.Origin.SAVED:
            return self.run.reason
        if self.origin == self.Origin.ANSWER:
            return (self.run.reason or DRAFT) if self.run.outcome == "ambiguous" else ""
        if self.change and self.base is not None and self.base.origin == self.Origin.SAVED:
            return self.base.draft
        said = ", ".join(f"“{word}”" for word in self.left_out)
        return LEFT_OUT.format(words=said) if said else ""

    @property
    def draft_saying(self) -> dict[str, Any]:
        """The parts of `draft`, as rows keep them beside it; empty where nothing is known of it."""
        if self.origin == self.Origin.EDIT and self.base is not None:
            return self.base.draft_saying
        parts = self.run.saying.get("reason")
        return {"draft": parts} if parts else {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """The words of an unsure question that its SQL does without; of SQL changed in words those of its base that the change does not say."""
        if self.run.outcome != "ambiguous" or self.origin == self.Origin.READING:
            return ()
        if self.origin == self.Origin.EDIT:
            said = self.change.lower()
            left = self.base.left_out if said and self.base is not None else ()
            return tuple(word for word in left if word.lower() not in said)
        return tuple(((self.frame or {}).get("frame") or {}).get("unused") or ())


class LlmAsk(Leased):
    """Something about the SQL in an editor that a language model is asked for while somebody waits.

    `text` is the editor's, `at` the place of its cursor; `place` and `place_id` say which editor. `said` is what came of it. Seen by
    `owner` alone, forgotten after an hour.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    at = models.PositiveIntegerField(null=True, blank=True)
    place = models.CharField(max_length=4)
    place_id = models.PositiveBigIntegerField()
    said = models.JSONField(
        default=dict, blank=True, help_text="words, llm, privacy and sent; of a change sql"
    )
    sight = models.CharField(
        max_length=32,
        blank=True,
        default="",
        help_text="what was withheld from who asked; empty where nothing was",
    )

    class Meta:
        abstract = True


class LlmChange(LlmAsk):
    """A change in words. `rules` is what is proposed without a model, for the case that it proposes nothing."""

    wish = models.CharField(max_length=CHANGE_CHARS)
    rules = models.JSONField(default=dict, blank=True, help_text="sql and words, as the rules propose them")

    def __str__(self) -> str:
        return self.wish


class LlmTelling(LlmAsk):
    """A statement, `text`, told: what it is for."""

    def __str__(self) -> str:
        return self.text[:80]

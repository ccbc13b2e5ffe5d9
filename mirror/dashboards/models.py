"""Dashboards: cards on a grid, and the rows that are shown on them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from mirror.work.leases import Leased

NAME_CHARS, TEXT_CHARS = 120, 10_000
# Columns of the grid; the fewest a card may take, and the most rows.
COLUMNS, NARROWEST, TALLEST = 12, 2, 10


class Dashboard(models.Model):
    """Cards that are looked at together. It is seen by its owner and its teams.

    `refresh_minutes` is how often its rows are read anew by themselves, 0 for never; `refreshed_at` when that was last done.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="dashboards")
    teams = models.ManyToManyField("people.Team", blank=True, related_name="dashboards")
    name = models.CharField(max_length=NAME_CHARS)
    description = models.TextField(blank=True)
    refresh_minutes = models.PositiveIntegerField(default=0)
    refreshed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]

    def __str__(self) -> str:
        return self.name


class Card(models.Model):
    """One box of a dashboard: saved SQL, the SQL of a run as it was when it was added, or a text.

    Cards stand in the order of their `place`, one after the other on a grid of twelve columns; `width` is in columns, `height` in
    rows of the grid. SQL of a run is kept here with its `parameters`, `chart`, `question` and why it is a `draft`; saved SQL
    is read where it is saved, so that a change of it is a change here.
    """

    class Kind(models.TextChoices):
        SAVED = "saved"
        SQL = "sql"
        TEXT = "text"

    class Shows(models.TextChoices):
        BEST = "", _("What suits")
        CHART = "chart", _("Chart")
        TABLE = "table", _("Table")
        PIVOT = "pivot", _("Pivot")
        NUMBER = "number", _("One number")
        CHANGE = "change", _("Last number and its change")

    dashboard = models.ForeignKey(Dashboard, on_delete=models.CASCADE, related_name="cards")
    kind = models.CharField(max_length=5, choices=Kind)
    place = models.PositiveIntegerField(default=0)
    width = models.PositiveSmallIntegerField(default=6)
    height = models.PositiveSmallIntegerField(default=4)
    title = models.CharField(max_length=NAME_CHARS, blank=True)
    text = models.TextField(blank=True)
    shows = models.CharField(max_length=6, choices=Shows, blank=True, default="")
    source = models.ForeignKey(
        "sources.Source", on_delete=models.SET_NULL, null=True, blank=True, related_name="cards"
    )
    saved = models.ForeignKey(
        "library.SavedSql", on_delete=models.SET_NULL, null=True, blank=True, related_name="cards"
    )
    run = models.ForeignKey(
        "asking.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="cards"
    )
    sql = models.TextField(blank=True)
    parameters = models.JSONField(default=list, blank=True)
    chart = models.JSONField(null=True, blank=True)
    question = models.TextField(blank=True)
    draft = models.TextField(blank=True)
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="The parts of its English texts, to say them in other languages",
    )

    class Meta:
        ordering = ["place", "pk"]

    def __str__(self) -> str:
        return self.title or f"Card {self.pk}"


class Supply(Leased):
    """The rows of one SQL with its values, for every card that shows them. They are read as the `owner`, who asked for them last.

    `key` is made of source and SQL. While rows are read anew the old ones stay; `preview` holds the first of them. It `is_to_run`
    where rows are wanted, and not only drawings of those that are there.
    """

    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="supplies")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="supplies")
    key = models.CharField(max_length=64, unique=True)
    sql = models.TextField()
    is_to_run = models.BooleanField(default=True)
    result = models.ForeignKey(
        "results.StoredResult", on_delete=models.SET_NULL, null=True, blank=True, related_name="supplies"
    )
    preview = models.JSONField(default=dict, blank=True)
    failure = models.JSONField(null=True, blank=True, help_text="kind, message, position, advice")

    class Meta:
        verbose_name_plural = "supplies"

    def __str__(self) -> str:
        return f"Rows of {self.source}"


class Drawing(models.Model):
    """A supply's rows drawn in one way. `of` is the id of the result that was drawn: another one makes it old."""

    supply = models.ForeignKey(Supply, on_delete=models.CASCADE, related_name="drawings")
    key = models.CharField(max_length=64)
    question = models.TextField(blank=True)
    wish = models.JSONField(null=True, blank=True, help_text="The chart that somebody chose")
    chart = models.JSONField(null=True, blank=True)
    figure = models.JSONField(null=True, blank=True)
    sentence = models.TextField(blank=True)
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="What its English texts are made of, to say them in other languages",
    )
    of = models.UUIDField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["supply", "key"], name="one_drawing_a_way")]

    def __str__(self) -> str:
        return f"Drawing of supply {self.supply_id}"


class PdfExport(Leased):
    """A dashboard as a PDF for one person, with the values and choices of an address. It is kept for a day.

    `sources` are those whose rows are in the file, and `notes` what its reader must be told. Its times are those of `zone`.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pdf_exports")
    # The file is forgotten by its row, which a dashboard that is deleted leaves behind.
    dashboard = models.ForeignKey(Dashboard, on_delete=models.SET_NULL, null=True, related_name="pdf_exports")
    values = models.JSONField(default=dict, blank=True)
    choices = models.JSONField(default=list, blank=True)
    zone = models.CharField(max_length=64, blank=True, default="UTC")
    file = models.CharField(max_length=300, blank=True)
    row_count = models.PositiveIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    sources = models.JSONField(default=list, blank=True)
    notes = models.JSONField(default=list, blank=True)
    failure = models.JSONField(null=True, blank=True, help_text="kind, message, advice")
    link = models.UUIDField(
        null=True, blank=True, editable=False, help_text="The share link by which its reader asked for it"
    )

    def __str__(self) -> str:
        return f"PDF of {self.dashboard}"

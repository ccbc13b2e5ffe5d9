"""Databases people ask about. Never to be confused with the store, which is Django's own."""

from __future__ import annotations

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.secrets import EncryptedTextField
from mirror.sources.kept_paths import KeptPathField
from mirror.work.leases import Leased, Retried, Status

# Where servers of an engine listen unless somebody moved them.
PORTS = {
    "postgres": 5432,
    "mysql": 3306,
    "spark": 10000,
    "clickhouse": 8123,
    "trino": 443,
    "snowflake": 443,
    "bigquery": 443,
    "databricks": 443,
    "mssql": 1433,
    "oracle": 1521,
    "redshift": 5439,
}
# Where an engine is that has no place of its own.
HOSTS = {"bigquery": "bigquery.googleapis.com"}
# Engines that no server of could be run beside the tests (docs/connectors.md).
UNTRIED = frozenset(("trino", "snowflake", "bigquery", "mssql", "oracle", "redshift"))
# Engines that bound what a statement reads.
SCANNING = frozenset(("clickhouse", "trino", "bigquery"))
# The named settings that each engine's adapter takes besides (`sqlagent.adapters`).
OPTIONS = {
    "postgres": ("sslmode", "sslrootcert"),
    "mysql": ("sslmode", "sslrootcert"),
    "spark": ("auth", "namespaces", "sslmode", "sslrootcert"),
    "clickhouse": ("namespaces", "sslmode", "sslrootcert"),
    "trino": ("sslmode", "sslrootcert"),
    "snowflake": ("warehouse", "role"),
    "bigquery": ("location",),
    "databricks": ("http_path",),
    "mssql": ("sslmode",),
    "oracle": ("sslmode",),
    "redshift": ("sslmode",),
    "sqlalchemy": ("dialect",),
}
# Engines that can be reached through an SSH server.
TUNNELLED = frozenset(("postgres", "mysql"))


class Source(models.Model):
    """A database someone connected: how to open it, who may see it, what its catalog was.

    `name` is the short name people type (`--source shop`). Visible to its owner and to the
    members of the teams it is shared with. Limits that are empty are the settings' own
    (`limits.limits_of` is the one place that decides).
    """

    class Engine(models.TextChoices):
        SQLITE = "sqlite", "SQLite"
        POSTGRES = "postgres", _("PostgreSQL")
        MYSQL = "mysql", _("MySQL or MariaDB")
        DUCKDB = "duckdb", _("DuckDB")
        SPARK = "spark", _("Spark SQL")
        CLICKHOUSE = "clickhouse", _("ClickHouse")
        TRINO = "trino", _("Trino")
        SNOWFLAKE = "snowflake", _("Snowflake")
        BIGQUERY = "bigquery", _("BigQuery")
        DATABRICKS = "databricks", _("Databricks")
        MSSQL = "mssql", _("SQL Server")
        ORACLE = "oracle", _("Oracle")
        REDSHIFT = "redshift", _("Redshift")
        OTHER = "sqlalchemy", _("Other (SQLAlchemy)")

    class Privacy(models.TextChoices):
        """The parts of a source that may enter a prompt."""

        SCHEMA = "schema", _("Schema only")
        MASKED = "masked", _("Masked samples")
        ROWS = "rows", _("Rows")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sources")
    teams = models.ManyToManyField("people.Team", blank=True, related_name="sources")
    name = models.SlugField(max_length=60, unique=True)
    description = models.CharField(max_length=300, blank=True)
    engine = models.CharField(max_length=20, choices=Engine)
    host = models.CharField(max_length=255, blank=True)
    port = models.PositiveIntegerField(null=True, blank=True)
    database = KeptPathField(max_length=500, help_text="Database name, or the path of a SQLite file")
    username = models.CharField(max_length=128, blank=True)
    password = EncryptedTextField(blank=True, default="")
    options = models.JSONField(default=dict, blank=True, help_text="Named settings of the engine (OPTIONS)")
    tunnel = models.JSONField(
        default=dict, blank=True, help_text="The SSH server on the way (tunnels.NAMES), or empty"
    )
    ssh_key = EncryptedTextField(blank=True, default="")
    ssh_password = EncryptedTextField(blank=True, default="")
    privacy = models.CharField(max_length=10, choices=Privacy, default=Privacy.SCHEMA)
    is_sample = models.BooleanField(default=False)
    examples = models.JSONField(default=list, blank=True, help_text="Example questions for the start page")
    catalog = models.JSONField(null=True, blank=True)
    catalog_version = models.CharField(max_length=64, blank=True)
    catalog_at = models.DateTimeField(null=True, blank=True)
    drift = models.JSONField(null=True, blank=True, help_text="What a refresh last found changed (see drift)")
    is_upload = models.BooleanField(default=False, help_text="A DuckDB file of Mirror's own, made of files")
    upload_keys = models.JSONField(
        default=dict,
        blank=True,
        help_text="Keys that its files declared, by table (see uploads.declared_keys)",
    )
    concurrent_runs = models.PositiveSmallIntegerField(null=True, blank=True)
    statement_seconds = models.FloatField(null=True, blank=True)
    candidate_rows = models.PositiveIntegerField(null=True, blank=True)
    result_rows = models.PositiveIntegerField(null=True, blank=True)
    result_days = models.PositiveIntegerField(null=True, blank=True)
    result_megabytes = models.PositiveIntegerField(null=True, blank=True)
    cell_chars = models.PositiveIntegerField(null=True, blank=True)
    total_chars = models.PositiveIntegerField(null=True, blank=True)
    statement_megabytes = models.PositiveIntegerField(null=True, blank=True)
    scan_megabytes = models.PositiveIntegerField(null=True, blank=True)
    guarding = models.JSONField(
        default=dict, blank=True, help_text="What may run, where that differs from usual"
    )
    powers = models.JSONField(
        null=True, blank=True, help_text="Powers of its user beyond reading (see powers)"
    )
    powers_confirmed = models.JSONField(
        default=list, blank=True, help_text="Codes of the severe ones that an administrator confirmed"
    )
    powers_confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    powers_confirmed_at = models.DateTimeField(null=True, blank=True)
    withholds = models.BooleanField(
        default=False, help_text="Whether tables or columns are withheld from a team (WithheldName)"
    )
    maps_logins = models.BooleanField(
        default=False, help_text="Whether a team reads it by a login of its own (SourceLogin)"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-is_sample", "name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_file(self) -> bool:
        """It is a file on this machine, not a server."""
        return self.engine in (self.Engine.SQLITE, self.Engine.DUCKDB)

    @property
    def is_long_tail(self) -> bool:
        """Its engine may have no read-only session: then the guard and its user's privileges are the locks."""
        return (
            self.engine in (self.Engine.SPARK, self.Engine.DATABRICKS, self.Engine.OTHER) or self.is_untried
        )

    @property
    def usual_port(self) -> int:
        """Where its server listens unless somebody moved it; 0 where that is not known."""
        if self.engine == self.Engine.CLICKHOUSE and self.options.get("sslmode", "disable") != "disable":
            return 8443
        return PORTS.get(self.engine, 0)

    @property
    def is_untried(self) -> bool:
        """No server of its engine was there to try the connection with."""
        return self.engine in UNTRIED

    @property
    def is_tunnelled(self) -> bool:
        """Its engine can be reached through an SSH server."""
        return self.engine in TUNNELLED

    @property
    def is_scanning(self) -> bool:
        """Its engine bounds what a statement reads."""
        return self.engine in SCANNING


class WithheldRight(models.Model):
    """A right on a source that a team it is shared with does not have, beside looking and asking. Owners have every right."""

    class Right(models.TextChoices):
        FILES = "files", _("take rows away as files, or by programs and agents")
        SENDING = "sending", _("send rows in reports, and by links")

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="withheld")
    team = models.ForeignKey("people.Team", on_delete=models.CASCADE, related_name="+")
    right = models.CharField(max_length=10, choices=Right)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "team", "right"], name="one_withheld_right")]

    def __str__(self) -> str:
        return f"{self.team} may not {self.get_right_display()}: {self.source}"


class TeamRole(models.Model):
    """The role that a team has on a source shared with it; a team without a row is an analyst.

    A viewer looks at dashboards and runs saved SQL. An analyst asks and writes SQL besides. An editor also changes limits,
    terms, verified answers and the model. The strongest role of somebody's teams counts.
    """

    class Role(models.TextChoices):
        VIEWER = "viewer", _("Viewer")
        ANALYST = "analyst", _("Analyst")
        EDITOR = "editor", _("Editor")

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="team_roles")
    team = models.ForeignKey("people.Team", on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "team"], name="one_role_a_team")]

    def __str__(self) -> str:
        return f"{self.team} is {self.role}: {self.source}"


class WithheldName(models.Model):
    """A table that a source shows a team nothing of, or a column of one. Kept by its name; `withholds` of the source says that there are any."""

    CHARS = 400

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="withheld_names")
    team = models.ForeignKey("people.Team", on_delete=models.CASCADE, related_name="+")
    table = models.CharField(max_length=CHARS)
    column = models.CharField(max_length=CHARS, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "team", "table", "column"], name="one_withheld_name")
        ]

    def __str__(self) -> str:
        return f"{self.table}.{self.column}" if self.column else self.table


class SourceLogin(models.Model):
    """A user of the database by which a team reads a source; `maps_logins` of the source says that there are any.

    `place` is where its password was given for: it goes nowhere else. `powers` are what the user could do beyond reading, as a
    source keeps those of its own.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="logins")
    team = models.ForeignKey("people.Team", on_delete=models.CASCADE, related_name="+")
    username = models.CharField(max_length=128)
    password = EncryptedTextField(blank=True, default="")
    place = models.JSONField(default=list)
    powers = models.JSONField(null=True, blank=True)
    given_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "team"], name="one_login_a_team")]

    def __str__(self) -> str:
        return f"{self.username} for {self.team}: {self.source}"


class Upload(Leased):
    """Files that somebody uploaded, until they are tables; then the row leads to the source they became.

    `files` is a list of what `uploads.plans` tells of each; the files themselves lie in
    `folder`. With `source`, the tables are to be added to that one. Forgotten after a day. Leased
    while a worker reads or loads them: `work` says what, `wish` how, `said` what came of it.
    """

    class Work(models.TextChoices):
        READ = "read", "reading"
        MAKE = "make", _("making tables")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, null=True, blank=True, related_name="uploads"
    )
    files = models.JSONField(default=list)
    status = models.CharField(max_length=10, choices=Status, default=Status.DONE, db_index=True)
    work = models.CharField(max_length=10, choices=Work, blank=True)
    wish = models.JSONField(default=dict, blank=True)
    said = models.JSONField(default=dict, blank=True)
    progress = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"Upload {self.pk}"

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return Path(settings.VAR_DIR) / "uploads" / "waiting" / str(self.pk)


def new_mark() -> str:
    """Make up what the marker of a store says."""
    return uuid.uuid4().hex


class StoreMarker(models.Model):
    """By what the store is known when somebody connects it as a source: one row, made with the store.

    Adapters look for the table by its name (`sqlagent.adapters.base.MARKER_TABLE`), whichever user they come as.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    mark = models.CharField(max_length=64, default=new_mark)

    class Meta:
        db_table = "mirror_store_marker"

    def __str__(self) -> str:
        return self.mark


class Visit(Leased):
    """A database that a worker opens for somebody who waits: to test or connect it, change it, or read it again.

    `wish` is what was typed, by the names of the source's fields, and `password`, `ssh_key` and `ssh_password` the secrets
    typed with it, until the visit has ended; `said` what came of it. Seen by `owner` alone, forgotten after an hour.
    """

    class Work(models.TextChoices):
        TEST = "test", "testing"
        CONNECT = "connect", "connecting"
        CHANGE = "change", "changing"
        LOGIN = "login", _("trying a login")
        REFRESH = "refresh", _("reading the tables again")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="visits")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, null=True, blank=True, related_name="visits")
    work = models.CharField(max_length=10, choices=Work)
    wish = models.JSONField(default=dict, blank=True)
    password = EncryptedTextField(blank=True, default="")
    ssh_key = EncryptedTextField(blank=True, default="")
    ssh_password = EncryptedTextField(blank=True, default="")
    said = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"Visit {self.pk}"


class StoredIndex(Retried):
    """A source's value index as bytes, and how its making goes: of what its own user reads, or the `login` of a team.

    In the store rather than in a file, so that every worker on every machine reads the same. Leased while one reads
    the values, which it does in turns: `data` is what was read so far, of the catalog `catalog_version`, and serves
    questions whatever the state. With `again`, the next turn begins anew. `coverage` is what the source's page tells
    (`sqlagent.catalog.value_reading.coverage`).
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting for a worker")
        BUILDING = "building", _("being read")
        READY = "ready", "searchable"
        FAILED = "failed", _("could not be read")

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="stored_indexes")
    login = models.CharField(max_length=128, blank=True, default="")
    status = models.CharField(max_length=10, choices=Status, default=Status.DONE, db_index=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    message = models.TextField(blank=True)
    catalog_version = models.CharField(max_length=64, blank=True)
    size = models.PositiveIntegerField(default=0, help_text="Distinct values")
    data = models.BinaryField(blank=True, default=bytes)
    coverage = models.JSONField(default=dict, blank=True)
    again = models.BooleanField(default=False)
    updated_at = models.DateTimeField(default=timezone.now, help_text="When values were last kept")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "login"], name="one_index_a_login")]


class StoredCorrection(models.Model):
    """A correction of a source's model: in force until it is taken back, and kept after that.

    The fields are those of `sqlagent.values.Correction`. A table or column that has gone leaves its corrections here; they
    do nothing until it is back.
    """

    CHARS = 400

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="corrections")
    subject = models.CharField(max_length=20)
    table = models.CharField(max_length=CHARS, blank=True)
    column = models.CharField(max_length=CHARS, blank=True)
    value = models.CharField(max_length=CHARS, blank=True)
    told = models.CharField(max_length=CHARS, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "subject", "table", "column", "value"],
                condition=models.Q(taken_back_at=None),
                name="one_correction_in_force",
            )
        ]

    def __str__(self) -> str:
        return f"{self.subject} of {self.table}.{self.column}"

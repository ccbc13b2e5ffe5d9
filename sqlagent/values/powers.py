"""Powers of a user of a source beyond reading, and the result of a check of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How far a power goes beyond reading.

    `SEVERE` changes stored data, runs programs, opens files, makes users, or undoes the other locks. `NOTABLE`
    may become that, or reads what is nobody's business. `MILD` fills disks and sessions.
    """

    SEVERE = "severe"
    NOTABLE = "notable"
    MILD = "mild"


@dataclass(frozen=True, slots=True)
class Power:
    """One thing the user of a source may do beyond reading.

    `code` is one of `SEVERITIES`; `words` say it plainly, without a capital or full stop
    ("write to 3 tables in schema public").
    """

    code: str
    words: str

    @property
    def severity(self) -> Severity:
        """How far it goes; one that nobody has weighed counts as severe."""
        return SEVERITIES.get(self.code, Severity.SEVERE)


SEVERITIES: dict[str, Severity] = {
    **dict.fromkeys(
        (
            *("superuser", "server_files", "programs", "write_all_data", "create_roles", "replication"),
            *(
                "write",
                "own",
                "change_tables",
                "grant",
                "administer",
                "dangerous_functions",
                "password_hashes",
            ),
        ),
        Severity.SEVERE,
    ),
    **dict.fromkeys(
        (
            *("signal", "bypass_row_security", "create_databases", "create", "sequences", "become"),
            *("definer_functions", "routines", "lock_tables", "other_statements", "unknown"),
        ),
        Severity.NOTABLE,
    ),
    **dict.fromkeys(
        ("temporary", "large_objects", "own_sessions", "file_writable", "server_facts"), Severity.MILD
    ),
}
"""The one place that decides how severe a power is."""


PASSWORD_HERE = "choose-a-long-one"
"""Stands in `ReaderStep.sql` where the new user's password goes."""


@dataclass(frozen=True, slots=True)
class ReaderStep:
    """Statements for an administrator of the database that make, or complete, a user that only reads.

    `title` says what they do; `note` what to look at before. `is_for_everybody`: they take from all users of the
    database what everybody has, so that somebody may have to be given it back.
    """

    title: str
    sql: str
    note: str = ""
    is_for_everybody: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """The findings of a connection test of a source.

    `server` is its name and version, `user` who we are there. `powers` are what this user could do beyond
    reading if it were not for our read-only session, severest first; `reader` are the statements that make a
    user without them (empty: there is nothing to mend, or no such statements are known). `advice` is what to do
    about it. `is_guard_alone` says that the engine has no read-only session: the guard and the user's own
    privileges are the locks.
    """

    server: str
    user: str = ""
    powers: tuple[Power, ...] = ()
    reader: tuple[ReaderStep, ...] = ()
    advice: str = ""
    seconds: float = 0.0
    is_guard_alone: bool = False

    @property
    def writable(self) -> tuple[str, ...]:
        """The things that this user could change, in words; mild ones are left out."""
        return tuple(power.words for power in self.powers if power.severity is not Severity.MILD)

    @property
    def advice_sql(self) -> str:
        """The statements that make a user which can only read, as one text."""
        return "\n".join(step.sql for step in self.reader)

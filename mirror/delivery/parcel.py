"""Parcels, as channels take them. Plain values: a channel knows no row of the store, nor what a parcel is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import IO, Any

from django.utils.translation import gettext_noop

from sqlagent.values import ColumnFormat


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: what it is, the number for reading, and how it changed, in words (empty where nobody knows)."""

    name: str
    said: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One SQL as a reader sees it: a sentence, a picture, its first rows.

    One that gave nothing but `figures` is shown as these. `first` are places of columns, the most important first; where there
    is not room for all, the others are left to the files. `values` are those of its parameters, in words;
    `formats` those of its columns.
    """

    title: str
    sentence: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int
    truncated: bool = False
    image: bytes | None = None
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    first: tuple[int, ...] = ()
    values: str = ""
    formats: tuple[ColumnFormat, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to hand over: its name, type and size, and how to open it for reading.

    `url` is a link that works without signing in, for a time; empty where none was made.
    """

    name: str
    media_type: str
    size: int
    open: Callable[[], IO[bytes]]
    rows: int = 0
    notes: tuple[str, ...] = ()
    url: str = ""


class Tone(StrEnum):
    """The look of a band; the styles of mails have a class for each."""

    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Introduction:
    """How a parcel introduces itself, in words of its sender.

    `subject_word` stands before the title in a subject; `band` is said first in a mail, in its `tone`; `link_label` is on the
    link to `Parcel.url`; `why` tells a recipient why this comes to them. Those not given are left out.
    """

    subject_word: str = ""
    band: str = ""
    tone: Tone = Tone.ACCENT
    link_label: str = gettext_noop("Open this run")
    why: str = ""


@dataclass(frozen=True, slots=True)
class Parcel:
    """The content of one delivery.

    `about` is the event in one word, for programs, and `introduction` the same for people; `uid` is the same at each attempt, so
    that a receiver can drop a second copy; `number` tells it from others of its title; `url` leads to
    its page, behind sign-in; it is empty in a mail to somebody who may not open that. `message` says in words why a notice is sent
    (an alert's value, a failure's reason and next attempt); it is empty where nothing happened. `stop_url` leads
    an outside recipient to where they stop these mails; empty for others. `values` are those of its parameters, in words, and
    `read_at` is when its data were read; None for what carries no data. `language` is that of its readers; empty is the code's own.
    """

    uid: str
    about: str
    title: str
    note: str
    message: str
    url: str
    made_at: datetime
    scheduled_for: datetime | None
    zone: str
    sections: tuple[Section, ...] = ()
    files: tuple[Attachment, ...] = ()
    introduction: Introduction = Introduction()
    attempt: int = 1
    number: int = 0
    stop_url: str = ""
    values: str = ""
    read_at: datetime | None = None
    language: str = ""

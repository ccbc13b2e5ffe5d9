"""Troubles of a running Mirror in plain words, the worst first. The doctor looks at more, and takes longer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mirror.health.services import QUEUES, whats_missing
from mirror.llms.models import Endpoint, SettingsTrouble
from mirror.llms.opening import settings_keys
from mirror.phrases import counted, joined, size, took
from mirror.reports.models import Delivery
from mirror.upkeep.doctor import LITTLE_ROOM, NO_ROOM, WAITS
from mirror.upkeep.figures import Figures, SourceFigures
from mirror.work.kinds import KINDS

# Seconds by which work should have been taken that somebody waits for on a page.
WAITS_LONG = 120.0
# How parts are called.
PARTS = {
    "web": "web server",
    "worker": "worker",
    "intake": "worker for intake",
    "reports": "worker for reports",
    "deliveries": "worker for deliveries",
    "scheduler": "scheduler",
}
# How kinds of work are called.
WORK = {
    "run": "Questions",
    "version": "SQL of people and of answers",
    "llm_change": "SQL changed by language models",
    "llm_telling": "SQL told by language models",
    "glance": "First rows and plans",
    "supply": "Rows of dashboards",
    "pdf_export": "Dashboards as PDF",
    "trial": "Terms on trial",
    "posed_round": "Questions to verify",
    "evaluation": "Evaluations",
    "improvement": "Improvements of knowledge",
    "endpoint_test": "Tests of language models",
    "report": "Runs of reports",
    "delivery": "Deliveries",
    "mention": "Mails about comments",
    "share_notice": "Mails about what is shared",
    "upload": "Uploads",
    "visit": "Databases opened for people",
    "index": "Stored values of sources",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is wrong, or worth a look; `about` names what of the page it is found in."""

    is_wrong: bool
    words: str
    advice: str
    about: str = ""


def troubles(figures: Figures) -> list[Trouble]:
    """All there are, the worst first. Asks store and broker whether they answer."""
    found = [
        *_parts(figures),
        *_queues(figures),
        *_disk(figures),
        *_reports(figures),
        *_sources(figures),
        *_llms(),
    ]
    return sorted(found, key=lambda trouble: not trouble.is_wrong)


def fails_mostly(source: SourceFigures) -> bool:
    """More of its statements failed than gave rows."""
    return source.failures.total() > len(source.seconds)


def _parts(figures: Figures) -> Iterator[Trouble]:
    for words in whats_missing().values():
        yield Trouble(True, words, "See the log of the web server; manage.py doctor looks further.")
    alive = {process.part for process in figures.processes if process.is_alive}
    # Of the web server this page is a sign.
    for part in (*QUEUES, "scheduler"):
        if part not in alive:
            advice = (
                "Start it: script/server, or the unit or container of this part. Its log says why it ended."
            )
            yield Trouble(True, f"No {PARTS[part]} is alive.", advice, "processes")
    silent = [
        process for process in figures.processes if not process.is_alive and process.part in {*alive, "web"}
    ]
    for process in silent:
        words = f"{process.name} has shown no sign of life for {took(process.silent)}."
        yield Trouble(False, words, "It was killed, or its machine is gone. Others do its work.", "processes")


def _queues(figures: Figures) -> Iterator[Trouble]:
    for queue in figures.queues:
        most = WAITS.total_seconds() if KINDS[queue.kind].is_background else WAITS_LONG
        if queue.oldest > most:
            words = f"{WORK[queue.kind]}: {queue.waiting:,} waiting, the first for {took(queue.oldest)}."
            yield Trouble(False, words, "Start more workers (WORKERS), or see their logs.", "work")


def _disk(figures: Figures) -> Iterator[Trouble]:
    for room in figures.rooms:
        if room.free < LITTLE_ROOM:
            words = f"{size(room.free)} are left on the disk of the {_place(room.place)}."
            advice = "Make room, or lower RESULT_DAYS. Soon nothing can be kept."
            yield Trouble(room.free < NO_ROOM, words, advice, "disk")


def _reports(figures: Figures) -> Iterator[Trouble]:
    if figures.is_paused:
        yield Trouble(False, "All sending is paused.", "Let it go on under Mail and webhooks.", "sending")
    elif figures.late_reports:
        words = f"{counted(figures.late_reports, 'report')} should have run."
        yield Trouble(True, words, "Does the scheduler run?", "processes")
    given_up = sum(
        count for (_, state), count in figures.deliveries.items() if state == Delivery.State.GIVEN_UP
    )
    if given_up:
        words = f"{counted(given_up, 'delivery was', 'deliveries were')} given up since yesterday."
        yield Trouble(False, words, "The pages of their runs say why.", "deliveries")
    if figures.retried:
        words = f"{counted(sum(figures.retried.values()), 'delivery', 'deliveries')} failed and will be tried again."
        yield Trouble(False, words, f"By {joined(sorted(figures.retried))}.", "deliveries")


def _sources(figures: Figures) -> Iterator[Trouble]:
    if failing := sum(fails_mostly(source) for source in figures.sources.values()):
        words = f"On {counted(failing, 'source')} more statements failed than gave rows."
        yield Trouble(False, words, "Is that database up? Its owner sees what it said.", "sources")


def _llms() -> Iterator[Trouble]:
    for one in Endpoint.objects.filter(is_on=True).exclude(trouble="").only("name", "trouble"):
        words = f"The language model {one.name} failed its last call: {one.trouble}"
        advice = "The next one is asked in its place, else the built-in analyst. Mend it, and test it."
        yield Trouble(False, words, advice, "llms")
    own = settings_keys()
    for kept in SettingsTrouble.objects.filter(key__in=own):
        llm = own[kept.key]
        words = f"The language model {llm.model} at {llm.host}, of the settings, failed its last call: {kept.trouble}"
        advice = "The built-in analyst answers in its place. See LLM_ in the file of settings, and start Mirror again."
        yield Trouble(False, words, advice, "llms")


def _place(name: str) -> str:
    return {"data": "data folder", "results": "stored results"}[name]

"""Troubles of a running Mirror in plain words, the worst first. The doctor looks at more, and takes longer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mirror.health.services import QUEUES, whats_missing
from mirror.llms.models import Endpoint, SettingsTrouble
from mirror.llms.opening import settings_keys
from mirror.phrases import joined, separated, size, took
from mirror.reports.models import Delivery
from mirror.upkeep.doctor import LITTLE_ROOM, NO_ROOM, WAITS
from mirror.upkeep.figures import Figures, SourceFigures
from mirror.work.kinds import KINDS

# Seconds by which work should have been taken that somebody waits for on a page.
WAITS_LONG = 120.0
# How parts are called.
PARTS = {
    "web": gettext_lazy("web server"),
    "worker": gettext_lazy("worker"),
    "intake": gettext_lazy("worker for intake"),
    "reports": gettext_lazy("worker for reports"),
    "deliveries": gettext_lazy("worker for deliveries"),
    "scheduler": gettext_lazy("scheduler"),
}
# How kinds of work are called.
WORK = {
    "run": gettext_lazy("Questions"),
    "version": gettext_lazy("SQL of people and of answers"),
    "llm_change": gettext_lazy("SQL changed by language models"),
    "llm_telling": gettext_lazy("SQL told by language models"),
    "glance": gettext_lazy("First rows and plans"),
    "supply": gettext_lazy("Rows of dashboards"),
    "pdf_export": gettext_lazy("Dashboards as PDF"),
    "trial": gettext_lazy("Terms on trial"),
    "posed_round": gettext_lazy("Questions to verify"),
    "evaluation": gettext_lazy("Evaluations"),
    "improvement": gettext_lazy("Improvements of knowledge"),
    "endpoint_test": gettext_lazy("Tests of language models"),
    "report": gettext_lazy("Runs of reports"),
    "delivery": gettext_lazy("Deliveries"),
    "mention": gettext_lazy("Mails about comments"),
    "share_notice": gettext_lazy("Mails about what is shared"),
    "upload": gettext_lazy("Uploads"),
    "visit": gettext_lazy("Databases opened for people"),
    "index": gettext_lazy("Stored values of sources"),
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
        yield Trouble(True, words, _("See the log of the web server; manage.py doctor looks further."))
    alive = {process.part for process in figures.processes if process.is_alive}
    # Of the web server this page is a sign.
    for part in (*QUEUES, "scheduler"):
        if part not in alive:
            words = _("No %(part)s is alive.") % {"part": PARTS[part]}
            advice = _(
                "Start it: script/server, or the unit or container of this part. Its log says why it ended."
            )
            yield Trouble(True, words, advice, "processes")
    silent = [
        process for process in figures.processes if not process.is_alive and process.part in {*alive, "web"}
    ]
    for process in silent:
        words = _("%(name)s has shown no sign of life for %(time)s.") % {
            "name": process.name,
            "time": took(process.silent),
        }
        advice = _("It was killed, or its machine is gone. Others do its work.")
        yield Trouble(False, words, advice, "processes")


def _queues(figures: Figures) -> Iterator[Trouble]:
    for queue in figures.queues:
        most = WAITS.total_seconds() if KINDS[queue.kind].is_background else WAITS_LONG
        if queue.oldest > most:
            words = _("%(kind)s: %(count)s waiting, the first for %(time)s.") % {
                "kind": WORK[queue.kind],
                "count": separated(f"{queue.waiting:,}"),
                "time": took(queue.oldest),
            }
            yield Trouble(False, words, _("Start more workers (WORKERS), or see their logs."), "work")


def _disk(figures: Figures) -> Iterator[Trouble]:
    for room in figures.rooms:
        if room.free < LITTLE_ROOM:
            words = _place(room.place) % {"size": size(room.free)}
            advice = _("Make room, or lower RESULT_DAYS. Soon nothing can be kept.")
            yield Trouble(room.free < NO_ROOM, words, advice, "disk")


def _reports(figures: Figures) -> Iterator[Trouble]:
    if figures.is_paused:
        words, advice = _("All sending is paused."), _("Let it go on under Mail and webhooks.")
        yield Trouble(False, words, advice, "sending")
    elif figures.late_reports:
        words = ngettext(
            "%(count)s report should have run.", "%(count)s reports should have run.", figures.late_reports
        ) % {"count": separated(f"{figures.late_reports:,}")}
        yield Trouble(True, words, _("Does the scheduler run?"), "processes")
    given_up = sum(
        count for (_, state), count in figures.deliveries.items() if state == Delivery.State.GIVEN_UP
    )
    if given_up:
        words = ngettext(
            "%(count)s delivery was given up since yesterday.",
            "%(count)s deliveries were given up since yesterday.",
            given_up,
        ) % {"count": separated(f"{given_up:,}")}
        yield Trouble(False, words, _("The pages of their runs say why."), "deliveries")
    if figures.retried:
        retried = sum(figures.retried.values())
        words = ngettext(
            "%(count)s delivery failed and will be tried again.",
            "%(count)s deliveries failed and will be tried again.",
            retried,
        ) % {"count": separated(f"{retried:,}")}
        advice = _("By %(channels)s.") % {"channels": joined(sorted(figures.retried))}
        yield Trouble(False, words, advice, "deliveries")


def _sources(figures: Figures) -> Iterator[Trouble]:
    if failing := sum(fails_mostly(source) for source in figures.sources.values()):
        words = ngettext(
            "On %(count)s source more statements failed than gave rows.",
            "On %(count)s sources more statements failed than gave rows.",
            failing,
        ) % {"count": separated(f"{failing:,}")}
        advice = _("Is that database up? Its owner sees what it said.")
        yield Trouble(False, words, advice, "sources")


def _llms() -> Iterator[Trouble]:
    for one in Endpoint.objects.filter(is_on=True).exclude(trouble="").only("name", "trouble"):
        words = _("The language model %(name)s failed its last call: %(trouble)s") % {
            "name": one.name,
            "trouble": one.trouble,
        }
        advice = _("The next one is asked in its place, else the built-in analyst. Mend it, and test it.")
        yield Trouble(False, words, advice, "llms")
    own = settings_keys()
    for kept in SettingsTrouble.objects.filter(key__in=own):
        llm = own[kept.key]
        words = _(
            "The language model %(model)s at %(host)s, of the settings, failed its last call: %(trouble)s"
        ) % {
            "model": llm.model,
            "host": llm.host,
            "trouble": kept.trouble,
        }
        advice = _(
            "The built-in analyst answers in its place. See LLM_ in the file of settings, and start Mirror again."
        )
        yield Trouble(False, words, advice, "llms")


def _place(name: str) -> str:
    return {
        "data": _("%(size)s are left on the disk of the data folder."),
        "results": _("%(size)s are left on the disk of the stored results."),
    }[name]

"""How a run is being answered, as its reader sees it: what was understood, attempts, results, the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from mirror.asking.models import Run, Step
from mirror.asking.pages.words import noted, seconds_between, state_of
from mirror.phrases import counted, took
from mirror.results.cells import Cell
from mirror.results.pages import preview_cells
from mirror.stored_words import entry_said, failure_said, texts_said, translated

_STATUS_WORDS = {
    "ok": "",
    "truncated": gettext_noop("cut"),
    "empty": gettext_noop("no rows"),
    "all_null": gettext_noop("only NULL"),
    "refused": gettext_noop("refused"),
    "error": gettext_noop("failed"),
    "timeout": gettext_noop("too slow"),
    "cancelled": gettext_noop("stopped"),
    "lost": gettext_noop("connection lost"),
}


@dataclass(frozen=True, slots=True)
class LinkView:
    """Words of the question and what they were taken to mean."""

    words: str
    target: str


@dataclass(frozen=True, slots=True)
class TileView:
    """One attempt. `group` is the number of the result it gave, 0 when it gave none."""

    number: int
    words: str
    group: int
    sql: str
    problem: str
    advice: str
    notes: tuple[str, ...]
    seconds: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """One round of attempts; later ones say what was missing before."""

    missing: tuple[str, ...]
    tiles: tuple[TileView, ...]


@dataclass(frozen=True, slots=True)
class GroupView:
    """Attempts that gave the same rows, with the first of them."""

    agree: str
    tiles: tuple[int, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepsView:
    """The whole of it; `now` says what is happening and is read out to those who do not see."""

    state: str
    now: str
    summary: str
    links: tuple[LinkView, ...] = ()
    tables: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()
    rewritten: str = ""
    rounds: tuple[RoundView, ...] = ()
    groups: tuple[GroupView, ...] = ()
    checked: str = ""
    problems: tuple[str, ...] = ()
    verdict: str = ""
    is_accepted: bool = False
    unmet: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_stopping: bool = False


@dataclass(slots=True)
class _Story:
    """The story of the steps, gathered one after the other."""

    links: tuple[LinkView, ...] = ()
    tables: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()
    rewritten: str = ""
    rounds: list[tuple[int, tuple[str, ...], list[dict[str, Any]]]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    ranked: list[dict[str, Any]] = field(default_factory=list)
    pool: int = 0
    checked: dict[str, Any] = field(default_factory=dict)
    verdict: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    last: str = ""

    def hear(self, kind: str, data: dict[str, Any]) -> None:
        """Take in one step."""
        self.last = kind
        match kind:
            case "rewritten":
                self.rewritten = data["text"]
            case "linked":
                self.links = tuple(_links(data))
                self.tables, self.unlinked = tuple(data["tables"]), tuple(data["unlinked"])
            case "sampling":
                self.rounds.append((data["round"], tuple(data["feedback"]), []))
            case "executed":
                if not self.rounds:
                    self.rounds.append((0, (), []))
                self.rounds[-1][2].append(data)
            case "grouped":
                self.groups, self.pool = data["groups"], data["pool"]
            case "checked":
                self.checked = data
            case "ranked":
                self.ranked, self.pool = data["groups"], data["pool"]
            case "audited":
                self.verdict = data
            case "noted":
                self.notes.append(entry_said(data, "message"))


def steps_view(run: Run, steps: Iterable[Step]) -> StepsView:
    """Tell the steps of a run so far."""
    story = _Story()
    for step in steps:
        story.hear(step.kind, step.data)
    groups = _groups(story)
    place = {tile: number for number, group in enumerate(groups, 1) for tile in group.tiles}
    state = state_of(run)
    return StepsView(
        state=state,
        now=_now(run, state, story, groups),
        summary=_summary(run, story, groups),
        links=story.links,
        tables=story.tables,
        unlinked=story.unlinked,
        rewritten=story.rewritten,
        rounds=tuple(
            RoundView(missing, tuple(_tile(data, place) for data in tiles))
            for _number, missing, tiles in story.rounds
        ),
        groups=groups,
        checked=translated(story.checked.get("said", ""), _CHECKED),
        problems=tuple(story.checked.get("problems", ())),
        verdict=entry_said(story.verdict, "reason"),
        is_accepted=bool(story.verdict.get("accepted")),
        unmet=tuple(story.verdict.get("unmet", ())),
        notes=tuple(story.notes),
        is_stopping=run.stop_requested and not run.is_ended,
    )


# Outcomes of the checks of an answer: told by `sqlagent.events`.
_CHECKED = (
    gettext_noop("The first attempt and the built-in analyst agreed and the checks passed"),
    gettext_noop("{count} attempts agreed and the checks passed"),
    gettext_noop("{count} attempts agreed, but their answer may leave something out"),
)
_COUNTS = (
    gettext_noop("One"),
    gettext_noop("Two"),
    gettext_noop("Three"),
    gettext_noop("Four"),
    gettext_noop("Five"),
    gettext_noop("Six"),
    gettext_noop("Seven"),
    gettext_noop("Eight"),
)


def _links(data: dict[str, Any]) -> Iterable[LinkView]:
    seen = set()
    for link in [*data["links"], *data["values"]]:
        target = f"{link['table']}.{link['column']}" if link["column"] else link["table"]
        target = f"{target} = {link['value']}" if link["value"] else target
        if (link["words"].lower(), target) not in seen:
            seen.add((link["words"].lower(), target))
            yield LinkView(link["words"], target)


def _tile(data: dict[str, Any], place: dict[int, int]) -> TileView:
    failure = data.get("failure") or {}
    words = _(_STATUS_WORDS.get(data["status"], data["status"]))
    if not failure and data["status"] not in ("empty", "all_null"):
        words = counted(data["row_count"], "row") + (f", {words}" if words else "")
    return TileView(
        number=data["index"] + 1,
        words=words,
        group=place.get(data["index"], 0),
        sql=data["sql"],
        problem=failure_said(failure, "message"),
        advice=failure_said(failure, "advice"),
        notes=tuple(noted(one) for one in texts_said(data, "notes")),
        seconds="" if failure else took(data["seconds"]),
    )


def _groups(story: _Story) -> tuple[GroupView, ...]:
    """Results in their order: as ranked once they are, else as they form, largest first."""
    is_ranked = bool(story.ranked) and story.last not in ("sampling", "executed", "grouped")
    made = []
    for group in story.ranked if is_ranked else story.groups:
        more = group["row_count"] - len(group["rows"])
        made.append(
            GroupView(
                agree=attempts_of(group["size"], story.pool),
                tiles=tuple(group["members"]),
                rows=preview_cells(group),
                more=rows_more(more),
                reasons=texts_said(group, "reasons"),
            )
        )
    return tuple(made)


def attempts_of(size: int, pool: int) -> str:
    """How many of all attempts, in words."""
    words = ngettext("%(size)s of %(count)s attempt", "%(size)s of %(count)s attempts", pool)
    return words % {"size": size, "count": pool}


def rows_more(count: int) -> str:
    """How many rows stand behind a few that are shown; empty where there are none."""
    words = ngettext("and %(count)s more row", "and %(count)s more rows", count)
    return words % {"count": intcomma(count)} if count > 0 else ""


def _is_passed(story: _Story) -> bool:
    return bool(story.checked) and not story.checked["problems"]


def _now(run: Run, state: str, story: _Story, groups: tuple[GroupView, ...]) -> str:
    if state == "queued" and run.waits_turn:
        return _("Waiting for its turn: as much runs on this source at once as its limit allows")
    if state == "queued":
        return (
            _("Still waiting: every worker is busy, or none is running")
            if run.waits_long
            else _("Waiting for a worker")
        )
    if state != "running":
        return ""
    if run.stop_requested:
        return _("Stopping")
    tried = sum(len(tiles) for _number, _missing, tiles in story.rounds)
    attempts = _attempts(tried)
    results = _results(len(groups))
    match story.last:
        case "":
            return _("Reading what the source holds")
        case "rewritten":
            return _("Finding what the question is about")
        case "linked" | "noted" if not tried:
            return _("Writing the first attempts")
        case "sampling":
            return _("Writing attempts") if len(story.rounds) < 2 else _("Trying again with what was missing")
        case "executed":
            return _("%(attempts)s made") % {"attempts": attempts}
        case "grouped" | "noted":
            return f"{attempts}, {results}"
        case "checked":
            return _("Writing the answer") if _is_passed(story) else f"{attempts}, {results}"
        case "ranked" if _is_passed(story):
            return _("Writing the answer")
        case "ranked":
            words = ngettext(
                "Checking whether the best of %(count)s different result answers the question",
                "Checking whether the best of %(count)s different results answers the question",
                len(groups),
            )
            return words % {"count": len(groups)}
        case _:
            is_accepted = story.verdict.get("accepted")
            return _("Writing the answer") if is_accepted else _("Looking for what is missing")


def _attempts(count: int) -> str:
    return ngettext("%(count)s attempt", "%(count)s attempts", count) % {"count": count}


def _results(count: int) -> str:
    return ngettext("%(count)s different result", "%(count)s different results", count) % {"count": count}


def _summary(run: Run, story: _Story, groups: tuple[GroupView, ...]) -> str:
    attempts = sum(len(tiles) for _number, _missing, tiles in story.rounds)
    if not attempts:
        return ""
    results = ngettext("%(count)s result", "%(count)s results", len(groups)) % {"count": len(groups)}
    parts = [_attempts(attempts), results]
    if len(story.rounds) > 1:
        again = len(story.rounds) - 1
        parts.append(ngettext("%(count)s resampling", "%(count)s resamplings", again) % {"count": again})
    seconds = run.usage.get("seconds") or seconds_between(run.started_at, run.ended_at)
    return ", ".join([*parts, *([took(seconds)] if seconds else [])])

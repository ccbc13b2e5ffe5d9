"""How a run is being answered, as its reader sees it: what was understood, attempts, results, the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mirror.asking.models import Run, Step
from mirror.asking.pages.words import noted, seconds_between, state_of
from mirror.phrases import counted, took
from mirror.results.cells import Cell
from mirror.results.pages import preview_cells

_STATUS_WORDS = {
    "ok": "",
    "truncated": "cut",
    "empty": "no rows",
    "all_null": "only NULL",
    "refused": "refused",
    "error": "failed",
    "timeout": "too slow",
    "cancelled": "stopped",
    "lost": "connection lost",
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
    """What the steps tell, gathered one after the other."""

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
                self.notes.append(data["message"])


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
            for _, missing, tiles in story.rounds
        ),
        groups=groups,
        checked=story.checked.get("said", ""),
        problems=tuple(story.checked.get("problems", ())),
        verdict=story.verdict.get("reason", ""),
        is_accepted=bool(story.verdict.get("accepted")),
        unmet=tuple(story.verdict.get("unmet", ())),
        notes=tuple(story.notes),
        is_stopping=run.stop_requested and not run.is_ended,
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
    words = _STATUS_WORDS.get(data["status"], data["status"])
    if not failure and data["status"] not in ("empty", "all_null"):
        words = counted(data["row_count"], "row") + (f", {words}" if words else "")
    return TileView(
        number=data["index"] + 1,
        words=words,
        group=place.get(data["index"], 0),
        sql=data["sql"],
        problem=failure.get("message", ""),
        advice=failure.get("advice", ""),
        notes=tuple(map(noted, data["notes"])),
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
                agree=f"{group['size']} of {counted(story.pool, 'attempt')}",
                tiles=tuple(group["members"]),
                rows=preview_cells(group),
                more=f"and {counted(more, 'more row')}" if more > 0 else "",
                reasons=tuple(group.get("reasons", ())),
            )
        )
    return tuple(made)


def _is_passed(story: _Story) -> bool:
    return bool(story.checked) and not story.checked["problems"]


def _now(run: Run, state: str, story: _Story, groups: tuple[GroupView, ...]) -> str:
    if state == "queued" and run.waits_turn:
        return "Waiting for its turn: as much runs on this source at once as its limit allows"
    if state == "queued":
        return (
            "Still waiting: every worker is busy, or none is running"
            if run.waits_long
            else "Waiting for a worker"
        )
    if state != "running":
        return ""
    if run.stop_requested:
        return "Stopping"
    attempts = sum(len(tiles) for _, _, tiles in story.rounds)
    results = counted(len(groups), "different result")
    match story.last:
        case "":
            return "Reading what the source holds"
        case "rewritten":
            return "Finding what the question is about"
        case "linked" | "noted" if not attempts:
            return "Writing the first attempts"
        case "sampling":
            return "Writing attempts" if len(story.rounds) < 2 else "Trying again with what was missing"
        case "executed":
            return f"{counted(attempts, 'attempt')} made"
        case "grouped" | "noted":
            return f"{counted(attempts, 'attempt')}, {results}"
        case "checked":
            return "Writing the answer" if _is_passed(story) else f"{counted(attempts, 'attempt')}, {results}"
        case "ranked" if _is_passed(story):
            return "Writing the answer"
        case "ranked":
            return f"Checking whether the best of {results} answers the question"
        case _:
            return "Writing the answer" if story.verdict.get("accepted") else "Looking for what is missing"


def _summary(run: Run, story: _Story, groups: tuple[GroupView, ...]) -> str:
    attempts = sum(len(tiles) for _, _, tiles in story.rounds)
    if not attempts:
        return ""
    parts = [counted(attempts, "attempt"), counted(len(groups), "result")]
    if len(story.rounds) > 1:
        parts.append(counted(len(story.rounds) - 1, "resampling"))
    seconds = run.usage.get("seconds") or seconds_between(run.started_at, run.ended_at)
    return ", ".join([*parts, *([took(seconds)] if seconds else [])])

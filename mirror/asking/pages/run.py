"""One run, top to bottom: what was asked, what came out, how sure, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking import selectors, services
from mirror.asking.models import Run, Version, headed
from mirror.asking.pages.chips import ChipsView, chips_view
from mirror.asking.pages.known import KnownView, known_view
from mirror.asking.pages.run_maker import MakerView, maker_view
from mirror.asking.pages.run_thread import FollowUpView, ThreadPlace, follow_up_view, thread_place
from mirror.asking.pages.run_versions import VersionPlace, version_place
from mirror.asking.pages.steps import StepsView, attempts_of, rows_more, steps_view
from mirror.asking.pages.version import VersionItem, VersionView, version_item, version_view
from mirror.asking.pages.words import (
    departs_said,
    heading_said,
    hint_unused,
    noted,
    state_of,
    state_said,
)
from mirror.asking.services.answer_standing import answer_standing
from mirror.asking.services.departures import EDITED
from mirror.asking.services.notes_beside import notes_beside
from mirror.library.drafts import draft_said
from mirror.llms.budgets import budget_warnings
from mirror.llms.selectors import llm_names
from mirror.phrases import joined, one_line, quoted
from mirror.queries.pages import ValueField, values_fields
from mirror.results.cells import Cell
from mirror.results.pages import TableWish, preview_cells
from mirror.sources.selectors import may_ask
from mirror.stored_words import entry_said, row_said, said_again

# Reasons for which a page has the parts, or a way on, at hand: codes of an answer (`Run.why`).
_UNSURE, _LANGUAGE = "unsure", "language"
_OTHER_LANGUAGE = gettext_noop(
    "Ask it in English. A language model reads other languages too: an administrator can set one up. "
    "Or write the SQL yourself below."
)

NEAREST = 4


@dataclass(frozen=True, slots=True)
class ReadingView:
    """Another way to understand the question, with its first rows."""

    index: int
    difference: str
    agree: str
    sql: str
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything the run page shows.

    `state` is queued, running, stopped, or the outcome; empty where saved SQL was run: that
    `is_saved`, even when it has left the library since. `name` is what its SQL is saved as: its title, with what was changed since.
    `draft` is what the editor starts with: the version's SQL, or the best attempt of a run
    that failed; SQL just typed that could not be taken replaces it. `understood` are the chips of the
    version. It `is_unsure` where it was found and may well not be what was meant.
    `nearest` are questions that can be answered, where this one has no answer. `way_on` says what helps where the `reason` is
    another language. `unused_hint` says what of the hint the
    answer does without. `values` are the fields of the :names of its SQL. `without_llm` says why no language model wrote it though
    one is set. Where its reader is a viewer of the source, they may not ask (`may_ask`): the
    page then looks back, and what is shown is run again where `may_again` says so. `budget` is what is to be known of budgets
    before a follow-up is asked.
    """

    id: int
    name: str
    thread: ThreadPlace
    source_id: int
    source: str
    dialect: str
    title: str
    departs: str
    asked: str
    hint: str
    unused_hint: str
    question: str
    is_rewritten: bool
    is_saved: bool
    may_ask: bool
    may_again: bool
    state: str
    is_working: bool
    reason: str
    way_on: str
    maker: MakerView
    when: datetime
    data_time: datetime | None
    sentence: str
    notes: tuple[str, ...]
    word_notes: tuple[str, ...]
    row_notes: tuple[str, ...]
    readings: tuple[ReadingView, ...]
    versions: tuple[VersionItem, ...]
    version: VersionView | None
    draft: str
    steps: StepsView
    understood: ChipsView | None
    place: VersionPlace
    is_unsure: bool
    nearest: tuple[str, ...]
    follow_up: FollowUpView
    values: tuple[ValueField, ...]
    known: KnownView
    is_verified: bool
    without_llm: str
    budget: tuple[str, ...]
    problem: str = ""

    @property
    def state_words(self) -> str:
        """The state in the language of the page."""
        return state_said(self.state)


def run_page(
    run: Run,
    *,
    number: int | None = None,
    wish: TableWish | None = None,
    typed: str | None = None,
    problem: str = "",
    follow_up: str = "",
    follow_hint: str | None = None,
    chip_problem: str = "",
) -> RunPage:
    """Show a run with the version that is shown last, or the one with this number.

    `typed` is SQL, and `follow_up` with `follow_hint` a question, that could not be taken, and `problem` why; `chip_problem`
    says why a chip could not be changed.
    """
    versions = selectors.versions_of(run)
    current = next((v for v in versions if v.number == number), None) or (versions[0] if versions else None)
    history = sorted(versions, key=lambda one: one.number, reverse=True)
    steps = steps_view(run, selectors.steps_of(run))
    source, title = run.thread.source, run.named
    stands = answer_standing(run, current)
    known, draft = known_view(run, current, stands), stands.draft
    view = version_view(current, wish, _file_title(current, title, draft)) if current else None
    asks = may_ask(run.thread.owner, source)
    understood = chips_view(current, chip_problem) if asks else None
    reason, why = _reason(run, current)
    place = version_place(versions, current, asks)
    beside = notes_beside(run)
    return RunPage(
        id=run.pk,
        thread=thread_place(run),
        source_id=source.pk,
        source=source.name,
        dialect=source.engine,
        title=title,
        name=heading_said(title, current),
        departs=departs_said(current) if current is not None else "",
        asked=run.asked or run.question,
        hint=run.hint,
        unused_hint=hint_unused(run.unused_hint),
        question=run.question,
        is_rewritten=bool(run.asked) and run.question != run.asked,
        is_saved=bool(history) and history[-1].origin == Version.Origin.SAVED,
        may_ask=asks,
        may_again=asks or (current is not None and services.is_saved_of(run, current.sql)),
        state=state_of(run, stands),
        is_verified=stands.is_verified,
        is_working=not run.is_ended,
        reason=_parts_named(run, understood) if why == _UNSURE else reason,
        way_on=_(_OTHER_LANGUAGE) if why == _LANGUAGE else "",
        maker=maker_view(run, stands.is_vouched, known.vouched_by),
        when=run.created_at,
        data_time=view.when if view else None,
        sentence=view.sentence if view else row_said(run, "sentence"),
        notes=tuple(_noted(run, note) for note in run.notes if note != run.without_llm),
        word_notes=tuple(_noted(run, note) for note in beside.words),
        row_notes=tuple(_noted(run, note) for note in beside.rows) if place.is_first else (),
        readings=_readings(run, current) if asks else (),
        versions=tuple(version_item(version, current) for version in history),
        version=view,
        draft=typed if typed is not None else current.sql if current else _draft(run, steps),
        steps=steps,
        understood=understood,
        is_unsure=bool(draft) if current is not None else run.outcome == "ambiguous",
        place=place,
        nearest=_nearest(run, versions) if asks else (),
        follow_up=follow_up_view(run, versions, current, follow_up, follow_hint),
        values=_values(run, current, typed),
        known=known,
        without_llm=_(run.without_llm),
        budget=budget_warnings(run.thread.owner, source) if llm_names(source) else (),
        problem=problem,
    )


def _values(run: Run, current: Version | None, typed: str | None) -> tuple[ValueField, ...]:
    """Fields for the :names of the SQL in the editor."""
    sql = typed if typed is not None else current.sql if current is not None else ""
    known = run.saved.parameters if run.saved is not None else None
    return values_fields(run.thread.source, sql, current.arguments if current is not None else {}, known)


def _file_title(version: Version, title: str, draft: str) -> str:
    """The name of a file of a version's rows; it tells a draft in front, where no cut takes it away."""
    # Edited SQL may answer anything but the question that it began with.
    is_edited = version.departs == EDITED or (version.origin == Version.Origin.EDIT and version.number > 1)
    is_told = bool(version.departs) and version.departs != EDITED
    said = version.title or (
        one_line(version.sql, 80) if is_edited and not is_told else headed(title, version)
    )
    return _("Draft: %(title)s") % {"title": said} if draft else said


def _reason(run: Run, current: Version | None) -> tuple[str, str]:
    """Why there is no answer, or a draft of one: in words, and as the code of its run where that is the reason shown."""
    if current is None or current.origin == Version.Origin.ANSWER:
        return row_said(run, "reason"), run.why
    saved = current.origin == Version.Origin.SAVED and current.draft
    draft = draft_said(current.draft, current.draft_saying)
    return (_("This SQL was saved from a draft. %(why)s") % {"why": draft} if saved else draft), ""


def _parts_named(run: Run, understood: ChipsView | None) -> str:
    """Say which parts of an unsure reading may be meant otherwise: the chips that offer something else."""
    parts = [
        quoted(f"{chip.label} {chip.words}".strip())
        for chip in (understood.chips if understood is not None else ())
        if chip.kind != "add" and chip.headings
    ]
    said = [
        _("Less than half sure of this reading, so it is a draft.")
        if (run.confidence or 0) < 0.5
        else _("Not sure of this reading, so it is a draft.")
    ]
    if parts:
        said.append(_("Check %(parts)s: each opens what else may be meant.") % {"parts": joined(parts)})
    if run.readings:
        said.append(_("Other readings are below."))
    return " ".join(said)


def _noted(run: Run, note: str) -> str:
    """A note of a run; its subject and the computation stay as they are."""
    return noted(said_again(note, run.saying.get("notes"), note))


def _nearest(run: Run, versions: list[Version]) -> tuple[str, ...]:
    """Questions that the source can answer, near to one that has no answer."""
    is_dead_end = run.outcome in ("unanswerable", "failed") and not versions
    return services.questions_near(run.thread.source, run.question, NEAREST) if is_dead_end else ()


def _readings(run: Run, current: Version | None) -> tuple[ReadingView, ...]:
    """The other readings of a question; none beside a version that was changed away from it."""
    if current is not None and current.change and current.departs:
        return ()
    return tuple(_reading(run, n, data, current) for n, data in enumerate(run.readings))


def _reading(run: Run, index: int, data: dict[str, Any], current: Version | None) -> ReadingView:
    more = data["row_count"] - len(data["rows"])
    rows = preview_cells(data)
    return ReadingView(
        index=index,
        difference=entry_said(data, "difference"),
        agree=attempts_of(data.get("size", 0), run.agreement_pool or 0),
        sql=data["sql"],
        columns=tuple(_head(name, [row[n] for row in rows]) for n, name in enumerate(data["columns"])),
        rows=rows,
        more=rows_more(more),
        is_current=current is not None
        and current.origin == Version.Origin.READING
        and current.sql == data["sql"],
    )


def _head(name: str, cells: Sequence[Cell]) -> Cell:
    """Stand the head of a column over its cells: numbers to the right."""
    return Cell(name, look="num" if any(cell.look == "num" for cell in cells) else "")


def _draft(run: Run, steps: StepsView) -> str:
    """The SQL to start from when a run gave no answer: an attempt that ran, else the last one.

    Empty where the source cannot answer: what was tried is about something else.
    """
    if run.outcome == "unanswerable":
        return ""
    tiles = [tile for round in steps.rounds for tile in round.tiles]
    ran = [tile for tile in tiles if not tile.problem]
    return (ran or tiles)[-1].sql if tiles else ""

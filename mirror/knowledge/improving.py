"""A context that improves itself, as work: a worker takes step after step, and gives way to people who ask the source.

Split, gate, tree and editors are `sqlagent.evaluation.improving`; here they meet the store and the source. Nothing is asked of the audit third.
By rules it costs no language model; with one, that edits, and answers as it does for people.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.audit.services import record
from mirror.knowledge.effects import Teller, is_alike
from mirror.knowledge.improving_llm import Asker, StoredFitting, Unasked
from mirror.knowledge.improving_store import base_of, bring, is_as_left, start_of, take_out
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import Improvement, ImprovementStep, StoredTerm
from mirror.queries.running import OpenedSource, source_opened
from mirror.sources.models import Source
from mirror.sources.sight import seen_whole
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.turns import turn_is_wanted
from mirror.work.watching import Watch
from sqlagent.errors import Cancelled, DatabaseError
from sqlagent.evaluation.improving import LEAST_TEMPLATES as LEAST_TEMPLATES
from sqlagent.evaluation.improving import (
    Edit,
    History,
    Improver,
    Limits,
    Part,
    State,
    Step,
    grouped,
    kept_parts,
    split,
)
from sqlagent.evaluation.improving.changes import applied
from sqlagent.evaluation.improving.llm_editor import Context, LlmEditor
from sqlagent.evaluation.improving.loop import Propose, Stopped
from sqlagent.evaluation.improving.rules import RuleEditor, Seen
from sqlagent.method.templates import template_text
from sqlagent.values import Answer, Catalog, Knowledge, Rows, VerifiedAnswer
from sqlagent.values import Limits as StatementLimits

if TYPE_CHECKING:
    from mirror.people.models import User

KEPT = 10
"""Improvements of one source that are kept, the latest."""

CALLS, MOST_CALLS = 2_000, 20_000
"""Answers that an improvement may ask for, unless somebody says otherwise, and at most."""

PAUSE_SECONDS = 3.0
CHANGED_SHOWN = 20
"""Questions that a step names of each third."""

SHOWN_CHARS = 2_000
"""Kept of the SQL of a wrong answer that an editor is shown."""

STOPPED = gettext_noop("It was stopped.")
BROKEN = gettext_noop("Something in Mirror itself broke during this. It was logged.")
LOST = "Its workers were lost {died} times."
CHANGED = gettext_noop(
    "The knowledge of the source was changed by hand meanwhile. Start it again to go on from there."
)
NOTHING = gettext_noop("This source has no verified answers to learn from.")


def improvement_ask(source: Source, by: User, calls: int = CALLS, *, with_llm: bool = False) -> Improvement:
    """Have a worker improve what is known of a source. One that ended with the same knowledge goes on, with a fresh budget; one under way stays.

    Answers with a language model are other answers: with one and without one are two improvements.
    """
    with transaction.atomic():
        Source.objects.select_for_update().filter(pk=source.pk).first()
        last = Improvement.objects.filter(source=source).order_by("-pk").first()
        if last is not None and last.status != Status.DONE:
            return last
        calls = max(1, min(calls, MOST_CALLS))
        if last is not None and not last.problem and last.with_llm == with_llm and is_as_left(source, last):
            row = last
            tree = History.of(row.tree)
            row.calls, tree.edits_asked, tree.idle = tree.calls + calls, 0, 0
            row.tree, row.asked_by, row.why = tree.plain(), by, ""
            row.status, row.stop_requested, row.attempts, row.spared = Status.QUEUED, False, 0, 0
            row.started_at = row.ended_at = row.not_before = None
            row.queued_at = timezone.now()
            row.save()
        else:
            parts = {"marks": last.parts.get("marks", {})} if last is not None else {}
            row = Improvement.objects.create(
                source=source,
                asked_by=by,
                base=base_of(source, None),
                calls=calls,
                parts=parts,
                with_llm=with_llm,
            )
            old = Improvement.objects.filter(source=source).order_by("-pk")[KEPT:]
            Improvement.objects.filter(pk__in=[one.pk for one in old]).delete()
        record("started an improvement", source, by=by, with_llm=with_llm)
        send(row)
        return row


def improvement_stop(row: Improvement, by: User) -> None:
    """Stop an improvement: at once where it waits, else by its worker after the answer under way."""
    Improvement.objects.filter(pk=row.pk).exclude(status=Status.DONE).update(stop_requested=True)
    if row.status == Status.QUEUED:
        end_unheld(row, why=STOPPED)
    record("stopped an improvement", row.source, by=by)


# ---------------------------------------------------------------- a worker's part


def improvement_do(lease: Lease) -> None:
    """Go on with a taken improvement until it ends, is stopped, or gives way."""
    row = Improvement.objects.select_related("source__owner", "asked_by").filter(pk=lease.pk).first()
    if row is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        try:
            with source_opened(seen_whole(row.source)) as opened, watch.ending(opened.database.cancel):
                _Work(lease, row, opened, watch).go_on()
        except DatabaseError as error:
            lease.end(problem=f"{error.failure.message} {error.failure.advice}".strip())


def improvement_break(lease: Lease) -> None:
    """End an improvement that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(problem=BROKEN)


class _Work:
    """One improvement on an opened source."""

    def __init__(self, lease: Lease, row: Improvement, opened: OpenedSource, watch: Watch) -> None:
        self.lease, self.row, self.opened, self.watch = lease, row, opened, watch
        opened.database.execute("SELECT 1", StatementLimits(seconds=10, rows=1))
        self.teller = Teller.of(opened, watch.cancelled)
        self.known = {one.key: one for one in knowledge_of(row.source).verified}
        self.start = start_of(row.source, row)
        self.asker = Asker(self.teller, row.asked_by, row.used) if row.with_llm else None
        self.unasked = ""
        self.history = History.of(row.tree)
        self.wanted: dict[str, Rows | None] = {}
        self.gives_way = False
        dialect = opened.catalog.dialect
        told = {key: template_text(one, dialect) for key, one in self.known.items()}
        self.groups = grouped((key, *both) for key, both in told.items())
        self.marks = {
            key: hashlib.sha256(template.encode()).hexdigest()[:16] for key, (template, _) in told.items()
        }
        before = kept_parts(self.groups, self.marks, row.parts.get("marks", {}))
        self.parts = split(list(dict.fromkeys(self.groups.values())), before, str(row.source_id))

    def go_on(self) -> None:
        """Take steps. Raises: DatabaseError, LeaseLost."""
        row = self.row
        if not self.known:
            self.lease.end(why=NOTHING)
            return
        if not is_as_left(row.source, row):
            self.lease.end(why=CHANGED)
            return
        marks = {self.marks[key]: str(self.parts[group]) for key, group in self.groups.items()}
        row.parts = {
            "marks": {**row.parts.get("marks", {}), **marks},
            "sizes": Counter(map(str, self.parts.values())),
        }
        self.lease.write(parts=row.parts)
        improver = Improver(
            self.history, self.groups, self.parts, self.ask, self.proposing(), Limits(calls=row.calls)
        )
        while True:
            try:
                step = improver.step()
            except (Stopped, Cancelled):
                self.paused()
                return
            except Unasked as error:
                self.unasked = str(error)
                self.paused()
                return
            if step.what == "ended":
                self.lease.end(why=step.why, **self.fields())
                return
            if not self.kept(step):
                return

    def proposing(self) -> Propose:
        """The editor: a language model, or rules. Both see the work part alone."""
        if self.asker is None:
            return self.editor().propose
        source, opened = self.row.source, self.opened
        work = self.work()
        context = Context(opened.catalog, self.teller.index, self.start, work, source.privacy)
        fit = StoredFitting(opened, work.keys())
        return LlmEditor(self.asker, context, self.seen, self.history, fit, self.watch.cancelled).propose

    def work(self) -> dict[str, VerifiedAnswer]:
        """The verified answers of the work part, by their keys."""
        return {key: one for key, one in self.known.items() if self.parts[self.groups[key]] is Part.WORK}

    def seen(self) -> dict[str, Seen]:
        """The questions of the work part with the SQL of the last wrong answer to each."""
        shown = self.row.shown
        return {key: Seen(one.question, one.sql, shown.get(key, "")) for key, one in self.work().items()}

    def editor(self) -> RuleEditor:
        """The editor of rules, who sees the work part with what the start answers there."""
        seen = {}
        for key, one in self.work().items():
            if not self.watch.cancelled.is_set():
                seen[key] = Seen(one.question, one.sql, self.teller.answer(one.question, self.start).sql)
        words = StoredTerm.objects.filter(source=self.row.source).exclude(kind=StoredTerm.Kind.RULE)
        known = [word for phrase, more in words.values_list("phrase", "synonyms") for word in (phrase, *more)]
        return RuleEditor(seen, self.opened.catalog, self.history, known)

    def ask(self, edits: Sequence[Edit], keys: Sequence[str]) -> Mapping[str, bool]:
        """Answer verified questions as if none were verified, with some edits; fewer where it gives way or is stopped."""
        known, catalog = applied(edits, self.start, self.opened.catalog, self.known)
        found: dict[str, bool] = {}
        for key in keys:
            if self.watch.cancelled.is_set():
                break
            if not self.gives_way and turn_is_wanted(self.lease):
                self.gives_way = True
            if self.gives_way:
                break
            try:
                right = self.is_right(self.known[key], known, catalog)
            except Unasked as error:
                self.unasked = str(error)
                break
            if self.watch.cancelled.is_set():
                break  # an answer that was ended says nothing
            found[key] = right
        return found

    def is_right(self, one: VerifiedAnswer, known: Knowledge, catalog: Catalog) -> bool:
        """Whether a question is answered with the rows that its verified SQL gives. Raises: Unasked."""
        if one.key not in self.wanted:
            try:
                self.wanted[one.key] = self.teller.rows(one.sql)
            except DatabaseError:
                self.wanted[one.key] = None
        wanted = self.wanted[one.key]
        if wanted is None:
            return False
        answer = self.answer(one, known, catalog)
        right = is_alike(answer, wanted, one)
        if self.asker is not None and self.parts[self.groups[one.key]] is Part.WORK and not right:
            self.row.shown[one.key] = (answer.sql or "")[:SHOWN_CHARS]
        return right

    def answer(self, one: VerifiedAnswer, known: Knowledge, catalog: Catalog) -> Answer:
        """Answer a question as if it were not verified; examples of its own template are not shown with it. Raises: Unasked."""
        if self.asker is None:
            return self.teller.answer(one.question, known)
        group = self.groups[one.key]
        examples = tuple(other for other in known.examples if self.groups.get(other.key) != group)
        return self.asker.answer(one.question, replace(known, examples=examples), catalog)

    def fields(self) -> dict[str, Any]:
        """Fields of the row that change while it goes on."""
        row = self.row
        if self.asker is not None:
            row.used = self.asker.used
        return {"tree": self.history.plain(), "learnt": row.learnt, "shown": row.shown, "used": row.used}

    def paused(self) -> None:
        """Queue it again, or end it where somebody stopped it, or no language model can be asked. Raises: LeaseLost."""
        if self.watch.is_stopped:
            self.lease.end(why=STOPPED, **self.fields())
        elif self.unasked:
            self.lease.end(why=self.unasked, **self.fields())
        else:
            later = timezone.now() + timedelta(seconds=PAUSE_SECONDS)
            self.lease.put_off(later, attempts=self.row.attempts - 1, **self.fields())

    # ------------------------------------------------------------ what a step did

    def kept(self, step: Step) -> bool:
        """Keep a step, and bring its version into force or out of it; False where that ended the improvement. Raises: LeaseLost."""
        row, done = self.row, {"still": True}

        def write() -> None:
            Source.objects.select_for_update().filter(pk=row.source_id).first()
            if step.what in ("accepted", "rolled back") and base_of(row.source, row) != row.base:
                done["still"] = False
                self.lease.end(why=CHANGED)
                return
            by = row.asked_by or row.source.owner
            if step.what == "accepted":
                bring(row, self.history.edits(self.history.in_force), by)
            elif step.what == "rolled back":
                take_out(row, self.history.edits(self.history.in_force), by)
            number = row.steps.count() + 1
            ImprovementStep.objects.create(
                improvement=row,
                number=number,
                what=step.what,
                version=step.version,
                parent=step.parent,
                said=dict(storable(self.told(step))),
            )
            self.lease.write(**self.fields())

        self.lease.keep(write)
        return done["still"]

    def told(self, step: Step) -> dict[str, Any]:
        """A step as a page shows it: the edit, what it won and lost, and the questions that changed."""
        said: dict[str, Any] = {"why": step.why, "work": list(step.work), "calls": self.history.calls}
        if step.edit is not None:
            return said | self.told_edit(step.edit)
        if step.version is None or not self.history.versions[step.version].edit:
            return said
        version = self.history.versions[step.version]
        assert version.edit is not None
        said |= self.told_edit(version.edit)
        if (gated := step.gated) is not None:
            said["gate"] = {"won": gated.won, "lost": gated.lost, "p": gated.p, "level": gated.level}
        parent = self.history.versions[version.parent or 0]
        for name, now, before in (
            ("work", version.work, parent.work),
            ("gate", version.gate, self._in_force(version).gate),
        ):
            said[f"{name}_changed"] = [
                [self.known[key].question, now[key]]
                for key in now
                if key in before and key in self.known and now[key] != before[key]
            ][:CHANGED_SHOWN]
        return said

    def told_edit(self, edit: Edit) -> dict[str, Any]:
        """An edit as a page shows it; examples by the words of their questions."""
        answers = edit.change.get("answers", ())
        asked = [self.known[key].question for key in answers if key in self.known]
        shown = {**edit.change, "questions": asked} if asked else dict(edit.change)
        return {"edit": shown, "author": edit.author, "reason": edit.why}

    def _in_force(self, version: Any) -> Any:
        """The version that one was held against at the gate."""
        is_in = version.state is State.ACCEPTED and version.before is not None
        return self.history.versions[version.before if is_in else self.history.in_force]

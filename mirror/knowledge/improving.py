"""A context that improves itself, as work: a worker takes step after step, and gives way to people who ask the source.

Split, gate, tree and editor are `sqlagent.evaluation.improving`; here they meet the store and the source. Nothing is asked of the audit third.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.knowledge.effects import Teller, is_alike
from mirror.knowledge.knowing import knowledge_of, term_of
from mirror.knowledge.models import Improvement, ImprovementStep, StoredTerm
from mirror.knowledge.term_services import TermRefused, TermWish, term_save, term_status
from mirror.queries.running import OpenedSource, source_opened
from mirror.sources.models import Source
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.turns import turn_is_wanted
from mirror.work.watching import Watch
from sqlagent.errors import DatabaseError
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
from sqlagent.evaluation.improving.loop import Stopped
from sqlagent.evaluation.improving.rules import RuleEditor, Seen
from sqlagent.evaluation.improving.rules import term_of as term_of_edit
from sqlagent.method.templates import template_text
from sqlagent.values import Knowledge, Rows, Term, VerifiedAnswer
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

STOPPED = "It was stopped."
BROKEN = "Something in Mirror itself broke during this. It was logged."
LOST = "Its workers were lost {died} times."
CHANGED = "What is known of the source was changed by hand meanwhile. Start it again to go on from there."
NOTHING = "This source has no verified answers to learn from."


def improvement_ask(source: Source, by: User, calls: int = CALLS) -> Improvement:
    """Have a worker improve what is known of a source. One that ended with the same knowledge goes on, with a fresh budget; one under way stays."""
    with transaction.atomic():
        Source.objects.select_for_update().filter(pk=source.pk).first()
        last = Improvement.objects.filter(source=source).order_by("-pk").first()
        if last is not None and last.status != Status.DONE:
            return last
        calls = max(1, min(calls, MOST_CALLS))
        if last is not None and not last.problem and _is_as_left(source, last):
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
                source=source, asked_by=by, base=base_of(source, None), calls=calls, parts=parts
            )
            old = Improvement.objects.filter(source=source).order_by("-pk")[KEPT:]
            Improvement.objects.filter(pk__in=[one.pk for one in old]).delete()
        record("started an improvement", source, by=by)
        send(row)
        return row


def improvement_stop(row: Improvement, by: User) -> None:
    """Stop an improvement: at once where it waits, else by its worker after the answer under way."""
    Improvement.objects.filter(pk=row.pk).exclude(status=Status.DONE).update(stop_requested=True)
    if row.status == Status.QUEUED:
        end_unheld(row, why=STOPPED)
    record("stopped an improvement", row.source, by=by)


def base_of(source: Source, row: Improvement | None) -> str:
    """What names the knowledge that an improvement started from: the terms in force but for those it brought itself."""
    return _named(_terms(source, row))


def _is_as_left(source: Source, row: Improvement) -> bool:
    """Whether nobody changed the terms that an improvement started from, or those that it brought."""
    tree = History.of(row.tree)
    held = [dict(edit.change) for edit in tree.edits(tree.in_force)]
    brought = set(row.learnt.get(str(tree.in_force), ()))
    own = {pk for pks in row.learnt.values() for pk in pks}
    there = StoredTerm.objects.filter(pk__in=own, status=StoredTerm.Status.FORCE, problem="")
    still = {one.pk for one in there if {"kind": one.kind, "phrase": one.phrase, "body": one.sql} in held}
    return base_of(source, row) == row.base and still == brought and len(there) == len(brought)


def _terms(source: Source, row: Improvement | None) -> tuple[Term, ...]:
    own = {pk for pks in row.learnt.values() for pk in pks} if row is not None else set()
    rows = StoredTerm.objects.filter(source=source, status=StoredTerm.Status.FORCE, problem="")
    return tuple(term_of(one) for one in rows.exclude(pk__in=own).select_related("owner").order_by("pk"))


def _named(terms: Sequence[Term]) -> str:
    plain = [[one.phrase, str(one.kind), one.body, list(one.synonyms)] for one in terms]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()


# ---------------------------------------------------------------- a worker's part


def improvement_do(lease: Lease) -> None:
    """Go on with a taken improvement until it ends, is stopped, or gives way."""
    row = Improvement.objects.select_related("source__owner", "asked_by").filter(pk=lease.pk).first()
    if row is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        try:
            with source_opened(row.source) as opened, watch.ending(opened.database.cancel):
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
        self.start = _terms(row.source, row)
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
        if not _is_as_left(row.source, row):
            self.lease.end(why=CHANGED)
            return
        marks = {self.marks[key]: str(self.parts[group]) for key, group in self.groups.items()}
        row.parts = {
            "marks": {**row.parts.get("marks", {}), **marks},
            "sizes": Counter(map(str, self.parts.values())),
        }
        self.lease.write(parts=row.parts)
        improver = Improver(
            self.history, self.groups, self.parts, self.ask, self.editor().propose, Limits(calls=row.calls)
        )
        while True:
            try:
                step = improver.step()
            except Stopped:
                self.paused()
                return
            if step.what == "ended":
                self.lease.end(why=step.why, tree=self.history.plain())
                return
            if not self.kept(step):
                return

    def editor(self) -> RuleEditor:
        """The editor of rules, who sees the work part with what the start answers there."""
        bare = Knowledge(self.start)
        seen = {}
        for key, one in self.known.items():
            if self.parts[self.groups[key]] is Part.WORK and not self.watch.cancelled.is_set():
                seen[key] = Seen(one.question, one.sql, self.teller.answer(one.question, bare).sql)
        words = StoredTerm.objects.filter(source=self.row.source).exclude(kind=StoredTerm.Kind.RULE)
        known = [word for phrase, more in words.values_list("phrase", "synonyms") for word in (phrase, *more)]
        return RuleEditor(seen, self.opened.catalog, self.history, known)

    def ask(self, edits: Sequence[Edit], keys: Sequence[str]) -> Mapping[str, bool]:
        """Answer verified questions as if none were verified, with some edits; fewer where it gives way or is stopped."""
        known = Knowledge((*self.start, *map(term_of_edit, edits)))
        found: dict[str, bool] = {}
        for key in keys:
            if self.watch.cancelled.is_set():
                break
            if not self.gives_way and turn_is_wanted(self.lease):
                self.gives_way = True
            if self.gives_way:
                break
            right = self.is_right(self.known[key], known)
            if self.watch.cancelled.is_set():
                break  # an answer that was ended says nothing
            found[key] = right
        return found

    def is_right(self, one: VerifiedAnswer, known: Knowledge) -> bool:
        """Whether a question is answered with the rows that its verified SQL gives."""
        if one.key not in self.wanted:
            try:
                self.wanted[one.key] = self.teller.rows(one.sql)
            except DatabaseError:
                self.wanted[one.key] = None
        wanted = self.wanted[one.key]
        return wanted is not None and is_alike(self.teller.answer(one.question, known), wanted, one)

    def paused(self) -> None:
        """Queue it again, or end it where somebody stopped it. Raises: LeaseLost."""
        tree = self.history.plain()
        if self.watch.is_stopped:
            self.lease.end(why=STOPPED, tree=tree)
        else:
            later = timezone.now() + timedelta(seconds=PAUSE_SECONDS)
            self.lease.put_off(later, attempts=self.row.attempts - 1, tree=tree)

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
            if step.what == "accepted" and step.version is not None:
                self.bring(step.version)
            elif step.what == "rolled back" and step.version is not None:
                self.take_out(step.version)
            number = row.steps.count() + 1
            ImprovementStep.objects.create(
                improvement=row,
                number=number,
                what=step.what,
                version=step.version,
                parent=step.parent,
                said=dict(storable(self.told(step))),
            )
            self.lease.write(tree=self.history.plain(), learnt=row.learnt)

        self.lease.keep(write)
        return done["still"]

    def bring(self, version: int) -> None:
        """Put the terms of a version into force that are not yet; those of the version before that it does not hold go."""
        row, by = self.row, self.row.asked_by or self.row.source.owner
        held = [dict(edit.change) for edit in self.history.edits(version)]
        for pks in row.learnt.values():
            for term in StoredTerm.objects.filter(pk__in=pks, status=StoredTerm.Status.FORCE):
                if {"kind": term.kind, "phrase": term.phrase, "body": term.sql} not in held:
                    term_status(term, StoredTerm.Status.RETIRED, by)
        made = []
        for change in held:
            same = StoredTerm.objects.filter(
                source=row.source, kind=change["kind"], phrase__iexact=change["phrase"], sql=change["body"]
            ).first()
            if same is not None:
                if same.status != StoredTerm.Status.FORCE:
                    term_status(same, StoredTerm.Status.FORCE, by)
                made.append(same.pk)
                continue
            wish = TermWish(
                change["phrase"], change["kind"], change["body"], description="learnt from verified answers"
            )
            with suppress(TermRefused):
                made.append(term_save(row.source, wish, change["body"], by).pk)
        row.learnt = {**row.learnt, str(version): made}

    def take_out(self, version: int) -> None:
        """Retire the terms of a version that the one in force now does not hold."""
        row, by = self.row, self.row.asked_by or self.row.source.owner
        stay = set(row.learnt.get(str(self.history.in_force), ()))
        for term in StoredTerm.objects.filter(pk__in=set(row.learnt.get(str(version), ())) - stay):
            term_status(term, StoredTerm.Status.RETIRED, by)

    def told(self, step: Step) -> dict[str, Any]:
        """A step as a page shows it: the edit, what it won and lost, and the questions that changed."""
        said: dict[str, Any] = {"why": step.why, "work": list(step.work), "calls": self.history.calls}
        if step.version is None or not self.history.versions[step.version].edit:
            return said
        version = self.history.versions[step.version]
        assert version.edit is not None
        said |= {"edit": dict(version.edit.change), "author": version.edit.author, "reason": version.edit.why}
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

    def _in_force(self, version: Any) -> Any:
        """The version that one was held against at the gate."""
        is_in = version.state is State.ACCEPTED and version.before is not None
        return self.history.versions[version.before if is_in else self.history.in_force]

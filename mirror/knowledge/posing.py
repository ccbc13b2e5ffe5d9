"""Questions to verify, made of a source's semantic model: a worker answers them, somebody looks at the rows and vouches or refuses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.audit.services import record
from mirror.knowledge import selectors
from mirror.knowledge.answer_services import AnswerRefused, answer_verify
from mirror.knowledge.effects import Teller, answer_shown
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import PosedRound, RefusedProposal, StoredAnswer
from mirror.queries.running import OpenedSource, source_opened
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.sight import seen_whole
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.recovery import row_look, waits_long
from mirror.work.watching import Watch
from sqlagent.errors import DatabaseError
from sqlagent.language.words import fold
from sqlagent.makers.analyst import Posed, questions_to_verify
from sqlagent.method import grouping
from sqlagent.values import Answer, Knowledge, Limits, Outcome

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

KEPT = timedelta(days=1)
SHOWN, MADE = 20, 100
"""Questions of one round, and of how many it is made: those verified or refused already are left out."""

SECONDS = 40.0
"""Seconds of a round; the rest is not shown, or shown without the readings of its other wordings."""

WORDING_CHARS = 300
WORKER_SECONDS = 60
BROKEN = gettext_noop(
    "Something in Mirror itself broke while making questions. It was logged. Trying again may help."
)
NO_WORKER = (
    f"No worker has taken this for {WORKER_SECONDS} seconds. Ask an administrator whether the workers run."
)
OPEN, VERIFIED, REFUSED = "open", "verified", "refused"
ALIKE, OTHERWISE, ASKS_BACK, UNTRIED = "alike", "otherwise", "asks back", "untried"
"""How another wording is answered now: with the same rows, with other rows or none, with a choice of readings; not tried."""


def round_ask(source: Source, by: User) -> PosedRound:
    """Have a worker make questions; one that waits already is given back."""
    mine = PosedRound.objects.filter(owner=by)
    mine.filter(created_at__lt=timezone.now() - KEPT).delete()
    waiting = mine.filter(source=source).exclude(status=Status.DONE).first()
    if waiting is not None:
        return waiting
    mine.filter(source=source).delete()
    row = PosedRound.objects.create(owner=by, source=source)
    send(row)
    return row


def round_look(row: PosedRound) -> None:
    """See to it that a round is worked on, and end it in words when no worker is there."""
    if waits_long(row, row.created_at, WORKER_SECONDS):
        end_unheld(row, said={"error": NO_WORKER})
    row_look(row)


# ---------------------------------------------------------------- a person's part


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of a decision: verified wordings, and failed ones with the reason."""

    verified: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@transaction.atomic
def question_verify(row: PosedRound, key: str, wordings: Sequence[str], by: User) -> Decided:
    """Vouch for a posed question in some wordings, own ones among them; nothing happens where it was decided already."""
    question = _take(row, key, VERIFIED) if any(one.strip() for one in wordings) else None
    if question is None:
        return Decided()
    done: list[str] = []
    refused: list[tuple[str, str]] = []
    shown = question["shown"]
    for wording in dict.fromkeys(" ".join(one.split())[:WORDING_CHARS] for one in wordings):
        if not wording:
            continue
        columns = [{"name": name} for name in shown.get("names", ())]
        try:
            answer_verify(
                row.source, wording, shown["sql"], by, columns=columns, row_count=shown.get("count")
            )
            done.append(wording)
        except AnswerRefused as error:
            refused.append((wording, str(error)))
    if not done:
        _take(row, key, OPEN)
    return Decided(tuple(done), tuple(refused))


@transaction.atomic
def question_refuse(row: PosedRound, key: str, by: User) -> bool:
    """Never pose a question again; False where it was decided already."""
    if _take(row, key, REFUSED) is None:
        return False
    RefusedProposal.objects.get_or_create(source=row.source, key=key, defaults={"by": by})
    record("refused a proposed question", row.source, by=by)
    return True


def _take(row: PosedRound, key: str, state: str) -> dict[str, Any] | None:
    """Decide a question of a round; None where it is not there, or was decided."""
    held = PosedRound.objects.select_for_update().get(pk=row.pk)
    for question in held.said.get("questions", ()):
        if question["key"] == key and (question["state"] == OPEN or state == OPEN):
            question["state"] = state
            held.save(update_fields=["said"])
            return dict(question)
    return None


# ---------------------------------------------------------------- a worker's part


def round_do(lease: Lease) -> None:
    """Make the questions of a taken round, and answer them."""
    row = PosedRound.objects.select_related("source", "owner").filter(pk=lease.pk).first()
    if row is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        lease.end(said=storable(_said(row, watch)))


def round_break(lease: Lease) -> None:
    """End a round that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said={"error": BROKEN})


def _said(row: PosedRound, watch: Watch) -> dict[str, Any]:
    if not selectors.may_teach(row.owner, row.source):
        return {"error": _("You may not change what is known of this source any more.")}
    try:
        with source_opened(seen_whole(row.source)) as opened, watch.ending(opened.database.cancel):
            opened.database.execute("SELECT 1", Limits(seconds=10.0, rows=1))
            return {"questions": list(_questions(row, opened, watch))}
    except DatabaseError as error:
        return {"error": f"{error.failure.message} {error.failure.advice}".strip()}


def _questions(row: PosedRound, opened: OpenedSource, watch: Watch) -> Iterator[dict[str, Any]]:
    """Questions that are answered with rows, each with its wordings. Raises: DatabaseError."""
    teller, began = Teller.of(opened, watch.cancelled), monotonic()
    known = Knowledge(knowledge_of(row.source).terms)
    made = questions_to_verify(
        opened.catalog, teller.index, lambda sql: _passes(row.source, sql, opened), MADE
    )
    new = _new(row.source, made)
    answered: list[tuple[Posed, str, Answer]] = []
    for key, posed in new:
        if len(answered) >= SHOWN or monotonic() - began > SECONDS / 2 or watch.cancelled.is_set():
            break
        answer = teller.answer(posed.text, known)
        if answer.outcome is Outcome.ANSWERED and answer.rows is not None and answer.rows.rows and answer.sql:
            answered.append((posed, key, answer))
    for posed, key, answer in answered:
        assert answer.rows is not None
        wordings = [{"text": posed.text, "read": ALIKE}]
        for text in posed.wordings[1:]:
            late = monotonic() - began > SECONDS or watch.cancelled.is_set()
            wordings.append(
                {"text": text, "read": UNTRIED if late else _read(answer, teller.answer(text, known))}
            )
        shown = answer_shown(answer) | {"names": list(answer.rows.columns)}
        shown["count"] = None if answer.rows.truncated else len(answer.rows.rows)
        yield {"key": key, "state": OPEN, "wordings": wordings, "shown": shown}


def _passes(source: Source, sql: str, opened: OpenedSource) -> bool:
    return not isinstance(sql_check(source, sql, opened.catalog), Refusal)


def _new(source: Source, made: Sequence[Posed]) -> list[tuple[str, Posed]]:
    """Questions that were neither verified in one of their wordings nor refused, with their keys."""
    verified = StoredAnswer.objects.filter(source=source, taken_back_at=None)
    said = {fold(text) for text in verified.values_list("question", flat=True)}
    refused = set(RefusedProposal.objects.filter(source=source).values_list("key", flat=True))
    keyed = [(hashlib.sha256(f"question\n{fold(one.text)}".encode()).hexdigest(), one) for one in made]
    return [
        (key, one)
        for key, one in keyed
        if key not in refused and not said & {fold(text) for text in one.wordings}
    ]


def _read(wanted: Answer, found: Answer) -> str:
    """How another wording is answered, beside the first one."""
    if found.outcome is Outcome.AMBIGUOUS:
        return ASKS_BACK
    if found.rows is None or wanted.rows is None or found.outcome is not Outcome.ANSWERED:
        return OTHERWISE
    same = grouping.fingerprint(found.rows, False) == grouping.fingerprint(wanted.rows, False)
    return ALIKE if same else OTHERWISE

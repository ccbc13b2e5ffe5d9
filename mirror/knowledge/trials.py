"""Terms that a worker tries before they are saved: does the body run, and which answers would change?"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.knowledge import selectors
from mirror.knowledge.effects import Asked, Teller, concerned_terms, effects_of, without
from mirror.knowledge.knowing import knowledge_of, said_name, term_of
from mirror.knowledge.models import StoredTerm, Trial
from mirror.knowledge.signals import questions_wanted
from mirror.knowledge.term_services import TermRefused, TermWish, others_of, term_check, term_save
from mirror.queries.running import OpenedSource, source_opened
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.sight import seen_whole
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.recovery import row_look, waits_long
from mirror.work.watching import Watch
from sqlagent.catalog import hints
from sqlagent.catalog.glossary.bodies import Body, BodyRefused, body_read
from sqlagent.errors import DatabaseError
from sqlagent.language.words import fold
from sqlagent.makers.analyst.source import source_of
from sqlagent.values import Limits, Term, TermKind

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

KEPT = timedelta(days=1)
# Questions that are looked at: the last that were asked, and besides those that the source suggests.
QUESTIONS, SUGGESTED = 30, 10
WORKER_SECONDS = 60
BROKEN = gettext_noop(
    "Something in Mirror itself broke while trying this. It was logged. Trying again may help."
)
NO_WORKER = (
    f"No worker has taken this for {WORKER_SECONDS} seconds. Ask an administrator whether the workers run."
)


def trial_ask(source: Source, wish: TermWish, by: User, term: StoredTerm | None = None) -> Trial:
    """Have a worker try a term. Raises: TermRefused for what is wrong without looking into the source."""
    term_check(source, wish, is_new=term is None)
    Trial.objects.filter(owner=by, created_at__lt=timezone.now() - KEPT).delete()
    Trial.objects.filter(owner=by, status=Status.QUEUED).delete()
    plain = {
        "phrase": wish.phrase,
        "kind": wish.kind,
        "body": wish.body,
        "synonyms": list(wish.synonyms),
        "unit": wish.unit,
        "description": wish.description,
        "status": wish.status,
    }
    trial = Trial.objects.create(owner=by, source=source, term=term, wish=plain)
    send(trial)
    return trial


def trial_look(trial: Trial) -> None:
    """See to it that a trial is worked on, and end it in words when no worker is there."""
    if waits_long(trial, trial.created_at, WORKER_SECONDS):
        end_unheld(trial, said={"error": NO_WORKER})
    row_look(trial)


def trial_save(trial: Trial, by: User) -> StoredTerm:
    """Save the term that was tried. Raises: TermRefused where the trial found that it does not work, or has not ended."""
    if not trial.is_ended or "error" in trial.said:
        raise TermRefused({"body": trial.said.get("error") or _("This was not tried yet.")})
    term = term_save(trial.source, TermWish.read(trial.wish), trial.said.get("sql", ""), by, trial.term)
    trial.delete()
    return term


# ---------------------------------------------------------------- a worker's part


def trial_do(lease: Lease) -> None:
    """Try a taken term and keep what came of it."""
    trial = Trial.objects.select_related("source", "owner", "term__owner").filter(pk=lease.pk).first()
    if trial is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        lease.end(said=storable(_said(trial, watch)))


def trial_break(lease: Lease) -> None:
    """End a trial that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said={"error": BROKEN})


def _said(trial: Trial, watch: Watch) -> dict[str, Any]:
    if not selectors.may_teach(trial.owner, trial.source):
        return {"error": _("You may not change the terms of this source any more.")}
    wish = TermWish.read(trial.wish)
    try:
        with source_opened(seen_whole(trial.source)) as opened, watch.ending(opened.database.cancel):
            return _tried(trial, wish, opened, watch)
    except BodyRefused as error:
        return {"error": str(error), "field": "body"}
    except DatabaseError as error:
        return {"error": f"{error.failure.message} {error.failure.advice}".strip(), "field": "body"}


def _tried(trial: Trial, wish: TermWish, opened: OpenedSource, watch: Watch) -> dict[str, Any]:
    """Try a body and what it does to answers. Raises: BodyRefused, DatabaseError."""
    body = None
    if wish.kind != StoredTerm.Kind.RULE:
        body = body_read(
            TermKind(wish.kind), wish.body, opened.catalog, others_of(trial.source, trial.term_id)
        )
        checked = sql_check(trial.source, body.probe, opened.catalog)
        if isinstance(checked, Refusal):
            return {"error": f"{checked.what} {checked.why}".strip(), "field": "body"}
        opened.database.execute(checked.sent, Limits(seconds=15.0, rows=1))
    known = knowledge_of(trial.source)
    old = term_of(trial.term) if trial.term is not None else None
    new = Term(
        wish.phrase,
        TermKind(wish.kind),
        body.sql if body else wish.body,
        wish.synonyms,
        wish.description,
        wish.unit,
        said_name(trial.owner),
    )
    if wish.status == StoredTerm.Status.FORCE:
        after = concerned_terms(known.terms, old, new)
    else:
        after = tuple(one for one in known.terms if one != old)
    said: dict[str, Any] = {"sql": new.body}
    if body is None:
        return said | {"warnings": [], "effects": None}
    teller = Teller.of(opened, watch.cancelled)
    asked = [*without(known.verified), *_recent(trial)]
    said["effects"] = effects_of(
        teller, known.terms, after, asked[: QUESTIONS + SUGGESTED + len(known.verified)]
    )
    said["warnings"] = list(_warnings(new, body, [t for t in known.terms if t != old], opened, teller))
    return said


def _recent(trial: Trial) -> Iterator[Asked]:
    """The person's last questions to the source, then suggested ones, each once."""
    told = questions_wanted.send(type(trial), source=trial.source, by=trial.owner, most=QUESTIONS)
    texts: list[str] = [text for _, found in told for text in found or ()]
    yield from (Asked(str(text)) for text in dict.fromkeys(texts))


def _warnings(
    new: Term, body: Body, others: list[Term], opened: OpenedSource, teller: Teller
) -> Iterator[str]:
    """Warnings about a term before it is saved."""
    phrases = {fold(one) for one in new.phrases}
    for other in others:
        both = phrases & {fold(one) for one in other.phrases}
        if both and other.body != new.body:
            by = f" by {other.author}" if other.author else ""
            yield (
                f"“{min(both)}” is a term{by} already, and means {other.body} there. Questions that say it will be read in both ways."
            )
    model = source_of(opened.catalog, teller.index).model
    for thing in model.things.values():
        if fold(thing.said) in phrases and new.body != thing.table:
            yield f"The table {thing.table} is called “{thing.said}” itself. Questions that say it will mean this term."
    for table, fields in model.fields.items():
        for one in fields:
            if fold(one.said) in phrases and f"{table}.{one.column}" not in new.body:
                yield f"The column {table}.{one.column} is called “{one.said}” itself. Questions that say it will mean this term."
    hint = hints.read(f"{new.phrase} means {body.said}", opened.catalog, teller.index)
    if hint.unread:
        yield (
            "The built-in analyst cannot work with this, perhaps because a value in it is not stored: "
            "it will say so, and answer with a draft. Language models are shown it."
        )

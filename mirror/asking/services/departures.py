"""How the SQL of a version departs from the question of its run, in words that are true of it.

SQL that somebody typed may answer anything, so it is called edited. Where it came of changes in words that were accepted, these say it: they
are made once more here, and count only where they give this very SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext_noop

from mirror.asking.models import CHANGE_CHARS, LlmChange, Run, Version
from mirror.asking.services.rewriting import sql_change
from mirror.phrases import one_line
from sqlagent.language.saying import Saying, parts_of, template

if TYPE_CHECKING:
    from mirror.asking.models import Thread

EDITED = gettext_noop("edited SQL")
CHANGED = "changed: "
# Changes in words that are looked at, the latest. Each is made anew, some milliseconds apiece.
WISHES = 3
# Words of a period on a chip, and as they stand after the name of a question.
_CHANGED_TO, _TO = "period changed to {period}", template("period to {period}")


def departure(run: Run, origin: str, sql: str, change: str, base: Version | None) -> str:
    """Say how SQL departs from what its run is called; empty where it does not, and where that is only a name for SQL.

    SQL that the run had before says the same again. The changes of its bases are told with it, unless one of them was typed.
    """
    if origin not in (Version.Origin.EDIT, Version.Origin.CHANGE) or not (run.question or run.saved_id):
        return ""
    same = run.versions.filter(sql=sql).order_by("number").first()
    if same is not None:
        return same.departs
    before = base.departs if base is not None else ""
    if not change or before == EDITED:
        return EDITED
    change = _to(change)
    said = f"{before}; {change}" if before else f"{CHANGED}{change}"
    return said if len(said) <= CHANGE_CHARS else EDITED


def changes_told(departs: str, change: str, base: Version | None) -> str:
    """The changes of a departure with what they are made of, where that is known of all of them."""
    before = base.departs.removeprefix(CHANGED) if base is not None else ""
    parts = base.saying.get("departs", before) if base is not None else ""
    told = Saying.of([parts, "; ", parts_of(_to(change))] if before else parts_of(_to(change)))
    return told if told == departs.removeprefix(CHANGED) else departs


def _to(change: str) -> str:
    """A change in the words of a chip, as it stands after the name of a question: "period to 2025"."""
    parts = parts_of(change)
    if isinstance(parts, dict) and parts.get("say") == _CHANGED_TO:
        return Saying.of({**parts, "say": _TO})
    return change.replace(" changed to ", " to ", 1) if " changed to " in change else change


def wishes_kept(run: Run, old: str, new: str, wishes: Sequence[str]) -> tuple[str, ...]:
    """Give the changes in words, the latest of those typed, that make one SQL of another; none where they do not."""
    typed = [one_line(wish, CHANGE_CHARS) for wish in wishes if wish.strip()][-WISHES:]
    for first in range(len(typed)):
        reached = {old.strip()}
        for wish in typed[first:]:
            reached = {found for sql in reached for found in _changed(run.thread, sql, wish)}
        if new.strip() in reached:
            return tuple(typed[first:])
    return ()


def _changed(thread: Thread, sql: str, wish: str) -> Iterator[str]:
    """The SQL that one wish makes of another as a whole: by rule, and by a language model while that is kept."""
    made = sql_change(thread.owner, thread.source, sql, None, wish)
    if made.sql and not made.is_left:
        yield made.sql.strip()
    asked = LlmChange.objects.filter(owner=thread.owner_id, source=thread.source_id, wish=wish)
    for one in asked.order_by("-created_at")[:WISHES]:
        proposed = one.said.get("sql", "")
        if one.text.strip() == sql and proposed and proposed != one.rules.get("sql"):
            yield proposed.strip()

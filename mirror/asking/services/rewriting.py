"""SQL in an editor changed in words, and told in words: read from what is at hand of its source. Nothing is kept and nothing runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.models import CHANGE_CHARS
from mirror.asking.selectors import versions_visible_to
from mirror.asking.services.frames import frame_read, source_known
from mirror.queries.helping import sql_problem
from mirror.queries.parameters import SQL_CHARS
from mirror.sources.selectors import may_see_values
from mirror.sources.unpacked import source_at_hand
from mirror.stored_words import said_now
from sqlagent.errors import FrameError
from sqlagent.makers.analyst.answering import today_of
from sqlagent.makers.analyst.telling import told
from sqlagent.makers.rewriting import Rewritten, reframed, rewritten
from sqlagent.sql.statements import statement_at
from sqlagent.telling.explaining import Line, explained

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.makers.analyst.frames import Frame
    from sqlagent.makers.analyst.source import Source as Known

NO_WORDS = gettext_noop("Type what to change, for example “only 2025”, “top 5” or “per month”.")
NO_SQL = gettext_noop("There is no SQL yet. Type a SELECT statement first.")
# Longer statements are run and not put into words: each change parses them some three times (0.1 s for these, measured 2026-11).
LONGEST = 10_000
KNOWN = gettext_noop(
    "Without a language model these can be changed: the number and the order of rows, a period, a stored value or a bound to keep or to "
    "leave out, groups, a figure, a column, and a share of the total."
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The text of an editor with one statement of it changed; `sql` is empty where nothing is proposed. `words` say all of it.

    With `is_left` a part of the wish is not in it, or all, which a language model may be asked for; `is_askable` where one may be asked at all.
    """

    sql: str
    words: str
    is_left: bool = False
    is_askable: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """A statement, `sql`, in words: in one sentence where its frame is known, and clause by clause."""

    sentence: str
    lines: tuple[Line, ...]
    problem: str = ""
    sql: str = ""


def sql_change(user: User, source: Source, text: str, at: int | None, typed: str) -> Proposal:
    """Propose the statement at a place of a text changed as somebody typed, without a language model.

    A change that touches its own clause alone comes first; then that of the frame, where one is stored with the same SQL. Neither is
    shown unless the guard admits it. Costs no database, and some milliseconds.
    """
    if not typed.strip():
        return Proposal("", _(NO_WORDS))
    if not text.strip() or len(text) > SQL_CHARS:
        return Proposal("", _(NO_SQL) if not text.strip() else _long(text))
    place = statement_at(text, len(text) if at is None else at, _dialect(source))
    if len(place.text) > LONGEST:
        return Proposal("", _long(place.text, LONGEST))
    refused = sql_problem(source, place.text)
    if refused is not None:
        return Proposal(
            "",
            _("This SQL would be refused as it stands, so it is not changed: %(why)s")
            % {"why": said_now(refused.what)},
        )
    try:
        made = _made(user, source, place.text, typed)
    except FrameError as error:
        return Proposal("", str(error), is_left=True, is_askable=True)
    if made.sql and (refused := sql_problem(source, made.sql)) is not None:
        return Proposal(
            "",
            _("The change would be refused: %(why)s") % {"why": said_now(refused.what)},
            is_left=True,
            is_askable=True,
        )
    is_askable = len(typed) <= CHANGE_CHARS
    is_left = is_askable and bool(made.unused or made.refused)
    sql = text[: place.start] + made.sql + text[place.end :] if made.sql else ""
    return Proposal(sql, _words(made), is_left, is_askable)


def _made(user: User, source: Source, sql: str, typed: str) -> Rewritten:
    known = source_known(source)
    _catalog, index = source_at_hand(source, is_page=True)
    today = today_of(known)
    seen = index if may_see_values(user, source) else None
    made = rewritten(typed, sql, known, today, seen)
    if made.sql and not made.unused and not made.refused:
        return made
    found = _frame(user, source, sql)
    by_frame = reframed(typed, found[0], found[1], today) if found is not None else None
    return by_frame or made


def _frame(user: User, source: Source, sql: str) -> tuple[Frame, Known] | None:
    """The frame that was stored with the same SQL in the person's own questions, with its source."""
    same = versions_visible_to(user).filter(run__thread__source=source, sql=sql.strip()).exclude(frame=None)
    version = same.order_by("-pk").first()
    return frame_read(source, version.frame) if version is not None else None


def _words(made: Rewritten) -> str:
    parts = []
    if made.sql:
        parts.append(_("Proposed: %(changes)s.") % {"changes": "; ".join(made.said)})
    elif made.said:
        parts.append(_("The SQL says that already."))
    parts += made.refused
    if made.unused:
        left = ", ".join(f"“{one}”" for one in made.unused)
        parts.append(_("Not understood and left out: %(words)s.") % {"words": left})
    if made.unused and not made.sql:
        parts.append(_(KNOWN))
    return " ".join(parts)


def sql_explain(user: User, source: Source, text: str, at: int | None) -> Explanation:
    """Say what the statement at a place of a text does: by its frame where one is stored with it, and clause by clause."""
    if not text.strip() or len(text) > SQL_CHARS:
        return Explanation("", (), _(NO_SQL) if not text.strip() else _long(text))
    dialect = _dialect(source)
    sql = statement_at(text, len(text) if at is None else at, dialect).text
    if len(sql) > LONGEST:
        return Explanation("", (), _long(sql, LONGEST))
    lines = explained(sql, dialect)
    if not lines:
        refused = sql_problem(source, sql)
        why = f" {said_now(refused.what)}" if refused is not None else ""
        return Explanation(
            "", (), _("This SQL cannot be read with certainty, so it is not put into words.") + why
        )
    found = _frame(user, source, sql)
    sentence = said_now(told(found[0])) if found is not None else ""
    return Explanation(sentence, tuple(_line_said(one) for one in lines), sql=sql)


def _line_said(line: Line) -> Line:
    """A line in the language of the reader; its clause is a name in the catalog, which the page looks up."""
    return Line(line.clause, said_now(line.words), said_now(line.of))


def _dialect(source: Source) -> str:
    """The SQL that a source speaks, also where its engine is one of many by SQLAlchemy."""
    catalog, _index = source_at_hand(source)
    return catalog.dialect if catalog is not None else source.engine


def _long(text: str, most: int = SQL_CHARS) -> str:
    words = _("This SQL is %(count)s characters long; at most %(most)s are read here.")
    return words % {"count": intcomma(len(text)), "most": intcomma(most)}

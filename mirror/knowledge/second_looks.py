"""A second look at what may well be wrong, before it is verified: what there is to doubt, and what proves that it was seen.

The proof is signed for one person, place, question, SQL and its doubts, so none of another answer, of earlier SQL or made up counts.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, TimestampSigner
from django.utils.translation import gettext as _

from mirror.knowledge.selectors import sql_to_verify
from mirror.library.drafts import draft_said

if TYPE_CHECKING:
    from mirror.knowledge.models import Feedback
    from mirror.sources.models import Source

# How long the page of a second look can be answered.
SECONDS = 3_600
_seen = TimestampSigner(salt="mirror.knowledge.second_looks")


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A verification that somebody is about to make: the `question`, its `sql` and the `doubts`. `place` is the address that verifies it.

    It `is_draft` where the first doubt says why. `back` leads to the page it was asked on.
    """

    by: int
    place: str
    question: str
    sql: str
    doubts: tuple[str, ...]
    back: str
    is_draft: bool = False

    @property
    def proof(self) -> str:
        """Token that the page of these doubts sends back."""
        return _seen.sign(self._digest)

    def is_seen(self, proof: str) -> bool:
        """Say whether these very doubts, of this SQL, were shown to this person within the hour."""
        try:
            return _seen.unsign(proof, max_age=SECONDS) == self._digest
        except BadSignature:
            return False

    @property
    def _digest(self) -> str:
        parts = [self.by, self.place, self.question, self.sql, self.doubts]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def empty_doubt(row_count: int | None) -> str:
    """The doubt of rows that are none; empty where there are some, or nobody knows."""
    return _("It has no rows.") if row_count == 0 else ""


def feedback_doubts(source: Source, row: Feedback, stamp: str) -> tuple[str, ...]:
    """Why what somebody said may be wrong, or be no longer what an owner looked at, by the `stamp` of that."""
    own = " ".join(sql_to_verify(source, row).split()) == " ".join(row.sql.split())
    by = row.by.get_full_name() or row.by.get_username()
    found = (
        draft_said(row.draft) if own else "",
        empty_doubt(row.row_count)
        if own
        else _("%(by)s typed this SQL. Nobody has run it here.") % {"by": by},
        "" if stamp == row.stamp else _("It was changed since you opened the list."),
    )
    return tuple(why for why in found if why)

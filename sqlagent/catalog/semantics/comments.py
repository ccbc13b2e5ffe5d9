"""Codes that the comment of a column explains: "BK booked, DN done, NS no-show", "1 = yes; 2 = no".

Decides which pieces of a comment are a stored value with what it is called. A comment that is prose explains none.
"""

from __future__ import annotations

import re
from collections.abc import Collection

MOST_WORDS = 4
"""Words of a label, at most: a longer text is a remark."""

LONGEST_CODE = 6
"""Characters of a code that stands before its label without a sign between them, at most."""

_CUT = re.compile(r"[,;|\n]|\s/\s|\.\s")
_LEAD = re.compile(r"^[\w ]{1,30}?:\s+(?=\S)")
_PIECE = re.compile(
    r"^[\"'(\[]*(?P<code>[\w+-]+?)[\"')\]]*(?:\s*(?P<sign>=>?|->|:|\u2013|\u2014|\s-\s|\bis\b|\bmeans\b)\s*|\s+)(?P<label>[^\W\d_].*)$"
)


def labels_in(comment: str, stored: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Give stored values with what a comment calls them; none where it says more than that.

    Without a sign between value and label two at least are explained, and most of what is stored.

    Example:
        >>> labels_in("M, F, MN = male neutered, FN = female neutered", ["F", "FN", "M", "MN"])
        (('MN', 'male neutered'), ('FN', 'female neutered'))
        >>> labels_in("A customer's status, I think", ["A", "I", "X"])
        ()
    """
    if not comment or not stored:
        return ()
    pieces = [piece for cut in _CUT.split(comment) if (piece := cut.strip(" .)]"))]
    found: dict[str, str] = {}
    bare, signed = 0, 0
    for place, piece in enumerate(pieces):
        text = _LEAD.sub("", piece) if place == 0 and not _begins_with_value(piece, stored) else piece
        if text.strip("\"'") in stored:
            bare += 1
            continue
        match = _PIECE.match(text)
        if match is None or match["code"] not in stored:
            continue
        label = match["label"].strip("\"' ")
        short = len(match["code"]) <= LONGEST_CODE and match["code"].upper() == match["code"]
        if label and len(label.split()) <= MOST_WORDS and (match["sign"] or short and "'" not in label):
            found.setdefault(match["code"], label)
            signed += bool(match["sign"])
    explained = len(found) + bare
    enough = explained == len(pieces) and (signed or len(found) > 1 and explained >= 0.6 * len(stored))
    return tuple(found.items()) if enough and len(set(found.values())) == len(found) else ()


def _begins_with_value(piece: str, stored: Collection[str]) -> bool:
    return piece.split(":")[0].strip("\"' ") in stored

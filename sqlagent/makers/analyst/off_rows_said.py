"""Words that bring rows back which sums of money leave out ("including cancelled", "with the void ones"), and words that leave them out again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlagent.makers.analyst.off_states import WORDS

_I = re.IGNORECASE
_STATE = rf"(?:{'|'.join(sorted([*WORDS - {'error', 'chargeback'}, 'chargebacks?', 'charged[- ]back', 'drafts', 'voids', 'cancellations', 'cancelations', 'refunds'], key=len, reverse=True))})"
_STATES = rf"{_STATE}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+(?:the\s+)?|\s*[&/+]\s*){_STATE})*"
_NOUN = r"(?!(?:by|per|in|for|since|from|with|without|and|or|to|as|only|instead|until|before|after|during|of|on|at|each|every|vs|versus|top|too|also|again|back|included|counted|please|than|are|is|were|was)\b)[a-z][a-z-]+"
_ONES = rf"(?:\s+(?:ones?|rows|{_NOUN}))?"
_TOO = r"(?:\s+(?:too|as well|also|again|back|back in|included|counted)){0,2}"
_WITH = r"(?:also\s+|and\s+|but\s+)?(?:with(?:\s+also)?|including|includes|include|incl\.?|inc\.?|counting|count|plus|add(?:ing)?(?:\s+back)?|bring\s+back|put\s+back)"
_INCLUDING = r"(?:including|includes|include|incl\.?|inc\.?|counting|plus)"
_SAID = re.compile(
    rf"(?<=\S)(?:\s+|\s*[,(]\s*)(?<!\bnot )(?<!\bwithout )(?<!\bnever )"
    rf"(?:(?:also\s+|and\s+|but\s+)?(?:with|{_INCLUDING})\s+(?:also\s+)?(?:the\s+|all\s+(?:the\s+)?)(?P<those>{_STATES}){_ONES}{_TOO}"
    rf"|(?:also\s+|and\s+|but\s+)?{_INCLUDING}\s+(?:also\s+)?(?P<them>{_STATES}){_ONES}{_TOO}"
    rf"|with\s+(?P<bare>{_STATES})(?:\s+ones?)?{_TOO}(?=\s*(?:$|[,.?!)]|(?:by|per|in|for|since|from|as)\b))"
    rf"|(?:and\s+|but\s+)?(?:the\s+)?(?P<before>{_STATES})(?:\s+(?:(?:ones?|{_NOUN})\s+)?(?:are\s+|is\s+|being\s+)?(?:included|incl\.?|counted\s+(?:too|as\s+well))|\s+ones?\s+(?:too|as\s+well)))(?=\s*(?:$|[,;.?!)]|\s(?:by|per|in|for|since|from|as|and)\b))\)?",
    _I,
)
_TYPED = re.compile(
    rf"^(?:(?:and|but|now|ok(?:ay)?|please|also|so|show(?:\s+it)?|the same|what about(?:\s+it)?|how about)\s+)*"
    rf"(?:{_WITH}\s+(?:also\s+)?(?:the\s+|all\s+(?:the\s+)?)?(?P<behind>{_STATES}){_ONES}{_TOO}|(?:the\s+)?(?P<before>{_STATES}){_ONES}\s+(?:too|as well|included|also|back(?:\s+in)?|counted(?:\s+too)?))"
    r"(?:\s+please)?[\s.?!]*$",
    _I,
)
_LEFT_OUT = re.compile(
    rf"^(?:(?:and|but|now|ok(?:ay)?|please|also|so|show(?:\s+it)?|only|just|those|that are|which are|were)\s+)*"
    rf"(?:(?:without|w/o|excluding|exclude|excl\.?|except(?:\s+for)?|not|no|minus|less|leave\s+out|leaving\s+out|ignore|ignoring|drop|remove|skip|take\s+out|not\s+counting|not\s+including)\s+"
    rf"(?:(?:the|any|all)\s+)*(?P<behind>{_STATES}){_ONES}(?:\s+(?:please|again|instead))?|(?:the\s+)?(?P<before>{_STATES}){_ONES}\s+(?:out|excluded|left\s+out|not\s+counted|aside))[\s.?!]*$",
    _I,
)
_WORD = re.compile(r"[a-z]+", _I)
_SMALL = frozenset({"and", "or", "the"})
_NAMED = {
    "cancellations": "cancelled",
    "cancelations": "cancelled",
    "drafts": "draft",
    "voids": "void",
    "refunds": "refunded",
    "chargebacks": "chargeback",
}


@dataclass(frozen=True, slots=True)
class Brought:
    """A question without the words that bring rows back, and the words for these rows."""

    text: str
    words: tuple[str, ...]


def brought_back(text: str) -> Brought | None:
    """Take from a question the words that bring rows back which are no money; None where it has none.

    Example:
        >>> brought_back("revenue by month, including cancelled orders, 2025")
        Brought(text='revenue by month, 2025', words=('cancelled',))
        >>> brought_back("revenue with the cancelled and void ones by store").words, brought_back("customers with cancelled orders")
        (('cancelled', 'void'), None)
        >>> brought_back("revenue not including cancelled orders") is None
        True
    """
    found = _SAID.search(text)
    if found is None:
        return None
    words = _words(next(one for one in found.groups() if one))
    rest = f"{text[: found.start()].rstrip(' ,')} {text[found.end() :].lstrip()}".replace(" ,", ",").strip(
        " ,"
    )
    return Brought(rest, words) if rest else None


def brings_back(typed: str) -> tuple[str, ...]:
    """The words for the rows that a follow-up brings back, where it does nothing else.

    Example:
        >>> brings_back("with the cancelled ones"), brings_back("cancelled ones too please"), brings_back("only cancelled")
        (('cancelled',), ('cancelled',), ())
    """
    found = _TYPED.match(typed.strip())
    return _words(found["behind"] or found["before"]) if found is not None else ()


def leaves_out(typed: str) -> tuple[str, ...]:
    """The words for the rows that a follow-up leaves out, where it does nothing else.

    Example:
        >>> leaves_out("without the cancelled ones"), leaves_out("excluding cancelled and void invoices"), leaves_out("without tax")
        (('cancelled',), ('cancelled', 'void'), ())
    """
    found = _LEFT_OUT.match(typed.strip())
    return _words(found["behind"] or found["before"]) if found is not None else ()


def _words(said: str) -> tuple[str, ...]:
    said = re.sub(r"charged[- ]back", "chargeback", said, flags=_I)
    words = [word.lower() for word in _WORD.findall(said)]
    return tuple(dict.fromkeys(_NAMED.get(word, word) for word in words if word not in _SMALL))

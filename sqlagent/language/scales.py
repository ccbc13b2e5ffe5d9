"""Numbers whose scale is said as a word: 1 million, 2.5 mio, half a billion."""

from __future__ import annotations

import re

_SCALES = {"thousand": 1e3, "million": 1e6, "mio": 1e6, "mn": 1e6, "mln": 1e6, "billion": 1e9, "bn": 1e9}
_SCALED = re.compile(
    rf"(?<![\w.,])(\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|an?|one|half an?) ?({'|'.join(_SCALES)})\b",
    re.IGNORECASE,
)


def scales_written_out(text: str) -> str:
    """Give a text with such numbers in digits alone.

    Example:
        >>> scales_written_out("revenue above 1.5 million, half a billion in all, 30 mn")
        'revenue above 1500000, 500000000 in all, 30000000'
    """
    return _SCALED.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    said = found[1].lower().replace(",", "")
    number = float(said) if said[0].isdigit() else 0.5 if said.startswith("half") else 1.0
    return f"{number * _SCALES[found[2].lower()]:.15g}"

"""The note of a question that changed: the words of its follow-ups that nobody understood."""

from __future__ import annotations

import re

NOT_UNDERSTOOD = re.compile(r"\s*\(not understood: ([^()]*)\)\s*$")
"""The note at the end of a question; its group holds what people typed, between semicolons. The other words are ours, not theirs."""

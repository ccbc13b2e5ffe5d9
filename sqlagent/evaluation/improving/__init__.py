"""Context that improves itself: edits of what is known of a source, grown as a tree, tried on verified questions, kept behind a gate.

Three thirds of the verified questions, by template: an editor sees the failures of *work*, *gate* decides, and *audit* is read by nothing that
decides. Pure: asking and editing are given from outside.
"""

from sqlagent.evaluation.improving.gating import Gated, gate, level, sign_test
from sqlagent.evaluation.improving.loop import Improver, Limits, Step
from sqlagent.evaluation.improving.splitting import LEAST_TEMPLATES, Part, grouped, kept_parts, split
from sqlagent.evaluation.improving.versions import Edit, History, State, Unfit, Version

__all__ = [
    "LEAST_TEMPLATES",
    "Edit",
    "Gated",
    "History",
    "Improver",
    "Limits",
    "Part",
    "State",
    "Step",
    "Unfit",
    "Version",
    "gate",
    "grouped",
    "kept_parts",
    "level",
    "sign_test",
    "split",
]

"""What flows through the pipeline: plain, frozen values with no client or connection inside.

Stages take these and return these. Nothing here knows a vendor, a web framework or how
any of it is decided; gold SQL has no place in any of them.
"""

from __future__ import annotations

from sqlagent.values.answers import Answer, Chart, Outcome
from sqlagent.values.asked import BUDGETS, Budget, Limits, Question, Turn
from sqlagent.values.candidates import (
    OWN_WORDS,
    Candidate,
    Cell,
    Execution,
    ExecutionGroup,
    Failure,
    FailureKind,
    Finding,
    RankedGroup,
    Ranking,
    Reading,
    Refusal,
    Rows,
    Verdict,
)
from sqlagent.values.corrections import (
    CALENDAR,
    USUAL_CALENDAR,
    WEEK_STARTS,
    Calendar,
    Correction,
    Corrections,
    Subject,
    calendar_of,
)
from sqlagent.values.llm import LlmMessage, LlmReply, LlmRequest, Prices, Usage
from sqlagent.values.powers import PASSWORD_HERE, SEVERITIES, Check, Power, ReaderStep, Severity
from sqlagent.values.source import (
    Catalog,
    CodeLabel,
    Column,
    ColumnRef,
    ForeignKey,
    Kind,
    Link,
    LinkedSchema,
    Seen,
    StoredTexts,
    Table,
    ValueMatch,
)

__all__ = [
    "Answer",
    "BUDGETS",
    "Budget",
    "CALENDAR",
    "Calendar",
    "Candidate",
    "Catalog",
    "Cell",
    "Chart",
    "Check",
    "Column",
    "CodeLabel",
    "ColumnRef",
    "Correction",
    "Corrections",
    "Execution",
    "ExecutionGroup",
    "Failure",
    "FailureKind",
    "Finding",
    "ForeignKey",
    "Kind",
    "Limits",
    "Link",
    "LinkedSchema",
    "LlmMessage",
    "LlmReply",
    "LlmRequest",
    "OWN_WORDS",
    "Outcome",
    "PASSWORD_HERE",
    "Power",
    "Prices",
    "Question",
    "RankedGroup",
    "Ranking",
    "ReaderStep",
    "Reading",
    "Refusal",
    "Rows",
    "SEVERITIES",
    "Seen",
    "Severity",
    "StoredTexts",
    "Subject",
    "Table",
    "Turn",
    "USUAL_CALENDAR",
    "Usage",
    "ValueMatch",
    "Verdict",
    "WEEK_STARTS",
    "calendar_of",
]

"""Operations on threads, runs and their versions."""

from mirror.asking.errors import AskingError, StillWorking, TooMuchWaits
from mirror.asking.services.answer_stream import answer_events
from mirror.asking.services.answering import run_answer, run_break
from mirror.asking.services.charts import chart_change
from mirror.asking.services.ending import threads_end, threads_over
from mirror.asking.services.frames import REMOVE, Chip, Understood, version_understood
from mirror.asking.services.knowing import question_of, version_feedback, version_look, version_verify
from mirror.asking.services.paths import Step, chart_asked, reasons_asked, reasons_named, step_take
from mirror.asking.services.runs import (
    HINT_CHARS,
    hint_check,
    question_check,
    run_again,
    run_ask,
    run_follow,
    run_saved,
    run_stop,
)
from mirror.asking.services.statements import statement_break, statement_stop
from mirror.asking.services.suggesting import question_typed, questions_first, questions_near
from mirror.asking.services.threads import run_share, thread_delete, thread_pin, thread_rename, thread_share
from mirror.asking.services.versions import (
    is_saved_of,
    reading_use,
    run_of_sql,
    sql_ask,
    version_again,
    version_before,
    version_change,
    version_edit,
    version_run,
    version_save,
    version_undo,
)

__all__ = [
    "HINT_CHARS",
    "REMOVE",
    "AskingError",
    "Chip",
    "Step",
    "StillWorking",
    "TooMuchWaits",
    "Understood",
    "answer_events",
    "chart_asked",
    "chart_change",
    "hint_check",
    "question_check",
    "question_typed",
    "questions_first",
    "questions_near",
    "reading_use",
    "run_again",
    "run_answer",
    "run_ask",
    "run_break",
    "run_follow",
    "is_saved_of",
    "run_of_sql",
    "run_saved",
    "run_share",
    "run_stop",
    "sql_ask",
    "statement_break",
    "statement_stop",
    "question_of",
    "reasons_asked",
    "reasons_named",
    "step_take",
    "thread_delete",
    "thread_pin",
    "thread_rename",
    "thread_share",
    "threads_end",
    "threads_over",
    "version_again",
    "version_before",
    "version_change",
    "version_edit",
    "version_feedback",
    "version_look",
    "version_run",
    "version_save",
    "version_understood",
    "version_undo",
    "version_verify",
]

"""Data of the pages about asking: everything decided, so that templates only print."""

from mirror.asking.pages.ask import AskPage, ask_page
from mirror.asking.pages.history import HistoryPage, ThreadPage, history_page, thread_page
from mirror.asking.pages.run import RunPage, run_page
from mirror.asking.pages.shared import SharedRun, SharedThread, shared_run, shared_thread
from mirror.asking.pages.steps import StepsView, steps_view
from mirror.asking.pages.version import LastPage, VersionView, last_page, version_view

__all__ = [
    "AskPage",
    "HistoryPage",
    "LastPage",
    "RunPage",
    "SharedRun",
    "SharedThread",
    "StepsView",
    "ThreadPage",
    "VersionView",
    "ask_page",
    "history_page",
    "last_page",
    "run_page",
    "shared_run",
    "shared_thread",
    "steps_view",
    "thread_page",
    "version_view",
]

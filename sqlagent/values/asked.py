"""The question, and the bounds of its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the same thread, as it was typed and rewritten, and the SQL that answered it.

    `stated` is what its chips say since they were changed. It may hold stored values that nobody typed, so no language
    model is shown it. `typed` is what was typed, where that differs from the question: an "undo" is known by it.
    """

    question: str
    sql: str
    stated: str = ""
    typed: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A person's typed text, as a value.

    `text` is the stand-alone form that every stage reads. `typed` is what was typed when
    that differs (a follow-up that was rewritten); `hint` is knowledge given with it, and `open_hint` what of it holds no stored
    values that nobody typed, where that is not all.
    """

    text: str
    hint: str = ""
    typed: str = ""
    open_hint: str | None = None

    @property
    def typed_hint(self) -> str:
        """The part of the hint that somebody typed."""
        return self.hint if self.open_hint is None else self.open_hint


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one statement: seconds, rows kept, characters of one cell and of all cells, memory.

    Reaching `total_chars` ends the rows as reaching `rows` does. `memory` (bytes) is what the engine may
    take where it runs on this machine (SQLite, DuckDB), None what the database was opened with; a statement
    that needs more fails.
    """

    seconds: float = 30.0
    rows: int = 10_000
    cell_chars: int = 100_000
    total_chars: int = 200_000_000
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of one question.

    Sizes from R3-SQL as untrained systems measured them: waves of 4 up to 8, 16 when hard;
    one resampling round. With a language model a first wave of `first` cheap prompts comes before them, unless it
    is 0. `audit` says when the auditor is asked: `always`, in `doubt` (unless all agree and the checks pass), or
    `never`. `money` is what calls may cost together, in the currency of the prices; None sets no bound. `mode` is how groups are made and ranked: `fast`, or `faithful` to the paper. `rows` caps candidates;
    a winner that was cut runs once more up to `result_rows`. `drafts` of the built-in generator are shown to an LLM
    as hints. With `frame` the built-in analyst's likeliest frame runs beside an LLM's attempts: where the first one agrees
    with it and the checks pass, no other is asked (docs/method.md). The defaults are the preset *normal*.
    """

    samples: int = 8
    wave: int = 4
    first: int = 2
    rounds: int = 1
    audit: str = "doubt"
    calls: int = 40
    tokens: int = 400_000
    money: float | None = None
    seconds: float = 120.0
    statement_seconds: float = 30.0
    rows: int = 10_000
    result_rows: int = 1_000_000
    cell_chars: int = 100_000
    total_chars: int = 200_000_000
    mode: str = "fast"
    drafts: int = 0
    frame: bool = True

    @classmethod
    def of(cls, name: str, **changes: Any) -> Budget:
        """Give the preset of this name, with changes. Raises: ValueError for a name that is none.

        Example:
            >>> Budget.of("quick").samples, Budget.of("normal") == Budget(), Budget.of("thorough", rounds=0).first
            (4, True, 0)
        """
        if name not in BUDGETS:
            raise ValueError(f"There is no budget '{name}'. Known: {', '.join(BUDGETS)}.")
        return cls(**{**BUDGETS[name], **changes})


BUDGETS: Mapping[str, Mapping[str, Any]] = {
    "quick": {"samples": 4, "rounds": 0, "audit": "never"},
    "normal": {},
    "thorough": {"first": 0},
    "faithful": {
        "first": 0,
        "mode": "faithful",
        "audit": "always",
        "frame": False,
        "calls": 200,
        "tokens": 2_000_000,
    },
}
"""Budgets by name; *faithful* judges every pair of different SQL in both orders, so it may call more often."""

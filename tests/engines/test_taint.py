"""Below *rows* no stored value comes into a prompt, whatever is asked, sampled, refused or repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import taint
from tests.lengths import many

# Small runs; `python -m tests.engines.taint` makes whole ones by the thousand.
RUNS = {"sqlite": many(40, 130), "duckdb": many(15, 30), "postgres": many(10, 20), "mysql": many(10, 20)}


@pytest.mark.parametrize("engine", taint.ENGINES)
def test_no_prompt_below_rows_holds_a_stored_value(engine: str, tmp_path: Path) -> None:
    found = taint.hunt(engine, tmp_path, RUNS[engine], is_small=True)
    assert not found.leaks, found
    assert found.runs == RUNS[engine] and found.prompts > 4 * found.runs
    assert {"sample", "judge", "repair", "follow"} <= set(found.purposes)
    assert {"ok", "error", "refused"} <= set(found.statuses)


def test_the_watch_sees_a_mark_however_it_is_written() -> None:
    watch = taint.Watch(["Kravosti", "123-45-6789"])
    for text in (
        "x kravosti",
        "ITSOVARK",
        "K-r-a-v-o-s-t-i",
        "4b7261766f737469",
        "S3Jhdm9zdGk=",
        "123 45 6789",
        "123456789",
    ):
        assert watch.found(f"SELECT '{text}'", ""), text
    assert not watch.found("SELECT 'Kravosto', 123", "") and not watch.found("kravosti", "how is Kravosti?")

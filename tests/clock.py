"""Runs tests with the clock set elsewhere: `python -m tests.clock [--hours 0,6,22] [--dates leap,year] [pytest's arguments]`.

At every hour of today (UTC), on a leap day, at a year's end and half an hour before both clock changes of
Europe; what follows is given to pytest each time. The clock goes on from there. It is Python's clock in the
process of the tests: servers, workers and files on the disk keep the real one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import time_machine

VARIABLE = "MIRROR_TEST_CLOCK"
ROOT = Path(__file__).resolve().parents[1]
PARTS = ["tests/agent", "tests/web", "tests/delivery", "tests/reports", "tests/exports"]
DATES = {
    "leap": "2028-02-29T12:00:00+00:00",
    "year": "2026-12-31T23:30:00+00:00",
    "spring": "2027-03-28T00:30:00+00:00",
    "autumn": "2027-10-31T00:30:00+00:00",
}


def clock_set() -> None:
    """Set the clock of this process where the environment says so."""
    if moment := os.environ.get(VARIABLE):
        time_machine.travel(datetime.fromisoformat(moment), tick=True).start()


def moments(hours: list[int], dates: list[str]) -> dict[str, str]:
    """Name to moment of every clock that was asked for."""
    today = datetime.now(UTC).replace(minute=40, second=0, microsecond=0)
    found = {f"{hour:02}:40 UTC": today.replace(hour=hour).isoformat() for hour in hours}
    return found | {f"{date} {DATES[date][:16]}": DATES[date] for date in dates}


def main() -> None:
    """Run pytest once a moment and say which were red. Exit code 1 when any was."""
    parser = argparse.ArgumentParser(prog="python -m tests.clock", description=__doc__)
    parser.add_argument("--hours", help="some hours, or none: 0,6,22 (default: all 24)")
    parser.add_argument("--dates", help=f"some dates, or none: {','.join(DATES)} (default: all)")
    options, rest = parser.parse_known_args()
    hours = range(24) if options.hours is None else map(int, filter(None, options.hours.split(",")))
    dates = DATES if options.dates is None else filter(None, options.dates.split(","))
    red = []
    for name, moment in moments(list(hours), list(dates)).items():
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", *(rest or PARTS)]
        if subprocess.run(command, cwd=ROOT, env=os.environ | {VARIABLE: moment}).returncode:
            red.append(name)
    sys.exit(f"Red: {', '.join(red)}" if red else None)


if __name__ == "__main__":
    main()

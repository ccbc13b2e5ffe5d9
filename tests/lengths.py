"""How long the tests take their time: short for a change, long for `script/test --long` and `.ci/run`.

Both run every rule. The long run adds what is the same once more: an engine's tests on a server that takes half a
minute to start, random texts by the hundred rather than by the dozen. A test that is there only in the long run is marked
`long`; one that has more to try asks `many`.
"""

from __future__ import annotations

import os

VARIABLE = "MIRROR_TEST_LONG"
IS_LONG = bool(os.environ.get(VARIABLE))


def many(short: int, long: int) -> int:
    """Say how many to try: `short`, or `long` in the long run."""
    return long if IS_LONG else short

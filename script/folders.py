"""The share of lines that the tests run, by folder, of what `coverage json` wrote: a table in Markdown.

`script/coverage` calls it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path


def main(path: str) -> None:
    """Print a row for each folder below `mirror` and `sqlagent`, and one for both."""
    run, all_lines = Counter[str](), Counter[str]()
    for name, file in json.loads(Path(path).read_text())["files"].items():
        parts = Path(name).parts
        for folder in ("/".join(parts[:2]) if len(parts) > 2 else parts[0], "all"):
            run[folder] += file["summary"]["covered_lines"]
            all_lines[folder] += file["summary"]["num_statements"]
    print("| folder | lines | run by tests |\n|---|--:|--:|")
    for folder in [*sorted(all_lines - Counter(all=all_lines["all"])), "all"]:
        print(f"| {folder} | {all_lines[folder]:,} | {run[folder] / max(all_lines[folder], 1):.0%} |")


if __name__ == "__main__":
    main(sys.argv[1])

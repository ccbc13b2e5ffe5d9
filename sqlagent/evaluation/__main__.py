"""`python -m sqlagent.evaluation COMMAND`: measures and fits on open data; `commands` has them all."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sqlagent.errors import SqlAgentError
from sqlagent.evaluation.commands import COMMANDS
from sqlagent.evaluation.items import BadInput


def parser() -> argparse.ArgumentParser:
    """Describe the commands; each parser's `run` is the command's own."""
    top = argparse.ArgumentParser(
        prog="python -m sqlagent.evaluation", description="Measures and fits on open data."
    )
    commands = top.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        described = commands.add_parser(command.name, help=command.help)
        described.set_defaults(run=command.run)
        for add in command.options:
            add(described)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 2 with a plain sentence where the input is no good."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except (BadInput, SqlAgentError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

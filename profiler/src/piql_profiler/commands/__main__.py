"""`python -m piql_profiler.commands profile …` is `piql profile …`: the backend starts runs by it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from piql_profiler.commands.experiment import experiment
from piql_profiler.commands.load_test import load_test
from piql_profiler.commands.predict import predict
from piql_profiler.commands.profile import profile
from piql_profiler.commands.validate import validate

COMMANDS = {
    "profile": profile,
    "predict": predict,
    "validate": validate,
    "load-test": load_test,
    "experiment": experiment,
}


def main(argv: Sequence[str]) -> int:
    """Run the command that the first argument names; return its exit code, 2 for no such command."""
    if not argv or argv[0] not in COMMANDS:
        print(f"usage: python -m piql_profiler.commands {{{','.join(COMMANDS)}}} …", file=sys.stderr)
        return 2
    return COMMANDS[argv[0]](argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

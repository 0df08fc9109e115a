"""`piql deploy`: puts a compiled set of queries into a store."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from piql.commands.arguments import add_source, compile_path
from piql.commands.table import counted
from piql.database import connect
from piql.diagnostics.render import render_all
from piql.errors import CompilationRefused, PiqlError


def deploy(argv: Sequence[str] | None = None) -> int:
    """Deploy a set of queries."""
    parser = argparse.ArgumentParser(prog="piql deploy", description="Deploy a set of queries.")
    add_source(parser)
    parser.add_argument("--store", required=True, metavar="URL", help="such as embedded:PATH")
    given = parser.parse_args(argv)
    compilation = compile_path(parser, given.path)
    try:
        with connect(given.store) as db:
            db.deploy(compilation)
    except CompilationRefused as refusal:
        print(render_all(refusal.diagnostics) or str(refusal), file=sys.stderr)
        return 1
    except PiqlError as error:
        print(f"piql deploy: {error}", file=sys.stderr)
        return 1
    queries, indexes = counted(len(compilation.queries), "query"), counted(len(compilation.indexes), "index")
    print(f"deployed {queries} and {indexes} to {given.store}")
    return 0

"""`piql client`: writes a typed client for the queries of an application, or for those that are deployed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from piql.commands.arguments import compile_path
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import attempt
from piql.commands.table import counted
from piql.compiler.result import Compilation
from piql.errors import CompilationRefused

from piql_service.clients.go import module as go
from piql_service.clients.java import module as java
from piql_service.clients.python import module as python
from piql_service.clients.typescript import module as typescript
from piql_service.contract.deployed_set import ServedSet, served_set

MARK = "Made by `piql client`: change the queries and make it anew."
_LANGUAGES: Mapping[str, tuple[str, Callable[[ServedSet, str], str]]] = {
    "python": ("piql_client.py", python.module),
    "typescript": ("piql_client.ts", typescript.module),
    "java": ("PiqlClient.java", java.module),
    "go": ("piql_client.go", go.module),
}


def client(argv: Sequence[str] | None = None) -> int:
    """Write one file; return 0, 1 where it cannot be made, 2 for wrong arguments."""
    parser = argparse.ArgumentParser(
        prog="piql client",
        description="Write a typed client of `piql service`: one file, which needs nothing but its language.",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--app", type=Path, metavar="PATH", help="the queries of this folder or file")
    source.add_argument("--store", metavar="URL", help="the queries that are deployed, such as in embedded:PATH")
    parser.add_argument("--lang", required=True, choices=tuple(_LANGUAGES), help="the language of the client")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the file goes; made if it is not there")
    options = parser.parse_args(argv)
    name, module = _LANGUAGES[options.lang]
    file: Path = options.folder / name

    def work() -> None:
        served = _served(parser, options)
        text = module(served, MARK)
        if file.exists() and MARK not in file.read_text(encoding="utf-8", errors="replace").partition("\n")[0]:
            raise FileExistsError(0, "this command did not write it: move it away", str(file))
        options.folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        print(f"{file}: {counted(len(served.queries), 'query')}")

    try:
        return attempt("client", work)
    except OSError as error:
        print(f"piql client: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def _served(parser: argparse.ArgumentParser, options: argparse.Namespace) -> ServedSet:
    """Return the set that the options name; raise CompilationRefused or another PiqlError."""
    if options.store is not None:
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            return served_set(db.deployment.compilation, db.deployment.version)
    compilation: Compilation = compile_path(parser, options.app)
    if compilation.has_errors:
        raise CompilationRefused(f"{options.app} has errors", tuple(compilation.diagnostics))
    return served_set(compilation, 0)

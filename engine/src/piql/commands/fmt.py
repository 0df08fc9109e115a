"""`piql fmt`: formats files in place, or says which are not formatted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from piql.binding.conversion import as_sql
from piql.commands.arguments import add_source
from piql.source import Source
from piql.syntax.parser import parse
from piql.syntax.printer import print_file


def fmt(argv: Sequence[str] | None = None) -> int:
    """Write every file as the formatter writes it; with --check only name those that would change."""
    parser = argparse.ArgumentParser(prog="piql fmt", description="Format .piql files; their comments stay.")
    add_source(parser)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a file would change")
    parser.add_argument("--dialect", choices=("sql",), help="write ENTITY and FETCH as the SQL that says the same")
    given = parser.parse_args(argv)
    path: Path = given.path
    paths = sorted(path.rglob("*.piql")) if path.is_dir() else [path]
    if not paths or not paths[0].exists():
        parser.error(f"{path}: no .piql file")
    files = [parse(Source(each.read_text(encoding="utf-8"), str(each))) for each in paths]
    changed = 0
    for each, file in zip(paths, as_sql(files) if given.dialect == "sql" else files, strict=True):
        errors = sum(found.severity == "error" for found in file.diagnostics)
        text = print_file(file)
        if errors:
            print(f"{each}: left as it is, {errors} syntax error{'s' * (errors > 1)}")
        elif text != file.source.text:
            changed += 1
            print(f"{each}: {'would change' if given.check else 'formatted'}")
            if not given.check:
                each.write_text(text, encoding="utf-8")
    print(f"{len(paths)} files, {changed} {'would change' if given.check else 'changed'}")
    return 1 if given.check and changed else 0

"""`piql fmt`: formats files in place, or says which are not formatted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from piql.commands.arguments import add_source
from piql.commands.text_files import BYTE_ORDER_MARK, write_whole
from piql.compiler.binding.conversion import as_sql
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source


def fmt(argv: Sequence[str] | None = None) -> int:
    """Write every file as the formatter writes it; with --check only name those that would change."""
    parser = argparse.ArgumentParser(prog="piql fmt", description="Format .piql files; their comments stay.")
    add_source(parser)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a file would change")
    parser.add_argument("--dialect", choices=("sql",), help="write ENTITY and FETCH as the SQL that says the same")
    options = parser.parse_args(argv)
    path: Path = options.path
    paths = sorted(file_path for file_path in path.rglob("*.piql") if file_path.is_file()) if path.is_dir() else [path]
    if not paths or not paths[0].exists():
        parser.error(f"{path}: no .piql file")
    texts = {file_path: text for file_path in paths if (text := _text_of(file_path)) is not None}
    files = [parse(Source(_plain(text), str(file_path))) for file_path, text in texts.items()]
    changed, broken = 0, len(paths) - len(texts)
    for (file_path, before), file in zip(
        texts.items(), as_sql(files) if options.dialect == "sql" else files, strict=True
    ):
        errors = sum(diagnostic.severity == "error" for diagnostic in file.diagnostics)
        text = print_file(file)
        if errors:
            broken += 1
            print(f"{file_path}: left as it is, {errors} syntax error{'s' * (errors > 1)}")
        elif text != file.source.text:
            changed += 1
            print(f"{file_path}: {'would change' if options.check else 'formatted'}")
            if not options.check:
                write_whole({file_path: _written_like(before, text).encode()})
    many = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    print(f"{many}, {changed} {'would change' if options.check else 'changed'}")
    return 1 if broken or (options.check and changed) else 0


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        print(f"{path}: left as it is, not a text in UTF-8")
        return None


def _plain(text: str) -> str:
    """Leave out the mark of some editors at the beginning, and end lines as the formatter does."""
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")


def _written_like(before: str, text: str) -> str:
    """Begin a text and end its lines as the file did before."""
    mark = BYTE_ORDER_MARK if before.startswith(BYTE_ORDER_MARK) else ""
    return mark + (text.replace("\n", "\r\n") if "\r\n" in before else text)

"""`piql import`: writes the tables of a file or a live keyspace as a .piql schema, with notes of what is missing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from piql.commands.import_file import imported_file, report
from piql.errors import StoreUnavailable
from piql.importing.dialects import AUTO, DIALECTS
from piql.importing.keyspaces import schema_text
from piql.store.cql.address import parse_address
from piql.store.cql.schema.foreign_tables import read_keyspace


def import_(argv: Sequence[str] | None = None) -> int:
    """Print the schema, or write it into a file; the keyspace or file is only read."""
    parser = argparse.ArgumentParser(
        prog="piql import",
        description="Write the tables of a file in another SQL, or of a keyspace, as a .piql schema.",
    )
    parser.add_argument("source", help="a file of SQL or CQL, such as a dump; or cql://HOST/KEYSPACE")
    parser.add_argument("queries", nargs="*", type=Path, help="files of queries of this schema")
    parser.add_argument(
        "--scan",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="look for queries in the programs below: Python, JavaScript, TypeScript, Java, Go, Ruby, PHP",
    )
    parser.add_argument("--dialect", choices=(AUTO, *DIALECTS), default=AUTO, help="what the file is written in")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file to write, a new one; default: print it")
    options = parser.parse_args(argv)
    source: str = options.source
    text = _keyspace_text(source) if "://" in source else _file_text(Path(source), options)
    if text is None:  # the reason is printed
        return 1
    if options.out is None:
        print(text, end="")
        return 0
    try:
        with options.out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        print(f"{options.out} exists already and is not overwritten: choose another name", file=sys.stderr)
        return 1
    print(f"{options.out}: written")
    return 0


def _file_text(path: Path, options: argparse.Namespace) -> str | None:
    """Return a file as PIQL; None, with a message on stderr, where it cannot be imported."""
    imported = imported_file(path, options.queries, options.scan, options.dialect)
    if imported is None:
        return None
    if imported.notes:
        print(report(imported, path), file=sys.stderr)
    return imported.text


def _keyspace_text(url: str) -> str | None:
    """Return the tables of a keyspace as PIQL; None, with a message on stderr, where it cannot be read."""
    try:
        address = parse_address(url)
        return schema_text(address.keyspace, read_keyspace(address))
    except StoreUnavailable as failure:
        print(failure, file=sys.stderr)
        return None

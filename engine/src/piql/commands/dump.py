"""`piql dump`: writes all rows of a table into a CSV, JSON lines or Parquet file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from piql.client.table_pages import PAGE_ROWS, table_pages
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import add_store, attempt
from piql.commands.load import progress_line
from piql.commands.table import counted
from piql.files.dumping import dump_rows
from piql.files.formats import FORMATS, format_of
from piql.files.values import BYTES_FORMS


def dump(argv: Sequence[str] | None = None) -> int:
    """Write the rows, a bounded read at a time."""
    parser = argparse.ArgumentParser(
        prog="piql dump",
        description=f"Write all rows of a table into a file; each read is one request of {PAGE_ROWS:,} rows at most.",
    )
    parser.add_argument("table", help="a deployed table")
    add_store(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new file")
    parser.add_argument("--format", choices=FORMATS, help="of the file, where its ending does not say it")
    parser.add_argument("--bytes", choices=BYTES_FORMS, default="base64", help="how BLOB is written in a text")
    options = parser.parse_args(argv)

    def work() -> None:
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            table = db.deployment.table(options.table)
            tell = progress_line(lambda rows, _: f"{rows:,} rows written")
            count = dump_rows(
                table.columns,
                table_pages(db, options.table),
                options.out,
                options.format or format_of(options.out),
                options.bytes,
                None if tell is None else lambda rows: tell(rows, 0),
            )
        print(f"{options.out}: {counted(count, 'row')} of {options.table}")

    try:
        return attempt("dump", work)
    except FileExistsError as error:
        print(f"piql dump: {error}", file=sys.stderr)
        return 1

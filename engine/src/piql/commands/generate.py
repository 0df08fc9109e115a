"""`piql generate`: makes rows for all tables of a deployed schema, or of a text, up to each limit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from piql.commands.arguments import compile_path
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import attempt
from piql.commands.load import INTERRUPTED, Interrupts, progress_line
from piql.commands.table import counted, format_table
from piql.errors import CompilationRefused, PiqlError
from piql.files.formats import FORMATS
from piql.files.generated import Generated, ProgressCallback, dry_run, load_generated, write_generated
from piql.generating.table_rows import LimitFill
from piql.generating.wish import USUAL_ROWS, Wish
from piql.schema.catalog import Table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="piql generate",
        description="Make rows for all tables of a schema: skewed, with a full group for each limit, parents first.",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--store", metavar="URL", help="a store with a deployed schema, such as embedded:PATH")
    source.add_argument("--schema", type=Path, metavar="PATH", help="a .piql file or folder; with --to or --dry-run")
    parser.add_argument(
        "--rows",
        action="append",
        default=[],
        metavar="[TABLE=]N",
        help=f"rows of each table, or of one; {USUAL_ROWS:,} else, and more where a limit needs them to be full",
    )
    parser.add_argument(
        "--full", type=int, metavar="PARENTS", help="fill every group of every limit, for so many parents"
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same rows")
    parser.add_argument("--nulls", type=float, default=0.1, metavar="SHARE", help="of NULLs where they are allowed")
    parser.add_argument("--add", action="store_true", help="also if tables have rows; these stay as they are")
    parser.add_argument("--dry-run", action="store_true", help="say how many rows and how large, and write nothing")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="write a file for each table instead")
    parser.add_argument("--format", choices=FORMATS, default="csv", help="of the files")
    return parser


def generate(argv: Sequence[str] | None = None) -> int:
    """Generate rows, or only say how many it would be."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.schema is not None and options.to is None and not options.dry_run:
        parser.error("--schema names no store: add --to FOLDER or --dry-run")
    try:
        wish = _wish(options)
    except (PiqlError, ValueError) as refusal:
        parser.error(str(refusal))
    code = 0

    def work() -> None:
        nonlocal code
        if options.schema is not None:
            compilation = compile_path(parser, options.schema)
            if compilation.has_errors:
                raise CompilationRefused(f"{options.schema} has errors", tuple(compilation.diagnostics))
            code = _of_tables(compilation.tables, wish, options)
            return
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            if options.to is not None or options.dry_run:
                code = _of_tables(db.deployment.tables, wish, options)
                return
            with Interrupts() as interrupts:
                generated = load_generated(
                    db, wish, is_adding=options.add, tell=_teller("loaded"), stop=lambda: interrupts.count > 0
                )
            print(_summary(generated))
            if interrupts.count:
                print("stopped: the rows listed above are loaded", file=sys.stderr)
                code = INTERRUPTED

    try:
        return attempt("generate", work) or code
    except FileExistsError as error:
        print(f"piql generate: {error}", file=sys.stderr)
        return 1


def _wish(options: argparse.Namespace) -> Wish:
    """Return the wish of the options; raise ValueError or InvalidParameter where it makes no sense."""
    rows, rows_of = USUAL_ROWS, {}
    for word in options.rows:
        table, equals, number = word.rpartition("=")
        if not number.isascii() or not number.isdecimal():
            raise ValueError(f"--rows {word}: write a number, or TABLE=NUMBER")
        if equals:
            rows_of[table] = int(number)
        else:
            rows = int(number)
    return Wish(rows, rows_of, options.full, options.seed, options.nulls)


def _of_tables(tables: Mapping[str, Table], wish: Wish, options: argparse.Namespace) -> int:
    """Write files, or nothing with --dry-run, and print what was made."""
    if options.dry_run:
        print(_summary(dry_run(tables, wish, _teller("made"))))
        print("nothing is written")
        return 0
    written = write_generated(tables, wish, options.to, options.format, _teller("written"))
    print(_summary([generated for _, generated in written]))
    print(f"{counted(len(written), 'file')} in {options.to}")
    return 0


def _summary(tables: Sequence[Generated]) -> str:
    rows = [
        (
            generated.report.table,
            generated.report.rows,
            _size_in_words(generated.report.bytes),
            ", ".join(map(_fill_in_words, generated.report.fills)),
        )
        for generated in tables
    ]
    lines = [format_table(("table", "rows", "size", "fullest group of each limit"), rows)]
    for generated in tables:
        report = generated.report
        if generated.left_out:
            left_out = counted(generated.left_out, "row")
            lines.append(f"{report.table}: {left_out} left out, which did not fit the rows that are there")
        elif report.rows < report.asked:
            lines.append(f"{report.table}: of {report.asked:,} rows, since its keys and limits leave room for no more")
    return "\n".join(lines)


def _fill_in_words(fill: LimitFill) -> str:
    return f"{fill.fullest:,} of {fill.limit.limit:,} ({fill.limit.counted or 'the table'})"


def _size_in_words(count: int) -> str:
    """Return a number of bytes as people read it: 12 B, 3.4 kB, 56 MB."""
    size, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"


def _teller(done: str) -> ProgressCallback | None:
    return progress_line(lambda table, rows, asked: f"{table}: {rows:,} of {asked:,} rows {done}")

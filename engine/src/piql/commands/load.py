"""`piql load`: puts the rows of a CSV, JSON lines or Parquet file into a table."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import ParamSpec

from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import add_store, attempt
from piql.commands.table import counted
from piql.files.formats import FORMATS, format_of
from piql.files.loading import DryRun, FileLoad, Loaded, LoadRefused, ProgressCallback
from piql.files.mapping import map_columns
from piql.files.problems import MOST_PROBLEMS, FileRefused, Problem
from piql.files.source import open_source
from piql.files.values import BYTES_FORMS

INTERRUPTED = 130  # the exit code after Ctrl+C
_TELL_SECONDS = 0.5  # between two lines of progress
P = ParamSpec("P")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="piql load", description="Put the rows of a CSV, JSON lines or Parquet file into a table."
    )
    parser.add_argument("table", help="a deployed table")
    parser.add_argument("file", type=Path, help="its ending gives its format: .csv, .tsv, .jsonl or .parquet")
    add_store(parser)
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FILE_COLUMN=COLUMN",
        help="where a column of the file goes; `FILE_COLUMN=` leaves it out. Columns of equal names need none",
    )
    parser.add_argument("--format", choices=FORMATS, help="of the file, where its ending does not say it")
    parser.add_argument("--delimiter", metavar="CHARACTER", help="between the values of CSV; else the header shows it")
    parser.add_argument("--bytes", choices=BYTES_FORMS, default="base64", help="how BLOB is written in a text")
    parser.add_argument("--dry-run", action="store_true", help="check every row and write nothing")
    parser.add_argument("--resume", action="store_true", help="continue after the rows that are loaded already")
    parser.add_argument(
        "--most-problems", type=int, default=MOST_PROBLEMS, metavar="N", help="how many faults are named"
    )
    return parser


def load(argv: Sequence[str] | None = None) -> int:
    """Load a file, or only check it."""
    parser = _parser()
    options = parser.parse_args(argv)
    renamed = _renamed(parser, options.map)
    if options.delimiter is not None and len(options.delimiter) != 1:
        parser.error(f"--delimiter {options.delimiter!r}: give one character")
    if options.most_problems < 1:
        parser.error("--most-problems takes a number from 1")
    code = 0  # of `work`, which `attempt` runs

    def work() -> None:
        nonlocal code
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            table = db.deployment.table(options.table)
            source = open_source(options.file, options.format or format_of(options.file), options.delimiter)
            mapping = map_columns(table, source.columns, renamed, options.bytes)
            if mapping.left_out:
                print(f"left out, for {table.name} has no such column: {', '.join(mapping.left_out)}", file=sys.stderr)
            file_load = FileLoad(db, source, mapping, f"file {options.file.name}", most_problems=options.most_problems)
            code = _dry_run(file_load) if options.dry_run else _load(file_load, is_resumed=options.resume)

    def with_problems() -> None:
        nonlocal code
        try:
            work()
        except FileRefused as refusal:
            print(f"piql load: {options.file.name}: {refusal}", file=sys.stderr)
            _print_problems(refusal.problems, is_more=refusal.is_more)
            code = 1

    return attempt("load", with_problems) or code


def _renamed(parser: argparse.ArgumentParser, pairs: Sequence[str]) -> dict[str, str]:
    """Return the column of the table for columns of the file, '' to leave one out."""
    renamed: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.rpartition("=")
        if not equals:
            parser.error(f"--map {pair}: write FILE_COLUMN=COLUMN")
        renamed[name] = column
    return renamed


def _dry_run(file_load: FileLoad) -> int:
    """Check all rows, print the faults and the counts, and return the exit code."""
    report = file_load.dry_run(_teller(file_load.row_count, "checked"))
    _print_problems(report.problems, is_more=report.is_more)
    print(_dry_run_in_words(report, file_load.table))
    return 1 if report.problems else 0


def _dry_run_in_words(report: DryRun, table: str) -> str:
    parts = f"{report.new:,} new, {report.changed:,} replace a row with the same key, {report.unchanged:,} unchanged"
    return f"{table}: {counted(report.rows, 'row')} checked, nothing written: {parts}"


def _load(file_load: FileLoad, *, is_resumed: bool) -> int:
    """Load the rows, print how far that came, and return the exit code."""
    with Interrupts() as interrupts:
        try:
            loaded = file_load.load(
                _teller(file_load.row_count, "loaded"), lambda: interrupts.count > 0, is_resumed=is_resumed
            )
        except LoadRefused as refusal:
            _print_problems(refusal.problems, is_more=refusal.is_more)
            print(_stopped(refusal.loaded), file=sys.stderr)
            if refusal.may_be_partly_in is not None:
                first, last = refusal.may_be_partly_in
                print(
                    f"some of the lines {first} to {last} may be loaded; loading them again changes nothing",
                    file=sys.stderr,
                )
            way_on = "add --resume" if refusal.loaded.rows else "load again"
            print(f"correct the lines, then {way_on}", file=sys.stderr)
            return 1
    if not loaded.is_complete:
        print(_stopped(loaded) + "; `--resume` continues after it", file=sys.stderr)
        return INTERRUPTED
    earlier = f", {loaded.skipped:,} of them before" if loaded.skipped else ""
    print(f"{file_load.table}: {counted(loaded.rows, 'row')} loaded{earlier}")
    return 0


def _stopped(loaded: Loaded) -> str:
    if not loaded.rows:
        return "no row is loaded"
    return f"{counted(loaded.rows, 'row')} loaded, up to line {loaded.line}"


def _print_problems(problems: Sequence[Problem], *, is_more: bool) -> None:
    for problem in problems:
        print(problem, file=sys.stderr)
    if is_more:
        print("there may be more: these are the first", file=sys.stderr)


def _teller(total: int | None, done: str) -> ProgressCallback | None:
    """Return a function that shows progress on a terminal, `120 of 500 rows loaded`; None elsewhere."""
    return progress_line(
        lambda rows, line: f"{rows:,}{f' of {total:,}' if total else ''} rows {done}, to line {line:,}"
    )


def progress_line(words: Callable[P, str]) -> Callable[P, None] | None:
    """Return a function that writes one line over and over on standard error; None where that is no terminal.

    It is called with what `words` makes a line of, and writes twice a second at most.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    last = 0.0

    def tell(*arguments: P.args, **named: P.kwargs) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= _TELL_SECONDS:
            last = now
            print(f"\r\033[K{words(*arguments, **named)}", end="\r", file=sys.stderr, flush=True)

    return tell


class Interrupts:
    """Counts Ctrl+C while rows are loaded: the first lets the batch end, the second ends the program."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *failure: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 1:
            raise KeyboardInterrupt
        print("stopping after this batch; Ctrl+C again stops at once", file=sys.stderr)

"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from piql import compiler
from piql.compiler.result import Compilation


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the argument PATH: what to compile."""
    parser.add_argument("path", type=Path, nargs="?", default=Path("."), help="a .piql file or a folder of them")


def add_output(parser: argparse.ArgumentParser, *more: str) -> None:
    """Add the option --output: a table for people, or JSON for programs, or one `more` form that a command has."""
    parser.add_argument("--output", choices=("table", "json", *more), default="table")


def share_in_percent(text: str) -> float:
    """Return a share from 0 to 1 that was typed as `5`, `12.5` or `5%`; argparse refuses it in these words."""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = -1
    if not 0 <= percent <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no share of the executions: give a number from 0 to 100")
    return percent / 100


def compile_path(parser: argparse.ArgumentParser, path: Path) -> Compilation:
    """Compile a file or folder; end with a usage message when there is nothing to compile."""
    require_files(parser, path)
    return compiler.compile(path)


def require_files(parser: argparse.ArgumentParser, path: Path) -> None:
    """End with a usage message when there is nothing to compile at a path."""
    if not path.exists():
        parser.error(f"{path}: no such file or folder")
    if path.is_dir() and not any(path.rglob("*.piql")):
        parser.error(f"{path}: no .piql files in it")

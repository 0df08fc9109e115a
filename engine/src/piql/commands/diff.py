"""`piql diff`: the bounds of a query set before and after a change, for pull requests."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from piql import compiler
from piql.commands.arguments import compile_path
from piql.commands.table import counted, format_table
from piql.compiler.bounds.bound import Bound
from piql.compiler.result import Compilation, CompiledQuery
from piql.compiler.set_diff import QueryChange, SetChanges, compare

HEADS = ("query", "change", "operations", "trips", "rows", "formula")


def diff(argv: Sequence[str] | None = None) -> int:
    """Print what changed; exit with 1 when a query costs more than before or has no bound any more."""
    parser = argparse.ArgumentParser(prog="piql diff", description="Compare the bounds of two states of a set.")
    parser.add_argument("before", metavar="BEFORE", help="a .piql file, a folder of them, or a git revision of AFTER")
    parser.add_argument("after", metavar="AFTER", type=Path, nargs="?", default=Path("."), help="the set as it is now")
    parser.add_argument("--output", choices=("table", "json", "markdown"), default="table")
    options = parser.parse_args(argv)
    after = compile_path(parser, options.after)
    path = Path(options.before)
    before = compile_path(parser, path) if path.exists() else _at_revision(parser, options.before, options.after)
    changes = compare(before, after)
    print_changes = {"table": as_text, "json": as_json, "markdown": as_markdown}[options.output]
    print(print_changes(changes))
    return 1 if changes.regressions else 0


def _at_revision(parser: argparse.ArgumentParser, revision: str, path: Path) -> Compilation:
    """Compile the files as git keeps them at a revision."""
    folder, chosen = (path, ".") if path.is_dir() else (path.parent, path.name)
    listed = _git(folder, "ls-tree", "-r", "--name-only", "-z", revision, "--", chosen)
    if listed is None:
        parser.error(f"{revision}: neither a file or folder nor a revision that git knows in {folder}")
    names = [name for name in listed.split("\0") if name.endswith(".piql")]
    if not names:
        parser.error(f"{revision}: has no .piql files in {path}")
    return compiler.compile({name: _git(folder, "show", f"{revision}:./{name}") or "" for name in names})


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints, or None when it refuses or is missing."""
    command = ("git", "-C", str(folder), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def as_text(changes: SetChanges) -> str:
    """Return the changes as a table for a terminal."""
    changed = [query for query in changes.queries if query.effect != "same"]
    parts = [format_table(HEADS, [_row(change) for change in changed])] if changed else []
    return "\n\n".join((*parts, *_policies(changes), *_indexes(changes), _total(changes)))


def as_markdown(changes: SetChanges) -> str:
    """Return the changes as a table for a pull request."""
    changed = [query for query in changes.queries if query.effect != "same"]
    rows = [HEADS, ("---",) * len(HEADS), *(map(_cell, _row(change)) for change in changed)] if changed else []
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    others = (*_policies(changes), *_indexes(changes), _total(changes))
    return "\n\n".join(part for part in ("\n".join(lines), *others) if part)


def as_json(changes: SetChanges) -> str:
    """Return the changes with both bounds of each query, for programs."""
    queries = [
        {
            "name": query.name,
            "change": query.effect,
            "is_regression": query.is_regression,
            "before": _costs(query.before),
            "after": _costs(query.after),
            "policy": None if query.policies is None else dict(zip(("before", "after"), query.policies, strict=True)),
        }
        for query in changes.queries
    ]
    indexes = {"added": list(changes.added_indexes), "removed": list(changes.removed_indexes)}
    return json.dumps({"queries": queries, "indexes": indexes}, indent=2)


def _row(change: QueryChange) -> tuple[str, ...]:
    before, after = (None if query is None else query.bound for query in (change.before, change.after))
    formula = "" if after is None else after.formula
    if before is not None and after is not None and before.formula != after.formula:
        formula = f"{before.formula} → {after.formula}"
    numbers = (_step(before, after, quantity) for quantity in ("operations", "round_trips", "rows"))
    return change.name, change.effect, *numbers, formula


def _step(before: Bound | None, after: Bound | None, quantity: str) -> str:
    old, new = ("–" if bound is None else f"{getattr(bound, quantity):,}" for bound in (before, after))
    return old if old == new else f"{old} → {new}"


def _indexes(changes: SetChanges) -> tuple[str, ...]:
    named = (("added", changes.added_indexes), ("removed", changes.removed_indexes))
    return tuple(f"indexes {change}: {', '.join(names)}" for change, names in named if names)


def _policies(changes: SetChanges) -> tuple[str, ...]:
    """Return a line with the queries whose policy changes: how safe or fresh rows are is no part of a bound."""
    changed = [f"{query.name} {' → '.join(query.policies)}" for query in changes.queries if query.policies is not None]
    return (f"policies: {', '.join(changed)}",) if changed else ()


def _total(changes: SetChanges) -> str:
    number = len(changes.regressions)
    same = sum(query.effect == "same" and query.policies is None for query in changes.queries)
    return f"{counted(number, 'regression')}, {counted(same, 'query')} as before"


def _costs(query: CompiledQuery | None) -> dict[str, object] | None:
    if query is None:
        return None
    bound = query.bound
    if bound is None:
        return {"is_bounded": False}
    names = ("operations", "round_trips", "rows", "bytes", "formula")
    return {"is_bounded": True} | {name: getattr(bound, name) for name in names}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

"""The modules of the project as trees: each is read, parsed and walked once for all tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes_of(module: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module that is asked about again and again: a walk takes longer than what is asked."""
    return tuple(ast.walk(module))


def modules_below(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """Yield each module of a folder, by its path from the folder's parent."""
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder.parent).as_posix(), parsed(path)

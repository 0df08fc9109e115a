"""A loop variable is a noun that says what it holds, and the map in the head of a package is whole."""

import ast
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

import piql
import piql_backend
import piql_profiler
import piql_service
import pytest

from .sources import modules_below

PACKAGES = [Path(package.__file__ or "").parent for package in (piql, piql_backend, piql_profiler, piql_service)]
EMPTY_WORDS = {"each", "found", "given", "made", "one", "other", "own", "told", "what"}
NO_NAMES = {"found", "made", "own", "told"}


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_loop_variables_say_what_they_hold(folder: Path) -> None:
    assert [
        f"{path}:{name.lineno}: {name.id}"
        for path, module in modules_below(folder)
        for loop in ast.walk(module)
        if isinstance(loop, ast.For | ast.AsyncFor | ast.comprehension)
        for name in ast.walk(loop.target)
        if isinstance(name, ast.Name) and name.id in EMPTY_WORDS
    ] == []


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_variables_and_arguments_are_not_named_after_what_was_done(folder: Path) -> None:
    assert [
        f"{path}:{node.lineno}: {node.id if isinstance(node, ast.Name) else node.arg}"
        for path, module in modules_below(folder)
        for node in ast.walk(module)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in NO_NAMES)
        or (isinstance(node, ast.arg) and node.arg in NO_NAMES)
    ] == []


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_a_head_that_names_half_of_its_package_names_all_of_it(folder: Path) -> None:
    heads = {Path(path): ast.get_docstring(module) or "" for path, module in modules_below(folder)}
    left_out = {}
    for path, head in heads.items():
        if path.stem == "__init__":
            names = set(names_below(path.parent, heads))
            missing = {name for name in names if not any(fnmatch(name, word) for word in re.findall(r"\w+\*?", head))}
            if missing and len(missing) <= len(names) / 2:
                left_out[path.as_posix()] = missing
    assert left_out == {}


def names_below(package: Path, heads: Mapping[Path, str]) -> Iterator[str]:
    """Yield what is in a package by its name, but for commands, which have the name of their file."""
    for path, head in heads.items():
        if path.stem == "__init__" and path.parent.parent == package:
            yield path.parent.name
        elif path.stem not in ("__init__", "__main__") and path.parent == package and not head.startswith("`piql "):
            yield path.stem

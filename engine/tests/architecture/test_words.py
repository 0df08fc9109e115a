"""A loop variable is a noun that says what it holds: words that would fit every loop are failures."""

import ast
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

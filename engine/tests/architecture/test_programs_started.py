"""A program that is started imports nothing from the folder it was started in: a user's `types.py` may lie there."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

from .sources import modules_below

ROOT = Path(__file__).parents[3]
SOURCES = [ROOT / package / "src" for package in ("engine", "service", "profiler", "backend")]


def arguments_of_python(module: ast.Module) -> list[str | None]:
    """Return what follows `sys.executable` wherever it is followed, as its text; None for what is no text."""
    following = []
    for node in ast.walk(module):
        arguments = node.elts if isinstance(node, ast.List | ast.Tuple) else getattr(node, "args", None)
        if not isinstance(arguments, list):
            continue
        for program, argument in pairwise(arguments):
            if ast.unparse(program) == "sys.executable":
                following.append(argument.value if isinstance(argument, ast.Constant) else None)
    return following


def test_python_is_started_with_a_safe_path() -> None:
    started = {
        name: arguments
        for folder in SOURCES
        for name, module in modules_below(folder)
        if (arguments := arguments_of_python(module))
    }
    assert len(started) >= 5
    assert {name: arguments for name, arguments in started.items() if set(arguments) != {"-P"}} == {}


@pytest.mark.parametrize("text", ["run([sys.executable, '-m', 'm'])", "spawn(sys.executable, '-m', 'm')"])
def test_a_start_is_seen(text: str) -> None:
    assert arguments_of_python(ast.parse(text)) == ["-m"]

"""Messages that become sentences for people: the capital at the start must not be of a name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import piql
import piql_profiler

from .sources import modules_below

MADE_SENTENCES = {"RenameRefused", "SchemaEditRefused", "NotPredictable"}
OF_THE_COMMAND_LINE = {"piql_profiler/commands/predict.py", "piql_profiler/validation/validate.py"}


def messages() -> Iterator[tuple[str, ast.expr]]:
    """Yield the message of each refusal that is made here, with where it stands."""
    for package in (piql, piql_profiler):
        for path, tree in modules_below(Path(package.__file__ or "").parent):
            for call in ast.walk(tree):
                match call:
                    case ast.Call(func=ast.Name(id=name), args=[message, *_]) if name in MADE_SENTENCES:
                        yield f"{path}:{call.lineno}", message


def begins_with_a_value(message: ast.expr) -> bool:
    return isinstance(message, ast.JoinedStr) and isinstance(message.values[0], ast.FormattedValue)


def test_no_sentence_begins_with_a_name_that_would_get_a_capital() -> None:
    found = [(place, message) for place, message in messages() if place.split(":")[0] not in OF_THE_COMMAND_LINE]
    assert len(found) > 10
    assert [place for place, message in found if begins_with_a_value(message)] == []

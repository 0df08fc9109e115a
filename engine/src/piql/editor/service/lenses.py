"""What stands above each query: its bound in a few words, or that it has none."""

from __future__ import annotations

from dataclasses import dataclass

from piql.compiler.result import Compilation, CompiledQuery
from piql.text.source import Span


@dataclass(frozen=True, slots=True)
class Lens:
    """A few words about the query whose name stands at `span`."""

    span: Span
    text: str


def lenses(compilation: Compilation, file: str) -> tuple[Lens, ...]:
    """Return the lens of every query of a file, in the order of the text."""
    queries = [query for query in compilation.queries.values() if query.name_span.file == file]
    return tuple(
        Lens(query.name_span, _text(query)) for query in sorted(queries, key=lambda query: query.name_span.start)
    )


def _text(query: CompiledQuery) -> str:
    """Return `≤ 101 ops · 2 trips · class II`."""
    bound = query.bound
    if bound is None:
        return "unbounded" if query.unbounded else "no bound"
    parts = [_counted(bound.operations, "op"), _counted(bound.round_trips, "trip")]
    if query.scaling_class is not None:
        parts.append(f"class {query.scaling_class}")
    return "≤ " + " · ".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

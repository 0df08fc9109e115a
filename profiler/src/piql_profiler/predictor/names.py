"""Queries and tables by the names that a user gives; a name that is not there gets the nearest that is."""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.binding.scope import suggestion
from piql.compiler.result import Compilation, CompiledQuery

from piql_profiler.predictor.model import NotPredictable


def query_named(compilation: Compilation, name: str) -> CompiledQuery:
    """The query of a name; NotPredictable where the source has none."""
    query = compilation.queries.get(name)
    if query is None:
        raise unknown("query", name, compilation.queries)
    return query


def unknown(kind: str, name: str, known: Iterable[str]) -> NotPredictable:
    """The error of a name that the source does not have, with the nearest that it has."""
    near = suggestion(name, known)
    return NotPredictable(f"there is no {kind} {name!r} in the source" + (f"; did you mean {near}?" if near else ""))

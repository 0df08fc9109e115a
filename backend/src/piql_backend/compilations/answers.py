"""The JSON of a compilation, in which the JSON of a query that has not changed is taken from the answer before.

A keystroke in one file leaves the queries of all other files as they were; `identity_of` says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from piql.compiler.incremental.relocation import identity_of
from piql.compiler.result import Compilation, CompiledQuery
from piql.trees.caches import Memory
from piql.trees.giving_up import go_on
from pydantic_core import to_json

from piql_backend.compilations.reading import read_all_but_queries, read_bounded, read_query
from piql_backend.compilations.schemas import CompilationRead

_KEPT = 1024  # queries; some 3 KB each


class Answers:
    """Makes the JSON of compilations."""

    def __init__(self) -> None:
        self._without_stages: Memory[bytes] = Memory(_KEPT)

    def json_of(self, compilation: Compilation, elapsed_ms: float, stages_of: str | None = None) -> bytes:
        """The `CompilationRead` as JSON; with `stages_of`, the stages of that query alone."""
        read = read_all_but_queries(compilation, elapsed_ms, stages_of)
        parts = {name: to_json(getattr(read, name)) for name in CompilationRead.model_fields}
        queries = (self._query(query, stages_of in (None, query.name)) for query in compilation.queries.values())
        parts["queries"] = b"[%s]" % b",".join(queries)
        return b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), part) for name, part in parts.items())

    def json_of_bounds(self, queries: Iterable[CompiledQuery]) -> bytes:
        """The bounds of queries that are known early as JSON."""
        return to_json([read_bounded(query) for query in queries])

    def _query(self, query: CompiledQuery, has_stages: bool) -> bytes:
        go_on()
        if has_stages:
            return to_json(read_query(query, has_stages=True))
        identity = identity_of(query)
        json = self._without_stages.get(identity)
        return json or self._without_stages.put(identity, to_json(read_query(query, has_stages=False)))

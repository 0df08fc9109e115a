"""What differs between two compiled sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from piql.compiler.result import Compilation, CompiledQuery
from piql.schema.catalog import Table
from piql.versions.change.composition import statement_of

from piql_backend.comparisons.schemas import BoundChangeRead, ChangesRead, ComparisonCreate, ShortBoundRead
from piql_backend.comparisons.table_changes import table_changes
from piql_backend.compilations.reading import read_indexes
from piql_backend.compilations.service import Compilations

_NOTHING: Mapping[str, Table] = {}


def compare(compilations: Compilations, request: ComparisonCreate) -> ChangesRead:
    """Compile two sets of files, and say what the second changes."""
    return changes_between(compilations.compile(request.before), compilations.compile(request.after))


def changes_between(
    before: Compilation | None,
    after: Compilation,
    stored: Mapping[str, Table] = _NOTHING,
    besides: Collection[str] = (),
) -> ChangesRead:
    """Compare two sets; no set before is an empty one.

    `stored` are the tables that the store has, see `table_changes`. Queries in `besides` are named only where their
    bound changes.
    """
    old_queries = before.queries if before else {}
    old_indexes = before.indexes if before else {}
    both = [name for name in after.queries if name in old_queries]
    named = [name for name in both if name not in besides]
    different = {name for name in both if _is_different(old_queries[name], after.queries[name])}
    return ChangesRead(
        tables=table_changes(before, after, stored),
        added=[name for name in after.queries if name not in old_queries],
        changed=[name for name in named if name in different],
        removed=[name for name in old_queries if name not in after.queries],
        unchanged=[name for name in named if name not in different],
        indexes_added=[index for index in read_indexes(after) if index.name not in old_indexes],
        indexes_removed=[name for name in old_indexes if name not in after.indexes],
        bounds_changed=[
            BoundChangeRead(query=name, before=old, after=new)
            for name in both
            if (old := _short(old_queries[name])) != (new := _short(after.queries[name]))
        ],
    )


def _is_different(before: CompiledQuery, after: CompiledQuery) -> bool:
    return statement_of(before) != statement_of(after) or before.plan != after.plan


def _short(query: CompiledQuery) -> ShortBoundRead | None:
    if query.bound is None:
        return None
    return ShortBoundRead(operations=query.bound.operations, formula=query.bound.formula)

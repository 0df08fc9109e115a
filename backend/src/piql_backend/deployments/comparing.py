"""What deploying a set would change against what is live, and whose queries it would touch.

A live query is either the application's own or somebody else's:

own        deployed from this application alone: it goes when the set leaves it out
others'    deployed from another application, or by a program: it stays live, unless the user agreed to remove it
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import CompilationRefused
from piql.versions.change.composition import EARLIER, statement_of, with_earlier

from piql_backend.compilations.reading import read_diagnostics, read_indexes
from piql_backend.deployments.history import LiveDeployment
from piql_backend.deployments.schemas import (
    BoundChangeRead,
    ChangesRead,
    OthersQueryRead,
    PreviewRead,
    ShortBoundRead,
    TableChangeRead,
)
from piql_backend.deployments.table_changes import table_changes

_UNKNOWN = "an application"


@dataclass(frozen=True, slots=True)
class Touched:
    """What becomes of live queries when a set is deployed.

    The `forgotten` go. The `kept` are others' queries that stay beside the set. The `replaced` are others' queries that
    the set has under the same name with another text.
    """

    forgotten: frozenset[str]
    kept: tuple[OthersQueryRead, ...]
    replaced: tuple[OthersQueryRead, ...]


def touched(
    live: LiveDeployment | None, compilation: Compilation, application_id: str, removes: Collection[str]
) -> Touched:
    """What becomes of the live queries when an application deploys a set; `removes` are those that it may remove."""
    if live is None:
        return Touched(frozenset(), (), ())
    forgotten: set[str] = set()
    kept: list[OthersQueryRead] = []
    replaced: list[OthersQueryRead] = []
    for name, query in live.compilation.queries.items():
        owners = live.owners.get(name, ())
        others = [owner for owner in owners if owner != application_id]
        is_own = application_id in owners and not others
        read = OthersQueryRead(query=name, deployed_by=", ".join(others) or _UNKNOWN)
        wanted = compilation.queries.get(name)
        if wanted is None:
            if is_own or name in removes:
                forgotten.add(name)
            else:
                kept.append(read)
        elif not is_own and statement_of(wanted) != statement_of(query):
            replaced.append(read)
    return Touched(frozenset(forgotten), tuple(kept), tuple(replaced))


def preview_of(
    live: LiveDeployment | None, compilation: Compilation, application_id: str, removes: Collection[str]
) -> PreviewRead:
    """Compare what would be live after deploying a set, with the queries that stay beside it, with what is live now."""
    touches = touched(live, compilation, application_id, removes)
    has_errors = compilation.has_errors
    whole, refusal = compilation, None
    if live is not None and live.deployment is not None and not has_errors:
        try:
            whole = with_earlier(compilation, live.deployment, touches.forgotten)[1]
        except CompilationRefused as refused:
            refusal = str(refused)
    kept = {read.query for read in touches.kept}
    changes = changes_between(live, whole, kept)
    own_live = live if live is not None and live.read.application_id == application_id else None
    return PreviewRead(
        **{name: getattr(changes, name) for name in ChangesRead.model_fields if name != "tables"},
        tables=[
            change
            for change in _table_changes(live, compilation)
            if change.change != "removed" or (own_live is not None and _is_of_set(own_live, change.table))
        ],
        can_deploy=not has_errors and bool(compilation.queries) and refusal is None,
        diagnostics=read_diagnostics(compilation),
        base_version=live.read.version if live else 0,
        kept=list(touches.kept),
        replaced=list(touches.replaced),
        refusal=refusal,
    )


def changes_between(live: LiveDeployment | None, after: Compilation, besides: Collection[str] = ()) -> ChangesRead:
    """Compare what is live with a whole set; queries in `besides` are named only where their bound changes."""
    before: Mapping[str, CompiledQuery] = live.compilation.queries if live else {}
    old_indexes = live.compilation.indexes if live else {}
    both = [name for name in after.queries if name in before]
    has_changed = {name: _is_different(before[name], after.queries[name]) for name in both}
    named = [name for name in both if name not in besides]
    return ChangesRead(
        tables=_table_changes(live, after),
        added=[name for name in after.queries if name not in before],
        changed=[name for name in named if has_changed[name]],
        removed=[name for name in before if name not in after.queries],
        unchanged=[name for name in named if not has_changed[name]],
        indexes_added=[index for index in read_indexes(after) if index.name not in old_indexes],
        indexes_removed=[name for name in old_indexes if name not in after.indexes],
        bounds_changed=[
            change for name in both if (change := _bound_change(name, before[name], after.queries[name])) is not None
        ],
    )


def _table_changes(live: LiveDeployment | None, after: Compilation) -> list[TableChangeRead]:
    stored = live.deployment.kept if live and live.deployment else {}
    return table_changes(live.compilation.tables if live else {}, after.tables, stored)


def _is_of_set(live: LiveDeployment, table: str) -> bool:
    """Whether the live set declares a table itself: one that an earlier version left stays as it is."""
    span = live.compilation.tables[table].span
    return span is not None and span.file != EARLIER


def _is_different(before: CompiledQuery, after: CompiledQuery) -> bool:
    return statement_of(before) != statement_of(after) or before.plan != after.plan


def _bound_change(name: str, before: CompiledQuery, after: CompiledQuery) -> BoundChangeRead | None:
    if before.bound is None or after.bound is None:
        return None
    old = ShortBoundRead(operations=before.bound.operations, formula=before.bound.formula)
    new = ShortBoundRead(operations=after.bound.operations, formula=after.bound.formula)
    return None if old == new else BoundChangeRead(query=name, before=old, after=new)

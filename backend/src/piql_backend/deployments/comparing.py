"""What deploying a set would change against what is live, and whose queries it would touch.

A live query is either the application's own or somebody else's:

own        deployed from this application alone: it goes when the set leaves it out
others'    deployed from another application, or by a program: it stays live, unless the user agreed to remove it

A view goes when this application deployed the live version and its set leaves the view out, unless a query that stays
reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from piql.compiler.logical.operators import Relation
from piql.compiler.result import Compilation
from piql.errors import CompilationRefused
from piql.schema.catalog import Table
from piql.versions.change.composition import EARLIER, statement_of, views_among, with_earlier

from piql_backend.comparisons.schemas import ChangesRead, TableChangeRead
from piql_backend.comparisons.service import changes_between
from piql_backend.comparisons.table_changes import table_changes
from piql_backend.compilations.reading import read_diagnostics
from piql_backend.deployments.history import LiveDeployment
from piql_backend.deployments.schemas import OthersQueryRead, PreviewRead

_UNKNOWN = "an application"


@dataclass(frozen=True, slots=True)
class Touched:
    """What becomes of live queries and views when a set is deployed.

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
    views = _forgotten_views(live, compilation, application_id, [read.query for read in kept])
    return Touched(frozenset(forgotten) | views, tuple(kept), tuple(replaced))


def _forgotten_views(
    live: LiveDeployment, compilation: Compilation, application_id: str, staying: Collection[str]
) -> frozenset[str]:
    """The views that go: of the application's own live set, not of the new one, and not read by a query that stays."""
    if live.deployment is None or live.read.application_id != application_id:
        return frozenset()
    stay = set(compilation.tables)
    for name in staying:
        plan = live.compilation.queries[name].bound_plan
        stay |= {node.table.name for node in plan.walk() if isinstance(node, Relation)} if plan is not None else set()
    views = views_among(live.deployment, live.compilation.tables.keys() - stay)
    return frozenset(view.name for view in views if _is_of_set(live, view.name))


def is_deployable(compilation: Compilation) -> bool:
    """Whether a set has no error, and a table or a query; an application may begin with its tables alone."""
    return not compilation.has_errors and bool(compilation.tables or compilation.queries)


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
    changes = changes_from_live(live, whole, kept)
    own_live = live if live is not None and live.read.application_id == application_id else None
    return PreviewRead(
        **{name: getattr(changes, name) for name in ChangesRead.model_fields if name != "tables"},
        tables=[
            change
            for change in _table_changes(live, compilation)
            if change.change != "removed"
            or change.table in touches.forgotten
            or (change.kind == "table" and own_live is not None and _is_of_set(own_live, change.table))
        ],
        can_deploy=is_deployable(compilation) and refusal is None,
        diagnostics=read_diagnostics(compilation),
        base_version=live.read.version if live else 0,
        kept=list(touches.kept),
        replaced=list(touches.replaced),
        refusal=refusal,
    )


def changes_from_live(live: LiveDeployment | None, after: Compilation, besides: Collection[str] = ()) -> ChangesRead:
    """Compare what is live with a whole set; queries in `besides` are named only where their bound changes."""
    return changes_between(live.compilation if live else None, after, _stored(live), besides)


def _table_changes(live: LiveDeployment | None, after: Compilation) -> list[TableChangeRead]:
    return table_changes(live.compilation if live else None, after, _stored(live))


def _stored(live: LiveDeployment | None) -> Mapping[str, Table]:
    """The tables that the store has, with those that earlier versions left."""
    return live.deployment.kept if live and live.deployment else {}


def _is_of_set(live: LiveDeployment, table: str) -> bool:
    """Whether the live set declares a table itself: one that an earlier version left stays as it is."""
    span = live.compilation.tables[table].span
    return span is not None and span.file != EARLIER

"""The texts of the next version: the set to deploy, with what was deployed before and is not named again."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from piql.compiler import compile as compile_set
from piql.compiler.physical.unit_by_steps import reason_against_steps_of_unit
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.physical.writes import planned_again
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import CompilationRefused, kind_of
from piql.runtime.deployment import Deployment
from piql.schema.catalog import ForeignKey, Table, View
from piql.schema.table_changes import reason_against
from piql.schema.view_joins import naming_key, reason_against_steps, walked_start
from piql.store.base import Store
from piql.text.source import Span

EARLIER = "deployed earlier.piql"  # the file that holds what is kept of earlier deployments


def refuse_errors(compilation: Compilation) -> None:
    """Raise CompilationRefused for a set with errors, and for what is no compiled set."""
    if not isinstance(compilation, Compilation):
        raise CompilationRefused(
            f"not deployed: {kind_of(compilation)} is no compiled set: give what `compile` returns"
        )
    errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
    if errors:
        first = errors[0]
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        raise CompilationRefused(f"not deployed: {first.message}{more}", compilation.diagnostics)


def with_earlier(
    compilation: Compilation, current: Deployment, forget: frozenset[str]
) -> tuple[Mapping[str, str], Compilation]:
    """Return the texts and the compilation of the set together with what was deployed before and is not named again.

    Queries and views named in `forget` are left out. Raises CompilationRefused where an earlier query would no longer
    compile.
    """
    texts = {source.name: source.text for source in compilation.sources}
    before = current.compilation
    forgotten_views = {view.name for view in views_among(current, forget)}
    earlier = [
        *(
            _statement(table.span)
            for name, table in before.tables.items()
            if name not in compilation.tables and name not in forgotten_views
        ),
        *(
            _statement(index.span)
            for name, index in before.catalog.indexes.items()
            if name not in compilation.catalog.indexes
            and index.span is not None
            and (index.table in compilation.tables or index.table not in forgotten_views)
        ),
        *(
            statement_of(query)
            for name, query in before.queries.items()
            if name not in compilation.queries and name not in forget
        ),
    ]
    if not earlier:
        return texts, compilation
    texts[EARLIER] = "\n\n".join(earlier) + "\n"
    whole = compile_set(texts)
    errors = [diagnostic for diagnostic in whole.diagnostics if diagnostic.severity == "error"]
    if errors:
        names = sorted({error.query for error in errors if error.query})
        queries = ", ".join(names) or "what was deployed earlier"
        raise CompilationRefused(
            f"not deployed: {queries} would break, deployed earlier and not named again: {errors[0].message}",
            whole.diagnostics,
        )
    return texts, whole


def views_among(current: Deployment, names: Collection[str]) -> tuple[Table, ...]:
    """Return the views in force that `names` mean: a name that is a query's means the query."""
    queries = current.compilation.queries
    return tuple(
        table
        for name, table in current.tables.items()
        if table.view is not None and name in names and name not in queries
    )


def upkeep_ends(view: Table) -> str:
    """Return what removing a view means, in words for those who decide about it."""
    assert view.view is not None
    tables = " and ".join(dict.fromkeys(view.view.tables))
    return (
        f"writes to {tables} keep it up to date only for a rollback, and once no rollback returns to it, "
        "the next deployment deletes its rows"
    )


def owners_after(
    compilation: Compilation, whole: Compilation, current: Deployment, name: str
) -> Mapping[str, tuple[str, ...]]:
    """Return the owners of each query after `name` has deployed a set, those of an unchanged query included."""
    before = current.compilation.queries
    owners: dict[str, tuple[str, ...]] = {}
    for query in whole.queries.values():
        is_kept = query.name in before and statement_of(before[query.name]) == statement_of(query)
        previous_owners = current.origin.owners.get(query.name, ()) if is_kept else ()
        if query.name in compilation.queries and name:
            previous_owners = (*(owner for owner in previous_owners if owner != name), name)
        owners[query.name] = previous_owners
    return owners


def statement_of(query: CompiledQuery) -> str:
    """Return the text of a query as a statement of its own, with one semicolon."""
    return query.text.rstrip().rstrip(";") + ";"


def _statement(span: Span | None) -> str:
    assert span is not None
    return span.text.rstrip().rstrip(";") + ";"


def reason_against_unit(unit: CompiledQuery, tables: Mapping[str, Table]) -> str | None:
    """Return why a store without transactions does not make a unit, in words for those who deploy; None where it does.

    `tables` are those of its version, with the views.
    """
    if not isinstance(unit.plan, UnitPlan):
        return None
    reason = reason_against_steps_of_unit(unit.plan.statements, tables.values())
    if reason is None and any(query.write == "all" for query in (unit, *unit.statements)):
        reason = "is written WITH WRITE ALL"
    if reason is None:
        return None
    return (
        f"the unit {unit.name} {reason}, which needs a transaction, and this store has none: leave the unit out "
        "here, or deploy to an embedded store"
    )


def reason_beside(unit: CompiledQuery, compilation: Compilation) -> str | None:
    """Return why a store without transactions makes no unit of one version while another, compiled, is in force.

    None where it does. The words stand behind the unit's name.
    """
    if not isinstance(unit.plan, UnitPlan):
        return None
    planned = [
        planned_again(statement, compilation.catalog, compilation.indexes)
        if isinstance(statement, WritePlan) and statement.table.name in compilation.tables
        else statement
        for statement in unit.plan.statements
    ]
    return reason_against_steps_of_unit(planned, compilation.tables.values())


def _refuse_units_without_transactions(current: Deployment, compilation: Compilation, *, is_rollback: bool) -> None:
    """Raise CompilationRefused for a unit that is not made, or not yet: units keep no views for a rollback."""
    leaving = {
        name: table
        for name, table in current.tables.items()
        if table.view is not None and name not in compilation.tables and not is_rollback
    }
    for query in compilation.queries.values():
        reason = reason_against_unit(query, compilation.tables)
        if reason is not None:
            raise CompilationRefused(f"not deployed: {reason}")
        if not leaving or not isinstance(query.plan, UnitPlan):
            continue
        reason = reason_against_steps_of_unit(query.plan.statements, (*compilation.tables.values(), *leaving.values()))
        if reason is not None:
            raise CompilationRefused(
                f"not deployed: the unit {query.name} {reason}, which this deployment takes away but a rollback brings "
                "back: deploy without the view first, then with the unit"
            )


def _refuse_view_without_transactions(name: str, view: View, tables: Mapping[str, Table], current: Deployment) -> None:
    """Raise CompilationRefused for a view that only transactions keep right, or that comes too early."""
    if not view.joins:
        return
    reason = reason_against_steps(view, tables)
    if reason is not None:
        raise CompilationRefused(
            f"not deployed: the view {name} {reason}, which needs the transaction of each write, and this store "
            "has no transactions: leave the view out here, or deploy to an embedded store"
        )
    if name in current.tables or current.kept.keys().isdisjoint(view.tables):
        return
    for lookup in walked_start(view, tables).lookups or ():
        guard = naming_key(view, tables, lookup)
        assert guard is not None
        naming = current.tables.get(view.tables[guard.number])
        if naming is None or not any(_is_same(key, guard.key) for key in naming.foreign_keys):
            raise CompilationRefused(
                f"not deployed: the view {name} rests on the foreign key {view.tables[guard.number]} "
                f"({', '.join(guard.key.columns)}), which is not in force yet, and this store has no transactions: "
                "deploy the tables first, then the view"
            )


def _is_same(key: ForeignKey, as_key: ForeignKey) -> bool:
    return (key.table, key.columns, key.referenced_columns) == (as_key.table, as_key.columns, as_key.referenced_columns)


def refuse_incompatible(current: Deployment, compilation: Compilation, store: Store, *, is_rollback: bool) -> None:
    """Raise CompilationRefused for a change of a table that no data would allow, such as another primary key.

    A rollback may leave columns out: their values are kept.
    """
    for name, view in compilation.tables.items():
        if view.view is not None and store.row_writes is not None:
            _refuse_view_without_transactions(name, view.view, compilation.tables, current)
    if store.row_writes is not None:
        _refuse_units_without_transactions(current, compilation, is_rollback=is_rollback)
    for name in current.kept:
        table = compilation.tables.get(name)
        if table is None:
            continue
        declared = current.tables.get(name)
        stored = current.kept_as_declared(name)
        reason = reason_against(stored, None if is_rollback else declared, table, store.keeps_alike)
        if reason is not None:
            kind = "view" if stored.view is not None else "table"
            raise CompilationRefused(f"not deployed: the {kind} {name} holds data: {reason}")

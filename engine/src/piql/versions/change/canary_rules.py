"""What two versions cannot share while one of them is tried beside the other: pure, from the two compiled sets.

tables     a row that one version writes is read by the other, so the new version asks no more of rows than the old one
queries    a caller does not know which version answers, so both take the same parameters and give the same columns
views      a view that is in force is kept up by the writes of both, so the new version has it, too
units      without transactions a unit keeps no view and looks for no rows that name others: the new version adds none

A version that asks less of rows is tried as well: until it is promoted, writers enforce what the old one asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical.operators import LocalProjection, LocalStop
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import CompilationRefused
from piql.runtime.deployment import Deployment
from piql.schema.table_changes import AddedConstraints, added_constraints
from piql.versions.change.composition import reason_beside

_UNLIMITED = 2**63


def refuse_untriable(current: Deployment, compilation: Compilation, *, by_steps: bool = False) -> None:
    """Raise CompilationRefused for a set that cannot be tried beside the version in force; it names the first reason.

    Such a set may still be deployed at once. With `by_steps` the store has no transactions.
    """
    if current.version == 0:
        raise CompilationRefused("not tried: nothing is in force yet, so there is nothing to try it beside: deploy it")
    of_units = _of_units(current, compilation) if by_steps else ()
    for reason in (*_of_tables(current, compilation), *_of_queries(current.compilation, compilation), *of_units):
        raise CompilationRefused(f"not tried beside version {current.version}: {reason}; deploy it at once instead")


def _of_tables(current: Deployment, compilation: Compilation) -> Iterator[str]:
    for name, table in current.tables.items():
        desired = compilation.tables.get(name)
        if desired is None:
            yield f"the view {name} would be removed, which version {current.version} reads"
        elif table.view is None:
            for added in _in_words(added_constraints(table, desired)):
                yield f"{name} would get {added}, which also the writes of version {current.version} would have to keep"


def _of_units(current: Deployment, compilation: Compilation) -> Iterator[str]:
    for unit in current.compilation.queries.values():
        reason = reason_beside(unit, compilation)
        if reason is not None:
            yield f"its unit {unit.name} {reason}, and this store has no transactions"


def _in_words(added: AddedConstraints) -> Iterator[str]:
    for limit in added.limits:
        yield f"a tighter {limit.declaration}"
    for key in added.unique:
        yield f"UNIQUE ({', '.join(key.columns)})"
    for reference in added.references:
        yield f"FOREIGN KEY ({', '.join(reference.columns)})"
    for column in added.columns:
        yield f"a stricter column {column.name} {column.type}{'' if column.nullable else ' NOT NULL'}"
    for check in added.checks:
        yield check.declaration


def _of_queries(before: Compilation, after: Compilation) -> Iterator[str]:
    for name, query in before.queries.items():
        new_query = after.queries.get(name)
        if new_query is None:
            continue  # it is executed in the version in force
        if (query.kind == "select") != (new_query.kind == "select"):
            yield f"{name} would be {'a write' if query.kind == 'select' else 'a SELECT'} in one of the two alone"
        yield from _of_parameters(query, new_query)
        yield from _of_columns(query, new_query)
        if _is_paged(query) != _is_paged(new_query):
            yield f"{name} would have pages in one of the two alone"


def _of_parameters(query: CompiledQuery, new_query: CompiledQuery) -> Iterator[str]:
    before = {parameter.name: parameter for parameter in query.parameters}
    after = {parameter.name: parameter for parameter in new_query.parameters}
    for name in sorted(before.keys() ^ after.keys()):
        yield f"{query.name} takes [{name}] in one of the two alone"
    for name in before.keys() & after.keys():
        parameter, new_parameter = before[name], after[name]
        if str(parameter.type) != str(new_parameter.type):
            yield f"[{name}] of {query.name} would be {new_parameter.type}, and is {parameter.type}"
        if (parameter.max_items is None) != (new_parameter.max_items is None):
            yield f"[{name}] of {query.name} is a list in one of the two alone"
        if _most(new_parameter.max_items) < _most(parameter.max_items) or _most(new_parameter.max_value) < _most(
            parameter.max_value
        ):
            yield f"[{name}] of {query.name} would take less than it does"


def _most(limit: int | None) -> int:
    return _UNLIMITED if limit is None else limit


def _of_columns(query: CompiledQuery, new_query: CompiledQuery) -> Iterator[str]:
    columns = _columns(new_query)
    for name, column_type in _columns(query).items():
        if name not in columns:
            yield f"the rows of {query.name} would have no {name}"
        elif columns[name] != column_type:
            yield f"{name} of {query.name} would be {columns[name]}, and is {column_type}"


def _columns(query: CompiledQuery) -> Mapping[str, str]:
    """Return the types of the columns of a query's rows, or of a write's RETURNING, by their names."""
    plan = query.plan
    if plan is None:
        return {}
    if isinstance(plan, WritePlan | UnitPlan | LocalProjection):
        outputs = plan.outputs if isinstance(plan, LocalProjection) else plan.returning
        return {output.name: str(getattr(output.expression, "type", None)) for output in outputs}
    return {
        field.name if isinstance(field, ColumnRef) else str(field): str(getattr(field, "type", None))
        for field in plan.fields
    }


def _is_paged(query: CompiledQuery) -> bool:
    plan = query.plan
    return (
        plan is not None
        and not isinstance(plan, WritePlan | UnitPlan)
        and any(stop.is_page for stop in plan.find(LocalStop))
    )

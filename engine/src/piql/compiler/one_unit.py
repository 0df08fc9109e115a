"""The compiled statements of a unit → the unit: one plan, one bound, and all that was found in any of them.

    BoundQuery, CompiledQuery    of each statement, as if it stood alone
              └───────▶ CompiledQuery    of the unit

A unit of which one statement is refused is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import get_args

from piql.compiler.binding.binder import BoundQuery
from piql.compiler.bounds.bound import Bound
from piql.compiler.bounds.expensive import expensive_write
from piql.compiler.bounds.units import bound_of_unit
from piql.compiler.logical.operators import LogicalNode, LogicalWrite, Unit
from piql.compiler.physical.unit_by_steps import tables_held
from piql.compiler.physical.unit_plan import QueryPlan, UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery, ScalingClass
from piql.schema.catalog import Catalog, Table
from piql.schema.thresholds import Thresholds
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.source import Span
from piql.trees.caches import Cached

_units: Cached[CompiledQuery] = Cached(512)
"""By the compiled statements: the unit."""


def with_units(
    bound: Sequence[BoundQuery], compiled: Sequence[CompiledQuery], catalog: Catalog
) -> tuple[CompiledQuery, ...]:
    """Return compiled queries, the statements of each unit as one."""
    queries: list[CompiledQuery] = []
    pairs = zip(bound, compiled, strict=True)
    for span, group in groupby(pairs, key=lambda pair: id(pair[0].unit.span) if pair[0].unit is not None else None):
        pairs_of_group = list(group)
        if span is None:
            queries += [query for _, query in pairs_of_group]
        else:
            queries.append(_unit_once([query for query, _ in pairs_of_group], pairs_of_group, catalog))
    return tuple(queries)


def _unit_once(
    bound: Sequence[BoundQuery], pairs: Iterable[tuple[BoundQuery, CompiledQuery]], catalog: Catalog
) -> CompiledQuery:
    statements = tuple(query for _, query in pairs)
    tables = _tables_of(statements, catalog.tables)
    keys = (*bound, *statements, *tables.values(), catalog.thresholds)
    return _units.recall(keys, lambda: _unit(bound, statements, tables, catalog.thresholds))


def _tables_of(statements: Iterable[CompiledQuery], tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables that statements hold rows of without transactions: nothing else of a schema bounds a unit."""
    plans = [query.plan for query in statements if query.plan is not None and not isinstance(query.plan, UnitPlan)]
    return {name: tables[name] for name in sorted(tables_held(plans)) if name in tables}


def _unit(
    bound: Sequence[BoundQuery],
    statements: tuple[CompiledQuery, ...],
    tables: Mapping[str, Table],
    thresholds: Thresholds,
) -> CompiledQuery:
    place = bound[0].unit
    assert place is not None
    first = statements[0]
    diagnostics = tuple(finding for query in statements for finding in query.diagnostics)
    bounds = [_of_unit(query.bound, query.plan) for query in statements if query.bound is not None]
    plans = [query.plan for query in statements if query.plan is not None and not isinstance(query.plan, UnitPlan)]
    unit = CompiledQuery(
        first.name,
        "unit",
        place.span.text,
        place.span,
        first.name_span,
        first.parameters,
        _logical((query.bound_plan for query in statements), place.span),
        tuple(step for query in statements for step in query.steps),
        _logical((query.logical for query in statements), place.span),
        scaling_class=_worst(statements),
        unbounded=tuple(
            replace(segment, path=(number, *segment.path))
            for number, query in enumerate(statements)
            for segment in query.unbounded
        ),
        diagnostics=diagnostics,
        statements=statements if place.count else (),  # a unit without any has one in the place of it
    )
    if len(plans) < len(statements) or len(bounds) < len(statements) or _has_errors(diagnostics):
        return unit
    proved = bound_of_unit(bounds, plans, tables)
    dear = expensive_write(proved, thresholds, first.name, first.name_span)
    return replace(
        unit,
        plan=UnitPlan(statements=tuple(plans), span=place.span),
        bound=proved,
        indexes=tuple(dict.fromkeys(index for query in statements for index in query.indexes)),
        diagnostics=diagnostics if dear is None else (*diagnostics, dear),
    )


def _of_unit(bound: Bound, plan: QueryPlan | None) -> Bound:
    """Return the bound of a statement, without the row of a LET: the caller does not get it."""
    return bound if isinstance(plan, WritePlan) else replace(bound, rows=0, rows_formula="0")


def _has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def _logical(plans: Iterable[LogicalNode | LogicalWrite | Unit | None], span: Span) -> Unit | None:
    """Return the plan of the unit; None where a statement has none."""
    statements: list[LogicalWrite | LogicalNode] = []
    for plan in plans:
        if plan is None or isinstance(plan, Unit):
            return None
        statements.append(plan)
    return Unit(statements=tuple(statements), span=span)


def _worst(statements: Sequence[CompiledQuery]) -> ScalingClass | None:
    """Return the scaling class that grows fastest; None where none is known."""
    classes = [query.scaling_class for query in statements if query.scaling_class is not None]
    return max(classes, key=get_args(ScalingClass).index, default=None)

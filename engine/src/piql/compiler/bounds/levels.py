"""Refuses a recursive query whose levels could hold more than can be counted: with 100 matches a row, after 8 levels.

Enters: a plan and its bound. Leaves: a diagnostic with the most levels that can be counted, or None.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from piql.compiler.bounds.bound import MOST, Bound
from piql.compiler.bounds.queries import bound_of
from piql.compiler.physical.operators import PhysicalNode, RecursiveUnion, map_inputs, operators
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report


def uncountable(plan: PhysicalNode, bound: Bound, query: str | None) -> Diagnostic | None:
    """Return the error of a recursive query whose bound is beyond MOST; None for any other plan."""
    union = next((node for node in operators(plan) if isinstance(node, RecursiveUnion)), None)
    if union is None or union.span is None or _is_countable(bound):
        return None
    all_levels = range(1, union.levels)
    levels = bisect_left(all_levels, True, key=lambda levels: not _is_countable(bound_of(_with(plan, union, levels))))
    span = union.levels_span or union.span
    fixes: tuple[Fix, ...] = ()
    if levels:
        edit = Edit(span.file, span.start, span.end, str(levels))
        fixes = (Fix(f"Read at most {levels} levels", (edit,), consequence="rows of further levels are left out"),)
    return report(
        "too-many",
        f"{union.levels} levels of {union.name} could need more than {MOST:,} requests, rows or bytes",
        span,
        help="write fewer levels, or a smaller limit on what a row of one level finds",
        fixes=fixes,
        query=query,
    )


def _is_countable(bound: Bound) -> bool:
    rows = max(operator.rows for operator in bound.by_operator)  # also of those that a LIMIT above stops
    return max(bound.operations, rows, bound.rows_fetched, bound.bytes) <= MOST


def _with(plan: PhysicalNode, union: RecursiveUnion, levels: int) -> PhysicalNode:
    """Return the plan with another number of levels of one recursive union."""
    if plan is union:
        return replace(union, levels=levels)
    return map_inputs(plan, lambda below: _with(below, union, levels))

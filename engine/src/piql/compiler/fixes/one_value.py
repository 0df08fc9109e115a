"""Fixes of a subquery that may give several rows where one value belongs.

    a = (SELECT …)   →   a IN (SELECT …)            compare with all of them
                     →   a = (SELECT … LIMIT 1)     take the first
                     →   UNIQUE (…) in the table    declare that there is only one

Enters: the plan of a refused query after Phase I. Leaves: fixes for each such subquery, still to be tried
(`working_fixes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from piql.compiler.fixes.edits import edits_of
from piql.compiler.fixes.remedy import Change, LimitLine, Remedy
from piql.compiler.logical.expressions import Comparison, Expression, ScalarSubquery
from piql.compiler.logical.operators import LogicalNode, Projection, Relation, Sort, Stop
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.optimizer.analysis.subqueries import outer_relations
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.source import Span


def give_one_value(plan: LogicalNode, files: Sequence[ast.ParsedFile]) -> dict[tuple[int, int], tuple[Fix, ...]]:
    """Return the fixes to try for each scalar subquery left in a plan, by the start and end of its span."""
    compared = {id(comparison.right): comparison for comparison in plan.find(Comparison) if comparison.operator == "="}
    fixes_by_span: dict[tuple[int, int], tuple[Fix, ...]] = {}
    for node in plan.find(ScalarSubquery):
        if node.span is not None:
            equality = compared.get(id(node))
            fixes = (*_compare_with_all(equality, node.span), *_take_the_first(node, node.span), *_declare(node, files))
            fixes_by_span[node.span.start, node.span.end] = fixes
    return fixes_by_span


def _compare_with_all(equality: Comparison | None, span: Span) -> Iterator[Fix]:
    """`a = (SELECT …)` → `a IN (SELECT …)`."""
    left = equality.left.span if equality is not None else None
    if left is None:
        return
    between = span.source.text[left.end : span.start]
    if between.strip() == "=":
        at = left.end + between.index("=")
        consequence = "the test holds where any row of the subquery has the value"
        yield Fix("Compare with all of them by IN", (Edit(span.file, at, at + 1, "IN"),), consequence=consequence)


def _take_the_first(node: ScalarSubquery, span: Span) -> Iterator[Fix]:
    """`(SELECT …)` → `(SELECT … LIMIT 1)`."""
    query = node.query
    if not isinstance(query, Stop):
        edit = Edit(span.file, span.end - 1, span.end - 1, " LIMIT 1")
    elif query.count.max_span is not None and query.count.parameter is None:
        number_span = query.count.max_span
        edit = Edit(span.file, number_span.start, number_span.end, "1")
    else:
        return
    consequence = "the value is taken from the first row in the order of the subquery; the others are ignored"
    yield Fix("Take the first one by LIMIT 1", (edit,), consequence=consequence)


def _declare(node: ScalarSubquery, files: Sequence[ast.ParsedFile]) -> Iterator[Fix]:
    """Declare UNIQUE the columns that the subquery fixes by equality."""
    query = node.query.input if isinstance(node.query, Stop) else node.query
    if not isinstance(query, Projection):
        return
    below = query.input.input if isinstance(query.input, Sort) else query.input
    if not is_region(below):
        return
    region = read_region(below)
    relation = region.legs[0].relation
    if len(region.legs) > 1 or not isinstance(relation, Relation):
        return
    tests: tuple[Expression, ...] = (*region.legs[0].filters, *region.conditions)
    restrictions = restrictions_on(relation.alias, tests, outer_relations(query))
    columns = tuple(name for name, fixed in restrictions.equal.items() if not fixed.is_null)
    if columns:
        line = LimitLine(relation.table.name, f"UNIQUE ({', '.join(columns)})")
        consequence = f"writes of a second row with the same {' and '.join(columns)} are refused"
        remedy = Remedy(f"Add {line.text} to {line.table}", consequence, Change.WRITES, line)
        edits = edits_of([remedy], files)
        if edits is not None:
            yield Fix(remedy.title, edits, consequence=consequence)

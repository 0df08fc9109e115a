"""Rule: two relations of an inner join that must be the same row are read once."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import Join, LogicalNode, Relation, inputs
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import ColumnKey, replace_columns
from piql.compiler.optimizer.analysis.region import Region, map_regions, read_region, write_region
from piql.compiler.optimizer.analysis.same_row import remaining_test, renamed_columns, shares_key
from piql.compiler.optimizer.rule import RuleContext
from piql.trees.node import kinds_of


def merge_same_rows(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Read a row once where two relations of one table are equal in a key of it.

        Join s.id = t.id                        Selection t.owner = [me] AND t.kind = 1
          Selection t.owner = [me]        →       Relation t
            Relation t
          Selection s.kind = 1
            Relation s

    Few people write such a join, but a subquery becomes one: of `t.id = (SELECT x.id … WHERE x.code = t.code)` there is
    one row if `code` is UNIQUE, and it must be `t`. Without UNIQUE it is a first match, which `merge_first_match`
    merges. Left joins keep rows without a match, and are left alone. Needs the left joins that
    `turn_left_join_inner` has turned.
    """
    if Join not in kinds_of(plan) or not _reads_a_table_twice(plan):
        return plan
    renamed: dict[ColumnKey, Expression] = {}

    def merge(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        pair = _same_row(region)
        if pair is None:
            return node
        row, copy = pair
        columns = row.columns(column.name for column in row.table.columns)
        row_columns: dict[ColumnKey, Expression] = {(copy.alias, column.name): column for column in columns}
        for key, column in renamed.items():
            renamed[key] = replace_columns(column, row_columns)
        renamed.update(row_columns)
        context.note(f"{copy.alias} is the same row as {row.alias}")
        return merge(write_region(_merged(region, row, copy, row_columns, columns)))

    merged = map_regions(plan, merge)
    return renamed_columns(merged, renamed) if renamed else plan


def _reads_a_table_twice(plan: LogicalNode) -> bool:
    names: set[str] = set()
    waiting = [plan]
    for node in waiting:
        if isinstance(node, Relation):
            if node.table.name in names:
                return True
            names.add(node.table.name)
        else:
            waiting += inputs(node)
    return False


def _same_row(region: Region) -> tuple[Relation, Relation] | None:
    """Return two relations that must be the same row, in their order; None where there are none."""
    inner = [leg for leg in region.legs if leg.kind == "inner" and not leg.first]
    relations = [leg.relation for leg in inner if leg.relation is not None]
    equal: Equalities | None = None
    for row, copy in combinations(relations, 2):
        if row.table == copy.table:
            if equal is None:
                equal = Equalities((*region.conditions, *(predicate for leg in inner for predicate in leg.filters)))
            if shares_key(row, copy, equal):
                return row, copy
    return None


def _merged(
    region: Region,
    row: Relation,
    copy: Relation,
    row_columns: Mapping[ColumnKey, Expression],
    columns: tuple[ColumnRef, ...],
) -> Region:
    """Return a region without `copy`, whose tests are now those of `row`; `columns` are all columns of `row`."""

    def renamed(tests: tuple[Expression, ...]) -> tuple[Expression, ...]:
        changed = (
            test if (after := replace_columns(test, row_columns)) == test else remaining_test(after, columns)
            for test in tests
        )
        return tuple(dict.fromkeys(test for test in changed if test is not None))

    filters = next(leg.filters for leg in region.legs if leg.relation is copy)
    legs = tuple(
        leg._replace(
            filters=renamed((*leg.filters, *filters)) if leg.relation is row else leg.filters, on=renamed(leg.on)
        )
        for leg in region.legs
        if leg.relation is not copy
    )
    return region._replace(legs=legs, conditions=renamed(region.conditions), above=renamed(region.above))

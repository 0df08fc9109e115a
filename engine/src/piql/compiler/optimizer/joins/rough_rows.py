"""How many rows a derived table has, roughly: only orders of joins are compared by it, and no bound holds it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from piql.compiler.logical.expressions import Expression
from piql.compiler.logical.operators import (
    Cases,
    DataStop,
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Projection,
    RecursiveUnion,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    Stop,
    Union,
    WorkTable,
)
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.region import is_region, read_region
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.optimizer.joins.joining import Joining
from piql.compiler.optimizer.joins.key_values import KeyValues

_UNKNOWN = 100  # the planner will bound it, or say why not


def rough_rows(node: LogicalNode) -> int:
    """A rough upper count of a derived table's rows, only to compare join orders by."""
    match node:
        case Stop():
            return node.count.max
        case GroupBy(keys=()):
            return 1
        case GroupBy(keys=keys):
            return min(rough_rows(node.input), _values(keys, node.input))
        case Distinct(input=Projection(outputs=outputs, input=below)):
            return min(rough_rows(below), _values((output.expression for output in outputs), below))
        case Union() | Cases():
            return sum(rough_rows(source) for source in node.inputs)
        case Derived() | Distinct() | Projection() | Sort():
            return rough_rows(node.input)
        case Selection() | DataStop() | Join() | Relation():
            return _rows_of_one_relation(node)
        case SemiJoin() | RecursiveUnion() | WorkTable():
            return _UNKNOWN
        case _:
            assert_never(node)


def _rows_of_one_relation(node: LogicalNode) -> int:
    """Return the rows that keys and limits allow a join part of a single relation."""
    region = read_region(node) if is_region(node) else None
    relation = region.legs[0].relation if region is not None and len(region.legs) == 1 else None
    if region is None or relation is None:
        return _UNKNOWN
    facts = facts_about(relation.table, restrictions_on(relation.alias, region.legs[0].filters, frozenset()))
    return facts[0].rows if facts else _UNKNOWN


def _values(expressions: Iterable[Expression], rows: LogicalNode) -> int:
    """Return how many different combinations of values expressions have in the rows of a join part."""
    if not is_region(rows):
        return _UNKNOWN
    region = read_region(rows)
    relations = frozenset[str]().union(*(leg.relations for leg in region.legs))
    return KeyValues(region.legs, Joining(region)).of(tuple(expressions), relations)

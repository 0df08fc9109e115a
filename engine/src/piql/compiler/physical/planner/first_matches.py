"""Plans a join of which only the first match of each row counts: for each row the first entry of an index is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piql.compiler.logical.expressions import conjuncts
from piql.compiler.logical.operators import Count, Join, LogicalNode
from piql.compiler.optimizer.analysis.region import aliases_below
from piql.compiler.optimizer.analysis.restrictions import restrictions_on
from piql.compiler.physical.planner.access import best_access
from piql.compiler.physical.planner.joins import depends_on, join_remotely, plan_left
from piql.compiler.physical.planner.legs import read_leg
from piql.compiler.physical.planner.part import WORST, Part, Want
from piql.compiler.physical.planner.reading import Demand, Reading
from piql.compiler.physical.planner.scans import own_keys
from piql.compiler.physical.planner.unbounded import gap_of

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner


def plan_first_match(
    planner: Planner, node: Join, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]
) -> Part:
    """Plan a join that reads one entry for each row of the left; a gap where no index has all tests and the order."""
    left = plan_left(planner, node, want, path, under)
    available = aliases_below(node.left)
    conditions = conjuncts(node.condition) if node.condition is not None else ()
    relation, filters, at = read_leg(node.right, (*path, 1))
    restrictions = restrictions_on(relation.alias, (*conditions, *filters), available)
    reading = Reading(
        relation.table,
        restrictions,
        (),  # a fact limits the matches, but does not say which is the first
        Demand(own_keys(node.first, relation.alias, available), Count(max=1)),
        planner.uses.get(relation.alias, {}),
        planner.indexes.get(relation.table.name, ()),
        must_cover=node.kind == "left" or want.must_cover,
        is_frozen=planner.is_frozen,
        is_exact=True,
    )
    access = best_access(reading)
    if access is None or access.reads > 1 or not depends_on(access.prefix, available):
        planner.miss(lambda: gap_of(relation, at, (node, *under), reading, is_joined=True, has_equality=True))
        return left._replace(rows=WORST)
    part = join_remotely(node, relation, access, restrictions, Want(must_cover=want.must_cover), left)
    return part._replace(keys=left.keys)

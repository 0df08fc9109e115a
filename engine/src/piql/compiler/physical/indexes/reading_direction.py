"""Which tables and indexes a set of queries reads from their end: a store may then keep them the other way round.

    thoughts (owner, posted)    ORDER BY posted DESC LIMIT 10        kept with the newest first
    item_by_title               ORDER BY i_title LIMIT 50            kept as it is named

What counts are reads that stop early. One that takes all there is in its range, at most a limit's number, costs about
the same in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from piql.compiler.physical.operators import IndexScan, SortedIndexJoin
from piql.compiler.physical.unit_plan import QueryPlan
from piql.schema.catalog import Index


def reading_directions(plans: Iterable[QueryPlan | None]) -> Mapping[Index, frozenset[bool]]:
    """Return which ways the reads that stop early walk each index (a table is its primary one): True is forwards."""
    directions: dict[Index, frozenset[bool]] = {}
    for plan in plans:
        if plan is None:
            continue
        reads: list[IndexScan | SortedIndexJoin] = [*plan.find(IndexScan), *plan.find(SortedIndexJoin)]
        for read in reads:
            if read.limit.count is not None:
                directions[read.index] = directions.get(read.index, frozenset()) | {read.is_ascending}
    return directions


def read_from_their_end(plans: Iterable[QueryPlan | None]) -> frozenset[Index]:
    """Return the indexes that every read which stops early walks backwards."""
    return frozenset(index for index, ways in reading_directions(plans).items() if ways == {False})

"""Plans one join: by the key of the joined table, by a sorted range of it, or in memory when both sides are bounded.

IndexFKJoin        a get for each row of the left, where the join fixes a whole key
SortedIndexJoin    a range of an index for each row of the left
LocalJoin          both sides are read, each once, and joined in memory
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from piql.compiler.logical.expressions import ColumnRef, Expression, InList, Or, columns_in, conjuncts
from piql.compiler.logical.operators import Count, Join, LogicalNode, Relation, Selection, Sort, SortKey, Stop
from piql.compiler.optimizer.analysis.comparisons import compared_column, compared_columns, moved_to_relation
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.facts import facts_about
from piql.compiler.optimizer.analysis.predicates import ColumnKey, conjunction, equated_columns, key_of, relations_of
from piql.compiler.optimizer.analysis.region import aliases_below, read_region
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.physical.operators import IndexFKJoin, KeyPart, LocalJoin, PassingRows, SortedIndexJoin
from piql.compiler.physical.planner.access import best_accesses
from piql.compiler.physical.planner.access_by_index import rows_of_best_fact
from piql.compiler.physical.planner.legs import is_leg, read_leg
from piql.compiler.physical.planner.part import (
    WORST,
    Part,
    Pending,
    Want,
    depth_of,
    fetched,
    selected,
    sorted_by,
    total_order,
    with_columns,
)
from piql.compiler.physical.planner.reading import Access, Demand, Reading
from piql.compiler.physical.planner.scans import (
    cheaper,
    columns_of_one_value,
    has_many,
    natural_order,
    own_keys,
    plan_leg,
    tests_with_values,
)
from piql.compiler.physical.planner.unbounded import Gap, gap_of

if TYPE_CHECKING:
    from piql.compiler.physical.planner.planner import Planner
    from piql.schema.catalog import Table


def plan_join(planner: Planner, node: Join, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
    """Plan a join after its left side, which must be bounded on its own.

    Where the right side is one relation that the left fixes, it is read for each row of the left, or once if that is
    cheaper. Where it is bounded without the left, it is read once. Otherwise the join is a gap.
    """
    below = (node, *under)
    available = aliases_below(node.left)
    left = plan_left(planner, node, want, path, under)
    at = (*path, 1)
    conditions = conjuncts(node.condition) if node.condition is not None else ()
    if not is_leg(node.right):
        return _join_in_memory(node, conditions, left, planner.plan(node.right, Want(), at, below))
    relation, filters, leg_path = read_leg(node.right, at)
    table, alias = relation.table, relation.alias
    restrictions = restrictions_on(alias, (*conditions, *filters), available)
    reading = Reading(
        table,
        restrictions,
        facts_about(table, restrictions),
        Demand(own_keys(want.keys, alias, available), _count_for(node, want)),
        planner.uses.get(alias, {}),
        planner.indexes.get(table.name, ()),
        must_cover=node.kind == "left" or want.must_cover,
        is_frozen=planner.is_frozen,
    )
    accesses = best_accesses(reading, is_page=want.is_page)
    access = accesses[0] if accesses else None
    has_equality = any(
        relations_of(value) & available for equality in restrictions.equal.values() for value in equality.values
    )
    if access is not None and depends_on(access.prefix, available):
        remote = join_remotely(node, relation, access, restrictions, want, left)
        for rival in accesses[1:]:
            if depends_on(rival.prefix, available):
                remote = cheaper(planner, remote, join_remotely(node, relation, rival, restrictions, want, left))
        for beside in _with_or_without(planner, access):
            alone = read_alone(beside, node, conditions, left, (at, below))
            if alone is not None:
                joined = _join_in_memory(node, conditions, left, alone, rows_of_best_fact(reading))
                remote = cheaper(planner, remote, joined)
        return remote
    gaps = len(planner.gaps)
    with planner.attempt():
        right = plan_leg(planner, node.right, Want(), at, below)
    if len(planner.gaps) == gaps:
        joined = _join_in_memory(node, conditions, left, right, rows_of_best_fact(reading))
        if access is None or not access.prefix or left.rows >= WORST:
            return joined
        return cheaper(planner, joined, join_remotely(node, relation, access, restrictions, want, left))
    del planner.gaps[gaps:]
    if access is not None and access.prefix and left.rows < WORST:  # the same section for each row of the left
        return join_remotely(node, relation, access, restrictions, want, left)

    def describe() -> Gap:
        gap = gap_of(relation, leg_path, below, reading, is_joined=True, has_equality=has_equality)
        return replace(gap, is_product=not has_equality or left.rows >= WORST)

    planner.miss(describe)
    return left._replace(rows=WORST)


def _with_or_without(planner: Planner, access: Access) -> Iterator[Planner]:
    """Yield a planner, and one that has the index that an access would be made with: another read may use it, too."""
    yield planner
    if access.is_new:
        table = access.index.table
        indexes = {**planner.indexes, table: (*planner.indexes.get(table, ()), access.index)}
        yield replace(planner, indexes=indexes, sections={})


def read_alone(
    planner: Planner,
    node: Join,
    conditions: Sequence[Expression],
    left: Part,
    position: tuple[tuple[int, ...], tuple[LogicalNode, ...]],
) -> Part | None:
    """Plan the right relation of a join to be read once, by values that all rows of the left have in common.

    None where these values do not bound it. `position` is the path to it, and the operators above it.
    """
    path, under = position
    if left.rows >= WORST:
        return None
    right = node.right
    relation, filters, _ = read_leg(right, path)
    read = {key_of(column) for condition in conditions for column in columns_in(condition)}
    moved_tests = _tests_of_matches(node, conditions, relation.alias)
    if not filters and not moved_tests and read.isdisjoint(left.fixed) and not is_limited_as_a_whole(relation.table):
        return None
    fixed_tests = (*tests_with_values(conditions, left.fixed, frozenset((relation.alias,))), *moved_tests)
    tests_alone = (*fixed_tests, *filters)
    is_bounded = bool(facts_about(relation.table, restrictions_on(relation.alias, tests_alone, frozenset())))
    if not is_bounded and not any(isinstance(test, Or) for test in tests_alone):  # each branch may name a key
        return None
    tests = conjunction(fixed_tests)
    section = right if tests is None else Selection(predicate=tests, input=right, span=right.span)
    gaps = len(planner.gaps)
    with planner.attempt():
        part = plan_leg(planner, section, Want(), path, under)
    if len(planner.gaps) > gaps:
        del planner.gaps[gaps:]
        return None
    return part


def _tests_of_matches(node: Join, conditions: Sequence[Expression], alias: str) -> tuple[Expression, ...]:
    """Return the tests of several values that each match of a row has passed already, on columns equal to the left's.

    `drop_implied_predicates` left them out, since a match by the key of the left need not repeat them.
    """
    passed = tuple(_tests_passed(node.left))
    several = [(predicate, columns) for predicate in passed if (columns := _columns_of_several_values(predicate))]
    if not several:
        return ()
    classes = Equalities((*conditions, *passed))
    moved = (moved_to_relation(predicate, columns, alias, classes) for predicate, columns in several)
    return tuple(predicate for predicate in moved if predicate is not None)


def _tests_passed(node: LogicalNode) -> Iterator[Expression]:
    """Yield the conditions that all rows of a section have passed; a stop lets no other rows through."""
    region = read_region(node)
    yield from region.conditions
    for leg in region.legs:
        if leg.kind != "inner":
            continue
        yield from leg.filters
        below = leg.input
        while isinstance(below, Stop | Sort):
            below = below.input
        if below is not leg.input:
            yield from _tests_passed(below)


def _columns_of_several_values(predicate: Expression) -> tuple[ColumnRef, ...]:
    """Return the columns that an IN or an OR compares with values; none of another test."""
    if isinstance(predicate, Or):
        return compared_columns(predicate)
    column = compared_column(predicate) if isinstance(predicate, InList) else None
    return () if column is None else (column,)


def is_limited_as_a_whole(table: Table) -> bool:
    """Whether all rows of a table may be read at once."""
    return any(not limit.columns for limit in table.limits)


def plan_left(planner: Planner, node: Join, want: Want, path: tuple[int, ...], under: tuple[LogicalNode, ...]) -> Part:
    """Plan the left side of a join, in the order asked where it is an order of the left."""
    is_on_left = all(relations_of(key.expression) <= aliases_below(node.left) for key in want.keys)
    left_want = Want(want.keys if is_on_left else (), None, want.is_page and is_on_left, want.must_cover)
    left = planner.plan(node.left, left_want, (*path, 0), (node, *under))
    if want.is_page and not want.keys:
        left = sorted_by(left, total_order(left.order, left))
    return left


def _count_for(node: Join, want: Want) -> Count | None:
    """Return the stop that may limit each list of a join: not that of a page over a left join.

    A left row whose matches end at the end of a page would have none left on the next page, and be padded with NULLs.
    """
    return None if want.is_page and node.kind == "left" else want.count


def depends_on(prefix: tuple[KeyPart, ...], available: frozenset[str]) -> bool:
    """Whether a read takes key values from the rows of these relations."""
    return any(relations_of(value) & available for part in prefix for value in part.values)


def join_remotely(
    node: Join, relation: Relation, access: Access, restrictions: Restrictions, want: Want, left: Part
) -> Part:
    """Read the matches of each left row by `access`: a get where a key is fixed, else a range.

    Of an inner join the tests that the index does not apply are a selection above it; of a left join they are its
    condition, since a row whose matches all fail them is kept.
    """
    values = [value for part in access.prefix for value in part.values]
    if access.range is not None:
        values += [end for end in (access.range.low, access.range.high) if end is not None]
    left = with_columns(left, (*values, *access.residual) if node.kind == "left" else values)
    fixed = left.fixed
    if node.kind != "left":
        fixed = {**fixed, **columns_of_one_value(relation.alias, restrictions, fixed)}
    pending = (Pending(relation.table, relation.alias, access.index),) if access.needs_dereference else ()
    if _is_get(access):
        return _get_matches(node, relation, access, left._replace(fixed=fixed), pending)
    left = fetched(left)
    determined = {name for name, equality in restrictions.equal.items() if equality.count == 1}
    key = [name for name in relation.table.primary_key if node.kind == "left" or name not in determined]
    rows = left._replace(keys=(*left.keys, *relation.columns(key)), fixed=fixed)
    return _read_matches(node, relation, access, want, rows, pending)


def _is_get(access: Access) -> bool:
    """Whether each left row has one match by a whole key. LIMIT 0 may be asked for, which a get cannot apply."""
    count = access.limit.count
    may_be_none = count is not None and (count.parameter is not None or count.max == 0)
    return access.is_one_row and access.index.is_unique and access.range is None and not may_be_none


def _get_matches(node: Join, relation: Relation, access: Access, left: Part, pending: tuple[Pending, ...]) -> Part:
    is_outer = node.kind == "left"
    join = IndexFKJoin(
        child=left.plan,
        table=relation.table,
        alias=relation.alias,
        index=access.index,
        prefix=access.prefix,
        kind=node.kind,
        condition=conjunction(access.residual) if is_outer else None,
        span=node.span,
    )
    part = left.on(join)._replace(is_stopped=False, pending=(*left.pending, *pending))
    return part if is_outer else selected(part, access.residual, conjunction(access.residual))


def _read_matches(
    node: Join, relation: Relation, access: Access, want: Want, left: Part, pending: tuple[Pending, ...]
) -> Part:
    is_outer = node.kind == "left"
    order, is_merged = _order_of_matches(relation, access, want, left)
    sorted_join = SortedIndexJoin(
        child=left.plan,
        table=relation.table,
        alias=relation.alias,
        index=access.index,
        prefix=access.prefix,
        range=access.range,
        is_ascending=access.is_ascending,
        order=order,
        is_merged=is_merged,
        is_resumable=want.is_page and access.limit.count is not None,
        limit=access.limit,
        kind=node.kind,
        condition=conjunction(access.residual) if is_outer else None,
        passing=access.passing if is_outer else None,
        span=node.span,
    )
    part = left.on(sorted_join)._replace(rows=left.rows * access.rows, order=order, is_stopped=False, pending=pending)
    rows_passing = left.rows * access.rows_passing
    if is_outer:
        return part._replace(rows=max(rows_passing, left.rows))
    part = with_columns(part, access.residual)._replace(rows=rows_passing)
    passing = access.passing
    if passing is not None:
        depth = depth_of(left.plan, part.plan)
        passing = replace(passing, depth=depth, rows=rows_passing) if depth else None
    return selected(part, access.residual, conjunction(access.residual), passing)


def _order_of_matches(relation: Relation, access: Access, want: Want, left: Part) -> tuple[tuple[SortKey, ...], bool]:
    """Return the order of all matches together, and whether the reads are merged into it."""
    is_many = access.reads > 1 or any(has_many(part) for part in access.prefix)
    natural = natural_order(relation, access)
    if want.keys and access.serves_order:
        return want.keys, True
    if (left.order or left.rows <= 1) and not is_many:
        return (*left.order, *natural), False
    if is_many and want.is_page and not want.keys and access.limit.count is not None:
        return total_order((*left.order, *natural), left), True  # what a read leaves for the next page is last
    return (), False


def _tells_apart(equated: list[tuple[ColumnRef, ColumnRef]], side: Part, relations: frozenset[str]) -> bool:
    """Whether a join equates all columns that tell the rows of one side apart with columns of the other side."""
    if not side.is_unique:
        return False
    equal = {column for pair in equated for column, partner in (pair, pair[::-1]) if partner.relation not in relations}
    keys = (key for key in side.keys if not (isinstance(key, ColumnRef) and key_of(key) in side.fixed))
    return all(key in equal for key in keys)


def _with_equal(
    fixed: Mapping[ColumnKey, Expression], conditions: Sequence[Expression]
) -> Mapping[ColumnKey, Expression]:
    """Add the columns that equal one of `fixed` by the conditions of an inner join."""
    known = dict(fixed)
    for members in Equalities(conditions).classes():
        keys = [key_of(member) for member in members]
        value = next((fixed[key] for key in keys if key in fixed), None)
        if value is not None:
            known |= {key: value for key in keys if key not in fixed}
    return known


def _join_in_memory(
    node: Join, conditions: tuple[Expression, ...], left: Part, right: Part, matches: PassingRows | None = None
) -> Part:
    """Join two bounded sections; `matches` says how many rows of the right a row of the left meets at most."""
    if left.rows >= WORST or right.rows >= WORST:
        return left._replace(rows=WORST)
    left, right = with_columns(left, conditions), with_columns(right, conditions)
    if node.kind == "left":
        right = fetched(right)
    equated = [pair for pair in map(equated_columns, conditions) if pair is not None]
    is_left_once = _tells_apart(equated, right, aliases_below(node.right))
    is_right_once = _tells_apart(equated, left, aliases_below(node.left))
    plan = LocalJoin(
        left=left.plan,
        right=right.plan,
        condition=node.condition,
        kind=node.kind,
        is_left_once=is_left_once,
        is_right_once=is_right_once,
        passing=matches,
        span=node.span,
    )
    count = left.rows * min(right.rows, right.rows if matches is None else matches.rows)
    if is_left_once:
        count = min(count, left.rows)
    if is_right_once and node.kind == "inner":
        count = min(count, right.rows)
    return Part(
        plan,
        max(count, left.rows) if node.kind == "left" else count,
        (*left.order, *right.order) if left.order and right.order else (),
        (*left.keys, *right.keys),
        left.fixed if node.kind == "left" else _with_equal({**left.fixed, **right.fixed}, conditions),
        pending=(*left.pending, *right.pending),
        is_unique=left.is_unique and right.is_unique,
    )

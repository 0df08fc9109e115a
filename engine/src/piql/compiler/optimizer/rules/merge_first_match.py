"""Rule: a row that must equal the first match of its group is read as that first match.

In this file `row` is the leg that must be the first, `match` the leg with the first match, and `row_columns` maps the
columns of the match to those of the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, InList
from piql.compiler.logical.operators import Count, Join, LogicalNode, Selection, Sort, SortKey, Stop, operators
from piql.compiler.optimizer.analysis.comparisons import compared_column
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import (
    ColumnKey,
    conjunction,
    equated_columns,
    key_of,
    relations_of,
    replace_columns,
)
from piql.compiler.optimizer.analysis.region import Leg, Region, map_regions, read_region, write_region
from piql.compiler.optimizer.analysis.same_row import remaining_test, renamed_columns, shares_key
from piql.compiler.optimizer.joins.join_search import JoinSearch
from piql.compiler.optimizer.rule import RuleContext


def merge_first_match(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Use the first match itself as the relation that it must equal, where that needs fewer requests.

        Selection t.posted = x.posted                       Join t.owner = s.target, first by t.posted DESC
          Left join x.owner = t.owner, first by x.posted …    Selection s.owner = [me]
            Join t.owner = s.target                      →      Relation s
              Selection s.owner = [me]                        Relation t
                Relation s
              Relation t
            Relation x

    Relation and match must be of one table and equal in a key of it, so that they are one row. Other tests of the
    relation are applied after the match is found, because a later row that passes them must not take its place. The
    joins are ordered anew: the legs that find the group come first, and the relation then adds at most one row to each.
    A left-joined relation qualifies if its ON holds nothing but the tests that find the match and the equal key: then
    either both are the same row, or both are missing.
    """
    if not any(isinstance(node, Join) and node.first for node in operators(plan)):
        return plan
    renamed: dict[ColumnKey, Expression] = {}

    def merge(node: LogicalNode) -> LogicalNode:
        region = read_region(node)
        for match in region.legs:
            for row in region.legs if match.first and match.kind == "left" else ():
                row_columns = _same_row(region, row, match)
                merge_kind = _merged_left if row.kind == "left" else _merged if len(region.legs) > 2 else _merged_alone
                merged = None if row_columns is None else merge_kind(region, row, match, row_columns)
                if row_columns is not None and merged is not None:
                    renamed.update(row_columns)
                    return merged
        return node

    merged = map_regions(plan, merge)
    if not renamed:
        return plan
    merged = renamed_columns(merged, renamed)
    cost, before = context.cost(merged), context.cost(plan)
    if cost is None or (before is not None and before <= cost):
        return plan
    context.note("a row that must be the first of its group is read directly as the first")
    return merged


def _same_row(region: Region, row: Leg, match: Leg) -> Mapping[ColumnKey, ColumnRef] | None:
    """Map the columns of a first match to those of a leg that must be the same row; None where it need not be."""
    relation, first = row.relation, match.relation
    if relation is None or first is None or row is match or row.first or relation.table != first.table:
        return None
    both = {relation.alias, first.alias}
    tests = region.above if row.kind == "inner" else row.on
    if not any(equated_columns(test) and relations_of(test) == both for test in tests):
        return None  # a row without a match would be kept
    equal = _equalities(region, match) if row.kind == "inner" else Equalities((*match.on, *row.on))
    if not shares_key(relation, first, equal):
        return None
    names = tuple(column.name for column in relation.table.columns)
    return {(first.alias, column.name): column for column in relation.columns(names)}


def _equalities(region: Region, match: Leg) -> Equalities:
    """Return the columns that are equal in every row of a region that has a match."""
    filters = (predicate for leg in region.legs if leg.kind == "inner" for predicate in leg.filters)
    return Equalities((*region.conditions, *filters, *region.above, *match.on, *match.filters))


def _merged(region: Region, row: Leg, match: Leg, row_columns: Mapping[ColumnKey, ColumnRef]) -> LogicalNode | None:
    """Return a region in which a leg is the first match; None where no other leg fixes its group."""
    other_legs = [_with_tests_of_row(leg, row, region) for leg in region.legs if leg is not row and leg is not match]
    tests = _tests(region, row, match, row_columns, other_legs)
    if not other_legs or tests is None:
        return None
    filters = tuple(expression for expression in tests if relations_of(expression) <= row.relations)
    on = tuple(expression for expression in tests if expression not in filters)
    leg = row._replace(filters=filters, on=on, first=_renamed_keys(match.first, row_columns))
    legs = [
        *(
            other_leg._replace(on=tuple(replace_columns(test, row_columns) for test in other_leg.on))
            for other_leg in other_legs
        ),
        leg,
    ]
    above = tuple(
        test
        for test in (
            remaining_test(replace_columns(expression, row_columns), row_columns.values())
            for expression in region.above
        )
        if test is not None
    )
    ways = JoinSearch(Region(tuple(legs), region.conditions, above), None, ()).best()
    if not ways:
        return None
    tests_of_row = (
        predicate
        for predicate in row.filters
        if predicate not in tests and not _has_equal_test(predicate, other_legs, region)
    )
    ordered = [legs[at] for at in ways[0].order]
    conditions = (*region.conditions, *tests_of_row)
    return _written_around(leg, ordered, region._replace(conditions=conditions, above=above), tests)


def _written_around(
    leg: Leg, ordered: Sequence[Leg], region: Region, match_tests: tuple[Expression, ...]
) -> LogicalNode:
    """Build the plan of legs in this order, where `leg` is joined as a first match found by `match_tests`.

    Other tests of the leg come after its join: they must not choose a later row as the first one.
    """
    position = ordered.index(leg)
    relations_before = frozenset[str]().union(*(earlier.relations for earlier in ordered[:position]))
    relations_joined = relations_before | leg.relations
    conditions = (*region.conditions, *_equal_by_others(region.conditions, relations_before))
    above = region.above
    left = write_region(
        region._replace(
            legs=tuple(ordered[:position]),
            conditions=tuple(condition for condition in conditions if relations_of(condition) <= relations_before),
            above=tuple(expression for expression in above if relations_of(expression) <= relations_before),
        )
    )
    equated_pairs = {frozenset(map(key_of, pair)) for pair in map(equated_columns, leg.on) if pair is not None}
    tests_after = (
        expression
        for expression in (*conditions, *above)
        if relations_of(expression) <= relations_joined
        and not relations_of(expression) <= relations_before
        and expression not in match_tests
        and not _equates_pair(expression, equated_pairs)
    )
    joined = Leg(_joined(left, leg), relations_joined, filters=tuple(tests_after))
    return write_region(
        region._replace(
            legs=(joined, *ordered[position + 1 :]),
            conditions=tuple(condition for condition in conditions if not relations_of(condition) <= relations_joined),
            above=tuple(expression for expression in above if not relations_of(expression) <= relations_joined),
        )
    )


def _equal_by_others(conditions: Sequence[Expression], relations: frozenset[str]) -> Iterator[Expression]:
    """Yield the equalities of columns of some relations that conditions imply only by a column of another relation.

    Each equality was written once, for the order in which the legs stood before.
    """
    within = Equalities(condition for condition in conditions if relations_of(condition) <= relations)
    for members in Equalities(conditions).classes():
        columns = [column for column in members if column.relation in relations]
        for column in columns[1:]:
            if not within.are_equal(key_of(columns[0]), key_of(column)):
                yield Comparison(operator="=", left=columns[0], right=column, span=column.span)


def _merged_alone(
    region: Region, row: Leg, match: Leg, row_columns: Mapping[ColumnKey, ColumnRef]
) -> LogicalNode | None:
    """Return the first row for each value of IN lists that fix the groups of a relation without other legs."""
    group_columns: set[ColumnKey] = set()
    for condition in match.on:
        pair = equated_columns(replace_columns(condition, row_columns))
        if pair is None or pair[0] != pair[1]:
            return None
        group_columns.add(key_of(pair[0]))
    filters = tuple(replace_columns(expression, row_columns) for expression in match.filters)
    values = tuple(expression for expression in row.filters if _fixes(expression, group_columns))
    if any(isinstance(expression, InList) for expression in filters if expression not in values):
        return None  # several reads would give a first row each
    listed = dict.fromkeys(value.operand for value in values if isinstance(value, InList))
    fixed = {key_of(column) for value in values if (column := compared_column(value)) is not None}
    if not fixed >= group_columns:
        return None
    match_tests = tuple(dict.fromkeys((*values, *filters)))
    predicate = conjunction(match_tests)
    assert predicate is not None
    keys = _renamed_keys(match.first, row_columns)
    span = match.join.span if match.join is not None else row.input.span
    below: LogicalNode = Sort(keys=keys, input=Selection(predicate=predicate, input=row.input, span=span))
    group_keys = tuple(column for column in listed if isinstance(column, ColumnRef))
    first = Stop(count=Count(max=1), is_page=False, input=below, group_keys=group_keys, is_exact=True, span=span)
    above = (
        remaining_test(replace_columns(expression, row_columns), row_columns.values())
        for expression in (*row.filters, *region.above)
    )
    untested = conjunction(
        expression for expression in above if expression is not None and expression not in match_tests
    )
    return first if untested is None else Selection(predicate=untested, input=first, span=span)


def _fixes(test: Expression, columns: Set[ColumnKey]) -> bool:
    """Whether a test fixes one of some columns to a value or a list of values."""
    column = compared_column(test)
    is_equality = isinstance(test, InList) or (isinstance(test, Comparison) and test.operator == "=")
    return is_equality and column is not None and key_of(column) in columns


def _with_tests_of_row(leg: Leg, row: Leg, region: Region) -> Leg:
    """Return a leg with the row's tests on equal columns, so that it can be read before the row."""
    if leg.kind == "left":
        return leg
    equal = Equalities(region.conditions)
    filters = dict.fromkeys(leg.filters)
    for predicate in row.filters:
        column = compared_column(predicate)
        for equal_column in equal.equal_to(column)[1:] if column is not None else ():
            if column is not None and equal_column.relation in leg.relations:
                filters.setdefault(replace_columns(predicate, {key_of(column): equal_column}))
    return leg if len(filters) == len(leg.filters) else leg._replace(filters=tuple(filters))


def _has_equal_test(test: Expression, other_legs: Sequence[Leg], region: Region) -> bool:
    """Whether an inner leg has the same test of a column equal to that of the row."""
    column = compared_column(test)
    equal = Equalities(region.conditions).equal_to(column)[1:] if column is not None else ()
    return column is not None and any(
        replace_columns(test, {key_of(column): equal_column}) in leg.filters
        for leg in other_legs
        if leg.kind == "inner"
        for equal_column in equal
        if equal_column.relation in leg.relations
    )


def _merged_left(
    region: Region, row: Leg, match: Leg, row_columns: Mapping[ColumnKey, ColumnRef]
) -> LogicalNode | None:
    """Return a region in which a left-joined leg is the first match; None where its ON asks for more than that."""
    equal = Equalities(match.on)
    back = {key_of(column): replace(column, relation=alias) for (alias, _), column in row_columns.items()}
    for expression in (*row.on, *row.filters):
        test = replace_columns(expression, back)
        pair = equated_columns(test)
        if test not in match.filters and (pair is None or not equal.are_equal(*map(key_of, pair))):
            return None
        if pair is not None and pair[0] == pair[1] and row_columns[key_of(pair[0])].nullable:
            return None  # NULL equals nothing, not even itself
    renamed = match._replace(
        input=row.input,
        relations=row.relations,
        filters=tuple(replace_columns(predicate, row_columns) for predicate in match.filters),
        on=tuple(replace_columns(expression, row_columns) for expression in match.on),
        first=_renamed_keys(match.first, row_columns),
    )
    return write_region(
        region._replace(legs=tuple(renamed if leg is match else leg for leg in region.legs if leg is not row))
    )


def _renamed_keys(keys: tuple[SortKey, ...], row_columns: Mapping[ColumnKey, ColumnRef]) -> tuple[SortKey, ...]:
    return tuple(replace(key, expression=replace_columns(key.expression, row_columns)) for key in keys)


def _equates_pair(test: Expression, pairs: Set[frozenset[ColumnKey]]) -> bool:
    pair = equated_columns(test)
    return pair is not None and frozenset(map(key_of, pair)) in pairs


def _joined(left: LogicalNode, leg: Leg) -> Join:
    """Join a leg to a plan as a first match, by its ON."""
    predicate = conjunction(leg.filters)
    right = leg.input if predicate is None else Selection(predicate=predicate, input=leg.input)
    span = leg.join.span if leg.join is not None else leg.input.span
    return Join(kind="inner", left=left, right=right, condition=conjunction(leg.on), first=leg.first, span=span)


def _tests(
    region: Region, row: Leg, match: Leg, row_columns: Mapping[ColumnKey, ColumnRef], other_legs: Sequence[Leg]
) -> tuple[Expression, ...] | None:
    """Return the tests that find the match, in columns of the row; None where the row itself is needed to find it.

    An equality with the row's own group (`x.owner = t.owner`) becomes one with an equal column of another leg.
    """
    equal = _equalities(region, match)
    tests: list[Expression] = []
    for expression in (*match.on, *match.filters):
        pair = equated_columns(expression)
        if relations_of(expression).isdisjoint(row.relations):
            tests.append(replace_columns(expression, row_columns))
            continue
        if pair is None:
            return None
        row_column, match_column = pair if pair[0].relation in row.relations else pair[::-1]
        named = row_columns.get(key_of(match_column))
        values = [(leg, column) for leg in other_legs if leg.kind == "inner" for column in equal.equal_to(row_column)]
        counterpart = next((column for leg, column in values if column.relation in leg.relations), None)
        if named is None or counterpart is None:
            return None
        tests.append(Comparison(operator="=", left=named, right=counterpart, span=expression.span))
    return tuple(dict.fromkeys(tests))

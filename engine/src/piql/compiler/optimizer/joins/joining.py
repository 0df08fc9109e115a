"""How a leg is joined to those before it, however the query says so: each equality once, and no test twice.

    p.owner = s.target, u.username = p.owner      s, p, u: p.owner = s.target; u.username = p.owner
    say that all three are equal             →    s, u, p: u.username = s.target; p.owner = s.target

What a join needs is computed from the classes of equal columns. So neither the order in which equalities are written
nor the choice among equivalent ones changes a plan. Where a foreign key connects the leg, its pairs are chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from piql.compiler.logical.expressions import ColumnRef, Comparison, Expression, InList, Or
from piql.compiler.optimizer.analysis.comparisons import (
    compared_column,
    compared_columns,
    fixes_one_value,
    moved_to_relation,
)
from piql.compiler.optimizer.analysis.equalities import Equalities
from piql.compiler.optimizer.analysis.predicates import (
    ColumnKey,
    equated_columns,
    key_of,
    relations_of,
    replace_columns,
)
from piql.compiler.optimizer.analysis.region import Leg, Region
from piql.schema.catalog import ForeignKey


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The sets of other legs on which the tests of one leg's join depend; a set is a number with a bit for each leg.

    Of several equal columns a join may name any. Only where one relation has several columns of a class does it matter
    which of the legs are joined.
    """

    classes: tuple[int, ...]  # for each class of equal columns that this leg has one of: the other legs that have one
    mixed: tuple[int, ...]  # the same, for classes of which a relation has several columns
    conditions_of_many: tuple[int, ...]  # for each condition on more than equality: the legs that it needs, all of them
    filters: tuple[int, ...]  # for each filter of this leg: the legs that make it needless, any of them

    def signature(self, joined: int) -> object:
        """Return a value that is equal for sets of joined legs under which this leg's join tests the same."""
        return (
            *[not legs & joined for legs in self.classes],
            *[legs & joined for legs in self.mixed],
            *[not legs & ~joined for legs in self.conditions_of_many],
            *[not legs & joined for legs in self.filters],
        )


class Joining:
    """The conditions and filters that the inner joins of a region test, for any order of its legs.

    `equal` holds the classes of columns that are equal once all inner legs are joined.
    """

    def __init__(self, region: Region) -> None:
        inner = [leg for leg in region.legs if leg.kind == "inner"]
        inner_relations = frozenset[str]().union(*(leg.relations for leg in inner))
        equalities: list[Expression] = []
        self._conditions: list[Expression] = []  # all but the equalities of two inner columns
        self._written: dict[frozenset[ColumnKey], Expression] = {}  # these equalities, by their pair of columns
        for condition in region.conditions:
            pair = equated_columns(condition)
            if pair is None or not relations_of(condition) <= inner_relations:
                self._conditions.append(condition)
                continue
            equalities.append(condition)
            self._written.setdefault(frozenset(map(key_of, pair)), condition)
        self.equal = Equalities((*equalities, *(predicate for leg in inner for predicate in leg.filters)))
        self._classes = tuple(map(_by_relation, self.equal.classes()))
        self._is_plain = tuple(all(len(member) == 1 for member in members.values()) for members in self._classes)
        self._classes_of: dict[str, list[int]] = {}  # by relation, the numbers of the classes that it has columns of
        self._neighbours: dict[str, set[str]] = {}  # by relation, those with an equal column, itself included
        for number, members in enumerate(self._classes):
            for relation in members:
                self._classes_of.setdefault(relation, []).append(number)
                self._neighbours.setdefault(relation, set()).update(members)

    def conditions(self, leg: Leg, legs_before: Sequence[Leg]) -> tuple[Expression, ...]:
        """Return the conditions that an inner join of `leg` with the legs before it must test."""
        if leg.kind == "left" or leg.first:
            return leg.on
        chosen: dict[frozenset[ColumnKey], Expression] = {}
        pairs = self._foreign_key_pairs(leg, legs_before)
        numbers = {number for relation in leg.relations for number in self._classes_of.get(relation, ())}
        for number in sorted(numbers):
            for left, right in _links(self._classes[number], leg, legs_before, pairs):
                pair = frozenset((key_of(left), key_of(right)))
                chosen[pair] = self._written.get(pair) or Comparison(
                    operator="=", left=left, right=right, span=left.span
                )
        relations = leg.relations.union(*(earlier.relations for earlier in legs_before))
        conditions = (
            expression
            for expression in self._conditions
            if relations_of(expression) <= relations and relations_of(expression) & leg.relations
        )
        return (*chosen.values(), *conditions)

    def filters(self, leg: Leg, legs_before: Sequence[Leg]) -> tuple[Expression, ...]:
        """Return the filters of a leg that the rows joined before do not satisfy already."""
        if leg.kind == "left" or not legs_before:
            return leg.filters
        return tuple(predicate for predicate in leg.filters if not self._is_implied(predicate, legs_before))

    def filters_alone(self, leg: Leg, legs_before: Sequence[Leg]) -> tuple[Expression, ...]:
        """Return the filters by which a leg can be read once, whatever rows were joined before.

        Those that these rows do not satisfy already, and those of one value, which is the same in all of these rows.
        """
        tested = self.filters(leg, legs_before)
        return tuple(predicate for predicate in leg.filters if predicate in tested or fixes_one_value(predicate))

    def dependencies(self, leg: Leg, legs: Sequence[Leg]) -> Dependencies:
        """Return what the join of `leg` depends on; other legs are bits by their position in `legs`."""
        inner = [
            (1 << at, other_leg)
            for at, other_leg in enumerate(legs)
            if other_leg.kind == "inner" and other_leg is not leg
        ]
        numbers = {number for relation in leg.relations for number in self._classes_of.get(relation, ())}
        bits = {number: _bits(inner, self._classes[number].keys()) for number in sorted(numbers)}
        condition_legs: list[int] = []
        everywhere = frozenset[str]().union(*(other_leg.relations for other_leg in legs))
        for condition in self._conditions:
            reads = relations_of(condition)
            if reads & leg.relations and reads <= everywhere:
                condition_legs.append(
                    _bits([(1 << at, other_leg) for at, other_leg in enumerate(legs)], reads - leg.relations)
                )
        filters = (
            sum(bit for bit, other_leg in inner if self._is_implied(predicate, (other_leg,)))
            for predicate in leg.filters
        )
        return Dependencies(
            tuple(legs_of_class for number, legs_of_class in bits.items() if self._is_plain[number]),
            tuple(legs_of_class for number, legs_of_class in bits.items() if not self._is_plain[number]),
            tuple(condition_legs),
            tuple(filters),
        )

    def related(self, leg: Leg, legs: Sequence[Leg]) -> list[int]:
        """Return the positions of the legs that change how `leg` is joined when they come before it."""
        named = set(leg.relations)
        for relation in leg.relations:
            named.update(self._neighbours.get(relation, ()))
        for condition in leg.on:
            named.update(relations_of(condition))
        for condition in self._conditions:
            reads = relations_of(condition)
            if not reads.isdisjoint(leg.relations):
                named.update(reads)
        return [
            at
            for at, candidate in enumerate(legs)
            if candidate is not leg and not named.isdisjoint(candidate.relations)
        ]

    def in_order(self, legs: Sequence[Leg]) -> tuple[Expression, ...]:
        """Return all conditions of legs joined in this order; those that read relations outside come last."""
        conditions: dict[Expression, None] = {}
        for at, leg in enumerate(legs):
            if at and leg.kind == "inner":
                conditions.update(dict.fromkeys(self.conditions(leg, legs[:at])))
        conditions.update(dict.fromkeys(self._conditions))
        return tuple(conditions)

    def _is_implied(self, predicate: Expression, legs_before: Sequence[Leg]) -> bool:
        """Whether rows that match the legs before pass a filter, since an equal column has passed the same test."""
        equated = equated_columns(predicate)
        if equated is not None:  # two columns of one leg: both are compared with the equal column of a leg before
            return any(True for _ in self._available(equated[0], legs_before))
        if isinstance(predicate, Or):
            columns = compared_columns(predicate)
            return bool(columns) and any(
                moved_to_relation(predicate, columns, relation, self.equal) in leg.filters
                for leg in legs_before
                if leg.kind == "inner"
                for relation in leg.relations
            )
        column = compared_column(predicate)
        if column is None:
            return False
        return any(
            _has_filter(leg, replace_columns(predicate, {key_of(column): equal}))
            for leg, equal in self._available(column, legs_before)
        )

    def _available(self, column: ColumnRef, legs_before: Iterable[Leg]) -> Iterator[tuple[Leg, ColumnRef]]:
        """Return the columns of inner legs before that equal a column, each with its leg."""
        for equal in self.equal.equal_to(column)[1:]:
            for leg in legs_before:
                if leg.kind == "inner" and equal.relation in leg.relations:
                    yield leg, equal

    def is_equated(self, column: ColumnKey, legs_before: Iterable[Leg]) -> bool:
        """Whether the joins of some legs test a column for being equal to another of theirs."""
        inner = frozenset[str]().union(*(leg.relations for leg in legs_before if leg.kind == "inner"))
        return any(member.relation in inner for member in self.equal.members(column) if key_of(member) != column)

    def may_be_followed(self, leg: Leg, referencing: Leg) -> bool:
        """Whether `referencing` has a foreign key to the row of `leg`, without which a join may drop rows."""
        if leg.kind == "left":
            return True
        parent, child = leg.relation, referencing.relation
        if parent is None or child is None or referencing.kind == "left":
            return False
        return child.alias in self._neighbours.get(parent.alias, ()) and any(
            key.table == parent.table.name and self._connects(key, child.alias, parent.alias)
            for key in child.table.references
        )

    def _foreign_key_pairs(self, leg: Leg, legs_before: Sequence[Leg]) -> frozenset[tuple[ColumnKey, ColumnKey]]:
        """Return the column pairs (leg, earlier leg) of a foreign key to the leg's row, if possible one never NULL."""
        if leg.relation is None:
            return frozenset()
        alias, table = leg.relation.alias, leg.relation.table
        neighbours = self._neighbours.get(alias, ())
        candidates: list[tuple[int, frozenset[tuple[ColumnKey, ColumnKey]]]] = []
        for earlier in legs_before:
            child = earlier.relation
            if child is None or earlier.kind == "left" or child.alias not in neighbours:
                continue
            for key in child.table.references:
                if key.table == table.name and self._connects(key, child.alias, alias):
                    names = zip(key.referenced_columns, key.columns, strict=True)
                    pairs = frozenset(((alias, referenced), (child.alias, name)) for referenced, name in names)
                    columns = [child.table.column(name) for name in key.columns]
                    may_be_null = any(column is None or column.nullable for column in columns)
                    unwritten = sum(frozenset(pair) not in self._written for pair in pairs)
                    candidates.append((len(pairs) * may_be_null + unwritten, pairs))
        return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else frozenset()

    def _connects(self, key: ForeignKey, child: str, parent: str) -> bool:
        """Whether all columns of a foreign key equal those that it references."""
        return all(
            self.equal.are_equal((child, name), (parent, referenced))
            for name, referenced in zip(key.columns, key.referenced_columns, strict=True)
        )


def _has_filter(leg: Leg, test: Expression) -> bool:
    """Whether a test stands among the filters of a leg, whatever the order of its items."""
    if test in leg.filters:
        return True
    if not isinstance(test, InList):
        return False
    return any(
        isinstance(predicate, InList) and predicate.operand == test.operand and set(predicate.items) == set(test.items)
        for predicate in leg.filters
    )


def _bits(legs: Iterable[tuple[int, Leg]], relations: Set[str]) -> int:
    """Return the legs that have some of these relations, as the sum of their bits."""
    return sum(bit for bit, leg in legs if not leg.relations.isdisjoint(relations))


def _by_relation(members: Iterable[ColumnRef]) -> Mapping[str, list[ColumnRef]]:
    """Return the columns of one class by their relation, in the order in which the class has them."""
    columns: dict[str, list[ColumnRef]] = {}
    for member in members:
        columns.setdefault(member.relation, []).append(member)
    return columns


def _links(
    members: Mapping[str, list[ColumnRef]],
    leg: Leg,
    legs_before: Sequence[Leg],
    preferred: frozenset[tuple[ColumnKey, ColumnKey]],
) -> Iterator[tuple[ColumnRef, ColumnRef]]:
    """Yield the pairs (column of the leg, earlier column) that a join must equate so that a class is equal.

    `members` are the columns of the class by relation; a pair in `preferred` is chosen before others. Columns of
    several earlier legs equal each other already, by their joins. Those of a single earlier leg need not, unless one of
    its filters equates them.
    """
    leg_columns = _columns_of(leg, members)
    inner = (
        earlier for earlier in legs_before if earlier.kind == "inner" and not earlier.relations.isdisjoint(members)
    )
    by_leg = [_columns_of(earlier, members) for earlier in inner]
    if not leg_columns or not by_leg:
        return
    groups = [[column for columns in by_leg for column in columns]]
    if len(by_leg) == 1:
        groups = _groups(by_leg[0], legs_before)
    for number, column in enumerate(leg_columns):
        for group in groups if number == 0 else groups[:1]:
            keys = (candidate for candidate in group if (key_of(column), key_of(candidate)) in preferred)
            yield column, next(keys, group[0])


def _columns_of(leg: Leg, members: Mapping[str, list[ColumnRef]]) -> list[ColumnRef]:
    """Return the columns of one class that a leg has, in an order that aliases and columns alone decide."""
    columns = [column for relation in leg.relations for column in members.get(relation, ())]
    return columns if len(columns) < 2 else sorted(columns, key=key_of)


def _groups(columns: list[ColumnRef], legs_before: Sequence[Leg]) -> list[list[ColumnRef]]:
    """Group the columns of one leg that its filters make equal."""
    if len(columns) == 1:
        return [columns]
    leg = next(earlier for earlier in legs_before if columns[0].relation in earlier.relations)
    equal = Equalities(leg.filters)
    groups: list[list[ColumnRef]] = []
    for column in columns:
        group = next((candidate for candidate in groups if equal.are_equal(key_of(candidate[0]), key_of(column))), None)
        if group is None:
            groups.append([column])
        else:
            group.append(column)
    return groups

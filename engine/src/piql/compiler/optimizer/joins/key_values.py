"""Estimates how many different values a column has in the rows joined so far, since equal keys are read once.

These numbers only compare join orders, alike for every way to write a query. The proof is read off the plan
(`bounds.distinct_values`).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import prod

from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.optimizer.analysis.facts import Fact, facts_about
from piql.compiler.optimizer.analysis.predicates import ColumnKey, are_given, is_given, key_of
from piql.compiler.optimizer.analysis.region import Leg
from piql.compiler.optimizer.analysis.restrictions import Restrictions, restrictions_on
from piql.compiler.optimizer.joins.joining import Joining

MANY = 1_000_000  # stands for a number that nothing limits


class KeyValues:
    """The estimates for the legs of one region."""

    def __init__(self, legs: Sequence[Leg], joining: Joining) -> None:
        self._equal = joining.equal
        self._reads: dict[str, tuple[Restrictions, tuple[Fact, ...]]] = {}
        self._given: dict[ColumnKey, int] = {}  # how many values a column is compared with that no row decides
        for leg in legs:
            other_legs = [candidate for candidate in legs if candidate is not leg]
            available = frozenset[str]().union(*(other_leg.relations for other_leg in other_legs))
            for alias in leg.relations if leg.relation is not None else ():
                # Filters first: a value that a column equals says more than a column that equals it.
                restrictions = restrictions_on(alias, (*leg.filters, *joining.conditions(leg, other_legs)), available)
                self._reads[alias] = (
                    restrictions,
                    facts_about(leg.relation.table, restrictions) if leg.relation else (),
                )
                for name, fixed in restrictions.equal.items():
                    if are_given(fixed.values):
                        self._given[alias, name] = fixed.count
        self._rows = dict.fromkeys(self._reads, MANY)
        # A leg's rows depend on those of the others, so all are counted again until nothing changes.
        for _ in self._reads:
            counted = {alias: self._rows_of(*read) for alias, read in self._reads.items()}
            if counted == self._rows:
                break
            self._rows = counted

    def of(self, values: Sequence[Expression], relations: Set[str]) -> int:
        """Return how many different combinations of some values there are in the rows of joined relations."""
        return min(MANY, prod([self._of_value(value, relations) for value in values]))

    def _of_value(self, value: Expression, relations: Set[str]) -> int:
        match value:
            case ColumnRef():
                same = [column for column in self._equal.equal_to(value) if column.relation in relations]
                return min(map(self._of_column, same), default=MANY)
            case _:
                return 1 if is_given(value) else MANY

    def _of_column(self, column: ColumnRef) -> int:
        """Return how many values a column has: no more than it is compared with, nor than its relation has rows."""
        rows = self._rows.get(column.relation)
        return MANY if rows is None else min(self._given.get(key_of(column), MANY), rows)

    def _rows_of(self, restrictions: Restrictions, facts: Sequence[Fact]) -> int:
        """Return how many different rows of a relation are read."""
        rows = MANY
        for fact in facts:
            columns = () if fact.is_token else [restrictions.equal[name] for name in fact.columns]
            keys = prod([max(column.count, self.of(column.values, self._reads.keys())) for column in columns])
            rows = min(rows, fact.limit * keys)
        return rows

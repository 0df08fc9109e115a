"""What keys and limits of a schema prove about a read: how many rows can have the values that it fixes.

subscriptions: PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner)
owner = [me] AND target IN ('a', 'b')    →    at most 1 row for each of 2 keys; at most 100 rows of one owner
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple, TypeAlias

from piql.compiler.logical.expressions import Parameter
from piql.compiler.optimizer.analysis.restrictions import Fixed, Range, Restrictions
from piql.compiler.optimizer.analysis.whole_numbers import Stretch, stretch_of
from piql.schema.catalog import CardinalityLimit, ForeignKey, Table, UniqueKey
from piql.schema.types import WHOLE

_Limited: TypeAlias = tuple[int, tuple[str, ...], CardinalityLimit | UniqueKey | None]  # rows, columns, why


class Fact(NamedTuple):
    """At most `limit` rows have one combination of values of `columns`.

    A limit of 0 without columns stands for a test that keeps no row, any other for that of the whole table. `within`
    is a range of few whole numbers in which one more column of the key lies; `limit` then counts the rows of all
    numbers in the range together.
    """

    limit: int  # 1 for a key
    columns: tuple[str, ...]  # a token limit's columns are those of its words
    because: CardinalityLimit | UniqueKey | ForeignKey | None  # what is declared; None: the primary key
    reads: int = 1  # how many combinations of values are asked for: two for IN (1, 2)
    within: Stretch | None = None

    @property
    def rows(self) -> int:
        """The most rows for all combinations together."""
        return self.limit * self.reads

    @property
    def is_token(self) -> bool:
        """Whether the limit is one of the rows that hold a word."""
        return isinstance(self.because, CardinalityLimit) and self.because.is_token


def facts_about(table: Table, restrictions: Restrictions) -> tuple[Fact, ...]:
    """Return a fact for every key or limit whose columns are all fixed, the one with the fewest rows first."""
    if restrictions.keeps_none:
        return (Fact(0, (), None),)
    equal = {name: fixed for name, fixed in restrictions.equal.items() if not fixed.is_null}
    facts: list[Fact] = []

    def reads(columns: tuple[str, ...]) -> int:
        return prod([equal[column].count for column in columns])

    if all(column in equal for column in table.primary_key):
        facts.append(Fact(1, table.primary_key, None, reads(table.primary_key)))
    for constraint in table.constraints_near(equal):
        if isinstance(constraint, CardinalityLimit) and constraint.is_token:
            if any(set(word.columns) <= set(constraint.columns) for word in restrictions.words):
                facts.append(Fact(constraint.limit, constraint.columns, constraint))
        elif all(column in equal for column in constraint.columns):
            limit = constraint.limit if isinstance(constraint, CardinalityLimit) else 1
            facts.append(Fact(limit, constraint.columns, constraint, reads(constraint.columns)))
    if restrictions.ranges:
        facts.extend(_within_ranges(table, restrictions, equal))
    facts.sort(key=lambda fact: fact.rows)  # stable: keys before limits
    return tuple(facts)


def _within_ranges(table: Table, restrictions: Restrictions, equal: Mapping[str, Fixed]) -> Iterator[Fact]:
    """Yield each key or limit whose columns are all fixed but one, which lies in a range of few whole numbers."""
    for range_ in restrictions.ranges.values():
        column = table.column(range_.column)
        stretch = None if column is None else stretch_of(range_, column.type)
        if stretch is not None:
            for limit, fixed_columns, because in _fixed_but(range_.column, table, equal):
                reads = prod(equal[name].count for name in fixed_columns)
                yield Fact(limit * stretch.values, fixed_columns, because, reads, stretch)


def countable_range(table: Table, restrictions: Restrictions) -> Range | None:
    """Return the range that would bound a read if its two ends, of which one is a parameter, were close together."""
    equal = {name: fixed for name, fixed in restrictions.equal.items() if not fixed.is_null}
    for range_ in restrictions.ranges.values():
        column = table.column(range_.column)
        has_ends = range_.low is not None and range_.high is not None
        if has_ends and column is not None and column.type.kind in WHOLE:
            is_given = isinstance(range_.low, Parameter) or isinstance(range_.high, Parameter)
            if is_given and any(_fixed_but(range_.column, table, equal)):
                return range_
    return None


def _fixed_but(column: str, table: Table, equal: Mapping[str, Fixed]) -> Iterator[_Limited]:
    """Yield each key or limit that has a column, and of which equalities fix all others."""
    keys = [(1, table.primary_key, None), *((1, key.columns, key) for key in table.unique_keys)]
    limits = [(limit.limit, limit.columns, limit) for limit in table.limits if not limit.is_token]
    for limit, columns, because in (*keys, *limits):
        fixed_columns = tuple(name for name in columns if name != column)
        if len(fixed_columns) < len(columns) and all(name in equal for name in fixed_columns):
            yield limit, fixed_columns, because

"""Where a join could begin if a table had a CARDINALITY LIMIT: its tables, and the columns that it fixes of each.

… FROM statuses s JOIN follows f ON f.target = s.author WHERE f.owner = [me] AND s.visibility = 0
→ follows (owner), by a value      statuses (author), follows (target), by each other
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from piql.compiler.logical.expressions import Constant, Expression
from piql.compiler.logical.operators import DataStop, Join, LogicalNode, Relation, Selection
from piql.compiler.optimizer.analysis.predicates import equated_columns, key_of
from piql.compiler.optimizer.analysis.region import Region, read_region
from piql.compiler.optimizer.analysis.restrictions import Fixed, restrictions_on
from piql.compiler.physical.few_values import holds_few_values
from piql.compiler.physical.planner.legs import is_leg, read_leg
from piql.schema.catalog import Table


def columns_for_limit(table: Table, columns: Iterable[str], constants: Collection[str]) -> tuple[str, ...]:
    """Return the columns a limit could be declared on, those of the primary key first.

    Columns of few values are left out. `columns` are fixed by equalities, those in `constants` by what stands in the
    text.
    """
    named = {name for name in columns if not holds_few_values(table, name, is_constant=name in constants)}
    key = tuple(name for name in table.primary_key if name in named)
    return (*key, *table.in_order(named.difference(key)))


def constant_columns(equal: Mapping[str, Fixed]) -> tuple[str, ...]:
    """Return the columns that equal what stands in the text of the query."""
    return tuple(
        name for name, equality in equal.items() if all(isinstance(value, Constant) for value in equality.values)
    )


@dataclass(frozen=True, slots=True)
class JoinStart:
    """A table of a join, and the columns of it that the query fixes: by values, or by columns of one other table.

    It is written if the text compares one of the columns with a value; else an equality carries the value over to it.
    """

    table: Table
    columns: tuple[str, ...]
    is_by_value: bool
    is_written: bool = False


def join_starts(under: Sequence[LogicalNode]) -> tuple[JoinStart, ...]:
    """Return where a join could begin if a limit stood on the columns: those compared with values in the text first.

    `under` are the operators above one of the tables, nearest first. Empty where nothing is joined.
    """
    top: LogicalNode | None = None
    for node in under:
        if not isinstance(node, Join | Selection | DataStop):
            break
        top = node if isinstance(node, Join) or top is not None else None
    starts = _starts(read_region(top)) if top is not None else ()
    in_order = sorted((start for start in starts if start.columns), key=lambda start: not start.is_written)
    return tuple(dict.fromkeys(in_order))


def _starts(region: Region) -> Iterator[JoinStart]:
    legs = [(*read_leg(leg.input, ())[:2], leg) for leg in region.legs if is_leg(leg.input)]
    tests = {relation: (*filters, *leg.filters, *leg.on, *region.conditions) for relation, filters, leg in legs}
    by_value = {relation: _fixed(relation, tests[relation], frozenset()) for relation in tests}
    values = [equality.predicate for fixed in by_value.values() for equality in fixed.values()]
    known = _with_equal({(relation.alias, column) for relation in tests for column in by_value[relation]}, region)
    for relation in tests:
        named = {column for alias, column in known if alias == relation.alias}
        columns = columns_for_limit(relation.table, named, constant_columns(by_value[relation]))
        written = any(_is_written(relation.alias, column, test) for column in columns for test in values)
        yield JoinStart(relation.table, columns, is_by_value=True, is_written=written)
    for relation in tests:
        for joined in tests:
            if joined is not relation:
                fixed = _fixed(relation, tests[relation], frozenset((joined.alias,)))
                named = {name for name in fixed if name not in by_value[relation]}
                columns = columns_for_limit(relation.table, named, constant_columns(fixed))
                yield JoinStart(relation.table, columns, is_by_value=False)


def _is_written(alias: str, column: str, test: Expression) -> bool:
    """Whether the text of a test names a column of a relation, or names it without a relation."""
    pattern = rf"(?<![\w.])({re.escape(alias)}\s*\.\s*)?{re.escape(column)}\b"
    return test.span is not None and re.search(pattern, test.span.text, re.IGNORECASE) is not None


def _fixed(relation: Relation, tests: Sequence[Expression], available: frozenset[str]) -> dict[str, Fixed]:
    """Return the columns of a relation that equal values, or columns of the relations `available`."""
    equal = restrictions_on(relation.alias, tests, available).equal
    return {name: equality for name, equality in equal.items() if not equality.is_null}


def _with_equal(known: set[tuple[str, str]], region: Region) -> set[tuple[str, str]]:
    """Return the columns, as (alias, name), that equal one of `known` by the conditions of a join."""
    pairs = [pair for pair in map(equated_columns, region.conditions) if pair is not None]
    sides = [(key_of(left), key_of(right)) for left, right in pairs]
    for _ in sides:  # each turn carries a value over one equality more
        known = known | {side for pair in sides if not known.isdisjoint(pair) for side in pair}
    return known
